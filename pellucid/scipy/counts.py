"""Further discrete families of `scipy.stats`, whose distribution functions are sums of their masses.

    hypergeom.pmf(k, M, n, N)    C(n, k) C(M - n, N - k) / C(M, N)
    zipf.cdf(k, a)               1 - zeta(a, k + 1) / zeta(a)

Source: N. Johnson, A. Kemp and S. Kotz, Univariate Discrete Distributions (2005).
"""

from dataclasses import dataclass
from math import inf, nan

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array
from .discrete import OnInts
from .distributions import DRAW, all_of, in_doubles
from .special import xlogy


@dataclass(frozen=True)
class Summed(OnInts):
    """What has a `log_mass` and a first int."""

    def below(self, k, *shape):
        return self.sums(k, shape, True)

    def above(self, k, *shape):
        return self.sums(k, shape, False)

    def sums(self, k, shape, is_below):
        def one(k, *shape):
            low, high = self.ends(*shape)
            found, i, last = 0.0, low if is_below else op.maximum(k + 1.0, low), k if is_below else high
            while i <= last:
                found += op.exp(self.log_mass(i, *shape))
                i += 1.0
            return op.minimum(found, 1.0)

        return np.vectorize(one)(k, *shape)


def log_choices(n, k):
    return -op.log(n + 1.0) - op.betaln(n - k + 1.0, k + 1.0)


@dataclass(frozen=True)
class HyperGeometric(Summed):
    """k of n things that count among M, in N drawn."""

    name, shapes = "hypergeom", ("M", "n", "N")

    def ends(self, M, n, N):
        return op.maximum(N - (M - n), 0.0), op.minimum(n, N)

    def within(self, M, n, N):
        return op.maximum(N - (M - n), 0.0)

    def is_valid(self, M, n, N):
        are_ints = all_of(op.floor(M) == M, op.floor(n) == n, op.floor(N) == N)
        return all_of(are_ints, M >= 0.0, n >= 0.0, N >= 0.0, n <= M, N <= M)

    def log_mass(self, k, M, n, N):
        return log_choices(n, k) + log_choices(M - n, N - k) - log_choices(M, N)

    def moments(self, M, n, N):
        part = n / M
        return N * part, N * part * (1.0 - part) * (M - N) / (M - 1.0)


@dataclass(frozen=True)
class BetaBinomial(Summed):
    name, shapes = "betabinom", ("n", "a", "b")

    def ends(self, n, a, b):
        return 0.0 * n, n

    def within(self, n, a, b):
        return 0.0

    def is_valid(self, n, a, b):
        return all_of(n >= 0.0, op.floor(n) == n, a > 0.0, b > 0.0)

    def log_mass(self, k, n, a, b):
        return log_choices(n, k) + op.betaln(k + a, n - k + b) - op.betaln(a, b)

    def moments(self, n, a, b):
        whole = a + b
        part = a / whole
        return n * part, n * (whole + n) * part * (1.0 - part) / (whole + 1.0)


@dataclass(frozen=True)
class Zipf(OnInts):
    name, shapes = "zipf", ("a",)
    has_moments = False

    def ends(self, a):
        return 1, inf

    def is_valid(self, a):
        return a > 1.0

    def log_mass(self, k, a):
        return -a * op.log(k) - op.log(op.zeta(a, 1.0))

    def below(self, k, a):
        return 1.0 - self.above(k, a)

    def above(self, k, a):
        return op.zeta(a, k + 1.0) / op.zeta(a, 1.0)

    def moments(self, a):
        whole = op.zeta(a, 1.0)
        first = op.zeta(op.where(a > 2.0, a - 1.0, 2.0), 1.0) / whole
        second = op.zeta(op.where(a > 3.0, a - 2.0, 2.0), 1.0) / whole
        return op.where(a > 2.0, first, inf), op.where(a > 3.0, second - first * first, inf)


@dataclass(frozen=True)
class Multinomial:
    """How often each of several things comes in n trials; the last probability is what the others leave."""

    name = "multinomial"

    def parameters(self, p):
        p = as_array(in_doubles(p))
        if static.rank(p) != 1:
            static.refuse("S002", "scipy.stats.multinomial takes one vector of probabilities here")
        return np.append(p[:-1], 1.0 - op.sum(p[:-1]))

    def logpmf(self, x, n, p):
        x, n, p = as_array(in_doubles(x)), in_doubles(n), self.parameters(p)
        if x.shape[-1] != p.shape[0]:
            raise ValueError("x must have as many numbers along its last axis as there are probabilities")
        is_good = all_of(op.all(p >= 0.0), n >= 0.0, op.floor(n) == n)
        axis = static.rank(x) - 1
        is_count = op.all(op.logical_and(x >= 0.0, op.floor(x) == x), axis=axis, keepdims=False)
        inside = op.logical_and(is_count, op.sum(x, axis=axis, keepdims=False) == n)
        x = op.maximum(x, 0.0)
        found = op.gammaln(n + 1.0) + op.sum(xlogy(x, p) - op.gammaln(x + 1.0), axis=axis, keepdims=False)
        return op.where(is_good, op.where(inside, found, -inf), nan)

    def pmf(self, x, n, p):
        return op.exp(self.logpmf(x, n, p))

    def mean(self, n, p):
        return in_doubles(n) * self.parameters(p)

    def cov(self, n, p):
        p = self.parameters(p)
        return in_doubles(n) * (np.diag(p) - np.outer(p, p))

    def rvs(self, *args, **kwds):
        static.refuse("U012", "multinomial.rvs draws numbers from a generator that is outside", DRAW)

    def __call__(self, n, p):
        return FrozenMultinomial(n, p)


@dataclass(frozen=True)
class FrozenMultinomial:
    n: object
    p: object

    def logpmf(self, x):
        return Multinomial().logpmf(x, self.n, self.p)

    def pmf(self, x):
        return op.exp(self.logpmf(x))

    def mean(self):
        return Multinomial().mean(self.n, self.p)

    def cov(self):
        return Multinomial().cov(self.n, self.p)
