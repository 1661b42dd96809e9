"""Instances of classes, with what their class says of them."""

from __future__ import annotations

from typing import Any

import gast

from ..frame import Frame
from ..protocol import describe, held_as, is_unrolled, items, known, python_class, truth
from ..values import Record, Static, Value
from . import library_classes, own_operators


@known.of(Record)
def _(frame: Frame, value: Value, node: gast.AST, what: str = "this value") -> Any:
    held = held_as(frame, value, Record)
    if not held.is_tuple:
        frame.needs_static(value, what, node)
    return held.cls(*(known(frame, part, node, what) for _, part in held.items))


@is_unrolled.of(Record)
def _(frame: Frame, value: Value) -> bool:
    return library_classes.stands_for(held_as(frame, value, Record).cls) is None


@items.of(Record)
def _(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    held = held_as(frame, value, Record)
    if not held.is_tuple:
        frame.fault("T001", f"'{describe(frame, value)}' object is not iterable", node, "gone over here",
                    ("define `__iter__` in its class, or go over an attribute",))  # fmt: skip
    return [part for _, part in held.items]


@truth.of(Record)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    found = own_operators.truth(frame, value, node)
    if found is not None:
        return truth(frame, found, node)
    held = held_as(frame, value, Record)
    return Static(bool(held.items) if held.is_tuple else True)


@python_class.of(Record)
def _(frame: Frame, value: Value) -> type:
    cls = held_as(frame, value, Record).cls
    return library_classes.stands_for(cls) or cls


@describe.of(Record)
def _(frame: Frame, value: Value) -> str:
    cls = held_as(frame, value, Record).cls
    return getattr(cls, "python", cls).__name__
