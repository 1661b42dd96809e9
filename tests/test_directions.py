"""Jacobians by blocks of directions: more than one block, results of several axes, loops and products."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import grad, hessian, jacfwd, jacrev


def filtered(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + np.sin(x[i])
    return y


def layers(x):
    w = np.linspace(-1.0, 1.0, 12 * len(x)).reshape(12, len(x))
    h = np.tanh(w @ x)
    return np.outer(h, h[:3])


def newton(x):
    """Each number its own iterations, which no direction changes."""
    y = np.empty_like(x)
    for i in range(len(x)):
        z = 1.0 + x[i] ** 2
        while abs(z * z * z - x[i] ** 2 - 1.0) > 1e-13:
            z = z - (z * z * z - x[i] ** 2 - 1.0) / (3.0 * z * z)
        y[i] = z
    return y


def diffused(x):
    u = x.copy()
    for _ in range(5):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return u


def scaled(x):
    """No loop and no product."""
    return np.sin(x) * np.sum(x**2)


def by_rows(x):
    table = x.reshape(-1, 5)
    total = np.zeros(5)
    for row in table:
        total = np.tanh(total + row) + 0.1 * total
    return table @ total, total


PROGRAMS = [filtered, layers, newton, diffused, scaled, by_rows]


def differences(f, x):
    """The Jacobian of the parts of f(x), by central differences."""
    h, columns = 1e-6, []
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = h
        ahead, behind = f(x + step), f(x - step)
        pairs = zip(ahead, behind, strict=True) if isinstance(ahead, tuple) else [(ahead, behind)]
        columns.append([(np.asarray(a) - np.asarray(b)) / (2.0 * h) for a, b in pairs])
    return [np.stack(parts, axis=-1) for parts in zip(*columns, strict=True)]


def parts_of(found):
    return list(map(np.asarray, found)) if isinstance(found, tuple) else [np.asarray(found)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("derivative", [jacfwd, jacrev], ids=lambda d: d.__name__)
@pytest.mark.parametrize("length", [5, 70])
def test_a_jacobian_is_that_of_differences(f, derivative, length):
    x = np.random.default_rng(length).uniform(-1.0, 1.0, length)
    found, expected = parts_of(derivative(f)(x)), differences(f, x)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", PROGRAMS[:4], ids=lambda f: f.__name__)
def test_a_hessian_is_the_difference_of_gradients(f):
    def loss(x):
        return np.sum(f(x) ** 2)

    x = np.random.default_rng(3).uniform(-1.0, 1.0, 40)
    (expected,) = differences(lambda x: np.asarray(grad(loss)(x)), x)
    np.testing.assert_allclose(hessian(loss)(x), expected, rtol=1e-5, atol=1e-6)


def test_directions_of_matrices_and_of_narrow_floats():
    def f(w, x):
        for _ in range(3):
            x = np.tanh(w @ x)
        return x

    rng = np.random.default_rng(1)
    w, x = rng.uniform(-1.0, 1.0, (7, 7)), rng.uniform(-1.0, 1.0, 7)
    for derivative in (jacfwd, jacrev):
        (by_w,) = differences(lambda flat: f(flat.reshape(7, 7), x), w.ravel())
        np.testing.assert_allclose(derivative(f)(w, x), by_w.reshape(7, 7, 7), rtol=1e-6, atol=1e-9)
        narrow = derivative(f)(w.astype(np.float32), x.astype(np.float32))
        assert np.asarray(narrow).dtype == np.float32
        np.testing.assert_allclose(narrow, by_w.reshape(7, 7, 7), rtol=1e-4, atol=1e-5)


def test_no_directions():
    for derivative in (jacfwd, jacrev):
        assert np.asarray(derivative(lambda x: x @ np.zeros((0, 3)))(np.zeros(0))).shape == (3, 0)


@pytest.mark.parametrize("derivative", [jacfwd, jacrev], ids=lambda d: d.__name__)
def test_loops_and_products_go_by_blocks_and_the_rest_one_by_one(derivative):
    x = np.zeros(5)
    for f in (filtered, diffused, layers, newton):
        assert ", 32):" in derivative(f).source("transformed", x), f.__name__
    assert ", 32):" not in derivative(scaled).source("transformed", x)
