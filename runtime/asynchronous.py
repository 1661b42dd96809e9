"""Calls that go on after they have returned: whether there are any, and the end of all.

    prepare()             they may, from now on; PELLUCID_ASYNC=0 says they may not
    with synchronous():   calls of this thread end before they return
    finish()              waits for all of them

The work is that of `native/queues.c`; without the native part there is none, and every call ends before it returns.
"""

from __future__ import annotations

import atexit
import os
from functools import lru_cache
from types import ModuleType, TracebackType

from . import native_part

SETTING = "PELLUCID_ASYNC"


@lru_cache(maxsize=1)
def prepare() -> ModuleType | None:
    """The native part, with calls allowed to go on; once in a process."""
    found = native_part.extension()
    if found is None:
        return None
    found.allow(os.environ.get(SETTING, "1") != "0")
    atexit.register(_close, found)
    if hasattr(os, "register_at_fork"):  # a child has no thread that would end them
        os.register_at_fork(before=found.finish)
    return found


def _close(found: ModuleType) -> None:
    try:
        found.finish()
    except BaseException:  # Ctrl-C, by which all of them were told to end: machine code must not go before they do
        found.finish()
        raise
    finally:
        found.close()


def finish() -> None:
    """Wait until nothing goes on any more.  Errors stay with the values that they belong to."""
    found = native_part.extension()
    if found is not None:
        found.finish()


def in_flight() -> int:
    """How many calls have returned and not ended."""
    found = native_part.extension()
    return 0 if found is None else int(found.in_flight())


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
