"""What the extension module does (`native/`), by Python alone: for systems without a C compiler.

    ADDRESSES["pellucid_allocate"]    ->    a function that machine code may call; it takes the GIL

Memory comes from the C library and goes back there at once.  A parallel loop is one call of its body.  No signal ends
a call: Python hears of it afterwards.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

HEADER_BYTES = 64
LIST_WORDS = 6  # unused, length, capacity, owner of the data, bytes of an item, whether items begin with an owner
LENGTH, CAPACITY, DATA, ITEM_BYTES, HOLDS_OWNERS = 1, 2, 3, 4, 5
SIZE = 3  # the word of a header that holds the bytes of the block
FIRST_CAPACITY = 8
LONGEST_AXIS, MOST_BYTES = 2**52, 2**60
NEGATIVE, TOO_LONG, TOO_LARGE, NO_MEMORY = 1, 2, 3, 4
VALUES = 4  # the word of a context that holds the first value of an error

Pointer, Number, Real, Truth = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_bool

_LIBRARY = ctypes.CDLL(None)
_LIBRARY.posix_memalign.argtypes = [Pointer, ctypes.c_size_t, ctypes.c_size_t]
_LIBRARY.free.argtypes, _LIBRARY.free.restype = [Pointer], None
_MADE: list[Any] = []  # what is called by its address alone
ADDRESSES: dict[str, int] = {}


def _export(result: Any, *parameters: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function callable by the address that goes with its name."""

    def export(function: Callable[..., Any]) -> Callable[..., Any]:
        made = ctypes.CFUNCTYPE(result, *parameters)(function)
        _MADE.append(made)
        ADDRESSES[f"pellucid_{function.__name__}"] = ctypes.cast(made, Pointer).value or 0
        return function

    return export


def _words(address: int, count: int) -> Any:
    return (Number * count).from_address(address)


class _State:
    """What the settings are; none but the count of bytes in use changes anything here."""

    live = 0
    limit = 0
    threshold = 0.0
    stream_bytes = 0


# --- memory --------------------------------------------------------------------------------------------------------


@_export(Pointer, ctypes.c_uint64)
def allocate(count: int) -> int | None:
    found = Pointer()
    size = count + HEADER_BYTES
    if size > MOST_BYTES or _LIBRARY.posix_memalign(ctypes.addressof(found), HEADER_BYTES, size) or not found.value:
        return None
    words = _words(found.value, HEADER_BYTES // 8)
    words[0], words[SIZE] = 1, size
    _State.live += size
    return found.value


@_export(None, Pointer)
def free(owner: int) -> None:
    _State.live -= _words(owner, HEADER_BYTES // 8)[SIZE]
    _LIBRARY.free(owner)


def _has_none_left(owner: int | None) -> bool:
    """One reference less; whether it was the last."""
    if not owner:
        return False
    words = _words(owner, 1)
    words[0] -= 1
    return bool(words[0] == 0)


@_export(None, Pointer)
def release(owner: int | None) -> None:
    if owner and _has_none_left(owner):
        free(owner)


@_export(Number)
def live() -> int:
    return _State.live


@_export(Number, Number)
def limit(count: int) -> int:
    former, _State.limit = _State.limit, count
    return former


@_export(Number)
def trim() -> int:
    return 0


@_export(None)
def unlock() -> None:
    pass


# --- lists ---------------------------------------------------------------------------------------------------------


@_export(Pointer, Number, Number)
def list_new(item_bytes: int, holds_owners: int) -> int | None:
    owner: int | None = allocate(8 * LIST_WORDS)
    if owner is not None:
        _words(owner + HEADER_BYTES, LIST_WORDS)[:] = [0, 0, 0, 0, item_bytes, holds_owners]
    return owner


@_export(Truth, Pointer)
def list_grow(owner: int) -> bool:
    words = _words(owner + HEADER_BYTES, LIST_WORDS)
    wanted = max(2 * words[LENGTH], FIRST_CAPACITY)
    data = allocate(wanted * words[ITEM_BYTES])
    if data is None:
        return False
    if words[DATA]:
        ctypes.memmove(data + HEADER_BYTES, words[DATA] + HEADER_BYTES, words[LENGTH] * words[ITEM_BYTES])
        free(words[DATA])
    words[CAPACITY], words[DATA] = wanted, data
    return True


@_export(None, Pointer)
def list_release(owner: int | None) -> None:
    if not owner or not _has_none_left(owner):
        return
    words = _words(owner + HEADER_BYTES, LIST_WORDS)
    if words[HOLDS_OWNERS]:
        for item in range(words[LENGTH]):
            release(_words(words[DATA] + HEADER_BYTES + item * words[ITEM_BYTES], 1)[0])
    if words[DATA]:
        free(words[DATA])
    free(owner)


# --- new arrays ----------------------------------------------------------------------------------------------------


@_export(Pointer, Pointer, Number, Number, Pointer)
def new_array(context: int, item_bytes: int, rank: int, lengths: int | None) -> int:
    return _new(context, item_bytes, list(_words(lengths, rank)) if lengths else [])


@_export(Pointer, Pointer, Number, Number, Pointer, Number)
def new_result(context: int, item_bytes: int, rank: int, lengths: int | None, number: int) -> int:
    return new_array(context, item_bytes, rank, lengths)


@_export(Pointer, Pointer)
def data(owner: int) -> int:
    return owner + HEADER_BYTES


@_export(Pointer, Pointer, Number, Number)
def new_vector(context: int, item_bytes: int, length: int) -> int:
    return _new(context, item_bytes, [length])


@_export(Pointer, Pointer, Number, Number, Number)
def new_matrix(context: int, item_bytes: int, rows: int, columns: int) -> int:
    return _new(context, item_bytes, [rows, columns])


def _new(context: int, item_bytes: int, lengths: list[int]) -> int:
    """The owner of a new array, or what is wrong with its lengths; the context gets the value for the message."""
    value = _words(context, VALUES + 1)
    if min(lengths, default=0) < 0:
        return NEGATIVE
    too_long = [n for n in lengths if n > LONGEST_AXIS]
    if too_long:
        value[VALUES] = too_long[0]
        return TOO_LONG
    count = item_bytes
    for length in lengths:
        count *= length
        if count > MOST_BYTES:
            return TOO_LARGE
    owner: int | None = allocate(count)
    if owner is None:
        value[VALUES] = count
        return NO_MEMORY
    return owner


# --- one thread ----------------------------------------------------------------------------------------------------

_BODY = ctypes.CFUNCTYPE(Number, Pointer, Pointer, Number, Number)


@_export(Number, Pointer, Pointer, Pointer, Number, Number, Number, Number, Real, Number, Number, Number)
def parallel_for(
    body: int, captures: int, context: int, slots: int, start: int, stop: int, granule: int, cost: float,
    captured: int, result: int, item: int,
) -> int:  # fmt: skip
    return int(_BODY(body)(captures, context, start, stop))


@_export(Number)
def get_threads() -> int:
    return 1


@_export(None, Number)
def set_threads(count: int) -> None:
    """There is one thread, however many are asked for."""


@_export(Real, Real)
def set_threshold(nanoseconds: float) -> float:
    former, _State.threshold = _State.threshold, nanoseconds
    return former


@_export(Number, Number)
def set_stream_bytes(count: int) -> int:
    former, _State.stream_bytes = _State.stream_bytes, count
    return former


@_export(Number)
def regions() -> int:
    return 0


@_export(Number)
def workers() -> int:
    return 0


# --- no signals ----------------------------------------------------------------------------------------------------

_SIGNALS = ctypes.c_int32(0)  # never anything else: it need not be polled
ADDRESSES["pellucid_signals"] = ctypes.addressof(_SIGNALS)
_CODE = ctypes.CFUNCTYPE(Number, Pointer)


@_export(Number, Pointer)
def look(context: int) -> int:
    return 0


@_export(None, Pointer)
def arm(context: int) -> None:
    pass


@_export(Number, Pointer, Pointer)
def guarded(code: int, slots: int) -> int:
    return int(_CODE(code)(slots))


@_export(None)
def raise_interrupt() -> None:
    pass


@_export(None, ctypes.c_uint64)
def set_main_thread(thread: int) -> None:
    pass
