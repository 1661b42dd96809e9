"""Ctrl-C in machine code: a call on the main thread that may take long ends soon, with what Python's handler raises.

    call(code, slots)    ->    the status of the native function, as if it had been called alone
    taken()              ->    the KeyboardInterrupt that ended a call, or whatever the handler of SIGINT has raised

Handlers of signals are functions of Python's, which run on the main thread and hold the GIL.  CPython's own handler
only notes that a signal has come, so that compiled loops would never hear of it (`native/signals.c`).  A handler that
does not raise has run in the middle of the call, which goes on.  Calls on other threads go on too, as Python's do.
"""

from __future__ import annotations

import ctypes
import os
import threading
from functools import lru_cache

from . import native_part, routines

GUARDED = "pellucid_guarded"


class Interrupts:
    """What Python calls of it."""

    def __init__(self) -> None:
        for name in routines.INTERRUPTS:
            routines.provide(name, native_part.address(name))
        number, pointer = ctypes.c_int64, ctypes.c_void_p
        self.call = ctypes.CFUNCTYPE(number, pointer, pointer)(native_part.address(GUARDED))
        self.raise_it = native_part.function("pellucid_raise_interrupt", None)
        self._set_main = native_part.function("pellucid_set_main_thread", None, ctypes.c_uint64)
        self._set_main(threading.main_thread().ident or 0)
        os.register_at_fork(after_in_child=lambda: self._set_main(threading.get_ident()))


_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _made() -> Interrupts:
    return Interrupts()


def provide() -> Interrupts:
    """The code of this process, made ready at first use."""
    with _LOCK:
        return _made()


def call(code: int, slots: int) -> int:
    """The status of a native function; the GIL is released meanwhile."""
    return int(provide().call(code, slots))


def taken() -> BaseException | None:
    """The exception that waits for the end of a call, once; its traceback is that of the handler."""
    try:
        provide().raise_it()
    except BaseException as error:
        own = error.__traceback__
        return error.with_traceback(own.tb_next if own is not None else None)
    return None
