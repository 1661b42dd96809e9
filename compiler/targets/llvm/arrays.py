"""Arrays in native code: reading their variables, element addresses, bounds, allocation, reference counts.

    a = empty(shape=(n, m), dtype="f64")    ->    check lengths, take a block, release what `a` held before
    a[i, j]                                 ->    check what ranges left open, data + (i * m + j)
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ...analysis.integers.ranges import BACK, FRONT, NATURALS
from ...ops.indexing import INDEX_MESSAGE
from ...records import dataclass
from ...types import INT
from . import memory_values
from .abi import BYTES_LIMIT, HEADER_BYTES, ITEM_BYTES, STORED
from .frame import INTERNAL_ERROR, ArrayPlace, Emission
from .operands import NULL, SsaValue, int_
from .text import AS_IT_STANDS, INLINED, LlvmDefinition, Module, Tags

CONTEXT = SsaValue("ptr", "%context")
LAST_CODE = SsaValue("ptr", "inttoptr (i64 64 to ptr)")  # no block begins below
LONG = INT
ALLOCATION_ERRORS = (  # by the codes of `runtime/native/memory.c`
    ("ValueError", "negative dimensions are not allowed", ()),
    ("MemoryError", "an array of length {} is too large", (LONG,)),
    ("MemoryError", "the array is too large", ()),
    ("MemoryError", "unable to allocate {} bytes for an array", (LONG,)),
)

DROP = """entry:
  %nothing = icmp eq ptr %owner, null
  br i1 %nothing, label %done, label %some
some:
  call void @pellucid_release(ptr %owner)
  br label %done
done:
  ret void"""
LET_GO = """entry:
  %owner = load ptr, ptr %place
  store ptr null, ptr %place
  call void @pellucid.drop(ptr %owner)
  ret void"""
KEEP = """entry:
  %nothing = icmp eq ptr %owner, null
  br i1 %nothing, label %done, label %some
some:
  %old = load i64, ptr %owner
  %new = add i64 %old, 1
  store i64 %new, ptr %owner
  br label %done
done:
  ret void"""


@dataclass(frozen=True, slots=True)
class View:
    """An array in registers; `strides` is None for C order."""

    dtype: str
    owner: SsaValue
    data: SsaValue
    dims: tuple[SsaValue, ...]
    strides: tuple[SsaValue, ...] | None


def keep(frame: Emission, owner: SsaValue) -> None:
    """One more reference; null stands for memory that Python owns during the call."""
    frame.module.define(LlvmDefinition("pellucid.keep", "void", ("ptr %owner",), (KEEP,), attributes=INLINED))
    frame.code.call("void", "pellucid.keep", owner)


def drop(frame: Emission, owner: SsaValue) -> None:
    frame.code.call("void", _define_drop(frame.module), owner)


def _define_drop(module: Module) -> str:
    module.declare("pellucid_release", "declare void @pellucid_release(ptr)")
    uses = ("pellucid_release",)
    made = LlvmDefinition("pellucid.drop", "void", ("ptr %owner",), (DROP,), uses, INLINED)
    module.define(made)
    return made.name


def read(frame: Emission, name: str) -> View:
    """The array that a name holds now."""
    code, place = frame.code, frame.array(name)
    strides = tuple(code.load("i64", s) for s in place.strides) if place.type.layout != "C" else None
    dims = tuple(code.load("i64", d) for d in place.dims)
    return View(place.type.dtype, code.load("ptr", place.owner), code.load("ptr", place.data), dims, strides)


def strides_of(frame: Emission, view: View) -> tuple[SsaValue, ...]:
    """Steps in elements along each axis."""
    if view.strides is not None:
        return view.strides
    steps: list[SsaValue] = []
    step = int_(1)
    for dim in reversed(view.dims):
        steps.insert(0, step)
        if len(steps) < len(view.dims):
            step = dim if step.text == "1" else frame.code.binary("mul nsw", step, dim)
    return tuple(steps)


def bind(frame: Emission, name: str, view: View, fresh: bool) -> None:
    """Make a name hold this array.  A `fresh` one brings its reference along, another is shared."""
    code, place = frame.code, frame.array(name)
    if not fresh:
        keep(frame, view.owner)
    old = code.load("ptr", place.owner)
    code.store(view.owner, place.owner)
    code.store(view.data, place.data)
    if place.type.layout != "C":
        for value, variable in zip(strides_of(frame, view), place.strides, strict=True):
            code.store(value, variable)
    elif view.strides is not None:
        _require_c_order(frame, view)
    for value, variable in zip(view.dims, place.dims, strict=True):
        code.store(value, variable)
    drop(frame, old)


def _require_c_order(frame: Emission, view: View) -> None:
    """A type that promises C order for a view that has none would read other memory: stop instead."""
    code = frame.code
    expected = strides_of(frame, View(view.dtype, view.owner, view.data, view.dims, None))
    for dim, stride, wanted in zip(view.dims, view.strides or (), expected, strict=True):
        differs = code.binary("and", code.compare("ne", stride, wanted), code.compare("sgt", dim, int_(1)))
        frame.fail_if(differs, INTERNAL_ERROR, "Pellucid: a view was promised to be contiguous and is not")


def change_places(frame: Emission, names: Sequence[str], values: Sequence[str]) -> None:
    """`a, b = b, a`: the same references, each under another name."""
    code = frame.code
    places = {name: frame.array(name) for name in names}
    kinds = {n: ("ptr", "ptr", *["i64"] * (len(p.dims) + len(p.strides))) for n, p in places.items()}
    fields = {n: (p.owner, p.data, *p.dims, *p.strides) for n, p in places.items()}
    held = {n: [code.load(kind, field) for kind, field in zip(kinds[n], fields[n], strict=True)] for n in names}
    for name, source in zip(names, values, strict=True):
        for value, field in zip(held[source], fields[name], strict=True):
            code.store(value, field)


def release(frame: Emission, place: ArrayPlace) -> None:
    """Let go of what a name holds; it holds nothing afterwards."""
    if place.owned:
        old = frame.code.load("ptr", place.owner)
        frame.code.store(NULL, place.owner)
        drop(frame, old)


def release_in_memory(frame: Emission, place: ArrayPlace) -> None:
    """The same by a call that takes the address, which keeps the owner out of registers in the whole function."""
    if place.owned:
        parameters, uses = ("ptr nocapture %place",), (_define_drop(frame.module),)
        made = LlvmDefinition("pellucid.let_go", "void", parameters, (LET_GO,), uses, AS_IT_STANDS)
        frame.module.define(made)
        frame.code.call("void", made.name, place.owner)


# --- allocation ----------------------------------------------------------------------------------------------------


def declare_allocator(module: Module) -> None:
    module.declare("pellucid_allocate", "declare noalias ptr @pellucid_allocate(i64)")


def allocate(frame: Emission, dtype: str, dims: Sequence[SsaValue]) -> View:
    """A new C array with undefined elements."""
    code = frame.code
    name, lengths = _allocator(frame, dims)
    owner = code.call("ptr", name, CONTEXT, int_(ITEM_BYTES[dtype]), *lengths)
    frame.fail_by_code(code.compare("ult", owner, LAST_CODE), owner, ALLOCATION_ERRORS)
    return View(dtype, owner, code.offset("i8", owner, HEADER_BYTES), tuple(dims), None)


def _allocator(frame: Emission, dims: Sequence[SsaValue]) -> tuple[str, list[SsaValue]]:
    """The routine that checks lengths and takes a block, and how it is given the lengths."""
    name = {1: "pellucid_new_vector", 2: "pellucid_new_matrix"}.get(len(dims))
    if name is not None:
        frame.module.declare(name, f"declare noalias ptr @{name}(ptr, i64{', i64' * len(dims)})")
        return name, list(dims)
    frame.module.declare("pellucid_new_array", "declare noalias ptr @pellucid_new_array(ptr, i64, i64, ptr)")
    return "pellucid_new_array", [int_(len(dims)), lengths_in_memory(frame, dims)]


def lengths_in_memory(frame: Emission, dims: Sequence[SsaValue]) -> SsaValue:
    """The address of the lengths of a new array."""
    lengths = frame.code.variable(f"[{max(1, len(dims))} x i64]", "lengths")
    for axis, dim in enumerate(dims):
        frame.code.store(dim, frame.code.offset("i64", lengths, axis))
    return lengths


def take_block(frame: Emission, dtype: str, dims: Sequence[SsaValue]) -> View:
    """The same for lengths that are known to be good."""
    code = frame.code
    declare_allocator(frame.module)
    total = int_(ITEM_BYTES[dtype])
    for dim in dims:
        total, wrapped = code.overflowing("umul", total, dim)
        large = code.compare("ugt", total, int_(BYTES_LIMIT))
        frame.fail_if(code.binary("or", wrapped, large), "MemoryError", "the array is too large")
    owner = code.call("ptr", "pellucid_allocate", total)
    none = code.compare("eq", owner, NULL)
    frame.fail_if(none, "MemoryError", "unable to allocate {} bytes for an array", total)
    return View(dtype, owner, code.offset("i8", owner, HEADER_BYTES), tuple(dims), None)


# --- elements ------------------------------------------------------------------------------------------------------


def checked_index(frame: Emission, index: SsaValue, length: SsaValue, axis: int, proven: str | None) -> SsaValue:
    """The position from the front; negative ones count from the end, as in Python."""
    code = frame.code
    if proven == FRONT:
        return index
    from_end = index if proven in NATURALS else code.binary("add", index, length)
    if proven == BACK:
        return from_end
    position = index if proven in NATURALS else code.select(code.compare("slt", index, int_(0)), from_end, index)
    outside = code.compare("uge", position, length)
    frame.fail_if(outside, "IndexError", INDEX_MESSAGE.format(axis=axis), index, length)
    return position


def position_of(frame: Emission, node: gast.Subscript, axis: int, index: SsaValue) -> SsaValue:
    """The position from the front."""
    proven = frame.ranges.of(node, axis)
    length = index if proven == FRONT else frame.code.load("i64", frame.array(node.value.id).dims[axis])
    return checked_index(frame, index, length, axis, proven)


def element_pointer(frame: Emission, node: gast.Subscript, indices: Sequence[SsaValue]) -> SsaValue:
    code, place = frame.code, frame.array(node.value.id)
    row = frame.rows.get(id(node))
    if row is not None:
        last = position_of(frame, node, len(indices) - 1, indices[-1])
        if place.type.layout != "C":
            last = code.binary("mul nsw", last, code.load("i64", place.strides[-1]))
        return code.offset(STORED[place.type.dtype], row, last)
    positions = [position_of(frame, node, axis, index) for axis, index in enumerate(indices)]
    data = code.load("ptr", place.data)
    if not positions:
        return data
    if place.type.layout == "C":
        return code.offset(STORED[place.type.dtype], data, _row_major(frame, place, positions))
    parts = [code.binary("mul nsw", p, code.load("i64", s)) for p, s in zip(positions, place.strides, strict=True)]
    total = parts[0]
    for part in parts[1:]:
        total = code.binary("add nsw", total, part)
    return code.offset(STORED[place.type.dtype], data, total)


def _row_major(frame: Emission, place: ArrayPlace, positions: Sequence[SsaValue]) -> SsaValue:
    code = frame.code
    total = positions[0]
    for position, dim in zip(positions[1:], place.dims[1:], strict=True):
        total = code.binary("add nsw", code.binary("mul nsw", total, code.load("i64", dim)), position)
    return total


def tags_of(frame: Emission, node: gast.Subscript) -> Tags:
    """The alias metadata of an element access."""
    return frame.tags.get(id(node), frame.array(node.value.id).tags)


def load_element(frame: Emission, node: gast.Subscript, indices: Sequence[SsaValue]) -> SsaValue:
    place = frame.array(node.value.id)
    return load_at(frame, place.type.dtype, element_pointer(frame, node, indices), tags_of(frame, node))


def load_at(frame: Emission, dtype: str, pointer: SsaValue, tags: Tags = ()) -> SsaValue:
    return memory_values.load(frame.code, dtype, pointer, tags)


def store_at(frame: Emission, dtype: str, value: SsaValue, pointer: SsaValue, tags: Tags = ()) -> None:
    memory_values.store(frame.code, dtype, value, pointer, tags)


