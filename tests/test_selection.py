"""Medians, quantiles and partitions of vectors by selection: one pass, whatever the order and the values are."""

import numpy as np
import pytest

from pellucid import compile, grad, jvp, vmap

MAKERS = {
    "drawn": lambda r, n: r.normal(size=n),
    "rising": lambda r, n: np.sort(r.normal(size=n)),
    "falling": lambda r, n: -np.arange(n) * 1.0,
    "equal": lambda r, n: np.ones(n),
    "few": lambda r, n: r.integers(0, 5, n) * 1.0,
    "ints": lambda r, n: r.integers(-9, 9, n),
    "singles": lambda r, n: r.normal(size=n).astype(np.float32),
    "nan": lambda r, n: np.where(r.random(n) < 0.01, np.nan, r.normal(size=n)),
    "inf": lambda r, n: np.where(r.random(n) < 0.4, np.inf, r.normal(size=n)),
    "periodic": lambda r, n: np.sin(np.arange(n) * 0.1),
}


@compile
def chosen(x, q, k):
    half = np.median(x), np.median(x, keepdims=True)
    between = (
        np.quantile(x, q),
        np.quantile(x, q, method="hazen"),
        np.quantile(x, q, method="averaged_inverted_cdf"),
        np.percentile(x, 100 * q, method="midpoint"),
    )
    return (
        *half,
        *between,
        np.quantile(x, q, method="lower"),
        np.quantile(x, q, method="higher"),
        np.quantile(x, q, method="closest_observation"),
        np.partition(x, k),
    )


@pytest.mark.parametrize("n", [1, 2, 7, 2001, 20011])
@pytest.mark.parametrize("maker", MAKERS)
def test_values_and_dtypes(maker, n):
    x = MAKERS[maker](np.random.default_rng(n), n)
    for q in (0.0, 0.003, 0.5, 0.77, 1.0):
        k = int(q * (n - 1))
        with np.errstate(invalid="ignore"):
            *found, parts = chosen(x, q, k)
            *wanted, _ = chosen.__wrapped__(x, q, k)
        for got, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)
            assert np.asarray(got).dtype == np.asarray(want).dtype
        parts, ordered = np.asarray(parts), np.sort(x)
        np.testing.assert_array_equal(parts[k], ordered[k])
        np.testing.assert_array_equal(np.sort(parts[:k]), ordered[:k])
        np.testing.assert_array_equal(np.sort(parts), ordered)


def test_slopes():
    x = np.random.default_rng(0).normal(size=2501)
    slope = grad(lambda x: np.median(x) ** 2)(x)
    place = np.argsort(x)[1250]
    assert slope[place] == 2.0 * x[place] and np.count_nonzero(slope) == 1
    assert jvp(lambda x: np.median(x), (x,), (3.0 * x,))[1] == 3.0 * np.median(x)
    rows = x[:24].reshape(2, 12)
    shares = np.asarray(vmap(grad(lambda x: np.quantile(x, 0.3)))(rows))
    for row, share in zip(rows, shares, strict=True):
        order = np.argsort(row)
        assert np.allclose(share[order[3:5]], [0.7, 0.3]) and np.count_nonzero(share) == 2


def test_slopes_of_parts():
    x = np.random.default_rng(1).normal(size=11)

    def weighed(x):
        return (np.partition(x, 4) * np.arange(11.0)).sum()

    f = compile(weighed)
    wanted = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(11)]
    np.testing.assert_allclose(grad(weighed)(x), wanted, atol=1e-7)
