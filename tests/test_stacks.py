"""Stacks of matrices: under `vmap`, at second order, and the columns that a matrix does not reach."""

import numpy as np
import pytest

import pellucid
from pellucid import grad, jvp, vmap

pytestmark = pytest.mark.drawn(3)

T = np.random.default_rng(0).normal(size=(3, 3, 3))
R = np.random.default_rng(1).normal(size=(2, 4, 3))


def of_solutions(a):
    return np.sum(np.linalg.solve(a, a[0]) ** 2)


def of_determinants(a):
    return np.sum(np.cos(np.linalg.det(a)))


def of_full_factors(a):
    """One column of `u` follows from the others, up to its sign."""
    u, s, vt = np.linalg.svd(a)
    return np.sum(u**4) + np.sum(vt**4) + np.sum(s**2)


def of_complete_factors(a):
    q, r = np.linalg.qr(a, mode="complete")
    return np.sum(q**3) + np.sum(np.cos(r))


CASES = [(of_solutions, T), (of_determinants, T), (of_full_factors, R), (of_complete_factors, R)]


@pytest.mark.parametrize(("function", "a"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_of_examples_are_those_of_each(function, a):
    examples = np.stack([a, 1.1 * a[::-1] + 0.1])
    found = vmap(grad(function))(examples)
    np.testing.assert_allclose(found, [grad(function)(one) for one in examples], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(vmap(function)(examples), [function(one) for one in examples], rtol=1e-11)


@pytest.mark.parametrize(("function", "a"), [CASES[0], CASES[2], CASES[3]], ids=lambda v: getattr(v, "__name__", ""))
def test_second_derivatives_are_slopes_of_gradients(function, a):
    direction = np.random.default_rng(2).normal(size=a.shape)
    slope = grad(function)
    h = 1e-4
    wanted = (np.asarray(slope(a + h * direction)) - np.asarray(slope(a - h * direction))) / (2.0 * h)
    found = jvp(slope, (a,), (direction,))[1]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())


def test_several_columns_that_are_not_reached_have_no_derivative():
    tall = np.random.default_rng(3).normal(size=(5, 3))

    def of_all(a):
        return np.sum(np.linalg.qr(a, mode="complete")[0] ** 3)

    def of_first(a):
        return np.sum(np.linalg.qr(a, mode="complete")[0][:, :3] ** 3)

    with pytest.raises(NotImplementedError, match="as their span"):
        grad(of_all)(tall)
    assert np.isnan(jvp(of_all, (tall,), (tall**2,))[1])
    np.testing.assert_allclose(grad(of_first)(tall), grad(lambda a: np.sum(np.linalg.qr(a)[0] ** 3))(tall), rtol=1e-12)


def test_a_stack_with_one_singular_matrix_raises():
    stack = T.copy()
    stack[1] = 0.0
    for function in (lambda a: np.linalg.inv(a), lambda a: np.linalg.solve(a, a[0])):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            pellucid.compile(function)(stack)
