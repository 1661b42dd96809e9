"""Gradients of the corpus: the derivative as Python source and as machine code, against central differences.

A program that returns anything but one float is made a scalar by a function written around it:

    def scalarised(x, a, weight_0, weight_1):
        result = program(x, a)
        return np.sum(result[0] * weight_0) + result[1] * weight_1
"""

import dataclasses
import inspect

import numpy as np
import pytest

from pellucid.compiler.diagnostics import GradientError
from pellucid.compiler.request import Gradient
from tests.harness.corpus import (
    copy_tree,
    cotangent_like,
    finite_difference_gradient,
    float_leaves,
    is_float,
    leaves,
    programs,
)
from tests.harness.draws import some
from tests.harness.read_back import READERS, assert_reads_back
from tests.harness.stages import Stages, module_of

DIFFERENTIABLE = [program for program in programs() if program.has_gradient]
# A length of 1 is compiled apart, for some programs; machine code for it would show little more than the source does.
STAGES = {4: ("typed", "llvm"), 1: ("typed",)}
OF_LENGTH_1 = frozenset(map(str, some(DIFFERENTIABLE, 3)))
# What is printed of another length is read with a length of its own for a list's arrays, which the verifier refuses.
READ_AT_LENGTH_1 = {"views.changed_by_recursion"}

# Programs whose gradient is refused, and why; whoever removes a limit removes its lines.
REFUSED: dict[str, str] = {}


def places(tree, path=""):
    """An expression and a leaf for every leaf of a result."""
    match tree:
        case dict():
            return [found for key in tree for found in places(tree[key], f"{path}[{key!r}]")]
        case tuple() | list():
            return [found for n, part in enumerate(tree) for found in places(part, f"{path}[{n}]")]
        case _ if dataclasses.is_dataclass(tree):
            names = [field.name for field in dataclasses.fields(tree)]
            return [found for name in names for found in places(getattr(tree, name), f"{path}.{name}")]
    return [(path, tree)]


@dataclasses.dataclass(frozen=True, slots=True)
class Scalarised:
    """A scalar function of the arguments of a program, then of leaves taken out of them, then of weights.

    An argument that is differentiable throughout is passed as it is; one that mixes floats with others is taken apart.
    """

    function: object
    args: tuple
    argnums: tuple[int, ...]
    text: str


def scalarised(program, args):
    """The weighted sum of all results of a program, with the weights of the oracle."""
    result = program.function(*copy_tree(args))
    parameters, values, argnums, passed = [], [], [], []

    def parameter(name, value):
        if any(is_float(leaf) for leaf in leaves(value)):
            argnums.append(len(values))
        parameters.append(name)
        values.append(value)
        return name

    for name, value in zip(inspect.signature(program.function).parameters, args):
        kinds = {is_float(leaf) for leaf in leaves(value)}
        passed.append(parameter(name, value) if len(kinds) < 2 else display(value, name, parameter))
    terms = []
    for (path, leaf), (_, weight) in zip(places(result), places(cotangent_like(result))):
        term = f"result{path} * {parameter(f'weight_{len(terms)}', weight)}"
        terms.append(f"np.sum({term})" if isinstance(leaf, np.ndarray) else term)
    text = "\n".join([
        "import numpy as np", "", "",
        f"def scalarised({', '.join(parameters)}):",
        f"    result = program({', '.join(passed)})",
        f"    return {' + '.join(terms)}", "",
    ])  # fmt: skip
    count = len(values) - len(terms)
    weights = [float(v) if np.ndim(v) == 0 else v for v in values[count:]]
    made = module_of(text, program=program.function, **classes_in(args))["scalarised"]
    return Scalarised(made, (*values[:count], *weights), tuple(n for n in argnums if n < count), text)


def display(value, name, parameter):
    """The source of a container whose leaves are parameters."""
    match value:
        case dict():
            return "{" + ", ".join(f"{k!r}: {display(v, f'{name}_{k}', parameter)}" for k, v in value.items()) + "}"
        case _ if hasattr(value, "_fields") or dataclasses.is_dataclass(value):
            names = getattr(value, "_fields", None) or [field.name for field in dataclasses.fields(value)]
            inner = ", ".join(f"{n}={display(getattr(value, n), f'{name}_{n}', parameter)}" for n in names)
            return f"{type(value).__name__}({inner})"
        case tuple() | list():
            inner = "".join(f"{display(v, f'{name}_{n}', parameter)}, " for n, v in enumerate(value))
            return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    return parameter(name, value)


def classes_in(tree):
    """The records that a display may name."""
    match tree:
        case dict():
            inner = tuple(tree.values())
        case tuple() | list():
            inner = tuple(tree)
        case _ if dataclasses.is_dataclass(tree):
            inner = tuple(getattr(tree, field.name) for field in dataclasses.fields(tree))
        case _:
            return {}
    found = {} if type(tree) in (dict, tuple, list) else {type(tree).__name__: type(tree)}
    for part in inner:
        found |= classes_in(part)
    return found


def assert_close(got, want, original):
    """float32 results carry float32 errors; differences carry the square of the step and the rounding of the value."""
    assert np.shape(got) == np.shape(want)
    if isinstance(original, np.ndarray):
        assert got.dtype == original.dtype, f"the gradient of a {original.dtype} array is {got.dtype}"
    relative = 3e-4 if np.asarray(original).dtype == np.float32 else 2e-5
    scale = 1.0 + float(np.max(np.abs(want), initial=0.0))
    np.testing.assert_allclose(np.asarray(got, np.float64), want, rtol=relative, atol=relative * scale / 10)


@pytest.mark.drawn(5)
@pytest.mark.parametrize("program", DIFFERENTIABLE, ids=str)
def test_gradient(program):
    made = {}  # where both sizes are of one text and the same types, what was compiled for one serves both
    for size, at_stages in STAGES.items():
        if size == 1 and str(program) not in OF_LENGTH_1:
            continue
        args = program.make_arguments(seed=1, size=size)
        problem = scalarised(program, args)
        stages = made.setdefault(problem.text, Stages(problem.function, transforms=[Gradient(problem.argnums)]))
        if str(program) in REFUSED:
            with pytest.raises(GradientError):
                stages.run("typed", *problem.args)
            continue
        want = list(float_leaves(finite_difference_gradient(program.function, args)))
        originals = list(float_leaves(args))
        for stage in at_stages:
            outcome = stages.run(stage, *problem.args)
            if outcome.error is not None:
                raise outcome.error
            got = list(leaves(outcome.value))
            assert len(got) == len(want)
            for one, other, original in zip(got, want, originals):
                assert_close(one, other, original)
            if stage in READERS and size == (1 if str(program) in READ_AT_LENGTH_1 else max(STAGES)):
                assert_reads_back(stages.program(stage, stages.flatten(problem.args))[1], stage)


def test_refusals_are_of_programs():
    names = {str(program) for program in DIFFERENTIABLE}
    assert set(REFUSED) <= names
    assert READ_AT_LENGTH_1 <= OF_LENGTH_1  # else nothing of it is read back
