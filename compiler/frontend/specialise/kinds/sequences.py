"""Tuples and lists whose length is known now: their items are values of their own."""

from __future__ import annotations

from typing import Any

import gast

from ..frame import Frame
from ..protocol import describe, held_as, is_unrolled, items, known, python_class, truth
from ..values import Sequence, Static, Value


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
