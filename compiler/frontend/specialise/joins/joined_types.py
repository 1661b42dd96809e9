"""The type that holds what has one type on one path and another on the other.

    int and float       ->    float
    f64[n] and f64[m]   ->    f64[length], a length of which nothing is known
"""

from __future__ import annotations

import numpy as np

from .... import types
from ....dtypes import DTYPE, INT_WORD, LARGEST_EXACT, NUMPY_DTYPE, is_inexact, is_integer
from ....meanings import Meanings, known
from ....types import Array, ListOf, Scalar, Type
from ..frame import Frame
from ..values import Leaf, Static, Value


def join_types(frame: Frame, left: Type, right: Type) -> Type | None:
    """The type that holds both, or None.  Lengths that differ become a symbol of their own."""
    match left, right:
        case Scalar(), Scalar():
            return types.join(left, right)
        case Array(), Array() if left.dtype == right.dtype and left.ndim == right.ndim:
            dims = tuple(a if a == b else own_length(frame) for a, b in zip(left.dims, right.dims, strict=True))
            return Array(left.dtype, dims, "C" if left.layout == right.layout == "C" else "A")
        case ListOf(element=Scalar() as one), ListOf(element=Scalar() as other):
            return ListOf(types.join(one, other))
        case ListOf(), ListOf() if can_hold(frame, left.element, right.element):
            return left
    return None


def join_numbers(frame: Frame, left: Value, right: Value) -> Scalar:
    """The type that holds two numbers, one of which a variable or an expression is.

    Where a number of Python's is known and NumPy's dtype has exactly its value, that is the type.  Beside ints, whose
    arithmetic differs, only what a loop begins with becomes NumPy's, which it is in all but the first iteration, and
    what meets an np.uint64, which no int of 64 bits holds.
    """
    first, second = frame.type_of(left), frame.type_of(right)
    assert isinstance(first, Scalar) and isinstance(second, Scalar)
    if first.weak != second.weak:
        value, numpys = (left, second) if first.weak else (right, first)
        if is_kept(frame, value, numpys.dtype):
            return Scalar(*types.promote(first, second))
    return types.join(first, second)


def is_kept(frame: Frame, value: Value, dtype: str) -> bool:
    """Whether a number of Python's is known to keep its value, and its arithmetic, in this dtype of NumPy's."""
    if isinstance(value, Static):
        is_beyond = DTYPE[dtype].greatest > DTYPE[INT_WORD].greatest  # no type holds both, if they may be any
        return is_beyond and has_value(dtype, value.value)
    entered = frame.builder.entered.get(value.name) if isinstance(value, Leaf) else None
    if entered is None or not has_value(dtype, entered[0]):
        return False
    frame.builder.relied |= entered[1]
    return True


def has_value(dtype: str, number: complex) -> bool:
    """Whether a dtype has exactly this value."""
    if is_inexact(dtype) and isinstance(number, int) and abs(number) > LARGEST_EXACT:
        return False
    with np.errstate(all="ignore"):
        try:
            kept = NUMPY_DTYPE[dtype].type(number).item()
        except (OverflowError, TypeError):  # of an int that the dtype does not hold, a complex number that is not real
            return False
    return kept == number or number != number and kept != kept


def without_dimensions(left: Type | None, right: Type | None) -> Type | None:
    """An array without dimensions on one path and its number on the other are such an array on both.

    What would change it as an array is refused (`subscript.require_array`).
    """
    match left, right:
        case (Array(ndim=0) as array, Scalar() as number) | (Scalar() as number, Array(ndim=0) as array):
            return array if array.dtype == number.dtype else None
    return None


def own_length(frame: Frame) -> types.Dim:
    """A length that differs from path to path: nothing else is ever known to equal it."""
    return frame.builder.fresh_symbol("length")


def own_lengths(frame: Frame, type_: Type) -> Type:
    """The type with lengths that nothing else has: of an item of a list, whose items may differ, or of a result."""
    if isinstance(type_, ListOf):
        return ListOf(own_lengths(frame, type_.element))
    if not isinstance(type_, Array):
        return type_
    return Array(type_.dtype, tuple(d if isinstance(d, int) else own_length(frame) for d in type_.dims), type_.layout)


def can_hold(frame: Frame, element: Type, item: Type | None) -> bool:
    """Whether a list of such elements takes an item; a length that is a number in its type is that of all items."""
    joined = None if item is None else join_types(frame, element, item)
    if isinstance(joined, Array):
        pairs = zip(element.dims, item.dims, strict=True)
        return all(a == b for a, b in pairs if isinstance(a, int))
    return joined is not None and joined == element


def meanings_of(frame: Frame, value: Value) -> Meanings:
    """What Python has for a number or an array on one path or another; nothing for an empty container."""
    if isinstance(value, Leaf):
        return frame.builder.meanings_of(value.name)
    found = frame.type_of(value)
    if found is None:
        return frozenset()
    number = value.value if isinstance(value, Static) and isinstance(found, Scalar) and found.weak else None
    return frozenset({known(types.of_elements(found), number)})


def are_of_one_dtype(frame: Frame, items: Value) -> bool:
    """Whether Python has one dtype for all items of a list of numbers, whosever they are."""
    held = frame.held(items)
    found = frame.builder.widened.get(held.name, ()) if isinstance(held, Leaf) and frame.is_list(held) else ()
    return len({one.type.dtype for one in found}) < 2


def note_start(frame: Frame, made: Value, start: Value) -> Value:
    """The sum of an array, which is what it starts from if there are no elements: of narrow ints, whose sums wrap."""
    found, first = frame.type_of(made), frame.type_of(start)
    if isinstance(made, Leaf) and isinstance(first, Scalar) and is_integer(found.dtype) and found.dtype != INT_WORD:
        frame.builder.widen(made.name, [frame.builder.meanings_of(made.name), meanings_of(frame, start)])
    return made
