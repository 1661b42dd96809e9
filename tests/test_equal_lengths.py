"""Tests of lengths that always hold are not made; those that may fail are, and raise what NumPy raises."""

import numpy as np
import pytest

import pellucid

X = np.arange(7.0)


def rolled(x, shift):
    return np.roll(x, shift)


def rolled_both_ways(x):
    return np.roll(x, 1) + np.roll(x, -1) - 2.0 * x


def autocorrelation(x):
    n = x.shape[0]
    found = np.zeros(n)
    for lag in range(n):
        found[lag] = np.sum(x[lag:] * x[: n - lag])
    return found


def shifted(x, k):
    y = np.zeros_like(x)
    if 0 <= k <= x.shape[0]:
        y[k:] = x[: x.shape[0] - k]
    return y


def triangular(x):
    total = np.zeros_like(x)
    for i in range(x.shape[0]):
        total[i:] += x[: x.shape[0] - i] * x[i:]
    return total


def cut_at_the_greater(x, k, m):
    at = max(k, m, 0)
    y = np.ones_like(x)
    if at <= x.shape[0]:
        y[:at] = x[x.shape[0] - at :]
    return y


SURE = {
    rolled: [(X, 3), (X, -2), (X[:0], 1), (X[:1], 1), (X, 0)],
    rolled_both_ways: [(X,), (X[:1],), (X[:0],)],
    autocorrelation: [(X,), (X[:0],)],
    shifted: [(X, 2), (X, 7), (X, 9), (X, -1)],
    triangular: [(X,)],
    cut_at_the_greater: [(X, 2, 3), (X, -2, -5), (X, 1, 9)],
}


@pytest.mark.parametrize("function", SURE, ids=lambda f: f.__name__)
def test_no_test_is_made_of_what_always_holds(function):
    compiled = pellucid.compile(function)
    for arguments in SURE[function]:
        np.testing.assert_allclose(compiled(*arguments), function(*arguments), strict=True)
        assert "broadcast" not in compiled.source("loops", *arguments)


def off_by_one(x, k):
    y = np.zeros_like(x)
    if 1 <= k <= x.shape[0]:
        y[k - 1 :] = x[: x.shape[0] - k]
    return y


def of_any_sign(x, k):
    return x[k:] * x[: x.shape[0] - k]


def of_another_array(x, k):
    y = np.ones(5)
    y[k:] = x[k:]
    return y


MAY_FAIL = {
    off_by_one: [(X, 3), (X, 7), (X, 0)],
    of_any_sign: [(X, 2), (X, -2)],
    of_another_array: [(X, 2), (X[:5], 2)],
}


@pytest.mark.parametrize("function", MAY_FAIL, ids=lambda f: f.__name__)
def test_what_may_fail_is_tested(function):
    compiled = pellucid.compile(function)
    for arguments in MAY_FAIL[function]:
        try:
            expected = function(*arguments)
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                compiled(*arguments)
        else:
            np.testing.assert_allclose(compiled(*arguments), expected, strict=True)
    assert "broadcast" in compiled.source("loops", *MAY_FAIL[function][0])
