"""Fourier transforms of the rows of a matrix by cuFFT, without factors.

    along_rows("D2Z", y, a)     y[i] of a[i], for the kinds that cuFFT has: R2C C2R C2C and D2Z Z2D Z2Z

A plan is kept for each length, number and distance of rows.  It works in memory that is ours and lives for one call, so
that plans take none of it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import driver
from .libraries import Library, library, on_device, stream, wait_for_device
from .matrices import blas, copy_array
from .products import PLAIN, readable

KINDS = {"R2C": 0x2A, "C2R": 0x2C, "C2C": 0x29, "D2Z": 0x6A, "Z2D": 0x6C, "Z2Z": 0x69}
FORWARD, BACKWARD = -1, 1
MOST_PLANS = 64
Key = tuple[int, str, int, int, int, int]


class Plan:
    """A plan of the library; `bytes` are those that it works in."""

    def __init__(self, fft: Library, key: Key) -> None:
        number, kind, n, count, row_in, row_out = key
        self.handle = ctypes.c_int()
        size, length = ctypes.c_size_t(), ctypes.c_longlong(n)
        first, second = ctypes.c_longlong(row_in), ctypes.c_longlong(row_out)
        fft.call("cufftCreate", ctypes.byref(self.handle))
        fft.call("cufftSetAutoAllocation", self.handle, 0)
        fft.call(
            "cufftMakePlanMany64", self.handle, 1, ctypes.byref(length), ctypes.byref(first), 1, row_in,
            ctypes.byref(second), 1, row_out, KINDS[kind], count, ctypes.byref(size),
        )  # fmt: skip
        fft.call("cufftSetStream", self.handle, stream(number))
        self.bytes = size.value


def _plan(fft: Library, key: Key) -> Plan:
    """A plan for a device, a kind, the length and the number of rows, and their distances."""
    found: Plan | None = fft.kept.pop(key, None)
    if found is None:
        found = Plan(fft, key)
        if len(fft.kept) == MOST_PLANS:
            oldest = next(iter(fft.kept))
            with on_device(oldest[0]):
                wait_for_device(oldest[0])  # a plan that works is not to be destroyed
                fft.call("cufftDestroy", fft.kept.pop(oldest).handle)
    fft.kept[key] = found  # the last one is the one used last
    return found


def along_rows(kind: str, y: Any, a: Any, direction: int = FORWARD) -> None:
    """y[i] is the transform of a[i]; `direction` is for C2C and Z2Z alone."""
    fft = library("cufft")
    assert fft is not None, "who calls it has looked for it"
    n = y.shape[1] if kind in ("C2R", "Z2D") else a.shape[1]
    a = _without_imaginary_ends(a, n) if kind in ("C2R", "Z2D") else _with_rows(a)
    with on_device(y.number):
        plan = _plan(fft, (y.number, kind, n, len(y), a.strides[0] // a.itemsize, y.strides[0] // y.itemsize))
        work = driver.extension().device_array(max(plan.bytes, 1), np.uint8)
        fft.call("cufftSetWorkArea", plan.handle, work.ptr)
        more = (direction,) if kind in ("C2C", "Z2Z") else ()
        fft.call(f"cufftExec{kind}", plan.handle, a.ptr, y.ptr, *more)


def _with_rows(a: Any) -> Any:
    """The matrix, or a copy of it whose rows are contiguous."""
    way = readable(a)
    if way is not None and way[0] == PLAIN and len(a) > 1:
        return a
    made = driver.extension().device_array(a.shape, a.dtype)
    copy_array(made, a)
    return made


def _without_imaginary_ends(a: Any, n: int) -> Any:
    """A copy, which the library may write on, in which numbers are real that are their own conjugates: it is left open
    what the library makes of others there, and NumPy takes no notice of their imaginary parts.
    """
    columns = n // 2 + 1
    made = driver.extension().device_array((len(a), columns), a.dtype)
    copy_array(made, a[:, :columns])
    letter, item = ("S", 4) if a.dtype == np.complex64 else ("D", 8)
    zeros = driver.extension().device_array(len(a), np.float32 if letter == "S" else np.float64).clear()
    with on_device(a.number):
        for column in (0, columns - 1) if n % 2 == 0 else (0,):
            place = made.ptr + (2 * column + 1) * item
            blas().call(f"cublas{letter}copy_v2", blas().handle(a.number), len(a), zeros.ptr, 1, place, 2 * columns)
    return made
