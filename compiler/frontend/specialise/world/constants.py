"""Values from outside taken apart: what is known now stays static, arrays become leaves.

    {"w": array(3), "k": 2}   ->   Mapping_(w: Typed(f64[any]), k: Static(2)), and the array among the leaves

A long list of plain numbers is one array, as it is where it is passed as an argument: the program may index it by a
dynamic value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .....runtime.values import HeldValues
from .... import types
from ....dtypes import DTYPE_OF_NUMPY
from ..values import Column, Rows, Typed, Value
from .taking_apart import from_python

MOST_APART = 8  # lists with no more items are taken apart, item by item; longer ones are of any length


class Unsupported(Exception):
    """A value that cannot be an argument."""


def array_type(value: np.ndarray) -> types.Array:
    return type_of_array(value.dtype, value.shape, value.flags.c_contiguous)


def type_of_array(dtype: np.dtype, shape: tuple[int, ...], is_contiguous: bool) -> types.Array:
    """The type of an array; lengths other than 1 are `any`, to be named when the function is specialised."""
    word = DTYPE_OF_NUMPY.get(dtype.newbyteorder("="))
    if word is None:
        raise Unsupported(f"an array of dtype {dtype}")
    lengths = tuple(1 if n == 1 else types.symbol("any") for n in shape)
    return types.Array(word, lengths, "C" if is_contiguous else "A")


def constant(value: Any, found: list[np.ndarray]) -> Value:
    """The structure of a value from outside; its arrays are appended to `found`.  Raises Unsupported."""

    def leaf(values: np.ndarray) -> Typed:
        found.append(values)
        return Typed(array_type(values))

    def convert(part: object) -> Value | None:
        if isinstance(part, HeldValues) and part._is_number:
            raise Unsupported("an Array that stands for a number, the result of a call (float or int makes it one)")
        return leaf(np.asarray(part)) if isinstance(part, np.ndarray | HeldValues) else None

    def of_list(items: list) -> Value | None:
        if len(items) <= MOST_APART or len(set(map(type, items))) > 1 or type(items[0]) not in (float, int, bool):
            return None
        if type(items[0]) is int and not all(-(2**63) <= item < 2**63 for item in items):
            return None
        return Rows(Column(leaf(np.array(items)), True))

    return from_python(value, convert, of_list)
