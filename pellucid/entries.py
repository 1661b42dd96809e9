"""Compiled functions on disk: what is needed to call machine code again without compiling, as plain data.

    save(key, compiled, title)    ->    a file: types, structure of the result, error sites, the key of the machine code
    load(key, options)            ->    Compiled, or None where it has to be compiled

An entry holds numbers, texts and tuples of them, and no object of Python's.  Classes and functions that a result needs
are given by their position among the objects of the fingerprint, which are the same wherever the key is the same, or by
their name in a library.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from .compiler.diagnostics import Span
from .compiler.frontend.specialise.values import Mapping_, Record, Static, Value
from .compiler.frontend.specialise.values import Sequence as SequenceValue
from .compiler.records import dataclass
from .compiler.request import Request
from .compiler.targets.llvm.abi import EmitOptions, ErrorSite
from .compiler.targets.llvm.executable import Executable
from .compiler.types import Scalar
from .fingerprint import Fingerprint, Unknowable
from .flatten import description
from .hidden import HiddenLeaves
from .plain_data import from_plain, plain, plain_type, type_from
from .runtime import machine_code, memory, targets
from .runtime.frozen import Frozen
from .runtime.guards import Guards
from .runtime.store import digest, store

if TYPE_CHECKING:
    from .compiler.diagnostics import Span

FUNCTION, CHECKED, KERNELS = ".function", ".checked", ".kernels"
NOT_IN_CODE = ("PELLUCID_CACHE", "PELLUCID_LOG=", "PELLUCID_TRACEBACK=")
UNFINISHED = b"unfinished"


@dataclass(slots=True, eq=False)
class Compiled:
    """One specialisation: the machine code, and how to put results together.

    mutated  (name, place among the leaves) of the arguments to write back, one for each of the last results
    guards   what it was made from, apart from the arguments
    hidden   the last arguments, which are found outside
    in_place  the places among the leaves of arguments that machine code stores into
    took     the seconds of each step of compiling; empty for what comes from the disk
    """

    executable: Executable
    result: Value
    mutated: tuple[tuple[str, int], ...] = ()
    guards: Guards = field(default_factory=Guards)
    hidden: HiddenLeaves = field(default_factory=lambda: HiddenLeaves((), Guards(), Frozen()))
    took: dict[str, float] = field(default_factory=dict)
    in_place: tuple[int, ...] = ()

class Key(NamedTuple):
    """What an entry is found by, and the fingerprint that it comes from."""

    name: str
    seen: Fingerprint


def key_of(request: Request, arguments: Mapping[str, Value]) -> Key | None:
    """The key of a specialisation; None where the cache is off or the function depends on what has no fingerprint."""
    return _key(FUNCTION, request, (("arguments", arguments),))


def key_of_kernels(request: Request, arguments: Mapping[str, Value], environment: bytes) -> Key | None:
    """The key of a specialisation for a GPU; the environment is what its kernels depend on besides."""
    return _key(KERNELS, request, (("arguments", arguments),), environment)


def key_of_check(request: Request) -> Key | None:
    """The key of the verdict that a function may be compiled; its file counts too where names are not there yet."""
    return _key(CHECKED, request, ())


def _key(
    kind: str, request: Request, values: Sequence[tuple[str, Mapping[str, Value]]], environment: bytes = b""
) -> Key | None:
    if store() is None or not __debug__:  # without assertions code objects do not tell what a function reads
        return None
    # whether a function may be compiled is asked before anything that it reads is needed, and frozen
    seen = Fingerprint(request.freeze, Frozen() if kind == CHECKED else request.frozen)
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
    return Key(digest(kind.encode(), platform, _settings(), found, file, environment).hex() + kind, seen)


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


def title_of(function: Any, arguments: Mapping[str, Value]) -> tuple[str, str, int, str]:
    """The name of a function, its file and line, and the types of its arguments, for people."""
    code = function.__pellucid__.python.__code__
    words = ", ".join(f"{name}: {description(value)}" for name, value in arguments.items())
    return function.__qualname__, code.co_filename, code.co_firstlineno, words


def save(key: Key, compiled: Compiled, title: tuple[str, str, int, str]) -> None:
    """Keep a compiled function under a title, `title_of` it."""
    executable, place = compiled.executable, store()
    outside = plain(compiled.result, compiled.guards, compiled.hidden, key.seen, executable.options.exceptions)
    if place is None or outside is None:
        return
    parameters, results = tuple(map(plain_type, executable.parameters)), tuple(map(plain_type, executable.results))
    sites = tuple(map(_site, executable.sites))
    content = (title, executable.library.key, parameters, results, compiled.mutated, compiled.in_place, sites, outside)
    place.write(key.name, marshal.dumps(content))


def load(key: Key, request: Request, options: EmitOptions) -> Compiled | None:
    """A function that was kept, ready to be called."""
    place = store()
    data = place.read(key.name) if place is not None else None
    if data is None:
        return None
    _, code, parameters, results, mutated, in_place, sites, outside = marshal.loads(data)
    memory.pool()
    library = machine_code.stored_library(code, targets.asked())
    found = None if library is None else from_plain(outside, key.seen, request.frozen)
    if library is None or found is None:
        return None
    result, guards, hidden, exceptions = found
    types, result_types = tuple(map(type_from, parameters)), tuple(map(type_from, results))
    options = replace(options, exceptions=exceptions)
    executable = Executable(types, result_types, library, StoredSites(sites), options)
    return Compiled(executable, result, mutated, guards, hidden, in_place=in_place)


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
