"""What the compiled form of a function depends on, as one digest: its code and all that its names reach.

    fingerprint(loss, options)    ->    bytes, equal in every process that would compile the same program

No source is read and nothing is parsed: code objects say which names they use, and each name is followed to the value
it has now, into functions, classes, containers and modules.  Attributes are followed by name: one that any of the
functions mentions counts wherever it is found, since `helper(settings)` may read `settings.rate`.  What belongs to a
library is named and not entered; its version is part of the key of the cache.  What cannot be told apart from other
values of its type is `Unknowable`, and then nothing is kept.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
from collections.abc import Iterable
from opcode import opmap
from typing import Any

import numpy as np

from .class_entries import CHANGING_BY_USE, GENERATED, is_called_by_python, is_made
from .compiler.request import Request, Transformation
from .library_names import is_library, library_name
from .runtime import frozen as freezing
from .runtime.frozen import Freeze, Frozen, Place
from .runtime.given_rules import RULE, rule_of
from .runtime.guards import ABSENT, WAYS_OF_MAKING, array_type, key_of, look_up
from .runtime.nature import is_own_constant
from .runtime.store import digest
from .runtime.values import HeldValues

LOAD_GLOBAL, EXTENDED_ARG = opmap["LOAD_GLOBAL"], opmap["EXTENDED_ARG"]
PLAIN = (bool, int, str, bytes, types.NoneType, types.EllipsisType, range)
LARGEST = 100_000  # words; a table of more numbers than this is an array, and is passed or frozen
LARGEST_ARRAY = 2**20  # bytes
UNSEEN: Any = object()
CODE_FIELDS = (
    "co_name", "co_qualname", "co_filename", "co_firstlineno", "co_flags", "co_argcount", "co_posonlyargcount",
    "co_kwonlyargcount", "co_varnames", "co_names", "co_freevars", "co_cellvars", "co_code", "co_linetable",
    "co_exceptiontable",
)  # fmt: skip


class Unknowable(Exception):
    """A value whose content cannot be put into words."""


class Fingerprint:
    """Words for values, in the order they are met; `objects` are those that are known by identity.

    Two processes that agree in the digest agree in what each position of `objects` is.  `misses_names` tells that a
    global which is mentioned is not defined yet.  What is frozen counts with the value that is kept.
    """

    def __init__(self, freeze: Freeze = (), frozen: Frozen | None = None) -> None:
        self._freeze, self._frozen = freeze, frozen or Frozen()
        self._is_outside = False
        self._words: list[bytes] = []
        self._numbers: dict[int, int] = {}
        self._attributes: set[str] = set()
        self._owners: list[tuple[Any, dict[str, Any]]] = []
        self._listed: set[int] = set()  # classes whose names are all told; they are held among the objects
        self._told: set[tuple[int, str]] = set()
        self._reads: dict[tuple[str, int, str], Any] = {}
        self.objects: list[Any] = []
        self.misses_names = False

    def add(self, *values: Any) -> None:
        """Say what the values are, with all that they hold."""
        for value in values:
            if isinstance(value, np.ndarray | HeldValues):
                self._array(np.asarray(value), isinstance(value, HeldValues))
            else:
                self._value(value)

    def _add_outside(self, value: Any) -> None:
        """A value that is read by name: its arrays are refused, or are arguments: their types count."""
        before, self._is_outside = self._is_outside, True
        try:
            self.add(value)
        finally:
            self._is_outside = before

    def _add_variable(self, place: Place, found: Any) -> None:
        """What is found in a place, or is kept of it."""
        if not freezing.asks_for(self._freeze, self._frozen, place, found):
            return self._add_outside(found)
        try:
            self._say("frozen")
            self._add_outside(self._frozen.value(place._replace(is_frozen=True)))
        except freezing.Unfreezable as wrong:
            raise Unknowable(str(wrong)) from None

    def _array(self, value: np.ndarray, is_immutable: bool) -> None:
        if self._is_outside:
            self._say("array outside", is_immutable, *array_type(value))
            return
        if value.nbytes > LARGEST_ARRAY or value.dtype.hasobject:
            raise Unknowable("a large array")
        self._say("array", value.dtype.str, value.shape, value.tobytes())

    def digest(self) -> bytes:
        """The digest of all that was added, attributes included."""
        self._follow_attributes()
        return digest(*self._words)

    def number_of(self, value: Any) -> int | None:
        """The position in `objects` of an object, by identity."""
        return self._numbers.get(id(value))

    def saw(self, kind: str, owner: Any, name: str) -> Any:
        """What a guard of this kind would have found; UNSEEN where the digest would not tell."""
        found = self._reads.get(key_of(kind, owner, name), UNSEEN)
        if found is UNSEEN and kind == "attribute" and id(owner) in self._listed and name not in vars(owner):
            return ABSENT
        if found is UNSEEN and kind == "attribute" and name in self._attributes:
            return ABSENT if any(owner is one for one, _ in self._owners) else UNSEEN
        return found

    def _see(self, kind: str, owner: Any, name: str) -> Any:
        """Look something up as a guard does, and remember what was found."""
        found = self._reads[key_of(kind, owner, name)] = look_up(kind, owner, name)
        return found

    def _say(self, *words: Any) -> None:
        self._words += [word if isinstance(word, bytes) else str(word).encode() for word in words]
        if len(self._words) > LARGEST:
            raise Unknowable("too much to look at")

    def _meet(self, value: Any) -> bool:
        """Whether an object is met for the first time; it is held, so that its identity stays its own."""
        number = self._numbers.get(id(value))
        if number is not None:
            self._say("again", number)
            return False
        self._numbers[id(value)] = len(self.objects)
        self.objects.append(value)
        return True

    def _value(self, value: Any) -> None:
        type_ = type(value)
        if type_ in PLAIN:
            self._say(type_.__name__, repr(value))
        elif type_ is float or type_ is complex:
            self._say(type_.__name__, np.array(value).tobytes())  # 0.0 and -0.0, and every nan, are values of their own
        elif type_ in (tuple, list, frozenset, set):
            self._parts(type_.__name__, value if type_ in (tuple, list) else sorted(value, key=repr))
        elif type_ is dict:
            self._parts("dict", [part for pair in value.items() for part in pair])
        elif type_ is slice:
            self._parts("slice", [value.start, value.stop, value.step])
        elif isinstance(value, np.generic):
            self._say("scalar", value.dtype.str, value.tobytes())
        elif isinstance(value, np.dtype):
            self._say("dtype", value.descr if value.fields else value.str)
        else:
            self._object(value)

    def _parts(self, kind: str, parts: Iterable[Any]) -> None:
        self._say(kind, "(")
        self.add(*parts)
        self._say(")")

    def _object(self, value: Any) -> None:
        """What is known by identity, or by a class of its own."""
        if isinstance(value, types.FunctionType | type | types.ModuleType) or _request_of(value) is not None:
            if self._meet(value):
                self._named(value)
        elif isinstance(value, enum.Enum):
            self._say("member", value.name)
            self.add(type(value), value.value)
        elif _is_record(value):
            self._say("record")
            names = getattr(value, "_fields", None) or [f.name for f in dataclasses.fields(value)]
            self.add(type(value), [getattr(value, name) for name in names])
        elif is_own_constant(value):
            self._parts(type(value).__name__, value.__pellucid_facts__())
        elif isinstance(value, property):
            self._parts("property", [value.fget, value.fset])
        elif isinstance(value, staticmethod | classmethod):
            self._parts(type(value).__name__, [value.__func__])
        elif isinstance(value, functools.cached_property):
            self._parts("cached property", [value.func])
        elif isinstance(value, functools._lru_cache_wrapper):
            if self._meet(value):
                self._say("keeps results")
                self._owners.append((value, vars(value)))
                self.add(self._see("attribute", value, "__wrapped__"))
        elif isinstance(value, functools.partial):
            self._parts("partial", [value.func, list(value.args), dict(value.keywords)])
        elif isinstance(value, types.MethodType):
            self._parts("method", [value.__func__, value.__self__])
        elif name := library_name(value):
            if self._meet(value):
                self._say("library", name)
        else:
            raise Unknowable(f"a {type(value).__name__}")

    def _named(self, value: Any) -> None:
        if (request := _request_of(value)) is not None:
            if request.freeze and request.frozen is not self._frozen:
                raise Unknowable("a function that freezes values of its own")
            self._say("compiled")
            self.request(request)
        elif name := library_name(value):
            self._say("library", name)
            if isinstance(value, types.ModuleType | type):
                self._owners.append((value, vars(value)))
            if isinstance(value, type):
                self._see("field", value, "__mro__")
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.ModuleType):
            if "__getattr__" in vars(value):
                raise Unknowable("a module that makes its attributes up")
            self._say("module", value.__name__)
            self._owners.append((value, vars(value)))
        else:
            self._class(value)

    def request(self, request: Request) -> None:
        """A function and the options it is compiled with."""
        self.add(request.python)
        for name in request.__match_args__:
            if name not in ("python", "frozen"):
                self._say(name)
                self.add([_plain(part) for part in _listed(getattr(request, name))])

    def _function(self, function: types.FunctionType) -> None:
        self._say("function")
        code = self._see("field", function, "__code__")
        self._code(code)
        self._defaults(function)
        for name in code.co_freevars:
            self._say(name)
            held = self._see("cell", function, name)
            if held is ABSENT:  # an inner function that is still being defined
                self._say("empty")
                self.misses_names = True
                continue
            self._add_variable(Place("cell", function, name), held)
        for name in _globals_of(code):
            self._say(name)
            found = self._see("global", function, name)
            if found is ABSENT:
                self._builtin(name)
            else:
                self._add_variable(Place("global", function, name), found)
        if rule_of(function) is not None:
            self._say("rule")
            self.add(self._see("attribute", function, RULE))
        if vars(function):
            self._owners.append((function, vars(function)))

    def _defaults(self, function: types.FunctionType) -> None:
        code = function.__code__
        given, by_name = self._see("field", function, "__defaults__"), self._see("field", function, "__kwdefaults__")
        first = code.co_argcount - len(given or ())
        self._say("defaults", given is None, len(given or ()), by_name is None)
        for position, value in enumerate(given or ()):
            place = Place("field", function, "__defaults__", position)
            self._add_default(place, code.co_varnames[first + position], value)
        for name in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
            if by_name is not None and self._see("keyword", function, name) is not ABSENT:
                self._say(name)
                self._add_default(Place("keyword", function, name), name, by_name[name])

    def _add_default(self, place: Place, name: str, value: Any) -> None:
        if freezing.asks_for(self._freeze, self._frozen, place, value, name):
            self._add_variable(place, value)
        else:
            self.add(value)

    def _builtin(self, name: str) -> None:
        found = self._see("builtin", None, name)
        self._say("absent" if found is ABSENT else "builtin")
        self.misses_names = self.misses_names or found is ABSENT
        if found is not ABSENT and library_name(found) != f"builtins.{name}" and type(found) not in PLAIN:
            self._add_outside(found)

    def _code(self, code: types.CodeType) -> None:
        for field in CODE_FIELDS:
            value = getattr(code, field)
            self._say(field, value if isinstance(value, bytes) else repr(value))
        self._attributes.update(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._say("code")
                self._code(constant)
            else:
                self.add(constant)

    def _class(self, cls: type) -> None:
        self._say("class", cls.__module__, cls.__qualname__)
        self.add(list(cls.__bases__), type(cls))
        own = vars(cls)
        self._see("field", cls, "__mro__")
        for name in WAYS_OF_MAKING:
            self._made_by(self._see("attribute", cls, name))
        self._say(*sorted(f"{name} {is_made(own[name])}" for name in own if name not in CHANGING_BY_USE))
        self._listed.add(id(cls))
        self._attributes |= {name for name, value in own.items() if is_called_by_python(name, value)}
        if "_fields" in own:
            self.add(cls._fields, getattr(cls, "_field_defaults", {}))  # type: ignore[attr-defined]
        if "__dataclass_fields__" in own:
            fields = dataclasses.fields(cls)
            self.add([(f.name, f.init, f.default is dataclasses.MISSING) for f in fields])
            self.add([f.default for f in fields if f.default is not dataclasses.MISSING])
        made = [name for name, value in own.items() if is_made(value) and name not in WAYS_OF_MAKING]
        for name in made:  # from the fields, which are told
            self._see("attribute", cls, name)
        self._owners.append((cls, {name: value for name, value in own.items() if name not in made}))

    def _made_by(self, maker: Any) -> None:
        """Defaults of fields stand in the function that makes the object."""
        function = getattr(maker, "__func__", maker)
        if not isinstance(function, types.FunctionType):
            return
        if function.__code__.co_filename != GENERATED:
            self._value(function)
        elif self._meet(function):
            self._see("field", function, "__code__")
            self._defaults(function)

    def _follow_attributes(self) -> None:
        """HeldValues of attributes that the code met so far mentions; what they lead to may mention more."""
        before = -1
        while len(self._told) != before:
            before = len(self._told)
            for number, (owner, content) in enumerate(list(self._owners)):
                inside = library_name(owner) is not None
                for name in sorted(self._attributes & content.keys()):
                    if (number, name) in self._told:
                        continue
                    self._told.add((number, name))
                    self._see("attribute", owner, name)
                    is_module = isinstance(content[name], types.ModuleType)  # which is looked into by name as well
                    if is_module or not (inside and _is_own(content[name], name)):
                        self._say("attribute", number, name)
                        self._add_variable(Place("attribute", owner, name), content[name])


def _request_of(value: Any) -> Request | None:
    found = getattr(value, "__pellucid__", None)
    return found if isinstance(found, Request) else None


def _is_own(value: Any, name: str) -> bool:
    """Whether something in a library is what the library put there: it goes by this name, or has a class of its own."""
    if isinstance(value, types.FunctionType | type | types.ModuleType | np.ufunc):
        found = library_name(value)
        return found is not None and found.rpartition(".")[2] == name
    return type(value) not in (*PLAIN, float) and is_library(type(value).__module__)


def _is_record(value: Any) -> bool:
    return (isinstance(value, tuple) and hasattr(value, "_fields")) or (
        dataclasses.is_dataclass(value) and not isinstance(value, type)
    )


def _listed(option: Any) -> tuple[Any, ...]:
    return option if isinstance(option, tuple) else (option,)


def _plain(part: Any) -> Any:
    return part.options() if isinstance(part, Transformation) else part


def _globals_of(code: types.CodeType) -> list[str]:
    """The globals that a function and the functions in it read, each once, by their bytecode."""
    found: dict[str, None] = {}
    argument, instructions = 0, code.co_code
    for position in range(0, len(instructions), 2):
        argument = argument << 8 | instructions[position + 1]
        if instructions[position] == EXTENDED_ARG:
            continue
        if instructions[position] == LOAD_GLOBAL:
            found[code.co_names[argument >> 1]] = None  # the lowest bit says whether it is called
        argument = 0
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.update(dict.fromkeys(_globals_of(constant)))
    return list(found)
