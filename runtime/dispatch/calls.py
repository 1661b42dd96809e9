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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from inspect import Parameter as Kind
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from .. import interrupts, machine_code, memory
from ..array import Array
from ..dtypes import DTYPES, REAL
from ..guards import Guards
from ..stack import stack_floor
from . import native_type, records, support
from .array_text import ARRAYS
from .bind_text import BIND
from .call_text import PREPARE, RUN
from .container_text import CONTAINERS
from .guard_text import GUARDS
from .guard_words import Question, version_offset
from .lookup_text import LOOK_UP
from .plan import CallPlan
from .recipe_text import RECIPES
from .result_text import RESULTS
from .value_text import VALUE
from .words import CONSTANTS, ENTRY, FLAG_EXTRA, FLAG_STATIC, KEYS, OBJECTS, PARAMETERS, SLACK, STATE, assemble

KEY_LIMIT = 4096  # keys that one function learns; who makes more has other worries than dispatch
NUMPY = {name: getattr(np, name) for name in DTYPES}
SYNONYMS = tuple(map(np.dtype, "?bBhHiIlLqQefd"))  # dtypes of C; which are the same depends on the machine
LEVEL = 0  # 20 nanoseconds more per call, and a tenth of the time to compile


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a compiled function; `default` is Parameter.empty where there is none."""

    name: str
    kind: Any
    default: Any
    is_static: bool


class Native:
    """The native code of dispatch, told the addresses of this process."""

    def __init__(self, cls: type) -> None:
        memory.pool()
        support.provide_symbols()
        interrupts.provide()
        text = assemble(ARRAYS, CONTAINERS, VALUE, BIND, LOOK_UP, GUARDS, RESULTS, RECIPES, PREPARE, RUN)
        self.library = machine_code.library(text, LEVEL)
        self.held: list[Any] = [cls, cls.__call__, stack_floor]
        self._set_constants(cls)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        describe = ctypes.PYFUNCTYPE(number, pointer, pointer, number, pointer, pointer, pointer)
        self.describe = describe(self._at("pellucid_describe"))
        self.hash = ctypes.PYFUNCTYPE(ctypes.c_uint64, pointer, number)(self._at("pellucid_hash"))
        self.holds = ctypes.PYFUNCTYPE(number, pointer)(self._at("pellucid_holds"))
        self.call = self._at("pellucid_call")
        # arrays that outlive this module still call into it
        for lasting in (self.library, self.held):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(lasting))

    def _at(self, name: str) -> int:
        return int(self.library.address(name))

    def _set_constants(self, cls: type) -> None:
        table = support.numpy_table()
        objects = [type(None), str, FunctionType, BuiltinFunctionType, type, np.ufunc, cls]
        codes, shifts = (ctypes.c_uint8 * 32)(*[255] * 32), (ctypes.c_uint8 * 32)()
        for dtype in SYNONYMS:
            name = next((n for n, scalar in NUMPY.items() if np.dtype(scalar) == dtype), None)
            if name is not None:
                codes[dtype.num] = DTYPES.index(name)
                shifts[dtype.num] = dtype.itemsize.bit_length() - 1
        types = (ctypes.c_void_p * len(objects))(*map(id, objects))
        self.held += [objects, codes, shifts, types]
        scalars = {f"{n}_scalar_type": id(NUMPY[n]) for n in REAL}
        found = {f"{t.__name__}_type": id(t) for t in (float, int, bool, tuple, list, dict, str, np.ndarray)} | scalars
        found |= {
            "array_type": id(Array),
            "object_types": ctypes.addressof(types),
            "object_type_count": len(objects),
            "dtype_codes": ctypes.addressof(codes),
            "dtype_shifts": ctypes.addressof(shifts),
            "true": id(True),
            "general": id(cls.__call__),
            "find_floor": id(stack_floor),
            "values_offset": support.values_offset() or 0,
            "version_offset": version_offset(),
            "numpy_new": support.word(table + 8 * support.NEW_FROM_DESCR),
            "numpy_set_base": support.word(table + 8 * support.SET_BASE),
            "numpy_scalar": support.word(table + 8 * support.SCALAR),
            "numpy_copy": support.word(table + 8 * support.NEW_COPY),
        }
        given = (ctypes.c_void_p * len(CONSTANTS))(*[found[name] for name in CONSTANTS])
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self._at("pellucid_set_constants"))(ctypes.addressof(given))


@lru_cache(maxsize=1)
def native(cls: type) -> Native | None:
    """The native code of this process, for calls of instances of one class; its `__call__` is the general path."""
    return Native(cls) if native_type.enable(cls) else None


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
        self._set("LAST", self._array([{"KEY_COUNT": -1}.get(name, 0) for name in ENTRY]))  # no key is like it
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
        if key is None:
            return
        self._add(code, *key, plan)
        native_type.attach(function, code.call, ctypes.addressof(self._state))

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
        self._records += [id(cls), how[0], id(how[1])]
        self._set("RECORDS", self._array([len(self._records) // 3, *self._records]))

    def _key(
        self, code: Native, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[list[int], list[Any]] | None:
        """The words and the objects of a call, as native code sees it; None where it does not understand it."""
        values, names = (*args, *kwargs.values()), tuple(kwargs)
        given = (ctypes.py_object * len(values))(*values)
        keys, objects = (ctypes.c_int64 * (KEYS + SLACK))(), (ctypes.c_void_p * (OBJECTS + SLACK))()
        found = code.describe(
            ctypes.addressof(self._state), ctypes.addressof(given), len(args), id(names) if names else None,
            ctypes.addressof(keys), ctypes.addressof(objects),
        )  # fmt: skip
        if found < 0:
            return None
        held = []
        for address in objects[: found >> 32]:
            held.append(ctypes.cast(ctypes.c_void_p(address), ctypes.py_object).value)
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(held[-1]))
        return keys[: found & 0xFFFFFFFF], held

    def _add(self, code: Native, keys: list[int], objects: list[Any], plan: CallPlan) -> None:
        self._plans[id(plan)] = plan
        known = self._known.get(self._name(keys, objects))
        if known is not None:  # the world has changed, and other code answers such calls now
            ctypes.c_int64.from_address(known + 8 * ENTRY.index("PLAN")).value = plan.place
            return
        words = self._array(keys)
        self._held.append(objects)
        entry = {
            "HASH": code.hash(words, len(keys)),
            "KEYS": words,
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
    def _name(keys: list[int], objects: list[Any]) -> Any:
        """A key as Python compares it: objects by identity, texts by what they say."""
        return tuple(keys), tuple(o if type(o) is str else id(o) for o in objects)

    def _grow(self) -> None:
        """A table with more than twice as many places as keys: its mask, and entries by hash or in the places after."""
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
