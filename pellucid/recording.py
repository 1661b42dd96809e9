"""What happens while somebody listens: calls of compiled functions, compilations by step, what the user annotates.

    with recording(recorder, Function):
        loss(w, x)            recorder.events   ->   [Event("call", "loss", "train.py:12", start, duration, ...)]

Native dispatch tells nobody of its calls, so while somebody listens every call goes through Python, which costs some
microseconds each.  Nobody listens as a rule: then a call through Python asks whether one list is empty.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from .compiler.records import dataclass
from .compiler.request import Request, suffixes

CALL, COMPILATION, STEP, ANNOTATION = "call", "compilation", "step", "annotation"
COMPILED, FROM_CACHE = "compiled", "from the cache"
LISTENING: list[Recorder] = []


@dataclass(frozen=True, slots=True)
class Event:
    """Something that took time: nanoseconds of `time.perf_counter_ns`, and the thread it was in.

    what    a CALL, COMPILATION, STEP of one or ANNOTATION
    name    of the function, of the step, or what the user called it
    where   the user's file and line; empty for an annotation
    detail  how it ended, or what was compiled for which function
    """

    what: str
    name: str
    where: str
    start: int
    duration: int
    thread: int
    detail: str = ""


@dataclass(slots=True, eq=False)
class Recorder:
    """The events of one recording, in the order in which they ended, and the threads they were in by name."""

    events: list[Event] = field(default_factory=list)
    threads: dict[int, str] = field(default_factory=dict)

    def add(self, what: str, name: str, where: str, start: int, detail: str = "") -> None:
        thread = threading.current_thread()
        number = threading.get_native_id()
        self.threads.setdefault(number, thread.name)
        self.events.append(Event(what, name, where, start, time.perf_counter_ns() - start, number, detail))


def tell(what: str, name: str, where: str, start: int, detail: str = "") -> None:
    """All who listen hear that something which began then has ended."""
    for recorder in LISTENING:
        recorder.add(what, name, where, start, detail)


@contextmanager
def recording(recorder: Recorder, functions: type) -> Iterator[Recorder]:
    """The recorder listens inside; `functions` is the class whose instances are to go through Python meanwhile."""
    LISTENING.append(recorder)
    try:
        found: list[Any] = [one for one in gc.get_objects() if type(one) is functions]
        for function in found:
            function._call_through_python()
        yield recorder
    finally:
        LISTENING.remove(recorder)


def place_of(request: Request) -> str:
    code = request.python.__code__
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def called(name: str, request: Request, call: Callable[..., Any], *given: Any) -> Any:
    """`call(*given)`, a call of the compiled function of this name, which those who listen hear of."""
    start, detail = time.perf_counter_ns(), ""
    try:
        return call(*given)
    except BaseException as error:
        detail = type(error).__name__
        raise
    finally:
        tell(CALL, name, place_of(request), start, detail)


# --- compilations --------------------------------------------------------------------------------------------------


class Compiling:
    """One compilation as a context; `was_cached` is set where its code was on disk."""

    def __init__(self, name: str, request: Request) -> None:
        self._name, self._where = name, place_of(request)
        self.was_cached = False

    def __enter__(self) -> Compiling:
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, *failed: Any) -> None:
        ended = failed[0].__name__ if failed[0] is not None else FROM_CACHE if self.was_cached else COMPILED
        tell(COMPILATION, self._name, self._where, self._start, ended)


class Steps:
    """Hears the steps of the compiler in one thread: each took the time since the one before it."""

    def __init__(self, request: Request) -> None:
        self._name = request.python.__name__ + suffixes(request.transforms)
        self._where, self._thread = place_of(request), threading.get_ident()
        self._since = time.perf_counter_ns()

    def __call__(self, step: str, before: object = None, after: object = None) -> None:
        if threading.get_ident() == self._thread:
            tell(STEP, step, self._where, self._since, self._name)
            self._since = time.perf_counter_ns()
