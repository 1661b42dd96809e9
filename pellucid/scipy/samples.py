"""Integrals of samples: the trapezoidal rule and Simpson's, whole and cumulative.

    simpson(y, dx=h)    h / 3 (y[0] + 4 y[1] + 2 y[2] + ... + y[n]), the last part corrected where n is odd

Source: L. Cartwright, Simpson's rule cumulative integration with MS Excel and irregularly-spaced data (2017).
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.calculus import trapezoid as trapezoid_of_numpy
from ..numpy.elementary import operand
from ..numpy.joining import concatenate
from ..numpy.manipulation import moveaxis
from ..numpy.reductions import cumsum


def trapezoid(y, x=None, dx=1.0, axis=-1):
    return trapezoid_of_numpy(y, x, dx, axis)


def spacings(y, x, dx, axis):
    """The samples with their axis at the end, and the steps between them, or one step."""
    y = operand(y)
    rows = moveaxis(y, axis, -1)
    if x is None:
        return rows, dx
    x = operand(x)
    points = x if static.rank(x) == 1 else moveaxis(x, axis, -1)
    if points.shape[-1] != rows.shape[-1]:
        raise ValueError("If given, length of x along axis must be the same as y.")
    return rows, points[..., 1:] - points[..., :-1]


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The integrals up to each sample; `initial=0` puts a zero in front."""
    rows, steps = spacings(y, x, dx, axis)
    if rows.shape[-1] == 0:
        raise ValueError("At least one point is required along `axis`.")
    sums = cumsum(steps * (rows[..., 1:] + rows[..., :-1]) / 2.0, static.rank(rows) - 1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        sums = concatenate((op.zeros(shape=(*sums.shape[:-1], 1), dtype=static.element(sums)), sums), axis=-1)
    return moveaxis(sums, -1, axis)


def simpson(y, x=None, *, dx=1.0, axis=-1):
    """The integral by parabolas through three samples; the last interval of an odd number by the one before it."""
    rows, steps = spacings(y, x, dx, axis)
    n = rows.shape[-1]
    if x is None:
        steps = dx * op.ones(shape=(max(n - 1, 0),), dtype=static.of_functions(static.element(rows)))
    count = n if n % 2 == 1 else n - 1
    total = parabolas(rows[..., :count], steps[..., : max(count - 1, 0)])
    if n % 2 == 0:
        total = total + (halves(rows, steps) if n == 2 else last_part(rows, steps))
    return total


def halves(rows, steps):
    return 0.5 * steps[..., -1] * (rows[..., -1] + rows[..., -2])


def parabolas(rows, steps):
    """Of intervals h and k: (h + k) / 6 (y0 (2 - k / h) + y1 (h + k)^2 / (h k) + y2 (2 - h / k))"""
    h, k = steps[..., ::2], steps[..., 1::2]
    left, middle, right = rows[..., :-2:2], rows[..., 1:-1:2], rows[..., 2::2]
    both = h + k
    parts = both / 6.0 * (left * (2.0 - k / h) + middle * (both * both / (h * k)) + right * (2.0 - h / k))
    return op.sum(parts, axis=static.rank(parts) - 1)


def last_part(rows, steps):
    """The last interval k, of length after h, by the parabola through the last three samples."""
    h, k = steps[..., -2], steps[..., -1]
    last = (2.0 * k * k + 3.0 * k * h) / (6.0 * (h + k))
    middle = (k * k + 3.0 * k * h) / (6.0 * h)
    return last * rows[..., -1] + middle * rows[..., -2] - k * k * k / (6.0 * h * (h + k)) * rows[..., -3]
