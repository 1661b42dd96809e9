"""Parallel regions under test: work of any size made worth threads, and how many regions a call had."""

from __future__ import annotations

from contextlib import contextmanager

import pellucid
from pellucid.compiler.backend import parallel
from pellucid.compiler.backend.llvm import Options, compile_program
from pellucid.runtime import threads
from tests.harness.loops_text import read_loops


@contextmanager
def every_loop_on_threads(monkeypatch):
    """Every parallel loop is worth threads, whatever its cost, and may be cut anywhere."""
    monkeypatch.setattr(parallel, "GRANULE", 1)
    monkeypatch.setattr(parallel, "SMALL", -1.0)
    former = threads.regions().set_threshold(1e-9)
    with pellucid.threads(4):
        yield
    threads.regions().set_threshold(former)


def compiled(text, **options):
    return compile_program(read_loops(text), Options(**options))


def in_regions(call):
    """The result of a call, and how many parallel regions it had."""
    before = threads.regions().count()
    result = call()
    return result, threads.regions().count() - before
