"""Windows of signals, and the functions they are made of.

    np.hanning(m)    ->    0.5 - 0.5 cos(2 pi k / (m - 1)) for k < m          np.sinc(x)    ->    sin(pi x) / (pi x)
"""

from math import nan, pi

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .creation import one_length
from .elementary import as_floating, operand, strong


def sinc(x):
    """sin(pi x) / (pi x), and the first terms of its series near zero, which have its derivatives there."""
    x = as_floating(strong(operand(x)))
    y = pi * x
    square = y * y
    is_small = op.absolute(square) < 9.0e-4
    y = op.where(is_small, 1.0, y)
    return op.where(is_small, 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0)), op.sin(y) / y)


def hanning(M):
    return 0.5 + 0.5 * op.cos(angles(M))


def hamming(M):
    return 0.54 + 0.46 * op.cos(angles(M))


def blackman(M):
    return 0.42 + 0.5 * op.cos(angles(M)) + 0.08 * op.cos(2.0 * angles(M))


def bartlett(M):
    return 1.0 - op.absolute(angles(M)) / pi


def angles(M):
    """From -pi to pi; 0 where there is one, nothing where there is none."""
    points = places(M)
    return pi * points / max(points.shape[0] - 1, 1)


def places(M):
    """1 - M, 3 - M, ..., M - 1 in floats."""
    if static.rank(M) != 0 or static.kind(M) == "float":
        static.refuse("T001", "the length of a window is an int here")
    count = one_length(max(M, 0))
    return op.arange(1 - count, count, 2, shape=(count,), dtype="f64")


def kaiser(M, beta):
    points, beta = places(M), op.cast(beta, dtype="f64")
    share = points / max(points.shape[0] - 1, 1)
    return i0(beta * op.sqrt(op.maximum(1.0 - share * share, 0.0))) / i0(beta)


def i0(x):
    """The modified Bessel function of order 0, by its series in x**2 / 4, all of whose terms are positive."""
    x = as_floating(strong(operand(x)))
    quarter = x * x * 0.25
    value = x * 0.0 + 1.0  # the square may be infinite where the number is not
    term, k = value, 0
    while op.any(term > value * 1.0e-17):
        k += 1
        term = term * (quarter / (k * k))
        value = value + term
    return op.where(op.isinf(x), nan, value)
