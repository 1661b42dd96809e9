"""One program on several GPUs: each has a thread of the host that runs its driver, and they meet at collectives.

    launch = Launch((2, 2), (0, 1, 2, 3), explain)      a mesh, the number of the GPU at each place, what raises errors
    launch.run(drive)                                   [drive(0), drive(1), ...], each on a thread
    seat().meet("allgather", 0, (y, x))                 from such a thread: returns when all along axis 0 have come

The last thread that comes to a meeting puts the work of all of them into their streams (`collectives.py`), in one group
of NCCL's.  So no GPU ever waits for work that another one has not got, the order is the same on all, and a device that
fails ends the meetings of the others.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from queue import SimpleQueue
from typing import Any

import numpy as np

from .driver import DeviceArray
from .verdicts import Run, carrying, verdict_on

Perform = Callable[[Sequence[int], str, Sequence[tuple[Any, ...]]], None]
Key = tuple[int, int, int]  # of a meeting: the axis, the first place of those who meet, how many they had before


ABSENT = "another device has come to another collective, or to none"


class Abandoned(Exception):
    """Another device has failed."""


class Table(DeviceArray):
    """Where a device stands in its mesh, an array that kernels may read; the host knows its numbers without a wait."""

    __slots__ = ("known",)
    known: np.ndarray

    def __getitem__(self, index: Any) -> Any:
        """A number where a driver asks for one, `devices[0, ...]`."""
        if isinstance(index, tuple) and len(index) == 2 and isinstance(index[0], int) and index[1] is Ellipsis:
            return self.known[index[0]]
        return super().__getitem__(index)


@dataclass(frozen=True, slots=True)
class Seat:
    """The place of the device whose driver runs on a thread."""

    launch: Launch
    place: int

    def number(self, along: int) -> int:
        """The number of the device along an axis."""
        return self.launch.group(self.place, along).index(self.place)

    def meet(self, kind: str, along: int, operands: tuple[Any, ...]) -> None:
        """Put down what a collective reads and writes; returns when its work is in the streams of all."""
        self.launch.meet(self.place, kind, along, operands)


class _Seats(threading.local):
    seat: Seat | None = None


_SEATS = _Seats()


def seat() -> Seat:
    """The place of the device that this thread drives.  Raises RuntimeError outside of a run."""
    if _SEATS.seat is None:
        raise RuntimeError("the program of one device runs together with those of all others")
    return _SEATS.seat


# --- threads, which wait for the next run -----------------------------------------------------------------------------

_IDLE: list[SimpleQueue[Callable[[], None]]] = []


def _begin(job: Callable[[], None]) -> None:
    """Let a thread do something that raises nothing."""
    try:
        jobs = _IDLE.pop()
    except IndexError:
        jobs = SimpleQueue()
        threading.Thread(target=_work, args=(jobs,), daemon=True, name="pellucid-gpu").start()
    jobs.put(job)


def _work(jobs: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        job = jobs.get()
        job()
        del job  # which holds the arrays of its run
        _IDLE.append(jobs)


# --- runs -------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Meeting:
    """What has been put down by those who have come."""

    found: dict[int, tuple[str, tuple[Any, ...]]] = field(default_factory=dict)
    is_done: bool = False


class Launch:
    """One run.

    numbers  the GPU at each place of the mesh, whose last axis runs fastest
    explain  raises the error of the program where a kernel has found one
    perform  puts a collective of some GPUs into their streams
    """

    def __init__(
        self, sizes: Sequence[int], numbers: Sequence[int], explain: Callable[[], Any], perform: Perform
    ) -> None:  # fmt: skip
        self.sizes, self.numbers = tuple(sizes), tuple(numbers)
        self.explain, self._perform = explain, perform
        self._runs: dict[int, tuple[Run, Sequence[Any]]] = {}
        self._changed = threading.Condition()
        self._meetings: dict[Key, _Meeting] = {}
        self._met = [[0] * len(self.numbers) for _ in self.sizes]
        self._waiting: dict[int, Key] = {}
        self._ended: set[int] = set()
        self._has_failed = False

    # --- running

    def run(self, drive: Callable[[int], Any]) -> list[Any]:
        """What it gives at each place.  Raises the error of the first that has one of its own."""
        results: list[Any] = [None] * len(self.numbers)
        errors: dict[int, BaseException] = {}

        def seated(place: int) -> None:
            former, _SEATS.seat = _SEATS.seat, Seat(self, place)
            try:
                results[place] = drive(place)
            except BaseException as error:
                errors[place] = error
            finally:
                _SEATS.seat = former
                self._leave(place, place in errors)
                ended.put(place)

        ended: SimpleQueue[int] = SimpleQueue()
        for place in range(1, len(self.numbers)):
            _begin(functools.partial(seated, place))
        seated(0)
        try:
            for _ in self.numbers:
                ended.get()
        except BaseException:
            self._fail()
            raise
        whole = Run(self.explain)  # what one device has found is the error of all, whichever part of a result is read
        for _, (run, _) in sorted(self._runs.items()):
            whole.words += run.words
            whole.noted += run.noted
        verdict = verdict_on(whole, [arg for _, args in self._runs.values() for arg in args])
        if errors:
            if verdict is not None:
                verdict()
            whole.judge()  # what a kernel has found comes before the error of a driver that went on with its values
            own = [place for place, error in sorted(errors.items()) if not isinstance(error, Abandoned)]
            raise errors[own[0]] if own else RuntimeError(ABSENT)
        return [carrying(result, verdict) for result in results]

    def note(self, run: Run, args: Sequence[Any]) -> None:
        """The call of the driver that runs on this thread, and its arguments."""
        self._runs[seat().place] = run, args

    # --- meeting

    def group(self, place: int, along: int) -> list[int]:
        """The places that differ from this one along an axis alone."""
        stride, size = prod(self.sizes[along + 1 :]), self.sizes[along]
        first = place - place // stride % size * stride
        return [first + k * stride for k in range(size)]

    def meet(self, place: int, kind: str, along: int, operands: tuple[Any, ...]) -> None:
        group = self.group(place, along)
        with self._changed:
            key = along, group[0], self._met[along][place]
            self._met[along][place] += 1
            meeting = self._meetings.setdefault(key, _Meeting())
            meeting.found[place] = kind, operands
            if len(meeting.found) < len(group):
                self._wait(place, key, meeting)
                return
            if self._has_failed:
                raise Abandoned
        try:
            self._perform_all(group, meeting)
        except BaseException:
            self._fail()
            raise
        with self._changed:
            meeting.is_done = True
            del self._meetings[key]
            self._changed.notify_all()

    def _perform_all(self, group: Sequence[int], meeting: _Meeting) -> None:
        kinds = {kind for kind, _ in meeting.found.values()}
        if len(kinds) > 1:
            raise RuntimeError(ABSENT)
        numbers = [self.numbers[place] for place in group]
        self._perform(numbers, kinds.pop(), [meeting.found[place][1] for place in group])

    def _wait(self, place: int, key: Key, meeting: _Meeting) -> None:
        self._waiting[place] = key
        self._give_up_waiting_for_nobody()
        self._changed.wait_for(lambda: meeting.is_done or self._has_failed)
        del self._waiting[place]
        if not meeting.is_done:
            raise Abandoned

    def _give_up_waiting_for_nobody(self) -> None:
        """Where every device that goes on waits for one that will not come, all have failed."""
        going = set(range(len(self.numbers))) - self._ended
        if going and going == set(self._waiting) and not any(map(self._is_complete, self._waiting.values())):
            self._has_failed = True
            self._changed.notify_all()

    def _is_complete(self, key: Key) -> bool:
        """Whether all have come to a meeting."""
        return key not in self._meetings or len(self._meetings[key].found) == self.sizes[key[0]]

    def _leave(self, place: int, has_failed: bool) -> None:
        with self._changed:
            self._ended.add(place)
            self._give_up_waiting_for_nobody()
            self._has_failed = self._has_failed or has_failed
            self._changed.notify_all()

    def _fail(self) -> None:
        with self._changed:
            self._has_failed = True
            self._changed.notify_all()
