"""Which objects of Python's can change.

    nature(2.0)  ->  ("constant", "")       nature([2.0])  ->  ("mutable", "list")       nature(print)  ->  ("", "")
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
from typing import Any

import numpy as np

from .values import HeldValues


def nature(value: Any) -> tuple[str, str]:
    """(constant, "") or (mutable, what it is) for data; ("", "") for what is not data."""
    constants = (
        int,
        float,
        complex,
        str,
        bytes,
        types.NoneType,
        types.EllipsisType,
        np.generic,
        np.dtype,
        slice,
        range,
    )
    if isinstance(value, (*constants, enum.Enum, HeldValues)) or is_own_constant(value):
        return "constant", ""
    for type_, what in ((np.ndarray, "array"), (list, "list"), (dict, "dict"), (set, "set"), (bytearray, "bytearray")):
        if isinstance(value, type_):
            return "mutable", what
    if type(value).__module__.startswith(("numpy.random", "random")):
        return "mutable", "random generator"
    if is_bound_method(value):
        return _held_by([value.__self__], "bound method")
    if isinstance(value, functools.partial):
        return _held_by([*value.args, *value.keywords.values()], "partial function")
    if isinstance(value, tuple | frozenset):
        return _all_constant(value, type(value).__name__)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if not value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            return "mutable", "dataclass that is not frozen"
        return _all_constant([getattr(value, f.name) for f in dataclasses.fields(value)], type(value).__name__)
    return "", ""


def _held_by(parts: list[Any], holder: str) -> tuple[str, str]:
    kind, what = _all_constant(parts, holder)
    return (kind, what) if kind == "mutable" else ("", "")


def _all_constant(parts: Any, what: str) -> tuple[str, str]:
    for part in parts:
        kind, inside = nature(part)
        if kind == "mutable":
            return "mutable", f"{what} that holds {article(inside)}"
    return "constant", ""


def is_own_constant(value: Any) -> bool:
    """Whether it is an object of Pellucid's that does not change and is known by its facts: a mesh, a spec."""
    return getattr(type(value), "__pellucid_constant__", False)


def is_bound_method(value: Any) -> bool:
    """Whether it is a function with its first argument: a method of an instance, Python's own or a compiled one."""
    return isinstance(value, types.MethodType) or hasattr(type(value), "__pellucid_bound__")


def article(word: str) -> str:
    """A word with its article, as it is spoken: an int, an f64, a ufunc, a u8, an Event."""
    spoken = word.lower()
    is_vowel = spoken.startswith(tuple("aeiou")) and not spoken.startswith(("ufunc", "uint", "union", "unit", "user"))
    if spoken[1:2].isdigit():  # a dtype: u8, f64, i64
        is_vowel = spoken[0] in "fi"
    return f"an {word}" if is_vowel else f"a {word}"
