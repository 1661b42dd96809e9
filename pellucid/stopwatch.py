"""How long each step of one compilation takes.

    with timed() as watch:
        driver.derive(...)             watch.took   ->   {"specialise": 0.021, "fuse": 0.004, ..., MACHINE_CODE: 0.040}
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .compiler import steps

MACHINE_CODE = "machine code"


class Stopwatch:
    """Listens to the steps of one thread: each took the time since the one before it."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}
        self._thread, self._since = threading.get_ident(), time.perf_counter()

    def __call__(self, step: str, before: object, after: object) -> None:
        if threading.get_ident() == self._thread:
            self.lap(step)

    def lap(self, what: str) -> None:
        """Something that is done now."""
        now = time.perf_counter()
        self.took[what] = self.took.get(what, 0.0) + now - self._since
        self._since = now


@contextmanager
def timed() -> Iterator[Stopwatch]:
    """Times the steps inside; what is no step counts for the one after it, or for machine code at the end."""
    watch = Stopwatch()
    steps.observers.append(watch)
    try:
        yield watch
    finally:
        steps.observers.remove(watch)
    watch.lap(MACHINE_CODE)


def shown(took: Mapping[str, float]) -> list[str]:
    """The steps that matter, the longest first, and what all others take together."""
    total = sum(took.values())
    long = sorted((step for step in took if took[step] >= total / 20.0), key=lambda step: -took[step])
    rest = len(took) - len(long)
    lines = [f"{step}: {1000.0 * took[step]:.1f} ms" for step in long]
    left = sum(seconds for step, seconds in took.items() if step not in long)
    return lines + ([f"{rest} other steps: {1000.0 * left:.1f} ms"] if rest else [])
