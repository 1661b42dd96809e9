"""The root of `Array`, and the way between it and NumPy's arrays, in and out of containers.

    unwrap((Array a, [Array b], 2.0))   ->   (ndarray a, [ndarray b], 2.0)
    wrap((ndarray a, 3), Array)         ->   (Array a, 3)

An `Array` that stands for a number, the result of a call that went on after it had returned, becomes the number.

It is apart from `Array` so that indexing, operators and NumPy's protocols can do without the class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import native_part, portable_values

KINDS = frozenset("biufc")
CHANGING, DEEPEST = (list, dict, set), 20  # containers in each other
PLAIN = (bool, int, float, complex, str, type(None), np.generic)


if TYPE_CHECKING:
    from .portable_values import HeldValues
else:
    HeldValues = (native_part.extension() or portable_values).HeldValues


def unwrap(argument: Any) -> Any:
    """The argument with NumPy arrays for arrays, also in tuples, lists and dicts."""
    if isinstance(argument, HeldValues):
        return argument._plain
    return over(argument, lambda part: part._plain if isinstance(part, HeldValues) else part)


def wrap(result: Any, cls: type[HeldValues]) -> Any:
    """A result of NumPy with `cls` for arrays of numbers, also in tuples and lists.

    Subclasses of ndarray (a matrix, a masked array) stay what they are: they mean more than their numbers.
    """
    if type(result) is cls:
        return result
    return over(result, lambda part: cls(part) if type(part) is np.ndarray and part.dtype.kind in KINDS else part)


def is_number_data(value: Any) -> bool:
    """Whether it is an array of numbers, or a container of numbers alone: lists, tuples, dicts and sets of them."""
    if type(value) is np.ndarray:
        return value.dtype.kind in KINDS
    return is_by_value(value)


def is_by_value(value: Any) -> bool:
    """Whether it is a container that can change and holds numbers, strings and such containers alone."""
    return type(value) in CHANGING and _is_plain(value, DEEPEST)


def _is_plain(value: Any, depth: int) -> bool:
    if type(value) in (*CHANGING, tuple, frozenset):
        parts = [*value, *value.values()] if type(value) is dict else value
        return depth > 0 and all(_is_plain(part, depth - 1) for part in parts)
    return isinstance(value, PLAIN)


def placed(result: Any, like: HeldValues) -> Any:
    """The result on the device of an array that it was made of, also in tuples, lists and dicts."""
    number = like._device
    if number < 0:
        return result
    return over(result, lambda part: part._on(number) if isinstance(part, HeldValues) else part)


def over(argument: Any, change: Callable[[Any], Any]) -> Any:
    """`change` applied to the parts of tuples, NamedTuples, lists and dicts; the same object where nothing changed."""
    if isinstance(argument, tuple):
        parts = [over(part, change) for part in argument]
        if all(new is old for new, old in zip(parts, argument)):
            return argument
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    if type(argument) is list:
        parts = [over(part, change) for part in argument]
        return argument if all(new is old for new, old in zip(parts, argument)) else parts
    if type(argument) is dict:
        return {key: over(part, change) for key, part in argument.items()}
    return change(argument)
