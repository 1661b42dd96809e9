"""NamedTuples, dataclasses and objects of other libraries whose fields can be read without running Python code.

    @dataclass class State: x: array; v: array    ->    read by attributes, x then v
    class Pair(NamedTuple): a: float              ->    read like a tuple
    scipy.sparse.csr_array                        ->    read at places: attributes, and the second item of `_shape`
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType
from typing import Any

from ..foreign import PLACES, Place, stand_in_of
from .words import RECORD_ATTRIBUTES, RECORD_PLACES, RECORD_TUPLE

_FIELD_OF_TUPLE = type(inspect.getattr_static(collections.namedtuple("Sample", "field"), "field"))


def reading(cls: Any) -> tuple[int, tuple[Place, ...]] | None:
    """(how, field names or places) for native code; None for a class that has ways of its own."""
    known = (object, tuple)
    if any("__getattribute__" in c.__dict__ or "__getattr__" in c.__dict__ for c in cls.__mro__ if c not in known):
        return None
    if issubclass(cls, tuple):
        names = tuple(cls._fields)
        return (RECORD_TUPLE, names) if all(_is_item(cls, name, k) for k, name in enumerate(names)) else None
    if (own := stand_in_of(cls)) is not None:
        places = PLACES[own.format]
        attributes = (place if isinstance(place, str) else place[0] for place in places)
        return (RECORD_PLACES, places) if all(_is_plain(cls, name) for name in attributes) else None
    if not hasattr(cls, "__dataclass_fields__"):
        return None  # every instance has attributes of its own
    names = tuple(field.name for field in dataclasses.fields(cls))
    return (RECORD_ATTRIBUTES, names) if all(_is_plain(cls, name) for name in names) else None


def _is_item(cls: type, name: str, position: int) -> bool:
    found = inspect.getattr_static(cls, name, None)
    return isinstance(found, _FIELD_OF_TUPLE) and found.__reduce__()[1][0] == position


def _is_plain(cls: type, name: str) -> bool:
    found = inspect.getattr_static(cls, name, None)
    # a function, as the default of a field is one, gives way to what the instance holds
    return isinstance(found, MemberDescriptorType | FunctionType) or not hasattr(type(found), "__get__")


def tuple_maker(cls: Any) -> Callable[[tuple[Any, ...]], Any]:
    """Make a NamedTuple from its fields as its `_make` does, without a Python frame where that is the usual one."""
    usual = getattr(getattr(cls._make, "__func__", None), "__code__", None)
    if usual is not None and usual.co_filename == collections.namedtuple.__code__.co_filename:
        return functools.partial(tuple.__new__, cls)
    made: Callable[[tuple[Any, ...]], Any] = cls._make
    return made


