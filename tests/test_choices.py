"""Places of extremes: of equal values the first, the first nan before all numbers, at every length around a block."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.tuning import CHOICE_BLOCK

LENGTHS = [1, 7, 8, 9, CHOICE_BLOCK - 1, CHOICE_BLOCK, CHOICE_BLOCK + 1, 3 * CHOICE_BLOCK + 5]
RNG = np.random.default_rng(34)


def of_all(x):
    return np.argmax(x), np.argmin(x)


def of_rows(x):
    return np.argmax(x, axis=1), np.argmin(x, axis=1)


def of_columns(x):
    return np.argmax(x, axis=0), np.argmin(x, axis=0)


def of_values(x):
    return np.argmax(np.abs(x - 3)), np.argmin(x * x, axis=1)


FUNCTIONS = [pellucid.jit(f) for f in (of_all, of_rows, of_columns, of_values)]


def random(dtype, shape):
    if dtype == "b":
        return RNG.integers(0, 2, shape).astype(bool)
    return RNG.integers(0, 20, shape).astype(dtype)  # with many equal values


def drawn(dtype, shape):
    """Arrays to choose from: equal values, rising, falling and constant ones."""
    yield random(dtype, shape)
    count = int(np.prod(shape))
    if dtype not in ("i1", "u1", "b"):
        yield np.arange(count).reshape(shape).astype(dtype)
        yield np.arange(count)[::-1].reshape(shape).astype(dtype)
    yield np.zeros(shape, dtype)


def agree(function, x):
    expected, found = function.__wrapped__(x), function(x)
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


@pytest.mark.parametrize("function", FUNCTIONS[:3], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "b"])
def test_of_equal_values_the_first(function, dtype):
    for n in LENGTHS:
        for shape in ((3, n), (n, 3)):
            for x in drawn(dtype, shape):
                agree(function, x)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_nan_infinities_and_zeros(function):
    for n in LENGTHS:
        for special in (np.nan, np.inf, -np.inf, -0.0):
            x = random("f8", (2, n))
            agree(function, np.full((2, n), special))
            for at in {0, n // 2, n - 1}:
                y = x.copy()
                y[:, at] = special
                agree(function, y)
                y[1, -1] = special
                agree(function, y)


def of_numbers(x):
    return np.nanargmax(x), np.nanargmin(x, axis=1), np.nanmax(x), np.nanmin(x, axis=1), np.nanmax(x, axis=0)


def where_positive(x):
    return np.argmax(np.where(x > 0, x, -np.inf), axis=1), np.argmin(np.where(x > 0, np.inf, x))


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("function", [of_numbers, where_positive], ids=lambda f: f.__name__)
def test_what_is_in_place_of_nan(function, dtype):
    compiled = pellucid.jit(function)
    for n in LENGTHS[1:]:
        x = random(dtype, (3, n))
        agree(compiled, x)
        for special in (np.inf, -np.inf, -0.0):
            x[:2] = np.nan
            x[0, n // 2] = x[1, -1] = special
            agree(compiled, x)


@pytest.mark.parametrize("n", [0, 5, 100, 1000])
def test_loops_of_users(n):
    @pellucid.jit
    def least(x, most):
        best = most
        place = -1
        twice = 0
        for i in range(len(x)):
            e = x[i]
            if e < best:
                best = e
                place = i
                twice = 2 * i
        return best, place, twice

    x = RNG.integers(0, 50, n)
    for most in (np.int64(1000), np.int64(10), np.int64(-1)):
        assert least(x, most) == least.__wrapped__(x, most)


@pytest.mark.parametrize("n", [5, 100, 1000])
def test_how_often_the_best_is_beaten(n):
    @pellucid.jit
    def beaten(x):
        best = np.int64(-1)
        place = -1
        times = 0
        for i in range(len(x)):
            e = x[i]
            if e > best:
                best = e
                place = i
                times = times + 1
        return place, times

    x = RNG.integers(0, 1000, n)
    assert beaten(x) == beaten.__wrapped__(x)


def test_a_value_that_is_read_after_the_loop():
    @pellucid.jit
    def last(x):
        best = np.int64(-1)
        place = -1
        e = np.int64(0)
        for i in range(len(x)):
            e = x[i]
            if e > best:
                best = e
                place = i
        return place, e

    x = RNG.integers(0, 1000, 700)
    assert last(x) == last.__wrapped__(x)
