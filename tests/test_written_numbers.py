"""Arrays of numbers that the program says: one statement in every stage, a constant of the module in machine code."""

import numpy as np
import pytest

from pellucid import compile, grad, jvp, vmap

X = np.array([0.5, -1.5, 2.0])
MANY = [0.5] * 5 + [1.5] * 6 + [-2.5] * 9


def weighted(x):
    w = np.array([0.5] * 5 + [1.5] * 6 + [-2.5] * 9)
    return (w * x[0]).sum() + x[1]


def stored_into(x):
    w = np.array([0.5] * 5 + [1.5] * 6 + [-2.5] * 9)
    for k in range(3):
        w[3 * k] = w[3 * k] * x[k] * x[k]
    return (w * w).sum()


def made_in_a_loop(x):
    total = 0.0
    for k in range(3):
        rows = np.array(
            [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.0, 1.0, 0.0], [2.0, 2.0, 2.0], [1.0, 0.0, 3.0]]
        )
        rows[k] *= x[k]
        total += rows[2 * k] @ rows[k + 1] * x[0]
    return total


def returned(x):
    return np.array(MANY), np.array([[1, 2, 3]] * 7), np.array([True, False] * 9), np.array([0.1] * 17, np.float32)


FUNCTIONS = [weighted, stored_into, made_in_a_loop]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_and_slopes(function):
    assert np.allclose(compile(function)(X), function(X), rtol=1e-14)
    step = 1e-6 * np.eye(3)
    slopes = np.array([(function(X + h) - function(X - h)) / 2e-6 for h in step])
    assert np.allclose(grad(function)(X), slopes, rtol=1e-6, atol=1e-8)
    assert np.allclose(jvp(function, (X,), (np.ones(3),))[1], slopes.sum(), rtol=1e-6)
    several = np.stack([X, X + 1.0, -X])
    assert np.allclose(vmap(function)(several), [function(x) for x in several], rtol=1e-13)
    assert np.allclose(vmap(grad(function))(several), [grad(function)(x) for x in several], rtol=1e-13)


def test_each_call_gets_arrays_of_its_own():
    compiled = compile(returned)
    first = compiled(X)
    for a, b in zip(first, returned(X), strict=True):
        assert np.array_equal(a, b) and np.asarray(a).dtype == b.dtype
    changed = compile(stored_into)
    assert changed(X) == changed(X)  # the constant itself stays


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ((1, 2.5), None), ((True, 2), None), ((1, 2), np.uint8), ((1 + 2j, 3), None), ((np.inf, -np.inf, np.nan), None),
        ((np.float32(0.1), 2.0), None), (((1,), (2,)), np.float32), ((-0.0, 0.0), None),
        ((np.int8(3), np.int8(4)), None),
        ((2**62, -(2**63)), None), ((0.1, 1e300), np.float32), ((1.7, -1.7), np.int64), ((True, False), np.float64),
    ],
)  # fmt: skip
def test_dtypes(numbers, dtype):
    def made():
        return np.array(numbers) if dtype is None else np.array(numbers, dtype)

    with np.errstate(all="ignore"):
        got, wanted = np.asarray(compile(made)()), made()
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    assert np.array_equal(got, wanted, equal_nan=wanted.dtype.kind in "fc")
    assert np.array_equal(np.signbit(got.real), np.signbit(wanted.real))


def test_one_statement_in_every_stage():
    f = compile(weighted)
    for stage in ("typed", "loops"):
        statements = [line for line in f.source(stage, X).splitlines() if "np.array([" in line and "#" not in line]
        assert len(statements) == 1, stage
