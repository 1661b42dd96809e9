"""Arrays joined: parts of known number, the items of a list of any length, the rows of an array.

    np.concatenate((a, b))    ->    the operator
    np.stack(rows)            ->    array(rows), its first axis moved
    np.concatenate(pieces)     ->    out[start : start + n] = piece for each
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype, operand
from .manipulation import as_array, atleast_1d, atleast_2d, expand_dims, moveaxis, ravel, reshape


def parts_of(arrays):
    return [operand(a) for a in arrays]


def concatenate(arrays, axis=0, *, dtype=None):
    if static.is_sequence(arrays):
        parts = parts_of(arrays)
        if axis is None:
            parts, axis = [ravel(part) for part in parts], 0
        if len(parts) == 0:
            static.refuse("S003", "need at least one array to concatenate")
        joined = op.concatenate(*parts, axis=axis)
    elif static.holds_arrays(arrays):
        joined = pieces(arrays, axis)
    else:
        joined = rows_joined(operand(arrays), axis)
    return joined if dtype is None else in_dtype(joined, static.dtype_name(dtype))


def pieces(arrays, axis):
    """The items of a list one after the other: they are counted, then copied."""
    if len(arrays) == 0:
        raise ValueError("need at least one array to concatenate")
    rank = static.rank_of_items(arrays)
    if rank == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    place = 0 if axis is None else static.axis_of(axis, rank)
    first = moveaxis(ravel(arrays[0]) if axis is None else arrays[0], place, 0)
    length = 0
    for k in range(len(arrays)):
        length += ravel(arrays[k]).shape[0] if axis is None else arrays[k].shape[place]
    out = op.empty(shape=(length, *first.shape[1:]), dtype=static.element(first))
    start = 0
    for k in range(len(arrays)):
        piece = moveaxis(ravel(arrays[k]) if axis is None else arrays[k], place, 0)
        require_alike(piece.shape[1:], first.shape[1:])
        out[start : start + piece.shape[0]] = piece
        start += piece.shape[0]
    return moveaxis(out, 0, place)


def require_alike(lengths, expected):
    for length, other in zip(lengths, expected):
        if length != other:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly, but along a"
                f" dimension there are sizes {other} and {length}"
            )


def rows_joined(rows, axis):
    """What an array has along its first axis, one after the other."""
    if static.rank(rows) < 2:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    if axis is None:
        return ravel(rows)
    place = static.axis_of(axis, static.rank(rows) - 1)
    moved = moveaxis(rows, 0, place)
    merged = moved.shape[place] * moved.shape[place + 1]
    return op.copy(reshape(moved, (*moved.shape[:place], merged, *moved.shape[place + 2 :])))


def stack(arrays, axis=0):
    """Arrays of one shape along a new axis."""
    if not static.is_sequence(arrays):
        if static.is_list(arrays) and len(arrays) == 0:
            raise ValueError("need at least one array to stack")
        rows = operand(arrays)
        return op.copy(moveaxis(rows, 0, static.axis_of(axis, static.rank(rows))))
    parts = [as_array(part) for part in parts_of(arrays)]
    if len(parts) == 0:
        static.refuse("S003", "need at least one array to stack")
    rank = static.rank(parts[0])
    for part in parts:
        if static.rank(part) != rank:
            static.refuse("S003", "all input arrays must have the same shape")
    place = static.axis_of(axis, rank + 1)
    return op.concatenate(*[expand_dims(part, place) for part in parts], axis=place)


def rank_of_parts(arrays):
    """How many axes the arrays have that are to be joined, for a list or an array of them."""
    return static.rank_of_items(arrays) if static.holds_arrays(arrays) else static.rank(operand(arrays)) - 1


def vstack(tup):
    if not static.is_sequence(tup):
        return atleast_2d(stack(tup)) if rank_of_parts(tup) == 1 else concatenate(tup)
    return op.concatenate(*[atleast_2d(part) for part in parts_of(tup)], axis=0)


def hstack(tup):
    if not static.is_sequence(tup):
        return concatenate(tup, 0 if rank_of_parts(tup) == 1 else 1)
    parts = [atleast_1d(part) for part in parts_of(tup)]
    return op.concatenate(*parts, axis=0 if static.rank(parts[0]) == 1 else 1)


def column_stack(tup):
    if not static.is_sequence(tup):
        return stack(tup, 1) if rank_of_parts(tup) == 1 else concatenate(tup, 1)
    parts = [as_array(part) for part in parts_of(tup)]
    return op.concatenate(*[atleast_2d(part).T if static.rank(part) < 2 else part for part in parts], axis=1)
