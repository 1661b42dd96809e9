"""Floats and powers of two: fractions and exponents, and the distance to the next float.

    np.frexp(x)    ->    m, e with x = m 2^e and 0.5 <= |m| < 1          np.ldexp(m, e)    ->    m 2^e
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import as_evaluated, number, operand, strong

SMALL, SCALE = 2.0**-1000, 300  # below SMALL, numbers are scaled by 2^SCALE, so that logarithms see all their digits


def frexp(x, /):
    x = number(as_evaluated(strong(operand(x))))
    size = op.absolute(op.cast(x, dtype="f64"))
    is_plain = op.logical_and(op.isfinite(size), size > 0.0)
    size = op.where(is_plain, size, 1.0)
    is_small = size < SMALL
    size = op.where(is_small, size * 2.0**SCALE, size)
    exponent = op.cast(op.floor(op.log2(size)), dtype="i64") + 1
    fraction = scaled(size, -exponent)
    above, below = fraction >= 1.0, fraction < 0.5  # the logarithm may have been rounded to the next whole number
    fraction = op.where(above, 0.5 * fraction, op.where(below, 2.0 * fraction, fraction))
    exponent = exponent + op.cast(above, dtype="i64") - op.cast(below, dtype="i64")
    exponent = op.where(is_plain, op.where(is_small, exponent - SCALE, exponent), 0)
    found = op.where(is_plain, op.copysign(op.cast(fraction, dtype=static.element(x)), x), x)
    return found, op.cast(exponent, dtype="i32")


def ldexp(x1, x2, /):
    x1, x2 = number(as_evaluated(strong(operand(x1)))), number(operand(x2))
    if static.kind(x2) not in ("int", "bool") or static.element(x2) == "u64":
        static.refuse("T001", "the exponents of np.ldexp are ints that an int64 holds")
    if static.is_weak(x2):
        x2 = op.cast(x2, dtype="i32")
    power = op.minimum(op.maximum(op.cast(x2, dtype="i64"), -2100), 2100)
    return op.cast(scaled(op.cast(x1, dtype="f64"), power), dtype=static.element(x1))


def scaled(x, power):
    """x 2^power in three factors, none of which overflows where the product does not."""
    first = power // 3
    second = (power - first) // 2
    return x * power_of_two(first) * power_of_two(second) * power_of_two(power - first - second)


def power_of_two(power):
    """2^power for at most 700 either way, exact: (2^(power // 32))^32 times what is left."""
    many = power // 32
    one = op.cast(1, dtype="i64")
    root = op.cast(one << op.maximum(many, 0), dtype="f64") / op.cast(one << op.maximum(-many, 0), dtype="f64")
    for _ in range(5):
        root = root * root
    return root * op.cast(one << (power - 32 * many), dtype="f64")


def spacing(x, /):
    """The distance to the next float away from zero, with the sign of the number; of a float16 to the next above."""
    x = number(as_evaluated(strong(operand(x))))
    if static.element(x) == "f16":
        distance = op.nextafter(x, op.cast(float("inf"), dtype="f16")) - x
        return op.where(op.isinf(x), op.cast(float("nan"), dtype="f16"), distance)
    size = op.absolute(x)
    distance = op.nextafter(size, op.cast(float("inf"), dtype=static.element(x))) - size
    return op.where(x < 0.0, -distance, distance)
