"""Change an item of a list that grows where it stands: it is read, changed, and put back.

    rows[i][j] = v          ->      row = rows[i]; row[j] = v; rows[i] = row
    rows[i].append(v)       ->      row = rows[i]; row.append(v); rows[i] = row

Such a list has its items taken apart, so nobody else may hold the item at the same time: neither what was put into the
list, nor what was read from it before.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from ...analysis.core_liveness import CHANGING_METHODS
from . import attributes, containers, evaluate, keyed_loops, list_positions, subscript, tables
from .frame import Frame
from .heap import reachable
from .object_changes import change, values_in_use
from .values import Ref, Sequence, Table, Value

PutBack = Callable[[], None]


def method(frame: Frame, node: gast.expr, hint: str) -> tuple[Value, PutBack]:
    """The function of a call; where it is a method that changes an item of a list, with what puts the item back."""
    if isinstance(node, gast.Attribute) and node.attr in CHANGING_METHODS and is_item(node.value):
        base, put_back = to_change(frame, node.value)
        return attributes.attribute_of(frame, base, node.attr, node, hint), put_back
    return evaluate.evaluate(frame, node), lambda: None


def is_item(node: gast.expr) -> bool:
    """`rows[i]`, `rows.setdefault(i, [])`."""
    if isinstance(node, gast.Subscript):
        return True
    is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and not node.keywords
    return is_call and node.func.attr == "setdefault" and len(node.args) == 2


def to_change(frame: Frame, node: gast.expr) -> tuple[Value, PutBack]:
    """The value of an expression that is changed next, and what is to be done after that."""
    if not isinstance(node, gast.Subscript):
        if not is_item(node):
            return evaluate.evaluate(frame, node), lambda: None
        base, put_back = to_change(frame, node.func.value)
        found = keyed_loops.default_item(frame, base, node)
        return item(frame, found[0], put_back, found[1])
    base, put_back = to_change(frame, node.value)
    base, node = keyed_loops.as_list_item(frame, base, node)
    return item(frame, base, put_back, node)


def item(frame: Frame, base: Value, put_back: PutBack, node: gast.Subscript) -> tuple[Value, PutBack]:
    """The same for an item of a value that is at hand, with what is to be done for that."""
    held = containers.grow(frame, base, node) if _is_list(frame, base, node) else frame.held(base)
    if isinstance(held, Sequence) and isinstance(base, Ref) and not isinstance(node.slice, gast.Slice):
        position = list_positions.known_position(frame, base, held, node.slice, "the position in a list", node)
        if position is not None:
            return held.items[position], put_back
        held = frame.held(base)  # a list that grows
    if not isinstance(held, Table) or not isinstance(base, Ref) or isinstance(node.slice, gast.Slice):
        return subscript.load(frame, base, node.slice, node), put_back
    at = containers.whole(frame, evaluate.evaluate(frame, node.slice), node)
    found = tables.item(frame, held, at, node, owner=None)
    if not isinstance(found, Ref):
        return found, put_back
    _require_alone(frame, base, node)

    def put_item_back() -> None:
        now = containers.make_room(frame, base, found, node)
        change(frame, base, None, node)
        tables.store(frame, now, at, found, node)
        put_back()

    return found, put_item_back


def _is_list(frame: Frame, base: Value, node: gast.Subscript) -> bool:
    return isinstance(base, Ref) and not isinstance(node.slice, gast.Slice)


def _require_alone(frame: Frame, base: Ref, node: gast.AST) -> None:
    """No item of the list, as it was put in or read from it, may be looked at from here on."""
    heap = frame.heap
    for number in reachable(values_in_use(frame), heap.contents):
        owner = heap.owner_of(number)
        is_item = owner is not None and owner.kind == "item"
        if number in heap.absorbed or is_item:
            name = heap.names[number]
            message = f"this changes an item of a list that grows while `{name}`, which may be that item, is still used"
            help_ = ("put a copy into the list, or read the item again where it is needed",)
            frame.fault("R003", message, node, "changed here", help_)
