"""Growable lists in native code (layout: `runtime/memory.py`).

    append(xs, v)    ->    grow when full; items[length] = v; length += 1
    x = pop(xs)      ->    IndexError when empty; length -= 1; x = items[length]

Items are scalars as stored, or owner, data, lengths and strides of an array; the list holds a reference to each owner.
"""

from __future__ import annotations

from ...types import Array, ListOf, Scalar
from .abi import HEADER_BYTES, LIST_CAPACITY, LIST_DATA, LIST_LENGTH, STORED, list_item_bytes
from .arrays import View, drop, keep, load_at, release_in_memory, store_at, strides_of
from .frame import ArrayPlace, Emission, ListPlace
from .operands import NULL, SsaValue, int_
from .text import AS_IT_STANDS, LlvmDefinition

FIRST_SLOT = HEADER_BYTES // 8
RELEASE, LET_GO = "pellucid_list_release", "pellucid.let_go_of_list"
RELEASE_THERE = f"""entry:
  %list = load ptr, ptr %place
  store ptr null, ptr %place
  call void @{RELEASE}(ptr %list)
  ret void"""
NO_MEMORY = "unable to allocate memory for a list"


def _slot(frame: Emission, list_: SsaValue, slot: int) -> SsaValue:
    return frame.code.offset("i64", list_, FIRST_SLOT + slot)


def _current(frame: Emission, name: str) -> SsaValue:
    return frame.code.load("ptr", frame.list_place(name).list)


def new_list(frame: Emission, type_: ListOf) -> SsaValue:
    frame.module.declare("pellucid_list_new", "declare ptr @pellucid_list_new(i64, i64)")
    holds_owners = int_(int(isinstance(type_.element, Array)))
    made = frame.code.call("ptr", "pellucid_list_new", int_(list_item_bytes(type_)), holds_owners)
    frame.fail_if(frame.code.compare("eq", made, NULL), "MemoryError", NO_MEMORY)
    return made


def keep_list(frame: Emission, list_: SsaValue) -> None:
    """One more reference; the count stands where that of a buffer stands."""
    keep(frame, list_)


def drop_list(frame: Emission, list_: SsaValue) -> None:
    _declare_release(frame)
    frame.code.call("void", RELEASE, list_)


def _declare_release(frame: Emission) -> None:
    frame.module.declare(RELEASE, f"declare void @{RELEASE}(ptr)")


def bind_list(frame: Emission, name: str, list_: SsaValue, fresh: bool) -> None:
    if not fresh:
        keep_list(frame, list_)
    place = frame.list_place(name)
    old = frame.code.load("ptr", place.list)
    frame.code.store(list_, place.list)
    drop_list(frame, old)


def release_list(frame: Emission, place: ListPlace) -> None:
    if place.owned:
        old = frame.code.load("ptr", place.list)
        frame.code.store(NULL, place.list)
        drop_list(frame, old)


def _release_in_memory(frame: Emission, place: ListPlace) -> None:
    """The same by a call that takes the address, as `arrays.release_in_memory`."""
    if place.owned:
        _declare_release(frame)
        made = LlvmDefinition(LET_GO, "void", ("ptr nocapture %place",), (RELEASE_THERE,), (RELEASE,), AS_IT_STANDS)
        frame.module.define(made)
        frame.code.call("void", LET_GO, place.list)


def release_all(frame: Emission) -> None:
    """Begin the one way out of a function: what its names still hold is released.

    Every fault of the function comes here: of a name in a register, each would have to say where its array is, and of
    many names times many faults the code generator would make moves for seconds.  So owners and lists stay in memory.
    """
    frame.code.start("leave")
    for place in frame.places.values():
        match place:
            case ArrayPlace():
                release_in_memory(frame, place)
            case ListPlace():
                _release_in_memory(frame, place)


def length(frame: Emission, name: str) -> SsaValue:
    return frame.code.load("i64", _slot(frame, _current(frame, name), LIST_LENGTH))


# --- items ---------------------------------------------------------------------------------------------------------


def _item(frame: Emission, list_: SsaValue, type_: ListOf, position: SsaValue) -> SsaValue:
    """The address of an item."""
    code = frame.code
    data = code.load("ptr", _slot(frame, list_, LIST_DATA))
    if isinstance(type_.element, Scalar):
        return code.offset(STORED[type_.element.dtype], code.offset("i8", data, HEADER_BYTES), position)
    slots = code.binary("mul nsw", position, int_(list_item_bytes(type_) // 8))
    return code.offset("i64", code.offset("i8", data, HEADER_BYTES), slots)


def _checked(frame: Emission, name: str, index: SsaValue, message: str) -> SsaValue:
    """The address of the item at an index, which may count from the end."""
    code = frame.code
    list_ = _current(frame, name)
    count = code.load("i64", _slot(frame, list_, LIST_LENGTH))
    position = code.select(code.compare("slt", index, int_(0)), code.binary("add", index, count), index)
    frame.fail_if(code.compare("uge", position, count), "IndexError", message)
    return _item(frame, list_, frame.list_place(name).type, position)


def _element(frame: Emission, name: str) -> Scalar | Array:
    return frame.list_place(name).type.element


def load_scalar(frame: Emission, name: str, index: SsaValue) -> SsaValue:
    place = _checked(frame, name, index, "list index out of range")
    return load_at(frame, _dtype(frame, name), place)


def store_scalar(frame: Emission, name: str, index: SsaValue, value: SsaValue) -> None:
    place = _checked(frame, name, index, "list assignment index out of range")
    store_at(frame, _dtype(frame, name), value, place)


def _dtype(frame: Emission, name: str) -> str:
    return _element(frame, name).dtype


def load_array(frame: Emission, name: str, index: SsaValue) -> View:
    """The array at an index, still owned by the list."""
    return _read_item(frame, _checked(frame, name, index, "list index out of range"), _element(frame, name))


def store_array(frame: Emission, name: str, index: SsaValue, view: View) -> None:
    place = _checked(frame, name, index, "list assignment index out of range")
    keep(frame, view.owner)
    old = frame.code.load("ptr", place)
    _write_item(frame, place, view)
    drop(frame, old)


def _read_item(frame: Emission, place: SsaValue, type_: Scalar | Array) -> View:
    assert isinstance(type_, Array)
    code, rank = frame.code, type_.ndim
    numbers = [code.load("i64", code.offset("i64", place, 2 + k)) for k in range(2 * rank)]
    strides = None if type_.layout == "C" else tuple(numbers[rank:])
    owner, data = code.load("ptr", place), code.load("ptr", code.offset("i64", place, 1))
    return View(type_.dtype, owner, data, tuple(numbers[:rank]), strides)


def _write_item(frame: Emission, place: SsaValue, view: View) -> None:
    code = frame.code
    code.store(view.owner, place)
    code.store(view.data, code.offset("i64", place, 1))
    for slot, value in enumerate((*view.dims, *strides_of(frame, view))):
        code.store(value, code.offset("i64", place, 2 + slot))


# --- growing and shrinking -----------------------------------------------------------------------------------------


def _new_item(frame: Emission, name: str) -> SsaValue:
    """The address of one more item at the end."""
    code = frame.code
    frame.module.declare("pellucid_list_grow", "declare i1 @pellucid_list_grow(ptr)")
    list_ = _current(frame, name)
    length_place = _slot(frame, list_, LIST_LENGTH)
    count = code.load("i64", length_place)
    full = code.compare("eq", count, code.load("i64", _slot(frame, list_, LIST_CAPACITY)))
    grow, ready = code.label("grow"), code.label("room")
    code.branch(full, grow, ready, unlikely=True)
    code.start(grow)
    grown = code.call("i1", "pellucid_list_grow", list_)
    frame.fail_if(code.binary("xor", grown, SsaValue("i1", "true")), "MemoryError", NO_MEMORY)
    code.start(ready)
    code.store(code.binary("add nsw", count, int_(1)), length_place)
    return _item(frame, list_, frame.list_place(name).type, count)


def append_scalar(frame: Emission, name: str, value: SsaValue) -> None:
    store_at(frame, _dtype(frame, name), value, _new_item(frame, name))


def append_array(frame: Emission, name: str, view: View) -> None:
    place = _new_item(frame, name)
    keep(frame, view.owner)
    _write_item(frame, place, view)


def _last_item(frame: Emission, name: str) -> SsaValue:
    """Take the last item off; its address stays good until the next append."""
    code = frame.code
    list_ = _current(frame, name)
    length_place = _slot(frame, list_, LIST_LENGTH)
    count = code.load("i64", length_place)
    frame.fail_if(code.compare("eq", count, int_(0)), "IndexError", "pop from empty list")
    last = code.binary("sub nsw", count, int_(1))
    code.store(last, length_place)
    return _item(frame, list_, frame.list_place(name).type, last)


def pop_scalar(frame: Emission, name: str) -> SsaValue:
    return load_at(frame, _dtype(frame, name), _last_item(frame, name))


def pop_array(frame: Emission, name: str) -> View:
    """The last array, with the reference that the list had."""
    return _read_item(frame, _last_item(frame, name), _element(frame, name))
