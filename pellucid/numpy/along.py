"""A function of vectors, taken along an axis of an array.

    np.apply_along_axis(f, 0, a)    ->    f(a[:, 0]), f(a[:, 1]), ...
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .elementary import in_dtype, operand
from .manipulation import as_array, moveaxis, total


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
    word, inner = static.element(first), np.shape(first)
    out = op.empty(shape=(count, *inner), dtype=word)
    out[0] = first
    for r in range(1, count):
        out[r] = in_dtype(operand(func1d(rows[at(r, outer)], *args, **kwargs)), word)
    made = op.reshape(out, shape=(*outer, *inner))
    front, length = len(outer), len(inner)
    return moveaxis(made, tuple(range(front, front + length)), tuple(range(place, place + length)))


def at(number, shape):
    """The place of the row with this number; all that there is where there is one."""
    place: tuple = ()
    for length in shape[::-1]:
        place = (number % length, *place)
        number = number // length
    return (*place, ...)
