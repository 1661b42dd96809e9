"""exp and its relatives: x = n ln 2 + r, a polynomial in r, and a scaling by 2^n that rounds once.

    exp(x)    ->    2^n * (1 + r + r² q(r)),    |r| <= (ln 2) / 2

The polynomials have the least largest error relative to the function (Remez's exchange, in 200 bits), their
coefficients rounded one after the other, the later ones fitted again to make up for it.
"""

from __future__ import annotations

from .lanes import (
    BIAS,
    EXPONENT_SHIFT,
    ROUNDER,
    Number,
    at_least,
    at_most,
    choose,
    corrected_quotient,
    fast_two_sum,
    fma,
    polynomial,
)

LOG2_E = 1.4426950408889634
LN2 = {"f64": (0.6931471805599453, 2.3190468138462996e-17), "f32": (0.6931471824645996, -1.9046542121259458e-09)}
# (exp(r) - 1 - r) / r²
EXP = {
    "f64": (
        0.5000000000000011, 0.16666666666666446, 0.04166666666652689, 0.008333333333475043, 0.0013888888944398013,
        0.00019841269545435952, 2.4801492354448426e-05, 2.7557553566214653e-06, 2.763050366362427e-07,
        2.501003618909671e-08,
    ),
    "f32": (
        0.4999999403953552, 0.166665181517601, 0.041668254882097244, 0.008368960581719875, 0.0013821865431964397,
    ),
}  # fmt: skip
# Beyond these the result is 0 or infinite, and n would leave the range of `scaled`.
EXP_RANGE = {"f64": (-746.0, 710.0), "f32": (-104.5, 89.0)}


def scaled(x: Number, n: Number) -> Number:
    """x * 2^n for whole n down to twice the least exponent, in two steps of which only the last can round."""
    shift = EXPONENT_SHIFT[x.dtype]
    rounder = ROUNDER[x.dtype] + BIAS[x.dtype]
    half = fma(n, 0.5, rounder)
    first = (half.raw() << shift).number()
    second = (((n - (half - rounder)) + rounder).raw() << shift).number()
    return (x * first) * second


def power_of_two(n: Number) -> Number:
    """2^n for whole n where that is a normal number."""
    return ((n + (ROUNDER[n.dtype] + BIAS[n.dtype])).raw() << EXPONENT_SHIFT[n.dtype]).number()


def exp(x: Number) -> Number:
    low, high = EXP_RANGE[x.dtype]
    x = at_most(at_least(x, low), high)
    rounder = ROUNDER[x.dtype]
    n = fma(x, LOG2_E, rounder) - rounder
    ln2, rest = LN2[x.dtype]
    r = fma(n, -rest, fma(n, -ln2, x))
    return scaled(1.0 + fma(r * r, polynomial(r, EXP[x.dtype]), r), n)


def expm1_terms(x: Number) -> tuple[Number, Number, Number]:
    """n, r and exp(r) - 1 - r, of which the last holds what rounding took from r too."""
    rounder = ROUNDER[x.dtype]
    n = fma(x, LOG2_E, rounder) - rounder
    ln2, rest = LN2[x.dtype]
    coarse = fma(n, -ln2, x)
    r = fma(n, -rest, coarse)
    lost = fma(n, -rest, coarse - r)
    return n, r, fma(r * r, polynomial(r, EXP[x.dtype]), lost)


def expm1_parts(x: Number) -> tuple[Number, Number]:
    """n, and exp(r) - 1 with an error relative to itself."""
    n, r, more = expm1_terms(x)
    return n, r + more


# At these tanh is 1 to the last place.
TANH_END = {"f64": 22.0, "f32": 10.0}


def tanh(x: Number) -> Number:
    """h / (1 + h) with h = (exp(2 |x|) - 1) / 2, as m - m m / (1 + h) with m = min(h, 1), and the sign of x.

    The quotient is then at most half of what it is taken from, and its error counts the less the smaller it is.
    """
    size = at_most(abs(x), TANH_END[x.dtype])
    rounder = ROUNDER[x.dtype] + BIAS[x.dtype]
    count = fma(size, 2 * LOG2_E, rounder)
    n, power = count - rounder, (count.raw() << EXPONENT_SHIFT[x.dtype]).number()
    ln2, rest = (part / 2 for part in LN2[x.dtype])
    r = fma(n, -ln2, size)
    more = fma(r * r, polynomial(r, [c * 2.0 ** (k + 1) for k, c in enumerate(EXP[x.dtype])]), n * -rest)
    h = fma(power, more, fma(power, r, fma(power, 0.5, -0.5)))
    some = at_most(h, 1.0)
    return fma(-some, some / (h + 1.0), some).or_sign_of(x)


EXP2_RANGE = {"f64": (-1080.0, 1025.0), "f32": (-152.0, 129.0)}


def exp2(x: Number) -> Number:
    low, high = EXP2_RANGE[x.dtype]
    x = at_most(at_least(x, low), high)
    n = (x + ROUNDER[x.dtype]) - ROUNDER[x.dtype]
    r = (x - n) * LN2[x.dtype][0]
    return scaled(1.0 + fma(r * r, polynomial(r, EXP[x.dtype]), r), n)


# Below the first it is -1; below the last, in size, x.
EXPM1_RANGE = {"f64": (-50.0, 710.0, 2.0**-60), "f32": (-30.0, 89.0, 2.0**-30)}


def expm1(x: Number) -> Number:
    """2^n p + (2^n - 1), computed at half its size so that 2^n is finite where the result is"""
    low, high, tiny = EXPM1_RANGE[x.dtype]
    n, p = expm1_parts(at_most(at_least(x, low), high))
    half = power_of_two(n - 1.0)
    result = fma(half, p, half - 0.5) * 2.0
    return choose(abs(x) < tiny, x, result)


HYPERBOLIC_END = {"f64": 710.6, "f32": 89.6}


def sinh(x: Number) -> Number:
    """(t + t / (t + 1)) / 2 with t = exp(|x|) - 1, computed at a quarter of its size"""
    size = abs(x)
    n, r, more = expm1_terms(at_most(size, HYPERBOLIC_END[x.dtype]))
    p, p_low = fast_two_sum(r, more)
    quarter = power_of_two(n - 2.0)
    t = fma(quarter, p, quarter - 0.25)
    some = at_most(t, 2.0**60)
    total, lost = fast_two_sum(at_least(some, 0.25), at_most(some, 0.25))
    # t counts twice at 0, and 1.5 times where its low part ceases to matter
    low = (quarter * p_low) * 1.75
    result = (t + fma(corrected_quotient(some, total, 0.0, lost), 0.25, low)) * 2.0
    return choose(size < 2.0**-30, x, result.with_sign_of(x))


def cosh(x: Number) -> Number:
    """(e + 1 / e) / 2 with e = exp(|x|), computed at a quarter of its size"""
    n, p = expm1_parts(at_most(abs(x), HYPERBOLIC_END[x.dtype]))
    quarter = power_of_two(n - 2.0)
    e = fma(quarter, p, quarter)
    return (e + 0.0625 / e) * 2.0
