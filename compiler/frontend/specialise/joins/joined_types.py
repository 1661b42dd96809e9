"""The type that holds what has one type on one path and another on the other.

    int and float       ->    float
    f64[n] and f64[m]   ->    f64[length], with a length of which nothing is known
"""

from __future__ import annotations

from typing import overload

import numpy as np

from .... import types
from ....dtypes import DTYPE, INT_WORD, LARGEST_EXACT, NUMPY_DTYPE, is_inexact, is_integer
from ....meanings import Meanings, known
from ....types import Array, ListOf, Scalar, Type
from ..frame import Frame
from ..values import Leaf, Static, Value


def join_types(frame: Frame, left: Type, right: Type) -> Type | None:
    """The type that holds both, or None.  Lengths that differ become a new symbol."""
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
    """The type that holds two numbers, where a variable or an expression is one of them.

    Where a Python number is known and NumPy's dtype has exactly its value, the dtype is the type.  Integer arithmetic
    differs between the two: beside NumPy's ints only the initial value of a loop becomes NumPy's, as all later values
    are, and a number that meets an np.uint64, which an int of 64 bits cannot hold.
    """
    first, second = frame.type_of(left), frame.type_of(right)
    assert isinstance(first, Scalar) and isinstance(second, Scalar)
    if first.weak != second.weak:
        value, numpys = (left, second) if first.weak else (right, first)
        if is_kept(frame, value, numpys.dtype):
            return Scalar(*types.promote(first, second))
    return types.join(first, second)


def is_kept(frame: Frame, value: Value, dtype: str) -> bool:
    """Whether a Python number is known to keep its value, and its arithmetic, in this NumPy dtype."""
    if isinstance(value, Static):
        is_beyond = DTYPE[dtype].greatest > DTYPE[INT_WORD].greatest  # no type holds all numbers of both
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
        except (OverflowError, TypeError):  # the dtype does not hold the int, or the complex number is not real
            return False
    return kept == number or number != number and kept != kept


def without_dimensions(left: Type | None, right: Type | None) -> Type | None:
    """An array without dimensions on one path and its number on the other are such an array on both.

    Changing its elements is refused (`subscript.require_array`).
    """
    match left, right:
        case (Array(ndim=0) as array, Scalar() as number) | (Scalar() as number, Array(ndim=0) as array):
            return array if array.dtype == number.dtype else None
    return None


def own_length(frame: Frame) -> types.Dim:
    """A length that differs from path to path: nothing else is ever known to equal it."""
    return frame.builder.fresh_symbol("length")


@overload
def own_lengths(frame: Frame, type_: Scalar | Array) -> Scalar | Array: ...
@overload
def own_lengths(frame: Frame, type_: Type) -> Type: ...
def own_lengths(frame: Frame, type_: Type) -> Type:
    """The type with new lengths: for an item of a list, as its items may differ, or for a result."""
    if isinstance(type_, ListOf):
        return ListOf(own_lengths(frame, type_.element))
    if not isinstance(type_, Array):
        return type_
    return Array(type_.dtype, tuple(d if isinstance(d, int) else own_length(frame) for d in type_.dims), type_.layout)


def can_hold(frame: Frame, element: Type, item: Type | None) -> bool:
    """Whether a list of such elements takes an item; a constant length in its type is that of all items."""
    joined = None if item is None else join_types(frame, element, item)
    if isinstance(joined, Array) and isinstance(element, Array) and isinstance(item, Array):
        pairs = zip(element.dims, item.dims, strict=True)
        return all(a == b for a, b in pairs if isinstance(a, int))
    return joined is not None and joined == element


def meanings_of(frame: Frame, value: Value) -> Meanings:
    """The types that Python has for a number or an array on the paths; nothing for an empty container."""
    if isinstance(value, Leaf):
        return frame.builder.meanings_of(value.name)
    found = frame.type_of(value)
    if found is None:
        return frozenset()
    number = value.value if isinstance(value, Static) and isinstance(found, Scalar) and found.weak else None
    return frozenset({known(types.of_elements(found), number)})


def are_of_one_dtype(frame: Frame, items: Value) -> bool:
    """Whether Python has one dtype for all items of a list of numbers, be they Python's or NumPy's."""
    held = frame.held(items)
    found = frame.builder.widened.get(held.name, ()) if isinstance(held, Leaf) and frame.is_list(held) else ()
    return len({one.type.dtype for one in found}) < 2


def note_start(frame: Frame, made: Value, start: Value) -> Value:
    """Note that the sum of an array is its start value if it has no elements: for narrow ints, whose sums wrap."""
    if isinstance(made, Leaf) and isinstance(frame.type_of(start), Scalar):
        dtype = types.dtype_of(frame.type_of(made))
        if is_integer(dtype) and dtype != INT_WORD:
            frame.builder.widen(made.name, [frame.builder.meanings_of(made.name), meanings_of(frame, start)])
    return made
