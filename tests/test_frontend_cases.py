"""The frontend against its tables of programs: `desugar`, and `specialise` for given argument types.

Besides the text, behaviour is held against CPython: the function as it was written and the one that was made give the
same results, or raise the same errors, on random arguments.
"""

import dataclasses
import itertools

import gast
import numpy as np
import pytest

from pellucid.compiler import types
from pellucid.compiler.frontend.source.desugar import desugar
from pellucid.compiler.frontend.source.read import read
from pellucid.compiler.frontend.specialise.specialise import specialise
from pellucid.compiler.targets.python import printer
from pellucid.flatten import rebuild

from .harness.cases import numbers, read_cases, write_cases
from .harness.corpus import copy_tree, map_leaves
from .harness.stages import Outcome, Stages, as_list, assert_same, attempt, entry_of, in_python, module_of

HEAD = "import math\n\nimport numpy as np\n\n\n"
SEEDS = range(12)
FILES = {"desugar": "frontend/source/desugar.case", "specialise": "frontend/specialise/specialise.case"}


def function_of(case):
    return module_of(HEAD + case.before)["f"]


def keep(case, text):
    cases = read_cases(case.file)
    write_cases(case.file, [dataclasses.replace(c, after=text) if c.title == case.title else c for c in cases])


def cases_of(name):
    return [pytest.param(case, id=case.title) for case in read_cases(FILES[name])]


# --- desugar -------------------------------------------------------------------------------------------------------

BY_NAME = {
    "x": lambda rng: [float(v) for v in rng.uniform(-2.0, 2.0, rng.integers(0, 6))],
    "k": lambda rng: int(rng.integers(0, 6)),
    "a": lambda rng: float(rng.uniform(-2.0, 2.0)),
    "flag": lambda rng: bool(rng.integers(2)),
}


@pytest.mark.parametrize("case", cases_of("desugar"))
def test_desugar(case, update_cases):
    function = function_of(case)
    tree = read(function).tree
    before = gast.dump(tree)
    core = desugar(tree)
    assert gast.dump(tree) == before, "the tree was changed"
    text = printer.print_core(core)
    if update_cases:
        keep(case, text)
    else:
        assert text.strip() == case.after.strip()
    assert_is_core(core)
    made = entry_of(text, "f", "desugar.py")
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        args = [BY_NAME[a.id](rng) for a in tree.args.args]
        assert_same(attempt(made, *args), in_python(function, *args))


def assert_is_core(core):
    """One return, at the end; no continue, no else of a loop; break only as the last word of a loop."""
    nodes = [node for node in gast.walk(core) if isinstance(node, gast.stmt)]
    returns = [node for node in nodes if isinstance(node, gast.Return)]
    assert len(returns) == (1 if isinstance(core.body[-1], gast.Return) else 0)
    assert not any(isinstance(node, gast.Continue) for node in nodes)
    loops = [node for node in nodes if isinstance(node, gast.For | gast.While)]
    assert not any(loop.orelse for loop in loops)
    last = [loop.body[-1] for loop in loops]
    allowed = [node.body[0] for node in last if isinstance(node, gast.If) and isinstance(node.body[0], gast.Break)]
    assert sum(isinstance(node, gast.Break) for node in nodes) == len(allowed)


WAYS_OUT = {
    "break": "        if v > 1.0:\n            break\n",
    "continue": "        if v < 0.0:\n            continue\n",
    "return": "        if total > 1.5:\n            return total\n",
}
LOOPS = {
    "for": "    for v in x:\n",
    "while": "    while k > 0:\n        k = k - 1\n        v = x[k] if k < len(x) else a\n",
}


@pytest.mark.parametrize("with_else", (False, True), ids=("plain", "else"))
@pytest.mark.parametrize("ways", [c for n in range(4) for c in itertools.permutations(WAYS_OUT, n)], ids=" ".join)
@pytest.mark.parametrize("loop", LOOPS)
def test_every_way_out_of_a_loop(loop, ways, with_else):
    """Each order of break, continue and return, with and without an else, in both kinds of loops."""
    text = "def f(x, k, a):\n    total = 0.0\n" + LOOPS[loop]
    text += "".join(WAYS_OUT[way] for way in ways) + "        total = total + v\n"
    text += "    else:\n        total = total + 100.0\n" * with_else + "    return total\n"
    function = module_of(text)["f"]
    core = desugar(read(function).tree)
    assert_is_core(core)
    made = entry_of(printer.print_core(core), "f", "desugar.py")
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        args = [BY_NAME[name](rng) for name in ("x", "k", "a")]
        assert_same(attempt(made, *args), in_python(function, *args))


# --- specialise ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases_of("specialise"))
def test_specialise(case, update_cases):
    function = function_of(case)
    given = case.options["args"]
    flat = Stages(function).flatten(given, texts=True)
    made = specialise(function, flat.arguments)
    text = printer.print_program(made.program, header=False, comments=False)
    if update_cases:
        keep(case, text)
    else:
        assert text.strip() == case.after.strip()
    typed = entry_of(printer.print_program(made.program), made.program.entry, "specialise.py")
    for seed in SEEDS:
        args = random_values(given, seed)
        leaves = Stages(function).flatten(copy_tree(args)).leaves
        got = attempt(typed, *leaves)
        if got.error is None:
            got = Outcome(map_leaves(plain, rebuild(made.result, as_list(got.value))))
        assert_same(got, in_python(function, *args))


def plain(leaf):
    return np.asarray(leaf) if hasattr(leaf, "__array__") and np.ndim(leaf) else leaf


def random_values(given, seed):
    """Values of these types, in these containers; a symbol is one length throughout."""
    rng = np.random.default_rng(seed)
    lengths = {}

    def make(text):
        type_ = types.parse(text)
        dims = type_.dims if isinstance(type_, types.Array) else ()
        shape = tuple(d if isinstance(d, int) else lengths.setdefault(str(d), int(rng.integers(2, 6))) for d in dims)
        value = numbers(rng, type_.dtype, shape, 0)
        if dims:
            return value
        return value[()].item() if type_.weak else value[()]

    return map_leaves(make, tuple(given))


def test_there_are_enough_cases():
    for file in FILES.values():
        titles = [case.title for case in read_cases(file)]
        assert len(titles) == len(set(titles)) >= 15
