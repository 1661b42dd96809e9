"""Distributions of `scipy.stats` with their parameters: d = gamma(2.0, scale=0.5).

    d.logpdf(x)    ->    gamma.logpdf(x, 2.0, 0.0, 0.5)
"""

from dataclasses import dataclass

from ..compiler.ops import static

DRAW = "draw with `np.random.default_rng(seed)` or with `pellucid.random`"


@dataclass(frozen=True)
class Frozen:
    """A distribution with its parameters."""

    dist: object
    parameters: tuple

    def all_parameters(self):
        shape, others = self.parameters
        return (*shape, *others)

    def pdf(self, x):
        return self.dist.pdf(x, *self.all_parameters())

    def logpdf(self, x):
        return self.dist.logpdf(x, *self.all_parameters())

    def pmf(self, k):
        return self.dist.pmf(k, *self.all_parameters())

    def logpmf(self, k):
        return self.dist.logpmf(k, *self.all_parameters())

    def cdf(self, x):
        return self.dist.cdf(x, *self.all_parameters())

    def logcdf(self, x):
        return self.dist.logcdf(x, *self.all_parameters())

    def sf(self, x):
        return self.dist.sf(x, *self.all_parameters())

    def logsf(self, x):
        return self.dist.logsf(x, *self.all_parameters())

    def ppf(self, q):
        return self.dist.ppf(q, *self.all_parameters())

    def isf(self, q):
        return self.dist.isf(q, *self.all_parameters())

    def mean(self):
        return self.dist.mean(*self.all_parameters())

    def var(self):
        return self.dist.var(*self.all_parameters())

    def std(self):
        return self.dist.std(*self.all_parameters())

    def median(self):
        return self.dist.median(*self.all_parameters())

    def stats(self, moments="mv"):
        return self.dist.stats(*self.all_parameters(), moments=moments)

    def entropy(self):
        return self.dist.entropy(*self.all_parameters())

    def moment(self, order):
        return self.dist.moment(order, *self.all_parameters())

    def support(self):
        return self.dist.support(*self.all_parameters())

    def expect(self, func=None, lb=None, ub=None, conditional=False):
        shape, others = self.parameters
        return self.dist.expect(func, shape, *others, lb=lb, ub=ub, conditional=conditional)

    def interval(self, confidence):
        return self.dist.interval(confidence, *self.all_parameters())

    def rvs(self, *args, **kwds):
        static.refuse("U012", f"{self.dist.name}.rvs draws numbers from a generator that is outside", DRAW)
