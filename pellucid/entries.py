"""Compiled functions on disk: what is needed to call machine code again without compiling, as plain data.

    save(key, compiled, title)    ->    a file: types, structure of the result, error sites, the key of the machine code
    load(key, options)            ->    Compiled, or None where it has to be compiled

An entry holds numbers, texts and tuples of them, and no object of Python's.  Classes and functions that a result needs
are given by their position among the objects of the fingerprint, which are the same wherever the key is the same, or by
their name in a library.
"""

from __future__ import annotations

import functools
import marshal
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from .compiler.diagnostics import Span
from .compiler.frontend.specialise.values import (
    Column,
    ListOut,
    Mapping_,
    OneOf,
    Optional,
    Out,
    Partial,
    Record,
    Rows,
    Static,
    Text,
    Value,
    parts,
)
from .compiler.frontend.specialise.values import Sequence as SequenceValue
from .compiler.records import dataclass
from .compiler.request import Request
from .compiler.targets.llvm.abi import EmitOptions, ErrorSite
from .compiler.targets.llvm.executable import Executable
from .compiler.types import Array, Dim, ListOf, Scalar, Type
from .fingerprint import Fingerprint, Unknowable
from .hidden import HiddenLeaves
from .library_names import library_name
from .runtime import machine_code, memory, targets
from .runtime.frozen import Frozen, Place
from .runtime.guards import Guard, Guards, same
from .runtime.store import digest, store

if TYPE_CHECKING:
    from .compiler.diagnostics import Span

FUNCTION, CHECKED = ".function", ".checked"
NOT_IN_CODE = ("PELLUCID_CACHE", "PELLUCID_LOG=", "PELLUCID_TRACEBACK=")
UNFINISHED = b"unfinished"
CONSTANTS = (bool, int, float, str, bytes, type(None))
KINDS: Mapping[str, type] = {"tuple": tuple, "list": list, "set": set, "str": str}


@dataclass(slots=True, eq=False)
class Compiled:
    """One specialisation: the machine code, and how to put results together.

    mutated  (name, place among the leaves) of the arguments to write back, one for each of the last results
    guards   what it was made from, apart from the arguments
    hidden   the last arguments, which are found outside
    took     the seconds of each step of compiling; empty for what comes from the disk
    """

    executable: Executable
    result: Value
    mutated: tuple[tuple[str, int], ...] = ()
    guards: Guards = field(default_factory=Guards)
    hidden: HiddenLeaves = field(default_factory=lambda: HiddenLeaves((), Guards(), Frozen()))
    took: dict[str, float] = field(default_factory=dict)

class Key(NamedTuple):
    """What an entry is found by, and the fingerprint that it comes from."""

    name: str
    seen: Fingerprint


def key_of(request: Request, arguments: Mapping[str, Value]) -> Key | None:
    """The key of a specialisation; None where the cache is off or the function depends on what has no fingerprint."""
    return _key(FUNCTION, request, (("arguments", arguments),))


def key_of_check(request: Request) -> Key | None:
    """The key of the verdict that a function may be compiled; its file counts too where names are not there yet."""
    return _key(CHECKED, request, ())


def _key(kind: str, request: Request, values: Sequence[tuple[str, Mapping[str, Value]]]) -> Key | None:
    if store() is None or not __debug__:  # without assertions code objects do not tell what a function reads
        return None
    # whether a function may be compiled is asked before anything that it reads is needed, and frozen
    seen = Fingerprint(request.freeze, request.frozen if kind == FUNCTION else Frozen())
    try:
        seen.request(request)
        for title, named in values:
            seen.add(title, list(named))
            for value in named.values():
                _add_value(seen, value)
        found = seen.digest()
        file = _state_of(request.python.__code__.co_filename) if kind == CHECKED and seen.misses_names else b""
    except (Unknowable, RecursionError):
        return None
    platform = machine_code.platform(targets.asked())
    return Key(digest(kind.encode(), platform, _settings(), found, file).hex() + kind, seen)


def _settings() -> bytes:
    """The environment as far as it speaks to us, but for where the cache is and what we tell."""
    own = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("PELLUCID_")]
    return "\n".join(sorted(text for text in own if not text.startswith(NOT_IN_CODE))).encode()


def _state_of(file: str) -> bytes:
    try:
        found = os.stat(file)
    except OSError:
        raise Unknowable(file) from None
    return f"{found.st_size} {found.st_mtime_ns}".encode()


def _add_value(seen: Fingerprint, value: Value) -> None:
    """An argument: its structure, the types of its leaves, its static parts."""
    match value:
        case Static(value=held):
            seen.add("static", held)
        case SequenceValue(items=items, kind=kind, like=like):
            seen.add(kind.__name__, like, len(items))
            for item in items:
                _add_value(seen, item)
        case Mapping_(items=items) | Record(items=items):
            made = value.cls if isinstance(value, Record) else value.like
            seen.add("record" if isinstance(value, Record) else "mapping", made, len(items))
            for name, item in items:
                seen.add(name)
                _add_value(seen, item)
        case _:
            seen.add(repr(value))


# --- verdicts ------------------------------------------------------------------------------------------------------


def verdict(key: Key | None) -> bool | None:
    """None unless a function with this key was found pure and in the language before; False where a helper that was
    not there yet remains to be judged."""
    place = store()
    data = place.read(key.name) if key is not None and place is not None else None
    return None if data is None else data != UNFINISHED


def save_verdict(key: Key | None, is_complete: bool) -> None:
    place = store()
    if key is not None and place is not None:
        place.write(key.name, b"" if is_complete else UNFINISHED)


# --- compiled functions --------------------------------------------------------------------------------------------


def save(key: Key, compiled: Compiled, title: tuple[str, str, int, str]) -> None:
    """Keep a compiled function; `title` is its name, file and line, and the types of its arguments, for people."""
    executable, place = compiled.executable, store()
    structure, guards = _structure(compiled.result, key.seen), _guards(compiled.guards, key.seen)
    hidden = _hidden(compiled.hidden, key.seen)
    exceptions = {name: _constant(cls, key.seen) for name, cls in executable.options.exceptions.items()}
    if place is None or None in (structure, guards, hidden, *exceptions.values()):
        return
    parameters, results = tuple(map(_type, executable.parameters)), tuple(map(_type, executable.results))
    sites = tuple(map(_site, executable.sites))
    rest = (compiled.mutated, sites, exceptions, guards, hidden)
    content = (title, executable.library.key, parameters, results, structure, *rest)
    place.write(key.name, marshal.dumps(content))


def load(key: Key, request: Request, options: EmitOptions) -> Compiled | None:
    """A function that was kept, ready to be called."""
    place = store()
    data = place.read(key.name) if place is not None else None
    if data is None:
        return None
    _, code, parameters, results, structure, mutated, sites, exceptions, guards, hidden = marshal.loads(data)
    memory.pool()
    library = machine_code.stored_library(code, targets.asked())
    if library is None:
        return None
    try:
        result = _structure_from(structure, key.seen.objects)
        known = {name: _constant_from(found, key.seen.objects) for name, found in exceptions.items()}
        found = Guards(_guard_from(guard, key.seen) for guard in guards)
    except (KeyError, AttributeError):  # a library's object whose module is not imported yet
        return None
    options = replace(options, exceptions=known)
    types, result_types = tuple(map(_type_from, parameters)), tuple(map(_type_from, results))
    places = [_place_from(one, key.seen) for one in hidden]
    executable = Executable(types, result_types, library, StoredSites(sites), options)
    return Compiled(executable, result, mutated, found, HiddenLeaves(places, found, request.frozen))


def described(name: str) -> tuple[tuple[str, str, int, str], str] | None:
    """The title of an entry and the key of its machine code; None for files of other kinds."""
    place = store()
    data = place.read(name) if place is not None and name.endswith(FUNCTION) else None
    return None if data is None else marshal.loads(data)[:2]


class StoredSites(Sequence[ErrorSite]):
    """Error sites as plain data, made into records when an error is raised."""

    def __init__(self, sites: tuple[Any, ...]) -> None:
        self._sites = sites

    def __len__(self) -> int:
        return len(self._sites)

    @overload
    def __getitem__(self, index: int) -> ErrorSite: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ErrorSite]: ...
    def __getitem__(self, index: int | slice) -> ErrorSite | Sequence[ErrorSite]:
        if isinstance(index, slice):
            return StoredSites(self._sites[index])
        exception, message, values, span, inlined, function = self._sites[index]
        scalars = tuple(Scalar(*value) for value in values)
        return ErrorSite(exception, message, scalars, span and Span(*span), tuple(Span(*s) for s in inlined), function)


def _site(site: ErrorSite) -> tuple[Any, ...]:
    values = tuple((value.dtype, value.weak) for value in site.values)
    return site.exception, site.message, values, _span(site.span), tuple(map(_span, site.inlined)), site.function


def _span(span: Span | None) -> tuple[str, int, int, int, int] | None:
    return None if span is None else (span.file, span.line, span.column, span.end_line, span.end_column)


def _type(type_: Type) -> tuple[Any, ...]:
    match type_:
        case Scalar():
            return "scalar", type_.dtype, type_.weak
        case Array():
            dims = tuple(d if isinstance(d, int) else (d.terms, d.constant) for d in type_.dims)
            return "array", type_.dtype, dims, type_.layout
        case ListOf():
            return "list", _type(type_.element)
    raise TypeError(f"not a type: {type_!r}")


def _type_from(found: tuple[Any, ...]) -> Any:
    match found:
        case "scalar", dtype, weak:
            return Scalar(dtype, weak)
        case "array", dtype, dims, layout:
            return Array(dtype, tuple(d if isinstance(d, int) else Dim(*d) for d in dims), layout)
        case "list", element:
            return ListOf(_type_from(element))
    raise TypeError(f"not a type: {found!r}")


# --- guards --------------------------------------------------------------------------------------------------------


def _guards(guards: Guards, seen: Fingerprint) -> tuple[tuple[str, int, str], ...] | None:
    """The guards as plain data; None unless the fingerprint knows each of these objects, by which the key changes."""
    found = []
    for guard in guards:
        number = -1 if guard.owner is None else seen.number_of(guard.owner)
        if number is None or not same(seen.saw(guard.kind, guard.owner, guard.name), guard.found):
            return None
        found.append((guard.kind, number, guard.name))
    return tuple(found)


def _guard_from(found: tuple[str, int, str], seen: Fingerprint) -> Guard:
    """What was found now stands where the fingerprint saw it; it is the same as then, as the key is."""
    kind, number, name = found
    owner = None if number < 0 else seen.objects[number]
    return Guard(kind, owner, sys.intern(name), seen.saw(kind, owner, name))


def _hidden(hidden: HiddenLeaves, seen: Fingerprint) -> tuple[tuple[Any, ...], ...] | None:
    """Where hidden arguments are found, as plain data; None where the fingerprint has not met an owner."""
    found = []
    for place, index in hidden.places:
        number = seen.number_of(place.owner)
        if number is None:
            return None
        found.append((place.kind, number, place.name, place.item, place.is_frozen, index))
    return tuple(found)


def _place_from(found: tuple[Any, ...], seen: Fingerprint) -> tuple[Place, int]:
    kind, number, name, item, is_frozen, index = found
    return Place(kind, seen.objects[number], sys.intern(name), item, is_frozen), index


# --- the structure of a result -------------------------------------------------------------------------------------


def _structure(value: Value, seen: Fingerprint) -> tuple[Any, ...] | None:
    """The structure as plain data; None where it holds an object that the fingerprint has not met."""
    match value:
        case Out(index=index):
            return ("out", index)
        case Static(value=held):
            return _constant(held, seen)
        case Partial(function=Static(value=str() as name), args=(residuals,)):  # a pullback
            one = _structure(residuals, seen)
            return None if one is None else ("partial", name, one)
        case Optional(absent=absent, inner=inside):
            both = [_structure(part, seen) for part in (absent, inside)]
            return None if None in both else ("optional", *both)
        case OneOf(flags=flags, cases=cases):
            both = [_structure(part, seen) for part in (*flags, *cases)]
            return None if None in both else ("one of", tuple(both[: len(flags)]), tuple(both[len(flags) :]))
        case Text(number=number, texts=texts):
            return ("text", _structure(number, seen), texts)
        case Rows(item=item, kind=kind):
            one = _structure(item, seen)
            return None if one is None else ("rows", one, kind.__name__)
        case Column(values=values, is_weak=is_weak):
            return ("column", _structure(values, seen), is_weak)
        case ListOut(is_weak=is_weak):
            return ("listed", is_weak, tuple(_structure(part, seen) for _, part in parts(value)))
        case SequenceValue(like=like) | Mapping_(like=like) if like is not None:
            return None
        case SequenceValue(items=items, kind=kind):
            inner = [_structure(item, seen) for item in items]
            return None if kind.__name__ not in KINDS or None in inner else (kind.__name__, tuple(inner))
        case Mapping_(items=items) | Record(items=items):
            keys = [_constant(key, seen) for key, _ in items]
            inner = [_structure(item, seen) for _, item in items]
            owner = seen.number_of(value.cls) if isinstance(value, Record) else -1
            return None if owner is None or None in keys or None in inner else ("named", owner, tuple(zip(keys, inner)))
    return None


def _constant(held: Any, seen: Fingerprint) -> tuple[Any, ...] | None:
    if type(held) in CONSTANTS:
        return ("constant", held)
    if type(held) in (tuple, list):
        inner = [_constant(part, seen) for part in held]
        return None if None in inner else ("constants", type(held).__name__, tuple(inner))
    number = seen.number_of(held)
    if number is not None:
        return ("object", number)
    if isinstance(held, type | FunctionType) and library_name(held) is not None:
        return ("library", held.__module__, held.__qualname__)
    return None


def _structure_from(found: Any, objects: Sequence[Any]) -> Value:
    match found:
        case "out", index:
            return Out(index)
        case "partial", name, inner:
            return Partial(Static(name), (_structure_from(inner, objects),))
        case "optional", absent, inner:
            return Optional(_structure_from(absent, objects), _structure_from(inner, objects))
        case "one of", flags, cases:
            both = [tuple(_structure_from(part, objects) for part in side) for side in (flags, cases)]
            return OneOf(both[0], both[1], tuple(("",) for _ in flags))
        case "text", number, texts:
            return Text(_structure_from(number, objects), texts)
        case "rows", inner, kind:
            return Rows(_structure_from(inner, objects), KINDS[kind])
        case "column", inner, is_weak:
            return Column(_structure_from(inner, objects), is_weak)
        case "listed", is_weak, inner:
            data, *shapes = (_structure_from(part, objects) for part in inner)
            return ListOut(data, shapes[0] if shapes else None, is_weak)
        case "tuple" | "list" | "set", items:
            return SequenceValue(tuple(_structure_from(item, objects) for item in items), KINDS[found[0]])
        case "named", owner, items:
            pairs = tuple((_constant_from(key, objects), _structure_from(item, objects)) for key, item in items)
            return Mapping_(pairs) if owner < 0 else Record(objects[owner], pairs)
    return Static(_constant_from(found, objects))


def _constant_from(found: Any, objects: Sequence[Any]) -> Any:
    match found:
        case "constant", held:
            return held
        case "constants", kind, items:
            return KINDS[kind](_constant_from(item, objects) for item in items)
        case "object", number:
            return objects[number]
        case "library", module, name:
            return functools.reduce(getattr, name.split("."), sys.modules[module])
    raise TypeError(f"not a constant: {found!r}")
