"""Families of `scipy.stats` that are parts or transformations of the normal distribution.

    truncnorm    log_density(z) = -z^2 / 2 - log(2 pi) / 2 - log(ndtr(b) - ndtr(a))  between a and b
    skewnorm     its quantiles solve below(z) = q, and have the derivatives of that equation

Sources: A. Azzalini, A class of distributions which includes the normal ones (1985); M. Tweedie (1957).
"""

from dataclasses import dataclass
from math import inf, log, pi, sqrt

from ..compiler.ops import primitives as op
from .distributions import Continuous
from .solved_quantiles import Solved
from .special import log_ndtr, ndtr


def log_normal_density(z):
    return -0.5 * z * z - 0.5 * log(2.0 * pi)


def log_between(a, b):
    """The logarithm of ndtr(b) - ndtr(a), from the side where the terms are small."""
    is_right, is_left = a > 0.0, b <= 0.0
    low = op.where(is_right, -b, op.where(is_left, a, -1.0))
    high = op.where(is_right, -a, op.where(is_left, b, 1.0))
    top = log_ndtr(high)
    side = top + op.log1p(-op.exp(log_ndtr(low) - top))
    across = op.logical_not(op.logical_or(is_right, is_left))
    middle = op.log1p(-ndtr(op.where(across, a, -1.0)) - ndtr(-op.where(across, b, 1.0)))
    return op.where(across, middle, side)


def middle_of(a, b):
    """A point between, not far out."""
    right = op.minimum(a + 0.5, 0.5 * (a + op.minimum(b, a + 2.0)))
    left = op.maximum(b - 0.5, 0.5 * (b + op.maximum(a, b - 2.0)))
    return op.where(op.logical_and(a < 0.0, b > 0.0), 0.0, op.where(a >= 0.0, right, left))


def log_of_sum(x, y):
    top = op.maximum(x, y)
    return top + op.log1p(op.exp(-op.absolute(x - y)))


@dataclass(frozen=True)
class TruncatedNormal(Continuous):
    name, shapes = "truncnorm", ("a", "b")

    def ends(self, a, b):
        return a, b

    def within(self, a, b):
        return middle_of(a, b)

    def is_valid(self, a, b):
        return a < b

    def log_density(self, z, a, b):
        return log_normal_density(z) - log_between(a, b)

    def log_below(self, z, a, b):
        return log_between(a, op.where(z > a, z, middle_of(a, b))) - log_between(a, b)

    def below(self, z, a, b):
        return op.where(z > a, op.exp(self.log_below(z, a, b)), 0.0)

    def log_above(self, z, a, b):
        return log_between(op.where(z < b, z, middle_of(a, b)), b) - log_between(a, b)

    def above(self, z, a, b):
        return op.where(z < b, op.exp(self.log_above(z, a, b)), 0.0)

    def quantile(self, q, a, b):
        return self.by_logarithms(op.log(q), op.log1p(-q), a, b)

    def upper_quantile(self, q, a, b):
        return self.by_logarithms(op.log1p(-q), op.log(q), a, b)

    def by_logarithms(self, log_q, log_rest, a, b):
        is_left, whole = a < 0.0, log_between(a, b)
        left = log_of_sum(log_ndtr(op.where(is_left, a, -1.0)), log_q + whole)
        right = log_of_sum(log_ndtr(-op.where(is_left, 1.0, b)), log_rest + whole)
        found = op.ndtri_exp(op.where(is_left, left, right))
        return op.where(is_left, found, -found)

    def densities(self, a, b):
        """At the ends, and those times the ends, which are 0 where these are infinite."""
        whole, found = log_between(a, b), []
        for end in (a, b):
            is_far = op.logical_not(op.isfinite(end))
            safe = op.where(is_far, 0.0, end)
            density = op.where(is_far, 0.0, op.exp(log_normal_density(safe) - whole))
            found.append((density, safe * density))
        return found

    def moments(self, a, b):
        (at_a, a_times), (at_b, b_times) = self.densities(a, b)
        first = at_a - at_b
        return first, 1.0 + a_times - b_times - first * first

    def information(self, a, b):
        (_, a_times), (_, b_times) = self.densities(a, b)
        return 0.5 * log(2.0 * pi) + 0.5 + log_between(a, b) + 0.5 * (a_times - b_times)


@dataclass(frozen=True)
class SkewNormal(Solved):
    name, shapes = "skewnorm", ("a",)

    def log_density(self, z, a):
        return log(2.0) + log_normal_density(z) + log_ndtr(a * z)

    def below(self, z, a):
        return ndtr(z) - 2.0 * op.owens_t(z, a)

    def above(self, z, a):
        return ndtr(-z) + 2.0 * op.owens_t(z, a)

    def moments(self, a):
        first = sqrt(2.0 / pi) * a / op.sqrt(1.0 + a * a)
        return first, 1.0 - first * first


@dataclass(frozen=True)
class InverseGauss(Solved):
    name, shapes = "invgauss", ("mu",)

    def ends(self, mu):
        return 0.0, inf

    def is_valid(self, mu):
        return mu > 0.0

    def log_density(self, z, mu):
        at_zero = z == 0.0
        safe = op.where(at_zero, 1.0, z)
        found = -0.5 * log(2.0 * pi) - 1.5 * op.log(safe) - (safe / mu - 1.0) ** 2 / (2.0 * safe)
        return op.where(at_zero, -inf, found)

    def parts(self, z, mu):
        """The logarithms of the two terms of the distribution function."""
        root = op.sqrt(z)
        return (z / mu - 1.0) / root, 2.0 / mu + log_ndtr(-(z / mu + 1.0) / root)

    def below(self, z, mu):
        first, second = self.parts(z, mu)
        return ndtr(first) + op.exp(second)

    def above(self, z, mu):
        first, second = self.parts(z, mu)
        front = log_ndtr(-first)
        return op.exp(front) * -op.expm1(second - front)

    def moments(self, mu):
        return mu, mu * mu * mu
