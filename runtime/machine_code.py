"""From LLVM text to callable addresses by way of the cache: compiled once per machine, loaded once per process.

    library(text)          ->    Library, whose functions live as long as it does
    stored_library(key)    ->    the same without the text, by the key of an earlier one; None if it is gone

A kernel is known by its text, the optimisation level, the processor and the versions of what makes it.  LLVM itself is
imported only where something has to be compiled.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from . import linking, routines
from .store import digest, store

SUFFIX = ".code"
_LOADED: weakref.WeakValueDictionary[str, Library] = weakref.WeakValueDictionary()
_LOCK = threading.RLock()


class Library:
    """Loaded machine code.  `key` finds it in the cache; `loaded` keeps it in memory."""

    __slots__ = ("__weakref__", "key", "loaded")

    def __init__(self, key: str, loaded: Any) -> None:
        self.key, self.loaded = key, loaded

    def address(self, name: str) -> int:
        return int(self.loaded.address(name))


def library(text: str, level: int = 3) -> Library:
    """The machine code of an LLVM module as it was written, before LLVM optimises it."""
    key = digest(text.encode(), str(level).encode(), platform()).hex()
    with _LOCK:
        found = stored_library(key)
        if found is not None:
            return found
        from . import native

        code = native.object_code(text, level)
        found = _LOADED[key] = Library(key, _load(code, key))
        place = store()
        if place is not None:
            place.write(key + SUFFIX, code)
        return found


def stored_library(key: str) -> Library | None:
    """Machine code that this process or an earlier one made; None where it has to be made again."""
    with _LOCK:
        found = _LOADED.get(key)
        place = store() if found is None else None
        code = place.read(key + SUFFIX) if place is not None else None
        if code is not None:
            found = _LOADED[key] = Library(key, _load(code, key))
        return found


def _load(code: bytes, key: str) -> Any:
    """Machine code in memory; code with line tables by way of a file, where debuggers and profilers find it."""
    if linking.is_possible():
        try:
            if b".debug_line\0" in code:
                from . import shared_object

                return shared_object.SharedObject(code, routines.address_of, key[:12])
            return linking.Linked(code, routines.address_of)
        except (linking.NotLinked, OSError):
            pass  # LLVM's loader knows more, and more ways to executable memory
    from . import native

    return native.LoadedByLLVM(code)


# --- what makes machine code what it is ----------------------------------------------------------------------------


@lru_cache(maxsize=1)
def platform() -> bytes:
    """The processor and the versions of everything that takes part in making machine code."""
    versions = (sys.version, sys.platform, np.__version__)
    installed = (_version_file("llvmlite", "_version.py"), _version_file("scipy", "version.py"))
    return digest(processor(), *(v.encode() for v in versions), *installed, own_state())


@lru_cache(maxsize=1)
def processor() -> bytes:
    """The name and the features of the processor."""
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as stream:
            first = stream.read(16384).partition(b"\n\n")[0]
    except OSError:
        first = b""
    wanted = (b"vendor_id", b"cpu family", b"model", b"stepping", b"flags", b"Features", b"CPU ")
    lines = [line for line in first.splitlines() if line.startswith(wanted)]
    if lines:
        return os.uname().machine.encode() + b"\n" + b"\n".join(lines)
    from . import native

    return native.processor().encode()


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
    with open(os.path.join(os.path.dirname(spec.origin), name), "rb") as stream:
        return stream.read()
