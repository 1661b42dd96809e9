"""The compiler, imported when something has to be compiled; the runtime is made ready meanwhile.

    compiler().compiled(request, arguments, options)
    begin()    ->    the same at once, where no function can come from the cache
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FrameType, ModuleType

from .runtime.prepare import prepare
from .runtime.store import store


@lru_cache(maxsize=1)
def compiler() -> ModuleType:
    """The module `compiling`."""
    prepare()
    with no_collection(), after_interrupts():
        from . import compiling
    return compiling


def begin() -> None:
    """Import the compiler if whatever is called will have to be compiled: the cache is off, or has nothing."""
    kept = store()
    if kept is None or kept.is_empty():
        compiler()


@contextmanager
def after_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait: modules that import each other do not work any more once an import has ended half-way."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    noted: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *given: noted.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if noted:
            handler(*noted[0])


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
