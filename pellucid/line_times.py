"""How long a call spends at each line of the user's, by machine code that keeps time (`laps.py`).

    line_profile(f)(*args)     prints     line      time      %  source
                                            12   1.30 ms   38.0      z = x @ w
"""

from __future__ import annotations

import ctypes
import functools
import linecache
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from . import retelling
from .compiler.diagnostics import Span
from .compiler.records import dataclass
from .compiler.targets.llvm.laps import FIRST, LINE, SINCE, SLOTS, TABLE, Laps
from .eval_shape import compiled_function
from .function import Function
from .own_frames import told_to_users
from .runtime import routines
from .starting import compiler
from .times import as_time

OWN = os.path.dirname(__file__) + os.sep
_TABLE = (ctypes.c_int64 * SLOTS)()  # the one that machine code of this process writes to
_LOCK = threading.RLock()


@dataclass(frozen=True, slots=True)
class LineTime:
    """What a line took in all."""

    file: str
    line: int
    nanoseconds: int


@dataclass(frozen=True, slots=True)
class LineTimes:
    """The lines of one profile, what all calls took, and how many these were."""

    name: str
    file: str
    first: int  # line of the function
    lines: tuple[LineTime, ...]
    total: int
    calls: int


def line_profile(f: Callable[..., Any], calls: int, write: Callable[[str], object]) -> Callable[..., Any]:
    """See `profiler.line_profile`."""

    @functools.wraps(f)
    @told_to_users
    def profiled(*args: Any, **kwargs: Any) -> Any:
        function, given = compiled_function(f, args)
        result, found = timed(function, given, kwargs, calls)
        write("\n".join(table(found)))
        return result

    return profiled


def timed(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], calls: int) -> tuple[Any, LineTimes]:
    """The result of the call, and the time at each line."""
    if calls < 1:
        raise ValueError(f"calls is a number from 1 on, not {calls}")
    request, laps = function.__pellucid__, Laps()
    if not function._is_judged:
        function._check_purity()
    flat = function._flatten(args, kwargs)
    routines.provide(TABLE, ctypes.addressof(_TABLE))
    made = compiler().compiled(request, flat.arguments, replace(function._options(), line_tables=False, laps=laps))
    function._complete(made, flat)
    targets = function._targets(made.mutated, flat)
    leaves = [*flat.leaves, *made.hidden.leaves(made.guards.findings)]
    changed = {place for _, place in made.mutated}

    def call() -> list[Any]:
        """Each call changes arrays of its own: the caller's are changed once."""
        return made.executable([np.array(leaf) if place in changed else leaf for place, leaf in enumerate(leaves)])

    with _LOCK:
        try:
            results, total = _run(call, calls)
        except Exception as error:
            if not retelling.has_gap(error):
                raise
            raise retelling.retold(error, request, args, kwargs) from error.__cause__
        lines = tuple(_lines(laps))
    code = request.python.__code__
    found = LineTimes(function.__qualname__, code.co_filename, code.co_firstlineno, lines, total, calls)
    return function._finish(made.result, targets, results), found


def _run(call: Callable[[], list[Any]], calls: int) -> tuple[list[Any], int]:
    """What the last of these calls gives, and the nanoseconds of all."""
    ctypes.memset(_TABLE, 0, ctypes.sizeof(_TABLE))
    start = time.perf_counter_ns()
    for _ in range(calls):
        _TABLE[SINCE], _TABLE[LINE] = time.clock_gettime_ns(time.CLOCK_MONOTONIC), 0
        results = call()
    return results, time.perf_counter_ns() - start


def _lines(laps: Laps) -> Iterator[LineTime]:
    """The times by the user's line: what stands in Pellucid's library counts for the line that calls it."""
    sums: dict[tuple[str, int], tuple[int, int]] = {}
    for place, number in laps.places.items():
        span = users_span(place)
        took, times = _TABLE[FIRST + 2 * number], _TABLE[FIRST + 2 * number + 1]
        before = sums.get((span.file, span.line), (0, 0))
        sums[span.file, span.line] = before[0] + took, before[1] + times
    for (file, line), (took, times) in sorted(sums.items()):
        if times:
            yield LineTime(file, line, took)


def users_span(place: tuple[Span, ...]) -> Span:
    return next((span for span in reversed(place) if not span.file.startswith(OWN)), place[0])


# --- the table -----------------------------------------------------------------------------------------------------

HEAD = f"{'line':>6}  {'time':>8}  {'%':>5}  source"


def table(found: LineTimes) -> Iterator[str]:
    """The lines of the function from the first to the last that took time, then those of other files and functions."""
    called = "one call" if found.calls == 1 else f"{found.calls} calls"
    yield f"{found.name}: {as_time(found.total)} in {called}"
    by_line = {(one.file, one.line): one for one in found.lines}
    for file in dict.fromkeys([found.file, *(one.file for one in found.lines)]):
        timed_ = [one.line for one in found.lines if one.file == file]
        if not timed_:
            continue
        yield ""
        yield f"{HEAD}: {os.path.basename(file)}"
        shown = range(found.first, max(timed_) + 1) if file == found.file else timed_
        for line in sorted({*shown, *timed_}):
            yield _row(by_line.get((file, line)), line, linecache.getline(file, line).rstrip(), found.total)
    rest = found.total - sum(one.nanoseconds for one in found.lines)
    yield ""
    yield f"{'':6}  {as_time(max(rest, 0)):>8}  {_percent(max(rest, 0), found.total)}  the call itself"


def _row(one: LineTime | None, line: int, source: str, total: int) -> str:
    if one is None:
        return f"{line:>6}  {'':8}  {'':5}  {source}".rstrip()
    took = f"{as_time(one.nanoseconds):>8}  {_percent(one.nanoseconds, total)}"
    return f"{line:>6}  {took}  {source}"


def _percent(part: int, whole: int) -> str:
    return f"{100.0 * part / max(whole, 1):5.1f}"
