"""Threads for large parallel loops: one group of workers per process (`native/regions.c`), seen from Python.

    pellucid_parallel_for(body, captures, context, slots, start, stop, granule, cost, captured, result, item)
        ->    body(captures, copy of context, first, last) for chunks of start .. stop, on several threads

Chunks are contiguous and begin at multiples of `granule`; `cost` is the expected time of one iteration in nanoseconds.
Less than the threshold in all, one thread, or a region that is already running anywhere in the process: the body is
called once, by the caller.  The caller takes chunks like any worker and waits only for chunks that have begun, so a
worker that the system does not let run costs nothing.  Workers sleep between regions, after a glance of some
microseconds.

`result`, if not -1, is the position among the `captured` slots of an array that each iteration stores one `item` of and
nothing reads meanwhile.  A large one is made block by block in the cache and written past it (non-temporal stores),
which saves reading what is overwritten.

Of several chunks that fail the first in order counts: its status is returned, its context is copied to the caller's.
A child after fork has no workers, whatever its parent did, and makes its own when it needs them.
"""

from __future__ import annotations

import ctypes
import threading
from functools import lru_cache
from types import TracebackType

from . import native_part, routines
from .blas_threads import blas_threads
from .cores import checked_threads, default_threads

PARALLEL_FOR = routines.PARALLEL_FOR


class ParallelRegions:
    """The parallel regions of this process."""

    def __init__(self) -> None:
        routines.provide(PARALLEL_FOR, native_part.address(PARALLEL_FOR))
        number, real, function = ctypes.c_int64, ctypes.c_double, native_part.function
        self.get_threads = function("pellucid_get_threads", number)
        self.set_threads = function("pellucid_set_threads", None, number)
        self.set_threshold = function("pellucid_set_threshold", real, real)
        self.set_stream_bytes = function("pellucid_set_stream_bytes", number, number)
        self.count = function("pellucid_regions", number)
        self.workers = function("pellucid_workers", number)
        self.set_threads(default_threads())


_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _make_regions() -> ParallelRegions:
    return ParallelRegions()


def regions() -> ParallelRegions:
    """The parallel regions of this process, made ready at first use; no thread is started before one is needed."""
    with _LOCK:
        return _make_regions()


class _Restore:
    """Gives the former number of threads back at the end of a `with` block."""

    def __init__(self, former: int) -> None:
        self._former = former

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _set_threads(self._former)


def _set_threads(count: int) -> None:
    regions().set_threads(count)
    blas_threads().follow(count)


def thread_count() -> int:
    """How many threads a large parallel loop may use."""
    return int(regions().get_threads())


def threads(count: int) -> _Restore:
    """Let large parallel loops, and BLAS, use this many threads from now on, or inside a `with` block.

    count  from 1 to 1024

        pellucid.threads(1)
        with pellucid.threads(4): ...

    Holds for the whole process; what loops give does not depend on it.  Raises ValueError unless 1 <= count <= 1024.
    """
    wanted, former = checked_threads(count), thread_count()
    _set_threads(wanted)
    return _Restore(former)
