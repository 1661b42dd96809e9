"""Leaves in and out of the slots of a call, one packer per parameter and one unpacker per result, made once.

    f64[n, m]   ->   data pointer, n, m, and strides in elements
    [f64]       ->   the address of a native list made for the call
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....runtime import dispatch, memory
from ...dtypes import NUMPY_DTYPE, WEAK_WORD
from ...records import dataclass
from ...types import Array, ListOf, Scalar, Type
from .abi import (
    HEADER_BYTES,
    ITEM_BYTES,
    LENGTH_LIMIT,
    LIST_CAPACITY,
    LIST_DATA,
    LIST_LENGTH,
    list_item_bytes,
    result_slots,
    scalar_slots,
)
from .errors import read_slot

Packer = Callable[[Any, int, object, list], int]
Unpacker = Callable[[Any, int], tuple[object, int]]  # slots are a ctypes or NumPy array of 64-bit ints


@dataclass(frozen=True, slots=True)
class NativeList:
    """A list made for a call, to be released after it."""

    address: int


def release(kept: list[object]) -> None:
    for item in kept:
        if isinstance(item, NativeList):
            memory.pool().list_release(item.address)


# --- in ------------------------------------------------------------------------------------------------------------


def packer(type_: Type) -> Packer:
    """A function (slots, position, leaf, kept) -> next position; what must outlive the call goes into `kept`."""
    match type_:
        case Scalar():
            return _scalar_packer(type_)
        case Array():
            return _array_packer(type_)
        case ListOf():
            return _list_packer(type_)
    raise TypeError(f"not a type of a parameter: {type_}")


def _scalar_packer(type_: Scalar) -> Packer:
    """A NumPy scalar as in memory; a Python number alike, which must fit."""
    make, count = NUMPY_DTYPE[type_.dtype].type, scalar_slots(type_)

    def pack(slots: Any, position: int, leaf: object, kept: list) -> int:
        number: Any = leaf if type(leaf) is make else _converted(make, leaf)
        held = number.tobytes().ljust(8, b"\0")
        for k in range(count):
            slots[position + k] = int.from_bytes(held[8 * k : 8 * k + 8], sys.byteorder, signed=True)
        return position + count

    return pack


def _converted(make: Callable[[Any], Any], leaf: Any) -> Any:
    try:
        return make(leaf)
    except OverflowError:
        raise OverflowError(f"Python int too large to convert to C int64: {leaf}") from None


def _usable(array: np.ndarray, type_: Array) -> np.ndarray:
    """The array itself, or a copy where its memory is laid out in a way that compiled code does not read."""
    flags = array.flags
    if not flags.aligned or not array.dtype.isnative or any(s % array.itemsize for s in array.strides):
        return np.array(array, dtype=NUMPY_DTYPE[type_.dtype], order="C", copy=True)
    if type_.layout == "C" and not flags.c_contiguous:
        return np.array(array, order="C", copy=True)
    return array


def _array_packer(type_: Array) -> Packer:
    dtype, rank, size = NUMPY_DTYPE[type_.dtype], type_.ndim, ITEM_BYTES[type_.dtype]

    def pack(slots: Any, position: int, leaf: object, kept: list) -> int:
        array = leaf if isinstance(leaf, np.ndarray) else np.asarray(leaf)
        if array.ndim != rank or array.dtype.newbyteorder("=") != dtype:
            raise TypeError(f"compiled for {type_}, called with a {array.dtype} array of {array.ndim} dimensions")
        array = _usable(array, type_)
        kept.append(array)
        _write_array(slots, position, array, size)
        return position + 1 + 2 * rank

    return pack


def _write_array(slots: Any, position: int, array: np.ndarray, size: int) -> None:
    rank = array.ndim
    slots[position] = array.__array_interface__["data"][0]
    for axis, (length, stride) in enumerate(zip(array.shape, array.strides)):
        if length > LENGTH_LIMIT:
            raise ValueError(f"an axis of length {length} is too long for compiled code")
        slots[position + 1 + axis] = length
        slots[position + 1 + rank + axis] = stride // size


def _list_packer(type_: ListOf) -> Packer:
    item_bytes, element = list_item_bytes(type_), type_.element

    def pack(slots: Any, position: int, leaf: object, kept: list) -> int:
        items = list(leaf)  # type: ignore[call-overload]
        if isinstance(element, Array):
            content = _array_items(items, element, kept)
        else:
            content = np.array(items, dtype=NUMPY_DTYPE[element.dtype])
        made = NativeList(_new_list(item_bytes, isinstance(element, Array)))
        kept.append(made)
        _fill_list(made.address, content, len(items))
        slots[position] = made.address
        return position + 1

    return pack


def _array_items(items: Sequence[object], element: Array, kept: list) -> np.ndarray:
    slots = result_slots(element)
    content = np.zeros((len(items), slots), dtype=np.int64)
    for row, item in zip(content, items):
        array = _usable(np.asarray(item), element)
        kept.append(array)
        _write_array(row, 1, array, ITEM_BYTES[element.dtype])
    return content


def _new_list(item_bytes: int, holds_owners: bool) -> int:
    made = memory.pool().list_new(item_bytes, int(holds_owners))
    if not made:
        raise MemoryError("unable to allocate memory for a list")
    return int(made)


def _list_slots(address: int) -> ctypes.Array:
    return (ctypes.c_int64 * 8).from_address(address + HEADER_BYTES)


def _fill_list(address: int, content: np.ndarray, count: int) -> None:
    data = memory.pool().allocate(content.nbytes)
    if not data:
        raise MemoryError("unable to allocate memory for a list")
    ctypes.memmove(data + HEADER_BYTES, content.ctypes.data, content.nbytes)
    slots = _list_slots(address)
    slots[LIST_DATA] = data
    slots[LIST_LENGTH] = slots[LIST_CAPACITY] = count


# --- out -----------------------------------------------------------------------------------------------------------


def unpacker(type_: Type) -> Unpacker:
    """A function (slots, position) -> (leaf, next position)."""
    match type_:
        case Scalar():
            count = scalar_slots(type_)
            return lambda slots, position: (read_slot(slots, position, type_), position + count)
        case Array(ndim=ndim, dtype=dtype):
            return lambda slots, position: (
                take_array(slots, position, NUMPY_DTYPE[dtype], ndim),
                position + 2 + 2 * ndim,
            )
        case ListOf():
            return lambda slots, position: (_take_list(slots[position], type_), position + 1)
    raise TypeError(f"not a type of a result: {type_}")


def leaf_words(results: Sequence[Type], position: int) -> list[dispatch.LeafWords]:
    """How native dispatch makes the results, which begin at this slot."""
    words: list[dispatch.LeafWords] = []
    for type_ in results:
        words.append(_leaf_word(type_, position))
        position += result_slots(type_)
    return words


def _leaf_word(type_: Type, position: int) -> dispatch.LeafWords:
    match type_:
        case Scalar(dtype=dtype, weak=True):
            return dispatch.leaf_kind(f"WEAK_{WEAK_WORD[dtype].upper()}"), position, 0
        case Scalar(dtype=dtype):
            return dispatch.leaf_kind("SCALAR"), position, NUMPY_DTYPE[dtype]
        case Array(dtype=dtype, ndim=ndim):
            shift = ITEM_BYTES[dtype].bit_length() - 1
            return dispatch.leaf_kind("ARRAY", ndim, shift), position, NUMPY_DTYPE[dtype]
    raise TypeError(f"not a result that native dispatch makes: {type_}")


def take_array(slots: Any, position: int, dtype: np.dtype, rank: int) -> np.ndarray:
    """The array in these slots, with the reference they hold; memory of an argument (no owner) is copied."""
    owner, data = slots[position], slots[position + 1]
    shape = tuple(slots[position + 2 : position + 2 + rank])
    steps = slots[position + 2 + rank : position + 2 + 2 * rank]
    # the step of an axis that takes none may be as wild as the slice it came from
    strides = tuple(step if length > 1 else 1 for step, length in zip(steps, shape))
    view = np.asarray(memory.Buffer(owner, data, dtype, shape, strides))
    return view if owner else np.array(view, order="C", copy=True)


def owned_array(slots: Any, position: int, type_: Type, owned: Sequence[np.ndarray]) -> np.ndarray | None:
    """The array of these that the result in these slots is, which has no owner; None where it is another."""
    if not isinstance(type_, Array) or slots[position]:
        return None
    rank, dtype = type_.ndim, NUMPY_DTYPE[type_.dtype]
    shape = tuple(slots[position + 2 : position + 2 + rank])
    steps = slots[position + 2 + rank : position + 2 + 2 * rank]
    for array in owned:
        if array.ctypes.data == slots[position + 1] and array.shape == shape and array.dtype == dtype:
            strides = zip(array.strides, steps, shape, strict=True)
            if all(length <= 1 or stride == step * dtype.itemsize for stride, step, length in strides):
                return array
    return None


def _take_list(address: int, type_: ListOf) -> list[object]:
    """The native list as a Python list; the reference that came with it is released."""
    try:
        slots = _list_slots(address)
        count, data = slots[LIST_LENGTH], slots[LIST_DATA]
        if not count:
            return []
        element = type_.element
        if isinstance(element, Array):
            return [_take_item(data, k, element) for k in range(count)]
        dtype = NUMPY_DTYPE[element.dtype]
        content = (ctypes.c_char * (count * dtype.itemsize)).from_address(data + HEADER_BYTES)
        items = np.frombuffer(content, dtype).copy()
        return items.tolist() if element.weak else list(items)
    finally:
        memory.pool().list_release(address)


def _take_item(data: int, number: int, element: Array) -> np.ndarray:
    count = result_slots(element)
    slots = (ctypes.c_int64 * count).from_address(data + HEADER_BYTES + 8 * count * number)
    if slots[0]:
        ctypes.c_int64.from_address(slots[0]).value += 1  # the list gives its own reference back
    return take_array(slots, 0, NUMPY_DTYPE[element.dtype], element.ndim)
