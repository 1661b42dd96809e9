"""The processes that run one program together: which of them this is, and how many devices each one is.

    processes()         Processes(index=0, devices=(8,)), where nobody has said something else
    join(1, (2, 2), 2)  two processes with two devices of the processor each, of which this is the second

Only `pellucid.distributed` joins them; everything else asks.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import asynchronous


@dataclass(frozen=True, slots=True)
class Processes:
    """All processes.

    index    the number of this one
    devices  for each process how many devices of the processor it has
    sharers  how many processes, this one among them, use the same cores
    """

    index: int
    devices: tuple[int, ...]
    sharers: int = 1

    @property
    def count(self) -> int:
        """How many processes there are."""
        return len(self.devices)

    def first_of(self, process: int) -> int:
        """The number of the first device of a process, among those of all."""
        return sum(self.devices[:process])


_JOINED: list[Processes] = []


def processes() -> Processes:
    """All of them; one process, before others are joined."""
    return _JOINED[-1] if _JOINED else Processes(0, (asynchronous.cpu_devices(),))


def are_joined() -> bool:
    """Whether this process has been told of others, or that it is alone."""
    return bool(_JOINED)


def join(index: int, devices: tuple[int, ...], sharers: int) -> None:
    """There are these processes from now on."""
    _JOINED.append(Processes(index, devices, sharers))


def leave() -> None:
    """This process is alone again."""
    _JOINED.clear()


def process_index() -> int:
    """The number of this process: 0, unless `pellucid.distributed.initialize()` has found others."""
    return processes().index


def process_count() -> int:
    """How many processes run the program together: 1, unless `pellucid.distributed.initialize()` has found others."""
    return processes().count
