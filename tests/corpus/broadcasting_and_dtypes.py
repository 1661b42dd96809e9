"""Shapes that stretch, and dtypes that meet."""

import math

import numpy as np


def outer_sum(x, y, a):
    """A column and a row make a table."""
    return x[:, None] + a * y


def stretched_axes(A, x):
    """Lengths of one meet lengths of n."""
    row, column = x[None, :], x[:, None]
    return A * row - column / 2.0 + (row + column) ** 2


def three_dimensions(tensor, x):
    """A vector along the middle axis."""
    return tensor * x[:, None] + tensor[:1] - tensor[:, :, :1]


def scalar_and_zero_dimensions(x, a):
    """Zero-dimensional results mix with arrays."""
    total = np.sum(x)
    return total * x + a, total + a, np.asarray(a) * 2.0


def single_precision(x32, y32):
    """float32 stays float32 beside Python numbers."""
    return 2.0 * x32 + y32**2 - 1, x32.sum(), np.sqrt(np.abs(x32)) / 3


def single_meets_double(x32, y):
    """float64 wins, but not as a Python number."""
    return x32 * y, x32 + 1.5, y[0] * x32


def single_matrix(A32, x32):
    """Linear algebra in single precision."""
    return A32 @ x32, A32 @ A32.T, x32 @ x32, np.outer(x32, x32)


def single_scalar(a32, x32, x):
    """A float32 scalar is strong, a Python float is weak."""
    return a32 * x32, a32 * 2.0, a32 * x, a32 + 1


def double_scalar(a64, x32, c):
    """A float64 scalar widens a float32 array; a Python float does not."""
    return a64 * x32, c * x32, a64 * c, math.exp(c) * a64


def rounded_to_single(x):
    """An explicit dtype rounds."""
    narrow = np.asarray(x, dtype=np.float32)
    return narrow * narrow, np.array(x, dtype=np.float32) + np.ones(len(x), dtype=np.float32)


def running_single(x32):
    """An accumulator in an array of single precision."""
    out = np.zeros(len(x32), dtype=np.float32)
    out[0] = 0.1
    for i in range(1, len(x32)):
        out[i] = out[i - 1] + x32[i] * x32[i]
    return out


def stored_in_single(x):
    """A store into a float32 array rounds what is stored."""
    out = np.empty(len(x), dtype=np.float32)
    out[:] = x
    out[0] += 0.1
    return out


def integer_arithmetic(i64, j64):
    """Floor division and remainder of both signs."""
    signed = i64 - 5
    return signed // j64, signed % j64, signed * j64 - 3, signed**2, -signed // 2


def small_integers(i32, j32):
    """int32 stays int32, sums widen, division gives float64."""
    return i32 * j32 - 2, i32.sum(), i32 // 2 + j32 % 3, np.maximum(i32, j32)


def integers_become_floats(i32, i64, x):
    """True division, roots and means of integers."""
    return i32 / 2, np.sqrt(i64) * x, np.mean(i32) + x, i64 * 0.5


def integers_meet_single(i32, i64, x32):
    """int32 with float32 is float64, and so is int64."""
    return i32 * x32, i64 + x32, 2 * x32


def integer_weights(i64, x):
    """Integers as factors, powers and bounds of floats."""
    return i64 * x, x ** i64[0], np.sum(x * i64) / np.sum(i64), np.clip(x, 0, i64)


def bits(i64, j64, k):
    """Bitwise operators and shifts."""
    return i64 & j64, i64 | 1, i64 ^ j64, ~i64, i64 << k, i64 >> 1


def functions_for_bits(i32, j32, mask):
    """The same as functions, on int32 and on booleans."""
    return np.bitwise_and(i32, 6), np.bitwise_or(i32, j32), np.bitwise_xor(mask, True), np.bitwise_or(mask, i32 > j32)


def booleans(x, y, mask):
    """Comparisons and logic give booleans."""
    positive = x > 0.0
    return positive & mask, positive | (y <= x), ~mask, np.logical_xor(positive, mask), positive == mask


def logical_functions(x, y, i64):
    """Numbers other than zero are true."""
    inside = np.logical_and(x > -1.0, y < 1.0)
    return np.logical_or(inside, i64 > 4), np.logical_not(inside), np.logical_and(x, i64), np.logical_not(i64 - 3)


def booleans_as_numbers(x, mask):
    """Booleans count as zero and one."""
    return mask * x, np.sum(mask) + x, mask + 1.5 * x, np.mean(mask) * x, x - (x > 0.0)


def where_mixes(x, x32, i64, mask):
    """Both branches of where decide the dtype."""
    return np.where(mask, x, i64), np.where(mask, x32, 0.0), np.where(mask, 1.0, x), np.where(x > 0.0, i64, -i64)


def created_dtypes(x, k):
    """Creation functions and what they give."""
    counts, grid = np.arange(len(x)), np.linspace(-1.0, 1.0, len(x))
    return counts * x, grid + np.full(len(x), k), np.ones(len(x)) * x, np.arange(0.5, 3.0, 0.75), np.eye(k) * x[0]


def explicit_integers(k, count):
    """Creation with an integer dtype, in 32 bits and in 64."""
    narrow = np.arange(count, dtype=np.int32)
    wide = np.zeros(count, dtype=np.int64)
    wide[k] = 7
    return (
        narrow + k,
        narrow + wide,
        np.ones((k, 2), dtype=np.int32) * narrow[-1],
        np.full(k, 3),
        np.eye(k, dtype=np.int64),
    )


def like_another(x32, i64):
    """The *_like functions keep the dtype, unless told."""
    return np.zeros_like(x32) + 1, np.ones_like(i64) * 2, np.full_like(x32, 0.25), np.zeros_like(i64, dtype=np.float64)


def concatenated(x32, x, i32):
    """Joins promote like arithmetic."""
    return np.concatenate([x32, x]), np.concatenate([i32, i32]), np.stack([i32 * 1.0, x])


def conversions(x, c):
    """Python's int, float, bool and round of numbers."""
    return int(3.7 * c), float(len(x)), bool(c), round(10.0 * c), int(-2.5), float(x[0])


def rounding(x):
    """Six ways to a whole number."""
    y = 3.0 * x
    return np.floor(y), np.ceil(y), np.trunc(y), np.rint(y), np.round(y), np.floor_divide(y, 0.7)


def special_values(x):
    """Infinities and not-a-numbers that are made on purpose."""
    odd = np.where(x > 1.0, np.inf, np.where(x < -1.0, np.nan, x))
    return np.isnan(odd), np.isinf(odd), np.isfinite(odd), np.fmax(odd, 0.0), np.copysign(2.0, x)


def remainders(x, p):
    """mod follows the divisor, fmod the dividend."""
    y = 3.0 * x
    return np.mod(y, p), np.fmod(y, p), y % p, y - p * np.floor(y / p)


def elementary_functions(x):
    """One of each, on all reals."""
    first = np.exp(x) + np.expm1(x) + np.exp2(x) + np.cbrt(x + 8.0) + np.sin(x) * np.cos(x)
    second = np.tan(0.5 * np.tanh(x)) + np.arctan(x) + np.arcsinh(x) + np.sinh(x) - np.cosh(x)
    return first, second, np.arcsin(np.tanh(x)) + np.arccos(0.9 * np.sin(x)) + np.arctanh(0.5 * np.tanh(x))


def functions_for_operators(x, y, p):
    """Arithmetic spelt out."""
    total = np.add(x, np.multiply(2.0, y))
    return (
        np.subtract(total, p),
        np.divide(total, p),
        np.power(p, 2),
        np.abs(np.add(x, 1)),
        np.mod(np.multiply(x, y), p),
    )


def functions_of_positives(p, q):
    """Logarithms, roots and powers."""
    logs = np.log(p) + np.log2(q) - np.log10(p * q) + np.log1p(p)
    return logs, np.sqrt(p) ** q, np.power(p, -1.5), np.reciprocal(q), np.arccosh(1.0 + p), np.square(np.hypot(p, q))


def two_argument_functions(x, y):
    """Extremes, angles and signs of pairs."""
    least, most = np.minimum(x, y), np.maximum(x, y)
    return least * most, np.fmin(x, 0.3), np.fmax(y, -0.3), np.arctan2(x, y), np.logaddexp(x, y), np.copysign(x, y)


def functions_of_numbers(a, b):
    """The math module on Python floats."""
    waves = math.sin(a) * math.cos(b) + math.tan(0.5 * a) + math.atan2(a, b) + math.asinh(a) + math.tanh(b)
    growth = math.exp(-a) + math.expm1(b) + math.log1p(a) + math.log2(b) + math.log10(a) + math.pow(a, b)
    hyperbolas = math.sinh(a) * math.cosh(b) + math.acosh(1.0 + a) + math.atanh(0.5 * b) - math.atan(a)
    return waves, growth, hyperbolas, math.hypot(a, b) + math.fabs(a - b)


def whole_parts_of_numbers(a, b):
    """Functions of the math module that give Python ints, as factors; and remainders."""
    down, up, towards_zero = math.floor(-10.0 * a), math.ceil(4.0 * b), math.trunc(-10.0 * a)
    return down * b + up * a, towards_zero // 2 * b, math.fmod(-3.0 * a, b), (-3.0 * a) % b, math.copysign(a, -b)


NO_GRADIENT = {
    "rounded_to_single": "rounds to float32, too coarse for differences",
    "running_single": "stores into float32",
    "stored_in_single": "stores into float32",
    "integer_arithmetic": "integers",
    "small_integers": "integers",
    "bits": "integers",
    "functions_for_bits": "integers",
    "logical_functions": "booleans",
    "explicit_integers": "integers",
    "booleans": "booleans",
    "where_mixes": "an integer beside the floats",
    "like_another": "an integer beside the floats",
    "concatenated": "an integer beside the floats",
    "conversions": "integers beside the floats",
    "rounding": "staircases",
    "special_values": "booleans beside the floats",
}
