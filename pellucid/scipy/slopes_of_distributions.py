"""Slopes of distribution functions and their inverses, by those of the incomplete gamma and beta functions.

    chdtr(v, x) = gammainc(v / 2, x / 2)     ->     def chdtr_by_freedom(v, x, out)

The inverses have theirs by the implicit function theorem.  (Abramowitz and Stegun, chapter 26.)
"""

from math import pi

from ..compiler.ops import primitives as op
from .parameter_slopes import beta_by_first, gamma_by_order
from .slopes import betainc_by_bound, gammainc_by_bound

# --- Student's t -----------------------------------------------------------------------------------------------------


def stdtr_by_bound(df, t, out):
    """The density."""
    inside = op.gammaln(0.5 * (df + 1.0)) - op.gammaln(0.5 * df) - 0.5 * (df + 1.0) * op.log1p(t * t / df)
    return op.exp(inside) / op.sqrt(pi * df)


def stdtr_by_freedom(df, t, out):
    """With x = df / (df + t^2) the function is I(df / 2, 1 / 2, x) / 2 left of 0, and 1 less that on the right."""
    whole = df + t * t
    x, rest = df / whole, t * t / whole
    at_zero = rest == 0.0
    x, rest = op.where(at_zero, 0.5, x), op.where(at_zero, 0.5, rest)
    by_x = betainc_by_bound(0.5 * df, 0.5, x, out) * rest / whole
    left = 0.25 * beta_by_first(0.5 * df, 0.5 + 0.0 * df, x, rest) + 0.5 * by_x
    return op.where(at_zero, 0.0, op.where(t < 0.0, left, -left))


def stdtrit_by_share(df, p, out):
    return 1.0 / stdtr_by_bound(df, out, p)


def stdtrit_by_freedom(df, p, out):
    return -stdtr_by_freedom(df, out, p) / stdtr_by_bound(df, out, p)


# --- chi-squared, gamma and Poisson ----------------------------------------------------------------------------------


def chdtr_by_bound(v, x, out):
    return 0.5 * gammainc_by_bound(0.5 * v, 0.5 * x, out)


def chdtr_by_freedom(v, x, out):
    return 0.5 * gamma_by_order(0.5 * v, 0.5 * x)


def chdtrc_by_bound(v, x, out):
    return -chdtr_by_bound(v, x, out)


def chdtrc_by_freedom(v, x, out):
    return -chdtr_by_freedom(v, x, out)


def chdtri_by_share(v, p, out):
    return -1.0 / chdtr_by_bound(v, out, p)


def chdtri_by_freedom(v, p, out):
    return -chdtr_by_freedom(v, out, p) / chdtr_by_bound(v, out, p)


def gdtr_by_rate(a, b, x, out):
    return x * gammainc_by_bound(b, a * x, out)


def gdtr_by_shape(a, b, x, out):
    return gamma_by_order(b, a * x)


def gdtr_by_bound(a, b, x, out):
    return a * gammainc_by_bound(b, a * x, out)


def gdtrc_by_rate(a, b, x, out):
    return -gdtr_by_rate(a, b, x, out)


def gdtrc_by_shape(a, b, x, out):
    return -gdtr_by_shape(a, b, x, out)


def gdtrc_by_bound(a, b, x, out):
    return -gdtr_by_bound(a, b, x, out)


def pdtr(k, m, out):
    """The sum of m^j exp(-m) / j! over j up to k, by m."""
    return -gammainc_by_bound(op.floor(k) + 1.0, m, out)


def pdtrc(k, m, out):
    return gammainc_by_bound(op.floor(k) + 1.0, m, out)


def pdtri(k, y, out):
    return -1.0 / gammainc_by_bound(k + 1.0, out, y)


# --- Fisher's ratio --------------------------------------------------------------------------------------------------


def ratio(dfn, dfd, x):
    """dfn x / (dfn x + dfd), and what it lacks of 1."""
    whole = dfn * x + dfd
    return dfn * x / whole, dfd / whole


def fdtr_by_bound(dfn, dfd, x, out):
    part, rest = ratio(dfn, dfd, x)
    return betainc_by_bound(0.5 * dfn, 0.5 * dfd, part, out) * part * rest / x


def fdtr_by_first(dfn, dfd, x, out):
    part, rest = ratio(dfn, dfd, x)
    by_part = betainc_by_bound(0.5 * dfn, 0.5 * dfd, part, out)
    return 0.5 * beta_by_first(0.5 * dfn, 0.5 * dfd, part, rest) + by_part * part * rest / dfn


def fdtr_by_second(dfn, dfd, x, out):
    part, rest = ratio(dfn, dfd, x)
    by_part = betainc_by_bound(0.5 * dfn, 0.5 * dfd, part, out)
    return -0.5 * beta_by_first(0.5 * dfd, 0.5 * dfn, rest, part) - by_part * part * rest / dfd


def fdtrc_by_bound(dfn, dfd, x, out):
    return -fdtr_by_bound(dfn, dfd, x, out)


def fdtrc_by_first(dfn, dfd, x, out):
    return -fdtr_by_first(dfn, dfd, x, out)


def fdtrc_by_second(dfn, dfd, x, out):
    return -fdtr_by_second(dfn, dfd, x, out)


def fdtri_by_share(dfn, dfd, p, out):
    return 1.0 / fdtr_by_bound(dfn, dfd, out, p)


def fdtri_by_first(dfn, dfd, p, out):
    return -fdtr_by_first(dfn, dfd, out, p) / fdtr_by_bound(dfn, dfd, out, p)


def fdtri_by_second(dfn, dfd, p, out):
    return -fdtr_by_second(dfn, dfd, out, p) / fdtr_by_bound(dfn, dfd, out, p)


# --- binomial and negative binomial ----------------------------------------------------------------------------------


def bdtr(k, n, p, out):
    """The sum of the first k + 1 terms is I(n - k, k + 1, 1 - p); all of them are 1."""
    failed = op.floor(k) + 1.0
    rest = n - op.floor(k)
    is_part = rest > 0.0
    return op.where(is_part, -betainc_by_bound(failed, op.where(is_part, rest, 1.0), p, out), 0.0)


def bdtrc(k, n, p, out):
    return -bdtr(k, n, p, out)


def bdtri(k, n, y, out):
    return 1.0 / bdtr(k, n, out, y)


def nbdtr(k, n, p, out):
    """I(n, k + 1, p)"""
    return betainc_by_bound(1.0 * n, k + 1.0, p, out)


def nbdtrc(k, n, p, out):
    return -nbdtr(k, n, p, out)
