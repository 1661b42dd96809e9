"""Where the time goes: what is called, what is compiled, and what memory is held.

    with profiler.trace("steps.json"):          for ui.perfetto.dev and chrome://tracing
        with profiler.annotate("epoch 1"):
            train()
    print(profiler.report())                    the same as a table

Inside `trace` calls go through Python, so that each is heard: a call of a microsecond takes some microseconds there.
Calls wait for nothing but their own work: they are synchronous.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from .function import Function
from .held_memory import profile
from .recording import ANNOTATION, CALL, COMPILATION, COMPILED, FROM_CACHE, Event, Recorder, recording, tell
from .text import Text
from .times import as_time

__all__ = ["annotate", "line_profile", "report", "save_device_memory_profile", "trace"]
_LATEST: list[Recorder] = []  # the last one, if there was any
Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])


def line_profile(f: Callable[..., Any], calls: int = 1, write: Callable[[str], object] = print) -> Callable[..., Any]:
    """A function that runs `f` and prints how long it spent at each line of its source; it returns what `f` returns.

    f      a Python function, or what `compile`, `grad` and the others give: of a derivative, a line has the time of its
           forward and of its backward sweep
    calls  how often it is run, one time after the other; times are sums
    write  what is done with the text

    The function is compiled once more, with a look at the clock where a line begins (25 nanoseconds or so).  The loops
    of array expressions, loops that run on several threads and loops of scalars alone are timed as one, at their first
    line.  What was fused counts for the line that the loop stands for, and a line without a time became part of
    another.  Arguments in `mutates=` are changed once, and an error of `f` is raised as usual.
    """
    from . import line_times

    return line_times.line_profile(f, calls, write)


@contextmanager
def trace(file: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Record the calls of compiled functions and their compilations inside a `with` block, in all threads.

    file  where to write them as JSON for ui.perfetto.dev and chrome://tracing, or None: then `report` alone has them

    Of a call there are its function, with file and line, its thread, how long it took and the error it raised; of a
    compilation all steps, or that its code came from the cache; and what `annotate` names.  The file is written when
    the block ends, by an error too.
    """
    import json

    recorder = Recorder()
    _LATEST[:] = [recorder]
    try:
        with recording(recorder, Function):
            yield
    finally:
        if file is not None:
            Path(file).write_text(json.dumps(as_json(recorder), indent=1), encoding="utf-8")


class annotate:
    """Name a part of the program in a trace: `with annotate("epoch 1"):`, or `@annotate("load")` on a function.

    Outside of `trace` it does nothing.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._starts: list[int] = []

    def __enter__(self) -> annotate:
        self._starts.append(time.perf_counter_ns())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        tell(ANNOTATION, self._name, "", self._starts.pop(), "" if kind is None else kind.__name__)

    def __call__(self, function: Wrapped) -> Wrapped:
        name = self._name

        @functools.wraps(function)
        def annotated(*args: Any, **kwargs: Any) -> Any:
            with annotate(name):
                return function(*args, **kwargs)

        return annotated  # type: ignore[return-value]


def save_device_memory_profile(file: str | os.PathLike[str]) -> None:
    """Write what memory the results of compiled functions hold now, for `go tool pprof` and speedscope.

    A sample for each dtype and shape of the Arrays that are alive, with their number and their bytes, and one for what
    else compiled code holds: buffers that NumPy arrays look into, results of calls in flight.
    """
    import gzip

    Path(file).write_bytes(gzip.compress(profile(), mtime=0))


# --- what is made of a recording -----------------------------------------------------------------------------------


def as_json(recorder: Recorder) -> dict[str, Any]:
    """The recording in Chrome's trace event format: complete events in microseconds since the first one began."""
    process = os.getpid()
    first = min((event.start for event in recorder.events), default=0)
    named = [
        {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": name}}
        for thread, name in recorder.threads.items()
    ]
    events = sorted(recorder.events, key=lambda event: (event.start, -event.duration))
    return {"displayTimeUnit": "ms", "traceEvents": named + [_as_event(one, first, process) for one in events]}


def _as_event(event: Event, first: int, process: int) -> dict[str, Any]:
    name = f"compile {event.name}" if event.what == COMPILATION else event.name
    told = {"where": event.where, "detail": event.detail}
    return {
        "ph": "X", "name": name, "cat": event.what, "pid": process, "tid": event.thread,
        "ts": (event.start - first) / 1000.0, "dur": event.duration / 1000.0,
        "args": {key: words for key, words in told.items() if words},
    }  # fmt: skip


HEADS = ("function", "line", "calls", "total", "per call", "compiled", "cached", "compiling")
LEFT = 2  # the first columns, which hold words


def report() -> str:
    """What the last `trace` heard, as a table: the functions that were called, those that took longest first.

    calls      how often it was called, by the user or by another function's call through Python
    total      how long these calls took, compilations among them
    compiled   how often it was compiled, and `cached`, how often its code came from the cache instead
    compiling  how long that took

    Raises ValueError where there was no `trace`.
    """
    if not _LATEST:
        raise ValueError("nothing was recorded: `with profiler.trace():` records what is called inside")
    found: dict[tuple[str, str], list[Event]] = {}
    for event in _LATEST[0].events:
        if event.what in (CALL, COMPILATION):
            found.setdefault((event.name, event.where), []).append(event)
    if not found:
        return Text("no compiled function was called\n")
    rows = sorted(found.items(), key=lambda item: -_nanoseconds(item[1], CALL))
    cells = [HEADS, *(_row(name, where, events) for (name, where), events in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADS))]
    lines = ["  ".join(cell.ljust(width) if column < LEFT else cell.rjust(width)
                       for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells]  # fmt: skip
    return Text("\n".join(lines) + "\n")


def _row(name: str, where: str, events: list[Event]) -> tuple[str, ...]:
    calls, total = sum(event.what == CALL for event in events), _nanoseconds(events, CALL)
    made = [event.detail for event in events if event.what == COMPILATION]
    counts = [str(number) if number else "" for number in (made.count(COMPILED), made.count(FROM_CACHE))]
    took = as_time(_nanoseconds(events, COMPILATION)) if made else ""
    return (name, where, str(calls), as_time(total), as_time(total // calls) if calls else "", *counts, took)


def _nanoseconds(events: list[Event], what: str) -> int:
    return sum(event.duration for event in events if event.what == what)
