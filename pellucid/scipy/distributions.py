"""Distributions of `scipy.stats`: what all of them do, given what each says of its standard form.

    gamma.logpdf(x, a, loc, scale)    ->    z = (x - loc) / scale;  where(inside, log_density(z, a) - log(scale), -inf)
    d = gamma(a, scale=s);  d.cdf(x)  ->    gamma.cdf(x, a, 0, s)

A family has `shapes`, the names of its parameters besides `loc` and `scale`; `ends(*shape)`, between which points
it lies, and `within(*shape)`, a point inside; `is_valid(*shape)`; `log_density`, `below` (the distribution function)
and its kin, `quantile`; and `moments(*shape)`, its mean and variance.  Outside the support nothing is evaluated, so
that derivatives stay finite.  All results are float64, as SciPy's.
"""

from dataclasses import dataclass
from math import inf, nan

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .expectations import expectation, expected_count, shape_of
from .fitting import fit
from .frozen import DRAW, Frozen
from .special import in_doubles


def all_of(*conditions):
    found = True
    for condition in conditions:
        found = condition if found is True else op.logical_and(found, condition)
    return found


def where_all(condition, value, other):
    return value if condition is True else op.where(condition, value, other)


def in_support(z, inside, is_good, found, outside):
    """What was found inside, another value outside, and nan for bad parameters."""
    if inside is not True:
        found = op.where(inside, found, op.where(op.isnan(z), nan, outside))
    return where_all(is_good, found, nan)


def is_open(end):
    """Whether a support has no end there."""
    return static.is_static(end) and abs(end) == inf


@dataclass(frozen=True)
class Distribution:
    """What continuous and discrete ones have in common."""

    has_moments = True

    def arguments(self, args, kwds):
        """The shape parameters, and the others: `loc`, and `scale` of a continuous one."""
        names = (*self.shapes, *self.others)
        if len(args) > len(names):
            static.refuse("T004", f"{self.name} takes at most {len(names)} parameters: {', '.join(names)}")
        for name in kwds:
            if name not in names:
                static.refuse("T004", f"{self.name} has no parameter `{name}`: it has {', '.join(names)}")
        values = []
        for place, name in enumerate(names):
            if place < len(args):
                values.append(in_doubles(args[place]))
            elif name in kwds:
                values.append(in_doubles(kwds[name]))
            elif place < len(self.shapes):
                static.refuse("T004", f"{self.name} needs its parameter `{name}`")
            else:
                values.append(1.0 if name == "scale" else 0.0)
        count = len(self.shapes)
        return tuple(values[:count]), tuple(values[count:])

    def __call__(self, *args, **kwds):
        return Frozen(self, self.arguments(args, kwds))

    def freeze(self, *args, **kwds):
        return Frozen(self, self.arguments(args, kwds))

    def is_valid(self, *shape):
        return True

    def cdf(self, x, *args, **kwds):
        return self.of_ends(x, args, kwds, self.below, 0.0, 1.0)

    def logcdf(self, x, *args, **kwds):
        return self.of_ends(x, args, kwds, self.log_below, -inf, 0.0)

    def sf(self, x, *args, **kwds):
        return self.of_ends(x, args, kwds, self.above, 1.0, 0.0)

    def logsf(self, x, *args, **kwds):
        return self.of_ends(x, args, kwds, self.log_above, 0.0, -inf)

    def log_below(self, z, *shape):
        return op.log(self.below(z, *shape))

    def above(self, z, *shape):
        return 1.0 - self.below(z, *shape)

    def log_above(self, z, *shape):
        return op.log(self.above(z, *shape))

    def median(self, *args, **kwds):
        return self.ppf(0.5, *args, **kwds)

    def std(self, *args, **kwds):
        return op.sqrt(self.var(*args, **kwds))

    def stats(self, *args, moments="mv", **kwds):
        """Of the letters "mvsk": mean, variance, skewness, excess kurtosis."""
        found = []
        for letter in moments:
            if letter == "m":
                found.append(self.mean(*args, **kwds))
            elif letter == "v":
                found.append(self.var(*args, **kwds))
            elif letter == "s":
                found.append(shape_of(self, args, kwds, 3))
            elif letter == "k":
                found.append(shape_of(self, args, kwds, 4) - 3.0)
            else:
                static.refuse("U012", f"{self.name}.stats gives moments of 'mvsk', not of {moments!r}")
        return tuple(found) if len(found) > 1 else found[0]

    def support(self, *args, **kwds):
        """The ends, moved and scaled."""
        shape, others = self.arguments(args, kwds)
        scale = others[1] if len(others) > 1 else 1.0
        low, high = self.ends(*shape)
        is_good = self.is_valid(*shape)
        ends = [in_doubles(end) if is_open(end) else in_doubles(end) * scale + others[0] for end in (low, high)]
        return where_all(is_good, ends[0], nan), where_all(is_good, ends[1], nan)

    def moment(self, order, *args, **kwds):
        """The mean of x^order; of 3 and more by an integral, of numbers."""
        if order == 0:
            return in_doubles(1.0)
        if order == 1:
            return self.mean(*args, **kwds)
        if order == 2:
            return self.var(*args, **kwds) + self.mean(*args, **kwds) ** 2
        self.require_moments()
        return self.mean_of(lambda x: x**order, args, kwds)

    def require_moments(self):
        if not self.has_moments:
            static.refuse("U012", f"moments of {self.name} beyond the second may not exist", "integrate with `quad`")

    def interval(self, confidence, *args, **kwds):
        """The ends between which lies that much, with as much on either side."""
        confidence = in_doubles(confidence)
        return self.ppf(0.5 - 0.5 * confidence, *args, **kwds), self.ppf(0.5 + 0.5 * confidence, *args, **kwds)

    def rvs(self, *args, **kwds):
        static.refuse("U012", f"{self.name}.rvs draws numbers from a generator that is outside", DRAW)


@dataclass(frozen=True)
class Continuous(Distribution):
    """By the standard form: of x as of z = (x - loc) / scale."""

    others = ("loc", "scale")

    def ends(self, *shape):
        return -inf, inf

    def within(self, *shape):
        return 0.5

    def standard(self, x, args, kwds):
        """(z, z or a point inside, whether z is inside, whether the parameters are good, the parameters)."""
        shape, (loc, scale) = self.arguments(args, kwds)
        z = (in_doubles(x) - loc) / scale
        low, high = self.ends(*shape)
        above = True if is_open(low) else op.logical_and(z >= low, z > -inf)
        under = op.logical_and(z <= high, z < inf) if not is_open(high) else True if is_open(low) else z < inf
        inside = all_of(above, under)
        is_valid = self.is_valid(*shape)
        is_good = all_of(is_valid, op.cast(scale, dtype="f64") > 0.0)
        safe = where_all(all_of(inside, is_valid), z, self.within(*shape))
        return z, safe, inside, is_good, shape, scale

    def pdf(self, x, *args, **kwds):
        z, safe, inside, is_good, shape, scale = self.standard(x, args, kwds)
        return in_support(z, inside, is_good, self.density(safe, *shape) / scale, 0.0)

    def density(self, z, *shape):
        return op.exp(self.log_density(z, *shape))

    def logpdf(self, x, *args, **kwds):
        z, safe, inside, is_good, shape, scale = self.standard(x, args, kwds)
        found = self.log_density(safe, *shape) - op.log(op.cast(scale, dtype="f64"))
        return in_support(z, inside, is_good, found, -inf)

    def of_ends(self, x, args, kwds, function, at_low, at_high):
        """A function of z inside, and what it is below and above."""
        z, safe, _, is_good, shape, _ = self.standard(x, args, kwds)
        low, high = self.ends(*shape)
        found = function(safe, *shape)
        if not is_open(low):
            found = op.where(op.logical_or(z < low, z == -inf), at_low, found)
        if not (is_open(low) and is_open(high)):
            found = op.where(z == inf if is_open(high) else op.logical_or(z > high, z == inf), at_high, found)
        return op.where(op.logical_or(op.logical_not(is_good), op.isnan(z)), nan, found)

    def upper_quantile(self, q, *shape):
        return self.quantile(1.0 - q, *shape)

    def ppf(self, q, *args, **kwds):
        return self.at_share(q, args, kwds, self.quantile, False)

    def isf(self, q, *args, **kwds):
        return self.at_share(q, args, kwds, self.upper_quantile, True)

    def at_share(self, q, args, kwds, function, is_upper):
        """The point below or above which a share lies; the ends of the support for 0 and 1."""
        shape, (loc, scale) = self.arguments(args, kwds)
        q = in_doubles(q)
        is_good = all_of(self.is_valid(*shape), op.cast(scale, dtype="f64") > 0.0)
        is_between = all_of(q > 0.0, q < 1.0, is_good)
        found = function(op.where(is_between, q, 0.5), *shape) * scale + loc
        ends = self.ends(*shape)
        low, high = [end if is_open(end) else end * scale + loc for end in ends]
        at_zero, at_one = (high, low) if is_upper else (low, high)
        found = op.where(q == 0.0, at_zero, op.where(q == 1.0, at_one, found))
        return op.where(all_of(q >= 0.0, q <= 1.0, is_good), found, nan)

    def expect(self, func=None, args=(), loc=0, scale=1, lb=None, ub=None, conditional=False):
        """The mean of func(x), a number, between two ends; `conditional`: out of the share that lies there."""
        found = expectation(self, func, (*args, loc, scale), {}, lb, ub)
        if conditional:
            above = 1.0 if ub is None else self.cdf(ub, *args, loc, scale)
            return found / (above - (0.0 if lb is None else self.cdf(lb, *args, loc, scale)))
        return found

    def mean_of(self, func, args, kwds):
        return expectation(self, func, args, kwds, None, None)

    def fit(self, data, *args, **kwds):
        """The parameters that make the sample likeliest; `floc=`, `fscale=` and `f0=` hold some."""
        return fit(self, data, kwds)

    def mean(self, *args, **kwds):
        return self.moment_of(args, kwds, 0)

    def var(self, *args, **kwds):
        return self.moment_of(args, kwds, 1)

    def moment_of(self, args, kwds, which):
        shape, (loc, scale) = self.arguments(args, kwds)
        found = op.cast(self.moments(*shape)[which], dtype="f64")
        is_good = all_of(self.is_valid(*shape), op.cast(scale, dtype="f64") > 0.0)
        return op.where(is_good, found * scale + loc if which == 0 else found * scale * scale, nan)

    def entropy(self, *args, **kwds):
        shape, (_, scale) = self.arguments(args, kwds)
        is_good = all_of(self.is_valid(*shape), op.cast(scale, dtype="f64") > 0.0)
        return op.where(is_good, self.information(*shape) + op.log(op.cast(scale, dtype="f64")), nan)

    def information(self, *shape):
        static.refuse("U012", f"{self.name}.entropy is not supported")


@dataclass(frozen=True)
class Discrete(Distribution):
    """On the ints, of which `loc` is subtracted."""

    others = ("loc",)

    def ends(self, *shape):
        return 0, inf

    def within(self, *shape):
        return 1.0

    def standard(self, k, args, kwds):
        shape, (loc,) = self.arguments(args, kwds)
        k = in_doubles(k) - loc
        low, high = self.ends(*shape)
        inside = all_of(k >= low, True if is_open(high) else k <= high)
        is_good = self.is_valid(*shape)
        return k, where_all(all_of(inside, is_good), k, self.within(*shape)), inside, is_good, shape

    def pmf(self, k, *args, **kwds):
        z, safe, inside, is_good, shape = self.standard(k, args, kwds)
        inside = op.logical_and(inside, op.floor(z) == z)
        return in_support(z, inside, is_good, op.exp(self.log_mass(safe, *shape)), 0.0)

    def logpmf(self, k, *args, **kwds):
        z, safe, inside, is_good, shape = self.standard(k, args, kwds)
        inside = op.logical_and(inside, op.floor(z) == z)
        return in_support(z, inside, is_good, self.log_mass(safe, *shape), -inf)

    def of_ends(self, k, args, kwds, function, at_low, at_high):
        z, safe, _, is_good, shape = self.standard(k, args, kwds)
        low, high = self.ends(*shape)
        found = op.where(z < low, at_low, function(op.floor(safe), *shape))
        if not is_open(high):
            found = op.where(z >= high, at_high, found)
        found = op.where(op.isnan(z), nan, op.where(z == inf, at_high, found))
        return where_all(is_good, found, nan)

    def expect(self, func=None, args=(), loc=0, lb=None, ub=None, conditional=False):
        found = expected_count(self, func, (*args, loc), {}, lb, ub)
        if conditional:
            above = 1.0 if ub is None else self.cdf(ub, *args, loc)
            return found / (above - (0.0 if lb is None else self.cdf(lb - 1, *args, loc)))
        return found

    def mean_of(self, func, args, kwds):
        return expected_count(self, func, args, kwds, None, None)

    def entropy(self, *args, **kwds):
        return expected_count(self, lambda k: -self.logpmf(k, *args, **kwds), args, kwds, None, None)

    def mean(self, *args, **kwds):
        shape, (loc,) = self.arguments(args, kwds)
        return where_all(self.is_valid(*shape), op.cast(self.moments(*shape)[0], dtype="f64") + loc, nan)

    def var(self, *args, **kwds):
        shape, _ = self.arguments(args, kwds)
        return where_all(self.is_valid(*shape), op.cast(self.moments(*shape)[1], dtype="f64"), nan)
