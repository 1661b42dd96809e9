"""`cuda` for files that run in lockstep: the names of numba.cuda that printed kernels and drivers use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import FunctionType
from typing import Any, NoReturn

from .blocks import Device
from .counts import Counts
from .kernels import DeviceFunction, Kernel
from .memory import DeviceArray, allocate, to_device
from .rewriting import OF_THREAD, WAITING
from .threads import Thread

OPTIONS = frozenset("device inline fastmath max_registers lineinfo debug opt cache".split())


class Inside:
    """What only kernels call: on the host it says so."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Inside:
        if name.startswith("__"):
            raise AttributeError(name)
        return Inside(f"{self.name}.{name}")

    def __call__(self, *arguments: object, **keywords: object) -> NoReturn:
        raise RuntimeError(f"{self.name} has a meaning in kernels alone")


class Cuda:
    """The machine, under the names of numba.cuda."""

    def __init__(self) -> None:
        self.device = Device()
        self.shared, self.local, self.atomic = Inside("cuda.shared"), Inside("cuda.local"), Inside("cuda.atomic")

    def jit(self, function: FunctionType | None = None, *, device: bool = False, **options: object) -> Any:
        """Make a kernel, or a device function, of a function; what only steers a compiler is passed over."""
        if unknown := options.keys() - OPTIONS:
            raise TypeError(f"cuda.jit has no option {', '.join(sorted(unknown))}")
        if function is None:
            return lambda function: self.jit(function, device=device)
        return DeviceFunction(function, self) if device else Kernel(function, self)

    def device_array(self, shape: Any, dtype: Any) -> DeviceArray:
        """An array on the device none of whose elements is written."""
        return allocate(shape, dtype)

    def to_device(self, values: Any) -> DeviceArray:
        """A copy of an array on the device."""
        return to_device(values)

    def synchronize(self) -> None:
        """Wait for the device, which in lockstep has always finished."""

    def __getattr__(self, name: str) -> Any:
        """In a kernel under a debugger `cuda.threadIdx.x` is what it is for the thread that runs."""
        if name not in OF_THREAD and name not in WAITING:
            raise AttributeError(f"cuda has no {name} in lockstep")
        thread: Thread | None = self.device.thread
        return Inside(f"cuda.{name}") if thread is None or name in WAITING else getattr(thread, name)


cuda = Cuda()


@contextlib.contextmanager
def counting() -> Iterator[Counts]:
    """Count the memory that launches move; slow, therefore only when asked for."""
    before = cuda.device.counts
    counts = cuda.device.counts = Counts()
    try:
        yield counts
    finally:
        cuda.device.counts = before
