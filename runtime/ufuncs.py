"""Inner loops of the generalised ufuncs behind `numpy.fft`, by address.

    address_of("d_fft")         the loop of `numpy.fft._pocketfft_umath.fft` for doubles
    address_of("d_fft_data")    what the loop is given as its last argument

The record of a ufunc is part of NumPy's C interface (`numpy/ufuncobject.h`).  What it says of itself is compared with
what Python sees of the ufunc, so that another layout is an error and not a wild call.
"""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

MODULE = "numpy.fft._pocketfft_umath"
SIGNATURES = {"irfft": "(m),()->(n)", "ifft": "(m),()->(n)"}
OTHERS = "(n),()->(m)"


class _Ufunc(ctypes.Structure):
    """The head of a ufunc's record, after that of every Python object."""

    _fields_ = [
        ("nin", ctypes.c_int), ("nout", ctypes.c_int), ("nargs", ctypes.c_int), ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)), ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int), ("reserved", ctypes.c_int), ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_char)),
    ]  # fmt: skip


def address_of(name: str) -> int:
    """The loop, or its data, of `letter_ufunc` or `letter_ufunc_data`.  Raises LookupError where NumPy has another."""
    letter, _, rest = name.partition("_")
    called = rest.removesuffix("_data")
    try:
        ufunc = getattr(importlib.import_module(MODULE), called)
    except (ImportError, AttributeError):
        raise LookupError(name) from None
    record = _checked(ufunc, called)
    wanted = [k for k, kinds in enumerate(ufunc.types) if kinds[1] == letter.replace("s", "f")]
    if len(wanted) != 1:
        raise LookupError(f"{name}: {ufunc.types}")
    table = record.functions if rest == called else record.data
    return table[wanted[0]] or 0 if table else 0


def _checked(ufunc: Any, name: str) -> _Ufunc:
    record = _Ufunc.from_address(id(ufunc) + object.__basicsize__)
    seen = record.nin, record.nout, record.nargs, record.ntypes
    known = ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes
    if seen != known or ufunc.signature != SIGNATURES.get(name, OTHERS) or record.name != name.encode():
        raise LookupError(f"the record of {name} is not as `numpy/ufuncobject.h` has it")
    return record
