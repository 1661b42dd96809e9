"""Bring the values of a variable on two paths together under one name and one type.

    if c: acc = 0            both become the leaf `acc: float`, and the branches end in
    else: acc = x[0]   ->    `acc = 0.0` and `acc = t`
"""

from __future__ import annotations

import gast

from .. import syntax, types
from ..names import from_path
from ..types import Array, ListOf, Scalar, Type
from .frame import Frame
from .values import (
    Conflict,
    Leaf,
    Sequence,
    Static,
    Typed,
    Undefined,
    Value,
    is_number,
    map_leaves,
    parts,
    same_structure,
    with_parts,
)


def join(frame: Frame, left: Value, right: Value) -> Value:
    """What a variable is after two paths; `Typed` where a name has to be assigned on both."""
    if isinstance(left, Conflict) or isinstance(right, Conflict):
        return left if isinstance(left, Conflict) else right
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        known = right if isinstance(left, Undefined) else left
        return known if isinstance(known, Undefined) else map_leaves(known, lambda v, _: _widened(frame, v))
    if _identical(left, right):
        return left
    if _grows(frame, left, right):
        return grown(frame, left, right)
    if same_structure(left, right):
        pairs = zip(parts(left), parts(right), strict=True)
        return with_parts(left, tuple(join(frame, a, b) for (_, a), (_, b) in pairs))
    first, second = frame.type_of(left), frame.type_of(right)
    joined = None if first is None or second is None else join_types(frame, first, second)
    return Conflict(frame.describe(left), frame.describe(right)) if joined is None else Typed(joined)


def _grows(frame: Frame, left: Value, right: Value) -> bool:
    """Whether two lists differ in length, so that only a growable list holds both."""
    lists = [isinstance(v, Sequence) and v.kind is list for v in (left, right)]
    if all(lists):
        return len(left.items) != len(right.items)  # type: ignore[union-attr]
    return any(lists) and (frame.is_list(left) or frame.is_list(right))


def grown(frame: Frame, left: Value, right: Value) -> Typed | Conflict:
    element: Type | None = None
    for side in (left, right):
        found = frame.type_of(side)
        kinds = [found.element] if isinstance(found, ListOf) else [frame.type_of(v) for v in side.items]  # type: ignore
        for kind in kinds:
            if kind is None:
                return Conflict("a list of containers", "a list that grows")
            element = kind if element is None else join_types(frame, element, kind)
            if element is None:
                return Conflict("a list of one type", "a list of another")
    if not isinstance(element, Scalar | Array):
        return Conflict("an empty list", "a list")
    if isinstance(element, Array) and not any(isinstance(frame.type_of(side), ListOf) for side in (left, right)):
        element = own_lengths(frame, element)  # type: ignore[assignment]
    return Typed(ListOf(element))


def _identical(left: Value, right: Value) -> bool:
    if isinstance(left, Static) and isinstance(right, Static):
        a, b = left.value, right.value
        if a is b:
            return True
        comparable = isinstance(a, bool | int | float | str | bytes | type(None))
        return comparable and type(a) is type(b) and (repr(a) == repr(b))
    return type(left) is type(right) and left == right


def _widened(frame: Frame, value: Value) -> Value:
    """A value that one path has not: what holds its place there has no length to speak of."""
    found = frame.type_of(value)
    return value if found is None else Typed(own_lengths(frame, found))


def join_types(frame: Frame, left: Type, right: Type) -> Type | None:
    """The type that holds both, or None.  Lengths that differ become a symbol of their own."""
    match left, right:
        case Scalar(), Scalar():
            return Scalar(*types.promote(left, right))
        case Array(), Array() if left.dtype == right.dtype and left.ndim == right.ndim:
            dims = tuple(
                a if a == b else own_length(frame)
                for a, b in zip(left.dims, right.dims, strict=True)
            )
            return Array(left.dtype, dims, "C" if left.layout == right.layout == "C" else "A")
        case ListOf(), ListOf() if left.element == right.element:
            return left
    return None


def can_hold(frame: Frame, element: Type, item: Type | None) -> bool:
    """Whether a list of such elements takes an item; a length that is a number in its type is that of all items."""
    joined = None if item is None else join_types(frame, element, item)
    if isinstance(joined, Array):
        return all(a == b for a, b in zip(element.dims, item.dims) if isinstance(a, int))  # type: ignore[union-attr]
    return joined is not None and (not isinstance(joined, Scalar) or joined.dtype == element.dtype)  # type: ignore


def own_length(frame: Frame) -> types.Dim:
    """A length that differs from path to path: nothing else is ever known to equal it."""
    return frame.builder.fresh_symbol("length")


def own_lengths(frame: Frame, type_: Type) -> Type:
    """The type with lengths that nothing else has: of an item of a list, whose items may differ, or of a result."""
    if isinstance(type_, ListOf):
        return ListOf(own_lengths(frame, type_.element))  # type: ignore[arg-type]
    if not isinstance(type_, Array):
        return type_
    return Array(type_.dtype, tuple(d if isinstance(d, int) else own_length(frame) for d in type_.dims), type_.layout)


def named(frame: Frame, variable: str, value: Value) -> Value:
    """Give every merged part a fresh name."""

    def name(part: Value, path: tuple[object, ...]) -> Value:
        if not isinstance(part, Typed):
            return part
        fresh = frame.builder.names.fresh(from_path(variable, *path))
        frame.builder.types[fresh] = part.type
        frame.builder.merged.add(fresh)
        return Leaf(fresh)

    return map_leaves(value, name)  # type: ignore[arg-type]


def copies(frame: Frame, target: Value, source: Value, merged: set[str], node: gast.AST) -> list[tuple[str, gast.expr]]:
    """The assignments that bring `source` into the merged names of `target`; conversions are emitted now."""
    if isinstance(source, Undefined):
        return []
    if isinstance(target, Leaf):
        if target.name not in merged or source == target:
            return []
        return [(target.name, coerce(frame, source, frame.builder.types[target.name], node))]
    result: list[tuple[str, gast.expr]] = []
    for (_, into), (_, value) in zip(parts(target), parts(source), strict=False):
        result += copies(frame, into, value, merged, node)
    return result


def coerce(frame: Frame, value: Value, wanted: Type, node: gast.AST) -> gast.expr:
    """An atom of the wanted type."""
    found = frame.type_of(value)
    if isinstance(wanted, ListOf) and isinstance(value, Sequence):
        return as_list(frame, value, wanted, node)
    if isinstance(wanted, Array) and isinstance(found, Array) and wanted.layout == "C" != found.layout:
        return frame.atom(frame.emit("copy", value, node=node), node)  # an item of a list whose items are in C order
    if not isinstance(wanted, Scalar) or not isinstance(found, Scalar):
        return frame.atom(value, node)
    if is_number(value) and wanted.dtype not in ("f32", "i32"):
        make = {"f64": float, "i64": int, "bool": bool}[wanted.dtype]
        return syntax.constant(make(value.value))  # type: ignore[union-attr]
    if found.dtype == wanted.dtype:
        return frame.atom(value, node)
    return frame.atom(frame.emit("cast", value, node=node, dtype=wanted.dtype, weak=wanted.weak), node)


def as_list(frame: Frame, value: Sequence, wanted: ListOf, node: gast.AST) -> gast.expr:
    """A growable list with these items."""
    made = frame.builder.bind(syntax.call("new_list"), wanted, "items")
    for item in value.items:
        frame.builder.append(syntax.expression(syntax.call("append", made, coerce(frame, item, wanted.element, node))))
    return made


def assign_parallel(frame: Frame, pairs: list[tuple[str, gast.expr]]) -> None:
    """Emit `a, b = x, y` as single assignments; a name that is still to be read is set aside first."""
    pending = [(t, v) for t, v in pairs if not (isinstance(v, gast.Name) and v.id == t)]
    while pending:
        read = [v.id for _, v in pending if isinstance(v, gast.Name)]
        free = next((p for p in pending if p[0] not in read), None)
        if free is not None:
            frame.builder.append(syntax.assign(*free))
            pending.remove(free)
            continue
        target = pending[0][0]
        aside = frame.builder.bind(syntax.name(target), frame.builder.types[target], target)
        pending = [(t, aside if isinstance(v, gast.Name) and v.id == target else v) for t, v in pending]


def zero_of(frame: Frame, type_: Type) -> gast.expr | None:
    """Something to hold a name's place where it has no value yet; never read."""
    match type_:
        case Scalar(dtype=dtype):
            return syntax.constant({"bool": False, "i32": 0, "i64": 0, "f32": 0.0, "f64": 0.0}[dtype])
        case Array(dtype=dtype, dims=dims):
            shape = tuple(d if isinstance(d, int) else 0 for d in dims)
            return syntax.call("zeros", shape=shape, dtype=dtype)
    return syntax.call("new_list")


def place_holders(frame: Frame, target: Value, source: Value, merged: set[str]) -> None:
    """Assign the names of `target` that `source`, undefined on this path, gives no value."""
    if not isinstance(source, Undefined):
        return
    for leaf in _leaf_names(target):
        if leaf in merged:
            frame.builder.append(syntax.assign(leaf, zero_of(frame, frame.builder.types[leaf])))


def _leaf_names(value: Value) -> list[str]:
    if isinstance(value, Leaf):
        return [value.name]
    return [n for _, part in parts(value) for n in _leaf_names(part)]


def merged_names(value: Value, frame: Frame) -> set[str]:
    return {n for n in _leaf_names(value) if n in frame.builder.merged}

