"""Rules of tangents that call their own function with tangents: linear in them, and taken backwards by its own body."""

import functools

import numpy as np
import pytest

from pellucid import custom_jvp, grad, hessian, jacfwd, jacrev, jvp, vmap

X = np.linspace(0.3, 1.2, 4)


@functools.partial(custom_jvp, nondiff_argnums=(1,))
def running(x, reverse):
    sums, total = np.zeros_like(x), 0.0
    for i in range(len(x)):
        j = len(x) - 1 - i if reverse else i
        total += x[j]
        sums[j] = total
    return sums


@running.defjvp
def running_jvp(reverse, primals, tangents):
    return running(primals[0], reverse), running(tangents[0], reverse)


@functools.partial(custom_jvp, nondiff_argnums=(1,))
def tables(x, n):
    line, grid = np.zeros(n), np.zeros((n, 2))
    for i in range(n):
        line[i] = x[0] * i
        grid[i, 0] = x[1] * i
    return {"line": line, "grid": grid}


@tables.defjvp
def tables_jvp(n, primals, tangents):
    return tables(primals[0], n), tables(tangents[0], n)


@custom_jvp
def sine(x, order):
    """The derivative of each order is the one of the next: primals alone keep the rule."""
    return np.sin(np.floor(x * 2.0**40) / 2.0**40 + order * np.pi / 2.0)


@sine.defjvp
def sine_jvp(primals, tangents):
    (x, order), (x_dot, _) = primals, tangents
    return sine(x, order), sine(x, order + 1.0) * x_dot


def one_way(x):
    return np.sum(running(x, True) * x**2)


def both_ways(x):
    return np.sum(running(running(x, True) ** 2, False) * x)


def of_one_table(x):
    return np.sum(tables(x, 3)["line"] ** 2)


def of_both_tables(x):
    found = tables(x, 3)
    return np.sum(found["line"] ** 2) + np.sum(found["grid"] ** 3)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total += np.sum(running(x * k, k > 1) ** 2)
    return total


FUNCTIONS = [one_way, both_ways, of_one_table, of_both_tables, in_a_loop]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_agree_with_differences(function):
    step = 1e-6
    want = [(function(X + e) - function(X - e)) / (2.0 * step) for e in step * np.eye(4)]
    for slope in (grad(function), jacfwd(function), lambda x: vmap(grad(function))(np.stack((x, 2.0 * x)))[0]):
        np.testing.assert_allclose(slope(X), want, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(jvp(function, (X,), (X,))[1], X @ want, rtol=1e-7)


@pytest.mark.parametrize("function", FUNCTIONS[:2], ids=lambda f: f.__name__)
def test_second_derivatives_agree(function):
    want = jacfwd(jacfwd(function))(X)
    np.testing.assert_allclose(hessian(function)(X), want, rtol=1e-12)
    np.testing.assert_allclose(jacrev(jacrev(function))(X), want, rtol=1e-12)


def test_a_call_with_primals_keeps_the_rule():
    third = grad(grad(grad(lambda x: sine(x, 0.0))))
    np.testing.assert_allclose(third(0.7), -np.cos(0.7), rtol=1e-9)


@custom_jvp
def doubled(x):
    return x + x


@doubled.defjvp
def doubled_jvp(primals, tangents):
    return doubled(primals[0]), doubled(tangents[0])


@custom_jvp
def doubled_body(x):
    """Has the name that the body of `doubled` would have."""
    return x * 5.0


@doubled_body.defjvp
def doubled_body_jvp(primals, tangents):
    return doubled_body(primals[0]), doubled_body(tangents[0])


def test_a_function_of_the_name_that_a_body_would_have():
    slope = grad(lambda x: np.sum(doubled(x) * doubled_body(x)))(X)
    np.testing.assert_allclose(slope, 20.0 * X, rtol=1e-12)


@custom_jvp
def with_doubled(x):
    """Linear by what is linear."""
    return doubled(x) + doubled_body(x[::-1])


@with_doubled.defjvp
def with_doubled_jvp(primals, tangents):
    return with_doubled(primals[0]), with_doubled(tangents[0])


def test_bodies_call_bodies():
    matrix = 2.0 * np.eye(4) + 5.0 * np.eye(4)[::-1]
    slope = grad(lambda x: np.sum(with_doubled(x**2) * x))(X)
    np.testing.assert_allclose(slope, matrix @ X**2 + 2.0 * X * (matrix.T @ X), rtol=1e-12)
    curved = hessian(lambda x: np.sum(with_doubled(x) ** 2))(X)
    np.testing.assert_allclose(curved, 2.0 * matrix.T @ matrix, rtol=1e-12)
