"""Tuples and lists whose length is known now: their items are values of their own."""

from __future__ import annotations

from typing import Any

import gast

from ....builder import COMPARISONS
from ....types import ListOf, Scalar
from .. import protocol
from ..frame import Frame
from ..interpreter import evaluate
from ..library.static_python import computed
from ..objects import given_back
from ..protocol import describe, held_as, is_unrolled, items, known, load, member, python_class, truth
from ..values import Rows, Sequence, Static, Table, Value
from . import arrays, container_methods, containers, equality, list_positions, sets, strings, tuples


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


@protocol.infix.of(Sequence, Rows, Table, ListOf)
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    """`+` joins two tuples, two lists or two strings; comparisons go through their items."""
    if (of_sets := sets.infix(frame, op, left, right, node)) is not None:
        return of_sets
    sides = first, second = frame.held(left), frame.held(right)
    kind, *others = {protocol.sequence_kind(frame, side) for side in sides}
    if op in COMPARISONS:
        compare = equality.unordered if others or kind is set else equality.compared
        return compare(frame, left, right, op, node, hint)
    if op is gast.Add and kind is tuple and not others:
        return tuples.joined(frame, left, right, node)
    if op is gast.Add and kind is list and not others:
        if isinstance(first, Sequence) and isinstance(second, Sequence):
            return containers.new_list(frame, first.items + second.items)
        joined = container_methods.copy(frame, left, node)
        container_methods.extend(frame, joined, node, right)
        return joined
    return strings.infix(frame, left, right, op, node, hint)


@protocol.infix.of(Sequence, Rows, Table, ListOf, beside=(Scalar, Static))
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    """`* n` repeats a tuple or list."""
    if (of_sets := sets.infix(frame, op, left, right, node)) is not None:
        return of_sets
    sequence, count = (left, right) if protocol.is_container(frame, left) else (right, left)
    if strings.is_string(sequence):
        return strings.infix(frame, left, right, op, node, hint)
    if op is gast.Mult and frame.is_integer(count) and protocol.sequence_kind(frame, frame.held(sequence)) is not set:
        return container_methods.repeated(frame, sequence, count, node)
    operate = arrays.infix if evaluate.is_strong(frame, count) else equality.unordered
    return operate(frame, left, right, op, node, hint)
