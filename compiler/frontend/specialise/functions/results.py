"""Lists that grew, from a function to its caller: their items cross in arrays.

    [float, ...]       ->    f64[n]                          ->    a list that grows, of its own
    [f64[n], ...]      ->    f64[total], i64[count, 1]       ->    the elements of all arrays, and the lengths of each
    [(float, i64)]     ->    f64[n], i64[n]                  ->    a `Table`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from .... import syntax, types
from ....dtypes import INT_WORD
from ....types import Array, ListOf, lengths_in_row
from .. import protocol
from ..frame import Frame
from ..interpreter import evaluate, subscript
from ..joins.joined_types import own_length, own_lengths
from ..kinds import arrays, containers, tables
from ..objects.heap import object_of
from ..values import Leaf, ListOut, Out, Rows, Static, Table, Value, parts, with_parts


def left(frame: Frame, part: Leaf, place: Callable, node: gast.AST) -> Value:
    """A list that grew, as it leaves the function: its items in one array; array items one after the other."""
    element = protocol.type_as(frame, part, ListOf).element
    if not isinstance(element, Array):
        return ListOut(place(arrays.as_array(frame, part, node, element.dtype, "items"), ()), None, element.weak)
    data, shapes = flat_from_list(frame, part, node)
    return ListOut(place(data, ()), place(shapes, ()), False)


def flat_from_list(frame: Frame, value: Leaf, node: gast.AST) -> tuple[Value, Value]:
    """The elements of a growable list of arrays, one after the other, and the lengths of each array in a row."""
    element = protocol.type_as(frame, value, ListOf).element
    assert isinstance(element, Array)
    count = frame.builder.bind(syntax.call("length", value.name), types.INT, "count")
    shapes = frame.emit("empty", node=node, hint="shapes", shape=(count, element.ndim), dtype=INT_WORD)

    def each(visit: Any) -> str:
        total = frame.builder.names.fresh("total")
        frame.builder.types[total] = types.INT
        frame.builder.merged.add(total)
        frame.builder.append(syntax.assign(total, syntax.constant(0)))
        variable = frame.builder.names.fresh("i")
        frame.builder.types[variable] = types.INT
        with frame.captured() as body:
            own = own_lengths(frame, element)
            item = frame.builder.bind(syntax.index(value.name, variable), own, "item")
            lengths = [evaluate.length_of(frame, Leaf(item.id), axis, node) for axis in range(element.ndim)]
            size: Value = Static(1)
            for length in lengths:
                size = evaluate.binary(frame, gast.Mult, size, length, node)
            visit(variable, item, lengths, size, total)
            following = frame.emit("add", Leaf(total), size, node=node, hint="total")
            frame.builder.append(syntax.assign(total, frame.atom(following, node)))
        frame.builder.append(syntax.for_range(variable, 0, count, 1, body))
        return total

    def measure(variable: str, item: gast.Name, lengths: list[Value], size: Value, total: str) -> None:
        for axis, length in enumerate(lengths):
            place = [syntax.name(variable), syntax.constant(axis)]
            frame.builder.append(syntax.store(shapes.name, place, frame.atom(length, node)))

    together = syntax.name(each(measure))
    data = frame.emit("empty", node=node, hint="data", shape=(together,), dtype=element.dtype)

    def fill(variable: str, item: gast.Name, lengths: list[Value], size: Value, total: str) -> None:
        flat = frame.emit("reshape", Leaf(item.id), node=node, shape=(frame.atom(size, node),))
        end = frame.emit("add", Leaf(total), size, node=node)
        place = [syntax.slice_(syntax.name(total), frame.atom(end, node))]
        frame.builder.append(syntax.store(data.name, place, frame.atom(flat, node)))

    each(fill)
    return data, shapes


def list_from_flat(frame: Frame, data: Leaf, shapes: Leaf, node: gast.AST) -> Leaf:
    """A growable list of arrays, from the elements of all of them and the lengths of each array in a row."""
    axes = range(lengths_in_row(protocol.type_as(frame, shapes, Array)))
    dtype = protocol.type_as(frame, data, Array).dtype
    element = Array(dtype, tuple(own_length(frame) for _ in axes), "C")
    made = Leaf(frame.builder.bind(syntax.call("new_list"), ListOf(element), "items").id)
    count = frame.atom(evaluate.length_of(frame, shapes, 0, node), node)
    start, variable = frame.builder.names.fresh("start"), frame.builder.names.fresh("i")
    frame.builder.types |= {start: types.INT, variable: types.INT}
    frame.builder.merged.add(start)
    frame.builder.append(syntax.assign(start, syntax.constant(0)))
    with frame.captured() as body:
        size: Value = Static(1)
        lengths = []
        for axis in axes:
            place = [syntax.name(variable), syntax.constant(axis)]
            length = subscript.element(frame, shapes, place, node)
            lengths.append(frame.emit("cast", length, node=node, hint="n", dtype=INT_WORD, weak=True))
            size = evaluate.binary(frame, gast.Mult, size, lengths[-1], node)
        end = frame.emit("add", Leaf(start), size, node=node, hint="end")
        part = syntax.slice_(syntax.name(start), frame.atom(end, node))
        flat = subscript.element(frame, data, [part], node)
        shape = tuple(frame.atom(length, node) for length in lengths)
        item = frame.emit("reshape", flat, node=node, hint="item", shape=shape)
        tables.put(frame, made, frame.emit("copy", item, node=node, hint="item"), node)
        frame.builder.append(syntax.assign(start, frame.atom(end, node)))
    frame.builder.append(syntax.for_range(variable, 0, count, 1, body))
    return made


def taken_over(frame: Frame, value: Value, names: list[str], node: gast.AST) -> Value:
    """What a function returned, with new objects for its lists and dicts."""
    match value:
        case Out(index=index):
            return Leaf(names[index])
        case ListOut():
            return frame.new(_grown(frame, value, names, node))
        case Rows(item=item, kind=kind) if kind is list and _grows(value):
            return frame.new(Table(_grown(frame, item, names, node)))
    inner = tuple(taken_over(frame, part, names, node) for _, part in parts(value))
    return object_of(with_parts(value, inner) if inner else value, frame.heap)


def _grown(frame: Frame, value: Value, names: list[str], node: gast.AST) -> Value:
    """What a function returned, with lists that grow made of the arrays in which they crossed the call."""
    match value:
        case ListOut(data=Out(index=index), shapes=None, is_weak=is_weak):
            return containers.grown_from_array(frame, Leaf(names[index]), is_weak, node)
        case ListOut(data=Out(index=index), shapes=Out(index=lengths)):
            return list_from_flat(frame, Leaf(names[index]), Leaf(names[lengths]), node)
    inner = tuple(_grown(frame, part, names, node) for _, part in parts(value))
    return with_parts(value, inner) if inner else value


def _grows(value: Value) -> bool:
    """Whether a list is one that grew, rather than one of arrays along it, as `vmap` returns them."""
    return isinstance(value, ListOut) or any(_grows(part) for _, part in parts(value))
