"""Functions that write into their first argument, an array that the program has made.

    np.fill_diagonal(a, 0.0)    ->    a[k, k] = 0.0 for each k          np.copyto(a, b)    ->    a[...] = b
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .arranging import resize
from .creation import arange
from .elementary import in_dtype, operand, truth
from .manipulation import ravel, total
from .places import by_axis, places_along


def fill_diagonal(a, val, wrap=False):
    """The elements (k, k, ...) become `val`, or the elements of `val` in turn."""
    if static.rank(a) < 2:
        raise ValueError("array must be at least 2-d")
    count = a.shape[0]
    for length in a.shape[1:]:
        if static.rank(a) > 2 and length != a.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
        count = min(count, length)
    if wrap and static.rank(a) == 2:
        return fill_again(a, val)
    places, values = arange(count), operand(val)
    if static.rank(values) > 0:
        flat = ravel(values)
        values = flat[places % max(flat.shape[0], 1)]
    a[tuple([places for _ in a.shape])] = values


def set_flat(a, v):
    """`a.flat = v`: the elements, row by row, become those of `v` in turn."""
    values = operand(v)
    if static.rank(values) == 0:
        a[...] = values
    elif total(values.shape) > 0:
        a[...] = resize(values, a.shape)


def fill_again(a, val):
    """The diagonal, which begins again one row after it has reached the last column."""
    rows, columns = a.shape
    numbers = arange(0, rows * columns, columns + 1)
    values = operand(val)
    if static.rank(values) > 0:
        flat = ravel(values)
        values = flat[arange(numbers.shape[0]) % max(flat.shape[0], 1)]
    a[by_axis(numbers, a.shape)] = values


def copyto(dst, src, casting="same_kind", where=True):
    """`dst[...] = src`, where the mask is true."""
    src, mask = operand(src), operand(where)
    if not static.can_cast(src, static.element(dst), casting):
        raise TypeError(f"Cannot cast the source of np.copyto to its destination according to the rule '{casting}'")
    if static.is_static(mask):
        if mask:
            dst[...] = src
        return
    dst[...] = op.where(truth(mask), in_dtype(src, static.element(dst)), dst)


def put(a, ind, v, mode="raise"):
    """The elements at places, counted along all axes, become those of `v` in turn."""
    places, values = ravel(ind), ravel(v)
    size = total(a.shape)
    if mode == "clip":
        places = op.minimum(op.maximum(places, 0), size - 1)
    elif mode == "wrap":
        places = places % max(size, 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    if op.any(op.logical_or(places < -size, places >= size)):
        raise IndexError(f"an index is out of bounds for axis 0 with size {size}")
    numbers = arange(places.shape[0]) % max(values.shape[0], 1)
    a[by_axis(op.where(places < 0, places + size, places), a.shape)] = values[numbers]


def put_along_axis(arr, indices, values, axis):
    """Of each vector along the axis the elements at places of its own become `values`."""
    indices = operand(indices)
    if axis is None:
        static.refuse("U012", "np.put_along_axis needs an axis here; `np.put` counts along all of them")
    if static.rank(arr) != static.rank(indices):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    arr[places_along(arr.shape, indices, static.axis_of(axis, static.rank(arr)))] = values


def putmask(a, mask, values):
    """Where the mask is true, the elements of `values` that stand at the same places, again and again."""
    values = ravel(values)
    numbers = op.reshape(arange(total(a.shape)), shape=a.shape)
    chosen = values[numbers % max(values.shape[0], 1)]
    a[...] = op.where(truth(operand(mask)), in_dtype(chosen, static.element(a)), a)


def place(arr, mask, vals):
    """The elements where the mask is true become those of `vals` in turn."""
    flat, values = truth(ravel(mask)), ravel(vals)
    places = arange(flat.shape[0])[flat]
    numbers = arange(places.shape[0]) % max(values.shape[0], 1)
    arr[by_axis(places, arr.shape)] = values[numbers]
