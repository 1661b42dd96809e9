"""Functions of complex numbers as NumPy has them, computed in the size of the parts; at the ends as in C99.

    complex_exp(x + iy)    ->    exp(x) * cos(y), exp(x) * sin(y)

What grows with exp(x) is cut in two factors where the first would be infinite and the product is not.  `is_single`
tells a float32 from a float64 when a kernel is compiled, so that limits of both can stand in one function.

Sources: W. Kahan, Branch cuts for complex elementary functions (1987); C99, annex G.

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: ignore-errors

import math

from ..lockstep import cuda


@cuda.jit(device=True)
def is_single(x):
    """Whether a float is one of 32 bits: 2**-30 is lost beside 1."""
    number = type(x)
    return number(1) + number(9.313225746154785e-10) == number(1)


# --- roots and exponentials -------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def complex_sqrt(z):
    """np.sqrt: the larger part is sqrt((|x| + |z|) / 2), the product of both |y| / 2; of what is large or small times a
    power of four that leaves room.
    """
    number = type(z.real)
    x = math.fabs(z.real)
    y = math.fabs(z.imag)
    if math.isinf(y):
        return complex(y, z.imag)
    if x == number(0) and y == number(0):
        return complex(number(0), z.imag)
    most = x if x > y else y
    scale = number(1)
    back = number(1)
    if most > number(1e36 if is_single(x) else 1e300):
        scale = number(0.0625)
        back = number(4)
    elif most < number(1e-30 if is_single(x) else 1e-270):
        scale = number(1.2676506002282294e30)  # 2**100
        back = number(8.881784197001252e-16)  # 2**-50
    x *= scale
    y *= scale
    more = math.sqrt((x + math.hypot(x, y)) * number(0.5))
    less = y / (more + more) * back
    more *= back
    if z.real >= number(0):
        return complex(more, math.copysign(less, z.imag))
    return complex(less, math.copysign(more, z.imag))


@cuda.jit(device=True)
def complex_exp(z):
    """np.exp."""
    number = type(z.real)
    if z.imag == number(0):
        return complex(math.exp(z.real), z.imag)
    if not math.isfinite(z.imag) and math.isinf(z.real):
        if z.real < number(0):
            return complex(number(0), math.copysign(number(0), z.imag))
        return complex(z.real, z.imag - z.imag)
    most = number(88 if is_single(z.real) else 709)
    if z.real > most:
        back = math.exp(most)
        size = math.exp(z.real - most)
        return complex(math.cos(z.imag) * back * size, math.sin(z.imag) * back * size)
    size = math.exp(z.real)
    return complex(size * math.cos(z.imag), size * math.sin(z.imag))


@cuda.jit(device=True)
def complex_exp2(z):
    """np.exp2."""
    number = type(z.real)
    return complex_exp(complex(z.real * number(0.6931471805599453), z.imag * number(0.6931471805599453)))


@cuda.jit(device=True)
def complex_expm1(z):
    """np.expm1: exp(x) cos(y) - 1 = (exp(x) - 1) cos(y) - 2 sin(y / 2)**2"""
    number = type(z.real)
    half = math.sin(z.imag * number(0.5))
    real = math.expm1(z.real) * math.cos(z.imag) - number(2) * half * half
    return complex(real, math.exp(z.real) * math.sin(z.imag))


# --- logarithms -------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def _rest_of_sum(a, b, total):
    """What a + b is more than the total that it was rounded to (Knuth)."""
    other = total - a
    return (a - (total - other)) + (b - other)


@cuda.jit(device=True)
def _rest_of_square(x, square):
    """What x * x is more than the square that it was rounded to (Dekker)."""
    number = type(x)
    long = x * number(4097 if is_single(x) else 134217729)
    high = long - (long - x)
    low = x - high
    return ((high * high - square) + number(2) * high * low) + low * low


@cuda.jit(device=True)
def _more_than_one(x, y):
    """x*x + y*y - 1, to the last bits where that is nearly zero."""
    number = type(x)
    first = x * x
    second = y * y
    less = first - number(1)
    total = less + second
    rest = _rest_of_sum(first, -number(1), less) + _rest_of_sum(less, second, total)
    return total + (rest + _rest_of_square(x, first) + _rest_of_square(y, second))


@cuda.jit(device=True)
def log_of_size(z):
    """log(|z|), right to the last bits near 1, and without overflow."""
    number = type(z.real)
    x = math.fabs(z.real)
    y = math.fabs(z.imag)
    if x < y:
        x, y = y, x
    if x > number(1e36 if is_single(x) else 1e300):
        return math.log(math.hypot(x * number(0.25), y * number(0.25))) + number(1.3862943611198906)  # log(4)
    if x < number(1e-30 if is_single(x) else 1e-300):
        scale = number(1.8014398509481984e16)  # 2**54
        return math.log(math.hypot(x * scale, y * scale)) - number(37.42994775023705)
    if x > number(0.5) and x < number(1.5) and y < number(1.5):
        return math.log1p(_more_than_one(x, y)) * number(0.5)
    return math.log(math.hypot(x, y))


@cuda.jit(device=True)
def complex_log(z):
    """np.log."""
    return complex(log_of_size(z), math.atan2(z.imag, z.real))


@cuda.jit(device=True)
def complex_log2(z):
    """np.log2."""
    number = type(z.real)
    per_log = number(1.4426950408889634)
    return complex(log_of_size(z) * per_log, math.atan2(z.imag, z.real) * per_log)


@cuda.jit(device=True)
def complex_log10(z):
    """np.log10."""
    number = type(z.real)
    per_log = number(0.4342944819032518)
    return complex(log_of_size(z) * per_log, math.atan2(z.imag, z.real) * per_log)


@cuda.jit(device=True)
def complex_log1p(z):
    """np.log1p: the logarithm of the distance from -1, and the angle seen from there."""
    moved = z.real + type(z.real)(1)
    return complex(math.log(math.hypot(moved, z.imag)), math.atan2(z.imag, moved))


# --- circular and hyperbolic functions --------------------------------------------------------------------------------


@cuda.jit(device=True)
def _sinh(z):
    """sinh(x) cos(y), cosh(x) sin(y)"""
    number = type(z.real)
    x, y = z.real, z.imag
    if y == number(0):
        return complex(math.sinh(x), y)
    if not math.isfinite(y):
        if x == number(0) or math.isinf(x):
            return complex(x, y - y)
        return complex(y - y, y - y)
    size = math.fabs(x)
    if size < number(9 if is_single(x) else 22):
        return complex(math.sinh(x) * math.cos(y), math.cosh(x) * math.sin(y))
    half = math.exp(size * number(0.5))
    return complex(math.copysign(half, x) * math.cos(y) * number(0.5) * half, half * math.sin(y) * number(0.5) * half)


@cuda.jit(device=True)
def complex_sinh(z):
    """np.sinh; of two parts that are infinite C's library gives no sign."""
    if math.isinf(z.real) and not math.isfinite(z.imag):
        return complex(math.fabs(z.real), z.imag - z.imag)
    return _sinh(z)


@cuda.jit(device=True)
def complex_cosh(z):
    """np.cosh: cosh(x) cos(y), sinh(x) sin(y)"""
    number = type(z.real)
    x, y = z.real, z.imag
    if y == number(0):
        return complex(math.cosh(x), y if math.isnan(x) else math.copysign(number(0), x) * y)
    if not math.isfinite(y):
        if x == number(0):
            return complex(y - y, number(0))
        return complex(x * x if math.isinf(x) else y - y, y - y)
    if x == number(0):
        return complex(math.cos(y), x * math.sin(y))
    size = math.fabs(x)
    if size < number(9 if is_single(x) else 22):
        return complex(math.cosh(x) * math.cos(y), math.sinh(x) * math.sin(y))
    half = math.exp(size * number(0.5))
    return complex(half * math.cos(y) * number(0.5) * half, math.copysign(half, x) * math.sin(y) * number(0.5) * half)


@cuda.jit(device=True)
def complex_tanh(z):
    """np.tanh (Kahan)."""
    number = type(z.real)
    x, y = z.real, z.imag
    if math.isnan(x):
        return complex(x, y if y == number(0) else x)
    if math.isinf(x):
        sine = math.sin(y) * math.cos(y) if math.isfinite(y) else y
        return complex(math.copysign(number(1), x), math.copysign(number(0), y if y == number(0) else sine))
    if not math.isfinite(y):
        return complex(x if x == number(0) else y - y, y - y)
    if math.fabs(x) >= number(11 if is_single(x) else 22):
        small = math.exp(-math.fabs(x))
        return complex(math.copysign(number(1), x), number(4) * math.sin(y) * math.cos(y) * small * small)
    tangent = math.tan(y)
    beta = number(1) + tangent * tangent
    sine = math.sinh(x)
    rho = math.sqrt(number(1) + sine * sine)
    divisor = number(1) + beta * sine * sine
    return complex(beta * rho * sine / divisor, tangent / divisor)


@cuda.jit(device=True)
def complex_sin(z):
    """np.sin: -i sinh(i z); of two parts that are infinite C's library gives no sign."""
    if math.isinf(z.imag) and not math.isfinite(z.real):
        return complex(z.real - z.real, math.fabs(z.imag))
    turned = _sinh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


@cuda.jit(device=True)
def complex_cos(z):
    """np.cos: cosh(i z)"""
    return complex_cosh(complex(-z.imag, z.real))


@cuda.jit(device=True)
def complex_tan(z):
    """np.tan: -i tanh(i z)"""
    turned = complex_tanh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)
