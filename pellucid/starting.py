"""The compiler, imported when something has to be compiled; the runtime is made ready meanwhile.

    compiler().compiled(request, arguments, options)
    begin()    ->    the same at once, where no function can come from the cache
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType

from .runtime.prepare import prepare
from .runtime.store import store


@lru_cache(maxsize=1)
def compiler() -> ModuleType:
    """The module `compiling`."""
    prepare()
    with no_collection():
        from . import compiling
    return compiling


def begin() -> None:
    """Import the compiler if whatever is called will have to be compiled: the cache is off, or has nothing."""
    kept = store()
    if kept is None or kept.is_empty():
        compiler()


@contextmanager
def no_collection() -> Iterator[None]:
    """Do not look for garbage in cycles meanwhile: modules and trees are made by the thousand, and hold no cycles."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
