"""The functions that machine code calls by name and that Python calls besides: memory, threads, signals.

    address("pellucid_allocate")    ->    where it is: in the extension module (`native/`), or else in `portable.py`
    function("pellucid_live", ctypes.c_int64)()

The extension is built when the package is installed.  Without a C compiler it is not there, and PELLUCID_NATIVE=0 does
as if: everything works, on one thread, with the allocator of the C library, and Ctrl-C waits for the end of a call.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

SETTING = "PELLUCID_NATIVE"


@lru_cache(maxsize=1)
def _found() -> tuple[ModuleType | None, str]:
    """The extension module, or why it is not among us."""
    if os.environ.get(SETTING) == "0":
        return None, f"{SETTING}=0"
    try:
        return importlib.import_module("._native", __package__), ""
    except ImportError as error:
        return None, str(error)


def extension() -> ModuleType | None:
    """The extension module, if there is one."""
    return _found()[0]


def why_not() -> str:
    """Why Python does the work of the extension; empty where it does not."""
    return _found()[1]


def addresses() -> Mapping[str, int]:
    """Where the functions are, for as long as the process lives."""
    found = extension() or importlib.import_module(".portable", __package__)
    known: Mapping[str, int] = found.ADDRESSES
    return known


def address(name: str) -> int:
    """Where a function is.  Raises KeyError."""
    return addresses()[name]


def function(name: str, result: Any, *parameters: Any) -> Callable[..., Any]:
    """A function for Python, which keeps the GIL: such functions are short."""
    made: Callable[..., Any] = ctypes.PYFUNCTYPE(result, *parameters)(address(name))
    return made
