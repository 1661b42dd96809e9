"""Lists that grow (`tables.py`): of a length that is known at run time only."""

from __future__ import annotations

import gast

from ....types import ListOf
from ..frame import Frame
from ..interpreter import evaluate
from ..objects import given_back, items_read
from ..protocol import describe, item, length, load, of_dynamic_length, python_class, truth
from ..values import Static, Table, Value
from . import containers, tables


@of_dynamic_length.of(ListOf, Table)
def _(frame: Frame, value: Value) -> Value | None:
    return frame.held(value)


@length.of(ListOf, Table)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return tables.length(frame, frame.held(value))


@item.of(ListOf, Table)
def _(frame: Frame, value: Value, position: Value, node: gast.AST) -> Value:
    return items_read.item(frame, value, frame.atom(position, node), node)


@truth.of(ListOf, Table)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return frame.emit("greater", length(frame, value, node), Static(0), node=node)


@python_class.of(ListOf, Table)
def _(frame: Frame, value: Value) -> type:
    return list


@describe.of(ListOf, Table)
def _(frame: Frame, value: Value) -> str:
    return "list"


@load.of(ListOf, Table)
def _(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    if isinstance(items, gast.Slice):
        return containers.part_of_list(frame, base, items, node)
    position = containers.whole(frame, evaluate.evaluate(frame, items), node)
    found = items_read.item(frame, base, position, node, hint)
    return given_back.note_key(frame, base, items, found, node)
