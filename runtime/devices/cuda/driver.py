"""The CUDA driver: whether there is one, and the native part with it.

    extension()    the native part, with the driver open; raises ValueError where there is none
    count()        how many devices it has; 0 where there is no driver
    why_not()      why there is none, for messages

Nothing is looked for before one of these is called: `import pellucid` and calls on the processor load no library.
PELLUCID_LIBCUDA names another file than libcuda.so.1.
"""

from __future__ import annotations

import os
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import native_part

if TYPE_CHECKING:

    class DeviceArray:
        """An array on a device; `native/cuda_arrays.c` has it."""

        shape: tuple[int, ...]
        strides: tuple[int, ...]
        dtype: np.dtype[Any]
        ndim: int
        size: int
        nbytes: int
        ptr: int
        number: int  # of its device, among those of CUDA
        is_contiguous: bool
        verdict: Any  # is called when elements have come to the host
        T: DeviceArray
        __cuda_array_interface__: dict[str, Any]

        def __init__(self, array: DeviceArray) -> None: ...
        def __getitem__(self, index: Any) -> DeviceArray: ...
        def reshape(self, *shape: Any) -> DeviceArray: ...
        def copy(self) -> DeviceArray: ...
        def clear(self) -> DeviceArray: ...
        def wait(self) -> None: ...
        def copy_to_host(self, *, partly: bool = False) -> np.ndarray: ...
        def copy_from_host(self, values: np.ndarray) -> None: ...
        def copy_from_device(self, array: DeviceArray) -> None: ...
else:
    DeviceArray = getattr(native_part.extension(), "DeviceArray", object)

SETTING = "PELLUCID_LIBCUDA"
USUAL = "libcuda.so.1"
CAPABILITY = 75, 76  # the driver's numbers of the two attributes


@lru_cache(maxsize=1)
def _found() -> tuple[ModuleType | None, int, str]:
    native = native_part.extension()
    if native is None:
        return None, 0, f"devices of CUDA need the native part: {native_part.why_not()}"
    try:
        found = native.cuda_open(path())
    except native.CudaError as error:
        return None, 0, str(error)
    return (native, found, "") if found else (None, 0, "the driver of CUDA finds no device")


def path() -> str:
    """The file of the driver."""
    return os.environ.get(SETTING) or USUAL


def extension() -> ModuleType:
    """The native part, with the driver open.  Raises ValueError where there is no device of CUDA."""
    native, _, why = _found()
    if native is None:
        raise ValueError(f"there is no device of CUDA: {why}")
    return native


def count() -> int:
    """How many devices of CUDA there are."""
    return _found()[1]


def why_not() -> str:
    """Why there is no device of CUDA; empty where there are some."""
    return _found()[2]


def was_asked() -> bool:
    """Whether the driver has been looked for."""
    return _found.cache_info().currsize > 0


def compute_capability(number: int) -> tuple[int, int]:
    """What machine code a device runs: (9, 0) for an H100."""
    native = extension()
    major, minor = (native.cuda_attribute(number, attribute) for attribute in CAPABILITY)
    return major, minor
