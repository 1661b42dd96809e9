"""Values from outside that a compiled function keeps as they were when it first needed them.

    TABLE = [1.0, np.ones(3)]; freeze=("TABLE",)    ->    a copy of the list and of its array, made once

A name in `freeze=` means every variable of that name which the function, or one that it calls, reads from outside:
a global of whatever module, a variable around the function, an attribute of a module or a class, the default of a
parameter.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import io
import operator
import types
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .dtypes import DTYPES
from .guards import ABSENT, cell_of, look_up
from .nature import is_bound_method, nature
from .values import HeldValues

PlaceKey: TypeAlias = tuple[str, int, str, int | None, bool]
Freeze: TypeAlias = tuple[str, ...] | bool  # names, or True: whatever can change
NUMBERS = frozenset(np.dtype(name) for name in DTYPES)
UNCHANGING = (bool, int, float, complex, str, bytes, types.NoneType, types.EllipsisType, range, slice)
CALLED = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, type,
    np.ufunc, functools._lru_cache_wrapper, operator.itemgetter, operator.attrgetter, operator.methodcaller,
)  # fmt: skip


class Place(NamedTuple):
    """Where a value from outside is: as a guard has it, and, of a tuple found there, the item at `item`.

    kind, owner, name   as of a `Guard`      is_frozen   whether the value is the one that is kept of it
    """

    kind: str
    owner: Any
    name: str
    item: int | None = None
    is_frozen: bool = False

    @property
    def key(self) -> PlaceKey:
        """Equal for locations that are the same."""
        return self.kind, id(holder_of(self)), self.name, self.item, self.is_frozen

    def of(self, found: Any) -> Any:
        """The value, when this is found there."""
        return found if self.item is None or found is ABSENT else found[self.item]


class Unfreezable(Exception):
    """A value that cannot be kept; the message says what it is and why."""


def together(*all_: Freeze) -> Freeze:
    """What several `freeze=` options ask for together."""
    if any(freeze is True for freeze in all_):
        return True
    return tuple(dict.fromkeys(name for freeze in all_ if isinstance(freeze, tuple) for name in freeze))


def is_named(freeze: Freeze, name: str) -> bool:
    """Whether `freeze=` names such a variable."""
    return isinstance(freeze, tuple) and name in freeze


def asks_for(freeze: Freeze, frozen: Frozen, place: Place, found: Any, name: str = "") -> bool:
    """Whether `freeze=` names a location, or asks for all that can change and this, or what was there, does.

    `name` is that of the parameter whose default it is.
    """
    if not freeze or place.kind == "builtin":
        return False
    if freeze is not True:
        return is_named(freeze, name or place.name)
    return frozen.has(place._replace(is_frozen=True)) or nature(found)[0] == "mutable" and not why_not(found)


class Frozen:
    """The values kept for one function and its derivatives, by the locations they come from."""

    def __init__(self) -> None:
        self._held: dict[PlaceKey, tuple[Any, Any]] = {}  # with what held it, so that its id stays its own

    def __reduce__(self) -> Any:
        """Another process keeps what is there when it first needs it."""
        return Frozen, ()

    def has(self, place: Place) -> bool:
        return place.key in self._held

    def shared(self, other: Frozen, place: Place) -> bool:
        """Keep one value of a location with another function; False where the two have kept different ones."""
        value = self.value(place) if self.has(place) else other.value(place)
        for one in (self, other):
            one._held.setdefault(place.key, (holder_of(place), value))
        return self._held[place.key][1] is other._held[place.key][1]

    def value(self, place: Place) -> Any:
        """A copy of what was there when it was first asked for; ABSENT if nothing was.  Raises Unfreezable."""
        key = place.key
        if key not in self._held:
            found = place.of(look_up(place.kind, place.owner, place.name))
            if found is ABSENT:
                return ABSENT
            self._held.setdefault(key, (holder_of(place), copied(found)))  # another thread may have been first
        return self._held[key][1]


def holder_of(place: Place) -> Any:
    """What a variable belongs to: functions of one module see the same globals, and two may share a cell."""
    if place.kind == "global":
        return place.owner.__globals__
    return cell_of(place.owner, place.name) if place.kind == "cell" else place.owner


def variable(function: Any, name: str) -> Place:
    """Where a function finds a variable that is not its own."""
    if name in function.__code__.co_freevars:
        return Place("cell", function, name)
    return Place("global", function, name) if name in function.__globals__ else Place("builtin", None, name)


def attribute(owner: Any, name: str) -> Place:
    """Where `owner.name` is found: in a class or one of its bases, in a module, by asking."""
    for holder in owner.__mro__ if isinstance(owner, type) else (owner,):
        if name in getattr(holder, "__dict__", ()):
            return Place("attribute", holder, name)
    return Place("computed", owner, name)


def why_not(value: Any) -> str:
    """Why a value cannot be frozen; empty if it can."""
    try:
        copied(value)
    except Unfreezable as wrong:
        return str(wrong)
    return ""


def copied(value: Any, around: tuple[int, ...] = ()) -> Any:
    """A copy that shares nothing that can change.  Raises Unfreezable.  `around` are the containers it stands in."""
    if isinstance(value, (*UNCHANGING, np.generic, np.dtype, enum.Enum)) and not isinstance(value, tuple):
        return value
    if isinstance(value, CALLED) or hasattr(value, "__pellucid__") and not is_bound_method(value):
        return value
    if isinstance(value, HeldValues) and value._is_number:
        return value._plain
    if isinstance(value, np.ndarray | HeldValues):
        return _copied_array(value)
    if id(value) in around:
        raise Unfreezable(f"a {type(value).__name__} that holds itself")
    copy = functools.partial(copied, around=(*around, id(value)))
    if isinstance(value, functools.partial):
        return functools.partial(copy(value.func), *map(copy, value.args), **copy(value.keywords))
    if is_bound_method(value):
        return type(value)(value.__func__, copy(value.__self__))
    return _copied_container(value, copy)


def _copied_array(value: Any) -> Any:
    values = value._values if isinstance(value, HeldValues) else value
    if type(values) not in (np.ndarray, np.memmap):
        raise Unfreezable(f"a {type(values).__name__}, which has its own rules (`np.asarray` makes it an array)")
    if values.dtype not in NUMBERS and values.dtype.newbyteorder("=") not in NUMBERS:
        raise Unfreezable(f"an array of dtype {values.dtype}, which is not supported")
    made = np.array(values)
    made.setflags(write=False)  # a call that goes on after it has returned need not copy it
    return type(value)(made) if isinstance(value, HeldValues) else made


def _copied_container(value: Any, copy: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind in (list, tuple, set, frozenset, bytearray):
        return kind(map(copy, value))
    if kind in (dict, OrderedDict, types.MappingProxyType):
        return {copy(key): copy(part) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind._make(map(copy, value))
    if dataclasses.is_dataclass(value):
        made = object.__new__(kind)
        for name, part in _attributes(value):
            object.__setattr__(made, name, copy(part))
        return made
    raise Unfreezable(_what(value))


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a dataclass that have a value; what is derived from them is computed again."""
    for field in dataclasses.fields(value):
        if hasattr(value, field.name):
            yield field.name, getattr(value, field.name)


def functions_in(value: Any, around: tuple[int, ...] = ()) -> Iterator[types.FunctionType]:
    """The functions in a value, at any depth."""
    if isinstance(value, types.FunctionType):
        yield value
    if id(value) in around:
        return
    parts: list[Any] = []
    if isinstance(value, list | tuple | set | frozenset):
        parts = [*value]
    elif isinstance(value, Mapping):
        parts = [*value.values()]
    elif isinstance(value, functools.partial):
        parts = [value.func, *value.args, *value.keywords.values()]
    elif is_bound_method(value):
        parts = [value.__func__, value.__self__]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [part for _, part in _attributes(value)]
    for part in parts:
        yield from functions_in(part, (*around, id(value)))


def _what(value: Any) -> str:
    kind = type(value)
    if isinstance(value, types.ModuleType):
        return "a module: name what is read from it"
    if isinstance(value, io.IOBase):
        return "an open file, which is read and written"
    if kind.__module__.startswith(("numpy.random", "random")):
        return "a random generator, which changes with every draw"
    if isinstance(value, Generator):
        return "a generator, which is used up by being read"
    if isinstance(value, Iterator):
        return f"a {kind.__name__}, which is used up by being read"
    if isinstance(value, list | tuple | dict | set | Mapping):
        return f"a {kind.__name__}, which has rules of its own: make a plain one of it"
    return f"a {kind.__name__}, which the compiler cannot see into"
