"""The processor as one device or several: each has a stream, a share of the threads and workers of its own.

    PELLUCID_CPU_DEVICES=8    ->    cpu:0 ... cpu:7

All have the same memory, so to put an array on another one copies nothing.  Streams are those of `native/queues.c`;
without the native part calls end before they return, wherever they run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import asynchronous, memory, routines
from ..values import HeldValues


class Cpu:
    """The devices that this processor is."""

    name = "cpu"

    def count(self) -> int:
        asynchronous.prepare()  # from now on they share the threads
        return asynchronous.cpu_devices()

    def why_not(self) -> str:
        return ""

    def first(self) -> int:
        return 0

    def put(self, array: HeldValues, number: int) -> HeldValues:
        return array._on(number)

    def get(self, array: HeldValues) -> np.ndarray:
        return array._values

    def shared(self, array: HeldValues) -> Any:
        return array._values

    def memory_stats(self, number: int) -> dict[str, int]:
        return {"bytes_in_use": memory.live_bytes()}

    def in_flight(self, number: int) -> int:
        return asynchronous.in_flight(number)

    def finish(self, number: int) -> None:
        asynchronous.finish(number)

    def make_default(self, number: int) -> int:
        return asynchronous.set_default_device(number)

    def routine(self, name: str) -> int:
        return routines.address_of(name)
