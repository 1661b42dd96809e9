"""The discrete families of `scipy.stats`.

    poisson.pmf(k, mu)    exp(k log(mu) - log(k!) - mu) for the ints from 0 on
    poisson.ppf(q, mu)    the least k with cdf(k) >= q, by bisection

Source: N. Johnson, A. Kemp and S. Kotz, Univariate Discrete Distributions (2005).
"""

from dataclasses import dataclass
from math import inf, nan

import numpy as np

from ..compiler.ops import primitives as op
from .distributions import Discrete, in_doubles
from .special import xlog1py, xlogy


def least(below, q, first, *shape):
    """The least int from `first` on below which lies the share q, of numbers."""
    if not 0.0 <= q <= 1.0:
        return nan
    if q == 0.0:
        return first - 1.0
    if q == 1.0 and below(first + 1e15, *shape) < 1.0:
        return inf
    width = 1.0
    while below(first + width, *shape) < q and width < 1e15:
        width = width * 2.0
    low, high = first - 1.0, first + width
    while high - low > 1.0:
        middle = op.floor(0.5 * (low + high))
        if below(middle, *shape) >= q:
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True)
class OnInts(Discrete):
    """With quantiles."""

    def ppf(self, q, *args, **kwds):
        shape, (loc,) = self.arguments(args, kwds)
        low, high = self.ends(*shape)

        def one(q, low, high, is_good, *shape):
            if not is_good:
                return nan
            return high if q == 1.0 else least(self.below, q, low, *shape)

        is_good = self.is_valid(*shape)
        found = np.vectorize(one)(in_doubles(q), in_doubles(low), in_doubles(high), is_good, *shape)
        return op.stop_gradient(found) + loc

    def isf(self, q, *args, **kwds):
        return self.ppf(1.0 - in_doubles(q), *args, **kwds)


@dataclass(frozen=True)
class Poisson(OnInts):
    name, shapes = "poisson", ("mu",)

    def is_valid(self, mu):
        return mu >= 0.0

    def log_mass(self, k, mu):
        return xlogy(k, mu) - op.gammaln(k + 1.0) - mu

    def below(self, k, mu):
        return op.pdtr(k, mu)

    def above(self, k, mu):
        return op.pdtrc(k, mu)

    def moments(self, mu):
        return mu, mu


@dataclass(frozen=True)
class Binomial(OnInts):
    name, shapes = "binom", ("n", "p")

    def ends(self, n, p):
        return 0, n

    def within(self, n, p):
        return 0.0

    def is_valid(self, n, p):
        return op.logical_and(op.logical_and(n >= 0.0, op.floor(n) == n), op.logical_and(p >= 0.0, p <= 1.0))

    def log_mass(self, k, n, p):
        count = op.gammaln(n + 1.0) - (op.gammaln(k + 1.0) + op.gammaln(n - k + 1.0))
        return count + xlogy(k, p) + xlog1py(n - k, -p)

    def below(self, k, n, p):
        return op.where(k < n, op.betaincc(k + 1.0, op.where(k < n, n - k, 1.0), p), 1.0)

    def above(self, k, n, p):
        return op.where(k < n, op.betainc(k + 1.0, op.where(k < n, n - k, 1.0), p), 0.0)

    def moments(self, n, p):
        return n * p, n * p * (1.0 - p)


@dataclass(frozen=True)
class Bernoulli(OnInts):
    name, shapes = "bernoulli", ("p",)

    def ends(self, p):
        return 0, 1

    def within(self, p):
        return 0.0

    def is_valid(self, p):
        return op.logical_and(p >= 0.0, p <= 1.0)

    def log_mass(self, k, p):
        return xlogy(k, p) + xlog1py(1.0 - k, -p)

    def below(self, k, p):
        return op.where(k >= 1.0, 1.0, 1.0 - p)

    def above(self, k, p):
        return op.where(k >= 1.0, 0.0, p)

    def moments(self, p):
        return p, p * (1.0 - p)


@dataclass(frozen=True)
class Geometric(OnInts):
    name, shapes = "geom", ("p",)

    def ends(self, p):
        return 1, inf

    def is_valid(self, p):
        return op.logical_and(p > 0.0, p <= 1.0)

    def log_mass(self, k, p):
        return xlog1py(k - 1.0, -p) + op.log(p)

    def below(self, k, p):
        return -op.expm1(op.log1p(-p) * k)

    def above(self, k, p):
        return op.exp(op.log1p(-p) * k)

    def log_above(self, k, p):
        return op.log1p(-p) * k

    def moments(self, p):
        return 1.0 / p, (1.0 - p) / (p * p)


@dataclass(frozen=True)
class NegativeBinomial(OnInts):
    name, shapes = "nbinom", ("n", "p")

    def is_valid(self, n, p):
        return op.logical_and(n > 0.0, op.logical_and(p > 0.0, p <= 1.0))

    def log_mass(self, k, n, p):
        count = op.gammaln(n + k) - op.gammaln(k + 1.0) - op.gammaln(n)
        return count + n * op.log(p) + xlog1py(k, -p)

    def below(self, k, n, p):
        return op.betainc(n, k + 1.0, p)

    def above(self, k, n, p):
        return op.betaincc(n, k + 1.0, p)

    def moments(self, n, p):
        return n * (1.0 - p) / p, n * (1.0 - p) / (p * p)


@dataclass(frozen=True)
class RandomInts(OnInts):
    name, shapes = "randint", ("low", "high")

    def ends(self, low, high):
        return low, high - 1.0

    def is_valid(self, low, high):
        return high > low

    def log_mass(self, k, low, high):
        return -op.log(high - low) + 0.0 * k

    def below(self, k, low, high):
        return (op.floor(k) - low + 1.0) / (high - low)

    def moments(self, low, high):
        width = high - low
        return 0.5 * (high + low - 1.0), (width * width - 1.0) / 12.0
