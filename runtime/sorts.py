"""NumPy's own sorts of contiguous numbers, by address.

    address_of("sort_float64")       int sort(void *start, npy_intp n, void *unused): in place, nan last
    address_of("argsort_float64")    int argsort(void *start, npy_intp *places, npy_intp n, void *unused): their order,
                                     equals as they stand, where `places` begins as 0 ... n - 1

The table of a dtype's functions is part of NumPy's C interface
(`numpy/ndarraytypes.h`); what is found there is tried on three numbers, so that another layout is an error and not
another order.
"""

from __future__ import annotations

import ctypes
from importlib import import_module

import numpy as np

MODULE = "numpy._core._multiarray_umath"
FUNCTIONS = 365  # the place of `PyDataType_GetArrFuncs` in the table of the interface
CASTS, OTHERS, SORTS = 21, 12, 3  # what stands before the sorts and their orders, and how many of each there are
PLAIN, STABLE = 0, 2
SORT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)
ARGSORT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p)


def address_of(name: str) -> int:
    """The function, `sort_` or `argsort_` and the name of a dtype.  Raises LookupError where NumPy has another."""
    which, _, word = name.partition("_")
    dtype = np.dtype(word)
    place = CASTS + OTHERS + (PLAIN if which == "sort" else SORTS + STABLE)
    found = _functions(dtype)[place] or 0
    if not found or not _is_right(found, which, dtype):
        raise LookupError(f"the functions of {dtype} are not as `numpy/ndarraytypes.h` has them")
    return found


def _functions(dtype: np.dtype) -> ctypes.Array | ctypes._Pointer:
    """The table of a dtype's functions."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    interface = ctypes.cast(pointer(import_module(MODULE)._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    ask = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(interface[FUNCTIONS] or 0)
    return ctypes.cast(ask(dtype), ctypes.POINTER(ctypes.c_void_p))


def _is_right(address: int, which: str, dtype: np.dtype) -> bool:
    values, places = np.array([1, 0, 1], dtype), np.arange(3)
    if which == "sort":
        return SORT(address)(values.ctypes.data, 3, None) == 0 and values.tolist() == [0, 1, 1]
    status = ARGSORT(address)(values.ctypes.data, places.ctypes.data, 3, None)
    return status == 0 and places.tolist() == [1, 0, 2]
