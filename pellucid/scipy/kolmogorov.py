"""Kolmogorov's and Smirnov's tests of `scipy.stats`: how far distribution functions are apart.

    ks_1samp(x, norm.cdf)    the greatest distance of the steps of sorted x from the function, and its p-value
    ks_2samp(x, y)           the same of two samples; p by the share of orders of their elements that are as far apart

Sources: G. Marsaglia, W. Tsang and J. Wang, Evaluating Kolmogorov's distribution (2003); N. Smirnov (1944); W. Pelz and
I. Good, Approximating the lower tail-areas of the Kolmogorov-Smirnov one-sample statistic (1976); T. Viehmann,
Numerically more stable computation of the p-values for the two-sample Kolmogorov-Smirnov test (2021).
"""

from math import gcd, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.interpolation import searchsorted
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array
from ..numpy.sorting import sort
from . import families
from .hypotheses import require_known
from .hypotheses_of_ranks import require_method
from .special import of_floats
from .statistics import require_propagate

MATRICES_UP_TO = 20000  # elements: beyond, a series in 1 / sqrt(n) is as near


class KstestResult(NamedTuple):
    statistic: Any
    pvalue: Any


# --- distributions ---------------------------------------------------------------------------------------------------


def share_beyond(n, d):
    """The p-value of the two-sided distance d of n elements."""
    w = n * d * d
    if d <= 0.5 / n:
        return 1.0 + 0.0 * d
    if d >= 1.0:
        return 0.0 * d
    if w >= 4.0:  # the other term is less by the factor exp(-6 w)
        return 2.0 * one_sided(n, d)
    if n <= MATRICES_UP_TO:
        return op.minimum(op.maximum(1.0 - by_powers(n, d), 0.0), 1.0)
    return op.minimum(op.maximum(1.0 - by_series(n, sqrt(n) * d), 0.0), 1.0)


def one_sided(n, d):
    """Smirnov's sum: d C(n, j) (d + j / n)^(j - 1) (1 - d - j / n)^(n - j) over j up to n (1 - d)."""
    count = int(op.floor(n * (1.0 - d)))
    found = 0.0 * d
    for j in range(count + 1):
        rest = 1.0 - d - j / n
        if rest > 0.0:
            front = op.gammaln(n + 1.0) - op.gammaln(j + 1.0) - op.gammaln(n - j + 1.0)
            found += d * op.exp(front + (j - 1.0) * op.log(d + j / n) + (n - j) * op.log(rest))
        elif j == n:
            found += d * (d + j / n) ** (j - 1.0)
    return found


def by_powers(n, d):
    """The share within, by the n-th power of a matrix of 2 k - 1 rows, where k - h = n d."""
    k = int(op.floor(n * d)) + 1
    h = k - n * d
    m = 2 * k - 1
    matrix = op.zeros(shape=(m, m), dtype="f64")
    inverses = op.ones(shape=(m + 1,), dtype="f64")
    for i in range(1, m + 1):
        inverses[i] = inverses[i - 1] / i
    for i in range(m):
        for j in range(min(i + 2, m)):
            matrix[i, j] = inverses[i - j + 1]
    power = h
    for i in range(m):
        matrix[i, 0] -= power * inverses[i + 1]
        matrix[m - 1, m - 1 - i] -= power * inverses[i + 1]
        power = power * h
    corner = 2.0 * h - 1.0
    if corner > 0.0:
        matrix[m - 1, 0] += corner**m * inverses[m]
    found, square, log_found, log_square, left = np.eye(m), matrix, 0.0, 0.0, n
    while left > 0:
        if left % 2 == 1:
            found = op.matmul(found, square)
            log_found += log_square
            top = op.stop_gradient(op.max(op.absolute(found)))
            found = found / top
            log_found += op.log(top)
        square = op.matmul(square, square)
        top = op.stop_gradient(op.max(op.absolute(square)))
        square = square / top
        log_square = 2.0 * log_square + op.log(top)
        left = left // 2
    return found[k - 1, k - 1] * op.exp(log_found + op.gammaln(n + 1.0) - n * op.log(1.0 * n))


def by_series(n, z):
    """The share within, by Pelz and Good's series up to 1 / n."""
    if z < 0.15:
        return 0.0 * z
    limit, root, whole = 0.0 * z, 0.0 * z, 0.0 * z
    square = z * z
    for k in range(10):
        a = (pi * (k + 0.5)) ** 2
        size = op.exp(-0.5 * a / square)
        limit += size
        root += (a - square) * size
        cubes = 6.0 * square**3 + 2.0 * square**2
        whole += (cubes + a * (2.0 * square**2 - 5.0 * square) + a * a * (1.0 - 2.0 * square)) * size
        b = (pi * (k + 1.0)) ** 2
        whole -= 2.0 * square**2 * b * op.exp(-0.5 * b / square)
    front = sqrt(2.0 * pi) / z
    return front * (limit + root / (6.0 * z**3 * sqrt(n)) + whole / (72.0 * z**6 * n))


def limit_beyond(z):
    """Kolmogorov's function, that of many elements: 2 sum of (-1)^(k - 1) exp(-2 k^2 z^2), or Jacobi's other series."""
    found = 0.0 * z
    if z < 0.8:
        small = op.where(z > 0.02, z, 1.0)
        for k in range(1, 8):
            found += op.exp(-((2 * k - 1) ** 2) * pi * pi / (8.0 * small * small))
        return op.where(z > 0.02, 1.0 - sqrt(2.0 * pi) / small * found, 1.0)
    for k in range(1, 8):
        found += (2.0 if k % 2 == 1 else -2.0) * op.exp(-2.0 * k * k * z * z)
    return found


# --- one sample ------------------------------------------------------------------------------------------------------


def ks_1samp(
    x, cdf, args=(), alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate", keepdims=False,
):  # fmt: skip
    """`cdf`: a function of points, with `args` after them."""
    require_known(alternative)
    require_propagate(nan_policy)
    require_method(method, ("auto", "exact", "approx", "asymp"))
    if static.rank(as_array(x)) != 1 or axis != 0 or keepdims:
        static.refuse("S002", "scipy.stats.ks_1samp takes a vector here: take the rows of a matrix in a loop")
    y = sort(of_floats(as_array(x)))
    n = y.shape[0]
    if n == 0:
        raise ValueError("the sample has no elements")
    below = cdf(y, *args)
    steps = op.arange(0, n, 1, shape=(n,), dtype="f64")
    up, down = op.max((steps + 1.0) / n - below), op.max(below - steps / n)
    d = up if alternative == "greater" else down if alternative == "less" else op.maximum(up, down)
    if d != d:
        return KstestResult(d, d)
    if alternative != "two-sided":
        share = one_sided(n, d)
    elif method == "asymp":
        share = limit_beyond(d * sqrt(n))
    elif method == "approx":
        share = 2.0 * one_sided(n, d)
    else:
        share = share_beyond(n, d)
    return KstestResult(d, op.minimum(op.maximum(share, 0.0), 1.0))


# --- two samples -----------------------------------------------------------------------------------------------------


def ks_2samp(
    data1, data2, alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate", keepdims=False,
):  # fmt: skip
    """Exact where no sample has more than 10 000 elements.  A distance is a step: its derivative is 0."""
    require_known(alternative)
    require_propagate(nan_policy)
    require_method(method, ("auto", "exact", "asymp"))
    x, y = of_floats(as_array(data1)), of_floats(as_array(data2))
    if static.rank(x) != 1 or static.rank(y) != 1 or axis != 0 or keepdims:
        static.refuse("S002", "scipy.stats.ks_2samp takes two vectors here: take the rows of matrices in a loop")
    m, n = x.shape[0], y.shape[0]
    if min(m, n) == 0:
        raise ValueError("Data passed to ks_2samp must not be empty")
    x, y = sort(x), sort(y)
    both = concatenate((x, y))
    if op.any(both != both):
        return KstestResult(float("nan"), float("nan"))
    apart = searchsorted(x, both, "right") / m - searchsorted(y, both, "right") / n
    up, down = op.max(apart), op.minimum(op.maximum(-op.min(apart), 0.0), 1.0)
    d = up if alternative == "greater" else down if alternative == "less" else op.maximum(up, down)
    if method == "exact" or (method == "auto" and max(m, n) <= 10000):
        common = m // gcd(m, n) * n
        height = int(op.floor(d * common + 0.5))
        return KstestResult(height / common, share_of_paths(m, n, height, alternative == "two-sided"))
    size = m * n / (m + n)
    if alternative == "two-sided":
        return KstestResult(d, share_beyond(int(np.round(size)), d))
    z, many, few = sqrt(size) * d, 1.0 * max(m, n), 1.0 * min(m, n)
    ends = 2.0 * z * (many + 2.0 * few) / sqrt(many * few * (many + few)) / 3.0
    return KstestResult(d, op.minimum(op.exp(-2.0 * z * z - ends), 1.0))


def share_of_paths(m, n, height, is_two_sided):
    """How many of the orders of m and n elements take their functions so far apart somewhere, in steps of 1 / lcm."""
    step = gcd(m, n)
    right, up = n // step, m // step
    shares = op.zeros(shape=(n + 1,), dtype="f64")
    for i in range(m + 1):
        for j in range(n + 1):
            apart = i * right - j * up
            if apart >= height or (is_two_sided and -apart >= height):
                shares[j] = 1.0
            elif i == 0:
                shares[j] = shares[j - 1] if j > 0 else 0.0
            elif j > 0:
                shares[j] = (i * shares[j] + j * shares[j - 1]) / (i + j)
    return shares[n]


def kstest(rvs, cdf, args=(), N=20, alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate"):
    """`cdf`: a function, the name of a distribution, or another sample."""
    if static.is_text(rvs):
        static.refuse("U012", "scipy.stats.kstest takes a sample: drawing one from a distribution is not supported")
    if static.is_text(cdf):
        if cdf not in families.NAMED:
            static.refuse("U012", f"the distribution {cdf!r} is not supported here: {', '.join(families.NAMED)} are")
        return ks_1samp(rvs, families.NAMED[cdf].cdf, args, alternative, method, axis=axis, nan_policy=nan_policy)
    if static.is_array(cdf) or static.is_list(cdf) or static.is_sequence(cdf):
        return ks_2samp(rvs, cdf, alternative, method, axis=axis, nan_policy=nan_policy)
    return ks_1samp(rvs, cdf, args, alternative, method, axis=axis, nan_policy=nan_policy)
