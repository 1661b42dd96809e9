"""Where elements stand: the places of what is true, indices of triangles and grids, elements at places along an axis.

    np.flatnonzero(m)    ->    arange(m.size)[ravel(m)]          np.ix_(rows, columns)    ->    rows[:, None], columns
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .creation import arange, lengths
from .elementary import in_dtype, operand, require_no_out, truth
from .elementary import where as chosen
from .joining import stack
from .manipulation import lengths_along, ravel, reshape, take, total

# --- what is true ----------------------------------------------------------------------------------------------------


def flatnonzero(a):
    """The places of what is not zero, counted along all axes."""
    flat = truth(ravel(a))
    return arange(flat.shape[0])[flat]


def nonzero(a):
    """The same for each axis, in a tuple."""
    a = operand(a)
    if static.rank(a) == 0:
        instead = "Use np.atleast_1d(scalar).nonzero() instead."
        raise ValueError(f"Calling nonzero on 0d arrays is not allowed. {instead}")
    return by_axis(flatnonzero(a), a.shape)


def of_mask(mask, lengths, axis):
    """Where a mask of these axes of an array is true."""
    for k in range(len(lengths)):
        if mask.shape[k] != lengths[k]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + k}; size of axis is {lengths[k]} but "
                f"size of corresponding boolean axis is {mask.shape[k]}"
            )
    return nonzero(mask)


def by_axis(flat, shape):
    """Places counted along all axes, as one array of places for each axis."""
    found: tuple = ()
    for k in range(len(shape) - 1, 0, -1):
        found = (flat % shape[k], *found)
        flat = flat // shape[k]
    return (flat, *found)


def argwhere(a):
    """The same as the rows of a matrix."""
    a = operand(a)
    if static.rank(a) == 0:
        static.refuse("S002", "np.argwhere takes an array of at least one dimension here")
    return stack(nonzero(a), 1)


def where(condition, x=None, y=None, /):
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return chosen(condition, x, y)


def compress(condition, a, axis=None, out=None):
    """The slices along an axis where the condition, which may be shorter, is true."""
    condition = operand(condition)
    require_no_out(out)
    if static.rank(condition) != 1:
        raise ValueError("condition must be a 1-d array")
    return take(a, flatnonzero(condition), axis)


def compress_method(a, condition, axis=None, out=None):
    """`x.compress(condition)`"""
    return compress(condition, a, axis, out)


def extract(condition, arr):
    return take(ravel(arr), flatnonzero(condition))


# --- elements along an axis ------------------------------------------------------------------------------------------


def take_along_axis(arr, indices, axis=-1):
    """Of each vector along the axis the elements at places of its own."""
    arr, indices = operand(arr), operand(indices)
    if axis is None:
        if static.rank(indices) != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return ravel(arr)[indices]
    if static.rank(arr) != static.rank(indices):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return arr[places_along(arr.shape, indices, static.axis_of(axis, static.rank(arr)))]


def places_along(shape, indices, axis):
    """The index that takes `indices` along one axis and everything along the others."""
    if static.kind(indices) != "int":
        raise IndexError("`indices` must be an integer array")
    return tuple(
        [indices if k == axis else reshape(arange(n), lengths_along(k, len(shape), n)) for k, n in enumerate(shape)]
    )


# --- triangles and grids ---------------------------------------------------------------------------------------------


def tril_indices(n, k=0, m=None):
    return nonzero(arange(n)[:, None] >= arange(n if m is None else m)[None, :] - k)


def triu_indices(n, k=0, m=None):
    return nonzero(arange(n)[:, None] <= arange(n if m is None else m)[None, :] - k)


def tril_indices_from(arr, k=0):
    require_matrix(arr)
    return tril_indices(arr.shape[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    require_matrix(arr)
    return triu_indices(arr.shape[0], k, arr.shape[1])


def require_matrix(arr):
    if static.rank(arr) != 2:
        raise ValueError("input array must be 2-d")


def diag_indices(n, ndim=2):
    places = arange(n)
    return tuple([places for _ in range(ndim)])


def diag_indices_from(arr):
    if static.rank(arr) < 2:
        raise ValueError("input array must be at least 2-d")
    for length in arr.shape:
        if length != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], static.rank(arr))


def ix_(*args):
    """Index arrays of one axis each, which meet in a grid."""
    found: tuple = ()
    for k, places in enumerate(args):
        places = operand(places)
        if static.rank(places) != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if static.is_empty(places):
            places = op.cast(places, dtype="i64")
        if static.kind(places) == "bool":
            places = flatnonzero(places)
        found = (*found, op.reshape(places, shape=lengths_along(k, len(args), places.shape[0])))
    return found


def indices(dimensions, dtype=int, sparse=False):
    """For each axis the places along it, in arrays of all the lengths."""
    sizes, word = lengths(dimensions), static.dtype_name(dtype)
    along = [
        op.reshape(op.arange(0, n, 1, shape=(n,), dtype=word), shape=lengths_along(k, len(sizes), n))
        for k, n in enumerate(sizes)
    ]
    if sparse:
        return tuple(along)
    out = op.empty(shape=(len(sizes), *sizes), dtype=word)
    for k in range(len(sizes)):
        out[k] = along[k]
    return out


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """The coordinates of a grid, one array for each axis; with `xy` the first two axes change places."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    if not copy:
        static.refuse("U012", "np.meshgrid with copy=False gives views; leave it out")
    parts = [ravel(x) for x in xi]
    places = static.grid_axes(len(parts), indexing)
    along = [
        op.reshape(part, shape=lengths_along(place, len(parts), part.shape[0])) for place, part in zip(places, parts)
    ]
    if sparse:
        return tuple([op.copy(part) for part in along])
    shape = tuple([parts[static.position(places, k)].shape[0] for k in range(len(parts))])
    return tuple([op.copy(op.broadcast_to(part, shape=shape)) for part in along])


def open_grid(*axes):
    """`np.ogrid`: the coordinates in one dtype, each along an axis of its own."""
    word = static.strict_common(*axes)
    return meshgrid(*[in_dtype(axis, word) for axis in axes], sparse=True, indexing="ij")


def unravel_index(indices, shape, order="C"):
    """Places counted along all axes, as one array of places for each axis."""
    if order == "F":
        return unravel_index(indices, lengths(shape)[::-1])[::-1]
    if order != "C":
        raise ValueError("only 'C' or 'F' order is permitted")
    places, sizes = operand(indices), lengths(shape)
    if static.kind(places) not in ("int", "bool"):
        raise TypeError("only int indices permitted")
    places, size = in_dtype(places, "i64"), total(sizes)
    outside = op.logical_or(places < 0, places >= size)
    if op.any(outside):
        raise ValueError(f"index {ravel(places)[op.argmax(outside)]} is out of bounds for array with size {size}")
    return by_axis(places, sizes)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Places for each axis, as places counted along all axes."""
    if order == "F":
        modes = mode[::-1] if static.is_sequence(mode) else mode
        return ravel_multi_index(tuple(multi_index)[::-1], lengths(dims)[::-1], modes)
    if order != "C":
        raise ValueError("only 'C' or 'F' order is permitted")
    sizes = lengths(dims)
    if len(multi_index) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    flat = op.cast(0, dtype="i64")
    for k in range(len(sizes)):
        given = operand(multi_index[k])
        if static.kind(given) not in ("int", "bool"):
            raise TypeError("only int indices permitted")
        places = within(in_dtype(given, "i64"), sizes[k], static.part(mode, k))
        flat = flat * sizes[k] + places
    return flat


def within(places, size, mode):
    """Places along one axis: checked, clipped to its ends, or wrapped around."""
    if mode == "raise":
        if not op.all(op.logical_and(places >= 0, places < size)):
            raise ValueError("invalid entry in coordinates array")
        return places
    if mode == "clip":
        return op.minimum(op.maximum(places, 0), size - 1)
    return places % size
