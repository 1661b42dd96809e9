"""<vjp u, v> = <u, jvp v> for programs of the corpus: both modes, and both halves, against each other."""

import inspect

import numpy as np
import pytest

from pellucid import GradientError, tree
from pellucid.compiler import driver
from pellucid.compiler.frontend.specialise.derivatives.cotangents import cotangents_of, matched
from pellucid.compiler.frontend.specialise.functional import Partial
from pellucid.compiler.frontend.specialise.world.taking_apart import from_python
from pellucid.compiler.request import Pullback, Request, Tangent, Vjp
from pellucid.compiler.targets.python import printer
from pellucid.flatten import flatten, rebuild
from pellucid.pullback import OF_PYTHON
from tests.harness.corpus import copy_tree, programs
from tests.harness.draws import some
from tests.harness.stages import entry_of

FLOATS = (float, np.floating)


def called(function, transforms, arguments):
    """What is made of a function, run at its typed stage by CPython on leaves; and the structure of its result."""
    made = driver.derive(Request(function, transforms=transforms), arguments)
    program = driver.settled(made.program)
    run = entry_of(printer.print_program(program), program.entry, f"{function.__name__}_{transforms[-1].suffix}.py")

    def call(leaves):
        with np.errstate(all="ignore"):
            found = run(*copy_tree(leaves))
        return list(found) if isinstance(found, tuple) else [found]

    return made, program, call


def both_ways(function, args, seed):
    """(<vjp u, v>, <u, jvp v>)"""
    draw = np.random.default_rng(seed)
    bound = inspect.signature(function).bind(*args)
    bound.apply_defaults()
    primals = tuple(bound.arguments.values())
    flat = flatten(bound.arguments, (), function)
    vjp = Vjp(tuple(range(len(primals))))
    made, program, forward = called(function, (vjp,), flat.arguments)
    results = forward(flat.leaves)
    out, pulled = made.result.items
    assert isinstance(pulled, Partial)
    (residuals,) = pulled.args
    bars = cotangents_of(made.result, program.main.results)
    half, _, backward = called(function, (Pullback(vjp, tuple(flat.arguments.items()), bars),), {})
    value = rebuild(out, results)
    u = tree.map(lambda leaf: like(leaf, draw), value)
    kept = [results[part.index] for part in residuals.items]
    given = matched(bars, from_python(u, lambda _: None), OF_PYTHON, vjp.spoken)
    slopes = rebuild(half.result, backward([*kept, *(part.value for _, part in given)]))

    v = tree.map(lambda leaf: like(leaf, draw), primals)
    given = flatten({"primals": primals, "tangents": v}, (), function)
    along, _, push = called(function, (Tangent(),), given.arguments)
    tangent = rebuild(along.result, push(given.leaves))[1]
    return inner(slopes, v), inner(u, tangent)


def like(leaf, draw):
    """A random number for every float; None for what is none."""
    if not isinstance(leaf, FLOATS) and getattr(leaf, "dtype", np.dtype(int)).kind != "f":
        return None
    made = draw.uniform(-1.0, 1.0, np.shape(leaf))
    return float(made) if type(leaf) is float else made.astype(np.asarray(leaf).dtype)[()]


def inner(left, right):
    pairs = zip(tree.leaves(left), tree.leaves(right), strict=True)
    return float(sum(np.sum(np.asarray(a, dtype=float) * np.asarray(b, dtype=float)) for a, b in pairs))


# Each mode is held against differences for itself: of how they fit together, some programs of each kind say enough.
CHOSEN = some([program for program in programs() if program.has_gradient], 3)


NO_COTANGENT = {
    "optional_values.largest_and_where": "may be None",
    "optional_values.rows_in_turn": "may be None",
    "keyed.sums_by_label": "is a dict of what is only known at run time",
}


def hold(program):
    if (why := NO_COTANGENT.get(str(program))) is not None:
        with pytest.raises(GradientError, match=f"{why}: it has no cotangent"):
            both_ways(program.function, program.make_arguments(seed=5, size=4), 5)
        return
    left, right = both_ways(program.function, program.make_arguments(seed=5, size=4), 5)
    assert left == pytest.approx(right, rel=2e-5, abs=1e-6, nan_ok=True)


@pytest.mark.long
@pytest.mark.parametrize("program", CHOSEN, ids=str)
def test_both_modes_agree_on_every_program(program):
    hold(program)
