"""What kernels call and numba.cuda does not have, or has otherwise than NumPy; written as numba.cuda source.

The lockstep machine and numba.cuda run this one text: `load(cuda)` of `loading` gives it the `cuda` that is wanted.
A function is generic in the types of its arguments and stays in them.  A constant is therefore made by `type(x)(0.5)`:
a bare 0.5 is a float64, and would make one of a float32.  Folds over threads are in `folds`.
"""
# mypy: ignore-errors

import math

from ..lockstep import cuda

ALL = 0xFFFFFFFF
"""The mask of a shuffle in which every lane of the warp takes part."""


# --- choosing ---------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def maximum(a, b):
    """np.maximum: what is nan stays nan."""
    return a if a > b or a != a else b


@cuda.jit(device=True)
def minimum(a, b):
    """np.minimum: what is nan stays nan."""
    return a if a < b or a != a else b


@cuda.jit(device=True)
def fmax(a, b):
    """np.fmax: of a number and nan, the number."""
    return a if a > b or b != b else b


@cuda.jit(device=True)
def fmin(a, b):
    """np.fmin: of a number and nan, the number."""
    return a if a < b or b != b else b


@cuda.jit(device=True)
def clip(x, low, high):
    """np.clip: where the bounds cross, the upper one; what is nan stays nan."""
    return minimum(maximum(x, low), high)


@cuda.jit(device=True)
def sign(x):
    """np.sign: -1, 0 or 1 in the dtype of x, and nan of nan."""
    number = type(x)
    if x > number(0):
        return number(1)
    if x < number(0):
        return number(-1)
    return number(0) if x == number(0) else x


@cuda.jit(device=True)
def imag(x):
    """np.imag of a real number: zero in its dtype."""
    return type(x)(0)


@cuda.jit(device=True)
def heaviside(x, middle):
    """np.heaviside: 0 below zero, 1 above, `middle` at zero, nan of nan."""
    number = type(x)
    if x < number(0):
        return number(0)
    if x > number(0):
        return number(1)
    return middle if x == number(0) else x


# --- bits -------------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def signbit(x):
    """np.signbit: whether the sign is set, also that of -0.0 and nan."""
    return math.copysign(type(x)(1), x) < type(x)(0)


@cuda.jit(device=True)
def left_shift(a, b):
    """np.left_shift: 0 where b bits are more than there are."""
    number = type(a)
    if b < type(b)(0) or b > type(b)(63):
        return number(0)
    return number(a << b)


@cuda.jit(device=True)
def right_shift(a, b):
    """np.right_shift: the sign alone where b bits are more than there are."""
    number = type(a)
    if b < type(b)(0) or b > type(b)(63):
        return number(-1) if a < number(0) else number(0)
    return number(a >> b)


# --- division ---------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def floor_divide(a, b):
    """np.floor_divide of floats: the quotient of NumPy's divmod, a / b where b is zero."""
    number = type(a)
    if b == number(0):
        return a / b
    rest = math.fmod(a, b)
    quotient = (a - rest) / b
    if rest != number(0):
        if (b < number(0)) != (rest < number(0)):
            quotient -= number(1)
    if quotient == number(0):
        return math.copysign(number(0), a / b)
    floor = math.floor(quotient)
    return floor + number(1) if quotient - floor > number(0.5) else floor


@cuda.jit(device=True)
def remainder(a, b):
    """np.remainder of floats: with the sign of b, nan where b is zero."""
    number = type(a)
    rest = math.fmod(a, b)
    if rest == number(0):
        return math.copysign(number(0), b)
    return rest + b if (b < number(0)) != (rest < number(0)) and b == b and rest == rest else rest


@cuda.jit(device=True)
def floor_divide_integer(a, b):
    """np.floor_divide of integers: towards minus infinity, 0 where b is zero."""
    number = type(a)
    if b == number(0):
        return number(0)
    if b < number(0) and b + number(1) == number(0):
        return number(number(0) - a)  # the least integer by -1 is itself, as it wraps; a GPU may trap
    return number(a // b)


@cuda.jit(device=True)
def remainder_integer(a, b):
    """np.remainder of integers: with the sign of b, 0 where b is zero."""
    number = type(a)
    if b == number(0) or b < number(0) and b + number(1) == number(0):
        return number(0)
    return number(a % b)


@cuda.jit(device=True)
def fmod_integer(a, b):
    """np.fmod of integers: with the sign of a, 0 where b is zero."""
    number = type(a)
    rest = remainder_integer(a, b)
    if rest != number(0) and (a < number(0)) != (b < number(0)):
        return number(rest - b)
    return rest


@cuda.jit(device=True)
def reciprocal(x):
    """np.reciprocal of floats."""
    return type(x)(1) / x


# --- powers -----------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def square(x):
    """np.square: one product, whatever the dtype."""
    return type(x)(x * x)


@cuda.jit(device=True)
def power_integer(base, exponent):
    """np.power of integers, which wraps; the exponent is not negative."""
    number = type(base)
    result = number(1)
    factor = base
    left = exponent
    while left > type(exponent)(0):
        if left & type(exponent)(1):
            result = number(result * factor)
        factor = number(factor * factor)
        left = type(exponent)(left >> type(exponent)(1))
    return result


@cuda.jit(device=True)
def cbrt(x):
    """np.cbrt: a power, and one step of Newton's to the last bits."""
    number = type(x)
    if x == number(0) or x != x or x - x != number(0):
        return x
    root = math.copysign(math.pow(math.fabs(x), number(1) / number(3)), x)
    return root - (root - x / (root * root)) / number(3)


# --- rounding and exponents -------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def gammaln(x):
    """scipy.special.gammaln: C's, but for negative infinity, which SciPy gives back."""
    return x if x == -math.inf else math.lgamma(x)


@cuda.jit(device=True)
def rint(x):
    """np.rint: to the nearest whole number, of two equally near to the even one; -0.0 stays."""
    number = type(x)
    floor = math.floor(x)
    above = x - floor
    if above > number(0.5):
        floor += number(1)
    elif above == number(0.5):
        floor = number(2) * math.floor(floor * number(0.5) + number(0.5))
    return math.copysign(floor, x)


@cuda.jit(device=True)
def logaddexp(a, b):
    """np.logaddexp: log(exp(a) + exp(b)) without overflow."""
    if a == b:
        return a + math.log(type(a)(2))
    difference = a - b
    if difference > type(a)(0):
        return a + math.log1p(math.exp(-difference))
    if difference <= type(a)(0):
        return b + math.log1p(math.exp(difference))
    return difference


@cuda.jit(device=True)
def logaddexp2(a, b):
    """np.logaddexp2: the same to the base 2."""
    if a == b:
        return a + type(a)(1)
    per_log = type(a)(1.4426950408889634)  # 1 / log(2)
    difference = a - b
    if difference > type(a)(0):
        return a + per_log * math.log1p(math.exp2(-difference))
    if difference <= type(a)(0):
        return b + per_log * math.log1p(math.exp2(difference))
    return difference
