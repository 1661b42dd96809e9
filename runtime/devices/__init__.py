"""Devices: where calls run, and what there is of each kind.

    devices()               [cpu:0, cpu:1]
    named("cpu:1")          the second
    with default_device(d)  calls of this thread run there, if their arguments do not say where

    interface               what a kind of device offers
    cpu                     the processor
"""

from __future__ import annotations

from functools import lru_cache
from types import TracebackType

from .. import asynchronous
from .cpu import Cpu
from .interface import Platform

PLATFORMS: tuple[Platform, ...] = (Cpu(),)


class Device:
    """A device: `platform` is its kind, "cpu", and `id` its number among those of its kind.

    It is equal to the name of its kind if it is the first, as NumPy calls its only device "cpu".
    """

    __slots__ = ("_offers", "id")

    def __init__(self, offers: Platform, number: int) -> None:
        self._offers, self.id = offers, number

    @property
    def platform(self) -> str:
        """The kind of device: "cpu"."""
        return self._offers.name

    def memory_stats(self) -> dict[str, int]:
        """`bytes_in_use`: what results and temporaries of compiled functions take; devices of a processor share it."""
        return {"bytes_in_use": self._offers.bytes_in_use(self.id)}

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


@lru_cache(maxsize=1)
def _all() -> tuple[Device, ...]:
    return tuple(Device(offers, number) for offers in PLATFORMS for number in range(offers.count()))


def devices(platform: str | None = None) -> list[Device]:
    """The devices of this process, or those of one kind, such as "cpu".

    Raises ValueError where there are none of this kind.
    """
    found = [device for device in _all() if platform in (None, device.platform)]
    if not found:
        raise ValueError(f"there are no devices of the kind {platform!r}; there are {_told()}")
    return found


def device_count(platform: str | None = None) -> int:
    """How many devices there are, or how many of one kind."""
    return len(devices(platform))


def local_device_count(platform: str | None = None) -> int:
    """How many devices this process has; all devices are its own."""
    return device_count(platform)


def named(device: Device | str) -> Device:
    """A device by its name: "cpu" is the first one, "cpu:1" the second.  Raises ValueError where there is none."""
    if isinstance(device, Device):
        return device
    found = next((one for one in _all() if device in (one, str(one))), None)
    if found is None:
        raise ValueError(f"there is no device {device!r}; there are {_told()}")
    return found


def by_number(number: int) -> Device:
    """The device of a number, as arrays keep it."""
    return _all()[number]


def _told() -> str:
    return ", ".join(map(str, _all()))


class default_device:
    """Let calls of this thread run on a device, if their arguments do not say where.

    It holds from now on, or inside a `with` block.

    device  a device, or its name

        pellucid.default_device("cpu:1")
        with pellucid.default_device(pellucid.devices()[1]): ...

    Raises ValueError where there is no such device.
    """

    def __init__(self, device: Device | str) -> None:
        self._former = asynchronous.set_default_device(named(device).id)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        asynchronous.set_default_device(self._former)
