"""From LLVM text to callable addresses by way of the cache: compiled once per machine, loaded once per process.

    library(text)          ->    Library, whose functions live as long as it does
    stored_library(key)    ->    the same without the text, by the key of an earlier one; None if it is gone

A kernel is known by its text, the levels of effort, the processor it is for (`targets.py`), the version of LLVM and
the few files that drive it, and what it uses: other libraries whose functions it calls by name.  So an edit of the
compiler that leaves a text alone costs no work of LLVM's.  LLVM itself is imported only where something has to be
compiled.
"""

from __future__ import annotations

import marshal
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from . import linking, native, routines, targets
from .sources import Source
from .store import digest, store
from .together import Together, interruptible

SUFFIX = ".code"
TRANSLATOR = ("llvm.py", "native.py", "sources.py", "target_questions.py", "targets.py")  # they make code of LLVM text
_LOADED: weakref.WeakValueDictionary[str, Library] = weakref.WeakValueDictionary()
_MAKING: weakref.WeakValueDictionary[str, threading.RLock] = weakref.WeakValueDictionary()
_LOCK = threading.Lock()


class Library:
    """Loaded machine code.  `key` finds it in the cache; `loaded` keeps it in memory, `uses` what it calls."""

    __slots__ = ("__weakref__", "key", "loaded", "uses")

    def __init__(self, key: str, loaded: Any, uses: Sequence[Library]) -> None:
        self.key, self.loaded, self.uses = key, loaded, uses

    def address(self, name: str) -> int:
        """Where an exported function is.  Raises KeyError."""
        return int(self.loaded.address(name))


class Elsewhere:
    """Machine code that this processor cannot run, and which is not loaded."""

    def __init__(self, target: str) -> None:
        self.target = target

    def address(self, name: str) -> int:
        raise RuntimeError(
            f"{targets.SETTING}={self.target}: this processor ({targets.name_of_host()}) cannot run code for that one; "
            "it can only be compiled and read"
        )


def library(text: str, level: int = 3, target: str | None = None) -> Library:
    """The machine code of an LLVM module as it was written, before LLVM optimises it.

    It is for what this process runs on, if nothing else is said.
    """
    return _library(Source(text), level, targets.running() if target is None else target, (), list)


class Making:
    """Machine code in several modules, those that the last one calls made while it is still being written.

        with Making() as making:
            making.begin(part)            on another core, if there is one
            making.library(rest)          may call the functions of all parts; the parts may not call each other
    """

    def __init__(self, level: int = 3) -> None:
        self.level = level
        self.target = target = targets.asked()
        self.parts: list[Source] = []
        self._work: Together[Source, Library] = Together(
            lambda source: _library(source, level, target, (), list), cost=lambda source: source.cost
        )

    def begin(self, source: Source) -> None:
        self.parts.append(source)
        self._work.begin(source)

    def library(self, source: Source) -> Library:
        keys = [_key(part, self.level, self.target) for part in self.parts]
        return _library(source, self.level, self.target, keys, self._work.results)

    def __enter__(self) -> Making:
        return self

    def __exit__(self, *exception: object) -> None:
        self._work.abandon()


def _key(source: Source, level: int, target: str, used: Sequence[str] = ()) -> str:
    late = ["\0".join((*one.unless, one.where_shared, one.text)) for one in source.late]
    level = source.level(level)
    efforts = f"{level} {native.codegen_level(level)}"
    return digest(translator(target), *(part.encode() for part in (efforts, source.text, *late, *used))).hex()


def _library(
    source: Source, level: int, target: str, used: Sequence[str], uses: Callable[[], Sequence[Library]]
) -> Library:
    """`used` are the keys of the libraries that the module calls, `uses` gives them when it is compiled."""
    key = _key(source, level, target, used)
    with _making(key):
        found = stored_library(key, target)
        if found is not None:
            return found
        code = interruptible(lambda: _compiled(key, source, level, target, used))
        return _loaded(key, code, uses(), target)


def _compiled(key: str, source: Source, level: int, target: str, used: Sequence[str]) -> bytes:
    """Machine code made by LLVM, and kept in the cache."""
    code = native.object_code(source, level, target)
    place = store()
    if place is not None:
        place.write(key + SUFFIX, marshal.dumps((list(used), code)))
    return code


def stored_library(key: str, target: str = targets.PRESENT) -> Library | None:
    """Machine code that this process or an earlier one made; None where it has to be made again."""
    with _making(key):
        found = _LOADED.get(key)
        place = store() if found is None else None
        data = place.read(key + SUFFIX) if place is not None else None
        if data is None:
            return found
        used, code = marshal.loads(data)
        uses = [library for one in used if (library := stored_library(one, target)) is not None]
        return _loaded(key, code, uses, target) if len(uses) == len(used) else None


def _making(key: str) -> threading.RLock:
    """What a thread holds that makes a kernel: others that want the same wait for it, those that want others do not."""
    with _LOCK:
        return _MAKING.setdefault(key, threading.RLock())


def _loaded(key: str, code: bytes, uses: Sequence[Library], target: str) -> Library:
    found = Library(key, _load(code, key, uses) if targets.runs_here(target) else Elsewhere(target), uses)
    with _LOCK:
        _LOADED[key] = found
    return found


def _load(code: bytes, key: str, uses: Sequence[Library]) -> Any:
    """Machine code in memory; code with line tables by way of a file, where debuggers and profilers find it."""

    def address_of(name: str) -> int:
        for used in uses:
            with suppress(KeyError):
                return used.address(name)
        return routines.address_of(name)

    if linking.is_possible():
        try:
            if b".debug_line\0" in code:
                from . import shared_object

                return shared_object.SharedObject(code, address_of, key[:12])
            return linking.Linked(code, address_of)
        except (linking.NotLinked, OSError):
            pass  # LLVM's loader knows more, and more ways to executable memory
    return native.LoadedByLLVM(code, uses)


# --- what makes machine code what it is ----------------------------------------------------------------------------


@lru_cache(maxsize=8)
def translator(target: str) -> bytes:
    """The processor that is meant, and what makes machine code from a text: LLVM, and the files that drive it."""
    own = (_content(os.path.join(os.path.dirname(__file__), name)) for name in TRANSLATOR)
    return digest(targets.identity(target), _version_file("llvmlite", "_version.py"), *own)


@lru_cache(maxsize=8)
def platform(target: str) -> bytes:
    """The processor that is meant, and the versions of everything that makes a function's text and its machine code."""
    versions = (sys.version, sys.platform, np.__version__)
    installed = (_version_file("llvmlite", "_version.py"), _version_file("scipy", "version.py"))
    return digest(targets.identity(target), *(v.encode() for v in versions), *installed, own_state())


def own_state() -> bytes:
    """Names, sizes and times of the files of this package, so that an edit of the compiler makes all code anew."""
    found: list[str] = []
    seen: list[str] = []
    for name in ("pellucid", "pellucid.compiler", "pellucid.runtime"):
        for folder in sys.modules[name].__path__ if name in sys.modules else ():
            if not any(folder.startswith(other + os.sep) for other in seen):  # the latter two may lie in the first
                seen.append(folder)
                _list_sources(folder, found)
    return "\n".join(sorted(found)).encode()


def _list_sources(folder: str, found: list[str]) -> None:
    with os.scandir(folder) as listed:
        for item in listed:
            if item.name.endswith(".py"):
                state = item.stat()
                found.append(f"{item.path} {state.st_size} {state.st_mtime_ns}")
            elif "." not in item.name and item.name != "__pycache__" and item.is_dir():
                _list_sources(item.path, found)


def _version_file(package: str, name: str) -> bytes:
    """What an installed package says of its version, without importing it."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return b""
    return _content(os.path.join(os.path.dirname(spec.origin), name))


def _content(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()
