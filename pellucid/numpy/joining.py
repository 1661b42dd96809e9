"""Arrays joined: so many as are written, the items of a list of any length, the rows of an array.

    np.concatenate((a, b))    ->    the operator
    np.stack(rows)            ->    array(rows), its first axis moved
    np.concatenate(pieces)    ->    out[at : at + n] = piece for each
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import operand
from .manipulation import as_array, atleast_1d, atleast_2d, expand_dims, moveaxis, ravel


def parts_of(arrays):
    if not static.is_sequence(arrays):
        static.refuse("T001", "what is joined is a tuple, a list or an array with an axis")
    return [operand(a) for a in arrays]


def are_many(arrays):
    """Whether how many there are to join is known only at run time: those of a list, or the rows of an array."""
    return static.is_list(arrays) or static.is_array(arrays) and static.rank(arrays) > 0


def first_of(arrays):
    if len(arrays) == 0:
        raise ValueError("need at least one array to concatenate")
    return as_array(arrays[0])


def end_to_end(arrays, axis):
    """The arrays of a list, or the rows of an array, one after the other."""
    first = first_of(arrays)
    place = static.axis_of(axis, static.rank(first))
    inner = moveaxis(first, place, 0).shape[1:]
    count = 0
    for k in range(len(arrays)):
        part = moveaxis(operand(arrays[k]), place, 0)
        for axis_, length in enumerate(part.shape[1:]):
            if length != inner[axis_]:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        count += part.shape[0]
    out = op.empty(shape=(count, *inner), dtype=static.element(first))
    at = 0
    for k in range(len(arrays)):
        part = moveaxis(operand(arrays[k]), place, 0)
        out[at : at + part.shape[0]] = part
        at += part.shape[0]
    return moveaxis(out, 0, place)


def concatenate(arrays, axis=0, *, dtype=None):
    if are_many(arrays):
        flat = [ravel(operand(part)) for part in arrays] if axis is None else arrays
        together = end_to_end(flat, 0 if axis is None else axis)
        return together if dtype is None else op.cast(together, dtype=static.dtype_name(dtype))
    parts = parts_of(arrays)
    if axis is None:
        parts, axis = [ravel(part) for part in parts], 0
    if len(parts) == 0:
        static.refuse("S003", "need at least one array to concatenate")
    joined = op.concatenate(*parts, axis=axis)
    return joined if dtype is None else op.cast(joined, dtype=static.dtype_name(dtype))


def stack(arrays, axis=0, *, dtype=None):
    """Arrays of one shape along a new axis."""
    if dtype is not None:
        return op.cast(stack(arrays, axis), dtype=static.dtype_name(dtype))
    if are_many(arrays):
        if len(arrays) == 0:
            raise ValueError("need at least one array to stack")
        rows = as_array(arrays)
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


def vstack(tup, *, dtype=None):
    if dtype is not None:
        return op.cast(vstack(tup), dtype=static.dtype_name(dtype))
    if are_many(tup):
        rank = static.rank(first_of(tup))
        rows = op.copy(as_array(tup)) if rank < 2 else end_to_end(tup, 0)
        return rows[:, None] if rank == 0 else rows
    return op.concatenate(*[atleast_2d(part) for part in parts_of(tup)], axis=0)


def hstack(tup, *, dtype=None):
    if dtype is not None:
        return op.cast(hstack(tup), dtype=static.dtype_name(dtype))
    if are_many(tup):
        rank = static.rank(first_of(tup))
        return op.copy(as_array(tup)) if rank == 0 else end_to_end(tup, 0 if rank == 1 else 1)
    parts = [atleast_1d(part) for part in parts_of(tup)]
    return op.concatenate(*parts, axis=0 if static.rank(parts[0]) == 1 else 1)


def column_stack(tup):
    if are_many(tup):
        rank = static.rank(first_of(tup))
        rows = as_array(tup) if rank < 2 else end_to_end(tup, 1)
        return rows if rank > 1 else op.copy(rows.T) if rank == 1 else op.copy(rows[None])
    parts = [as_array(part) for part in parts_of(tup)]
    return op.concatenate(*[atleast_2d(part).T if static.rank(part) < 2 else part for part in parts], axis=1)


def in_a_row(*parts):
    """`np.r_[...]`: along the first axis, numbers as vectors of one element."""
    return of_one_dtype([operand(part) for part in parts], 0)


def as_columns(*parts):
    """`np.c_[...]`: along the last axis, vectors as columns and numbers as matrices of one element."""
    arrays = [operand(part) for part in parts]
    for part in arrays:
        if static.rank(part) > 2:
            static.refuse("U012", "np.c_ joins at most matrices here; np.concatenate joins the rest")
    columns = [expand_dims(part, 1) if static.rank(part) == 1 else part for part in arrays]
    return of_one_dtype(columns, -1)


def of_one_dtype(parts, axis):
    """Joined in the dtype of arithmetic among the parts, in which Python's numbers count for little."""
    word = static.common(*parts)
    made = [op.cast(part, dtype=word) for part in parts]
    return concatenate([atleast_1d(part) if axis == 0 else atleast_2d(part) for part in made], axis)


def block(arrays):
    """Blocks in nested lists: those of an inner list along the last axis, lists along the one before it."""
    if static.is_list(arrays):
        static.refuse("U012", "np.block takes lists of a length that is known here; np.concatenate takes any")
    if not static.is_sequence(arrays):
        return op.copy(as_array(arrays))
    if len(arrays) == 0:
        raise ValueError("List depths are mismatched. Empty lists are not blocks.")
    if not static.is_sequence(arrays[0]):
        return in_columns(arrays)
    rows = [in_columns(row) for row in arrays]
    return concatenate([atleast_2d(row) for row in rows], -2)


def in_columns(parts):
    if not static.is_sequence(parts):
        static.refuse("S002", "List depths are mismatched: np.block takes lists, or lists of lists, of arrays")
    arrays = [atleast_1d(operand_alone(part)) for part in parts]
    if len(set_of_ranks(arrays)) > 1:
        arrays = [atleast_2d(part) for part in arrays]
    return concatenate(arrays, -1)


def operand_alone(part):
    if static.is_sequence(part):
        static.refuse("S002", "List depths are mismatched: np.block takes lists, or lists of lists, of arrays")
    return as_array(part)


def set_of_ranks(arrays):
    ranks: tuple = ()
    for part in arrays:
        if static.rank(part) not in ranks:
            ranks = (*ranks, static.rank(part))
    return ranks
