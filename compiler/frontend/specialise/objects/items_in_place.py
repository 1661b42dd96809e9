"""Change an item of a list that grows in place: it is read, changed, and written back.

    rows[i][j] = v          ->      row = rows[i]; row[j] = v; rows[i] = row
    rows[i].append(v)       ->      row = rows[i]; row.append(v); rows[i] = row
    layers[i] *= v          ->      layer = layers[i].copy(); layer[:] = layer * v; layers[i] = layer

Such a list has its items taken apart, so nothing else may hold the item at the same time: neither the object that was
put into the list, nor one that was read from it before.  For arrays, `analysis/memory/alias.py` knows what does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

import gast

from ....analysis.core_liveness import CHANGING_METHODS
from .. import protocol
from ..frame import Frame
from ..interpreter import evaluate, subscript
from ..kinds import classes, containers, forms, list_positions, tables
from ..values import Record, Ref, Sequence, Table, Value
from . import items_read, keyed_loops, pools, shared_items
from .heap import reachable
from .object_changes import change

PutBack = Callable[[Value], None]  # takes the new value of the item


PLACES = gast.Name | gast.Attribute | gast.Subscript | gast.Call


def nothing_to_do(changed: Value) -> None:
    """The changed value is the object itself, so nothing is written back."""


def method(frame: Frame, node: gast.expr, hint: str) -> tuple[Value, Callable[[], None] | None]:
    """The function of a call; where it is a method that changes an item of a list, with what writes the item back."""
    if isinstance(node, gast.Attribute) and node.attr in CHANGING_METHODS and isinstance(node.value, PLACES):
        base, put_back = to_change(frame, node.value)
        return protocol.attribute(frame, base, node.attr, node, hint), lambda: put_back(base)
    return evaluate.evaluate(frame, node), None


def is_item(node: gast.expr) -> bool:
    """`rows[i]`, `rows.setdefault(i, [])`."""
    return isinstance(node, gast.Subscript) or is_default_item(node)


def is_default_item(node: gast.expr) -> TypeGuard[gast.Call]:
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute) or node.keywords:
        return False
    return node.func.attr == "setdefault" and len(node.args) == 2


def to_change(frame: Frame, node: gast.expr) -> tuple[Value, PutBack]:
    """The value of an expression that is about to be changed, and what is to be done after the change."""
    if isinstance(node, gast.Attribute):
        base, put_back = to_change(frame, node.value)
        return _attribute(frame, base, put_back, node)
    if is_default_item(node):
        base, put_back = to_change(frame, node.func.value)
        base, place = keyed_loops.default_item(frame, base, node)
        return item(frame, base, put_back, place)
    if not isinstance(node, gast.Subscript):
        found = evaluate.evaluate(frame, node)
        return opened(frame, found, nothing_to_do, found, node)
    base, put_back = to_change(frame, node.value)
    base, node = keyed_loops.as_list_item(frame, base, node)
    return item(frame, base, put_back, node)


def item(frame: Frame, base: Value, put_back: PutBack, node: gast.Subscript) -> tuple[Value, PutBack]:
    """The same for an item of a value that is evaluated already, with what is to be done for that value."""
    held = frame.held(base)
    if isinstance(base, Ref) and not isinstance(node.slice, gast.Slice):
        held = containers.grow(frame, base, node)
    if isinstance(held, Sequence) and isinstance(base, Ref) and not isinstance(node.slice, gast.Slice):
        position = list_positions.known_position(frame, base, held, node.slice, "the position in a list", node)
        if position is not None:
            return _of_an_item(frame, base, held.items[position], put_back, node)
        held = frame.held(base)  # a list that grows
    is_table = isinstance(held, Table) or frame.is_list(held)
    if not is_table or not isinstance(base, Ref) or isinstance(node.slice, gast.Slice):
        return _of_an_item(frame, base, protocol.load(frame, base, node.slice, node), put_back, node)
    at = containers.whole(frame, evaluate.evaluate(frame, node.slice), node)
    found = tables.item(frame, held, at, node, owner=None)
    if pools.is_pooled(found):
        return found, nothing_to_do  # what is changed stands in the columns of its class
    if frame.is_array(found):
        found = items_read.copy(frame, found, node)
    elif reachable([found], frame.heap.contents):
        items_read.require_alone(frame, node)
        shared_items.changed(frame, forms.structure(held), node)

    def put_item_back(changed: Value) -> None:
        now = containers.make_room(frame, base, changed, node)
        change(frame, base, None, node)
        tables.store(frame, now, at, changed, node, is_put_back=True)
        put_back(base)

    return found, put_item_back


def _attribute(frame: Frame, base: Value, put_back: PutBack, node: gast.Attribute) -> tuple[Value, PutBack]:
    """The same for an attribute."""
    if pools.is_pooled(base) and (column := pools.columns_of(frame, base.cls).get(node.attr)) is not None:
        return item(frame, column, nothing_to_do, keyed_loops.with_index(frame, node, base.number))
    old = protocol.attribute(frame, base, node.attr, node, "t")
    found = own_array(frame, base, put_back, old, node)
    if found is old:
        return opened(frame, found, put_back, base, node)

    def put_attribute_back(changed: Value) -> None:
        if isinstance(base, Ref):
            classes.set_attribute(frame, base, node.attr, changed, node)
            return put_back(base)
        assert isinstance(base, Record)
        items = tuple((name, changed if name == node.attr else value) for name, value in base.items)
        return put_back(Record(base.cls, items))

    return found, put_attribute_back


def own_array(frame: Frame, base: Value, put_back: PutBack, array: Value, node: gast.AST) -> Value:
    """An array in an object that is to be changed; a copy, where the object is in a list that grows."""
    is_own = put_back is nothing_to_do and items_read.place_of(frame, base) is None and not pools.is_pooled(base)
    return array if is_own or not frame.is_array(array) or frame.is_array(base) else items_read.copy(frame, array, node)


def opened(frame: Frame, found: Value, put_back: PutBack, base: Value, node: gast.AST) -> tuple[Value, PutBack]:
    """A value that may be changed as it is; an object that was read from a list is written back afterwards."""
    place = items_read.place_of(frame, found) if put_back is nothing_to_do else None
    if isinstance(found, Ref) and (place is not None or put_back is not nothing_to_do):
        shared_items.part_changed(frame, frame.held(found), node)
    if place is None:
        return found, put_back if put_back is nothing_to_do else lambda _: put_back(base)
    frame.heap.open = place
    return found, lambda _: items_read.close(frame, place, node)


def _of_an_item(
    frame: Frame, base: Value, found: Value, put_back: PutBack, node: gast.Subscript
) -> tuple[Value, PutBack]:  # fmt: skip
    """The same for a part of an item, or of something that is not an item."""
    if put_back is nothing_to_do or not frame.is_array(found) or frame.is_array(base):
        return opened(frame, found, put_back, base, node)

    def put_part_back(changed: Value) -> None:
        if isinstance(base, Ref):
            subscript.store(frame, base, node.slice, changed, node)
            return put_back(base)
        assert isinstance(base, Sequence)
        items = list(base.items)
        items[evaluate.static(frame, node.slice, "the position in a tuple")] = changed
        return put_back(Sequence(tuple(items)))

    return items_read.copy(frame, found, node), put_part_back

