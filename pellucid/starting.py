"""The compiler, imported when something has to be compiled; the runtime is made ready meanwhile.

    compiler().compiled(request, arguments, frozen, options)
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType

from .runtime.prepare import prepare


@lru_cache(maxsize=1)
def compiler() -> ModuleType:
    """The module `compiling`."""
    beside = prepare()
    with no_collection():
        from . import compiling
    beside.begin(compiling.import_all)
    return compiling


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
