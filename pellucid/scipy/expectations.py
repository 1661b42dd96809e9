"""Means of functions of what is distributed: integrals with the density, and sums with the masses.

    gamma.expect(f, (a,))    the integral of f(x) pdf(x), each side of the median mapped from 0 to 1
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .integrate_quad import quad
from .special import in_doubles

MOST = 100000  # terms of a sum


def expectation(family, func, args, kwds, lb, ub):
    """Of one number; `lb` and `ub` are the ends, or None for those of the support."""
    shape, (loc, scale) = family.arguments(args, kwds)
    require_numbers(family, shape, loc, scale)
    low, high = [in_doubles(end) for end in family.ends(*shape)]
    low = low if lb is None else op.maximum(low, (in_doubles(lb) - loc) / scale)
    high = high if ub is None else op.minimum(high, (in_doubles(ub) - loc) / scale)
    middle, width = in_doubles(family.quantile(0.5, *shape)), 0.0
    width = in_doubles(family.upper_quantile(0.25, *shape)) - in_doubles(family.quantile(0.25, *shape))
    middle = op.minimum(op.maximum(middle, low), high)

    def part(end, sense):
        is_far = op.logical_not(op.isfinite(end))
        length = op.where(is_far, sense * width, op.where(is_far, 0.0, end) - middle)

        def density(u):
            rest = 1.0 - u
            z = middle + length * op.where(is_far, u / rest, u)
            weight = family.density(z, *shape) * op.absolute(length) * op.where(is_far, 1.0 / (rest * rest), 1.0)
            x = z * scale + loc
            return weight * (x if func is None else func(x))

        return quad(density, 0.0, 1.0, epsabs=1e-14, epsrel=1e-11)[0]

    return part(low, -1.0) + part(high, 1.0)


def expected_count(family, func, args, kwds, lb, ub):
    """The sum over ints, from where they begin until terms after the median no longer count."""
    shape, (loc,) = family.arguments(args, kwds)
    require_numbers(family, shape, loc, 1.0)
    low, high = [in_doubles(end) for end in family.ends(*shape)]
    low = low if lb is None else op.maximum(low, op.ceil(in_doubles(lb) - loc))
    high = high if ub is None else op.minimum(high, op.floor(in_doubles(ub) - loc))
    middle = op.maximum(op.stop_gradient(in_doubles(family.moments(*shape)[0])), low)
    found, k, count, is_over = 0.0, low, 0, False
    while k <= high and count < MOST and not is_over:
        mass = op.exp(family.log_mass(k, *shape))
        term = 0.0 * mass
        if mass > 0.0:
            term = mass * (k + loc if func is None else func(k + loc))
        found += term
        is_over = k > middle and op.absolute(term) <= 1e-18 * op.absolute(found)
        k += 1.0
        count += 1
    return found


def require_numbers(family, shape, loc, scale):
    if any(static.rank(value) > 0 for value in (*shape, loc, scale)):
        static.refuse("S002", f"{family.name}.expect, higher moments and sums take numbers as parameters, not arrays")


def shape_of(family, args, kwds, order):
    """The central moment of the order, divided by that power of the standard deviation."""
    family.require_moments()
    middle, spread = family.mean(*args, **kwds), family.std(*args, **kwds)
    return family.mean_of(lambda x: ((x - middle) / spread) ** order, args, kwds)
