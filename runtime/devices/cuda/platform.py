"""GPUs of NVIDIA as devices: arrays on them, and what moves there and back.

    put(array, 0)       the values are copied to cuda:0, after what computes them: from the host, or from another GPU
    on_gpu(array)       the `DeviceArray` of an Array, copied to its device where it is on the host
    get(array)          an ndarray, copied once and kept

An array that NumPy has made of one on a GPU is for that GPU as well, and is copied there when something there needs it.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ... import asynchronous
from ...values import HeldValues
from . import driver
from .driver import DeviceArray


class Cuda:
    """The devices that the driver of CUDA has."""

    name = "cuda"

    def count(self) -> int:
        return driver.count()

    def why_not(self) -> str:
        return driver.why_not()

    def first(self) -> int:
        return asynchronous.cpu_devices()

    def put(self, array: HeldValues, number: int) -> HeldValues:
        """What the host has of the values is not kept: it would take as much memory again."""
        if (there := cast(Any, array)._there) is not None and there.number == number:
            return array._on(self.first() + number)
        return from_gpu(_copied(array, number), type(array))

    def get(self, array: HeldValues) -> np.ndarray:
        return array._values

    def shared(self, array: HeldValues) -> DeviceArray:
        """The values on the device of the array, which it keeps from now on."""
        number, held = array._place - self.first(), cast(Any, array)
        found: DeviceArray | None = held._there
        if found is None or found.number != number:
            found = held._there = _copied(array, number)
        return found

    def memory_stats(self, number: int) -> dict[str, int]:
        in_use, peak, held, free, all_ = driver.extension().cuda_memory(number)
        return {"bytes_in_use": in_use, "peak_bytes_in_use": peak, "bytes_held": held, "bytes_free": free,
                "bytes_limit": all_}  # fmt: skip

    def in_flight(self, number: int) -> int:
        return int(not driver.extension().cuda_is_idle(number))

    def finish(self, number: int) -> None:
        driver.extension().cuda_synchronize(number)

    def make_default(self, number: int) -> int:
        return asynchronous.set_default_device(self.first() + number)

    def routine(self, name: str) -> int:
        raise LookupError(f"code for CUDA calls no routine {name!r} by its address")


def _copied(array: HeldValues, number: int) -> DeviceArray:
    """The elements on a device: from the one where they are, or from the host."""
    native, there = driver.extension(), cast(Any, array)._there
    if there is None:
        found: DeviceArray = native.to_device(array._values, number)
        return found
    made: DeviceArray = native.device_array(there.shape, there.dtype, number)
    made.copy_from_device(there)
    made.verdict = there.verdict
    return made


def on_gpu(array: HeldValues) -> DeviceArray:
    """The elements of an Array that is on a device of CUDA, as the `DeviceArray` that kernels take."""
    return Cuda().shared(array)


def from_gpu(there: DeviceArray, cls: type[HeldValues]) -> HeldValues:
    """An Array, `cls`, around a `DeviceArray`."""
    made: HeldValues = cast(Any, cls)._over(there, Cuda().first() + there.number)
    return made
