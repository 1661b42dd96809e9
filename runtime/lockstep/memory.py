"""Memory of the device as the machine keeps it: the numbers, which were ever written, and which threads touched them.

An allocation is one row of numbers, however the arrays are shaped that look at it, so that two views of one element
meet in the same location.  Arrays are shape, strides and a first location in it, counted in elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from .errors import KernelFault, LockstepError
from .order import Moment

GLOBAL, SHARED, LOCAL = "global", "shared", "local"
KINDS = "biufc"  # what numbers NumPy calls so


class Allocation:
    """Numbers in a row, with what has to be known of each.

    `stores`, `loads` and `atomics` hold, for the elements that the launch at hand has touched, when and on which line;
    `is_of_failed` says whether a thread stored there that had found the program failing.
    """

    __slots__ = ("atomics", "is_exempt", "is_of_failed", "launch", "loads", "numbers", "space", "stores", "written")

    def __init__(self, numbers: np.ndarray, is_written: bool, space: str = GLOBAL, is_exempt: bool = False) -> None:
        self.numbers = numbers
        self.written = np.full(numbers.size, is_written)
        self.space = space
        self.is_exempt = is_exempt
        self.launch: object = None
        self.forget(None)

    def forget(self, launch: object) -> None:
        """Begin a launch: a stream carries out launches one after the other."""
        self.launch = launch
        self.is_of_failed = False
        self.stores: dict[int, tuple[Moment, Any]] = {}
        self.loads: dict[int, tuple[Moment, Any]] = {}
        self.atomics: dict[int, tuple[Moment, Any]] = {}


class DeviceArray:
    """An array on the device: whole on the host, elements in kernels.

    On the host slices, integers, `.T` and `.reshape` give views; for elements there are `x.copy_to_host()` and
    `fetch(x)`.
    """

    __slots__ = ("_view", "allocation", "dtype", "first", "kind", "shape", "strides")

    def __init__(self, allocation: Allocation, view: np.ndarray) -> None:
        numbers = allocation.numbers
        size = max(numbers.itemsize, 1)
        self.allocation = allocation
        self._view = view
        self.shape = view.shape
        self.dtype = view.dtype
        self.kind: type = view.dtype.type
        self.strides = tuple(stride // size for stride in view.strides)
        start = view.__array_interface__["data"][0] - numbers.__array_interface__["data"][0]
        self.first = start // size if view.size else 0

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: self._view.size)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self._view.nbytes)
    T = property(lambda self: DeviceArray(self.allocation, self._view.T))

    def __len__(self) -> int:
        return len(self._view)

    def __getitem__(self, index: Any) -> DeviceArray:
        parts = index if isinstance(index, tuple) else (index,)
        for part in parts:
            if not (part is None or part is Ellipsis or isinstance(part, slice | int | np.integer)):
                raise TypeError(f"views of a device array are made by slices and integers, not by {part!r}")
        has_ellipsis = any(part is Ellipsis for part in parts)
        # with an ellipsis NumPy gives a view even of a single element
        view = self._view[parts if has_ellipsis else (*parts, ...)]
        return DeviceArray(self.allocation, view)

    def reshape(self, *shape: Any) -> DeviceArray:
        """A view of the same elements in another shape; ValueError where the elements do not lie together."""
        return DeviceArray(self.allocation, self._view.reshape(*shape, copy=False))

    def transpose(self, *axes: Any) -> DeviceArray:
        """A view with its axes in another order."""
        return DeviceArray(self.allocation, self._view.transpose(*axes))

    def copy_from_host(self, values: np.ndarray) -> None:
        """Copy the elements of an ndarray of the same shape."""
        self._view[...] = values
        self.allocation.written[self.places()] = True

    def copy_to_host(self, partly: bool = False) -> np.ndarray:
        """A new ndarray of the elements; LockstepError if one of them was never written, unless it may be `partly`."""
        written = self.allocation.written[self.places()]
        if not (partly or written.all()):
            first = tuple(int(k) for k in np.argwhere(~written)[0])
            missing = written.size - np.count_nonzero(written)
            where = f", the first of them [{', '.join(map(str, first))}]" if first else ""
            raise LockstepError(f"copy_to_host: {missing} of {written.size} elements were never written{where}")
        return self._view.copy()

    def places(self) -> np.ndarray:
        """Where in the allocation each element lies."""
        place = np.full(self.shape, self.first)
        for axis, stride in enumerate(self.strides):
            place += stride * np.arange(self.shape[axis]).reshape(-1, *(1,) * (self.ndim - axis - 1))
        return place

    def __repr__(self) -> str:
        missing = self.size - np.count_nonzero(self.allocation.written[self.places()])
        note = f", {missing} elements unwritten" if missing else ""
        return f"<device array {self.dtype}{list(self.shape)}{note}\n{self._view}>"

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            "the elements of a device array are on the device: copy them with x.copy_to_host(), or a single one with"
            " fetch(x); only kernels read and store elements"
        )

    __setitem__ = __iter__ = __contains__ = __bool__ = __float__ = __int__ = __complex__ = __index__ = __array__ = (
        _refuse
    )
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = (
        _refuse
    )
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __matmul__ = __rmatmul__ = __neg__ = __abs__ = __invert__ = (
        _refuse
    )
    __and__ = __or__ = __xor__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__


class FaultWord(DeviceArray):
    """One int64, zero at first.  A kernel that finds the program failing stores 1; in which order does not matter."""

    __slots__ = ()

    def check(self) -> None:
        """End the driver: KernelFault if a kernel has stored 1."""
        if self._view[0]:
            raise KernelFault("the program fails on these arguments: a kernel found an error that Python would raise")


def allocate(shape: Any, dtype: Any, space: str = GLOBAL) -> DeviceArray:
    """An array none of whose elements is written; their numbers are such that using one by mistake is seen."""
    made = np.empty(shape, dtype)
    if made.dtype.kind not in KINDS:
        raise TypeError(f"a device array holds numbers, not {made.dtype}")
    numbers = made.reshape(-1)
    numbers.view(np.uint8)[...] = 0x7F if made.dtype.kind != "b" else 1
    return DeviceArray(Allocation(numbers, False, space), made)


def to_device(values: Any) -> DeviceArray:
    """A copy of an array on the device, contiguous in C order."""
    copied = np.array(values, order="C")
    if copied.dtype.kind not in KINDS:
        raise TypeError(f"a device array holds numbers, not {copied.dtype}")
    return DeviceArray(Allocation(copied.reshape(-1), True), copied)


def fetch(x: DeviceArray) -> Any:
    """The number that a device array of no dimensions holds, as a NumPy scalar."""
    if not isinstance(x, DeviceArray) or x.ndim:
        raise TypeError("fetch takes a device array of no dimensions")
    return x.copy_to_host()[()]


def faults() -> FaultWord:
    """A word in which kernels say that the program fails."""
    word = np.zeros(1, np.int64)
    return FaultWord(Allocation(word, True, is_exempt=True), word)


def device_arrays(arguments: tuple[Any, ...]) -> Iterator[DeviceArray]:
    return (argument for argument in arguments if isinstance(argument, DeviceArray))
