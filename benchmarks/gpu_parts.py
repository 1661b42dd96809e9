"""What every part of the run on a GPU has: the device, a clock, and the tables of the page."""

from __future__ import annotations

import statistics
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pellucid
from pellucid.runtime.devices.cuda import driver

FLUSH = 256 << 20  # bytes: more than the L2 cache of any device


@dataclass(slots=True)
class Table:
    """What the page shows of a part: its title, how it was measured, the head and the rows."""

    title: str
    about: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)


@dataclass(slots=True)
class Run:
    """A run on one device; `is_tiny` is for one that is not there.  No part is begun after `limit` seconds."""

    device: int
    limit: float
    is_tiny: bool = False
    tables: list[Table] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    begun: float = field(default_factory=time.perf_counter)
    flushed: Any = None

    @property
    def native(self) -> Any:
        return driver.extension()

    @property
    def spent(self) -> float:
        return time.perf_counter() - self.begun

    def table(self, title: str, about: str, *head: str) -> Table:
        made = Table(title, about, head)
        self.tables.append(made)
        print("  ".join(head), flush=True)
        return made

    def row(self, table: Table, *cells: str) -> None:
        table.rows.append(cells)
        print("  ".join(f"{cell:28s}" if k == 0 else f"{cell:>12s}" for k, cell in enumerate(cells)), flush=True)

    def fault(self, text: str) -> None:
        self.faults.append(text)
        print(f"FAULT {text}", flush=True)

    def guarded(self, name: str, call: Callable[[], Any]) -> Any:
        """The result of a call; None, a traceback and a fault on the page where it raises."""
        if self.spent > self.limit:
            return self.fault(f"no time was left for {name}")
        try:
            return call()
        except Exception as error:
            traceback.print_exc(limit=-4)
            said = (str(error).strip().splitlines() or [""])[0][:160]
            self.fault(f"{name}: {type(error).__name__}: {said}")
            return None

    def there(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """Arguments with their arrays on the device."""
        place = f"cuda:{self.device}"
        return tuple(pellucid.device_put(arg, place) if isinstance(arg, np.ndarray) else arg for arg in args)

    def wait(self) -> None:
        self.native.cuda_synchronize(self.device)

    def flush(self) -> None:
        """Write more than the L2 cache holds, so that nothing of the call before is left in it."""
        if self.flushed is None:
            self.flushed = self.native.device_array(1 << 16 if self.is_tiny else FLUSH, np.uint8)
        self.flushed.clear()


def queued(call: Callable[[], Any], wait: Callable[[], Any], rounds: int = 5, shortest: float = 0.02) -> float:
    """Seconds of a call: the median of rounds of queued calls, each waited for as a whole."""
    call()
    wait()
    once = clocked(call, wait, 1)
    count = max(2, min(2000, round(shortest / max(once, 1e-7)))) if once < 0.5 else 1
    return statistics.median(clocked(call, wait, count) for _ in range(rounds if once < 0.5 else 2))


def clocked(call: Callable[[], Any], wait: Callable[[], Any], count: int) -> float:
    begun = time.perf_counter()
    for _ in range(count):
        call()
    wait()
    return (time.perf_counter() - begun) / count


def single(run: Run, call: Callable[[], Any], wait: Callable[[], Any], times: int = 15) -> float:
    """Seconds of a call alone, until its results are there, with the L2 cache flushed before: the median."""
    found = []
    for _ in range(times):
        run.flush()
        run.wait()
        found.append(clocked(call, wait, 1))
    return statistics.median(found)


def shown(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3f} {unit}"
    return f"{seconds * 1e6:.2f} us"
