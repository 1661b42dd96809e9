"""Lists of any length that are arguments: what all items have at one position is an array along them.

    points: [(float, float), ...]      ->      two arrays; `for x, y in points` counts, `points[i]` loads from both

Such a list is read as it is.  A function that changes it is refused, as the caller would see it; a copy or a slice of
it that is to grow becomes a growable list first.
"""

from __future__ import annotations

import gast

from .... import syntax
from ....types import Array
from .. import protocol
from ..frame import Frame
from ..interpreter import choices, evaluate, subscript
from ..library import library
from ..objects import given_back
from ..values import Column, Leaf, Rows, Static, Value, leaves, map_leaves, parts, with_parts
from . import arrays, built_strings, container_methods, containers, forms, strings, tables


def length(frame: Frame, rows: Rows, node: gast.AST) -> Value:
    column = next((leaf for leaf in leaves(rows) if isinstance(leaf, Leaf)), None)
    if column is None:
        text = "a list of lists of objects whose lengths are only known at run time is not in the language"
        frame.fault("U018", text, node, "read here")
    return evaluate.length_of(frame, column, 0, node)


def require_within(frame: Frame, count: Value, position: Value, kind: type, node: gast.AST) -> None:
    """A runtime check with the IndexError that Python has for lists, tuples and strings."""
    below = choices.compare(frame, gast.Lt, position, evaluate.unary(frame, gast.USub, count, node), node)
    above = choices.compare(frame, gast.GtE, position, count, node)
    outside = frame.emit("logical_or", below, above, node=node)
    word = "string" if kind is str else kind.__name__
    error = syntax.raise_("IndexError", f"{word} index out of range", span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(outside, node), [error]))


def item(frame: Frame, rows: Rows, position: gast.expr, node: gast.AST) -> Value:
    """The item at a position, which is known now or only at run time."""
    return _of_columns(rows.item, lambda column: _element(frame, column, position, node))


def _of_columns(value: Value, change) -> Value:
    if isinstance(value, Column):
        return change(value)
    inner = parts(value)
    return with_parts(value, tuple(_of_columns(part, change) for _, part in inner)) if inner else value


def _element(frame: Frame, column: Column, position: gast.expr, node: gast.AST) -> Value:
    array = protocol.held_as(frame, column.values, Leaf)
    type_ = protocol.type_as(frame, array, Array)
    found = subscript.element(frame, array, [position, *(syntax.slice_() for _ in range(type_.ndim - 1))], node)
    if not column.is_weak:
        return found
    return frame.emit("cast", found, node=node, dtype=type_.dtype, weak=True)


def sliced(frame: Frame, rows: Rows, bounds: gast.Slice, node: gast.AST) -> Rows:
    def part(column: Column) -> Value:
        array = protocol.held_as(frame, column.values, Leaf)
        others = range(protocol.type_as(frame, array, Array).ndim - 1)
        items = [subscript.slice_item(frame, bounds), *(syntax.slice_() for _ in others)]
        return Column(subscript.element(frame, array, [*items], node), column.is_weak)

    return Rows(_of_columns(rows.item, part), rows.kind)


def column_of_numbers(frame: Frame, value: Value) -> Column | None:
    """The only column of a list of numbers."""
    column = value.item if isinstance(value, Rows) else None
    if isinstance(column, Column) and protocol.type_as(frame, column.values, Array).ndim == 1:
        return column
    return None


def as_array(frame: Frame, rows: Rows, dtype: str | None, node: gast.AST, hint: str) -> Leaf:
    """`np.array(rows)`: a new array; the items of tuples are along an axis of their own."""
    count = length(frame, rows, node)
    if isinstance(rows.item, Column):
        array = rows.item.values
        if dtype in (None, protocol.type_as(frame, array, Array).dtype):
            return frame.emit("copy", array, node=node, hint=hint)
        return frame.emit("cast", array, node=node, hint=hint, dtype=dtype)
    one = map_leaves(rows, lambda part, _: part if isinstance(part, Leaf) else Static(None))
    columns = [leaf for leaf in leaves(one) if isinstance(leaf, Leaf)]
    shape, inner = arrays.regular_shape(frame, rows.item, node)
    if inner:
        frame.fault("U018", "an array of a list of tuples that hold arrays is not in the language", node, "made here")
    dtype = dtype or library.common_dtype(frame, columns)
    atoms = tuple(frame.atom(n, node) for n in (count, *map(Static, shape)))
    made = frame.emit("empty", node=node, hint=hint, shape=atoms, dtype=dtype)
    _store_columns(frame, made, rows.item, [], node)
    return made


def _store_columns(frame: Frame, made: Leaf, value: Value, position: list[int], node: gast.AST) -> None:
    if isinstance(value, Column):
        items: list[gast.expr] = [syntax.slice_(), *map(syntax.constant, position)]
        subscript.store_items(frame, made, items, value.values, node)
        return
    for place, (_, part) in enumerate(parts(value)):
        _store_columns(frame, made, part, [*position, place], node)


def growable(frame: Frame, rows: Rows, node: gast.AST) -> Value:
    """The same items in a list that can grow."""
    return tables.converted(frame, rows, forms.form_of_items(frame, rows), node)


# --- what can be done with them --------------------------------------------------------------------------------------


@protocol.of_dynamic_length.of(Rows)
def _(frame: Frame, value: Value) -> Value | None:
    return protocol.held_as(frame, value, Rows)


@protocol.length.of(Rows)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return length(frame, protocol.held_as(frame, value, Rows), node)


@protocol.item.of(Rows)
def _(frame: Frame, value: Value, position: Value, node: gast.AST) -> Value:
    return item(frame, protocol.held_as(frame, value, Rows), frame.atom(position, node), node)


@protocol.truth.of(Rows)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return frame.emit("greater", length(frame, protocol.held_as(frame, value, Rows), node), Static(0), node=node)


@protocol.python_class.of(Rows)
def _(frame: Frame, value: Value) -> type:
    return protocol.held_as(frame, value, Rows).kind


@protocol.describe.of(Rows)
def _(frame: Frame, value: Value) -> str:
    return protocol.held_as(frame, value, Rows).kind.__name__


@protocol.load.of(Rows)
def _(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    held = protocol.held_as(frame, base, Rows)
    if isinstance(items, gast.Slice):
        part = sliced(frame, held, items, node)
        return frame.new(part) if held.kind is list else part
    position = evaluate.evaluate(frame, items)
    place = containers.whole(frame, position, node)
    require_within(frame, length(frame, held, node), position, held.kind, node)
    return given_back.note_key(frame, base, items, item(frame, held, place, node), node)


@protocol.call_method.of(Rows)
def _(
    frame: Frame, receiver: Value, method: str, args: list[Value], named: protocol.Named, node: gast.AST, hint: str
) -> Value:
    if strings.is_built(receiver) and not named:
        return built_strings.call_method(frame, receiver, method, args, node)
    return container_methods.call_method(frame, receiver, method, args, named, node)


@protocol.member.of(Rows)
def _(frame: Frame, container: Value, item: Value, node: gast.AST, hint: str = "t") -> Value:
    if strings.is_built(container):
        return strings.part_of(frame, item, container, node)
    column = column_of_numbers(frame, protocol.held_as(frame, container, Rows))
    if column is None:
        return container_methods.in_language(frame, "contains", [container, item], node, hint)
    return arrays.contains(frame, column.values, item, node, hint)
