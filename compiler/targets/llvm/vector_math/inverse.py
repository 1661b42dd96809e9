"""arcsin, arccos, arctan and arctan2: a polynomial near zero, and an identity that leads there.

    arcsin(x)    ->    π/2 - 2 arcsin(sqrt((1 - x) / 2))    for x > 1/2
    arctan(x)    ->    π/2 + arctan(-1 / x)                 for x > 1

The polynomials have the least largest error relative to the function, their coefficients rounded one after the other.
"""

from __future__ import annotations

import math

from .lanes import Number, Truth, choose, fast_two_sum, fma, polynomial

HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
PI = (3.141592653589793, 1.2246467991473532e-16)
# (arcsin(s) / s - 1) / s² in s², up to 1/2
ARCSIN = (
    0.16666666666665403, 0.07500000000334699, 0.04464285683180396, 0.03038195895756257, 0.022371762855325415,
    0.017359627912996098, 0.013886018242403961, 0.012164000451140652, 0.00655058071084496, 0.019466668603052115,
    -0.016128501609865648, 0.03184749044505435,
)  # fmt: skip
# (arctan(t) / t - 1) / t² in t², up to 1
ARCTAN = (
    -0.3333333333333307, 0.1999999999995017, -0.1428571428245041, 0.11111111002493913, -0.09090906913141619,
    0.07692278714914184, -0.06666394440231918, 0.058804687379133636, -0.052532493029514994, 0.04721391670057679,
    -0.04216705798562986, 0.036590969298211214, -0.029822363406650232, 0.02188396257013372, -0.013804901559599396,
    0.007128376617549848, -0.0028496660041521576, 0.0008188139867780527, -0.00014944023238965104,
    1.2951580988853874e-05,
)  # fmt: skip


def _arcsine_argument(x: Number) -> tuple[Truth, Number, Number]:
    """Whether |x| > 1/2; s, which is |x| or sqrt((1 - |x|) / 2); arcsin(s) - s."""
    size = abs(x)
    is_steep = size > 0.5
    z = choose(is_steep, fma(size, -0.5, 0.5), size * size)
    s = choose(is_steep, z.sqrt(), size)
    return is_steep, s, s * (z * polynomial(z, ARCSIN))


def arcsin(x: Number) -> Number:
    is_steep, s, more = _arcsine_argument(x)
    top, lost = fast_two_sum(x.like(HALF_PI[0]), s * -2.0)
    steep = top + (lost + fma(more, -2.0, HALF_PI[1]))
    return choose(is_steep, steep, s + more).with_sign_of(x)


def arccos(x: Number) -> Number:
    is_steep, s, more = _arcsine_argument(x)
    is_negative = x < 0.0
    factor = choose(is_steep, choose(is_negative, -2.0, 2.0), choose(is_negative, 1.0, -1.0))
    base = choose(is_steep, choose(is_negative, PI[0], 0.0), HALF_PI[0])
    base_low = choose(is_steep, choose(is_negative, PI[1], 0.0), HALF_PI[1])
    top, lost = fast_two_sum(base, s * factor)
    return top + (lost + fma(more, factor, base_low))


def _arctangent(t: Number) -> Number:
    """For |t| <= 1."""
    z = t * t
    return fma(z * polynomial(z, ARCTAN), t, t)


def arctan(x: Number) -> Number:
    size = abs(x)
    is_steep = size > 1.0
    near = _arctangent(choose(is_steep, x.like(-1.0), size) / choose(is_steep, size, 1.0))
    result = choose(is_steep, HALF_PI[0] + (near + HALF_PI[1]), near)
    return choose(x.equals(0.0), x, result.with_sign_of(x))


def arctan2(y: Number, x: Number) -> Number:
    """The angle of (x, y): that of the smaller coordinate over the larger, then by octants."""
    rise, run = abs(y), abs(x)
    is_steep = rise > run
    small, large = choose(is_steep, run, rise), choose(is_steep, rise, run)
    slope = choose(small.equals(large), 1.0, small / large)  # both infinite
    near = _arctangent(choose(large.equals(0.0), 0.0, slope))
    steep = HALF_PI[0] + (HALF_PI[1] - near)
    first = choose(is_steep, steep, near)
    is_left = x.is_negative()
    angle = choose(is_left, PI[0] + (PI[1] - first), first)
    invalid = x.is_nan() | y.is_nan()
    return choose(invalid, math.nan, angle.with_sign_of(y))
