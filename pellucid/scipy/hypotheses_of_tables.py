"""Tests of `scipy.stats` of tables of counts, and of shares.

    chi2_contingency(t)    e = (sums of rows) (sums of columns) / sum;  the sum of (t - e)^2 / e
    fisher_exact(t)        the share of tables with the same sums that are no likelier
    binomtest(k, n, p)     the share of counts that are no likelier than k

Source: A. Agresti, Categorical Data Analysis (2013); N. Cressie and T. Read, Multinomial goodness-of-fit tests (1984).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array
from .distributions import in_doubles
from .families import binom
from .hypotheses import Power_divergenceResult, SignificanceResult, require_expected
from .special import of_floats, xlogy
from .statistics import along, length_along

POWERS = {
    "pearson": 1.0, "log-likelihood": 0.0, "freeman-tukey": -0.5, "mod-log-likelihood": -1.0, "neyman": -2.0,
    "cressie-read": 2.0 / 3.0,
}  # fmt: skip


class Chi2ContingencyResult(NamedTuple):
    statistic: Any
    pvalue: Any
    dof: Any
    expected_freq: Any


def divergences(found, expected, power):
    """Cressie and Read's, element by element: of the power 1 Pearson's, in the limit 0 twice the log-likelihood."""
    if static.is_text(power):
        if power not in POWERS:
            raise ValueError(f"invalid string for lambda_: {power!r}. Valid strings are {', '.join(POWERS)}")
        power = POWERS[power]
    if not static.is_static(power):
        static.refuse("R001", "`lambda_` must be known when the function is compiled")
    if power == 1.0:
        return (found - expected) ** 2 / expected
    if power == 0.0:
        return 2.0 * xlogy(found, found / expected)
    if power == -1.0:
        return 2.0 * xlogy(expected, expected / found)
    return found * ((found / expected) ** power - 1.0) / (0.5 * power * (power + 1.0))


def power_divergence(f_obs, f_exp=None, ddof=0, axis=0, lambda_=None, *, nan_policy="propagate", keepdims=False):
    """Whether counts are those expected; without `f_exp` all alike."""
    found, axis = along(f_obs, axis, nan_policy)
    n = length_along(found, axis)
    expected = require_expected(found, f_exp, axis, True)
    parts = divergences(found, expected, 1.0 if lambda_ is None else lambda_)
    statistic = op.sum(parts, axis=axis, keepdims=keepdims)
    return Power_divergenceResult(statistic, op.gammaincc(0.5 * (n - 1.0 - ddof), 0.5 * statistic))


def chi2_contingency(observed, correction=True, lambda_=None, *, method=None):
    """Whether rows and columns of a table are independent; `correction` is Yates's, of tables of two by two."""
    if method is not None:
        static.refuse("U012", "scipy.stats.chi2_contingency has no `method=` here: leave it out")
    table = of_floats(as_array(observed))
    if static.rank(table) != 2:
        static.refuse("S002", "scipy.stats.chi2_contingency takes a table of rows and columns here")
    if op.any(table < 0.0):
        raise ValueError("All values in `observed` must be nonnegative.")
    m, n = table.shape
    if m * n == 0:
        raise ValueError("No data; `observed` has size 0.")
    rows, columns = op.sum(table, axis=1, keepdims=True), op.sum(table, axis=0, keepdims=True)
    expected = rows * columns / op.sum(table)
    if op.any(expected == 0.0):
        raise ValueError("The internally computed table of expected frequencies has a zero element.")
    dof = (m - 1) * (n - 1)
    if dof == 0:
        return Chi2ContingencyResult(0.0, 1.0, dof, expected)
    if dof == 1 and correction:
        apart = expected - table
        table = table + op.minimum(0.5, op.absolute(apart)) * op.sign(apart)
    statistic = op.sum(divergences(table, expected, 1.0 if lambda_ is None else lambda_))
    return Chi2ContingencyResult(statistic, op.gammaincc(0.5 * dof, 0.5 * statistic), dof, expected)


def fisher_exact(table, alternative=None, *, method=None):
    """(the ratio of odds, the p-value) of a table of two by two."""
    if method is not None:
        static.refuse("U012", "scipy.stats.fisher_exact has no `method=` here: leave it out")
    sense = "two-sided" if alternative is None else alternative
    if sense not in ("two-sided", "less", "greater"):
        raise ValueError("`alternative` should be one of {'two-sided', 'less', 'greater'}")
    counts = as_array(table)
    if static.rank(counts) != 2:
        raise ValueError("The input `table` must have two dimensions.")
    counts = op.trunc(in_doubles(counts))
    if counts.shape[0] != 2 or counts.shape[1] != 2:
        raise ValueError("scipy.stats.fisher_exact takes a table of two by two here")
    if op.any(counts < 0.0):
        raise ValueError("All values in `table` must be nonnegative.")
    a, b, c, d = counts[0, 0], counts[0, 1], counts[1, 0], counts[1, 1]
    if a + b == 0.0 or c + d == 0.0 or a + c == 0.0 or b + d == 0.0:
        return SignificanceResult(float("nan"), 1.0)
    odds = a * d / (b * c) if b > 0.0 and c > 0.0 else float("inf")
    whole, first, drawn = a + b + c + d, a + b, a + c
    front = log_choices(whole, drawn)
    here = log_choices(first, a) + log_choices(c + d, c) - front
    share, x = 0.0, op.maximum(0.0, drawn - (c + d))
    while x <= op.minimum(first, drawn):
        log_mass = log_choices(first, x) + log_choices(c + d, drawn - x) - front
        is_out = x <= a if sense == "less" else x >= a if sense == "greater" else log_mass <= here + 1e-11
        if is_out:
            share += op.exp(log_mass)
        x += 1.0
    return SignificanceResult(odds, op.minimum(share, 1.0))


def log_choices(n, k):
    return op.gammaln(n + 1.0) - op.gammaln(k + 1.0) - op.gammaln(n - k + 1.0)


# --- shares ----------------------------------------------------------------------------------------------------------


class ConfidenceInterval(NamedTuple):
    low: Any
    high: Any


@dataclass
class BinomTestResult:
    """What a test of a share found."""

    k: Any
    n: Any
    alternative: str
    statistic: Any
    pvalue: Any

    def proportion_ci(self, confidence_level=0.95, method="exact"):
        """Between which shares: by Clopper and Pearson (1934), or Wilson (1927)."""
        if method not in ("exact", "wilson", "wilsoncc"):
            raise ValueError(f"method ('{method}') must be one of 'exact', 'wilson' or 'wilsoncc'.")
        k, n = 1.0 * self.k, 1.0 * self.n
        rest = 0.5 * (1.0 - confidence_level) if self.alternative == "two-sided" else 1.0 - confidence_level
        if method == "exact":
            low = op.betaincinv(k, n - k + 1.0, rest) if k > 0.0 else 0.0
            high = op.betaincinv(k + 1.0, n - k, 1.0 - rest) if k < n else 1.0
        else:
            z, p = -op.ndtri(rest), k / n
            correction = 1.0 if method == "wilsoncc" else 0.0
            middle, width = 2.0 * k + z * z, 2.0 * (n + z * z)
            down = z * z + 4.0 * k * (1.0 - p) - correction * (1.0 / n + 2.0 - 4.0 * p)
            up = z * z + 4.0 * k * (1.0 - p) - correction * (1.0 / n - 2.0 + 4.0 * p)
            low = (middle - correction - z * op.sqrt(down)) / width if k > 0.0 else 0.0
            high = (middle + correction + z * op.sqrt(up)) / width if k < n else 1.0
        if self.alternative == "less":
            return ConfidenceInterval(0.0, high)
        return ConfidenceInterval(low, 1.0) if self.alternative == "greater" else ConfidenceInterval(low, high)


def binomtest(k, n, p=0.5, alternative="two-sided"):
    """Whether k successes of n go with the share p: two-sided, all counts that are no likelier."""
    if k < 0 or n < 1 or k > n:
        raise ValueError(f"k ({k}) must not be negative, nor greater than n ({n}), which is at least 1.")
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p ({p}) must be in range [0,1]")
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(f"alternative ('{alternative}') must be 'two-sided', 'less' or 'greater'")
    if alternative == "less":
        return BinomTestResult(k, n, alternative, k / n, binom.cdf(k, n, p))
    if alternative == "greater":
        return BinomTestResult(k, n, alternative, k / n, binom.sf(k - 1, n, p))
    here = binom.pmf(k, n, p) * (1.0 + 1e-7)
    if k < p * n:  # masses fall after the mean: those from the first no likelier one on
        first = first_between(int(op.ceil(p * n)) - 1, n + 1, lambda count: binom.pmf(count, n, p) <= here)
        share = binom.cdf(k, n, p) + binom.sf(first - 1, n, p)
    elif k > p * n:  # they rise up to it: those before the first likelier one
        first = first_between(-1, int(op.floor(p * n)) + 1, lambda count: binom.pmf(count, n, p) > here)
        share = binom.cdf(first - 1, n, p) + binom.sf(k - 1, n, p)
    else:
        share = 1.0
    return BinomTestResult(k, n, alternative, k / n, op.minimum(share, 1.0))


def first_between(low, high, holds):
    """The first count after `low` of which this holds, as of all after it; `high` where there is none before it."""
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
