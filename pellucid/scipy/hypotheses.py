"""Tests of hypotheses of `scipy.stats`, with p-values, and correlations.

    ttest_ind(a, b)     ->    TtestResult(statistic, pvalue), the p-value by Student's distribution

Results are tuples as SciPy's; what SciPy's have besides (`df`, `confidence_interval`) these have not.
"""

from typing import Any, NamedTuple

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array
from ..numpy.statistics import mean, var
from .special import ndtr, of_floats
from .statistics import along, kurtosis, length_along, ranks, require_propagate, skew

ALTERNATIVES = ("two-sided", "less", "greater")


class TtestResult(NamedTuple):
    statistic: Any
    pvalue: Any


class PearsonRResult(NamedTuple):
    statistic: Any
    pvalue: Any


class SignificanceResult(NamedTuple):
    statistic: Any
    pvalue: Any


class Power_divergenceResult(NamedTuple):
    statistic: Any
    pvalue: Any


class F_onewayResult(NamedTuple):
    statistic: Any
    pvalue: Any


class LinregressResult(NamedTuple):
    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


def require_known(alternative):
    if alternative not in ALTERNATIVES:
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


def by_students(t, df, alternative):
    """The share of Student's distribution that is as far out."""
    require_known(alternative)
    if alternative == "less":
        return op.stdtr(df, t)
    if alternative == "greater":
        return op.stdtr(df, -t)
    return 2.0 * op.stdtr(df, -op.absolute(t))


def by_normal(z, alternative):
    """The share of the normal distribution that is as far out."""
    require_known(alternative)
    if alternative == "less":
        return ndtr(z)
    return ndtr(-z) if alternative == "greater" else 2.0 * ndtr(-op.absolute(z))


# --- means -----------------------------------------------------------------------------------------------------------


def ttest_1samp(a, popmean, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    a, axis = along(a, axis, nan_policy)
    n = length_along(a, axis)
    spread = op.sqrt(var(a, axis=axis, ddof=1, keepdims=keepdims) / n)
    t = (mean(a, axis=axis, keepdims=keepdims) - popmean) / spread
    return TtestResult(t, by_students(t, n - 1.0, alternative))


def ttest_rel(a, b, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    a, _ = along(a, axis, nan_policy)
    b, axis = along(b, axis, nan_policy)
    return ttest_1samp(a - b, 0.0, axis, alternative=alternative, keepdims=keepdims)


def ttest_ind(
    a, b, *, axis=0, equal_var=True, nan_policy="propagate", alternative="two-sided", trim=0, method=None,
    keepdims=False,
):  # fmt: skip
    if trim != 0 or method is not None:
        static.refuse("U012", "scipy.stats.ttest_ind has no `trim=` and no `method=` here: leave them out")
    a, _ = along(a, axis, nan_policy)
    b, axis = along(b, axis, nan_policy)
    m, n = length_along(a, axis), length_along(b, axis)
    v, w = var(a, axis=axis, ddof=1, keepdims=keepdims), var(b, axis=axis, ddof=1, keepdims=keepdims)
    if equal_var:
        df = m + n - 2.0
        square = ((m - 1.0) * v + (n - 1.0) * w) / df * (1.0 / m + 1.0 / n)
    else:
        left, right = v / m, w / n
        square = left + right
        df = square * square / (left * left / (m - 1.0) + right * right / (n - 1.0))
    t = (mean(a, axis=axis, keepdims=keepdims) - mean(b, axis=axis, keepdims=keepdims)) / op.sqrt(square)
    return TtestResult(t, by_students(t, df, alternative))


def f_oneway(*samples, axis=0, equal_var=True, nan_policy="propagate", keepdims=False):
    """Whether several samples have one mean, by the variances between and within them."""
    if not equal_var or keepdims:
        static.refuse("U012", "scipy.stats.f_oneway has no `equal_var=` and no `keepdims=` here: leave them out")
    parts = [along(sample, axis, nan_policy)[0] for sample in samples]
    place = static.axis_of(axis, static.rank(parts[0]))
    if len(parts) < 2:
        raise TypeError(f"at least two inputs are required; got {len(parts)}.")
    count, total = 0, 0.0
    for part in parts:
        count = count + length_along(part, place)
        total = total + op.sum(part, axis=place, keepdims=False)
    middle = total / count
    between, within = 0.0, 0.0
    for part in parts:
        own = mean(part, axis=place)
        between = between + length_along(part, place) * (own - middle) ** 2
        within = within + op.sum((part - mean(part, axis=place, keepdims=True)) ** 2, axis=place, keepdims=False)
    above, below = len(parts) - 1.0, 1.0 * (count - len(parts))
    f = (between / above) / (within / below)
    return F_onewayResult(f, op.fdtrc(above, below, f))


def chisquare(f_obs, f_exp=None, ddof=0, axis=0, *, sum_check=True, nan_policy="propagate", keepdims=False):
    found, axis = along(f_obs, axis, nan_policy)
    n = length_along(found, axis)
    expected = require_expected(found, f_exp, axis, sum_check)
    statistic = op.sum((found - expected) ** 2 / expected, axis=axis, keepdims=keepdims)
    return Power_divergenceResult(statistic, op.gammaincc(0.5 * (n - 1.0 - ddof), 0.5 * statistic))


def require_expected(found, f_exp, axis, sum_check):
    """What is expected, which has the sum of what was found; without `f_exp` the mean."""
    if f_exp is None:
        return mean(found, axis=axis, keepdims=True)
    expected = of_floats(f_exp)
    left, right = op.sum(found, axis=axis, keepdims=False), op.sum(expected, axis=axis, keepdims=False)
    if sum_check and op.any(op.absolute(left - right) > 1.5e-8 * op.minimum(left, right)):
        raise ValueError(
            "For each axis slice, the sum of the observed frequencies must agree with the sum of the expected "
            "frequencies"
        )
    return expected


# --- correlations ----------------------------------------------------------------------------------------------------


def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    if method is not None:
        static.refuse("U012", "scipy.stats.pearsonr has no `method=` here: leave it out")
    x, axis = along(x, axis)
    y, _ = along(y, axis)
    n = length_along(x, axis)
    if n != length_along(y, axis):
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    dx, dy = x - mean(x, axis=axis, keepdims=True), y - mean(y, axis=axis, keepdims=True)
    sizes = op.sqrt(op.sum(dx * dx, axis=axis, keepdims=False)) * op.sqrt(op.sum(dy * dy, axis=axis, keepdims=False))
    r = op.sum(dx * dy, axis=axis, keepdims=False) / sizes
    r = op.minimum(op.maximum(r, -1.0), 1.0)
    return PearsonRResult(r, of_correlation(r, n, alternative))


def of_correlation(r, n, alternative):
    """The p-value: (1 + r) / 2 has a symmetric beta distribution."""
    require_known(alternative)
    half = 0.5 * n - 1.0
    if alternative == "less":
        return op.betainc(half, half, 0.5 * (1.0 + r))
    if alternative == "greater":
        return op.betaincc(half, half, 0.5 * (1.0 + r))
    return 2.0 * op.betaincc(half, half, 0.5 * (1.0 + op.absolute(r)))


def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided"):
    """The correlation of the ranks of two vectors."""
    require_propagate(nan_policy)
    a = as_array(a)
    if b is None or static.rank(a) != 1:
        static.refuse("S002", "scipy.stats.spearmanr takes two vectors here")
    x, y = ranks(a, "average"), ranks(as_array(b), "average")
    dx, dy = x - mean(x), y - mean(y)
    r = op.sum(dx * dy) / op.sqrt(op.sum(dx * dx) * op.sum(dy * dy))
    df = x.shape[0] - 2.0
    t = r * op.sqrt(op.maximum(df / ((r + 1.0) * (1.0 - r)), 0.0))
    return SignificanceResult(r, by_students(t, df, alternative))


def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """The line through points with the least squares."""
    x, y = of_floats(as_array(x)), of_floats(as_array(y))
    require_propagate(nan_policy)
    if static.rank(x) != 1 or static.rank(y) != 1 or keepdims:
        static.refuse("S002", "scipy.stats.linregress takes two vectors here")
    n = x.shape[0]
    if n != y.shape[0]:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    mx, my = mean(x), mean(y)
    dx, dy = x - mx, y - my
    xx, xy, yy = mean(dx * dx), mean(dx * dy), mean(dy * dy)
    if xx == 0.0:
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    r = op.where(yy == 0.0, 0.0, xy / op.sqrt(xx * op.where(yy == 0.0, 1.0, yy)))
    r = op.minimum(op.maximum(r, -1.0), 1.0)
    slope = xy / xx
    df = n - 2.0
    t = r * op.sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    error = op.sqrt((1.0 - r * r) * yy / xx / df)
    return LinregressResult(slope, my - slope * mx, r, by_students(t, df, alternative), error)


# --- of the shape ----------------------------------------------------------------------------------------------------


def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False):
    """Whether skewness and kurtosis are those of the normal distribution."""
    a, axis = along(x, axis, nan_policy)
    s, k = skew(a, axis, keepdims=keepdims), kurtosis(a, axis, keepdims=keepdims)
    statistic = length_along(a, axis) / 6.0 * (s * s + k * k / 4.0)
    return SignificanceResult(statistic, op.exp(-0.5 * statistic))
