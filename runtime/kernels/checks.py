"""What kernels call where Python would raise: they note it in the fault word and go on with a harmless number.

    out[index(t, out.shape[0], failed)]     an index as Python counts: -1 is the last; out of bounds is noted, and is 0
    checked_add(a, b, failed)               int64; a sum that no int64 holds is noted

`failed` is what `faults()` gives.  The message is made on the host, by the program of the processor.

Like `device`, this file is numba.cuda source that the lockstep machine runs too.
"""
# mypy: disallow-untyped-defs=False

import math

import numpy as np

from ..lockstep import cuda
from .device import floor_divide, floor_divide_integer, remainder, remainder_integer

LEAST = -(2**63)

# --- indices ----------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def index(i, n, failed):
    """Where `a[i]` lies among n elements, counted from the front."""
    if i < 0:
        i += n
    if i < 0 or i >= n:
        failed[0] = 1
        i = 0
    return i


@cuda.jit(device=True)
def natural_index(i, n, failed):
    """The same for an index that is known not to be negative."""
    if i >= n:
        failed[0] = 1
        i = 0
    return i


# --- Python's ints and floats -----------------------------------------------------------------------------------------


@cuda.jit(device=True)
def checked_add(a, b, failed):
    total = np.int64(a + b)
    if (a >= 0) == (b >= 0) and (total >= 0) != (a >= 0):
        failed[0] = 1
    return total


@cuda.jit(device=True)
def checked_subtract(a, b, failed):
    difference = np.int64(a - b)
    if (a >= 0) != (b >= 0) and (difference >= 0) != (a >= 0):
        failed[0] = 1
    return difference


@cuda.jit(device=True)
def checked_multiply(a, b, failed):
    """A product is too large where the one that is taken as a float is, or is near enough for the other to tell."""
    product = np.int64(a * b)
    about = float(a) * float(b)
    if abs(about) > 9.3e18 or (abs(about) > 9.1e18 and (product >= 0) != (about >= 0.0)):
        failed[0] = 1
    return product


@cuda.jit(device=True)
def checked_divide(a, b, failed):
    if b == 0:
        failed[0] = 1
        return math.nan
    return a / b


@cuda.jit(device=True)
def checked_floor_divide(a, b, failed):
    if b == 0:
        failed[0] = 1
        return a
    return floor_divide(a, b)


@cuda.jit(device=True)
def checked_floor_divide_integer(a, b, failed):
    if b == 0 or (a == LEAST and b == -1):
        failed[0] = 1
        return a
    return floor_divide_integer(a, b)


@cuda.jit(device=True)
def checked_remainder(a, b, failed):
    if b == 0:
        failed[0] = 1
        return a
    return remainder(a, b)


@cuda.jit(device=True)
def checked_remainder_integer(a, b, failed):
    if b == 0:
        failed[0] = 1
        return a
    return remainder_integer(a, b)


@cuda.jit(device=True)
def checked_int(x, failed):
    """`int(x)` of a float: nan, infinity and what no int64 holds are noted."""
    if not (x > -9.223372036854775e18 and x < 9.223372036854775e18):
        failed[0] = 1
        return np.int64(0)
    return np.int64(x)


@cuda.jit(device=True)
def checked(result, x, failed):
    """A result of `math`: nan of a number, and infinity of a finite one, are what CPython raises for."""
    if (math.isnan(result) and not math.isnan(x)) or (math.isinf(result) and not math.isinf(x) and not math.isnan(x)):
        failed[0] = 1
    return result


@cuda.jit(device=True)
def checked_of_two(result, x, y, failed):
    """The same of a function of two numbers."""
    if math.isnan(result) and not math.isnan(x) and not math.isnan(y):
        failed[0] = 1
    if math.isinf(result) and math.isfinite(x) and math.isfinite(y):
        failed[0] = 1
    return result


@cuda.jit(device=True)
def checked_fit(i, least, greatest, failed):
    """An int of Python's that goes to ints of NumPy's, which hold `least` to `greatest`: others raise OverflowError."""
    if i < least or i > greatest:
        failed[0] = 1
    return i


@cuda.jit(device=True)
def checked_signed(i, failed):
    """The int64 of a uint64; one that none holds is noted."""
    made = np.int64(i)
    if made < 0:
        failed[0] = 1
    return made


@cuda.jit(device=True)
def checked_power(x, y, failed):
    """A power of Python's floats: what is infinite, or complex, is noted where both are finite."""
    result = x * x if y == 2.0 else x**y
    return checked_of_two(result, x, y, failed)


@cuda.jit(device=True)
def checked_power_integer(base, exponent, failed):
    """A power of int64s; one that no int64 holds is noted, and a negative exponent."""
    if exponent < 0:
        failed[0] = 1
    result = np.int64(1)
    while exponent > 0:
        if exponent & 1:
            result = checked_multiply(result, base, failed)
        exponent >>= 1
        if exponent > 0:  # a further square could be too large where the power is not
            base = checked_multiply(base, base, failed)
    return result
