"""A variable that is a number of Python before it is an array: `total = 0.0` ahead of a loop that adds rows."""

import numpy as np
import pytest

import pellucid
from pellucid import compile, grad, jvp, vmap


def sum_of_rows(x, a):
    total = 0
    for row in x:
        total += row
    return total * a


def squares(x, a):
    total = 0.0
    for t in range(x.shape[0]):
        total = total + a * x[t] ** 2
    return np.sum(total)


def advantages(x, a):
    found, last = np.zeros_like(x), 0
    for t in reversed(range(len(x))):
        found[t] = last = x[t] + a * last
    return found


def running_maximum(x, a):
    most = -np.inf
    for t in range(len(x)):
        most = np.maximum(most, a * x[t])
    return np.exp(x - most).sum()


def recurrent(x, a):
    h = 0.0
    for t in range(len(x)):
        h = np.tanh(x[t] * a + h)
    return np.sum(h)


def either(x, a):
    noise = 2.0 * x if a > 0.0 else 0.0
    return np.sum(x + noise, axis=0)


def sometimes(x, a):
    total, best = 0.0, 0
    for t in range(len(x)):
        if x[t, 0] > 0.0:
            total = total + a * x[t]
            best = max(best, t)
    return total


def by_its_kind(x, a):
    last = 0.0
    for row in x:
        last = row + a * (last if isinstance(last, float) else last[::-1])
    return np.sum(last * np.arange(3.0))


def averaged(x, a):
    mean = None
    count = 0
    for row in x:
        count += 1
        mean = a * row if mean is None else mean + (row - mean) / count
    return np.sum(mean**2) if mean is not None else np.float64(0.0)


PROGRAMS = [sum_of_rows, squares, advantages, running_maximum, recurrent, either, sometimes, by_its_kind, averaged]
X = np.random.default_rng(0).normal(size=(4, 3))
CASES = [(X, 0.7), (X[:1], 1.5), (-np.abs(X), 0.5), (X[:0], 2.0), (X, -1.0)]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_kinds_are_those_of_python(function):
    compiled = compile(function)
    for x, a in CASES:
        for _ in range(3):
            found, expected = compiled(x, a), function(x, a)
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)
            assert np.asarray(found).dtype == np.asarray(expected).dtype
            assert isinstance(found, pellucid.Array) == isinstance(expected, np.ndarray)
            if not isinstance(expected, np.ndarray):
                assert type(found) is type(expected)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives_are_those_of_differences_in_both_modes(function):
    def cost(x, a):
        return np.sum(function(x, a))

    for x, a in CASES:
        along, step = np.cos(np.arange(x.size)).reshape(x.shape), 1e-6
        expected = (cost(x + step * along, a + step) - cost(x - step * along, a - step)) / (2 * step)
        slopes = grad(cost, argnums=(0, 1))(x, a)
        found = np.sum(np.asarray(slopes[0]) * along) + float(slopes[1])
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(float(jvp(cost, (x, a), (along, 1.0))[1]), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", [f for f in PROGRAMS if f is not sometimes], ids=lambda f: f.__name__)
def test_a_map_over_examples_is_a_loop(function):
    stacked = np.stack([X, 2.0 * X, -X])
    each = vmap(function, in_axes=(0, None))(stacked, 0.7)
    np.testing.assert_allclose(np.asarray(each), np.stack([function(x, 0.7) for x in stacked]), rtol=1e-12)


def test_examples_that_may_return_either_are_refused():
    with pytest.raises(pellucid.BatchError, match="different structures"):
        vmap(sometimes, in_axes=(0, None))(np.stack([X, -X]), 0.7)


def test_a_number_of_numpy_and_an_array_are_two_types():
    def found(x, a):
        return x if a > 0.0 else x[0, 0]

    with pytest.raises(pellucid.TypeMismatchError, match="T002"):
        compile(found)(X, 1.0)
