"""Rows that are added to: one loop, no buffer, whatever is known of the index; and rows of an index that changes."""

import numpy as np
import pytest

import pellucid


def counted_down(x, y):
    x = x.copy()
    for i in range(x.shape[0] - 1, -1, -1):
        x[i] += y[i] * 2.0
    return x


def triangle(x, y):
    x = x.copy()
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            d = y[i] - y[j]
            x[i] += d * d
            x[j] -= d * d
    return x


def by_table(x, y, table):
    x = x.copy()
    for k in range(table.shape[0]):
        i = table[k, 0]
        j = table[k, 1]
        x[i] += y[j] * 0.5
        x[j] -= y[i] * x[i]
    return x


def index_changes(x, y, table):
    x = x.copy()
    i = 0
    for k in range(table.shape[0]):
        x[i] += y[i]
        i = table[k, 0]
        x[i] += y[i] * 3.0
        if table[k, 1] > 0:
            i = table[k, 1]
            x[i] -= x[i] * y[0]
        x[i] += y[1]
        for m in range(2):
            x[i] += y[m]
            i = m
            x[i] *= 1.5
        x[i] -= 0.25 * y[i]
    return x


def old_row_is_kept(x, y, table):
    x = x.copy()
    for k in range(table.shape[0]):
        i = table[k, 0]
        before = x[i] + 0.0
        x[i] += y[i] * before
        x[i] = before - x[i]
    return x


def energy(x, table):
    total = 0.0
    for k in range(table.shape[0]):
        d = x[table[k, 0]] - x[table[k, 1]]
        total += np.sum(d * d * d)
    return total


def arguments(function):
    random = np.random.default_rng(7)
    x, y = random.uniform(-1.0, 1.0, (4, 3)), random.uniform(-1.0, 1.0, (4, 3))
    table = np.array([[0, 1], [1, 0], [2, 2], [-1, 3], [3, -2], [0, 0]])
    return (x, y, table)[: function.__code__.co_argcount]


PROGRAMS = (counted_down, triangle, by_table, index_changes, old_row_is_kept)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_values(function):
    given = arguments(function)
    np.testing.assert_allclose(pellucid.compile(function)(*given), function(*given), rtol=1e-13)


@pytest.mark.parametrize("function", (by_table, index_changes, old_row_is_kept), ids=lambda f: f.__name__)
def test_errors(function):
    x, y, table = arguments(function)
    table[3, 0] = 4
    with pytest.raises(IndexError):
        function(x, y, table)
    with pytest.raises(IndexError):
        pellucid.compile(function)(x, y, table)


def scattered(x, y, table):
    x = x.copy()
    for k in range(table.shape[0]):
        i = table[k, 0]
        j = table[k, 1]
        x[i] += y[k] * 0.5
        x[j] -= y[k]
    return x


def buffers(function, given):
    return function.source("loops", *given).count("np.empty(")


@pytest.mark.parametrize("function", (counted_down, triangle, scattered), ids=lambda f: f.__name__)
def test_no_row_is_made(function):
    """Besides the copy of the argument."""
    assert buffers(pellucid.compile(function), arguments(function)) == 1


def test_the_gradient_adds_rows_in_one_loop_each():
    x, _, table = arguments(by_table)
    gradient = pellucid.grad(energy)
    assert buffers(gradient, (x, table)) == 1  # the slopes
    slopes = gradient(x, table)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        difference = (energy(x + step, table) - energy(x - step, table)) / 2e-6
        np.testing.assert_allclose(slopes[place], difference, rtol=1e-6, atol=1e-8)
