"""Run the threads of a block: each to where it waits for others, then all that wait together go on.

A barrier of the block wants all its threads at one line of the program, a shuffle all 32 lanes of a warp.  A GPU would
go on with what it has, or stand still; here both are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NoReturn

import numpy as np

from .threads import WARP, Block, Site, Thread, Triple

Code = Callable[..., Any]
Waiting = Generator[tuple[Any, ...], Any, None]
EVERY_LANE = 0xFFFFFFFF
WITHOUT_MASK = ("syncthreads", "syncwarp")
CARRIED = (np.int32, np.int64, np.float32, np.float64, int, float)  # by shuffles


class Device:
    """What the machine does at the moment: who runs, and who counts."""

    def __init__(self) -> None:
        self.thread: Thread | None = None
        self.counts: Any = None


def threads_of(block: Block, make: Callable[[Block, int, Triple], Thread]) -> list[Thread]:
    """In CUDA's order: x first."""
    width, height, depth = block.blockDim
    places = (Triple(x, y, z) for z in range(depth) for y in range(height) for x in range(width))
    return [make(block, number, place) for number, place in enumerate(places)]


def run_plain(code: Code, threads: list[Thread], arguments: tuple[Any, ...], device: Device) -> None:
    """Threads without barriers run one after the other."""
    for thread in threads:
        device.thread = thread
        code(thread, *arguments)


def run_waiting(code: Code, threads: list[Thread], arguments: tuple[Any, ...], device: Device) -> None:
    """Threads with barriers: a warp runs from shuffle to shuffle, the block from barrier to barrier."""
    warps = [Warp(threads[first : first + WARP], code, arguments, device) for first in range(0, len(threads), WARP)]
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

    def __init__(self, lanes: list[Thread], code: Code, arguments: tuple[Any, ...], device: Device) -> None:
        self.lanes = lanes
        self.running: list[Waiting] = [code(thread, *arguments) for thread in lanes]
        self.wanted: list[tuple[Any, ...] | None] = [("start",)] * len(lanes)
        self.device = device

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
        wanted, running = self.wanted, self.running
        for lane, thread in enumerate(self.lanes):
            if wanted[lane] is not None:
                self.device.thread = thread
                try:
                    wanted[lane] = running[lane].send(given[lane])
                except StopIteration:
                    wanted[lane] = None

    def check(self, wanted: tuple[Any, ...]) -> None:
        """All lanes wait at the same line, with the mask that says so."""
        site = wanted[1]
        path = self.lanes[self.wanted.index(wanted)].path
        if len(self.lanes) < WARP:
            self.missing(wanted, len(self.lanes), "is not there, for the block is no multiple of 32")
        for lane, (thread, one) in enumerate(zip(self.lanes, self.wanted)):
            if one is None:
                self.missing(wanted, lane, "has ended")
            elif one[1] is not site or thread.path != path:
                self.missing(wanted, lane, f"waits at {one[1].text}, line {line_of(thread, one[1])}")
            elif len(one) > 2 and one[2] != EVERY_LANE:
                thread.fail(site, f"cuda.{one[0]} takes all lanes in lockstep: the mask is {int(one[2]):#x}")
            elif len(one) == 5 and type(one[3]) not in CARRIED:
                thread.fail(site, f"cuda.{one[0]} carries int32, int64, float32 and float64, not {one[3]!r}")

    def missing(self, wanted: tuple[Any, ...], lane: int, why: str) -> NoReturn:
        first = self.lanes[self.wanted.index(wanted)]
        first.fail(wanted[1], f"cuda.{wanted[0]} with lanes missing: lane {lane} {why}")


def exchange(kind: str, wanted: list[tuple[Any, ...]]) -> list[Any]:
    """What each lane gets of the others' values."""
    values = [one[3] if len(one) > 3 else None for one in wanted]
    match kind:
        case "shfl_xor_sync" | "shfl_up_sync" | "shfl_down_sync" | "shfl_sync":
            source_of = SOURCES[kind]
            sources = [source_of(lane, int(one[4])) for lane, one in enumerate(wanted)]
            return [values[source] if 0 <= source < WARP else values[lane] for lane, source in enumerate(sources)]
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
