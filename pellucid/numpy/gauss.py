"""Nodes and weights of Gauss's quadratures: `scipy.special.roots_legendre` and its relatives, `hermgauss`, `laggauss`.

    x, w = scipy.special.roots_legendre(5)     ->     eigenvalues of Jacobi's matrix, one step of Newton's, weights

Source: G. Golub and J. Welsch, Calculation of Gauss quadrature rules, Mathematics of Computation 23 (1969); the
recurrences of Abramowitz and Stegun 22.7.
"""

from math import pi, sqrt

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static


def places(n, mu):
    if mu:
        static.refuse("U012", "`mu=True` is not supported: the sum of the weights is that of the weight function")
    if n < 1:
        raise ValueError("n must be a positive integer.")
    return np.arange(n) * 1.0


def eigenvalues(diagonal, beside):
    """Those of the symmetric matrix with this diagonal and these numbers beside it, of which the first is not used."""
    n = len(diagonal)
    matrix = np.zeros((n, n))
    for k in range(n):
        matrix[k, k] = diagonal[k]
        if k > 0:
            matrix[k, k - 1] = beside[k]
            matrix[k - 1, k] = beside[k]
    return op.eigvalsh(matrix)


def mirrored(x, w):
    """Exactly symmetric."""
    return 0.5 * (x - x[::-1]), 0.5 * (w + w[::-1])


def scaled(w, total):
    return w * (total / np.sum(w))


def roots_legendre(n, mu=False):
    k = places(n, mu)
    x = eigenvalues(0.0 * k, k / np.sqrt(np.abs(4.0 * k * k - 1.0)))
    slope = n * (op.eval_legendre(n - 1, x) - x * op.eval_legendre(n, x)) / (1.0 - x * x)
    x = x - op.eval_legendre(n, x) / slope
    slope = n * (op.eval_legendre(n - 1, x) - x * op.eval_legendre(n, x)) / (1.0 - x * x)
    x, w = mirrored(x, 1.0 / ((1.0 - x * x) * slope * slope))
    return x, scaled(w, 2.0)


def hermite_weights(x, n):
    """By the normalised functions, which no factorial overflows."""
    before, last = 0.0 * x, 0.0 * x + 1.0
    for k in range(1, n):
        before, last = last, (x * last - sqrt(k - 1.0) * before) / sqrt(k * 1.0)
    return 1.0 / (last * last)


def roots_hermitenorm(n, mu=False):
    """For the weight exp(-x^2 / 2)."""
    k = places(n, mu)
    x = eigenvalues(0.0 * k, np.sqrt(k))
    x, w = mirrored(x, hermite_weights(x, n))
    return x, scaled(w, sqrt(2.0 * pi))


def roots_hermite(n, mu=False):
    """For the weight exp(-x^2)."""
    x, w = roots_hermitenorm(n, mu)
    return x / sqrt(2.0), w / sqrt(2.0)


def roots_laguerre(n, mu=False):
    """For the weight exp(-x) on the right of 0."""
    k = places(n, mu)
    x = eigenvalues(2.0 * k + 1.0, k)
    before, last = 0.0 * x, 0.0 * x + 1.0
    for j in range(1, n):
        before, last = last, ((2.0 * j - 1.0 - x) * last - (j - 1.0) * before) / j
    return x, scaled(x / (last * last) / n, 1.0) if n > 1 else scaled(1.0 / (last * last), 1.0)


def roots_chebyt(n, mu=False):
    k = places(n, mu)
    x = -np.cos((2.0 * k + 1.0) * pi / (2.0 * n))
    return 0.5 * (x - x[::-1]), 0.0 * k + pi / n


def roots_chebyu(n, mu=False):
    k = places(n, mu)
    angle = (n - k) * pi / (n + 1.0)
    x, s = np.cos(angle), np.sin(angle)
    return x, pi * s * s / (n + 1.0)


# --- the same under NumPy's names ------------------------------------------------------------------------------------


def require_degree(deg):
    if deg <= 0:
        raise ValueError("deg must be a positive integer")


def hermgauss(deg):
    require_degree(deg)
    return roots_hermite(deg)


def hermegauss(deg):
    require_degree(deg)
    return roots_hermitenorm(deg)


def laggauss(deg):
    require_degree(deg)
    return roots_laguerre(deg)
