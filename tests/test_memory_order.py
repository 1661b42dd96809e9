"""Reductions of transposed arrays go through memory in its order: values, and the loops that are written."""

import gast
import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver, syntax

from .harness.typed_text import read_program

RNG = np.random.default_rng(35)

REDUCTIONS = {
    "sum": lambda x, axis: np.sum(x, axis=axis),
    "mean": lambda x, axis: np.mean(x, axis=axis),
    "max": lambda x, axis: np.max(x, axis=axis),
    "any": lambda x, axis: np.any(x > 0.9, axis=axis),
    "argmax": lambda x, axis: np.argmax(x, axis=axis),
    "kept": lambda x, axis: np.sum(x, axis=axis, keepdims=True),
}
AXES = [None, 0, 2, (0, 2)]


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("order", [(2, 1, 0), (2, 0, 1)], ids=str)
def test_values(name, axis, order):
    if name == "argmax" and isinstance(axis, tuple):
        pytest.skip("argmax takes one axis")
    reduce = REDUCTIONS[name]

    def f(x, y):
        t = np.transpose(x, order)
        return reduce(t, axis), reduce(t * y, axis)

    for shape in ((3, 4, 5), (3, 1, 7), (2, 3, 0)):
        x = RNG.random(shape)
        if not x.size and name in ("max", "argmax", "mean"):
            continue
        y = RNG.random(np.transpose(x, order).shape[1:])
        for expected, found in zip(f(x, y), pellucid.jit(f)(x, y), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13)
            assert np.shape(found) == np.shape(expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "i4", "c16"])
def test_dtypes(dtype):
    def f(x):
        return x.T.sum(axis=1), x.T.sum(axis=0), x.T.sum()

    x = (RNG.random((40, 30)) * 8).astype(dtype)
    for expected, found in zip(f(x), pellucid.jit(f)(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-3 if dtype == "f2" else 1e-6)
        assert found.dtype == expected.dtype


def innermost(text):
    """The loop variable and the last indices that the innermost loops read."""
    program = driver.lowered(read_program(text))
    for loop in syntax.walk(program.main.body):
        if isinstance(loop, gast.For) and not any(isinstance(s, gast.For) for s in loop.body):
            for node in (n for s in loop.body for n in syntax.nodes_of(s) if isinstance(n, gast.Subscript)):
                if node.value.id == "x":
                    yield loop.target.id, node.slice.elts[-1].id


@pytest.mark.parametrize("value", ["sum(t, axis=0)", "sum(t, axis=1)", "max(t, axis=1)", "sum(t * t, axis=1)"])
def test_what_stands_side_by_side_is_inside(value):
    found = list(innermost(f'def f(x: "f64[n, m]"):\n    t = transpose(x, axes=(1, 0))\n    return {value}\n'))
    assert found and all(variable == last for variable, last in found)


def test_where_arrays_disagree_axes_are_as_they_are_counted():
    text = 'def f(x: "f64[n, n]"):\n    t = transpose(x, axes=(1, 0))\n    return sum(t * x, axis=1)\n'
    found = list(innermost(text))
    assert {variable == last for variable, last in found} == {True, False}
