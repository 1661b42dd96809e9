"""The agreement between native code and Python: slots, dtypes in memory and in registers, error sites.

A call passes one array of 64-bit slots:

    context     stack and depth limits, whether signals end the call, the values of an error, the calls it came through
    arguments   per parameter: a scalar; or data pointer, lengths, strides in elements; or a list
    results     per result:    a scalar; or owner, data pointer, lengths, strides; or a list

A scalar takes one slot, and as many as its bytes fill if these are more.

The native entry returns 0, or the number of an error site plus one; below zero where a signal ended the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from ...dtypes import DTYPE
from ...messages import Message
from ...records import dataclass
from ...types import Array, ListOf, Scalar, Type

if TYPE_CHECKING:
    from ...diagnostics import Span
    from .laps import Laps

REGISTER = {word: row.register for word, row in DTYPE.items()}
STORED = {word: row.storage for word, row in DTYPE.items()}
ITEM_BYTES = {word: row.item_bytes for word, row in DTYPE.items()}
BITS = {word: row.bits for word, row in DTYPE.items()}

# Lengths stay below this, so that the affine index arithmetic of any sensible program cannot overflow 64 bits.
LENGTH_LIMIT = 2**52
BYTES_LIMIT = 2**60

STACK_LIMIT, DEPTH_LIMIT, DEPTH = 0, 1, 2
INTERRUPTED = -1  # the status of a call that a signal ended, where it is not known at which statement
GUARDED = 3  # not 0 in a call that a signal may end (`runtime/interrupts.py`)
VALUES, VALUE_COUNT = 4, 16
TRACE_LENGTH, TRACE, TRACE_COUNT = VALUES + VALUE_COUNT, VALUES + VALUE_COUNT + 1, 40
ARGUMENTS = TRACE + TRACE_COUNT

ENTRY = "pellucid_entry"  # the native function that Python calls: slots -> status
QUICK_BELOW = "pellucid_quick_below"  # -> elements of array arguments from which on a call may take long

HEADER_BYTES = 64  # of a buffer: reference count, size class, free list, block size; the data follow, aligned
LIST_LENGTH, LIST_CAPACITY, LIST_DATA = 1, 2, 3  # slots of a list after its reference count
LIST_ITEM_BYTES, LIST_HOLDS_OWNERS = 4, 5

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class EmitOptions:
    """What the user chose.  `contract` lets a product and a sum round once; `exceptions` are the user's own classes;
    `line_tables` points machine code into the printed loops stage; `laps` make it keep time by the user's lines;
    `is_of_device` says that it is the program of one of several devices, whose results may have their places already.
    """

    fastmath: bool = False
    contract: bool = False
    parallel: bool = True
    line_tables: bool = False
    exceptions: Mapping[str, type[BaseException]] = field(default_factory=dict)
    laps: Laps | None = None
    is_of_device: bool = False


@dataclass(frozen=True, slots=True)
class ErrorSite:
    """A site that can raise: the exception, its message (`syntax.raise_` says in which form), and its location.

    `inlined` are the spans of the calls it was inlined through, outermost first.  A site whose exception is empty
    is a call from one native function to another: a link of the traceback, never raised itself.
    """

    exception: str
    message: Message
    values: tuple[Scalar, ...]
    span: Span | None
    inlined: tuple[Span, ...]
    function: str


def argument_slots(type_: Type) -> int:
    """How many slots a parameter takes."""
    return 1 + 2 * type_.ndim if isinstance(type_, Array) else scalar_slots(type_)


def result_slots(type_: Type) -> int:
    """How many slots a result takes; lists come as one pointer."""
    return 2 + 2 * type_.ndim if isinstance(type_, Array) else scalar_slots(type_)


def scalar_slots(type_: Scalar | ListOf) -> int:
    return -(-ITEM_BYTES[type_.dtype] // 8) if isinstance(type_, Scalar) else 1


def list_item_bytes(type_: ListOf) -> int:
    """Bytes of one element of a list: the scalar as stored, or owner, data, lengths and strides of an array."""
    element = type_.element
    return 8 * result_slots(element) if isinstance(element, Array) else ITEM_BYTES[element.dtype]
