"""Elements of arrays one after the other, and arrays of what comes one after the other.

    for index, x in np.ndenumerate(a): ...    ->    for index, x in zip(np.ndindex(a.shape), a.ravel()): ...
    sliding_window_view(x, 3)                 ->    x[arange(n - 2)[:, None] + arange(3)]
"""

import numpy as np

from ..compiler.ops import static, static_dtypes
from .arranging import broadcast_arrays, ndindex
from .creation import arange
from .manipulation import as_array, moveaxis, ravel


def ndenumerate(arr):
    """Every index of an array and the element there."""
    arr = as_array(arr)
    return list(zip(ndindex(arr.shape), ravel(arr)))


def nditer(op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe"):
    """The elements of an array, or of several that broadcast, in the order in which they lie in memory: row by row."""
    if flags is not None or op_flags is not None or op_dtypes is not None:
        fault = "np.nditer is for reading elements here"
        static.refuse("U012", fault, "write with indices: `for i in np.ndindex(x.shape)`")
    parts = [as_array(part) for part in op] if static.is_sequence(op) else [as_array(op)]
    for part in parts:
        if order == "F" or order != "C" and not static_dtypes.lies_in_rows(part):
            static.refuse("U012", "np.nditer goes row by row here", "say order='C'")
    if len(parts) == 1:
        return ravel(parts[0])
    return list(zip(*[ravel(part) for part in broadcast_arrays(*parts)]))


def fromiter(iter, dtype, count=-1):
    """A vector of what comes one after the other, of all of it or of the first `count`."""
    made = np.array(list(iter), dtype=dtype)
    if count < 0:
        return made
    if made.shape[0] < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {made.shape[0]} items.")
    return made[:count]


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Every window of a shape, along axes, or along all of them; what is in a window lies along new last axes."""
    x = as_array(x)
    if writeable:
        static.refuse("U012", "windows are copies here: they cannot be written into")
    sizes = window_shape if static.is_sequence(window_shape) else (window_shape,)
    places = tuple(range(static.rank(x))) if axis is None else axis if static.is_sequence(axis) else (axis,)
    if len(sizes) != len(places):
        what = "Since axis is None, must provide window_shape for all dimensions of `x`" if axis is None else (
            "Must provide matching length window_shape and axis")
        given = f"got {len(sizes)} window_shape elements and `{'x.ndim' if axis is None else 'axis'}` "
        raise ValueError(f"{what}; {given}{'is' if axis is None else 'has'} {len(places)}.")
    for place, size in zip([static.axis_of(k, static.rank(x)) for k in places], sizes):
        if size < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        if size > x.shape[place]:
            raise ValueError("window shape cannot be larger than input array shape")
        rows = moveaxis(x, place, 0)
        starts = arange(rows.shape[0] - size + 1)
        x = moveaxis(moveaxis(rows[starts[:, None] + arange(size)[None, :]], 1, -1), 0, place)
    return x
