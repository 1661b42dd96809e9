"""Devices: where calls run, and what there is of each kind.

    devices()               [cpu:0, cpu:1]
    named("cpu:1")          the second
    with default_device(d)  calls of this thread run there, if their arguments do not say where

    interface               what a kind of device offers
    cpu                     the processor
    cuda                    GPUs of NVIDIA

The driver of CUDA is looked for when the program asks for all devices or for one of its own, and never before.
"""

from __future__ import annotations

from functools import cache
from types import TracebackType
from typing import Any

from ..values import HeldValues
from .cpu import Cpu
from .cuda import driver
from .cuda.platform import Cuda
from .interface import Platform

PLATFORMS: tuple[Platform, ...] = (Cpu(), Cuda())


class Device:
    """A device: `platform` is its kind, "cpu", and `id` its number among those of its kind.

    It is equal to the name of its kind if it is the first, as NumPy calls its only device "cpu".
    """

    __slots__ = ("_offers", "id")

    def __init__(self, offers: Platform, number: int) -> None:
        self._offers, self.id = offers, number

    @property
    def platform(self) -> str:
        """The kind of device: "cpu" or "cuda"."""
        return self._offers.name

    @property
    def number(self) -> int:
        """Its number among all devices, as arrays keep it."""
        return self._offers.first() + self.id

    def memory_stats(self) -> dict[str, int]:
        """`bytes_in_use`: what results and temporaries of compiled functions take; devices of a processor share it.

        Those of CUDA tell `peak_bytes_in_use`, `bytes_held`, `bytes_free` and `bytes_limit` as well.
        """
        return self._offers.memory_stats(self.id)

    def put(self, array: HeldValues) -> Any:
        """The array on this device."""
        return self._offers.put(array, self.id)

    def shared(self, array: HeldValues) -> Any:
        """The array as other libraries read it on this device."""
        return self._offers.shared(array)

    def make_default(self) -> int:
        """Let calls of this thread run on it, if their arguments do not say where; the number of the former."""
        return self._offers.make_default(self.id)

    def in_flight(self) -> int:
        """How many calls have been made for it and have not ended."""
        return self._offers.in_flight(self.id)

    def finish(self) -> None:
        """Wait for all calls that have been made for it."""
        self._offers.finish(self.id)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return (self.platform, self.id) == (other.platform, other.id)
        return self.id == 0 and other == self.platform

    def __hash__(self) -> int:
        return hash(self.platform if self.id == 0 else (self.platform, self.id))

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"

    def __repr__(self) -> str:
        return f"<device {self}>"


@cache
def _of(offers: Platform) -> tuple[Device, ...]:
    """The devices of one kind; counting them may load a library."""
    return tuple(Device(offers, number) for number in range(offers.count()))


def _platforms(name: str | None) -> list[Platform]:
    return [offers for offers in PLATFORMS if name in (None, offers.name)]


def devices(platform: str | None = None) -> list[Device]:
    """The devices of this process, or those of one kind, "cpu" or "cuda".

    Raises ValueError where there are none of this kind.
    """
    asked = _platforms(platform)
    found = [device for offers in asked for device in _of(offers)]
    if not found:
        why = "".join(f" ({offers.why_not()})" for offers in asked)
        raise ValueError(f"there are no devices of the kind {platform!r}; there are {_told()}{why}")
    return found


def device_count(platform: str | None = None) -> int:
    """How many devices there are, or how many of one kind."""
    return len(devices(platform))


def local_device_count(platform: str | None = None) -> int:
    """How many devices this process has; all devices are its own."""
    return device_count(platform)


def are_several() -> bool:
    """Whether an array can be on one of several devices: those of CUDA count once they have been asked for."""
    return len(_of(PLATFORMS[0])) > 1 or (driver.was_asked() and driver.count() > 0)


def is_on_gpu(number: int) -> bool:
    """Whether a device, by its number among all, has a memory of its own, where kernels run."""
    return number >= len(_of(PLATFORMS[0]))


def named(device: Device | str) -> Device:
    """A device by its name: "cpu" is the first one, "cpu:1" the second.  Raises ValueError where there is none."""
    if isinstance(device, Device):
        return device
    asked = _platforms(device.partition(":")[0])
    found = next((one for offers in asked for one in _of(offers) if device in (one, str(one))), None)
    if found is None:
        why = "".join(f" ({offers.why_not()})" for offers in asked if offers.why_not())
        raise ValueError(f"there is no device {device!r}; there are {_told()}{why}")
    return found


def by_number(number: int) -> Device:
    """The device of a number, as arrays keep it: those of the processor come first."""
    own = _of(PLATFORMS[0])
    return own[number] if number < len(own) else _of(PLATFORMS[1])[number - len(own)]


def _told() -> str:
    return ", ".join(str(device) for offers in PLATFORMS for device in _of(offers))


class default_device:
    """Let calls of this thread run on a device, if their arguments do not say where.

    It holds from now on, or inside a `with` block.

    device  a device, or its name

        pellucid.default_device("cpu:1")
        with pellucid.default_device("cuda"): ...

    `device_put` without a device puts arrays there, too.  A call of a function with `mutates=` stays where its arrays
    are.  Raises ValueError where there is no such device.
    """

    def __init__(self, device: Device | str) -> None:
        self._former = named(device).make_default()

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        by_number(self._former).make_default()
