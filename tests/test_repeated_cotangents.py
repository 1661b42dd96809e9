"""Gradients of products whose cotangent is one number, row or column everywhere, and of stores into all of an array."""

import numpy as np
import pytest

import pellucid

from .harness.corpus import finite_difference_gradient
from .harness.stages import Stages, in_python

pytestmark = pytest.mark.drawn(5)

STAGES = ("core", "typed", "loops", "llvm")
RNG = np.random.default_rng(8)
A, B, C = RNG.random((5, 4)), RNG.random((4, 3)), RNG.random((3, 6))
STACK, ROW, COLUMN = RNG.random((2, 5, 4)), RNG.random(3), RNG.random((5, 1))


def of_one_number(a, b):
    return np.mean(a @ b)


def of_a_chain(a, b, c):
    return np.sum(1.5 * (a @ b) @ c)


def of_a_row(a, b, row):
    return np.dot(np.sum(a @ b, axis=0), row)


def of_a_column(a, b, column):
    return np.sum(np.sum(a @ b, axis=1, keepdims=True) * column)


def of_a_stack(stack, b):
    return np.sum(2.0 * (stack @ b))


def of_rows_of_a_stack(stack, b, row):
    return np.dot(np.sum(stack @ b, axis=(0, 1)), row)


def of_all_its_own(a, b):
    return np.sum((a @ b) ** 2)


def of_two_uses(a, b):
    product = a @ b
    return np.sum(product) + np.sum(product * product)


def stored_into_all(a, b):
    c = np.ones((a.shape[0], b.shape[1]))
    c *= 1.2
    c += a @ b
    before = c.copy()
    c[:] = 2.0
    c[0] = before[0]
    c[:] = c * before
    return np.sum(c)


def stored_where_others_see_it(a):
    c = a * 2.0
    row = c[0]
    c[:] = c + 1.0
    d = c
    d[:] = d * row
    c[1:] = 0.5
    return np.sum(c * d)


def stored_in_a_branch(a, flag):
    c = a * 2.0
    if flag:
        c[:] = c * c
        c[0] = 1.0
    else:
        c[0] *= a[1]
    c *= 3.0
    return np.sum(c * a)


def stored_in_turns(a, steps):
    c = a * 2.0
    total = 0.0
    for k in range(steps):
        d = c * a
        d[:] = d + k
        c[:] = np.sin(d)
        total += np.sum(d)
    return total + np.sum(c)


PRODUCTS = {
    of_one_number: (A, B),
    of_a_chain: (A, B, C),
    of_a_row: (A, B, ROW),
    of_a_column: (A, B, COLUMN),
    of_a_stack: (STACK, B),
    of_rows_of_a_stack: (STACK, B, ROW),
}
OTHERS = {of_all_its_own: (A, B), of_two_uses: (A, B)}
STORES = {
    stored_into_all: (A, B),
    stored_where_others_see_it: (A,),
    stored_in_a_branch: (A, True),
    stored_in_turns: (A, 3),
}
ALL = {**PRODUCTS, **OTHERS, **STORES}


def gradient(function, args):
    places = tuple(k for k, one in enumerate(args) if isinstance(one, np.ndarray))
    return pellucid.grad(function, argnums=places), places


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_gradients_are_the_differences(function):
    args = ALL[function]
    taken, places = gradient(function, args)

    def of_arrays(*arrays):
        given = list(args)
        for place, array in zip(places, arrays):
            given[place] = array
        return function(*given)

    want = finite_difference_gradient(of_arrays, [args[k] for k in places], 1e-6)
    weight = float(np.random.default_rng(0).standard_normal(()))  # the oracle weighs the result
    for one, other in zip(taken(*args), want, strict=True):
        np.testing.assert_allclose(one, other / weight, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("function", STORES, ids=lambda f: f.__name__)
def test_stores_mean_at_every_stage_what_they_mean_in_python(function):
    args, runner = STORES[function], Stages(function)
    flags = [args] if function is not stored_in_a_branch else [args, (A, False)]
    for given in flags:
        want = in_python(function, *given)
        for stage in STAGES:
            got = runner.run(stage, *given)
            assert got.error is None, f"{stage} raised {got.error!r}"
            np.testing.assert_allclose(got.value, want.value, rtol=1e-13)


@pytest.mark.parametrize("function", PRODUCTS, ids=lambda f: f.__name__)
def test_no_product_of_two_matrices_is_left(function):
    args = PRODUCTS[function]
    taken, _ = gradient(function, args)
    left = 0 if function in (of_one_number, of_a_stack) else 1  # the product itself, which another factor multiplies
    assert taken.source("loops", *args).count("gemm(") == left


@pytest.mark.parametrize("shapes", [((0, 4), (4, 3)), ((5, 0), (0, 3)), ((5, 4), (4, 0)), ((1, 1), (1, 1))])
def test_empty_and_short_shapes(shapes):
    a, b = (np.ones(shape) for shape in shapes)
    a_bar, b_bar = pellucid.grad(lambda a, b: np.sum(a @ b), argnums=(0, 1))(a, b)
    np.testing.assert_array_equal(a_bar, np.ones((a.shape[0], b.shape[1])) @ b.T)
    np.testing.assert_array_equal(b_bar, a.T @ np.ones((a.shape[0], b.shape[1])))


def test_what_is_stored_into_all_of_an_array_is_explained_and_may_be_kept():
    def scaled(a):
        c = a.copy()
        c *= 1.2
        return np.sum(c)

    assert "all of `c` is stored at line" in pellucid.compile(scaled).explain(A)
    kept = pellucid.compile(scaled, rewrite=False)
    assert "is stored at line" not in kept.explain(A)
    assert "c[:] =" in kept.source("typed", A)
    assert kept(A) == pellucid.compile(scaled)(A)
