"""Make ready on another core what the first compiled function will need, while this one still imports the compiler.

    prepare()    ->    LLVM is being loaded, the memory pool and the parallel regions with it
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache

from . import interrupts, llvm, memory, threads
from .together import Together


@lru_cache(maxsize=1)
def prepare() -> Together[Callable[[], object], object]:
    """Begin, once in a process; more may be begun.  An error is met again by whoever needs what is missing."""
    work: Together[Callable[[], object], object] = Together(lambda make: make(), cost=lambda make: 0.0)
    work.begin(llvm.binding)
    work.begin(memory.pool)
    work.begin(interrupts.provide)
    work.begin(threads.regions)
    if hasattr(os, "register_at_fork"):  # a child would wait for locks of a thread that it does not have
        os.register_at_fork(before=work.wait)
    return work
