"""Sorting, by NumPy's own sorts of rows, nan last.

    np.sort(x, axis=0)    ->    rows = moveaxis(x, 0, -1);  moveaxis(sort_rows(rows), -1, 0)
    np.lexsort((second, first))    ->    by `second`, then by `first`

The order is that of `kind="stable"`: where NumPy leaves open which of two equals comes first, the first one does.  It
is made of ints, which have no derivative; the derivative of a sorted array is that of taking elements.
"""

from typing import Any

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import operand
from .manipulation import as_array, from_rows, in_rows, moveaxis, ravel, total


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    require_no_fields(order)
    a = as_array(a)
    return along(op.sort_rows, a if axis is not None else ravel(a), -1 if axis is None else axis)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    require_no_fields(order)
    a = as_array(a)
    if axis is not None and static.rank(a) == 0:
        return op.zeros(shape=(1,), dtype="i64")
    return along(op.order_rows, a if axis is not None else ravel(a), -1 if axis is None else axis)


def along(of_rows, a, axis):
    """What is done to the rows of a matrix, along an axis."""
    place = static.axis_of(axis, static.rank(a))
    rows, shape = in_rows(a, place)
    return from_rows(of_rows(rows), shape, place)


def sort_method(a, axis=-1, kind=None, order=None, *, stable=None):
    """`x.sort()`, which changes `x`."""
    a[...] = sort(a, axis, None, order)


def require_no_fields(order):
    if order is not None:
        static.refuse("U012", "`order=` names fields of records, which arrays do not have here")


def order_of(values):
    """The places of a vector's elements in increasing order, equals as they stand and nan after."""
    return along(op.order_rows, values, 0)


def lexsort(keys, axis=-1):
    """The order by the last key, and among equals by the ones before it."""
    if not static.is_sequence(keys) and static.rank(keys) == 2:
        order = order_of(keys[0])
        for k in range(1, keys.shape[0]):
            order = order[order_of(keys[k][order])]
        return order
    if not static.is_sequence(keys) or len(keys) == 0:
        static.refuse("S002", "np.lexsort takes a tuple or list of vectors, or a matrix of them")
    rows = [operand(key) for key in keys]
    for key in rows:
        if static.rank(key) != 1 or axis not in (-1, 0):
            static.refuse("U012", "np.lexsort takes vectors here; sort the rows of matrices in a loop")
        if key.shape[0] != rows[0].shape[0]:
            raise ValueError("all keys need to be the same shape")
    order = order_of(rows[0])
    for k in range(1, len(rows)):
        order = order[order_of(rows[k][order])]
    return order


# --- unique values ---------------------------------------------------------------------------------------------------


def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    """The different values in increasing order; on request where each stands first, which one each is, how often."""
    values = as_array(ar)
    if axis is not None and static.rank(values) > 1:
        place = static.axis_of(axis, static.rank(values))
        return unique_parts(values, place, return_index, return_inverse, return_counts)
    flat = ravel(values)
    if not (return_index or return_inverse or return_counts or static.is_complex(values)):
        return first_of_runs(sort(flat), equal_nan)
    order = order_of(flat)
    ordered = flat[order]
    starts = op.empty(shape=flat.shape, dtype="bool")
    for k in range(flat.shape[0]):
        starts[k] = k == 0 or differs(ordered[k - 1], ordered[k], equal_nan)
    found: tuple = (ordered[starts],)
    if static.is_complex(values) and equal_nan and not (return_index or return_inverse or return_counts):
        show_first_nan(found[0], flat)
    if return_index:
        found = (*found, order[starts])
    if return_inverse:
        found = (*found, op.reshape(numbers_of(starts, order), shape=values.shape))
    if return_counts:
        found = (*found, lengths_of_runs(starts, found[0].shape[0]))
    return found[0] if len(found) == 1 else found


def first_of_runs(ordered, equal_nan):
    """The different values of a sorted vector."""
    found = op.empty(shape=ordered.shape, dtype=static.element(ordered))
    count = 0
    for k in range(ordered.shape[0]):
        if k == 0 or differs(ordered[k - 1], ordered[k], equal_nan):
            found[count] = ordered[k]
            count += 1
    return found[:count]


def unique_parts(values, axis, return_index, return_inverse, return_counts):
    """The same of the parts along an axis, in the order of their first elements that differ; no two nans are one."""
    front = moveaxis(values, axis, 0)
    rest = front.shape[1:]
    rows = op.reshape(front, shape=(front.shape[0], total(rest)))
    order = op.arange(0, rows.shape[0], 1, shape=(rows.shape[0],), dtype="i64")
    for k in range(rows.shape[1] - 1, -1, -1):
        order = order[order_of(rows[order, k])]
    starts = op.empty(shape=(rows.shape[0],), dtype="bool")
    for k in range(rows.shape[0]):
        starts[k] = k == 0 or op.any(rows[order[k - 1]] != rows[order[k]])
    parts = rows[order[starts]]
    found: tuple = (moveaxis(op.reshape(parts, shape=(parts.shape[0], *rest)), 0, axis),)
    if return_index:
        found = (*found, order[starts])
    if return_inverse:
        found = (*found, numbers_of(starts, order))
    if return_counts:
        found = (*found, lengths_of_runs(starts, parts.shape[0]))
    return found[0] if len(found) == 1 else found


def show_first_nan(found, values):
    """Of complex nans, all of which are one, NumPy shows the first that there is, not the least in its order."""
    k = 0
    while k < values.shape[0] and not op.isnan(values[k]):
        k += 1
    if k < values.shape[0]:
        found[found.shape[0] - 1] = values[k]


def differs(left, right, equal_nan):
    if static.kind(left) in ("float", "complex") and equal_nan:
        return left != right and not (op.isnan(left) and op.isnan(right))
    return left != right


def numbers_of(starts, order):
    """Which run each element is in."""
    numbers = op.empty(shape=order.shape, dtype="i64")
    run = -1
    for k in range(order.shape[0]):
        if starts[k]:
            run += 1
        numbers[order[k]] = run
    return numbers


def lengths_of_runs(starts, count):
    counts = op.zeros(shape=(count,), dtype="i64")
    run = -1
    for k in range(starts.shape[0]):
        if starts[k]:
            run += 1
        counts[run] += 1
    return counts


# NumPy's own named tuples.
UniqueAllResult: Any = type(numpy.unique_all(numpy.zeros(1)))
UniqueCountsResult: Any = type(numpy.unique_counts(numpy.zeros(1)))
UniqueInverseResult: Any = type(numpy.unique_inverse(numpy.zeros(1)))


def unique_all(x):
    found = unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    return UniqueAllResult(found[0], found[1], found[2], found[3])


def unique_counts(x):
    found = unique(x, return_counts=True, equal_nan=False)
    return UniqueCountsResult(found[0], found[1])


def unique_inverse(x):
    found = unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(found[0], found[1])


def unique_values(x):
    """In increasing order, where NumPy leaves the order open."""
    return unique(x, equal_nan=False)


def sort_complex(a):
    """All of them in order along the last axis, as complex numbers."""
    ordered = sort(a)
    if static.is_complex(ordered):
        return ordered
    return op.cast(ordered, dtype="c64" if static.element(ordered) in ("i8", "i16", "u8", "u16") else "c128")
