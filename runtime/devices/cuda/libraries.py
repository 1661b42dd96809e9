"""The libraries of CUDA, cuBLAS, cuSOLVER, cuFFT and NCCL, where they are found: in their wheels or in a toolkit.

    blas = library("cublas")                              None where there is none
    blas.call("cublasDgemm_v2", blas.handle(0), ...)      raises RuntimeError where it gives a status

A handle works in the stream that our launches go into, so that a call returns before the library has computed anything,
and its work comes in order.  float32 is computed in float32, not in TF32.  PELLUCID_CUDA_LIBRARIES names a folder in
which they are looked for, and nowhere else.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from . import driver

SETTING = "PELLUCID_CUDA_LIBRARIES"
FILES = {
    "cublas": ("libcublas.so.13", "libcublas.so.12", "libcublas.so"),
    "cusolver": ("libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"),
    "cufft": ("libcufft.so.12", "libcufft.so.11", "libcufft.so"),
    "nccl": ("libnccl.so.2", "libnccl.so"),
}
LETTERS = {np.dtype(word): letter for word, letter in (("f4", "S"), ("f8", "D"), ("c8", "C"), ("c16", "Z"))}
REAL = {"S": ctypes.c_float, "D": ctypes.c_double, "C": ctypes.c_float, "Z": ctypes.c_double}
# Memory that is allocated in the order of a stream is of one GPU alone: NCCL must not reach it from another one.
NCCL_COPIES = "NCCL_P2P_DIRECT_DISABLE"
MOST = 2**31 - 1  # what an int of C holds
DEFAULT_MATH = 0  # CUBLAS_DEFAULT_MATH: no TF32

# What functions take, without the letter of the dtype: i an int, l a long long, c a signed char, z a size, p a pointer.
TAKES = {
    "cublasCreate_v2": "p", "cublasSetStream_v2": "pp", "cublasSetMathMode": "pi",
    "cublasgemm_v2": "piiiiippipippi", "cublasgemmStridedBatched": "piiiiippilpilppili",
    "cublasdot_v2": "pipipip", "cublasdotu_v2": "pipipip", "cublascopy_v2": "pipipi",
    "cublasgeam": "piiiippippipi", "cublastrsm_v2": "piiiiiippipi", "cublastrttp": "piipip", "cublastpttr": "piippi",
    "cusolverDnCreate": "p", "cusolverDnSetStream": "pp",
    "cusolverDnpotrf": "piipipip", "cusolverDnpotrf_bufferSize": "piipip",
    "cusolverDngetrf": "piipippp", "cusolverDngetrf_bufferSize": "piipip", "cusolverDngetrs": "piiipippip",
    "cusolverDngeqrf": "piipippip", "cusolverDngeqrf_bufferSize": "piipip",
    "cusolverDnorgqr": "piiipippip", "cusolverDnorgqr_bufferSize": "piiipipp",
    "cusolverDnungqr": "piiipippip", "cusolverDnungqr_bufferSize": "piiipipp",
    "cusolverDnsyevd": "piiipippip", "cusolverDnsyevd_bufferSize": "piiipipp",
    "cusolverDnheevd": "piiipippip", "cusolverDnheevd_bufferSize": "piiipipp",
    "cusolverDngesvd": "pcciipippipipipp", "cusolverDngesvd_bufferSize": "piip",
    "cufftCreate": "p", "cufftSetStream": "ip", "cufftSetAutoAllocation": "ii", "cufftSetWorkArea": "ip",
    "cufftMakePlanMany64": "iippllpllilp", "cufftDestroy": "i",
    "cufftExecC2C": "ippi", "cufftExecZ2Z": "ippi", "cufftExecR2C": "ipp", "cufftExecD2Z": "ipp", "cufftExecC2R": "ipp",
    "cufftExecZ2D": "ipp",
    "ncclCommInitAll": "pip", "ncclGroupStart": "", "ncclGroupEnd": "", "ncclAllReduce": "ppziipp",
    "ncclAllGather": "ppzipp", "ncclReduceScatter": "ppziipp", "ncclSend": "pziipp", "ncclRecv": "pziipp",
}  # fmt: skip
TYPES = {"i": ctypes.c_int, "l": ctypes.c_longlong, "c": ctypes.c_byte, "p": ctypes.c_void_p, "z": ctypes.c_size_t}
_LOCK = threading.RLock()


class Library:
    """A library with its handles; `kept` is for other things that it makes, such as plans."""

    def __init__(self, name: str, functions: Any) -> None:
        self.name, self._functions = name, functions
        self.kept: dict[Any, Any] = {}
        self._handles: dict[int, ctypes.c_void_p] = {}

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; the context of the device is to be current.  Raises RuntimeError where it fails."""
        function = getattr(self._functions, name)
        if function.argtypes is None:
            function.argtypes = [TYPES[letter] for letter in _takes(name)]
        status = function(*arguments)
        if status:
            raise RuntimeError(f"{name} gives the status {status}{self._meant(status)}")

    def _meant(self, status: int) -> str:
        """What the library says of a status."""
        if self.name != "nccl":
            return ""
        told = self._functions.ncclGetErrorString
        told.restype = ctypes.c_char_p
        return f": {told(status).decode()}"

    def handle(self, number: int) -> ctypes.c_void_p:
        """The library's own state for a device."""
        found = self._handles.get(number)
        if found is None:
            found = ctypes.c_void_p()
            prefix, version = ("cublas", "_v2") if self.name == "cublas" else ("cusolverDn", "")
            self.call(f"{prefix}Create{version}", ctypes.byref(found))
            self.call(f"{prefix}SetStream{version}", found, stream(number))
            if self.name == "cublas":
                self.call("cublasSetMathMode", found, DEFAULT_MATH)
            self._handles[number] = found
        return found


def _takes(name: str) -> str:
    """What a function takes: cublasDgemm_v2 the same as those of other dtypes."""
    if name in TAKES:
        return TAKES[name]
    prefix = "cublas" if name.startswith("cublas") else "cusolverDn"
    return TAKES[prefix + name[len(prefix) + 1 :]]


@lru_cache(maxsize=len(FILES))
def library(name: str) -> Library | None:
    """cublas, cusolver, cufft or nccl."""
    if name == "nccl":
        os.environ.setdefault(NCCL_COPIES, "1")
    functions = _found(name)
    return None if functions is None else Library(name, functions)


def _found(name: str) -> Any:
    folder = os.environ.get(SETTING)
    if folder is not None:
        return _first(os.path.join(folder, file) for file in FILES[name])
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib

        return ctypes.CDLL(load_nvidia_dynamic_lib(name).abs_path)
    except Exception:  # another package may fail to find the library for any reason
        return _first(file for file in (*_in_wheels(name), *FILES[name]))


def _in_wheels(name: str) -> Iterator[str]:
    """The files of a library in NVIDIA's wheels: `nvidia/nccl/lib` among the packages of this Python."""
    for package in sys.path:
        for file in FILES[name]:
            path = os.path.join(package, "nvidia", name, "lib", file)
            if os.path.exists(path):
                yield path


def _first(files: Iterator[str]) -> Any:
    for file in files:
        try:
            return ctypes.CDLL(file)
        except OSError:
            continue
    return None


# --- devices ---------------------------------------------------------------------------------------------------------


@contextmanager
def on_device(number: int) -> Iterator[None]:
    """A block in which a device's own context is the one of this thread, as libraries want it, and none is used by
    another thread.
    """
    with _LOCK:
        succeed(_cuda().cuCtxPushCurrent_v2(_context(number)), "cuCtxPushCurrent")
        try:
            yield
        finally:
            _cuda().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


@lru_cache(maxsize=1)
def _cuda() -> Any:
    return ctypes.CDLL(driver.path())


@lru_cache(maxsize=16)
def _context(number: int) -> ctypes.c_void_p:
    """The context that the native part works in too."""
    context = ctypes.c_void_p()
    succeed(_cuda().cuDevicePrimaryCtxRetain(ctypes.byref(context), number), "cuDevicePrimaryCtxRetain")
    return context


def stream(number: int) -> ctypes.c_void_p:
    """The stream of a device that our launches go into."""
    return ctypes.c_void_p(driver.extension().cuda_stream(number))


def wait_for_device(number: int) -> None:
    """Wait for all that the stream of a device has got."""
    succeed(_cuda().cuStreamSynchronize(stream(number)), "cuStreamSynchronize")


def succeed(status: int, call: str) -> None:
    if status:
        raise RuntimeError(f"{call} gives the status {status}")


def number_of(letter: str, value: float) -> Any:
    """A number of the host, by address, as libraries take factors."""
    parts = 2 if letter in "CZ" else 1
    return ctypes.byref((REAL[letter] * parts)(value))
