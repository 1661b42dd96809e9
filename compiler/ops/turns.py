"""The devices of a mesh as iterations of a loop: one program for all of them, in CPython.

    run((2, 4), program, [(table_0, x_0), (table_1, x_1), ...])    ->    the results of all devices, in their order

Each device has a thread, of which one runs at a time: a device goes on to its next collective, and passes the turn to
the next one.  So every run takes the same course, and a debugger may stop in it.  Devices are numbered in the order of
the mesh, its last axis running fastest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

_SEAT = threading.local()


class Abandoned(Exception):
    """Another device has failed."""


Watch = Callable[[int, str, int, np.ndarray], object]


def meet(kind: str, along: int, value: np.ndarray) -> Sequence[np.ndarray]:
    """What all devices along an axis of the mesh put down, in their order.  Raises RuntimeError outside of a run."""
    turns: Turns | Alone | None = getattr(_SEAT, "turns", None)
    if turns is None:
        raise RuntimeError("the program of one device runs together with those of all others")
    if turns.watch is not None:
        turns.watch(_SEAT.device, kind, along, value)
    return turns.meet(_SEAT.device, along, value)


def folded(combine: Callable[..., Any], values: Sequence[Any]) -> Any:
    """All of them combined, in their order; of equal ones halves are, whose number may be large."""
    if not isinstance(values, Alike):
        return reduce(combine, values)
    if len(values) == 1:
        return values.value
    half = folded(combine, Alike(values.value, len(values) // 2))
    both = combine(half, half)
    return combine(both, values.value) if len(values) % 2 else both


class Alike(Sequence[Any]):
    """So many of one value."""

    def __init__(self, value: Any, count: int) -> None:
        self.value, self.length = value, count

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, place: Any) -> Any:
        found = range(self.length)[place]  # which knows what is beyond the end
        return self.value if isinstance(found, int) else [self.value] * len(found)


class Alone:
    """A run of one device, all others being taken to put down what it does: for meshes of any number of devices."""

    def __init__(self, sizes: Sequence[int], device: int, watch: Watch | None = None) -> None:
        self.sizes, self.device, self.watch = tuple(sizes), device, watch

    def meet(self, device: int, along: int, value: np.ndarray) -> Alike:
        """What it puts down, as often as there are devices along the axis."""
        return Alike(np.array(value), self.sizes[along])

    def run(self, program: Callable[..., Any], given: Sequence[Any]) -> Any:
        """What the program gives."""
        former = getattr(_SEAT, "turns", None), getattr(_SEAT, "device", 0)
        _SEAT.turns, _SEAT.device = self, self.device
        try:
            return program(*given)
        finally:
            _SEAT.turns, _SEAT.device = former


def run(
    sizes: Sequence[int], program: Callable[..., Any], arguments: Sequence[Sequence[Any]], watch: Watch | None = None
) -> list[Any]:  # fmt: skip
    """What the program gives on each device; raises the error of the first that has one.

    watch  is told of each collective: the device, what it does, the axis, and what it puts down
    """
    turns = Turns(sizes, watch)
    threads = [
        threading.Thread(target=turns.seated, args=(k, program, given)) for k, given in enumerate(arguments)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    errors = [error for error in turns.errors if error is not None]
    for error in errors:
        if not isinstance(error, Abandoned):
            raise error
    return turns.results


class Turns:
    """One run.  `board` has what was put down for each meeting: an axis, the first device of a group, a number."""

    def __init__(self, sizes: Sequence[int], watch: Watch | None = None) -> None:
        self.sizes, self.watch = tuple(sizes), watch
        self.count = prod(self.sizes)
        self.results: list[Any] = [None] * self.count
        self.errors: list[BaseException | None] = [None] * self.count
        self.board: dict[tuple[int, int, int], dict[int, np.ndarray]] = {}
        self.met = [[0] * self.count for _ in self.sizes]
        self.waiting_for: list[tuple[int, int, int] | None] = [None] * self.count
        self.has_ended = [False] * self.count
        self.turn, self.changed = 0, threading.Condition()

    def seated(self, device: int, program: Callable[..., Any], given: Sequence[Any]) -> None:
        """Run the program of one device."""
        _SEAT.turns, _SEAT.device = self, device
        try:
            self.take_turn(device)
            self.results[device] = program(*given)
        except BaseException as error:
            self.errors[device] = error
        self.has_ended[device] = True
        self.pass_turn(device)

    def group(self, device: int, along: int) -> list[int]:
        """The devices that differ from this one along an axis alone."""
        stride, size = prod(self.sizes[along + 1 :]), self.sizes[along]
        first = device - device // stride % size * stride
        return [first + k * stride for k in range(size)]

    def meet(self, device: int, along: int, value: np.ndarray) -> list[np.ndarray]:
        group = self.group(device, along)
        key = along, group[0], self.met[along][device]
        self.met[along][device] += 1
        self.board.setdefault(key, {})[device] = np.array(value)
        self.waiting_for[device] = key
        self.pass_turn(device)
        self.take_turn(device)
        self.waiting_for[device] = None
        if len(self.board[key]) < len(group):
            raise Abandoned
        return [self.board[key][k] for k in group]

    def is_ready(self, device: int) -> bool:
        """Whether a device can go on: its meeting is complete, or nobody will come any more."""
        key = self.waiting_for[device]
        if self.has_ended[device] or key is None:
            return not self.has_ended[device]
        absent = [k for k in self.group(device, key[0]) if k not in self.board[key]]
        return not absent or any(error is not None for error in self.errors) or all(self.has_ended[k] for k in absent)

    def take_turn(self, device: int) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.turn == device)

    def pass_turn(self, device: int) -> None:
        """To the next device that can go on; where none can, each waits for another one, and the first is told so."""
        with self.changed:
            order = [(device + k) % self.count for k in range(1, self.count + 1)]
            rest = [k for k in order if not self.has_ended[k]]
            ready = [k for k in rest if self.is_ready(k)]
            self.turn = (ready or sorted(rest) or [-1])[0]
            self.changed.notify_all()
