"""What Python has for one name: on one path a number of its own, on another one of NumPy's.

    best = 0                 `best` is the int 0 or an np.uint8 here,
    for v in img:            whatever the one type is that it has in compiled code
        best = v
    y = best + 2             `y` is the int 2 or an np.uint8

A name has at most one meaning of each type.  The number of a meaning is that which it has for certain; it is lost where
two of them meet, so that what is known of a loop's variable settles.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable
from typing import Any

from .dtypes import INT_WORD, PYTHON_TYPE, holds
from .records import dataclass
from .types import Scalar

LARGEST_EXPONENT = 1000  # a power to a larger one takes long, and is no number of 64 bits


@dataclass(frozen=True, slots=True)
class Meaning:
    """A type that a name has in Python on some path (of an array: its elements), and its number, if that is known."""

    type: Scalar
    number: Any = None


Meanings = frozenset[Meaning]


def known(type_: Scalar, number: Any) -> Meaning:
    """The meaning of a known number; of a nan nothing is known, which equals nothing."""
    return Meaning(type_, number if number == number else None)


def united(sides: Iterable[Iterable[Meaning]]) -> Meanings:
    """The meanings of what has those of one of several paths."""
    numbers: dict[Scalar, set[Any]] = {}
    for meaning in itertools.chain.from_iterable(sides):
        numbers.setdefault(meaning.type, set()).add(meaning.number)
    return frozenset(Meaning(t, next(iter(found)) if len(found) == 1 else None) for t, found in numbers.items())


def result_in_python(function: Callable[..., Any] | None, operands: Iterable[Meaning], type_: Scalar) -> Meaning:
    """What an operator of Python's makes of its own numbers, known where all of them are; None of other operators."""
    numbers = [one.number for one in operands]
    if function is None or None in numbers or function is operator.pow and abs(numbers[-1]) > LARGEST_EXPONENT:
        return Meaning(type_)
    try:
        result = function(*numbers)
    except (ArithmeticError, MemoryError, TypeError, ValueError):
        return Meaning(type_)
    is_held = type(result) is PYTHON_TYPE[type_.dtype] and (type(result) is not int or holds(INT_WORD, result))
    return known(type_, result) if is_held else Meaning(type_)
