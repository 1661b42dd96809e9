"""What a kind of device offers to the rest of Pellucid: memory, streams, copies, libraries.

    platform.put(array, 1)       the array for calls on its device 1
    platform.finish(1)           waits until the stream of that device is empty
    platform.routine("dgemm")    a library routine that code for it may call

Devices of a kind are numbered from 0.  A call is launched by the dispatch of the target: it goes into the stream of the
device that its arguments are on, and what a stream has got runs in order.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..values import HeldValues


class Platform(Protocol):
    """A kind of device."""

    @property
    def name(self) -> str:
        """What users call it."""

    def count(self) -> int:
        """How many devices of this kind there are."""

    def put(self, array: HeldValues, number: int) -> HeldValues:
        """The same values where calls on a device find them; those that are not computed yet are not waited for."""

    def get(self, array: HeldValues) -> np.ndarray:
        """The values in memory that NumPy can read, once they are computed."""

    def bytes_in_use(self, number: int) -> int:
        """Memory that results and temporaries of a device take now."""

    def in_flight(self, number: int) -> int:
        """How many calls are in the stream of a device."""

    def finish(self, number: int) -> None:
        """Wait until the stream of a device is empty."""

    def routine(self, name: str) -> int:
        """The address of a library routine.  Raises LookupError where there is none."""
