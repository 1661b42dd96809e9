"""Derivatives through lists that a branch or a loop chooses, and through lists of arrays in loops and recursion."""

import itertools

import numpy as np
import pytest

from pellucid import grad, jacfwd, jacrev

pytestmark = pytest.mark.drawn(5)

PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


@program
def accumulated(x):
    return np.sum(np.array(list(itertools.accumulate(x, lambda a, b: a * b + 0.2))))


@program
def made_in_one_branch(x):
    out = []
    if x[0] > 0.2:
        out.append(x[0] * x[1])
        if x[1] > 9.0:
            out.append(x[2])
    return sum(v * x[1] for v in out)


@program
def made_in_each_turn(x):
    s = 0.0
    for i in range(len(x)):
        out = []
        if i % 2:
            out.append(x[i] ** 2)
        else:
            out.append(x[i] ** 3)
            out.append(x[0] * x[i])
        for k in range(i):
            out.append(out[-1] * x[k])
        s += out[-1] * out[0]
    return s


@program
def level_by_level(x):
    level = [v for v in x]
    while len(level) > 1:
        above = []
        for i in range(0, len(level) - 1, 2):
            above.append(level[i] * level[i + 1] + 0.3)
        if len(level) % 2:
            above.append(level[-1])
        level = above
    return level[0]


@program
def best_of_lists(x):
    best = [x[0]]
    for i in range(1, len(x)):
        longer = best + [x[i] * best[-1]]
        if sum(longer) > 0.1:
            best = longer
    return sum(best) ** 2


@program
def two_names(x):
    xs = [v * v for v in x]
    ys = xs
    ys.append(xs[0] * x[1])
    return xs[-1] * ys[1]


@program
def rows_that_shrink(x):
    s = 0.0
    for i in range(len(x)):
        rows = [x, x[i:]]
        for j in range(i):
            rows.append(rows[-1][1:] * x[j])
        rows[0] = rows[1] * x[0]
        s += np.sum(rows[0]) * np.sum(rows[-1] ** 2) + np.sum(rows[1])
    return s


@program
def matrices_in_other_orders(x):
    m = np.outer(x, x) + 1.0
    s = 0.0
    for i in range(len(x)):
        rows = [m.T, m[:, i:]]
        for j in range(i):
            rows.append(rows[-1][1:, :] * x[j])
        rows[0] = rows[-1].T * m[0, 0]
        s += np.sum(rows[0]) * np.sum(rows[-1] ** 2)
    return s


@program
def lists_in_recursion(x):
    return _folded(np.concatenate((x, x)), x, 2)


def _folded(v, x, k):
    xs = [v, v * x[k]]
    for _ in range(k):
        xs.append(xs[-1][:-1] * xs[-2][0])
    if k == 0:
        return np.sum(xs[0] * xs[1])
    return _folded(xs[-1], x, k - 1) * np.sum(xs[1]) + np.sum(xs[0])


X = np.array([0.3, 0.4, 0.5])


def differences(function):
    """The derivative of a function by differences of the fourth order."""
    steps = 1e-3 * np.eye(len(X))
    return np.array([(8.0 * (function(X + h) - function(X - h)) - function(X + 2.0 * h) + function(X - 2.0 * h)) / 12e-3
                     for h in steps])  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(function):
    np.testing.assert_allclose(grad(function)(X), differences(function), rtol=1e-8)


def last_of_shrinking(x):
    s = 0.0
    for i in range(len(x)):
        rows = [x, x[i:]]
        for j in range(i):
            rows.append(rows[-1][1:] * x[j])
        s += np.sum(rows[-1] ** 2)
    return s


def test_items_of_second_derivatives_have_lengths_of_their_own():
    found, wanted = jacrev(jacfwd(last_of_shrinking))(X), differences(grad(last_of_shrinking))
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)
