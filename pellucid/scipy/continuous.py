"""The continuous families of `scipy.stats` in their standard forms.

    norm     log_density(z) = -z^2 / 2 - log(2 pi) / 2,  below(z) = ndtr(z),  quantile(q) = ndtri(q)

Source: N. Johnson, S. Kotz and N. Balakrishnan, Continuous Univariate Distributions (1994, 1995).
"""

from dataclasses import dataclass
from math import inf, log, nan, pi, sqrt

from ..compiler.ops import primitives as op
from .distributions import Continuous
from .special import log_ndtr, ndtr, xlog1py, xlogy


@dataclass(frozen=True)
class Normal(Continuous):
    name, shapes = "norm", ()

    def log_density(self, z):
        return -0.5 * z**2 - 0.5 * log(2.0 * pi)

    def below(self, z):
        return ndtr(z)

    def log_below(self, z):
        return log_ndtr(z)

    def above(self, z):
        return ndtr(-z)

    def log_above(self, z):
        return log_ndtr(-z)

    def quantile(self, q):
        return op.ndtri(q)

    def upper_quantile(self, q):
        return -op.ndtri(q)

    def moments(self):
        return 0.0, 1.0

    def information(self):
        return 0.5 * log(2.0 * pi) + 0.5


@dataclass(frozen=True)
class HalfNormal(Continuous):
    name, shapes = "halfnorm", ()

    def ends(self):
        return 0.0, inf

    def log_density(self, z):
        return 0.5 * log(2.0 / pi) - 0.5 * z**2

    def below(self, z):
        return op.erf(z * sqrt(0.5))

    def above(self, z):
        return op.erfc(z * sqrt(0.5))

    def quantile(self, q):
        return op.ndtri(0.5 + 0.5 * q)

    def upper_quantile(self, q):
        return -op.ndtri(0.5 * q)

    def moments(self):
        return sqrt(2.0 / pi), 1.0 - 2.0 / pi

    def information(self):
        return 0.5 * log(pi / 2.0) + 0.5


@dataclass(frozen=True)
class LogNormal(Continuous):
    name, shapes = "lognorm", ("s",)

    def ends(self, s):
        return 0.0, inf

    def is_valid(self, s):
        return s > 0.0

    def log_density(self, z, s):
        at_zero = z == 0.0
        y = op.log(op.where(at_zero, 1.0, z)) / s
        return op.where(at_zero, -inf, -0.5 * y * y - op.log(s * op.where(at_zero, 1.0, z)) - 0.5 * log(2.0 * pi))

    def below(self, z, s):
        return ndtr(op.log(z) / s)

    def log_below(self, z, s):
        return log_ndtr(op.log(z) / s)

    def above(self, z, s):
        return ndtr(-op.log(z) / s)

    def log_above(self, z, s):
        return log_ndtr(-op.log(z) / s)

    def quantile(self, q, s):
        return op.exp(s * op.ndtri(q))

    def upper_quantile(self, q, s):
        return op.exp(-s * op.ndtri(q))

    def moments(self, s):
        square = op.exp(s * s)
        return op.sqrt(square), square * op.expm1(s * s)

    def information(self, s):
        return 0.5 * (1.0 + log(2.0 * pi) + 2.0 * op.log(s))


@dataclass(frozen=True)
class Students(Continuous):
    name, shapes = "t", ("df",)
    has_moments = False

    def is_valid(self, df):
        return df > 0.0

    def log_density(self, z, df):
        front = op.gammaln(0.5 * (df + 1.0)) - op.gammaln(0.5 * df) - 0.5 * op.log(df * pi)
        return front - 0.5 * (df + 1.0) * op.log1p(z * z / df)

    def below(self, z, df):
        return op.stdtr(df, z)

    def above(self, z, df):
        return op.stdtr(df, -z)

    def quantile(self, q, df):
        return op.stdtrit(df, q)

    def upper_quantile(self, q, df):
        return -op.stdtrit(df, q)

    def moments(self, df):
        spread = op.where(df > 2.0, df / op.where(df > 2.0, df - 2.0, 1.0), op.where(df > 1.0, inf, nan))
        return op.where(df > 1.0, 0.0, inf), spread

    def information(self, df):
        half = 0.5 * df
        last = 0.5 * op.log(df) + op.betaln(half, 0.5)
        return 0.5 * (df + 1.0) * (op.digamma(half + 0.5) - op.digamma(half)) + last


@dataclass(frozen=True)
class Gamma(Continuous):
    name, shapes = "gamma", ("a",)

    def ends(self, a):
        return 0.0, inf

    def is_valid(self, a):
        return a > 0.0

    def log_density(self, z, a):
        return xlogy(a - 1.0, z) - z - op.gammaln(a)

    def below(self, z, a):
        return op.gammainc(a, z)

    def above(self, z, a):
        return op.gammaincc(a, z)

    def quantile(self, q, a):
        return op.gammaincinv(a, q)

    def upper_quantile(self, q, a):
        return op.gammainccinv(a, q)

    def moments(self, a):
        return a, a

    def information(self, a):
        return a + op.gammaln(a) + (1.0 - a) * op.digamma(a)


@dataclass(frozen=True)
class ChiSquare(Continuous):
    name, shapes = "chi2", ("df",)

    def ends(self, df):
        return 0.0, inf

    def is_valid(self, df):
        return df > 0.0

    def log_density(self, z, df):
        return xlogy(0.5 * df - 1.0, z) - 0.5 * z - op.gammaln(0.5 * df) - 0.5 * log(2.0) * df

    def below(self, z, df):
        return op.gammainc(0.5 * df, 0.5 * z)

    def above(self, z, df):
        return op.gammaincc(0.5 * df, 0.5 * z)

    def quantile(self, q, df):
        return 2.0 * op.gammaincinv(0.5 * df, q)

    def upper_quantile(self, q, df):
        return 2.0 * op.gammainccinv(0.5 * df, q)

    def moments(self, df):
        return df, 2.0 * df

    def information(self, df):
        half = 0.5 * df
        return half + log(2.0) + op.gammaln(half) + (1.0 - half) * op.digamma(half)


@dataclass(frozen=True)
class InverseGamma(Continuous):
    name, shapes = "invgamma", ("a",)
    has_moments = False

    def ends(self, a):
        return 0.0, inf

    def is_valid(self, a):
        return a > 0.0

    def log_density(self, z, a):
        at_zero = z == 0.0
        safe = op.where(at_zero, 1.0, z)
        return op.where(at_zero, -inf, -(a + 1.0) * op.log(safe) - op.gammaln(a) - 1.0 / safe)

    def below(self, z, a):
        return op.gammaincc(a, 1.0 / z)

    def above(self, z, a):
        return op.gammainc(a, 1.0 / z)

    def quantile(self, q, a):
        return 1.0 / op.gammainccinv(a, q)

    def upper_quantile(self, q, a):
        return 1.0 / op.gammaincinv(a, q)

    def moments(self, a):
        less, lesser = op.where(a > 1.0, a - 1.0, 1.0), op.where(a > 2.0, a - 2.0, 1.0)
        spread = op.where(a > 2.0, 1.0 / (less * less * lesser), inf)
        return op.where(a > 1.0, 1.0 / less, inf), spread

    def information(self, a):
        return a - (a + 1.0) * op.digamma(a) + op.gammaln(a)


@dataclass(frozen=True)
class Beta(Continuous):
    name, shapes = "beta", ("a", "b")

    def ends(self, a, b):
        return 0.0, 1.0

    def is_valid(self, a, b):
        return op.logical_and(a > 0.0, b > 0.0)

    def log_density(self, z, a, b):
        return xlog1py(b - 1.0, -z) + xlogy(a - 1.0, z) - op.betaln(a, b)

    def below(self, z, a, b):
        return op.betainc(a, b, z)

    def above(self, z, a, b):
        return op.betaincc(a, b, z)

    def quantile(self, q, a, b):
        return op.betaincinv(a, b, q)

    def upper_quantile(self, q, a, b):
        return op.betainccinv(a, b, q)

    def moments(self, a, b):
        whole = a + b
        return a / whole, a * b / (whole * whole * (whole + 1.0))

    def information(self, a, b):
        whole = a + b
        inner = (a - 1.0) * op.digamma(a) + (b - 1.0) * op.digamma(b)
        return op.betaln(a, b) - inner + (whole - 2.0) * op.digamma(whole)


@dataclass(frozen=True)
class FRatio(Continuous):
    name, shapes = "f", ("dfn", "dfd")
    has_moments = False

    def ends(self, dfn, dfd):
        return 0.0, inf

    def is_valid(self, dfn, dfd):
        return op.logical_and(dfn > 0.0, dfd > 0.0)

    def log_density(self, z, dfn, dfd):
        half, other = 0.5 * dfn, 0.5 * dfd
        front = other * op.log(dfd) + half * op.log(dfn) - op.betaln(half, other)
        return front + xlogy(half - 1.0, z) - (half + other) * op.log(dfd + dfn * z)

    def below(self, z, dfn, dfd):
        return op.fdtr(dfn, dfd, z)

    def above(self, z, dfn, dfd):
        return op.fdtrc(dfn, dfd, z)

    def quantile(self, q, dfn, dfd):
        return op.fdtri(dfn, dfd, q)

    def moments(self, dfn, dfd):
        less, lesser = op.where(dfd > 2.0, dfd - 2.0, 1.0), op.where(dfd > 4.0, dfd - 4.0, 1.0)
        spread = 2.0 * dfd * dfd * (dfn + dfd - 2.0) / (dfn * less * less * lesser)
        return op.where(dfd > 2.0, dfd / less, inf), op.where(dfd > 4.0, spread, op.where(dfd > 2.0, inf, nan))

    def information(self, dfn, dfd):
        half, other = 0.5 * dfn, 0.5 * dfd
        turn = (1.0 - half) * op.digamma(half) - (1.0 + other) * op.digamma(other)
        return op.log(dfd) - op.log(dfn) + op.betaln(half, other) + turn + (half + other) * op.digamma(half + other)
