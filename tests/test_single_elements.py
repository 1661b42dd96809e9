"""Slices of one element between constants: repeated by operators and stores, and of axes too short to have it."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.request import Gradient
from tests.harness.complex_step import ComplexNumPy, complex_slopes
from tests.harness.stages import STAGES, Stages, assert_same, in_python, module_of

pytestmark = pytest.mark.drawn(5)

PROGRAMS = {
    "a column beside its row": "y = A[:, 1:2]\n    return np.sum((y.T - y) ** 2)",
    "a column beside its row, as an array": "y = A[:, 1:2]\n    d = y.T - y * 2.0\n"
    "    return np.sum(d @ np.ones(d.shape[1]))",
    "a column beside the matrix": "return np.sum(np.sin(A) * A[:, -2:-1])",
    "a row from the end": "return np.sum(np.where(A > 0.3, A[-1:] * A[-2:-1], A[1:2]))",
    "a column stored into all": "B = A * 2.0\n    B[:] = B[:, 1:2]\n    return np.sum(B * B)",
    "a row stored into a slice": "B = A * A\n    B[1:] = A[1:2] * 3.0\n    return np.sum(B * A)",
    "one element of a vector": "x = A[0]\n    return np.sum(x * x[1:2])",
    "joined, not repeated": "x = A[0]\n    return np.sum(np.concatenate((x[1:2], x[3:4], x)) ** 2)",
    "of two arrays": "return np.sum(A[:, 1:2] * A[:, 0:1] - A[1:2] * A[:, 1:2])",
    "in a loop": "s = A[0, 0]\n    for i in range(3):\n        y = A[i % 2 :, 1:2] * s\n"
    "        s = s + 0.1 * np.sum(y.T * y)\n    return s",
}  # fmt: skip
SHAPES = ((3, 4), (2, 2), (2, 3), (4, 5))


def written(body):
    return module_of(f"import numpy as np\n\n\ndef f(A):\n    {body}\n")["f"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_slopes(name):
    function, twin = written(PROGRAMS[name]), written(PROGRAMS[name])
    twin.__globals__["np"] = ComplexNumPy()
    stages, gradient = Stages(function), Stages(function, [Gradient((0,))])
    for shape in SHAPES:
        A = np.random.default_rng(1).uniform(-0.9, 0.9, shape)
        for stage in STAGES[1:]:
            assert_same(stages.run(stage, A), in_python(function, A))
        for stage in ("typed", "loops", "llvm"):
            outcome = gradient.run(stage, A)
            assert outcome.error is None, f"{stage}: {outcome.error!r}"
            np.testing.assert_allclose(outcome.value[0], complex_slopes(twin, (A,))[0], atol=1e-12, err_msg=stage)


@pytest.mark.parametrize("body", [
    "y = x[1:2]\n    return np.concatenate((y, x, x[2:3]))",
    "y = x[1:2] * 2.0\n    return y + x[1:2]",
    "return x[1:2].sum() + len(x[3:4])",
    "y = x.copy()\n    y[1:2] = 4.0\n    return y",
])  # fmt: skip
def test_an_axis_that_is_too_short_gives_nothing(body):
    function = written(body.replace("x", "A"))
    compiled = pellucid.compile(function)
    for length in (0, 1, 2, 3, 5):
        x = np.arange(1.0, length + 1.0)
        np.testing.assert_array_equal(compiled(x), function(x))


def test_what_is_repeated_has_to_be_there():
    compiled = pellucid.compile(written("return np.sum(A * A[:, 1:2])"))
    with pytest.raises(ValueError, match="too short"):
        compiled(np.ones((2, 0)))


@pytest.mark.parametrize("left", ["x", "x[None]", "x[:, None]", "x[None, :, None]"])
@pytest.mark.parametrize("right", ["y", "y[None]", "y[..., None]"])
def test_slopes_of_operands_of_several_ranks(left, right):
    """An operand's slope has its rank, whatever the ranks of the others: also where each axis has length 1."""
    function = module_of(f"import numpy as np\n\n\ndef f(x, y):\n    return np.sum({left} * {right} * 2.0)\n")["f"]
    gradient = Stages(function, [Gradient((0, 1))])
    for shapes in (((1,), (1,)), ((1,), (3,)), ((3,), (1,)), ((3,), (3,)), ((1,), (2, 1)), ((3,), (1, 3))):
        x, y = (np.random.default_rng(2).uniform(-1.0, 1.0, shape) for shape in shapes)
        try:
            want = complex_slopes(function, (x, y))
        except ValueError:
            continue  # lengths that do not go together
        outcome = gradient.run("typed", x, y)
        assert outcome.error is None, f"{shapes}: {outcome.error!r}"
        for got, right_slope in zip(outcome.value, want):
            np.testing.assert_allclose(got, right_slope, atol=1e-14)
