"""Count what memory moves: a warp that reads an element in each of 32 lanes moves the sectors that hold them.

    with counting() as counts:
        driver(x)
    print(counts.report())

    loads   x_flat       poly_1 (poly.py:12): 4000 bytes wanted, 4000 moved, 1.00

Memory moves in sectors of 32 bytes.  The n-th time that the threads of a warp come to an access counts as one
instruction.  Shared memory has 32 banks of 4 bytes, and an instruction takes as many turns as it wants words of one
bank.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from .memory import LOCAL, SHARED
from .threads import WARP, Block, Site, Thread, Triple

SECTOR = 32
BANKS, BANK_BYTES = 32, 4


class Access(NamedTuple):
    """One line of a kernel that touches memory."""

    kernel: str
    line: int
    column: int
    kind: str  # loads, stores, atomics
    space: str
    name: str
    file: str
    itemsize: int


@dataclass(frozen=True, slots=True)
class Moved:
    """What an access wanted of memory and what moved for it, in bytes; for shared memory the iterations at worst."""

    access: Access
    instructions: int
    wanted: int
    moved: int
    turns: int


class Counts:
    """What launches did while it was there."""

    def __init__(self) -> None:
        self.launches: collections.Counter[str] = collections.Counter()
        self.found: dict[Access, dict[tuple[int, int, int, int], list[int]]] = {}
        self.number = 0

    def launched(self, kernel: str, grid: Triple, block: Triple) -> Callable[[Block, int, Triple], Thread]:
        """Begin a launch; gives what makes its threads."""
        self.launches[kernel] += 1
        self.number += 1

        def make(of: Block, number: int, place: Triple) -> Thread:
            return CountingThread(kernel, of, number, place, self)

        return make

    def note(self, access: Access, key: tuple[int, int, int, int], byte: int) -> None:
        self.found.setdefault(access, {}).setdefault(key, []).append(byte)

    def accesses(self) -> list[Moved]:
        """By kernel and line."""
        return [moved(access, list(groups.values())) for access, groups in sorted(self.found.items())]

    def report(self) -> str:
        """The same as a string."""
        lines = [line_of(one) for one in self.accesses()]
        launches = ", ".join(f"{name} {count}" for name, count in self.launches.items())
        return "\n".join([*lines, f"launches: {launches or 'none'}"])


def moved(access: Access, groups: list[list[int]]) -> Moved:
    wanted = sum(len(set(group)) * access.itemsize for group in groups)
    if access.space == SHARED:
        turns = max(turns_of(group) for group in groups)
        return Moved(access, len(groups), wanted, wanted, turns)
    last = access.itemsize - 1
    sectors = sum(len({part // SECTOR for byte in group for part in (byte, byte + last)}) for group in groups)
    return Moved(access, len(groups), wanted, sectors * SECTOR, 1)


def turns_of(group: list[int]) -> int:
    return max(collections.Counter(word % BANKS for word in {byte // BANK_BYTES for byte in group}).values())


def line_of(one: Moved) -> str:
    a = one.access
    where = f"{a.kind:8s}{a.name:14s}{a.kernel} ({a.file}:{a.line})"
    if a.space == SHARED:
        return f"{where}: shared, {one.turns} turns for one bank at most"
    return f"{where}: {one.wanted} bytes wanted, {one.moved} moved, {one.wanted / one.moved:.2f}"


class CountingThread(Thread):
    """A thread that says which bytes it touches."""

    __slots__ = ("counts", "seen", "short")

    def __init__(self, kernel: str, block: Block, number: int, place: Triple, counts: Counts) -> None:
        super().__init__(f"kernel {kernel}", block, number, place)
        self.short = kernel
        self.counts = counts
        self.seen: dict[tuple[Site, str], int] = {}

    def load(self, site: Site, array: Any, index: Any) -> Any:
        value = super().load(site, array, index)
        self.count(site, array, index, "loads")
        return value

    def store(self, site: Site, array: Any, index: Any, value: Any) -> None:
        super().store(site, array, index, value)
        self.count(site, array, index, "stores")

    def atomic(self, site: Site, operation: str, array: Any, index: Any, *values: Any) -> Any:
        old = super().atomic(site, operation, array, index, *values)
        self.count(site, array, index, "atomics")
        return old

    def count(self, site: Site, array: Any, index: Any, kind: str) -> None:
        if type(array) is tuple or array.allocation.space == LOCAL:
            return
        space = array.allocation.space
        times = self.seen[site, kind] = self.seen.get((site, kind), 0) + 1
        access = Access(self.short, site.line, site.column, kind, space, site.text, site.file, array.itemsize)
        key = (self.counts.number, self.block.number, self.number // WARP, times)
        self.counts.note(access, key, self.place(site, array, index) * array.itemsize)
