"""Whether native dispatch is possible here: what it takes for granted of CPython and NumPy is looked up, not believed.

    reason()    ->    None, or why calls go through Python: "free-threaded", "an unknown NumPy", ...

Objects of every kind that the native code reads are made and read the way it reads them.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from functools import lru_cache
from typing import Any

import numpy as np

from .. import routines
from ..array import Array
from ..dtypes import REAL

SWITCH = "PELLUCID_NATIVE_DISPATCH"
FIRST, BEYOND = (3, 11), (3, 15)
NUMPY_ABI = 0x02000000
ARRAY_TYPE, SCALAR, NEW_COPY, NEW_FROM_DESCR, SET_BASE = 2, 60, 85, 94, 282  # places in NumPy's table of functions
VERSION = 0

SYMBOLS = """Py_IncRef Py_DecRef PyLong_AsLongLongAndOverflow PyLong_AsLongLong PyLong_FromLongLong PyLong_FromVoidPtr
    PyFloat_AsDouble PyFloat_FromDouble PyBool_FromLong PyTuple_New PyTuple_Size PyTuple_GetItem PyTuple_SetItem
    PyList_New PyList_Size PyList_GetItem PyList_SetItem PyDict_New PyDict_Size PyDict_Next PyDict_SetItem
    PyDict_GetItemWithError
    PyObject_GetAttr PyObject_Vectorcall PyObject_CallNoArgs PyErr_Clear PyErr_SetObject PyUnicode_Compare
    PyCapsule_New PyCapsule_GetPointer PyType_GenericAlloc PyEval_SaveThread PyEval_RestoreThread PyThreadState_Get
    PyThreadState_GetID Py_GetRecursionLimit""".split()


@lru_cache(maxsize=1)
def reason() -> str | None:
    """Why native dispatch is off; None where it is on."""
    if os.environ.get(SWITCH, "1") == "0":
        return f"{SWITCH}=0"
    if sys.implementation.name != "cpython" or not FIRST <= sys.version_info[:2] < BEYOND:
        return "an interpreter that is not known"
    if sys.maxsize < 2**32 or sys.byteorder != "little":
        return "a processor that is not known"
    if os.name != "posix" or set(sys.abiflags) & {"t", "d"} or hasattr(sys, "getobjects"):
        return "a free-threaded or debugging build, or a system that is not known"
    if any(not hasattr(ctypes.pythonapi, name) for name in SYMBOLS) or not _is_main_interpreter():
        return "an interpreter without the functions needed"
    return _objects() or _arrays()


def provide_symbols() -> None:
    """Let native code call the functions of the interpreter by name."""
    for name in SYMBOLS:
        routines.provide(name, address(name))


def address(name: str) -> int:
    """The address of a function of the interpreter."""
    return int(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


def word(place: int) -> int:
    return int(ctypes.c_int64.from_address(place).value)


def numpy_table() -> int:
    """NumPy's table of functions for C, which keeps its order for as long as its version stands."""
    module: Any = importlib.import_module("numpy._core._multiarray_umath")
    return routines.capsule_address(module._ARRAY_API)


def values_offset() -> int | None:
    """Where an Array keeps its values; None where that cannot be told."""
    array = Array(np.zeros(2))
    size = Array.__basicsize__
    found = [k for k in range(16, size, 8) if word(id(array) + k) == id(array._values)]
    return found[0] if len(found) == 1 else None


def _is_main_interpreter() -> bool:
    current, main = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_Main
    current.restype = main.restype = ctypes.c_void_p
    return bool(current() == main())


def _objects() -> str | None:
    """Types stand in the second word of an object; flags of types and NumPy's scalars where they are expected."""
    objects: tuple[Any, ...] = (1.5, 7, "text", (), [], {}, np.zeros(1), np.float64(1.0), Array(np.zeros(1)))
    for sample in objects:
        if word(id(sample) + 8) != id(type(sample)):
            return "objects that begin in an unknown way"
    for class_ in (int, dict, Array, np.ndarray):
        if word(id(class_) + 32) != class_.__basicsize__ or word(id(class_) + 168) & (2**64 - 1) != class_.__flags__:
            return "types of an unknown layout"
    for name in REAL:
        scalar: Any = getattr(np, name)
        made = scalar(1)
        stored = (ctypes.c_char * made.itemsize).from_address(id(made) + 16)
        if stored.raw != made.tobytes() or scalar.__basicsize__ < 24:
            return "NumPy scalars of an unknown layout"
    return None if values_offset() is not None else "an Array of an unknown layout"


def _arrays() -> str | None:
    table = numpy_table()
    version = ctypes.CFUNCTYPE(ctypes.c_uint)(word(table))
    if version() != NUMPY_ABI or word(table + 8 * ARRAY_TYPE) != id(np.ndarray):
        return "a NumPy that is not known"
    base = np.arange(24.0).reshape(2, 3, 4)
    for sample in (base, base[:, ::2], base.astype(np.int32), base.astype(">f4"), np.array(True), base[0, 0].T):
        if not _reads_right(sample):
            return "arrays of an unknown layout"
    return None


def _reads_right(array: np.ndarray) -> bool:
    """Whether the fields of an array, read as native code reads them, are what NumPy says of it."""
    start, rank = id(array), array.ndim
    dims, strides, descr = word(start + 32), word(start + 40), word(start + 56)
    flags, writable = ctypes.c_int32.from_address(start + 64).value, array.flags.writeable
    order = ctypes.c_char.from_address(descr + 26).value.decode()
    return (
        word(start + 16) == array.__array_interface__["data"][0]
        and ctypes.c_int32.from_address(start + 24).value == rank
        and tuple(word(dims + 8 * k) for k in range(rank)) == array.shape
        and tuple(word(strides + 8 * k) for k in range(rank)) == array.strides
        and descr == id(array.dtype)
        and ctypes.c_int32.from_address(descr + 28).value == array.dtype.num
        and order == array.dtype.byteorder
        and bool(flags & 1) == array.flags.c_contiguous
        and bool(flags & 0x100) == array.flags.aligned
        and bool(flags & 0x400) == writable
    )
