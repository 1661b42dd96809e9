"""Devices: where calls run, and what there is of each kind.

    devices()               [cpu:0, cpu:1]
    named("cpu:1")          the second
    with default_device(d)  calls of this thread run there, if their arguments do not say where

    interface               what a kind of device offers
    cpu                     the processor
    cuda                    GPUs of NVIDIA

Where several processes run one program, `devices()` has those of the processor of all of them, in the order of the
processes; calls and arrays are on those of this process alone.  GPUs are those of this process.

The driver of CUDA is looked for when the program asks for all devices or for one of its own, and never before.
"""

from __future__ import annotations

from functools import cache
from types import TracebackType
from typing import Any

from .. import asynchronous
from ..processes import processes
from ..values import HeldValues
from .cpu import Cpu
from .cuda import driver
from .cuda.platform import Cuda
from .interface import Platform

PLATFORMS: tuple[Platform, ...] = (Cpu(), Cuda())


class Device:
    """A device: `platform` is its kind, "cpu", and `id` its number among those of its kind.

    `process_index` says which process it belongs to.  It is equal to the name of its kind if it is the first of this
    process, as NumPy calls its only device "cpu".
    """

    __slots__ = ("_offers", "_own", "id", "process_index")

    def __init__(self, offers: Platform, own: int, process: int, number: int) -> None:
        self._offers, self._own, self.process_index, self.id = offers, own, process, number

    @property
    def platform(self) -> str:
        """The kind of device: "cpu" or "cuda"."""
        return self._offers.name

    @property
    def number(self) -> int:
        """Its number among all devices of this process, as arrays keep it."""
        return self._offers.first() + self._here()

    def is_here(self) -> bool:
        """Whether it is a device of this process."""
        return self.process_index == processes().index

    def _here(self) -> int:
        """Its number among those of its kind in this process.  Raises ValueError where it is of another."""
        if not self.is_here():
            raise ValueError(
                f"{self} is a device of process {self.process_index}, and this is process {processes().index}: "
                "`pellucid.local_devices()` has the devices of this process"
            )
        return self._own

    def memory_stats(self) -> dict[str, int]:
        """`bytes_in_use`: what results and temporaries of compiled functions take; devices of a processor share it.

        Those of CUDA tell `peak_bytes_in_use`, `bytes_held`, `bytes_free` and `bytes_limit` as well.
        """
        return self._offers.memory_stats(self._here())

    def put(self, array: HeldValues) -> Any:
        """The array on this device."""
        return self._offers.put(array, self._here())

    def shared(self, array: HeldValues) -> Any:
        """The array as other libraries read it on this device."""
        return self._offers.shared(array)

    def make_default(self) -> int:
        """Let calls of this thread run on it, if their arguments do not say where; the number of the former."""
        return self._offers.make_default(self._here())

    def in_flight(self) -> int:
        """How many calls have been made for it and have not ended."""
        return self._offers.in_flight(self._here())

    def finish(self) -> None:
        """Wait for all calls that have been made for it."""
        self._offers.finish(self._here())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return (self.platform, self.id) == (other.platform, other.id)
        return self._is_first() and other == self.platform

    def __hash__(self) -> int:
        return hash(self.platform if self._is_first() else (self.platform, self.id))

    def _is_first(self) -> bool:
        return self._own == 0 and self.is_here()

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"

    def __repr__(self) -> str:
        return f"<device {self}>"


@cache
def _of(offers: Platform) -> tuple[Device, ...]:
    """The devices of one kind that this process has; counting them may load a library."""
    own, is_cpu = processes(), offers is PLATFORMS[0]
    first = own.first_of(own.index) if is_cpu else 0
    return tuple(Device(offers, number, own.index, first + number) for number in range(offers.count()))


@cache
def _of_all(offers: Platform) -> tuple[Device, ...]:
    """Those of one kind that all processes have."""
    all_, is_cpu, own = processes(), offers is PLATFORMS[0], _of(offers)
    if not is_cpu or all_.count == 1:
        return own
    found: list[Device] = []
    for process, count in enumerate(all_.devices):
        first = all_.first_of(process)
        others = [Device(offers, number, process, first + number) for number in range(count)]
        found += own if process == all_.index else others
    return tuple(found)


def forget_devices() -> None:
    """Other processes are there now, or no longer: devices have other numbers."""
    _of.cache_clear()
    _of_all.cache_clear()


OTHER_NAMES = {"gpu": "cuda"}


def _platforms(name: str | None) -> list[Platform]:
    """Those of a name; all for None."""
    wanted = None if name is None else OTHER_NAMES.get(name, name)
    return [offers for offers in PLATFORMS if wanted in (None, offers.name)]


def devices(platform: str | None = None) -> list[Device]:
    """The devices of all processes, or those of one kind, "cpu" or "cuda" ("gpu" too); of GPUs those of this process.

    Raises ValueError where there are none of this kind.
    """
    return _required(platform, [device for offers in _platforms(platform) for device in _of_all(offers)])


def local_devices(process_index: int | None = None, backend: str | None = None) -> list[Device]:
    """The devices of this process, or of another one; all, or those of one kind.

    Raises ValueError where there are none.
    """
    if process_index is None:
        return _required(backend, [device for offers in _platforms(backend) for device in _of(offers)])
    return _required(backend, [device for device in devices(backend) if device.process_index == process_index])


def _required(platform: str | None, found: list[Device]) -> list[Device]:
    if not found:
        why = "".join(f" ({offers.why_not()})" for offers in _platforms(platform))
        raise ValueError(f"there are no devices of the kind {platform!r}; there are {_told()}{why}")
    return found


def device_count(platform: str | None = None) -> int:
    """How many devices all processes have, or how many of one kind."""
    return len(devices(platform))


def local_device_count(platform: str | None = None) -> int:
    """How many devices this process has."""
    return len(local_devices(backend=platform))


def are_several() -> bool:
    """Whether an array can be on one of several devices: those of CUDA count once they have been asked for."""
    return len(_of(PLATFORMS[0])) > 1 or (driver.was_asked() and driver.count() > 0)


def is_on_gpu(number: int) -> bool:
    """Whether a device, by its number among all, has a memory of its own, where kernels run."""
    return number >= len(_of(PLATFORMS[0]))


def named(device: Device | str) -> Device:
    """A device by its name: "cpu" is the first one of this process, "cpu:1" the second of all.

    Raises ValueError where there is none.
    """
    if isinstance(device, Device):
        return device
    kind, colon, number = device.partition(":")
    asked, wanted = _platforms(kind), f"{OTHER_NAMES.get(kind, kind)}{colon}{number}"
    found = next((one for offers in asked for one in _of_all(offers) if wanted in (one, str(one))), None)
    if found is None:
        why = "".join(f" ({offers.why_not()})" for offers in asked if offers.why_not())
        raise ValueError(f"there is no device {device!r}; there are {_told()}{why}")
    return found


def default_kind() -> str:
    """The kind of device that calls run on whose arguments do not say where: "cuda" after `default_device("cuda")`."""
    default = asynchronous.default_device()
    return PLATFORMS[1].name if default >= 0 and is_on_gpu(default) else PLATFORMS[0].name


def by_number(number: int) -> Device:
    """The device of a number, as arrays keep it: those of the processor come first."""
    own = _of(PLATFORMS[0])
    return own[number] if number < len(own) else _of(PLATFORMS[1])[number - len(own)]


def _told() -> str:
    return ", ".join(str(device) for offers in PLATFORMS for device in _of_all(offers))


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
