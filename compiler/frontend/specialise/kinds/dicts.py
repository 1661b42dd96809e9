"""Dicts whose keys are known now: their items are values of their own."""

from __future__ import annotations

from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..interpreter import evaluate
from ..objects import given_back
from ..protocol import describe, held_as, is_unrolled, items, known, load, member, python_class, truth
from ..values import Mapping_, Static, Value
from . import containers, dict_methods, equality, keyed


@known.of(Mapping_)
def _(frame: Frame, value: Value, node: gast.AST, what: str = "this value") -> dict[Any, Any]:
    return {key: known(frame, part, node, what) for key, part in held_as(frame, value, Mapping_).items}


@is_unrolled.of(Mapping_)
def _(frame: Frame, value: Value) -> bool:
    return True


@items.of(Mapping_)
def _(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    return [Static(key) for key, _ in held_as(frame, value, Mapping_).items]


@truth.of(Mapping_)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return Static(bool(held_as(frame, value, Mapping_).items))


@python_class.of(Mapping_)
def _(frame: Frame, value: Value) -> type:
    held = held_as(frame, value, Mapping_)
    return dict if held.like is None else held.like[0]


@describe.of(Mapping_)
def _(frame: Frame, value: Value) -> str:
    found = held_as(frame, value, Mapping_).like
    return "dict" if found is None else getattr(found[0], "python", found[0]).__name__


@load.of(Mapping_)
def _(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    held, key = held_as(frame, base, Mapping_), evaluate.evaluate(frame, items)
    return given_back.note_key(frame, base, items, containers.item_of_dict(frame, base, held, key, node), node)


@member.of(Mapping_)
def _(frame: Frame, container: Value, item: Value, node: gast.AST, hint: str = "t") -> Value:
    held = held_as(frame, container, Mapping_)
    if not held.items and not keyed.is_known(frame, item):
        return Static(False)
    return Static(keyed.known_key(frame, container, item, node) in [key for key, _ in held.items])


@protocol.infix.of(Mapping_)
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    if op is not gast.BitOr:
        return protocol.infix.otherwise(frame, left, right, op, node, hint)
    return dict_methods.merged(frame, left, right, node)


@protocol.equal.of(Mapping_)
def _(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    one, other = held_as(frame, left, Mapping_), held_as(frame, right, Mapping_)
    if {key for key, _ in one.items} != {key for key, _ in other.items}:
        return Static(False)
    return equality.decided(frame, [(part, other.get(key)) for key, part in one.items], False, node, hint)
