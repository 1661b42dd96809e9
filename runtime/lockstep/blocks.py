"""Run the threads of a block: each to where it waits for others, then all that wait together go on.

A barrier of the block wants all its threads at one place of the text, a shuffle all 32 lanes of a warp.  A GPU would go
on with what it has, or stand still; here both are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from .threads import WARP, Block, Site, Thread, Triple

Code = Callable[..., Any]
Waiting = Generator[tuple[Any, ...], Any, None]
EVERY_LANE = 0xFFFFFFFF
WITHOUT_MASK = ("syncthreads", "syncwarp")
CARRIED = (np.int32, np.int64, np.float32, np.float64, int, float)  # by shuffles


def threads_of(block: Block, make: Callable[[Block, int, Triple], Thread]) -> list[Thread]:
    """In CUDA's order: x first."""
    width, height, depth = block.blockDim
    places = (Triple(x, y, z) for z in range(depth) for y in range(height) for x in range(width))
    return [make(block, number, place) for number, place in enumerate(places)]


def run_plain(code: Code, threads: list[Thread], arguments: tuple[Any, ...], here: Callable[[Thread], None]) -> None:
    """Threads that wait for nobody run one after the other."""
    for thread in threads:
        here(thread)
        code(thread, *arguments)


def run_waiting(code: Code, threads: list[Thread], arguments: tuple[Any, ...], here: Callable[[Thread], None]) -> None:
    """Threads with barriers: a warp runs from shuffle to shuffle, the block from barrier to barrier."""
    warps = [Warp(threads[first : first + WARP], code, arguments, here) for first in range(0, len(threads), WARP)]
    while True:
        for warp in warps:
            warp.run()
        waiting = [(thread, wanted) for warp in warps for thread, wanted in warp.waiting()]
        if not waiting:
            return
        check_barrier(threads, waiting)
        for thread in threads:
            block, blocks, warp_number, warps_passed, number = thread.now
            thread.now = (block, blocks + 1, warp_number, warps_passed, number)


def check_barrier(threads: list[Thread], waiting: list[tuple[Thread, tuple[Any, ...]]]) -> None:
    first, (_, site) = waiting[0]
    if len(waiting) != len(threads):
        came = {thread.number for thread, _ in waiting}
        missing = next(thread for thread in threads if thread.number not in came)
        first.fail(
            site,
            f"not all threads of the block come to this barrier: {len(waiting)} of {len(threads)} do, and"
            f" thread {missing.place_in_block} has ended",
        )
    for thread, (_, other) in waiting:
        if other is not site or thread.path != first.path:
            why = f"thread {thread.place_in_block} waits on line {line_of(thread, other)}"
            first.fail(site, f"threads of the block wait at two barriers: {why}")


def line_of(thread: Thread, site: Site) -> int:
    """The line of the kernel on which a thread waits, perhaps in a function that it calls."""
    return (thread.path[0] if thread.path else site).line


class Warp:
    """32 threads, each with what it waits for; None for one that has ended."""

    def __init__(
        self, lanes: list[Thread], code: Code, arguments: tuple[Any, ...], here: Callable[[Thread], None]
    ) -> None:
        self.lanes = lanes
        self.running: list[Waiting] = [code(thread, *arguments) for thread in lanes]
        self.wanted: list[tuple[Any, ...] | None] = [("start",)] * len(lanes)
        self.here = here

    def waiting(self) -> list[tuple[Thread, tuple[Any, ...]]]:
        return [(thread, wanted) for thread, wanted in zip(self.lanes, self.wanted) if wanted is not None]

    def run(self) -> None:
        """To the next barrier of the block, or the end."""
        given: list[Any] = [None] * len(self.lanes)
        while True:
            self.step(given)
            wanted = next((one for one in self.wanted if one and one[0] != "syncthreads"), None)
            if wanted is None:
                return
            self.check(wanted)
            given = exchange(wanted[0], [one or () for one in self.wanted])
            if wanted[0] == "syncwarp":
                for thread in self.lanes:
                    block, blocks, warp, warps, number = thread.now
                    thread.now = (block, blocks, warp, warps + 1, number)

    def step(self, given: list[Any]) -> None:
        for lane, thread in enumerate(self.lanes):
            if self.wanted[lane] is not None:
                self.here(thread)
                try:
                    self.wanted[lane] = self.running[lane].send(given[lane])
                except StopIteration:
                    self.wanted[lane] = None

    def check(self, wanted: tuple[Any, ...]) -> None:
        """All lanes wait for the same shuffle, with the mask that says so."""
        kind, site = wanted[:2]
        first = self.lanes[next(lane for lane, one in enumerate(self.wanted) if one is wanted)]
        for lane in range(WARP):
            one = self.wanted[lane] if lane < len(self.lanes) else None
            if one is None:
                why = "has ended" if lane < len(self.lanes) else "is not there, for the block is no multiple of 32"
                first.fail(site, f"cuda.{kind} with lanes missing: lane {lane} {why}")
            if one[1] is not site or self.lanes[lane].path != first.path:
                why = f"waits at {one[1].text}, line {line_of(self.lanes[lane], one[1])}"
                first.fail(site, f"cuda.{kind} with lanes missing: lane {lane} {why}")
            if kind.startswith("shfl") and not isinstance(one[3], CARRIED):
                self.lanes[lane].fail(site, f"cuda.{kind} carries int32, int64, float32 and float64, not {one[3]!r}")
            if (len(one) > 2 or kind not in WITHOUT_MASK) and int(one[2]) != EVERY_LANE:
                self.lanes[lane].fail(site, f"cuda.{kind} takes all lanes in lockstep: the mask is {int(one[2]):#x}")


def exchange(kind: str, wanted: list[tuple[Any, ...]]) -> list[Any]:
    """What each lane gets of the others' values."""
    values = [one[3] if len(one) > 3 else None for one in wanted]
    match kind:
        case "shfl_xor_sync" | "shfl_up_sync" | "shfl_down_sync" | "shfl_sync":
            sources = [SOURCES[kind](lane, int(one[4])) for lane, one in enumerate(wanted)]
            return [values[source] if 0 <= source < WARP else own for source, own in zip(sources, values)]
        case "match_any_sync":
            return [sum(1 << lane for lane, value in enumerate(values) if value == own) for own in values]
        case "ballot_sync":
            return [sum(1 << lane for lane, value in enumerate(values) if value)] * WARP
        case "all_sync":
            return [all(values)] * WARP
        case "any_sync":
            return [any(values)] * WARP
    return [None] * WARP


SOURCES: dict[str, Callable[[int, int], int]] = {
    "shfl_xor_sync": lambda lane, mask: lane ^ mask,
    "shfl_up_sync": lambda lane, delta: lane - delta,
    "shfl_down_sync": lambda lane, delta: lane + delta,
    "shfl_sync": lambda lane, source: source % WARP,
}
