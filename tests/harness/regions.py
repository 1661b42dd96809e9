"""Parallel regions under test: work of any size made worth threads, and how many regions a call had."""

from __future__ import annotations

import ctypes
import re
from contextlib import contextmanager

import pellucid
from pellucid.compiler.targets.llvm import parallel
from pellucid.compiler.targets.llvm.llvm import EmitOptions, compile_program
from pellucid.runtime import routines, threads
from tests.harness.loops_text import read_loops


@contextmanager
def every_loop_on_threads(monkeypatch):
    """Every parallel loop is worth threads, whatever its cost, and may be cut anywhere."""
    monkeypatch.setattr(parallel, "GRANULE", 1)
    monkeypatch.setattr(parallel, "SMALL_LOOP", -1.0)
    former = threads.regions().set_threshold(1e-9)
    with pellucid.threads(4):
        yield
    threads.regions().set_threshold(former)


def compiled(text, **options):
    return compile_program(read_loops(text), EmitOptions(**options))


def in_regions(call):
    """The result of a call, and how many parallel regions it had."""
    before = threads.regions().count()
    result = call()
    return result, threads.regions().count() - before


@contextmanager
def last_iteration_first(monkeypatch):
    """Code that is loaded from now on runs the iterations of its parallel loops one by one, the last one first."""
    threads.regions()
    monkeypatch.setattr(parallel, "SMALL_LOOP", -1.0)
    monkeypatch.setitem(routines.PROVIDED, routines.PARALLEL_FOR, ctypes.cast(_backwards, ctypes.c_void_p).value)
    monkeypatch.setenv("PELLUCID_CACHE", "0")
    yield


NUMBER, POINTER = ctypes.c_int64, ctypes.c_void_p
BODY = ctypes.CFUNCTYPE(NUMBER, POINTER, POINTER, NUMBER, NUMBER)
PARALLEL_FOR = ctypes.CFUNCTYPE(NUMBER, *[POINTER] * 3, *[NUMBER] * 4, ctypes.c_double, *[NUMBER] * 3)


@PARALLEL_FOR
def _backwards(body, captures, context, slots, start, stop, *_):
    """`pellucid_parallel_for` with an order that no thread would choose; the first error counts here too."""
    call, given, status = BODY(body), ctypes.string_at(context, 8 * slots), 0
    for turn in reversed(range(start, stop)):
        own = ctypes.create_string_buffer(given, 8 * slots)
        found = call(captures, ctypes.addressof(own), turn, turn + 1)
        if found:
            status = found
            ctypes.memmove(context, own, 8 * slots)
    return status


def loops_of(native) -> list[str]:
    """The LLVM text of every loop that became a function, in the order in which they were written."""
    found = re.finditer(r"^define (?:internal|hidden) i64 @pellucid\.loop\.(\d+).*?^}", native.text, re.M | re.S)
    return [text[0] for text in sorted(found, key=lambda text: int(text[1]))]
