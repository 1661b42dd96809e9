"""Derivatives by parameters: of the incomplete gamma and beta functions, and of a Bessel function by its order.

    d/da gammainc(a, x) = (log(x) - digamma(a)) gammainc(a, x) + 1 / gamma(a)  int_0^x t^(a - 1) exp(-t) log(t / x) dt

There is no closed form.  The integrals are taken over the tail that is not cut off by rounding, below the bound or
above it, in the logarithm of the distance from the bound on a logarithmic scale: v = |log(t / x)| = exp(u).  There the
integrand is analytic in a strip and falls off on both sides, so that the trapezoidal rule converges exponentially
(L. N. Trefethen and J. A. C. Weideman, The exponentially convergent trapezoidal rule, SIAM Review 56 (2014)).
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import expand_dims

NODES = 128
BELOW, ABOVE = 15.0, 4.0  # from the scale of the integrand, in logarithms: v^2 and exp(-v) are nothing there


def wide(x):
    """In float64, with an axis for the nodes."""
    x = op.cast(x, dtype="f64")
    return expand_dims(x, -1) if static.is_array(x) else x


def distances(least, most):
    """exp(u) at the nodes, for scales between these two, and the step."""
    start = op.log(least) - BELOW
    step = (op.log(most) + ABOVE - start) / (NODES - 1.0)
    return op.exp(start + step * np.arange(NODES)), step


def summed(terms, step):
    found = op.sum(terms * step, axis=-1)
    return found


def gamma_by_order(a, x):
    """Of gammainc(a, x) by a, and 0 where x is 0 or infinite."""
    is_inside = op.logical_and(x > 0.0, x < np.inf)
    a, x = op.cast(a, dtype="f64"), op.cast(op.where(is_inside, x, 1.0), dtype="f64")
    is_low = x <= op.where(a > 1.0, a, 1.0)
    short = op.where(x < 1.0, x, op.sqrt(x))
    rate = op.where(is_low, op.where(a > 1.0, op.absolute(a - x) + short, a), op.absolute(x - a) + short)
    scale = op.stop_gradient(1.0 / wide(rate))
    v, step = distances(scale, scale)
    towards = wide(op.where(is_low, -1.0, 1.0))
    terms = v * v * op.exp(towards * wide(a) * v - wide(x) * op.expm1(towards * v))
    integral = op.exp(a * op.log(x) - x - op.gammaln(a)) * summed(terms, step)
    change = op.log(x) - op.digamma(a)
    below = change * op.gammainc(a, x) - integral
    above = -change * op.gammaincc(a, x) - integral
    return op.where(is_inside, op.where(is_low, below, above), 0.0)


def beta_by_first(a, b, x, rest):
    """Of betainc(a, b, x) by a, where `rest` is 1 - x; 0 at both ends."""
    is_inside = op.logical_and(x > 0.0, rest > 0.0)
    x = op.cast(op.where(is_inside, x, 0.5), dtype="f64")
    rest = op.cast(op.where(is_inside, rest, 0.5), dtype="f64")
    a, b = op.cast(a, dtype="f64"), op.cast(b, dtype="f64")
    is_low = x * b <= a * rest  # below the mean
    p, q = op.where(is_low, a, b), op.where(is_low, b, a)
    odds = op.where(is_low, x / rest, rest / x)
    bend = op.absolute(q - 1.0) * odds
    rate = op.absolute(p - (q - 1.0) * odds) + op.sqrt(bend * (1.0 + odds))
    scales = op.stop_gradient(wide(1.0 / p)), op.stop_gradient(wide(1.0 / rate))
    v, step = distances(op.minimum(scales[0], scales[1]), op.maximum(scales[0], scales[1]))
    change = op.log1p(-wide(odds) * op.expm1(-v))
    weight = op.where(wide(is_low) > 0.0, -v, change)
    terms = v * weight * op.exp((wide(q) - 1.0) * change - wide(p) * v)
    density = p * op.log(op.where(is_low, x, rest)) + (q - 1.0) * op.log(op.where(is_low, rest, x)) - op.betaln(a, b)
    integral = op.exp(density) * summed(terms, step)
    slope = op.log(x) - op.digamma(a) + op.digamma(a + b)
    below = slope * op.betainc(a, b, x) + integral
    above = -slope * op.betaincc(a, b, x) - integral
    return op.where(is_inside, op.where(is_low, below, above), 0.0)


def kve_by_order(v, x, out):
    """The integral of t sinh(v t) exp(x - x cosh(t)) over t > 0 (DLMF 10.32.9), around the peak of the integrand.

    It is at sinh(t) = v / x; to either side the window ends where the integrand is exp(-45) of what it is there.
    """
    v, x = op.cast(v, dtype="f64"), op.cast(x, dtype="f64")
    order = op.absolute(v)
    peak = op.arcsinh(order / x)
    width = 45.0 / op.hypot(order, x)
    right = op.log1p(width + op.sqrt(width * (width + 2.0)))
    some = op.where(order > 0.0, order, 1.0)
    left = op.where(some < 45.0, 90.0 / some, op.sqrt(180.0 / some))
    start = op.stop_gradient(op.where(left < peak, peak - left, 0.0))
    step = wide(op.stop_gradient((peak + right - start) / NODES))
    t = wide(start) + step * (np.arange(NODES) + 0.5)
    half = op.sinh(0.5 * t)
    exponent = wide(order) * t - 2.0 * wide(x) * half * half
    terms = 0.5 * t * (op.exp(exponent) - op.exp(exponent - 2.0 * wide(order) * t))
    return op.sign(v) * summed(terms, step)


def kv_by_order(v, x, out):
    return op.exp(-op.cast(x, dtype="f64")) * kve_by_order(v, x, out)
