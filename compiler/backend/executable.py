"""Machine code as a Python callable: pack the leaves, call, unpack the results or raise the error.

    Executable([x, 2.0])    ->    [array, 3.5]

The GIL is released during the call.  Result arrays own their memory (`runtime/memory.py`) and are not copied, except
where a result is memory of an argument.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...runtime import memory, native
from ...runtime.stack import stack_floor
from ..program import Function
from . import packing
from .abi import ARGUMENTS, DEPTH_LIMIT, STACK_LIMIT, ErrorSite, Options, result_slots
from .entry import ENTRY, result_slot
from .errors import make_error

LEAST_DEPTH = 10_000


@dataclass(eq=False)
class Executable:
    """One compiled program.  `llvm_text` is the optimised LLVM, `asm` the machine code in words."""

    function: Function
    library: native.Library
    sites: tuple[ErrorSite, ...]
    options: Options

    def __post_init__(self) -> None:
        # a plain C function: ctypes releases the GIL around it
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(self.library.address(ENTRY))
        types = [self.function.types[name] for name in self.function.parameters]
        self._packers = [packing.packer(type_) for type_ in types]
        self._unpackers = [packing.unpacker(type_) for type_ in self.function.results]
        self._first_result = result_slot(self.function)
        count = self._first_result + sum(map(result_slots, self.function.results))
        self._slots = ctypes.c_int64 * count

    @property
    def llvm_text(self) -> str:
        return self.library.text

    @cached_property
    def asm(self) -> str:
        return native.assembly(self.library.text)

    def __call__(self, leaves: Sequence[object]) -> list[object]:
        slots = self._slots()
        slots[STACK_LIMIT] = stack_floor()
        slots[DEPTH_LIMIT] = max(LEAST_DEPTH, sys.getrecursionlimit())
        kept: list[object] = []
        try:
            position = ARGUMENTS
            for pack, leaf in zip(self._packers, leaves, strict=True):
                position = pack(slots, position, leaf, kept)
            status = self._call(ctypes.addressof(slots))
        finally:
            packing.release(kept)
        if status:
            raise make_error(self.sites, status - 1, slots, self.options)
        position = self._first_result
        results: list[object] = []
        for unpack in self._unpackers:
            result, position = unpack(slots, position)
            results.append(result)
        return results


def build(function: Function, text: str, sites: tuple[ErrorSite, ...], options: Options) -> Executable:
    """Optimise and load a module."""
    memory.pool()
    _import_symbols(text)
    library = native.load(native.optimise(text))
    return Executable(function, library, sites, options)


def _import_symbols(text: str) -> None:
    """Make the routines of SciPy that the text declares known to the loader."""
    from .symbols import addresses

    for name, address in addresses(text):
        native.import_symbol(name, address)


