"""Subscripts: containers are indexed now, arrays by index loads and stores with every axis written out.

    a[..., 1:, None]   (a of rank 3)   ->   a[:, :, 1:, None]
"""

from __future__ import annotations

from typing import Any

import gast

from .....runtime.nature import article
from .... import syntax, types
from ....dtypes import INT_WORD, is_bool, is_exact, is_inexact, is_integer, is_signed
from ....ops.indexing import index_type
from ....ops.slices import takes_one
from ....types import Array, ListOf, Scalar
from .. import protocol
from ..frame import Frame
from ..iterables import Slice
from ..joins.broadcasts import fitted
from ..kinds import arrays, containers, keyed, known_numbers, optional, own_operators, ranges, slices
from ..limits import limit
from ..objects import given_back
from ..values import Leaf, Record, Ref, Rows, Sequence, Static, Table, Value, parts
from . import displays, evaluate

NO_MASK = "a list of bools that has no items: compiled code takes it for a mask, NumPy for a list of no places"
EMPTY_AXIS = "a slice :1 or -1: of an axis of length 0: compiled code takes its length to be 1"


def load_of_array(frame: Frame, base: Leaf, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    """`base[items]` of an array."""
    written_out = normalised(frame, base, items, node)
    if has_ellipsis(items) and all(is_number_item(frame, i) for i in written_out):
        return single_view(frame, base, written_out, node, hint)
    return element(frame, base, written_out, node, hint)


def has_ellipsis(items: gast.expr) -> bool:
    parts = items.elts if isinstance(items, gast.Tuple) else [items]
    return any(isinstance(part, gast.Constant) and part.value is Ellipsis for part in parts)


def is_number_item(frame: Frame, item: gast.expr) -> bool:
    if isinstance(item, gast.Name):
        return isinstance(frame.builder.types[item.id], Scalar)
    return isinstance(item, gast.Constant) and item.value is not None


def single_view(frame: Frame, base: Leaf, items: list[gast.expr], node: gast.AST, hint: str) -> Value:
    """`x[0, ...]`: a view without dimensions, which changes in place where a number does not."""
    if not items:
        return base
    row = element(frame, base, [*items, syntax.constant(None)], node)
    return frame.emit("reshape", row, node=node, hint=hint, shape=())


def element(frame: Frame, base: Leaf, items: list[gast.expr], node: gast.AST, hint: str = "t") -> Leaf:
    if not items and types.rank(frame.type_of(base)):
        return base
    require_items(frame, base, items, node)
    with frame.reporting(node):
        return Leaf(frame.builder.load(base.name, items, hint).id)


def number_in(frame: Frame, value: Value, node: gast.AST) -> Value:
    """The number in an array without dimensions; any other value as it is."""
    is_point = frame.is_array(value) and not types.rank(frame.type_of(value))
    return element(frame, value, [], node) if is_point and frame.is_array(value) else value


def require_items(frame: Frame, base: Leaf, items: list[gast.expr], node: gast.AST) -> None:
    """Raise where `:1` or `-1:` is taken of an empty axis: its length is taken to be 1, so that it broadcasts."""
    axis = 0
    for item in items:
        if isinstance(item, gast.Constant) and item.value is None:
            continue
        if isinstance(item, gast.Slice) and takes_one(item):
            length = evaluate.length_of(frame, base, axis, node)
            if length == Static(0):
                frame.fault("S003", EMPTY_AXIS, node, "taken here")
            if isinstance(length, Leaf):
                empty = frame.emit("equal", length, Static(0), node=node)
                error = limit("ValueError", EMPTY_AXIS, span=frame.here(node))
                frame.builder.append(syntax.if_(frame.atom(empty, node), [error]))
        axis += consumed(frame, Leaf(item.id)) if isinstance(item, gast.Name) else 1


def normalised(frame: Frame, array: Leaf, items: gast.expr, node: gast.AST) -> list[Any]:
    """The items of a subscript as atoms, slices and new axes; every axis of the array has one."""
    base = protocol.type_as(frame, array, Array)
    elements = items.elts if isinstance(items, gast.Tuple) else [items]
    values = [item(frame, e) for e in elements]
    flat: list[Any] = []
    for value in values:
        flat += value if isinstance(value, list) else [value]
    used = sum(consumed(frame, v) for v in flat if not _is(v, None) and not _is(v, Ellipsis))
    if used > base.ndim:
        message = f"too many indices for array: array is {base.ndim}-dimensional, but {used} were indexed"
        frame.fault("S002", message, node, "indexed here")
    full = [syntax.slice_() for _ in range(base.ndim - used)]
    dots = [i for i, v in enumerate(flat) if _is(v, Ellipsis)]
    if len(dots) > 1:
        frame.fault("S002", "an index can only have a single ellipsis ('...')", node)
    position = dots[0] if dots else len(flat)
    flat[position : position + len(dots)] = full
    if sum(is_places(frame, v) for v in flat) > 1:
        flat = without_masks(frame, array, flat, node)
    return [v if isinstance(v, gast.AST) else index_atom(frame, v, node) for v in flat]


def is_places(frame: Frame, value: Any) -> bool:
    """Whether it is an array of places or a mask."""
    return frame.is_array(value) and types.rank(frame.type_of(value)) > 0


def without_masks(frame: Frame, array: Leaf, items: list[Any], node: gast.AST) -> list[Any]:
    """The places of what is true in place of each mask that goes together with other arrays of places."""
    made: list[Any] = []
    axis = 0
    for value in items:
        if is_places(frame, value) and is_bool(types.dtype_of(frame.type_of(value))):
            count = types.rank(frame.type_of(value))
            lengths = Sequence(tuple(evaluate.length_of(frame, array, axis + k, node) for k in range(count)))
            places = keyed.in_language(frame, "places:of_mask", [value, lengths, Static(axis)], node)
            made += [part for _, part in parts(places)]
        else:
            made.append(value)
        axis += 0 if _is(value, None) else consumed(frame, value)
    return made


def item(frame: Frame, node: gast.expr) -> Any:
    """A Slice tree, or a value; a tuple known now, and what has a star, are several items."""
    if isinstance(node, gast.Slice):
        return slice_item(frame, node)
    if isinstance(node, gast.Starred):
        return [as_slice(frame, part, node) for part in displays.spread(frame, [node])]
    (value,), _ = optional.all_present(frame, [evaluate.evaluate(frame, node)], {}, node)
    held = frame.held(value)
    match held:
        case Static(value=slice()) | Slice():
            return bounded(frame, slices.bounds_of(held), [node] * 3)
        case Sequence(items=given, kind=kind) if kind is tuple:
            return [as_slice(frame, part, node) for part in given]
        case Rows() | Table() | Sequence():
            return list_of_places(frame, value, node)
    if (places := ranges.as_places(frame, held, node)) is not None:
        return places
    return list_of_places(frame, value, node) if frame.is_list(held) else value


def as_slice(frame: Frame, value: Value, node: gast.expr) -> Any:
    """One item of a subscript: a slice value as a Slice tree, a list as an array."""
    held = frame.held(value)
    bounds = slices.bounds_of(held)
    if bounds is not None:
        return bounded(frame, bounds, [node] * 3)
    if (places := ranges.as_places(frame, held, node)) is not None:
        return places
    is_list = isinstance(held, Rows | Table | Sequence) or frame.is_list(held)
    return list_of_places(frame, value, node) if is_list else value


def list_of_places(frame: Frame, value: Value, node: gast.AST) -> Leaf:
    """A list as an index: an array of ints or bools; NumPy takes an empty one to select nothing."""
    held = frame.held(value)
    if isinstance(held, Sequence) and not held.items:
        return arrays.as_array(frame, value, node, dtype=INT_WORD)
    places = arrays.as_array(frame, value, node)
    if not isinstance(held, Sequence) and is_bool(types.dtype_of(frame.type_of(places))):
        none = frame.emit("equal", evaluate.length_of(frame, places, 0, node), Static(0), node=node)
        error = limit("IndexError", NO_MASK, span=frame.here(node))
        frame.builder.append(syntax.if_(frame.atom(none, node), [error]))
    return places


def slice_item(frame: Frame, node: gast.Slice) -> gast.Slice:
    bounds = [Static(None) if bound is None else evaluate.evaluate(frame, bound) for bound in _bounds(node)]
    return bounded(frame, bounds, [bound or node for bound in _bounds(node)], node)


def bounded(frame: Frame, bounds: Any, nodes: list[gast.AST], node: gast.AST | None = None) -> gast.Slice:
    """A slice of arrays with these bounds."""
    parts: list[gast.expr | None] = []
    for value, place in zip(bounds, nodes, strict=True):
        if _is(value, None):
            parts.append(None)
            continue
        found = frame.type_of(value)
        if not isinstance(found, Scalar) or not is_integer(found.dtype):
            frame.fault("T001", f"slice indices must be integers, not {frame.describe(value)}", place)
        parts.append(frame.atom(known_numbers.plain(value), place))
    if isinstance(parts[2], gast.Constant) and parts[2].value == 0:
        frame.fault("S002", "slice step cannot be zero", node if node is not None else nodes[2])
    return syntax.slice_(*parts)


def index_atom(frame: Frame, value: Value, node: gast.AST) -> gast.expr:
    if _is(value, None):
        return syntax.constant(None)
    found = frame.type_of(value)
    if found is None or is_inexact(types.dtype_of(found)) or isinstance(found, ListOf):
        wanted = "integers, slices, None, ... and integer or boolean arrays"
        message = f"arrays are indexed by {wanted}, not {frame.describe(value)}"
        frame.fault("T001", message, node, "indexed here")
    if isinstance(found, Scalar) and is_bool(found.dtype):
        frame.fault("T001", "indexing by a single bool is not supported", node, "indexed here", ("use an `if`",))
    if isinstance(found, Array) and found.ndim == 0:
        value = number_in(frame, value, node)
    return frame.atom(known_numbers.plain(value), node)


def consumed(frame: Frame, value: Any) -> int:
    """How many axes an item consumes."""
    found = None if isinstance(value, gast.AST) else frame.type_of(value)
    return found.ndim if isinstance(found, Array) and is_bool(found.dtype) else 1


def _is(value: Any, what: object) -> bool:
    return isinstance(value, Static) and value.value is what


def _bounds(node: gast.Slice) -> tuple:
    return (node.lower, node.upper, node.step)


@protocol.lifted(none="'NoneType' object does not support item assignment")
def store(frame: Frame, base: Value, items: gast.expr, value: Value, node: gast.AST) -> None:
    """`base[items] = value`."""
    if given_back.is_there(frame, base, items, value, node) or own_operators.set_item(frame, base, items, value, node):
        return None
    if type(frame.held(base)) is Record and keyed.record_of(frame, base) is None:
        what = frame.describe(base)
        frame.fault("T001", f"'{what}' object does not support item assignment", node, "stored into here")
    if isinstance(base, Ref):
        return containers.store(frame, base, items, value, node)
    found = frame.type_of(base)
    if not isinstance(base, Leaf) or not isinstance(found, Array):
        frame.fault("T001", f"{article(frame.describe(base))} has no elements to assign", node)
    require_array(frame, found, node)
    store_items(frame, base, normalised(frame, base, items, node), value, node)
    return None


def require_array(frame: Frame, found: Array, node: gast.AST) -> None:
    """Refuse to store into what may be a number, or a view of one, on some path: Python raises, or changes a copy."""
    if all(extent == 1 for extent in found.dims):
        frame.task.single_stores = True
        if frame.task.single_numbers:
            frame.fault("T002", "an array without dimensions is a number on some paths", node, "stored into here",
                        ("give it a dimension: `np.array([...])`",))  # fmt: skip


def store_items(frame: Frame, base: Leaf, items: list[gast.expr], value: Value, node: gast.AST) -> None:
    """Emit the store; the value must broadcast to the target and is converted to the array's dtype."""
    if protocol.is_container(frame, value):
        value = arrays.as_array(frame, value, node)
    place = protocol.type_as(frame, base, Array)
    found = frame.type_of(value)
    if found is None or isinstance(found, ListOf):
        frame.fault("T001", f"{article(frame.describe(value))} cannot be an element of {place}", node)
    if types.of_complex(found) and not types.of_complex(place):
        help_ = ("store a part: `z.real`, `z.imag` or `abs(z)`", "make the array complex: `dtype=complex`")
        frame.fault("U017", f"a complex number does not fit into {place}", node, "stored here", help_)
    require_items(frame, base, items, node)
    dims = shape_of_place(frame, base, items, node)
    if isinstance(found, Array):
        check_fits(frame, dims, found, node)
        if found.ndim == 0:
            value = number_in(frame, value, node)
    elif is_integer(place.dtype) and all(map(_is_basic, frame_items(frame, items))):
        value = as_python(frame, value, found, place.dtype, node)
    atom = frame.atom(value, node)
    stored = fitted(frame, atom, dims) if isinstance(found, Array) else atom
    frame.builder.append(syntax.store(base.name, items, stored, frame.here(node)))


def frame_items(frame: Frame, items: list[gast.expr]) -> list[Any]:
    """The types of the items that are values, and the slices as they are."""
    return [frame.builder.types.get(i.id) if isinstance(i, gast.Name) else i for i in items]


def _is_basic(item: Any) -> bool:
    return not isinstance(item, Array)


def as_python(frame: Frame, value: Value, found: Scalar, dtype: str, node: gast.AST) -> Value:
    """NumPy stores its own scalars into ints as Python's: nan and what is too large raise.  From arrays, and into
    unsigned ints, it casts them.
    """
    narrows = is_signed(dtype) and not is_exact(found.dtype, dtype)
    if found.weak or not narrows:
        return value
    return frame.emit("cast", value, node=node, dtype=INT_WORD, weak=True)


def shape_of_place(frame: Frame, base: Leaf, items: list[gast.expr], node: gast.AST) -> tuple:
    """The lengths of what is stored into; refuses masks that cannot fit."""
    with frame.reporting(node):
        place = index_type(frame.builder, frame.type_of(base), items)
    return place.dims if isinstance(place, Array) else ()


def check_fits(frame: Frame, dims: tuple, value: Array, node: gast.AST) -> None:
    """Refuse what can never broadcast to a target of this shape; symbolic lengths are checked at run time."""
    extra = value.dims[: max(0, value.ndim - len(dims))]
    pairs = zip(value.dims[::-1], dims[::-1], strict=False)
    clash = any(isinstance(a, int) and isinstance(b, int) and a != b and a != 1 for a, b in pairs)
    if clash or any(d != 1 for d in extra) or value.ndim and not dims:
        if not dims:
            message = f"setting an array element with an array of shape ({', '.join(map(str, value.dims))},)"
        else:
            shapes = f"from shape {shape_text(value.dims)} into shape {shape_text(dims)}"
            message = f"could not broadcast input array {shapes}"
        frame.fault("S003", message, node, "assigned here")


def shape_text(dims: tuple) -> str:
    return f"({', '.join(map(str, dims))}{',' if len(dims) == 1 else ''})"
