"""Tests of `scipy.stats` of the shape of a sample: normality, equal variances.

    skewtest(x)       z of the skewness, by a transformation that makes it normal
    shapiro(x)        W = (sum of a[i] x[i])^2 / sum of (x[i] - mean)^2 of the sorted x

Sources: R. D'Agostino, Transformation to normality of the null distribution of g1 (1970); F. Anscombe and W. Glynn,
Distribution of the kurtosis statistic b2 (1983); P. Royston, Algorithm AS R94 (1995); M. Brown and A. Forsythe (1974).
"""

from math import pi
from typing import Any, NamedTuple

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, expand_dims, ravel
from ..numpy.quantiles import median
from ..numpy.sorting import sort
from ..numpy.statistics import mean, var
from .hypotheses import by_normal
from .statistics import along, kurtosis, length_along, require_propagate, skew, trim_mean


class SkewtestResult(NamedTuple):
    statistic: Any
    pvalue: Any


class KurtosistestResult(NamedTuple):
    statistic: Any
    pvalue: Any


class NormaltestResult(NamedTuple):
    statistic: Any
    pvalue: Any


class ShapiroResult(NamedTuple):
    statistic: Any
    pvalue: Any


class LeveneResult(NamedTuple):
    statistic: Any
    pvalue: Any


class BartlettResult(NamedTuple):
    statistic: Any
    pvalue: Any


# --- skewness and kurtosis -------------------------------------------------------------------------------------------


def skewtest(a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Of 8 elements or more; nan of fewer."""
    a, axis = along(a, axis, nan_policy)
    z = normal_of_skewness(skew(a, axis, keepdims=keepdims), length_along(a, axis))
    return SkewtestResult(z, by_normal(z, alternative))


def normal_of_skewness(b, count):
    n = 1.0 * count if count >= 8 else float("nan")
    y = b * op.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    beta = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    square = op.sqrt(2.0 * (beta - 1.0)) - 1.0
    y = op.where(y == 0.0, 1.0, y) / op.sqrt(2.0 / (square - 1.0))
    return op.arcsinh(y) / op.sqrt(0.5 * op.log(square))


def kurtosistest(a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Of 5 elements or more; nan of fewer."""
    a, axis = along(a, axis, nan_policy)
    z = normal_of_kurtosis(kurtosis(a, axis, False, keepdims=keepdims), length_along(a, axis))
    return KurtosistestResult(z, by_normal(z, alternative))


def normal_of_kurtosis(b, count):
    n = 1.0 * count if count >= 5 else float("nan")
    spread = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) * (n + 1.0) * (n + 3.0) * (n + 5.0))
    x = (b - 3.0 * (n - 1.0) / (n + 1.0)) / op.sqrt(spread)
    root = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
    root = root * op.sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    a = 6.0 + 8.0 / root * (2.0 / root + op.sqrt(1.0 + 4.0 / (root * root)))
    below = 1.0 + x * op.sqrt(2.0 / (a - 4.0))
    other = op.sign(below) * ((1.0 - 2.0 / a) / op.absolute(below)) ** (1.0 / 3.0)
    return (1.0 - 2.0 / (9.0 * a) - other) / op.sqrt(2.0 / (9.0 * a))


def normaltest(a, axis=0, nan_policy="propagate", *, keepdims=False):
    """By skewness and kurtosis together."""
    s, _ = skewtest(a, axis, nan_policy, keepdims=keepdims)
    k, _ = kurtosistest(a, axis, nan_policy, keepdims=keepdims)
    statistic = s * s + k * k
    return NormaltestResult(statistic, op.exp(-0.5 * statistic))


# --- Shapiro and Wilk ------------------------------------------------------------------------------------------------

FIRST = (0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)
SECOND = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
SHORT_MEANS, SHORT_SPREADS = (0.544, -0.39978, 0.025054, -6.714e-4), (1.3822, -0.77857, 0.062767, -0.0020322)
LONG_MEANS, LONG_SPREADS = (-1.5861, -0.31082, -0.083751, 0.0038915), (-0.4803, -0.082676, 0.0030302)


def powers(coefficients, x):
    found = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        found = found * x + coefficient
    return found


def shapiro(x, *, axis=None, nan_policy="propagate", keepdims=False):
    require_propagate(nan_policy)
    if axis is not None or keepdims:
        static.refuse("U012", "scipy.stats.shapiro is of all elements here, without `axis=` and `keepdims=`")
    y = sort(op.cast(ravel(as_array(x)), dtype="f64"))
    n = y.shape[0]
    if n < 3:
        raise ValueError("Data must be at least length 3.")
    weights = shapiro_weights(n)
    y = y - mean(y)
    found = op.sum(weights * y)
    lacks = 1.0 - found * found / (op.sum(weights * weights) * op.sum(y * y))
    return ShapiroResult(1.0 - lacks, share_of_shapiro(lacks, n))


def shapiro_weights(n):
    """Of the sorted elements: near the expected places of normal ones, divided by the root of their squares."""
    weights = op.zeros(shape=(n,), dtype="f64")
    if n == 3:
        weights[2] = 0.5**0.5
        weights[0] = -(0.5**0.5)
        return weights
    half = n // 2
    ranks = op.arange(1, half + 1, 1, shape=(half,), dtype="f64")
    m = -op.ndtri((ranks - 0.375) / (n + 0.25))
    total, root = 2.0 * op.sum(m * m), 1.0 / op.sqrt(1.0 * n)
    first = powers(FIRST, root) + m[0] / op.sqrt(total)
    second = powers(SECOND, root) + m[1] / op.sqrt(total)
    if n > 5:
        size = (total - 2.0 * m[0] * m[0] - 2.0 * m[1] * m[1]) / (1.0 - 2.0 * first * first - 2.0 * second * second)
    else:
        size = (total - 2.0 * m[0] * m[0]) / (1.0 - 2.0 * first * first)
    for i in range(half):
        a = first if i == 0 else second if i == 1 and n > 5 else m[i] / op.sqrt(size)
        weights[i] = -a
        weights[n - 1 - i] = a
    return weights


def share_of_shapiro(lacks, n):
    """The p-value of 1 - `lacks`."""
    if n == 3:
        return op.maximum(1.0 - 6.0 / pi * op.arccos(op.sqrt(1.0 - lacks)), 0.0)
    y, size = op.log(lacks), op.log(1.0 * n)
    if n <= 11:
        top = -2.273 + 0.459 * n
        if y >= top:
            return 1e-99
        return by_normal((-op.log(top - y) - powers(SHORT_MEANS, n)) / op.exp(powers(SHORT_SPREADS, n)), "greater")
    return by_normal((y - powers(LONG_MEANS, size)) / op.exp(powers(LONG_SPREADS, size)), "greater")


# --- of variances ----------------------------------------------------------------------------------------------------


def levene(
    *samples, center="median", proportiontocut=0.05, axis=0, nan_policy="propagate", keepdims=False,
):  # fmt: skip
    """Whether several samples have one variance, by the distances from their centers."""
    if center not in ("mean", "median", "trimmed"):
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    if len(samples) < 2:
        raise ValueError("Must provide at least two samples.")
    parts = [along(sample, axis, nan_policy)[0] for sample in samples]
    place = 0 if axis is None else static.axis_of(axis, static.rank(parts[0]))
    count, total, apart = 0, 0.0, []
    for part in parts:
        if center == "median":
            middle = median(part, axis=place, keepdims=True)
        elif center == "mean":
            middle = mean(part, axis=place, keepdims=True)
        else:
            middle = expand_dims(trim_mean(part, proportiontocut, place), place)
        apart.append(op.absolute(part - middle))
        count = count + length_along(part, place)
        total = total + op.sum(apart[-1], axis=place, keepdims=True)
    middle = total / count
    between, within = 0.0, 0.0
    for part in apart:
        own = mean(part, axis=place, keepdims=True)
        between = between + length_along(part, place) * op.sum((own - middle) ** 2, axis=place, keepdims=keepdims)
        within = within + op.sum((part - own) ** 2, axis=place, keepdims=keepdims)
    above, below = len(parts) - 1.0, 1.0 * (count - len(parts))
    w = (below * between) / (above * within)
    return LeveneResult(w, op.fdtrc(above, below, w))


def bartlett(*samples, axis=0, nan_policy="propagate", keepdims=False):
    """Whether several normal samples have one variance."""
    k = len(samples)
    if k < 2:
        raise ValueError("Must enter at least two input sample vectors.")
    parts = [along(sample, axis, nan_policy)[0] for sample in samples]
    place = 0 if axis is None else static.axis_of(axis, static.rank(parts[0]))
    count, squares, logarithms, inverses = 0.0, 0.0, 0.0, 0.0
    for part in parts:
        own, rest = var(part, axis=place, ddof=1, keepdims=keepdims), length_along(part, place) - 1.0
        count = count + rest
        squares = squares + rest * own
        logarithms = logarithms + rest * op.log(own)
        inverses = inverses + 1.0 / rest
    found = count * op.log(squares / count) - logarithms
    found = found / (1.0 + (inverses - 1.0 / count) / (3.0 * (k - 1.0)))
    found = op.maximum(found, 0.0)
    return BartlettResult(found, op.gammaincc(0.5 * (k - 1.0), 0.5 * found))
