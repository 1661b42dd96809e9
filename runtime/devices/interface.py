"""What a kind of device offers to the rest of Pellucid: memory, streams, copies, libraries.

    platform.put(array, 1)       the array for calls on its device 1
    platform.finish(1)           waits until the stream of that device is empty
    platform.routine("dgemm")    a library routine that code for it may call

Devices of a kind are numbered from 0.  Arrays keep the number of a device among all: those of the processor come first.
A call is launched by the dispatch of the target: it goes into the stream of the device that its arguments are on, and
what a stream has got runs in order.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..values import HeldValues


class Platform(Protocol):
    """A kind of device."""

    @property
    def name(self) -> str:
        """What users call it."""

    def count(self) -> int:
        """How many devices of this kind there are."""

    def why_not(self) -> str:
        """Why there are none, for messages; empty where there are some."""

    def first(self) -> int:
        """The number of its first device among all."""

    def put(self, array: HeldValues, number: int) -> HeldValues:
        """The same values where calls on a device find them; those that are not computed yet are not waited for."""

    def get(self, array: HeldValues) -> np.ndarray:
        """The values in memory that NumPy can read, once they are computed."""

    def shared(self, array: HeldValues) -> Any:
        """The array as libraries of this kind of device read it, with its `__dlpack__`."""

    def memory_stats(self, number: int) -> dict[str, int]:
        """`bytes_in_use`: memory that results and temporaries of a device take now; and what else is known."""

    def in_flight(self, number: int) -> int:
        """How many calls are in the stream of a device; 1 where it only knows that there are some."""

    def finish(self, number: int) -> None:
        """Wait until the stream of a device is empty."""

    def make_default(self, number: int) -> int:
        """Let calls of this thread run there, if their arguments do not say where; gives the former's number."""

    def __hash__(self) -> int: ...

    def routine(self, name: str) -> int:
        """The address of a library routine.  Raises LookupError where there is none."""
