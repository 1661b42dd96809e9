"""Searching, interpolation and convolution, by loops."""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .complex_order import precedes
from .elementary import conjugated, in_dtype, number, operand
from .joining import concatenate
from .manipulation import atleast_1d, ravel
from .sorting import order_of


def interp(x, xp, fp, left=None, right=None, period=None):
    """Straight lines between the points (xp, fp), xp increasing; `left` and `right` of them the end values."""
    x, xp, fp = operand(x), op.cast(operand(xp), dtype="f64"), op.cast(operand(fp), dtype="f64")
    if period is not None:
        return interp(op.cast(x, dtype="f64") % round_once(period), *wrapped(xp, fp, round_once(period)))
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    if xp.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if static.rank(x) == 0:
        return between(op.cast(x, dtype="f64"), xp, fp, left, right)
    values = op.cast(ravel(x), dtype="f64")
    out = op.empty(shape=values.shape, dtype="f64")
    for i in range(values.shape[0]):
        out[i] = between(values[i], xp, fp, left, right)
    return out if static.rank(x) == 1 else op.reshape(out, shape=x.shape)


def round_once(period):
    if period == 0:
        raise ValueError("period must be a non-zero value")
    return op.cast(op.absolute(period), dtype="f64")


def wrapped(xp, fp, period):
    """The points in order of their place in the period, with one more at either end."""
    if static.rank(xp) != 1 or static.rank(fp) != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    if xp.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    places = xp % period
    order = order_of(places)
    places, values = places[order], fp[order]
    ends = concatenate((places[-1:] - period, places, places[:1] + period))
    return ends, concatenate((values[-1:], values, values[:1]))


def between(x, xp, fp, left, right):
    """One value of `interp`."""
    last = xp.shape[0] - 1
    below = op.cast(fp[0] if left is None else left, dtype="f64")
    above = op.cast(fp[last] if right is None else right, dtype="f64")
    if op.isnan(x):
        value = x
    elif x < xp[0]:
        value = below
    elif x > xp[last]:
        value = above
    elif x == xp[last]:
        value = fp[last] if last == 0 else at_point(x, xp[last], fp[last], slope(xp, fp, max(last - 1, 0)))
    else:
        j = place(xp, x, True) - 1
        if x == xp[j]:
            value = at_point(x, xp[j], fp[j], slope(xp, fp, j))
        else:
            value = on_line(x, xp, fp, j)
    return value


def on_line(x, xp, fp, j):
    """From the point before; from the one after where that is nan; both of one height are the line between them."""
    rise = slope(xp, fp, j)
    value = rise * (x - xp[j]) + fp[j]
    if op.isnan(value):
        value = rise * (x - xp[j + 1]) + fp[j + 1]
        if op.isnan(value) and fp[j] == fp[j + 1]:
            value = fp[j]
    return value


def slope(xp, fp, j):
    return (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j])


def at_point(x, point, value, rise):
    """`value` to the sign of a zero, as `x` is `point`; its derivative is that of the line with this slope."""
    if not op.isfinite(rise) or not op.isfinite(point):
        return value
    return value - (point - x) * rise if rise >= 0.0 else value + (x - point) * rise


def place(a, value, after):
    """Where `value` would be inserted into the increasing `a`: after its equals, or before them."""
    low, high = 0, a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if not precedes(value, a[middle]) if after else precedes(a[middle], value):
            low = middle + 1
        else:
            high = middle
    return low


def in_order(a, sorter):
    """The elements in another order, whose places are not counted from the end."""
    if op.any(op.logical_or(sorter < 0, sorter >= a.shape[0])):
        raise ValueError("Sorter index out of range.")
    return a[sorter]


def searchsorted(a, v, side="left", sorter=None):
    """Where each value would be inserted into the increasing `a`; nan counts as the largest value of `a`."""
    a, v = operand(a), operand(v)
    if sorter is not None:
        if operand(sorter).shape[0] != a.shape[0]:
            raise ValueError("sorter.size must equal a.size")
        a = in_order(a, operand(sorter))
    word = static.strict_common(a, v)
    a, v = in_dtype(a, word), in_dtype(v, word)
    if static.rank(a) != 1:
        static.refuse("S002", "object too deep for desired array: np.searchsorted looks into a vector")
    if static.rank(v) == 0:
        return op.cast(place(a, number(v), side == "right"), dtype="i64")
    values = ravel(v)
    out = op.empty(shape=values.shape, dtype="i64")
    for i in range(values.shape[0]):
        out[i] = place(a, values[i], side == "right")
    return out if static.rank(v) == 1 else op.reshape(out, shape=v.shape)


def convolve(a, v, mode="full"):
    """The discrete convolution of two vectors; the shorter one slides over the longer one."""
    a, v = atleast_1d(a), atleast_1d(v)
    require_vectors(a, v)
    n, m = a.shape[0], v.shape[0]
    if n == 0:
        raise ValueError("a cannot be empty")
    if m == 0:
        raise ValueError("v cannot be empty")
    out = op.zeros(shape=(n + m - 1,), dtype=static.common(a, v))
    for j in range(m):
        out[j : j + n] = out[j : j + n] + a * v[j]
    return middle_part(out, n, m, mode)


def require_vectors(a, v):
    if static.rank(a) != 1 or static.rank(v) != 1:
        raise ValueError("object too deep for desired array")


def middle_part(out, n, m, mode):
    """All of a convolution, as much as the longer vector has, or where the shorter one lies on it altogether."""
    if mode == "full":
        return out
    if mode == "same":
        return out[(min(n, m) - 1) // 2 : (min(n, m) - 1) // 2 + max(n, m)]
    if mode == "valid":
        return out[min(n, m) - 1 : max(n, m)]
    raise ValueError(f"mode must be one of 'full', 'same' or 'valid' (got {mode!r})")


def correlate(a, v, mode="valid"):
    """How alike two vectors are at every distance."""
    a, v = atleast_1d(a), atleast_1d(v)
    require_vectors(a, v)
    n, m = a.shape[0], v.shape[0]
    if n == 0:
        raise ValueError("first array argument cannot be empty")
    if m == 0:
        raise ValueError("second array argument cannot be empty")
    found = convolve(a, conjugated(v)[::-1])
    if mode == "same" and m > n:
        return found[n // 2 : n // 2 + m]
    return middle_part(found, n, m, mode)
