"""The functions of Python's `cmath`: single numbers in, Python's complex numbers out, with Python's errors.

    cmath.log(0)       ->    ValueError: math domain error
    cmath.exp(1000)    ->    OverflowError: math range error

Written in the language, on the functions of NumPy that compute the same.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static


def number(x):
    """A single number as Python's complex one."""
    if static.rank(x) > 0:
        static.refuse("T001", "functions of `cmath` take single numbers", "the function of `numpy` takes arrays")
    return op.cast(x[()] if static.is_array(x) else x, dtype="c128", weak=True)


def pythons(z):
    return op.cast(z, dtype="c128", weak=True)


def in_range(z, found):
    """The value found at z; one that is too large raises, and so does one where there is none."""
    if op.isfinite(z):
        if not op.isfinite(found):
            raise OverflowError("math range error")
    elif op.isnan(found) and not op.isnan(z):
        raise ValueError("math domain error")
    return pythons(found)


def sqrt(z, /):
    return pythons(op.sqrt(number(z)))


def exp(z, /):
    z = number(z)
    return in_range(z, op.exp(z))


def log(z, base=None, /):
    """The natural logarithm, or that to a base: the quotient of two logarithms."""
    if base is not None:
        return pythons(op.log(number(z))) / pythons(op.log(number(base)))
    z = number(z)
    if z == 0:
        raise ValueError("math domain error")
    return pythons(op.log(z))


def log10(z, /):
    z = number(z)
    if z == 0:
        raise ValueError("math domain error")
    return pythons(op.log10(z))


def sin(z, /):
    z = number(z)
    return in_range(z, op.sin(z))


def cos(z, /):
    z = number(z)
    return in_range(z, op.cos(z))


def tan(z, /):
    z = number(z)
    return in_range(z, op.tan(z))


def sinh(z, /):
    z = number(z)
    return in_range(z, op.sinh(z))


def cosh(z, /):
    z = number(z)
    return in_range(z, op.cosh(z))


def tanh(z, /):
    z = number(z)
    return in_range(z, op.tanh(z))


def asin(z, /):
    return pythons(op.arcsin(number(z)))


def acos(z, /):
    return pythons(op.arccos(number(z)))


def atan(z, /):
    z = number(z)
    if op.real(z) == 0.0 and op.absolute(op.imag(z)) == 1.0:
        raise ValueError("math domain error")
    return pythons(op.arctan(z))


def asinh(z, /):
    return pythons(op.arcsinh(number(z)))


def acosh(z, /):
    return pythons(op.arccosh(number(z)))


def atanh(z, /):
    z = number(z)
    if op.imag(z) == 0.0 and op.absolute(op.real(z)) == 1.0:
        raise ValueError("math domain error")
    return pythons(op.arctanh(z))


def phase(z, /):
    """The angle from the positive real axis, in radians."""
    z = number(z)
    return op.math_atan2(op.imag(z), op.real(z))


def polar(z, /):
    """(size, angle)"""
    z = number(z)
    return op.absolute(z), phase(z)


def rect(r, phi, /):
    """The number of this size at this angle."""
    r, phi = op.cast(r, dtype="f64", weak=True), op.cast(phi, dtype="f64", weak=True)
    return op.complex_of(r * op.math_cos(phi), r * op.math_sin(phi))


def isnan(z, /):
    return op.cast(op.isnan(number(z)), dtype="bool", weak=True)


def isinf(z, /):
    return op.cast(op.isinf(number(z)), dtype="bool", weak=True)


def isfinite(z, /):
    return op.cast(op.isfinite(number(z)), dtype="bool", weak=True)


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    """Whether two numbers are near each other, compared with the larger of both."""
    a, b = number(a), number(b)
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if op.cast(op.isinf(a), dtype="bool", weak=True) or op.cast(op.isinf(b), dtype="bool", weak=True):
        return False
    distance = abs(a - b)
    return distance <= rel_tol * abs(b) or distance <= rel_tol * abs(a) or distance <= abs_tol
