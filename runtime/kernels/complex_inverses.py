"""Inverse circular and hyperbolic functions of complex numbers as NumPy has them, in the size of the parts.

    complex_arcsinh(x + iy)    ->    of R = |z + i| and S = |z - i|:  A = (R + S) / 2  gives the real part,
                                     B = y / A  the sine of the imaginary one

Where A and B are near 1 their distance from it is computed, not they themselves.

Source: T. E. Hull, T. F. Fairgrieve and P. T. P. Tang, Implementing the complex arcsine and arccosine functions using
exception handling (ACM TOMS 23, 1997); the inverse tangent is W. Kahan's (1987).

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: ignore-errors

import math

from ..lockstep import cuda
from .complex_functions import is_single, log_of_size


@cuda.jit(device=True)
def _epsilon(x):
    """From 1 to the next float."""
    number = type(x)
    return number(1.1920928955078125e-07 if is_single(x) else 2.220446049250313e-16)


@cuda.jit(device=True)
def _half_of_rest(a, b, size):
    """(hypot(a, b) - b) / 2 without cancellation; `size` is hypot(a, b)."""
    number = type(a)
    if b < number(0):
        return (size - b) * number(0.5)
    if b == number(0):
        return a * number(0.5)
    return a * a / (size + b) * number(0.5)


@cuda.jit(device=True)
def _real_part(x, y, large, small):
    """The real part of arcsinh for x, y >= 0, with |z + i| and |z - i|."""
    number = type(x)
    mean = (large + small) * number(0.5)
    if mean < number(1):
        mean = number(1)
    if mean >= number(10):
        return math.log(mean + math.sqrt(mean * mean - number(1)))
    epsilon = _epsilon(x)
    if y == number(1) and x < epsilon * epsilon * number(0.0078125):
        return math.sqrt(x)
    if x >= epsilon * math.fabs(y - number(1)):
        beyond = _half_of_rest(x, number(1) + y, large) + _half_of_rest(x, number(1) - y, small)
        return math.log1p(beyond + math.sqrt(beyond * (mean + number(1))))
    if y < number(1):
        return x / math.sqrt((number(1) - y) * (number(1) + y))
    return math.log1p((y - number(1)) + math.sqrt((y - number(1)) * (y + number(1))))


@cuda.jit(device=True)
def _other_side(x, y, large, small):
    """(opposite, adjacent) side of the angle whose sine is B, for x, y >= 0: y and sqrt(A*A - y*y), or multiples of
    both that are no subnormal numbers.
    """
    number = type(x)
    mean = (large + small) * number(0.5)
    if mean < number(1):
        mean = number(1)
    epsilon = _epsilon(x)
    many = number(2) / epsilon
    if y < number(1e-18 if is_single(x) else 1e-150):
        return y * many, mean * many
    if y == number(1) and x < epsilon * number(0.0078125):
        return y, math.sqrt(x) * math.sqrt((mean + y) * number(0.5))
    if x >= epsilon * math.fabs(y - number(1)):
        below = _half_of_rest(x, y + number(1), large) + _half_of_rest(x, y - number(1), small)
        return y, math.sqrt(below * (mean + y))
    if y > number(1):
        most = many * many
        return y * most, x * most * y / math.sqrt((y + number(1)) * (y - number(1)))
    return y, math.sqrt((number(1) - y) * (number(1) + y))


@cuda.jit(device=True)
def _log_of_twice(z):
    """log(2 |z|) of a large number."""
    return log_of_size(z) + type(z.real)(0.6931471805599453)


@cuda.jit(device=True)
def complex_arcsinh(z):
    """np.arcsinh."""
    number = type(z.real)
    if math.isnan(z.real) or math.isnan(z.imag):
        if math.isinf(z.real):
            return complex(z.real, z.imag + z.imag)
        if math.isinf(z.imag):
            return complex(math.fabs(z.imag), z.real + z.real)
        if z.imag == number(0):
            return z
        return complex(z.real + z.imag, z.real + z.imag)
    x = math.fabs(z.real)
    y = math.fabs(z.imag)
    epsilon = _epsilon(x)
    if x > number(1) / epsilon or y > number(1) / epsilon:
        real = _log_of_twice(z)
        imaginary = math.atan2(y, x)
    elif x < epsilon and y < epsilon:
        return z
    else:
        large = math.hypot(x, y + number(1))
        small = math.hypot(x, y - number(1))
        real = _real_part(x, y, large, small)
        opposite, adjacent = _other_side(x, y, large, small)
        imaginary = math.atan2(opposite, adjacent)
    return complex(math.copysign(real, z.real), math.copysign(imaginary, z.imag))


@cuda.jit(device=True)
def complex_arcsin(z):
    """np.arcsin: of z = x + iy the parts of arcsinh(y + ix), exchanged."""
    turned = complex_arcsinh(complex(z.imag, z.real))
    return complex(turned.imag, turned.real)


@cuda.jit(device=True)
def complex_arccos(z):
    """np.arccos."""
    number = type(z.real)
    quarter = number(1.5707963267948966)
    if math.isnan(z.real) or math.isnan(z.imag):
        if math.isinf(z.real):
            return complex(z.imag + z.imag, -number(math.inf))
        if math.isinf(z.imag):
            return complex(z.real + z.real, -z.imag)
        if z.real == number(0):
            return complex(quarter, z.imag + z.imag)
        return complex(z.real + z.imag, z.real + z.imag)
    x = math.fabs(z.real)
    y = math.fabs(z.imag)
    epsilon = _epsilon(x)
    if x > number(1) / epsilon or y > number(1) / epsilon:
        real = math.fabs(math.atan2(z.imag, z.real))
        imaginary = _log_of_twice(z)
    elif x < epsilon and y < epsilon:
        return complex(quarter - z.real, -z.imag)
    else:
        large = math.hypot(y, x + number(1))
        small = math.hypot(y, x - number(1))
        imaginary = _real_part(y, x, large, small)
        opposite, adjacent = _other_side(y, x, large, small)
        real = math.atan2(adjacent, math.copysign(opposite, z.real))
    return complex(real, math.copysign(imaginary, -z.imag))


@cuda.jit(device=True)
def complex_arccosh(z):
    """np.arccosh: arccos, turned so that the real part is positive."""
    turned = complex_arccos(z)
    if math.isnan(turned.real):
        return complex(math.fabs(turned.imag), turned.real)
    if math.isnan(turned.imag):
        return complex(turned.imag, turned.imag if z.real != z.real else turned.real)
    return complex(math.fabs(turned.imag), math.copysign(turned.real, z.imag))


@cuda.jit(device=True)
def _real_of_reciprocal(x, y):
    """The real part of 1 / (x + iy), where one of them is large."""
    if math.isinf(x) or math.isinf(y):
        return type(x)(0)
    if x >= y:
        return type(x)(1) / (x + y * (y / x))
    ratio = x / y
    return ratio / (x * ratio + y)


@cuda.jit(device=True)
def complex_arctanh(z):
    """np.arctanh."""
    number = type(z.real)
    quarter = number(1.5707963267948966)
    x = math.fabs(z.real)
    y = math.fabs(z.imag)
    if z.imag == number(0) and x <= number(1):
        return complex(math.atanh(z.real), z.imag)
    if z.real == number(0):
        return complex(z.real, math.atan(z.imag))
    if math.isnan(x) or math.isnan(y):
        if math.isinf(x):
            return complex(math.copysign(number(0), z.real), z.imag + z.imag)
        if math.isinf(y):
            return complex(math.copysign(number(0), z.real), math.copysign(quarter, z.imag))
        return complex(z.real + z.imag, z.real + z.imag)
    epsilon = _epsilon(x)
    if x > number(1) / epsilon or y > number(1) / epsilon:
        return complex(math.copysign(_real_of_reciprocal(x, y), z.real), math.copysign(quarter, z.imag))
    if x < epsilon and y < epsilon:
        return z
    if x == number(1) and y < epsilon:
        real = (number(0.6931471805599453) - math.log(y)) * number(0.5)
    else:
        real = math.log1p(number(4) * x / ((x - number(1)) * (x - number(1)) + y * y)) * number(0.25)
    if x == number(1):
        imaginary = math.atan2(number(2), -y) * number(0.5)
    else:
        imaginary = math.atan2(number(2) * y, (number(1) - x) * (number(1) + x) - y * y) * number(0.5)
    return complex(math.copysign(real, z.real), math.copysign(imaginary, z.imag))


@cuda.jit(device=True)
def complex_arctan(z):
    """np.arctan: of z = x + iy the parts of arctanh(y + ix), exchanged."""
    turned = complex_arctanh(complex(z.imag, z.real))
    return complex(turned.imag, turned.real)
