"""log and its relatives: x = 2^k m with m around 1, and a series of m.

    log(x)    ->    k ln 2 + f - (f²/2 - s (f²/2 + z p(z))),    f = m - 1,   s = f / (2 + f),   z = s²

In single precision a polynomial in f does without the division.  The polynomials have the least largest error relative
to the function, their coefficients rounded one after the other.
"""

from __future__ import annotations

import math

from .exponentials import LN2, power_of_two
from .lanes import (
    BIAS,
    EXPONENT_SHIFT,
    LEAST_NORMAL,
    Number,
    Operand,
    at_least,
    choose,
    fast_two_sum,
    fma,
    polynomial,
    two_product,
    two_sum,
)

# (2 artanh(s) / s - 2) / s² in s²
LOG = (
    0.6666666666666734, 0.3999999999941714, 0.2857142874187145, 0.22222198622835654, 0.1818356191900964,
    0.15314107748546507, 0.14795420454130048,
)  # fmt: skip
# (log(1 + f) - f + f²/2) / f³
SINGLE_LOG = (
    0.3333333134651184, -0.250008225440979, 0.20001237094402313, -0.16623303294181824, 0.14201492071151733,
    -0.13160470128059387, 0.1276371031999588, -0.07636446505784988,
)  # fmt: skip
# the bits of 1, and of the root of one half, where m begins
ONE = {"f64": 0x3FF0000000000000, "f32": 0x3F800000}
ROOT_OF_HALF = {"f64": 0x3FE6A09E667F3BCD, "f32": 0x3F3504F3}


def exponent_and_rest(x: Number) -> tuple[Number, Number]:
    """k and m - 1, both exact, for x > 0; subnormal numbers are lifted first."""
    dtype, shift = x.dtype, EXPONENT_SHIFT[x.dtype]
    lift = shift + 2
    is_small = x < LEAST_NORMAL[dtype]
    lifted = choose(is_small, x * 2.0**lift, x)
    k, m = split(lifted)
    return choose(is_small, k - float(lift), k), m - 1.0


def split(x: Number) -> tuple[Number, Number]:
    """k and m of a normal x > 0."""
    dtype, shift = x.dtype, EXPONENT_SHIFT[x.dtype]
    moved = x.raw() + (ONE[dtype] - ROOT_OF_HALF[dtype])
    whole = 2.0**shift
    k = ((moved >> shift) | whole_bits(dtype)).number() - (whole + BIAS[dtype])
    return k, ((moved & (2**shift - 1)) + ROOT_OF_HALF[dtype]).number()


def whole_bits(dtype: str) -> int:
    """The bits of 2^52 or 2^23: or-ed with a small whole number they make the float of their sum."""
    shift = EXPONENT_SHIFT[dtype]
    return BIAS[dtype] + shift << shift


def log_of_parts(k: Number, f: Number, low: Number | None = None) -> Number:
    """k ln 2 + log(1 + f + low), where `low` is far smaller than f."""
    ln2, rest = LN2[f.dtype]
    square = f * f
    if f.dtype == "f32":
        near = fma(square, fma(f, polynomial(f, SINGLE_LOG), -0.5), f)
        return fma(k, ln2, fma(k, rest, near))
    half = square * 0.5
    tail = fma(k, rest, _series(f, half))
    if low is not None:
        tail = tail + low
    return fma(k, ln2, f - (half - tail))


def _series(f: Number, half: Number) -> Number:
    """log(1 + f) - f + half, for half = f² / 2"""
    s = f / (f + 2.0)
    z = s * s
    return s * fma(z, polynomial(z, LOG), half)


def log_domain(x: Number, result: Number) -> Number:
    """Infinity and nan stay, zero gives minus infinity, negative numbers nan."""
    result = choose(x < math.inf, result, x)
    outside = choose(x.equals(0.0), x.lanes.number(-math.inf, x.dtype), math.nan)
    return choose(x <= 0.0, outside, result)


def log(x: Number) -> Number:
    return log_domain(x, log_of_parts(*exponent_and_rest(x)))


# log 2 of e, log 10 of e and log 10 of 2, each in two parts
LOG2_E = (1.4426950408889634, 2.0355273740931033e-17)
LOG10_E = (0.4342944819032518, 1.098319650216765e-17)
LOG10_2 = (0.3010299956639812, -2.8037281277851704e-18)


def _to_base(x: Number, unit: tuple[float, float], of_two: tuple[float, float] | None) -> Number:
    """k times the logarithm of 2, plus `unit` times log(m), added so that only the last sum rounds to any effect."""
    k, f = exponent_and_rest(x)
    half = f * f * 0.5
    high = f - half
    low = ((f - high) - half) + _series(f, half)
    near, lost = two_product(high, high.like(unit[0]))
    lost = lost + fma(high, unit[1], low * unit[0])
    whole = k
    if of_two is not None:
        whole, k_lost = two_product(k, k.like(of_two[0]))
        lost = lost + fma(k, of_two[1], k_lost)
    total, rest = fast_two_sum(whole, near)
    return log_domain(x, total + (rest + lost))


def log2(x: Number) -> Number:
    return _to_base(x, LOG2_E, None)


def log10(x: Number) -> Number:
    return _to_base(x, LOG10_E, LOG10_2)


def log1p_of(x: Number, low: Operand, more: Operand = 0.0) -> Number:
    """log(1 + x + low) + more * ln 2, for x > -1 and a `low` that is below its rounding."""
    u, lost = two_sum(x.like(1.0), x)
    k, m = split(u)
    shrink = power_of_two(at_least(-k, -1000.0))
    f, rest = fast_two_sum(m - 1.0, lost * shrink)
    rest = rest + low * shrink if isinstance(low, Number) else rest
    return log_of_parts(k + more, f, rest)


def log1p(x: Number) -> Number:
    result = choose(x < math.inf, log1p_of(x, 0.0), x)
    outside = choose(x.equals(-1.0), -math.inf, math.nan)
    return choose(x.equals(0.0), x, choose(x <= -1.0, outside, result))


# --- inverse hyperbolic functions -------------------------------------------------------------------------------------

# From here on x² is all there is in x² + 1.
LARGE = 2.0**60


def arcsinh(x: Number) -> Number:
    """log(1 + y) with y = |x| + x² / (1 + sqrt(x² + 1))"""
    size = abs(x)
    square = size * size
    y, low = fast_two_sum(size, square / ((square + 1.0).sqrt() + 1.0))
    is_large = size > LARGE
    result = log1p_of(choose(is_large, size, y), choose(is_large, 0.0, low), choose(is_large, 1.0, 0.0))
    return choose(size < math.inf, result.with_sign_of(x), x)


def arccosh(x: Number) -> Number:
    """log(1 + y) with y = t + sqrt(t² + 2 t) and t = x - 1"""
    t = x - 1.0
    y, low = fast_two_sum(fma(t, t, t + t).sqrt(), t)
    is_large = x > LARGE
    result = log1p_of(choose(is_large, x, y), choose(is_large, 0.0, low), choose(is_large, 1.0, 0.0))
    return choose(x < math.inf, choose(x < 1.0, math.nan, result), x)


def arctanh(x: Number) -> Number:
    """log(1 + y) / 2 with y = 2 x / (1 - x), taken to twice the digits"""
    size = abs(x)
    twice = size + size
    rest = 1.0 - size
    inverse = 1.0 / rest
    y = twice * inverse
    low = fma(-y, (1.0 - rest) - size, fma(-y, rest, twice)) * inverse
    result = log1p_of(y, low) * 0.5
    result = choose(size.equals(1.0), math.inf, choose(size > 1.0, math.nan, result))
    return choose(size < 2.0**-30, x, result.with_sign_of(x))
