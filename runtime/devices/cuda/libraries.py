"""Products of matrices by cuBLAS, where its library is found: in its wheel or in a toolkit of the system.

    routines()    {"gemm": ..., "gemv": ..., "dot": ...}, empty where there is no library

They are called as those of the loops stage are, `gemm(c, a, b)`, with arrays of one device, and return before it has
computed them.  float32 is computed in float32, not in TF32, as is the default of cuBLAS.  What the library does not
take (ints, complex numbers) runs on the host.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from . import driver

NAMES = ("libcublas.so.13", "libcublas.so.12", "libcublas.so")
LETTERS = {np.dtype(np.float32): "S", np.dtype(np.float64): "D"}
PLAIN, TURNED = 0, 1  # CUBLAS_OP_N and CUBLAS_OP_T
REAL = {"S": ctypes.c_float, "D": ctypes.c_double}
_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _library() -> Any:
    """cuBLAS, or None."""
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib

        return ctypes.CDLL(load_nvidia_dynamic_lib("cublas").abs_path)
    except Exception:  # it is another package's business why it does not find the library
        pass
    for name in NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def routines(fallback: Callable[[str], Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The routines that the library has; `fallback(name)` is the one of the host."""
    if _library() is None:
        return {}

    def of(name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
        def call(*operands: Any) -> Any:
            result = ours(*operands)
            return fallback(name)(*operands) if result is NotImplemented else result

        return call

    return {"gemm": of("gemm", gemm), "gemv": of("gemv", gemv), "dot": of("dot", dot)}


# --- the library -----------------------------------------------------------------------------------------------------


class _Current:
    """A block in which a device's own context is the one of this thread, as the library wants it."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> None:
        _succeed(_cuda().cuCtxPushCurrent_v2(_context(self.number)), "cuCtxPushCurrent")

    def __exit__(self, *error: object) -> None:
        _cuda().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


@lru_cache(maxsize=1)
def _cuda() -> Any:
    return ctypes.CDLL(driver.path())


@lru_cache(maxsize=16)
def _context(number: int) -> ctypes.c_void_p:
    """The context that the native part works in too."""
    context = ctypes.c_void_p()
    _succeed(_cuda().cuDevicePrimaryCtxRetain(ctypes.byref(context), number), "cuDevicePrimaryCtxRetain")
    return context


@lru_cache(maxsize=16)
def _handle(number: int) -> ctypes.c_void_p:
    """The library's own state for a device, on the stream that our launches go into."""
    handle = ctypes.c_void_p()
    _succeed(_library().cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    stream = ctypes.c_void_p(driver.extension().cuda_stream(number))
    _succeed(_library().cublasSetStream_v2(handle, stream), "cublasSetStream")
    return handle


def _succeed(status: int, call: str) -> None:
    if status:
        raise RuntimeError(f"{call} gives the status {status}")


# --- products --------------------------------------------------------------------------------------------------------


def gemm(c: Any, a: Any, b: Any) -> Any:
    """c = a @ b; NotImplemented for what the library does not take.

    It reads columns, so that it is asked for the transposed product.
    """
    letter = LETTERS.get(c.dtype)
    if letter is None or not c.is_contiguous:
        return NotImplemented
    (n, m), k = c.shape, a.shape[1]
    if not n or not m:
        return None
    if not k:
        c.clear()
        return None
    left, way_left, step_left = _readable(a)
    right, way_right, step_right = _readable(b)
    one, zero = REAL[letter](1.0), REAL[letter](0.0)
    call = getattr(_library(), f"cublas{letter}gemm_v2")
    with _LOCK, _Current(c.number):
        status = call(
            _handle(c.number), way_right, way_left, m, n, k, ctypes.byref(one), ctypes.c_void_p(right.ptr), step_right,
            ctypes.c_void_p(left.ptr), step_left, ctypes.byref(zero), ctypes.c_void_p(c.ptr), m,
        )  # fmt: skip
    _succeed(status, f"cublas{letter}gemm")
    return None


def gemv(y: Any, a: Any, x: Any) -> Any:
    """y = a @ x."""
    return gemm(y.reshape(y.shape[0], 1), a, x[:, None])


def dot(x: Any, y: Any) -> Any:
    """The number x @ y; waits for it."""
    letter, n = LETTERS.get(x.dtype), x.shape[0]
    if letter is None or not n:
        return NotImplemented
    left, right = (v if v.strides[0] > 0 else v.copy() for v in (x, y))
    result = REAL[letter]()
    steps = [v.strides[0] // v.itemsize for v in (left, right)]
    call = getattr(_library(), f"cublas{letter}dot_v2")
    with _LOCK, _Current(x.number):
        status = call(
            _handle(x.number), n, ctypes.c_void_p(left.ptr), steps[0], ctypes.c_void_p(right.ptr), steps[1],
            ctypes.byref(result),
        )  # fmt: skip
    _succeed(status, f"cublas{letter}dot")
    return x.dtype.type(result.value)


def _readable(a: Any) -> tuple[Any, int, int]:
    """A matrix as the library reads it: the array, whether its rows are the columns, and the step between them."""
    item, (down, along) = a.itemsize, a.strides
    rows, columns = a.shape
    if (along == item or columns == 1) and _fits(down, columns * item, item, rows):
        return a, PLAIN, max(down // item if rows > 1 else columns, columns)
    if (down == item or rows == 1) and _fits(along, rows * item, item, columns):
        return a, TURNED, max(along // item if columns > 1 else rows, rows)
    return _readable(a.copy())


def _fits(step: int, least: int, item: int, count: int) -> bool:
    """Whether rows that are this far apart do not overlap, and are whole numbers apart."""
    return count == 1 or (step >= least and step % item == 0)
