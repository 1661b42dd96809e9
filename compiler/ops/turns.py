"""The devices of a mesh as iterations of a loop: one program for all of them, in CPython.

    run((2, 4), program, [(table_0, x_0), (table_1, x_1), ...])    ->    the results of all devices, in their order

Each device has a thread, of which one runs at a time: a device goes on to its next collective, and passes the turn to
the next one.  So every run takes the same course, and a debugger may stop in it.  Devices are numbered in the order of
the mesh, its last axis running fastest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

_SEAT = threading.local()


class Abandoned(Exception):
    """Another device has failed."""


def meet(along: int, value: np.ndarray) -> list[np.ndarray]:
    """What all devices along an axis of the mesh put down, in their order.  Raises RuntimeError outside of `run`."""
    turns: Turns | None = getattr(_SEAT, "turns", None)
    if turns is None:
        raise RuntimeError("the program of one device runs together with those of all others")
    return turns.meet(_SEAT.device, along, value)


def run(sizes: Sequence[int], program: Callable[..., Any], arguments: Sequence[Sequence[Any]]) -> list[Any]:
    """What the program gives on each device; raises the error of the first that has one."""
    turns = Turns(sizes)
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

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
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
