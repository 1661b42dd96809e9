"""Machine code as a Python callable: pack the leaves, call, unpack the results or raise the error.

    Executable([x, 2.0])    ->    [array, 3.5]

The GIL is released during the call.  Result arrays own their memory (`runtime/memory.py`) and are not copied, except
where a result is memory of an argument.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from ....runtime import dispatch, interrupts, machine_code, native
from ....runtime.guards import Findings, Guards
from ....runtime.sources import Source
from ....runtime.stack import stack_floor
from ...messages import has_gap
from ...records import dataclass
from ...types import Array, ListOf, Scalar, Type
from . import packing
from .abi import (
    ARGUMENTS,
    DEPTH_LIMIT,
    ENTRY,
    ITEM_BYTES,
    QUICK_BELOW,
    STACK_LIMIT,
    EmitOptions,
    ErrorSite,
    argument_slots,
    result_slots,
    scalar_slots,
)
from .errors import make_error
from .foreseen import queueing

LEAST_DEPTH = 10_000


@dataclass(eq=False)
class Executable:
    """One compiled program.  `llvm_text` is the optimised LLVM, `asm` the machine code in words.

    `sources` are the LLVM modules it was made from; there are none where the machine code comes from the cache on disk.
    `target` is the processor it is for, as `runtime/targets.py` has it; the present one if it is empty.
    """

    parameters: tuple[Type, ...]
    results: tuple[Type, ...]
    library: machine_code.Library
    sites: Sequence[ErrorSite]
    options: EmitOptions
    sources: Sequence[Source] = ()
    target: str = ""

    def __post_init__(self) -> None:
        self._packers = [packing.packer(type_) for type_ in self.parameters]
        self._unpackers = [packing.unpacker(type_) for type_ in self.results]
        self._first_result = ARGUMENTS + sum(map(argument_slots, self.parameters))
        count = self._first_result + sum(map(result_slots, self.results))
        self._slots = ctypes.c_int64 * count

    @cached_property
    def _entry(self) -> int:
        """The address of the native entry.  Raises RuntimeError where this processor has no use for the code."""
        return self.library.address(ENTRY)

    @cached_property
    def leaves_gaps(self) -> bool:
        """Whether an error may show what machine code does not write."""
        return any(has_gap(site.message) for site in self.sites)

    @property
    def text(self) -> str:
        """The LLVM as it was written, every module of it."""
        return "\n".join(map(str, self.sources))

    @cached_property
    def llvm_text(self) -> str:
        return "\n".join(native.optimise(source, target=self.target) for source in self.sources)

    @cached_property
    def asm(self) -> str:
        return "\n".join(native.assembly(source, self.target) for source in self.sources)

    @cached_property
    def quick_below(self) -> int:
        """How many elements the array arguments of a call have at least if it may take long."""
        return int(ctypes.PYFUNCTYPE(ctypes.c_int64)(self.library.address(QUICK_BELOW))())

    def plan(
        self, recipe: Sequence[dispatch.RecipeWords], count: int, hidden: Callable[[Findings], Sequence[object]],
        guards: Guards, may_go_on: bool, changed: Sequence[int] = (),
    ) -> dispatch.CallPlan | None:
        """How native dispatch calls this; the last `count` arguments are `hidden` for what the guards found.

        may_go_on  whether the result can be put together before its numbers are known
        changed    the arguments, by number, that the last results are written to

        None for lists, which are native inside a program only, as a rule.
        """
        types = (*self.parameters, *self.results)
        if any(isinstance(t, ListOf) for t in types):
            return None
        may_go_on = may_go_on and not any(isinstance(t, Scalar) and scalar_slots(t) > 1 for t in types)
        given = len(self.parameters) - count
        first = ARGUMENTS + sum(map(argument_slots, self.parameters[:given]))

        def words(findings: Findings) -> dispatch.Hidden:
            slots, kept, position, copied = self._slots(), list[object](), first, list[tuple[int, int, int]]()
            for pack, type_, leaf in zip(self._packers[given:], self.parameters[given:], hidden(findings), strict=True):
                if isinstance(leaf, np.ndarray) and leaf.flags.writeable and isinstance(type_, Array):
                    copied.append((position, type_.ndim, ITEM_BYTES[type_.dtype].bit_length() - 1))
                position = pack(slots, position, leaf, kept)
            return dispatch.Hidden(slots[first:position], kept, copied)

        leaves = packing.leaf_words(self.results, self._first_result)
        may_go_on = may_go_on and not changed and not self.leaves_gaps
        return dispatch.CallPlan(
            code=self.library.address(ENTRY),
            leaves=leaves[: len(leaves) - len(changed)],
            recipe=recipe,
            fail=self.error_or_none,
            limit=self.quick_below,
            hidden=words,
            slot_count=ctypes.sizeof(self._slots) // 8,
            keep=self,
            guards=guards,
            first=first,
            queueing=queueing(self.parameters, self.results, self.quick_below) if may_go_on else None,
            targets=[self._target(leaf, place) for leaf, place in zip(leaves[len(leaves) - len(changed) :], changed)],
        )

    def _target(self, leaf: dispatch.LeafWords, place: int) -> dispatch.TargetWords:
        """The result of this leaf is written to an argument."""
        type_ = self.parameters[place]
        assert isinstance(type_, Array)
        argument = ARGUMENTS + sum(map(argument_slots, self.parameters[:place]))
        return leaf[1], argument, type_.ndim, ITEM_BYTES[type_.dtype].bit_length() - 1, leaf[2]

    def error(self, site: int, slots: int) -> BaseException:
        """The exception of a call that ended at this error site."""
        return make_error(self.sites, site, self._slots.from_address(slots), self.options)

    def error_or_none(self, site: int, slots: int) -> BaseException | None:
        """The same; None for one that shows what machine code does not write: the call is made again by Python."""
        return None if has_gap(self.sites[site].message) else self.error(site, slots)

    def __call__(self, leaves: Sequence[object], owned: Sequence[np.ndarray] = ()) -> list[object]:
        """The results for these leaves; those that are in memory which is `owned` are these arrays themselves."""
        entry, slots = self._entry, self._slots()
        slots[STACK_LIMIT] = stack_floor()
        slots[DEPTH_LIMIT] = max(LEAST_DEPTH, sys.getrecursionlimit())
        kept: list[object] = []
        try:
            position = ARGUMENTS
            for pack, leaf in zip(self._packers, leaves, strict=True):
                position = pack(slots, position, leaf, kept)
            status = interrupts.call(entry, ctypes.addressof(slots))
        finally:
            packing.release(kept)
        if status:
            raise make_error(self.sites, status - 1, slots, self.options)
        position = self._first_result
        results: list[object] = []
        for type_, unpack in zip(self.results, self._unpackers, strict=True):
            own = packing.owned_array(slots, position, type_, owned) if owned else None
            result, position = unpack(slots, position) if own is None else (own, position + result_slots(type_))
            results.append(result)
        return results
