"""Arithmetic, order and powers of complex numbers as NumPy has them, where numba.cuda has none or others.

    complex_divide(x, y)                       np.divide: Smith's algorithm, numbers by zero are infinite
    checked_complex_divide(x, y, failed)       Python's x / y, which notes a division by zero

A function is generic in the size of the numbers: `complex` of two float32 is a complex64, to numba and in lockstep.

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: ignore-errors

import math

from ..lockstep import cuda
from .complex_functions import complex_exp, complex_log
from .device import rint

# --- quotients and sizes ----------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def complex_divide(x, y):
    """np.divide: by the quotient of the smaller part of the divisor by the larger one, which cannot overflow."""
    number = type(y.real)
    if y.real == number(0) and y.imag == number(0):
        return complex(x.real / math.fabs(y.real), x.imag / math.fabs(y.imag))
    if math.fabs(y.real) >= math.fabs(y.imag):
        ratio = y.imag / y.real
        scale = number(1) / (y.real + y.imag * ratio)
        return complex((x.real + x.imag * ratio) * scale, (x.imag - x.real * ratio) * scale)
    ratio = y.real / y.imag
    scale = number(1) / (y.imag + y.real * ratio)
    return complex((x.real * ratio + x.imag) * scale, (x.imag * ratio - x.real) * scale)


@cuda.jit(device=True)
def complex_quotient(x, y):
    """Python's x / y of a divisor that is not zero: without the reciprocal, which NumPy multiplies by."""
    if math.fabs(y.real) >= math.fabs(y.imag):
        ratio = y.imag / y.real
        divisor = y.real + y.imag * ratio
        return complex((x.real + x.imag * ratio) / divisor, (x.imag - x.real * ratio) / divisor)
    ratio = y.real / y.imag
    divisor = y.real * ratio + y.imag
    return complex((x.real * ratio + x.imag) / divisor, (x.imag * ratio - x.real) / divisor)


@cuda.jit(device=True)
def checked_complex_divide(x, y, failed):
    if y.real == 0.0 and y.imag == 0.0:
        failed[0] = 1
        return x
    return complex_quotient(x, y)


@cuda.jit(device=True)
def complex_reciprocal(x):
    """np.reciprocal."""
    number = type(x.real)
    if math.fabs(x.imag) <= math.fabs(x.real):
        ratio = x.imag / x.real
        divisor = x.real + x.imag * ratio
        return complex(number(1) / divisor, -ratio / divisor)
    ratio = x.real / x.imag
    divisor = x.real * ratio + x.imag
    return complex(ratio / divisor, -number(1) / divisor)


@cuda.jit(device=True)
def complex_absolute(x):
    """np.absolute: infinite where a part is, nan or not."""
    return math.hypot(x.real, x.imag)


@cuda.jit(device=True)
def checked_complex_absolute(x, failed):
    """Python's abs: what is too large of finite parts is noted."""
    size = math.hypot(x.real, x.imag)
    if math.isinf(size) and math.isfinite(x.real) and math.isfinite(x.imag):
        failed[0] = 1
    return size


@cuda.jit(device=True)
def complex_conjugate(x):
    """np.conjugate."""
    return complex(x.real, -x.imag)


@cuda.jit(device=True)
def complex_rint(x):
    """np.rint of both parts."""
    return complex(rint(x.real), rint(x.imag))


# --- questions and order ----------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def complex_isnan(x):
    return math.isnan(x.real) or math.isnan(x.imag)


@cuda.jit(device=True)
def complex_isinf(x):
    return math.isinf(x.real) or math.isinf(x.imag)


@cuda.jit(device=True)
def complex_isfinite(x):
    return math.isfinite(x.real) and math.isfinite(x.imag)


@cuda.jit(device=True)
def complex_less(x, y):
    """x < y as NumPy has it: by the real parts, then by the imaginary ones; nothing that is nan is in order."""
    if x.real == y.real:
        return x.imag < y.imag
    return x.real < y.real and x.imag == x.imag and y.imag == y.imag


@cuda.jit(device=True)
def complex_less_equal(x, y):
    """x <= y in the same order."""
    if x.real == y.real:
        return x.imag <= y.imag
    return x.real < y.real and x.imag == x.imag and y.imag == y.imag


@cuda.jit(device=True)
def complex_maximum(x, y):
    """np.maximum: what is nan stays nan."""
    return x if complex_less_equal(y, x) or complex_isnan(x) else y


@cuda.jit(device=True)
def complex_minimum(x, y):
    """np.minimum: what is nan stays nan."""
    return x if complex_less_equal(x, y) or complex_isnan(x) else y


@cuda.jit(device=True)
def complex_fmax(x, y):
    """np.fmax: of a number and nan, the number."""
    return x if complex_less_equal(y, x) or complex_isnan(y) else y


@cuda.jit(device=True)
def complex_fmin(x, y):
    """np.fmin: of a number and nan, the number."""
    return x if complex_less_equal(x, y) or complex_isnan(y) else y


# --- powers -----------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def _whole_power(x, exponent, starts_with_one):
    """x to a whole power by products; NumPy's first three begin with x, Python's and all others with 1."""
    number = type(x.real)
    if not starts_with_one and exponent == number(1):
        return x
    if not starts_with_one and exponent == number(2):
        return x * x
    if not starts_with_one and exponent == number(3):
        return x * (x * x)
    left = int(math.fabs(exponent))
    result = complex(number(1), number(0))
    factor = x
    while left > 0:
        if left & 1:
            result = result * factor
        left >>= 1
        if left > 0:
            factor = factor * factor
    if exponent < number(0):
        one = complex(number(1), number(0))
        return complex_quotient(one, result) if starts_with_one else complex_divide(one, result)
    return result


@cuda.jit(device=True)
def _power(x, y, starts_with_one):
    """x ** y where x is not zero: by products up to whole exponents of 100, else by the logarithm."""
    number = type(x.real)
    if y.real == number(0) and y.imag == number(0):
        return complex(number(1), number(0))
    is_whole = y.imag == number(0) and math.fabs(y.real) < number(101) and math.floor(y.real) == y.real
    if is_whole and (starts_with_one or math.fabs(y.real) < number(100)):
        return _whole_power(x, y.real, starts_with_one)
    log = complex_log(x)
    product = y * log
    if complex_isnan(product) and math.isinf(log.real) and math.isnan(log.imag) and not complex_isnan(y):
        # of what is infinite and nan C's product is infinite in the direction of the other factor
        product = complex(log.real * y.real, log.real * y.imag)
    return complex_exp(product)


@cuda.jit(device=True)
def complex_power(x, y):
    """np.power: zero to what has a positive real part is zero, to other exponents than zero nan."""
    number = type(x.real)
    if x.real == number(0) and x.imag == number(0) and not (y.real == number(0) and y.imag == number(0)):
        result = number(0) if y.real > number(0) else number(math.nan)
        return complex(result, result)
    return _power(x, y, False)


@cuda.jit(device=True)
def checked_complex_power(x, y, failed):
    """Python's x ** y: zero to a negative or complex power, and what is too large, are noted."""
    if x.real == 0.0 and x.imag == 0.0:
        if y.real < 0.0 or y.imag != 0.0:
            failed[0] = 1
        return complex(1.0, 0.0) if y.real == 0.0 else complex(0.0, 0.0)
    result = _power(x, y, True)
    if complex_isinf(result) and complex_isfinite(x) and complex_isfinite(y):
        failed[0] = 1
    return result
