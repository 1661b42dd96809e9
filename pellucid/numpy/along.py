"""A function of vectors, taken along an axis of an array.

    np.apply_along_axis(f, 0, a)    ->    f(a[:, 0]), f(a[:, 1]), ...
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static, static_dtypes
from .elementary import in_dtype, operand
from .manipulation import as_array, moveaxis, total

SAY = "say which dtype is meant: `np.vectorize(f, otypes=[float])`"
ALIKE = "give numbers of one type on every path: `0.0` for `0`"


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What the function gives takes the place of the axis; the first result says of which dtype and shape all are."""
    arr = as_array(arr)
    place = static.axis_of(axis, static.rank(arr))
    rows = moveaxis(arr, place, -1)
    outer = rows.shape[:-1]
    count = total(outer)
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    first = operand(func1d(rows[at(0, outer)], *args, **kwargs))
    word, inner = first_dtype(first, "np.apply_along_axis", ALIKE), np.shape(first)
    out = op.empty(shape=(count, *inner), dtype=word)
    out[0] = first
    for r in range(1, count):
        out[r] = in_dtype(operand(func1d(rows[at(r, outer)], *args, **kwargs)), word)
    made = op.reshape(out, shape=(*outer, *inner))
    front, length = len(outer), len(inner)
    return moveaxis(made, tuple(range(front, front + length)), tuple(range(place, place + length)))


def first_dtype(first, name, *ways):
    """The dtype of a first result, which all have; refused where it would depend on the path that was taken."""
    words = static_dtypes.dtypes_on_paths(first)
    if len(words) > 1:
        what = f"this function gives {words[0]} on one path and {words[1]} on another"
        static.refuse("T002", f"{what}: the dtype of what {name} gives depends on which comes first", *ways)
    return static.element(first)


def at(number, shape):
    """The place of the row with this number; all that there is where there is one."""
    place: tuple = ()
    for length in shape[::-1]:
        place = (number % length, *place)
        number = number // length
    return (*place, ...)


def vectorize(pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
    """The function on each element of the arrays together, as Python's numbers.

    What it gives for NumPy's first ones, in a call of its own, says of which dtype all results are.
    """
    if excluded is not None or signature is not None:
        static.refuse("U012", "`excluded=` and `signature=` of np.vectorize are not supported: write the loop")

    def mapped(*args):
        parts = [as_array(part) for part in args]
        together = op.empty(shape=parts[0].shape, dtype="bool")
        for part in parts[1:]:
            together = op.logical_or(together, op.empty(shape=part.shape, dtype="bool"))
        count = total(together.shape)
        if count == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        flat = [op.reshape(op.broadcast_to(part, shape=together.shape), shape=(count,)) for part in parts]
        if otypes is None:
            word = first_dtype(operand(pyfunc(*[part[0] for part in flat])), "np.vectorize", SAY, ALIKE)
        else:
            word = static.dtype_name(static.part(otypes, 0))
        out = op.empty(shape=(count,), dtype=word)
        for k in range(count):
            out[k] = in_dtype(operand(pyfunc(*[pythons(part[k]) for part in flat])), word)
        return op.reshape(out, shape=together.shape)

    return mapped


def pythons(element):
    """A number of an array as Python's."""
    return op.cast(element, dtype=static.python_word(static.element(element)), weak=True)
