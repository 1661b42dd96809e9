"""Further continuous families of `scipy.stats`: of lifetimes and powers, and of extremes.

    maxwell      below(z) = gammainc(3 / 2, z^2 / 2)
    genpareto    above(z) = (1 + c z)^(-1 / c), and exp(-z) where c is 0

Source: N. Johnson, S. Kotz and N. Balakrishnan, Continuous Univariate Distributions (1994, 1995).
"""

from dataclasses import dataclass
from math import inf, log, nan, pi, sqrt

from ..compiler.ops import primitives as op
from .distributions import Continuous
from .elementary_families import EULER
from .special import xlogy


@dataclass(frozen=True)
class GumbelLeft(Continuous):
    name, shapes = "gumbel_l", ()

    def log_density(self, z):
        return z - op.exp(z)

    def below(self, z):
        return -op.expm1(-op.exp(z))

    def above(self, z):
        return op.exp(-op.exp(z))

    def log_above(self, z):
        return -op.exp(z)

    def quantile(self, q):
        return op.log(-op.log1p(-q))

    def upper_quantile(self, q):
        return op.log(-op.log(q))

    def moments(self):
        return -EULER, pi * pi / 6.0

    def information(self):
        return EULER + 1.0


@dataclass(frozen=True)
class Maxwell(Continuous):
    name, shapes = "maxwell", ()

    def ends(self):
        return 0.0, inf

    def log_density(self, z):
        return 0.5 * log(2.0 / pi) + xlogy(2.0, z) - 0.5 * z * z

    def below(self, z):
        return op.gammainc(1.5, 0.5 * z * z)

    def above(self, z):
        return op.gammaincc(1.5, 0.5 * z * z)

    def quantile(self, q):
        return op.sqrt(2.0 * op.gammaincinv(1.5, q))

    def upper_quantile(self, q):
        return op.sqrt(2.0 * op.gammainccinv(1.5, q))

    def moments(self):
        return 2.0 * sqrt(2.0 / pi), 3.0 - 8.0 / pi

    def information(self):
        return EULER + 0.5 * log(2.0 * pi) - 0.5


@dataclass(frozen=True)
class Chi(Continuous):
    name, shapes = "chi", ("df",)

    def ends(self, df):
        return 0.0, inf

    def is_valid(self, df):
        return df > 0.0

    def log_density(self, z, df):
        return log(2.0) - 0.5 * log(2.0) * df - op.gammaln(0.5 * df) + xlogy(df - 1.0, z) - 0.5 * z * z

    def below(self, z, df):
        return op.gammainc(0.5 * df, 0.5 * z * z)

    def above(self, z, df):
        return op.gammaincc(0.5 * df, 0.5 * z * z)

    def quantile(self, q, df):
        return op.sqrt(2.0 * op.gammaincinv(0.5 * df, q))

    def upper_quantile(self, q, df):
        return op.sqrt(2.0 * op.gammainccinv(0.5 * df, q))

    def moments(self, df):
        first = sqrt(2.0) * op.exp(op.gammaln(0.5 * df + 0.5) - op.gammaln(0.5 * df))
        return first, df - first * first

    def information(self, df):
        return op.gammaln(0.5 * df) + 0.5 * (df - log(2.0) - (df - 1.0) * op.digamma(0.5 * df))


@dataclass(frozen=True)
class Powers(Continuous):
    name, shapes = "powerlaw", ("a",)

    def ends(self, a):
        return 0.0, 1.0

    def is_valid(self, a):
        return a > 0.0

    def log_density(self, z, a):
        return op.log(a) + xlogy(a - 1.0, z)

    def below(self, z, a):
        return z**a

    def log_below(self, z, a):
        return a * op.log(z)

    def above(self, z, a):
        return -op.expm1(a * op.log(z))

    def quantile(self, q, a):
        return q ** (1.0 / a)

    def moments(self, a):
        return a / (a + 1.0), a / (a + 2.0) / (a + 1.0) ** 2

    def information(self, a):
        return 1.0 - 1.0 / a - op.log(a)


@dataclass(frozen=True)
class LogUniform(Continuous):
    name, shapes = "loguniform", ("a", "b")

    def ends(self, a, b):
        return a, b

    def within(self, a, b):
        return op.sqrt(op.absolute(a * b))

    def is_valid(self, a, b):
        return op.logical_and(a > 0.0, b > a)

    def log_density(self, z, a, b):
        return -op.log(z) - op.log(op.log(b) - op.log(a))

    def below(self, z, a, b):
        return (op.log(z) - op.log(a)) / (op.log(b) - op.log(a))

    def quantile(self, q, a, b):
        return op.exp(op.log(a) + q * (op.log(b) - op.log(a)))

    def moments(self, a, b):
        width = op.log(b) - op.log(a)
        first = (b - a) / width
        return first, (b * b - a * a) / (2.0 * width) - first * first

    def information(self, a, b):
        return 0.5 * (op.log(a) + op.log(b)) + op.log(op.log(b) - op.log(a))


@dataclass(frozen=True)
class GeneralGamma(Continuous):
    name, shapes = "gengamma", ("a", "c")

    def ends(self, a, c):
        return 0.0, inf

    def is_valid(self, a, c):
        return op.logical_and(a > 0.0, c != 0.0)

    def log_density(self, z, a, c):
        at_zero = z == 0.0
        safe = op.where(at_zero, 1.0, z)
        found = op.log(op.absolute(c)) + xlogy(c * a - 1.0, safe) - safe**c - op.gammaln(a)
        is_none = op.logical_or(c * a > 1.0, c < 0.0)
        edge = op.where(is_none, -inf, op.where(c * a == 1.0, op.log(op.absolute(c)) - op.gammaln(a), inf))
        return op.where(at_zero, edge, found)

    def below(self, z, a, c):
        return op.where(c > 0.0, op.gammainc(a, z**c), op.gammaincc(a, z**c))

    def above(self, z, a, c):
        return op.where(c > 0.0, op.gammaincc(a, z**c), op.gammainc(a, z**c))

    def quantile(self, q, a, c):
        return op.where(c > 0.0, op.gammaincinv(a, q), op.gammainccinv(a, q)) ** (1.0 / c)

    def upper_quantile(self, q, a, c):
        return op.where(c > 0.0, op.gammainccinv(a, q), op.gammaincinv(a, q)) ** (1.0 / c)

    def moments(self, a, c):
        first = op.exp(op.gammaln(a + 1.0 / c) - op.gammaln(a))
        return first, op.exp(op.gammaln(a + 2.0 / c) - op.gammaln(a)) - first * first

    def information(self, a, c):
        slope = op.digamma(a)
        return a * (1.0 - slope) + slope / c + op.gammaln(a) - op.log(op.absolute(c))


@dataclass(frozen=True)
class HalfCauchy(Continuous):
    name, shapes = "halfcauchy", ()
    has_moments = False

    def ends(self):
        return 0.0, inf

    def log_density(self, z):
        return log(2.0 / pi) - op.log1p(z * z)

    def below(self, z):
        return 2.0 / pi * op.arctan(z)

    def above(self, z):
        return 2.0 / pi * op.arctan2(1.0, z)

    def quantile(self, q):
        return op.tan(0.5 * pi * q)

    def upper_quantile(self, q):
        return 1.0 / op.tan(0.5 * pi * q)

    def moments(self):
        return inf, inf

    def information(self):
        return log(2.0 * pi)


# --- of extremes -----------------------------------------------------------------------------------------------------


def logarithm_over(c, z):
    """log(1 + c z) / c, and z where c is 0."""
    is_zero = c == 0.0
    return op.where(is_zero, z, op.log1p(c * z) / op.where(is_zero, 1.0, c))


def power_over(c, y):
    """(exp(c y) - 1) / c, and y where c is 0."""
    is_zero = c == 0.0
    return op.where(is_zero, y, op.expm1(c * y) / op.where(is_zero, 1.0, c))


@dataclass(frozen=True)
class GeneralPareto(Continuous):
    name, shapes = "genpareto", ("c",)
    has_moments = False

    def ends(self, c):
        return 0.0, op.where(c < 0.0, -1.0 / op.where(c < 0.0, c, -1.0), inf)

    def within(self, c):
        return op.where(c < 0.0, -0.5 / op.where(c < 0.0, c, -1.0), 0.5)

    def log_density(self, z, c):
        return -logarithm_over(c, z) - op.log1p(c * z)

    def below(self, z, c):
        return -op.expm1(-logarithm_over(c, z))

    def above(self, z, c):
        return op.exp(-logarithm_over(c, z))

    def log_above(self, z, c):
        return -logarithm_over(c, z)

    def quantile(self, q, c):
        return power_over(c, -op.log1p(-q))

    def upper_quantile(self, q, c):
        return power_over(c, -op.log(q))

    def moments(self, c):
        less = op.where(c < 1.0, 1.0 - c, 1.0)
        lesser = op.where(c < 0.5, 1.0 - 2.0 * c, 1.0)
        return op.where(c < 1.0, 1.0 / less, inf), op.where(c < 0.5, 1.0 / (less * less * lesser), nan)

    def information(self, c):
        return 1.0 + c


@dataclass(frozen=True)
class GeneralExtreme(Continuous):
    """With SciPy's sign of c: a bounded end above where it is positive."""

    name, shapes = "genextreme", ("c",)
    has_moments = False

    def ends(self, c):
        some = 1.0 / op.where(c == 0.0, 1.0, c)
        return op.where(c < 0.0, some, -inf), op.where(c > 0.0, some, inf)

    def within(self, c):
        return 0.0

    def log_density(self, z, c):
        y = -logarithm_over(-c, z)
        return y - op.exp(y) - op.log1p(-c * z)

    def below(self, z, c):
        return op.exp(-op.exp(-logarithm_over(-c, z)))

    def log_below(self, z, c):
        return -op.exp(-logarithm_over(-c, z))

    def above(self, z, c):
        return -op.expm1(-op.exp(-logarithm_over(-c, z)))

    def quantile(self, q, c):
        return -power_over(c, op.log(-op.log(q)))

    def upper_quantile(self, q, c):
        return -power_over(c, op.log(-op.log1p(-q)))

    def moments(self, c):
        is_some = op.absolute(c) > 1e-7
        safe = op.where(is_some, c, 1.0)
        first = op.gamma(1.0 + op.maximum(safe, -0.999))
        second = op.gamma(1.0 + 2.0 * op.maximum(safe, -0.499))
        mean = op.where(is_some, (1.0 - first) / safe, EULER)
        spread = op.where(is_some, (second - first * first) / (safe * safe), pi * pi / 6.0)
        mean = op.where(c > -1.0, mean, op.where(c == -1.0, inf, nan))
        return mean, op.where(c > -0.5, spread, op.where(c == -0.5, inf, nan))

    def information(self, c):
        return EULER * (1.0 - c) + 1.0
