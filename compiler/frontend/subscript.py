"""Subscripts: containers are indexed now, arrays by index loads and stores with every axis written out.

    a[..., 1:, None]   (a of rank 3)   ->   a[:, :, 1:, None]
"""

from __future__ import annotations

from typing import Any

import gast

from .. import syntax, types
from ..ops.slices import takes_one
from ..types import Array, ListOf, Scalar
from . import apply, evaluate
from .broadcasts import fitted
from .frame import Frame
from .merge import own_lengths
from .values import Leaf, Mapping_, Record, Sequence, Static, Value

EMPTY_AXIS = "a slice :1 or -1: of an axis of length 0: compiled code takes its length to be 1"


def load(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    """The value of `base[items]`."""
    match base:
        case Sequence():
            return from_sequence(frame, base, items, node)
        case Record(cls=cls, items=fields) if issubclass(cls, tuple):
            return from_sequence(frame, Sequence(tuple(v for _, v in fields)), items, node)
        case Mapping_():
            key = evaluate.static(frame, items, "a dict key")
            found = base.get(key)
            if found is None:
                frame.fault("R005", f"the dict has no key {key!r}", node, "looked up here")
            return found
        case Static(value=str() | tuple() | list() | dict() as value):
            return evaluate.outside(frame, value[evaluate.static(frame, items, "an index")], "item", node)
    found = frame.type_of(base)
    if isinstance(found, ListOf):
        return list_element(frame, base, items, node, hint)
    if not isinstance(found, Array):
        frame.fault("T001", f"a {frame.describe(base)} has no elements", node, "indexed here")
    return element(frame, base, normalised(frame, found, items, node), node, hint)


def element(frame: Frame, base: Leaf, items: list[gast.expr], node: gast.AST, hint: str = "t") -> Value:
    if not items and types.rank(frame.type_of(base)):
        return base
    require_items(frame, base, items, node)
    with frame.reporting(node):
        return Leaf(frame.builder.load(base.name, items, hint).id)


def require_items(frame: Frame, base: Leaf, items: list[gast.expr], node: gast.AST) -> None:
    """Raise where `:1` or `-1:` is taken of an empty axis: its length counts as 1, so that it broadcasts."""
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
                error = syntax.raise_("ValueError", EMPTY_AXIS, span=frame.here(node))
                frame.builder.append(syntax.if_(frame.atom(empty, node), [error]))
        axis += consumed(frame, Leaf(item.id)) if isinstance(item, gast.Name) else 1


def from_sequence(frame: Frame, base: Sequence, items: gast.expr, node: gast.AST) -> Value:
    """An item or slice of a tuple or list; positions that are only known later index an array of equal items."""
    if isinstance(items, gast.Slice):
        what = "a slice of a tuple"
        bounds = slice(*(None if b is None else evaluate.static(frame, b, what) for b in _bounds(items)))
        return Sequence(base.items[bounds], base.kind)
    position = evaluate.static(frame, items, "the position in a tuple or list")
    try:
        return base.items[position]
    except IndexError:
        message = f"{base.kind.__name__} index out of range"
        frame.builder.append(syntax.raise_("IndexError", message, span=frame.here(node)))
        return base.items[0] if base.items else Static(None)


def list_element(frame: Frame, base: Leaf, items: gast.expr, node: gast.AST, hint: str) -> Value:
    position = evaluate.evaluate(frame, items)
    atom = frame.atom(position, node)
    element_type = own_lengths(frame, frame.type_of(base).element)
    made = frame.builder.bind(syntax.index(base.name, atom), element_type, hint)
    return Leaf(made.id)


def normalised(frame: Frame, base: Array, items: gast.expr, node: gast.AST) -> list[gast.expr]:
    """The items of a subscript as atoms, slices and new axes; every axis of the array has one."""
    elements = items.elts if isinstance(items, gast.Tuple) else [items]
    values = [item(frame, e) for e in elements]
    flat: list[Any] = []
    for value in values:
        flat += value if isinstance(value, list) else [value]
    used = sum(consumed(frame, v) for v in flat if not _is(v, None) and not _is(v, Ellipsis))
    if used > base.ndim:
        message = f"too many indices for array: array is {base.ndim}-dimensional, but {used} were indexed"
        frame.fault("S002", message, node, "indexed here")
    full: list[gast.expr] = [syntax.slice_() for _ in range(base.ndim - used)]
    dots = [i for i, v in enumerate(flat) if _is(v, Ellipsis)]
    if len(dots) > 1:
        frame.fault("S002", "an index can only have a single ellipsis ('...')", node)
    position = dots[0] if dots else len(flat)
    flat[position : position + len(dots)] = full
    return [v if isinstance(v, gast.AST) else index_atom(frame, v, node) for v in flat]


def item(frame: Frame, node: gast.expr) -> Any:
    """A Slice tree, or a value; a tuple known now gives several."""
    if isinstance(node, gast.Slice):
        return slice_item(frame, node)
    value = evaluate.evaluate(frame, node)
    match value:
        case Static(value=slice() as found):
            return syntax.slice_(found.start, found.stop, found.step)
        case Sequence(items=parts, kind=kind) if kind is tuple:
            return list(parts)
        case Sequence():
            return apply.as_array(frame, value, node)
    return value


def slice_item(frame: Frame, node: gast.Slice) -> gast.Slice:
    parts: list[gast.expr | None] = []
    for bound in _bounds(node):
        value = Static(None) if bound is None else evaluate.evaluate(frame, bound)
        if value == Static(None):
            parts.append(None)
            continue
        found = frame.type_of(value)
        if not isinstance(found, Scalar) or found.dtype not in ("i64", "i32"):
            frame.fault("T001", f"slice indices must be integers, not {frame.describe(value)}", bound)
        parts.append(frame.atom(value, bound))
    if isinstance(parts[2], gast.Constant) and parts[2].value == 0:
        frame.fault("S002", "slice step cannot be zero", node)
    return syntax.slice_(*parts)


def index_atom(frame: Frame, value: Value, node: gast.AST) -> gast.expr:
    if _is(value, None):
        return syntax.constant(None)
    found = frame.type_of(value)
    if found is None or types.dtype_of(found) in ("f32", "f64") or isinstance(found, ListOf):
        wanted = "integers, slices, None, ... and integer or boolean arrays"
        message = f"arrays are indexed by {wanted}, not {frame.describe(value)}"
        frame.fault("T001", message, node, "indexed here")
    if isinstance(found, Scalar) and found.dtype == "bool":
        frame.fault("T001", "indexing by a single bool is not supported", node, "indexed here", ("use an `if`",))
    if isinstance(found, Array) and found.ndim == 0:
        value = element(frame, value, [], node)
    return frame.atom(value, node)


def consumed(frame: Frame, value: Any) -> int:
    """How many axes an item takes."""
    found = None if isinstance(value, gast.AST) else frame.type_of(value)
    return found.ndim if isinstance(found, Array) and found.dtype == "bool" else 1


def _is(value: Any, what: object) -> bool:
    return isinstance(value, Static) and value.value is what


def _bounds(node: gast.Slice) -> tuple:
    return (node.lower, node.upper, node.step)


def store(frame: Frame, base: Value, items: gast.expr, value: Value, node: gast.AST) -> Value | None:
    """`base[items] = value`.  Returns the new container where a tuple-like one is rebuilt, None for arrays."""
    match base:
        case Mapping_():
            key = evaluate.static(frame, items, "a dict key")
            kept = dict(base.items)
            kept[key] = value
            return Mapping_(tuple(kept.items()))
        case Sequence(kind=kind) if kind is list:
            position = evaluate.static(frame, items, "the position in a list")
            changed = list(base.items)
            changed[position] = value
            return Sequence(tuple(changed), list)
    found = frame.type_of(base)
    if isinstance(found, ListOf):
        position = evaluate.evaluate(frame, items)
        frame.builder.append(syntax.store(base.name, [frame.atom(position, node)], frame.atom(value, node)))
        return None
    if not isinstance(found, Array):
        frame.fault("T001", f"a {frame.describe(base)} has no elements to assign", node)
    store_items(frame, base, normalised(frame, found, items, node), value, node)
    return None


def store_items(frame: Frame, base: Leaf, items: list[gast.expr], value: Value, node: gast.AST) -> None:
    """Emit the store; the value must broadcast to the place and is converted to the array's dtype."""
    if isinstance(value, Sequence):
        value = apply.as_array(frame, value, node)
    place = frame.type_of(base)
    found = frame.type_of(value)
    if found is None or isinstance(found, ListOf):
        frame.fault("T001", f"a {frame.describe(value)} cannot be an element of {place}", node)
    require_items(frame, base, items, node)
    if isinstance(found, Array):
        dims = check_fits(frame, base, items, found, node)
        if found.ndim == 0:
            value = element(frame, value, [], node)
    atom = frame.atom(value, node)
    stored = fitted(frame, atom, dims) if isinstance(found, Array) else atom
    frame.builder.append(syntax.store(base.name, items, stored, frame.here(node)))


def check_fits(frame: Frame, base: Leaf, items: list[gast.expr], value: Array, node: gast.AST) -> tuple:
    """The shape of the place.  Refuses what can never broadcast into it; symbols are checked when it runs."""
    from ..ops.indexing import index_type

    with frame.reporting(node):
        place = index_type(frame.builder, frame.type_of(base), items)
    dims = place.dims if isinstance(place, Array) else ()
    extra = value.dims[: max(0, value.ndim - len(dims))]
    pairs = zip(value.dims[::-1], dims[::-1], strict=False)
    clash = any(isinstance(a, int) and isinstance(b, int) and a != b and a != 1 for a, b in pairs)
    if clash or any(d != 1 for d in extra):
        if not dims:
            message = f"setting an array element with an array of shape ({', '.join(map(str, value.dims))},)"
        else:
            shapes = f"from shape {shape_text(value.dims)} into shape {shape_text(dims)}"
            message = f"could not broadcast input array {shapes}"
        frame.fault("S003", message, node, "assigned here")
    return dims


def shape_text(dims: tuple) -> str:
    return f"({', '.join(map(str, dims))}{',' if len(dims) == 1 else ''})"
