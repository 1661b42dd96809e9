"""Whether native dispatch is possible here, and the base class of compiled functions.

    reason()                           ->    None, or why calls go through Python
    class Function(base_class()): ...        its instances have room for two addresses
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import lru_cache
from types import ModuleType
from typing import Any

from .. import native_part

SWITCH = "PELLUCID_NATIVE_DISPATCH"


class Plain:
    """The base class where there is no native dispatch."""

    __slots__ = ()


@lru_cache(maxsize=1)
def reason() -> str | None:
    """Why native dispatch is off; None where it is on."""
    if os.environ.get(SWITCH, "1") == "0":
        return f"{SWITCH}=0"
    if native_part.why_not():
        return f"no native part: {native_part.why_not()}"
    if "t" in sys.abiflags or sys.maxsize < 2**32:
        return "a free-threaded build, or a processor of 32 bits"
    return None


def extension() -> ModuleType:
    """The extension module, where there is no reason against it."""
    found = native_part.extension()
    assert found is not None
    return found


def base_class() -> Any:
    """The base class of compiled functions."""
    return Plain if reason() is not None else extension().NativelyCalled


def word(place: int) -> int:
    return int(ctypes.c_int64.from_address(place).value)
