"""Tests of `scipy.stats` of tables of counts.

    chi2_contingency(t)    e = (sums of rows) (sums of columns) / sum;  the sum of (t - e)^2 / e
    fisher_exact(t)        the share of tables with the same sums that are no likelier

Source: A. Agresti, Categorical Data Analysis (2013); N. Cressie and T. Read, Multinomial goodness-of-fit tests (1984).
"""

from typing import Any, NamedTuple

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array
from .distributions import in_doubles
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
