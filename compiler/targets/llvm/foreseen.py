"""Which calls may go on after they have returned, and what is known of their results before they are computed.

    f64[n, m] f64[m, l] -> f64[n, l]    ->    the lengths stand in the slots of n and l
    f64[n] int -> f64[m]                ->    m is unknown before

Whoever asks a result of unknown lengths for its shape waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....runtime import dispatch
from ...types import Array, Extent, Scalar, Type, symbol
from .abi import ARGUMENTS, argument_slots

LARGE = 8  # times the work from which on the GIL is released, where no call has been timed yet
MOST_ELEMENTS = 2**62


def queueing(parameters: Sequence[Type], results: Sequence[Type], quick_below: int) -> dispatch.Queueing | None:
    """How calls with such parameters may go on; None where a result is a list.

    quick_below  elements of array arguments from which on a call may take long; 0 where that does not depend on them
    """
    if not all(isinstance(type_, Scalar | Array) for type_ in results):
        return None
    known = _slots_of_lengths(parameters)
    words = [word for type_ in results if isinstance(type_, Array) for word in _lengths(type_, known)]
    return dispatch.Queueing(min(LARGE * quick_below, MOST_ELEMENTS), words)


def _slots_of_lengths(parameters: Sequence[Type]) -> Mapping[Extent, int]:
    """The slot of each length that is a symbol of its own."""
    found: dict[Extent, int] = {}
    slot = ARGUMENTS
    for type_ in parameters:
        for axis, extent in enumerate(type_.dims if isinstance(type_, Array) else ()):
            if not isinstance(extent, int) and extent == symbol(str(extent)):
                found.setdefault(extent, slot + 1 + axis)
        slot += argument_slots(type_)
    return found


def _lengths(type_: Array, known: Mapping[Extent, int]) -> list[int]:
    """The words of `native/queued_calls.c` for one result."""
    words = [1]
    for extent in type_.dims:
        if isinstance(extent, int):
            words += [extent, 0]
            continue
        terms = [(known.get(symbol(name)), factor) for name, factor in extent.terms]
        if any(slot is None for slot, _ in terms):
            return [0]
        words += [extent.constant, len(terms)]
        words += [int(word) for term in terms for word in term if word is not None]
    return words if type_.layout == "C" else [0]
