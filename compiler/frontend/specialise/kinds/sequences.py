"""Tuples and lists whose length is known now: their items are values of their own."""

from __future__ import annotations

from typing import Any

import gast

from ..frame import Frame
from ..library.static_python import computed
from ..objects import given_back
from ..protocol import describe, held_as, is_unrolled, items, known, load, member, python_class, truth
from ..values import Sequence, Static, Value
from . import containers, equality, list_positions, sets


@known.of(Sequence)
def _(frame: Frame, value: Value, node: gast.AST, what: str = "this value") -> Any:
    held = held_as(frame, value, Sequence)
    return held.kind(known(frame, part, node, what) for part in held.items)


@is_unrolled.of(Sequence)
def _(frame: Frame, value: Value) -> bool:
    return True


@items.of(Sequence)
def _(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    return list(held_as(frame, value, Sequence).items)


@truth.of(Sequence)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return Static(bool(held_as(frame, value, Sequence).items))


@python_class.of(Sequence)
def _(frame: Frame, value: Value) -> type:
    held = held_as(frame, value, Sequence)
    return held.like or held.kind


@describe.of(Sequence)
def _(frame: Frame, value: Value) -> str:
    return held_as(frame, value, Sequence).kind.__name__


@load.of(Sequence)
def _(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    held = held_as(frame, base, Sequence)
    if held.kind not in (tuple, list):  # a set
        frame.fault("T001", f"'{held.kind.__name__}' object is not subscriptable", node, "indexed here")
    if isinstance(items, gast.Slice):
        if not list_positions.cut_by_run(frame, base, held, items, node):
            found = computed(frame, held.items.__getitem__, node, containers.bounds_of(frame, items))
            return containers.new_list(frame, found) if held.kind is list else Sequence(found)
        if held.kind is tuple:
            return list_positions.part_of_tuple(frame, held, items, node)
        return load(frame, base, items, node, hint)  # the list has become one that grows
    number = list_positions.of_tuple(frame, held, items, node, hint)
    if number is not None:
        return number
    position = list_positions.known_position(frame, base, held, items, "the position in a tuple or list", node)
    if position is None:
        return load(frame, base, items, node, hint)  # the list has become one that grows
    return given_back.note_key(frame, base, items, held.items[position], node)


@member.of(Sequence)
def _(frame: Frame, container: Value, item: Value, node: gast.AST, hint: str = "t") -> Value:
    found = sets.contains(frame, item, container, node, hint)
    return equality.is_any(frame, item, items(frame, container, node), node, hint) if found is None else found
