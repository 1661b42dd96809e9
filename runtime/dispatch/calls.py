"""What a compiled function knows for its native calls: parameters, and plans by the key of the arguments.

    calls.learn(f, (x,), {"n": 2}, plan)    ->    f(y, n=2), with y like x, runs the plan without Python

Tables are arrays of words that native code reads; here they are made and kept alive.  A key holds references to the
objects in it (keys of dicts, strings, functions, classes), so that none of their addresses is used again.

Other threads may be in native code whenever a line of Python runs here, so each word of the state is valid at any
time: what it points to is complete when it is set, and is kept for as long as the function lives.  A table that is full
gives way to one of twice its size, so that all former ones together are smaller than it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import EnumMeta
from functools import lru_cache
from inspect import Parameter as Kind
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from .. import asynchronous
from ..array import Array
from ..dtypes import DTYPES
from ..guards import Guards
from ..stack import stack_floor
from ..structures import meta_fields
from . import records, support
from .guard_words import Question
from .plan import CallPlan
from .words import ENTRY, FLAG_EXTRA, FLAG_STATIC, PARAMETERS, STATE

KEY_LIMIT = 4096  # keys that one function learns; a program with more spends its time elsewhere than in dispatch
NUMPY = {name: getattr(np, name) for name in DTYPES}
SYNONYMS = tuple(map(np.dtype, "?bBhHiIlLqQefdFD"))  # dtypes of C; which are the same depends on the machine
TABLE_BYTES, NOT_OURS = 32, 255
MOST_KNOWN = 1 << 62  # bits for the fields of a class
BY_IDENTITY = (type(None), str, FunctionType, BuiltinFunctionType, type, np.ufunc)  # types of static arguments


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a compiled function; `default` is Parameter.empty where there is none."""

    name: str
    kind: Any
    default: Any
    is_static: bool


@lru_cache(maxsize=1)
def native(cls: type) -> ModuleType | None:
    """The native part, ready for calls of instances of one class, whose `__call__` is the general path."""
    if support.reason() is not None:
        return None
    codes = bytearray([NOT_OURS] * TABLE_BYTES)
    for dtype in SYNONYMS:
        name = next((n for n, scalar in NUMPY.items() if np.dtype(scalar) == dtype), None)
        if name is not None:
            codes[dtype.num] = DTYPES.index(name)
    sizes = bytes(np.dtype(name).itemsize for name in DTYPES).ljust(TABLE_BYTES, b"\0")
    found = support.extension()
    scalars = tuple(NUMPY[name] for name in DTYPES)
    asynchronous.prepare()
    found.set_up(cls, Array, stack_floor, (*BY_IDENTITY, cls), scalars, bytes(codes), sizes, own_folder(cls), EnumMeta)
    return found


def own_folder(cls: type) -> str:
    """Where the Python files of ours are that calls come through."""
    found = sys.modules[cls.__module__].__file__
    return os.path.join(os.path.dirname(found), "") if found is not None else os.devnull


Key: TypeAlias = tuple[tuple[int, ...], tuple[Any, ...], int, int]  # words, objects, the hash of the words, last slot


class Calls:
    """The native calls of one compiled function."""

    @staticmethod
    def can_bind(parameters: Sequence[Parameter]) -> bool:
        """Whether native code binds arguments to such parameters."""
        return len(parameters) <= PARAMETERS and all(p.kind is not Kind.VAR_KEYWORD for p in parameters)

    def __init__(self, cls: type, parameters: Sequence[Parameter]) -> None:
        """`cls` is the class of the function, the same one for all functions of a process."""
        self._native = native(cls)
        kinds = [p.kind for p in parameters]
        self._held: list[Any] = []
        self._entries: list[int] = []
        self._known: dict[Any, int] = {}
        self._plans: dict[int, CallPlan] = {}
        self._classes: set[type] = set()
        self._records: list[int] = []
        self._state = (ctypes.c_int64 * len(STATE))()
        self._size = 0
        self._set("LAST", self._array([{"KEY_COUNT": -1}.get(name, 0) for name in ENTRY]))  # no key equals it
        self._set("RECORDS", self._array([0]))
        self._grow()
        words = [word for p in parameters for word in self._parameter(p)]
        self._set("COUNT", len(parameters))
        self._set("POSITIONAL", sum(k in (Kind.POSITIONAL_ONLY, Kind.POSITIONAL_OR_KEYWORD) for k in kinds))
        self._set("EXTRA", int(Kind.VAR_POSITIONAL in kinds))
        self._set("PARAMETERS", self._array(words))

    def _parameter(self, parameter: Parameter) -> tuple[int, int, int]:
        is_extra = parameter.kind is Kind.VAR_POSITIONAL
        named = parameter.kind in (Kind.POSITIONAL_OR_KEYWORD, Kind.KEYWORD_ONLY)
        default = () if is_extra else parameter.default
        self._held += [parameter.name, default]
        return (
            id(parameter.name) if named else 0,
            0 if default is Kind.empty else id(default),
            FLAG_STATIC * parameter.is_static | FLAG_EXTRA * is_extra,
        )

    def learn(
        self, function: object, args: tuple[Any, ...], kwargs: Mapping[str, Any], plan: CallPlan,
        classes: Iterable[type],
    ) -> None:
        """Let calls with arguments like these run the plan; `classes` are those of records among the arguments.

        One thread at a time may do so, while others call.
        """
        code = self._native
        if code is None or len(self._entries) >= KEY_LIMIT:
            return
        for cls in classes:
            self._meet(cls)
        key = self._key(code, args, kwargs)
        if key is None or plan.first not in (0, key[3]):
            return
        self._add(key, plan)
        code.attach(function, ctypes.addressof(self._state))

    @property
    def knows_calls(self) -> bool:
        return bool(self._entries)

    def begin(self, function: object) -> None:
        """Let calls of the function look here from now on, where there is nothing yet: they go through Python."""
        if self._native is not None:
            self._native.attach(function, ctypes.addressof(self._state))

    def ask_quickly(self, guards: Guards) -> None:
        """Let native code say whether these guards hold when Python asks."""
        if self._native is not None and guards.ask is None:
            guards.ask = Question(guards, self._native.holds)

    def _meet(self, cls: type) -> None:
        if cls in self._classes:
            return
        self._classes.add(cls)
        how = records.reading(cls)
        if how is None:
            return
        self._held.append(how)
        known = sum(1 << number for number, name in enumerate(how[1]) if name in meta_fields(cls))
        if known >= MOST_KNOWN:
            return
        self._records += [id(cls), how[0], id(how[1]), known]
        self._set("RECORDS", self._array([len(self._records) // 4, *self._records]))

    def _key(self, code: ModuleType, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Key | None:
        """The words and the objects of a call, as native code sees it; None where native code cannot form it."""
        found: Key | None = code.describe(ctypes.addressof(self._state), (*args, *kwargs.values()), tuple(kwargs))
        return found

    def _add(self, key: Key, plan: CallPlan) -> None:
        self._plans[id(plan)] = plan
        keys, objects, hash_, _ = key
        known = self._known.get(self._name(keys, objects))
        if known is not None:  # the world has changed, and other code answers such calls now
            ctypes.c_int64.from_address(known + 8 * ENTRY.index("PLAN")).value = plan.place
            return
        self._held.append(objects)
        entry = {
            "HASH": hash_,
            "KEYS": self._array(keys),
            "KEY_COUNT": len(keys),
            "OBJECTS": self._array(list(map(id, objects))),
            "OBJECT_COUNT": len(objects),
            "PLAN": plan.place,
        }
        made = self._array([entry[name] for name in ENTRY])
        self._entries.append(made)
        self._known[self._name(keys, objects)] = made
        if 2 * len(self._entries) > self._size:
            self._grow()
        else:
            self._put(self._table, made)
        self._set("LAST", made)

    @staticmethod
    def _name(keys: tuple[int, ...], objects: tuple[Any, ...]) -> Any:
        """A key as Python compares it: objects by identity, strings by value."""
        return keys, tuple(o if type(o) is str else id(o) for o in objects)

    def _grow(self) -> None:
        """A hash table with more than twice as many slots as keys: its mask, and entries with linear probing."""
        self._size = 1 << (2 * len(self._entries)).bit_length()
        table = self._array([self._size - 1, *[0] * self._size])
        self._table = self._held[-1]
        for entry in self._entries:
            self._put(self._table, entry)
        self._set("TABLE", table)

    def _put(self, table: Any, entry: int) -> None:
        """Enter a complete entry; native code that reads the table meanwhile sees it or not."""
        at = support.word(entry + 8 * ENTRY.index("HASH")) % self._size
        while table[1 + at]:
            at = (at + 1) % self._size
        table[1 + at] = entry

    def _set(self, name: str, word: int) -> None:
        self._state[STATE.index(name)] = word

    def _array(self, words: Sequence[int]) -> int:
        made = (ctypes.c_int64 * max(len(words), 1))(*words)
        self._held.append(made)
        return ctypes.addressof(made)
