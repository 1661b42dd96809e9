"""A matrix times its own transpose: half of the tiles are computed, on one thread or several, and all are there."""

import numpy as np
import pytest

import pellucid

DTYPES = (np.float64, np.float32, np.complex128, np.complex64)
SHAPES = ((3, 5), (64, 70), (97, 130), (250, 40), (401, 33))
WAYS = {
    "rows": lambda a: a @ a.T,
    "columns": lambda a: a.T @ a,
    "fewer rows": lambda a: a[: a.shape[0] - 2] @ a.T,
    "fewer columns": lambda a: a @ a[: a.shape[0] - 2].T,
    "a part": lambda a: a[1:, 2:] @ a[1:, 2:].T,
    "shifted": lambda a: a[1:] @ a[: a.shape[0] - 1].T,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("way", WAYS)
def test_it_is_the_product_of_two_matrices(way, dtype):
    compiled = pellucid.compile(WAYS[way])
    random = np.random.default_rng(3)
    for shape in SHAPES:
        a = random.standard_normal(shape).astype(dtype)
        if np.iscomplexobj(a):
            a += (1j * random.standard_normal(shape)).astype(dtype)
        for a in (a, np.asfortranarray(a)):
            exact = WAYS[way](a.astype(np.clongdouble))
            for threads in (1, 3):
                with pellucid.threads(threads):
                    found = np.asarray(compiled(a))
                assert found.dtype == dtype and found.shape == exact.shape
                np.testing.assert_allclose(found, exact, rtol=0, atol=300 * np.finfo(dtype).eps * max(a.shape) ** 0.5)


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_not_finite_stays_in_its_row_and_column(threads):
    a = np.random.default_rng(3).standard_normal((300, 50))
    a[130, 7], a[20, 3] = np.nan, np.inf
    with pellucid.threads(threads):
        np.testing.assert_allclose(pellucid.compile(WAYS["rows"])(a), a @ a.copy().T, atol=1e-12)


def test_both_sides_of_the_diagonal_are_the_same():
    a = np.random.default_rng(3).standard_normal((300, 500))
    for threads in (1, 3):
        with pellucid.threads(threads):
            found = np.asarray(pellucid.compile(WAYS["rows"])(a))
        assert np.array_equal(found, found.T)


def test_its_gradient_is_that_of_a_product():
    a = np.random.default_rng(3).standard_normal((80, 60))
    weights = np.random.default_rng(4).standard_normal((80, 80))
    slope = pellucid.grad(lambda a, weights: np.sum(weights * (a @ a.T)))(a, weights)
    np.testing.assert_allclose(slope, (weights + weights.T) @ a, rtol=1e-12, atol=1e-12)
