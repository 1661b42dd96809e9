"""Continuous families of `scipy.stats` whose distribution functions are elementary, and their quantiles with them.

    expon    density exp(-z),  below 1 - exp(-z),  quantile -log(1 - q)

Source: N. Johnson, S. Kotz and N. Balakrishnan, Continuous Univariate Distributions (1994, 1995).
"""

from dataclasses import dataclass
from math import inf, log, nan, pi, sqrt

from ..compiler.ops import primitives as op
from .distributions import Continuous
from .special import expit, log_expit, logit, xlogy

EULER = 0.57721566490153286


@dataclass(frozen=True)
class Uniform(Continuous):
    name, shapes = "uniform", ()

    def ends(self):
        return 0.0, 1.0

    def log_density(self, z):
        return 0.0 * z

    def below(self, z):
        return z

    def above(self, z):
        return 1.0 - z

    def quantile(self, q):
        return q

    def moments(self):
        return 0.5, 1.0 / 12.0

    def information(self):
        return 0.0


@dataclass(frozen=True)
class Exponential(Continuous):
    name, shapes = "expon", ()

    def ends(self):
        return 0.0, inf

    def log_density(self, z):
        return -z

    def below(self, z):
        return -op.expm1(-z)

    def above(self, z):
        return op.exp(-z)

    def log_above(self, z):
        return -z

    def quantile(self, q):
        return -op.log1p(-q)

    def upper_quantile(self, q):
        return -op.log(q)

    def moments(self):
        return 1.0, 1.0

    def information(self):
        return 1.0


@dataclass(frozen=True)
class Laplace(Continuous):
    name, shapes = "laplace", ()

    def log_density(self, z):
        return -op.absolute(z) - log(2.0)

    def below(self, z):
        small = 0.5 * op.exp(-op.absolute(z))
        return op.where(z > 0.0, 1.0 - small, small)

    def above(self, z):
        return self.below(-z)

    def log_below(self, z):
        return op.where(z > 0.0, op.log1p(-0.5 * op.exp(-op.absolute(z))), z - log(2.0))

    def log_above(self, z):
        return self.log_below(-z)

    def quantile(self, q):
        return op.where(q > 0.5, -op.log(2.0 * (1.0 - q)), op.log(2.0 * q))

    def upper_quantile(self, q):
        return -self.quantile(q)

    def moments(self):
        return 0.0, 2.0

    def information(self):
        return log(2.0) + 1.0


@dataclass(frozen=True)
class Cauchy(Continuous):
    name, shapes = "cauchy", ()
    has_moments = False

    def log_density(self, z):
        return -log(pi) - op.log1p(z * z)

    def below(self, z):
        return op.arctan2(1.0, -z) / pi

    def above(self, z):
        return op.arctan2(1.0, z) / pi

    def quantile(self, q):
        return op.tan(pi * q - 0.5 * pi)

    def upper_quantile(self, q):
        return -self.quantile(q)

    def moments(self):
        return nan, nan

    def information(self):
        return log(4.0 * pi)


@dataclass(frozen=True)
class Logistic(Continuous):
    name, shapes = "logistic", ()

    def log_density(self, z):
        size = -op.absolute(z)
        return size - 2.0 * op.log1p(op.exp(size))

    def below(self, z):
        return expit(z)

    def above(self, z):
        return expit(-z)

    def log_below(self, z):
        return log_expit(z)

    def log_above(self, z):
        return log_expit(-z)

    def quantile(self, q):
        return logit(q)

    def upper_quantile(self, q):
        return -logit(q)

    def moments(self):
        return 0.0, pi * pi / 3.0

    def information(self):
        return 2.0


@dataclass(frozen=True)
class Gumbel(Continuous):
    name, shapes = "gumbel_r", ()

    def log_density(self, z):
        return -z - op.exp(-z)

    def below(self, z):
        return op.exp(-op.exp(-z))

    def log_below(self, z):
        return -op.exp(-z)

    def above(self, z):
        return -op.expm1(-op.exp(-z))

    def quantile(self, q):
        return -op.log(-op.log(q))

    def upper_quantile(self, q):
        return -op.log(-op.log1p(-q))

    def moments(self):
        return EULER, pi * pi / 6.0

    def information(self):
        return EULER + 1.0


@dataclass(frozen=True)
class WeibullMin(Continuous):
    name, shapes = "weibull_min", ("c",)

    def ends(self, c):
        return 0.0, inf

    def is_valid(self, c):
        return c > 0.0

    def log_density(self, z, c):
        return op.log(c) + xlogy(c - 1.0, z) - z**c

    def below(self, z, c):
        return -op.expm1(-(z**c))

    def above(self, z, c):
        return op.exp(-(z**c))

    def log_above(self, z, c):
        return -(z**c)

    def quantile(self, q, c):
        return (-op.log1p(-q)) ** (1.0 / c)

    def upper_quantile(self, q, c):
        return (-op.log(q)) ** (1.0 / c)

    def moments(self, c):
        first = op.gamma(1.0 + 1.0 / c)
        return first, op.gamma(1.0 + 2.0 / c) - first * first

    def information(self, c):
        return -EULER / c - op.log(c) + EULER + 1.0


@dataclass(frozen=True)
class Pareto(Continuous):
    name, shapes = "pareto", ("b",)
    has_moments = False

    def ends(self, b):
        return 1.0, inf

    def within(self, b):
        return 2.0

    def is_valid(self, b):
        return b > 0.0

    def log_density(self, z, b):
        return op.log(b) - (b + 1.0) * op.log(z)

    def below(self, z, b):
        return -op.expm1(-b * op.log(z))

    def above(self, z, b):
        return z**-b

    def log_above(self, z, b):
        return -b * op.log(z)

    def quantile(self, q, b):
        return (1.0 - q) ** (-1.0 / b)

    def upper_quantile(self, q, b):
        return q ** (-1.0 / b)

    def moments(self, b):
        less, lesser = op.where(b > 1.0, b - 1.0, 1.0), op.where(b > 2.0, b - 2.0, 1.0)
        return op.where(b > 1.0, b / less, inf), op.where(b > 2.0, b / (lesser * less * less), inf)

    def information(self, b):
        return 1.0 + 1.0 / b - op.log(b)


@dataclass(frozen=True)
class Rayleigh(Continuous):
    name, shapes = "rayleigh", ()

    def ends(self):
        return 0.0, inf

    def log_density(self, z):
        return xlogy(1.0, z) - 0.5 * z * z

    def below(self, z):
        return -op.expm1(-0.5 * z * z)

    def above(self, z):
        return op.exp(-0.5 * z * z)

    def log_above(self, z):
        return -0.5 * z * z

    def quantile(self, q):
        return op.sqrt(-2.0 * op.log1p(-q))

    def upper_quantile(self, q):
        return op.sqrt(-2.0 * op.log(q))

    def moments(self):
        return sqrt(0.5 * pi), 2.0 - 0.5 * pi

    def information(self):
        return 0.5 * EULER + 1.0 - 0.5 * log(2.0)


@dataclass(frozen=True)
class Triangular(Continuous):
    """The mode is at c."""

    name, shapes = "triang", ("c",)

    def ends(self, c):
        return 0.0, 1.0

    def is_valid(self, c):
        return op.logical_and(c >= 0.0, c <= 1.0)

    def density(self, z, c):
        up = 2.0 * z / op.where(c == 0.0, 1.0, c)
        down = 2.0 * (1.0 - z) / op.where(c == 1.0, 1.0, 1.0 - c)
        return op.where(op.logical_or(z < c, c == 1.0), up, down)

    def log_density(self, z, c):
        return op.log(self.density(z, c))

    def below(self, z, c):
        up = z * z / op.where(c == 0.0, 1.0, c)
        down = (z * z - 2.0 * z + c) / op.where(c == 1.0, 1.0, c - 1.0)
        return op.where(op.logical_or(z < c, c == 1.0), up, down)

    def quantile(self, q, c):
        up, down = op.sqrt(c * q), 1.0 - op.sqrt((1.0 - c) * (1.0 - q))
        return op.where(q < c, up, down)

    def moments(self, c):
        return (c + 1.0) / 3.0, (1.0 - c + c * c) / 18.0

    def information(self, c):
        return 0.5 - log(2.0) + 0.0 * c


@dataclass(frozen=True)
class VonMises(Continuous):
    """On the circle: the density alone."""

    name, shapes = "vonmises", ("kappa",)

    def is_valid(self, kappa):
        return kappa >= 0.0

    def log_density(self, z, kappa):
        return kappa * (op.cos(z) - 1.0) - log(2.0 * pi) - op.log(op.i0e(kappa))
