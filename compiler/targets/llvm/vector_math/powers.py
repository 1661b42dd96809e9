"""x ** y = exp(y log x), with the logarithm to 65 bits so that large products keep their last place.

    power(x, y)    ->    log|x| as high + low;    y * (high + low) as a pair;    exp of the pair;    sign and limits

Exact results are exact: before the last rounding the value is off by less than half of what that rounding may change.
"""

from __future__ import annotations

import math

from .exponentials import EXP, LN2, LOG2_E, scaled
from .lanes import ROUNDER, Number, at_least, at_most, choose, fast_two_sum, fma, polynomial, two_product, two_sum
from .logarithms import exponent_and_rest, log_of_parts

# 2 artanh(s) / s = 2 + s² (2/3 + s² p(s²)); two thirds in two parts
POWER_LOG = (
    0.3999999999999998, 0.28571428571443797, 0.22222222217805213, 0.18181818841859793, 0.1538455857873914,
    0.13336258763862188, 0.11675893890527048, 0.11980847851585305,
)  # fmt: skip
TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17)
# Beyond this size of y log x the result is 0 or infinite.
END = 800.0


def _long_log(x: Number) -> tuple[Number, Number]:
    """log(x) of a finite x > 0 in two parts: 2 artanh(s) with s = (m - 1) / (m + 1), and k ln 2."""
    k, f = exponent_and_rest(x)
    below, below_low = two_sum(f, f.like(2.0))
    inverse = 1.0 / below
    s = f * inverse
    s_low = fma(-s, below_low, fma(-s, below, f)) * inverse
    z, z_low = two_product(s, s)
    z_low = fma(s + s, s_low, z_low)
    third, third_low = fast_two_sum(z.like(TWO_THIRDS[0]), z * polynomial(z, POWER_LOG))
    w, w_low = two_product(z, third)
    w_low = w_low + fma(z, third_low + TWO_THIRDS[1], z_low * third)
    v, v_low = fast_two_sum(w.like(2.0), w)
    near, near_low = two_product(s, v)
    near_low = near_low + fma(s, v_low + w_low, s_low * v)
    whole, whole_low = two_product(k, k.like(LN2["f64"][0]))
    high, low = fast_two_sum(whole, near)
    return fast_two_sum(high, low + (near_low + fma(k, LN2["f64"][1], whole_low)))


def _limits(x: Number, y: Number, size: Number) -> Number:
    """Signs, and NumPy's values where a number is zero, infinite or nan."""
    is_whole = y.floor().equals(y)
    half = y * 0.5
    is_odd = is_whole & ~half.floor().equals(half)
    result = choose(is_odd & x.is_negative(), -size, size)
    result = choose((x < 0.0) & (x > -math.inf) & ~is_whole, math.nan, result)
    result = choose(x.is_nan() | y.is_nan(), math.nan, result)
    return choose(x.equals(1.0) | y.equals(0.0), 1.0, result)


def _product(x: Number, y: Number, high: Number) -> Number:
    """y log|x| where x may be zero or infinite; nothing times an infinite y is nothing."""
    high = choose(x.equals(0.0), -math.inf, choose(x.equals(math.inf), math.inf, high))
    return choose(high.equals(0.0), 0.0, y * high)


def power(x: Number, y: Number) -> Number:
    size = abs(x)
    high, low = _long_log(size)
    product = at_most(at_least(_product(size, y, high), -END), END)
    is_inside = (abs(product) < END) & ~product.equals(0.0)
    product_low = choose(is_inside, fma(y, high, -product) + y * low, 0.0)
    rounder = ROUNDER["f64"]
    n = fma(product, LOG2_E, rounder) - rounder
    ln2, rest = LN2["f64"]
    coarse = fma(n, -ln2, product)
    r, r_low = fast_two_sum(coarse, fma(n, -rest, product_low))
    one, one_low = fast_two_sum(r.like(1.0), r)
    tail = fma(r * r, polynomial(r, EXP["f64"]), r_low)
    return _limits(x, y, scaled(one + (one_low + tail), n))


def single_power(x: Number, y: Number) -> Number:
    """The same for numbers of float32 in lanes of float64, whose own logarithm is long enough."""
    size = abs(x)
    k, f = exponent_and_rest(size)
    product = at_most(at_least(_product(size, y, log_of_parts(k, f)), -END), END)
    rounder = ROUNDER["f64"]
    n = fma(product, LOG2_E, rounder) - rounder
    r = fma(n, -LN2["f64"][0], product)
    return _limits(x, y, scaled(1.0 + fma(r * r, polynomial(r, EXP["f64"]), r), n))
