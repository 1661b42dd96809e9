"""The order of complex numbers: by their real parts, then by the imaginary ones; extremes of arrays of them.

    np.max(z, axis=1)    ->    for each row the element at the place that a loop finds
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .manipulation import as_array, expand_dims, moveaxis, ravel, total


def precedes(left, right):
    """The order that NumPy sorts in: nan comes after every number, and numbers with one such part before those with
    two."""
    if static.kind(left) == "float":
        return op.logical_or(left < right, op.logical_and(op.isnan(right), op.logical_not(op.isnan(left))))
    if not static.is_complex(left):
        return left < right
    a, b, c, d = op.real(left), op.imag(left), op.real(right), op.imag(right)
    if a < c:
        return b == b or d != d
    if a > c:
        return b == b and d != d
    if a == c or (a != a and c != c):
        return b < d or (d != d and b == b)
    return c != c


def place_of_extreme(row, is_largest):
    """Where the largest or the smallest element stands first; the first nan where there is one."""
    place = 0
    for k in range(1, row.shape[0]):
        if not op.isnan(row[place]):
            before = row[place] < row[k] if is_largest else row[k] < row[place]
            if op.isnan(row[k]) or before:
                place = k
    return place


def rows_of(a, axis):
    """What falls together along axes as the rows of a matrix."""
    if axis is None:
        return op.reshape(ravel(a), shape=(1, total(a.shape)))
    axes = static.axes_of(axis, static.rank(a))
    moved = moveaxis(a, axes, tuple(range(static.rank(a) - len(axes), static.rank(a))))
    lead = static.rank(a) - len(axes)
    return op.reshape(moved, shape=(total(moved.shape[:lead]), total(moved.shape[lead:])))


def left_of(values, a, axis, keepdims):
    """One value for each row in the shape of what is left of `a`."""
    axes = static.axes_of(axis, static.rank(a))
    kept = tuple([length for k, length in enumerate(a.shape) if k not in axes])
    made = op.reshape(values, shape=kept) if len(kept) > 0 else values[0]
    return expand_dims(made, axes) if keepdims else made


def extreme(a, axis, keepdims, is_largest):
    a = as_array(a)
    rows = rows_of(a, axis)
    if rows.shape[1] == 0:
        name = "maximum" if is_largest else "minimum"
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    out = op.empty(shape=(rows.shape[0],), dtype=static.element(a))
    for r in range(rows.shape[0]):
        out[r] = rows[r, place_of_extreme(rows[r], is_largest)]
    return left_of(out, a, axis, keepdims)


def argument_of_extreme(a, axis, keepdims, is_largest):
    a = as_array(a)
    rows = rows_of(a, axis)
    if rows.shape[1] == 0:
        raise ValueError(f"attempt to get {'argmax' if is_largest else 'argmin'} of an empty sequence")
    out = op.empty(shape=(rows.shape[0],), dtype="i64")
    for r in range(rows.shape[0]):
        out[r] = place_of_extreme(rows[r], is_largest)
    return left_of(out, a, axis, keepdims)
