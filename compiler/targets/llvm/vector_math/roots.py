"""cbrt and hypot.

    cbrt(x)        ->    2^q * cbrt(m), 1 <= m < 8, by way of m^(-1/3), which needs no division
    hypot(x, y)    ->    sqrt(x² + y²) / c, of numbers times a power of two c where they are very large or small
"""

from __future__ import annotations

import math

from .exponentials import power_of_two
from .lanes import BIAS, EXPONENT_SHIFT, LEAST_NORMAL, ROUNDER, Number, at_least, choose, fma, polynomial
from .logarithms import ONE, whole_bits

# m^(-1/3) on [1, 2], to 14 bits; relative error minimal
INVERSE_CBRT = (
    1.6700066897789132, -1.1728800644384498, 0.6954824685999546, -0.22123777217282753, 0.02859101031921283,
)  # fmt: skip


def cbrt(x: Number) -> Number:
    size = abs(x)
    is_small = size < LEAST_NORMAL["f64"]
    bits = choose(is_small, size * 2.0**54, size).raw()
    shift = EXPONENT_SHIFT["f64"]
    exponent = ((bits >> shift) | whole_bits("f64")).number() - (2.0**shift + BIAS["f64"])
    third = (fma(exponent, 1 / 3, -1 / 3) + ROUNDER["f64"]) - ROUNDER["f64"]
    left = fma(third, -3.0, exponent)  # 0, 1 or 2
    m = ((bits & (2**shift - 1)) | ONE["f64"]).number()
    root = polynomial(m, INVERSE_CBRT) * choose(left < 0.5, 1.0, choose(left < 1.5, 0.5 ** (1 / 3), 0.25 ** (1 / 3)))
    m = m * power_of_two(left)
    for coefficients in ((1 / 3, 2 / 9), (1 / 3,)):
        miss = fma(root * root * root, -m, 1.0)
        root = fma(root * miss, polynomial(miss, coefficients), root)
    y = m * (root * root)
    square = y * y
    excess = fma(square, y, -m) + fma(y, y, -square) * y
    y = fma(excess * (root * root), -1 / 3, y)
    result = y * power_of_two(choose(is_small, third - 18.0, third))
    return choose(x.equals(0.0) | ~(size < math.inf), x, result.with_sign_of(x))


def hypot(x: Number, y: Number) -> Number:
    first, second = abs(x), abs(y)
    largest = at_least(first, second)  # and nan, where there is one, is large or small
    up, down = largest < 2.0**-450, largest > 2.0**500
    scale = choose(down, 2.0**-600, choose(up, 2.0**600, 1.0))
    back = choose(down, 2.0**600, choose(up, 2.0**-600, 1.0))
    large, small = largest * scale, choose(largest.equals(first), second, first) * scale
    result = fma(large, large, small * small).sqrt() * back
    return choose(first.equals(math.inf) | second.equals(math.inf), math.inf, result)
