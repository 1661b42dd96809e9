"""Calls that go on after they have returned: whether there are any, and the end of all.

    prepare()             they may, from now on; PELLUCID_ASYNC=0 says they may not
    with synchronous():   calls of this thread end before they return
    finish()              waits for all of them
    cpu_devices()         how many queues there are: each device of the processor has one

The work is that of `native/queues.c`; without the native part there is none, and every call ends before it returns.
"""

from __future__ import annotations

import atexit
import os
import threading
from functools import lru_cache
from types import ModuleType, TracebackType

from . import native_part

SETTING, DEVICES = "PELLUCID_ASYNC", "PELLUCID_CPU_DEVICES"
MOST_DEVICES = 64
ALL = -1  # in place of the number of a device
_LOCAL = threading.local()


@lru_cache(maxsize=1)
def cpu_devices() -> int:
    """How many devices the processor is: PELLUCID_CPU_DEVICES, else one."""
    given = os.environ.get(DEVICES, "").strip() or "1"
    if not given.isdigit() or not 1 <= int(given) <= MOST_DEVICES:
        raise ValueError(f"{DEVICES} is a number from 1 to {MOST_DEVICES}, not {given!r}")
    return int(given)


@lru_cache(maxsize=1)
def prepare() -> ModuleType | None:
    """The native part, with calls allowed to go on; once in a process."""
    found = native_part.extension()
    if found is None:
        return None
    found.open(cpu_devices(), os.environ.get(SETTING, "1") != "0")
    atexit.register(_close, found)
    if hasattr(os, "register_at_fork"):  # a forked child has no thread that would end them
        os.register_at_fork(before=finish)
    return found


def set_default_device(number: int) -> int:
    """Let calls of this thread run on a device, if their arguments do not say where; gives the former one."""
    found = prepare()
    if found is not None:
        return int(found.set_default_device(number))
    former, _LOCAL.default_device = default_device(), number
    return former


def default_device() -> int:
    """The device of calls of this thread whose arguments do not say where."""
    found = prepare()
    return getattr(_LOCAL, "default_device", 0) if found is None else int(found.default_device())


def _close(found: ModuleType) -> None:
    try:
        found.finish(ALL)
    except BaseException:  # Ctrl-C asked all of them to end: machine code must not be freed before they do
        found.finish(ALL)
        raise
    finally:
        found.close()


def finish(device: int = ALL) -> None:
    """Wait until nothing goes on any more, or nothing on a device.  Errors stay with the values that they belong to."""
    found = native_part.extension()
    if found is not None:
        found.finish(device)


def in_flight(device: int = ALL) -> int:
    """How many calls have returned and not ended, of all or of a device."""
    found = native_part.extension()
    return 0 if found is None else int(found.in_flight(device))


class synchronous:
    """A block in which the calls of this thread end, and raise their errors, before they return.

        with pellucid.synchronous():
            loss = step(parameters)

    Results are the same in both modes.
    """

    def __enter__(self) -> None:
        found = native_part.extension()
        if found is not None:
            found.begin_synchronous()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        found = native_part.extension()
        if found is not None:
            found.end_synchronous()
