"""Ranges: `range(start, stop, step)`, of which some parts may be known at run time only."""

from __future__ import annotations

import gast

from ..frame import Frame
from ..interpreter import evaluate
from ..iterables import Range
from ..protocol import describe, has_known_length, item, items, known, length, load, python_class
from ..values import Static, Value, are_known
from . import keyed, own_operators

NEVER = 2**62  # more items than any loop reaches


def parts_of(value: Range) -> tuple[Value, Value, Value]:
    return value.start, value.stop, value.step


def known_range(value: Value) -> range | None:
    """What it is in Python, where its parts are known; None for anything else."""
    bounds = parts_of(value) if isinstance(value, Range) else ()
    return range(*(bound.value for bound in bounds)) if bounds and are_known(bounds) else None


@has_known_length.of(Range)
def _(frame: Frame, value: Range) -> bool:
    return are_known(parts_of(value))


@items.of(Range)
def _(frame: Frame, value: Range, node: gast.AST) -> list[Value]:
    bounds = [known(frame, part, node, "a range that is unrolled") for part in parts_of(value)]
    return [Static(number) for number in range(*bounds)]


@length.of(Range)
def _(frame: Frame, value: Range, node: gast.AST) -> Value:
    start, stop, step = parts_of(value)
    if start == Static(0) and step == Static(1):
        return stop
    span = evaluate.binary(frame, gast.Sub, stop, start, node)
    if step == Static(1):
        return span
    stride = known(frame, step, node, "the step of a range that `break` may leave")
    sign = (stride > 0) - (stride < 0)
    rounded = evaluate.binary(frame, gast.Add, span, Static(stride - sign), node)
    return evaluate.binary(frame, gast.FloorDiv, rounded, step, node)


@item.of(Range)
def _(frame: Frame, value: Range, position: Value, node: gast.AST) -> Value:
    start, _, step = parts_of(value)
    offset = position if step == Static(1) else evaluate.binary(frame, gast.Mult, position, step, node)
    return offset if start == Static(0) else evaluate.binary(frame, gast.Add, start, offset, node)


def item_at_index(frame: Frame, value: Range, index: Value, node: gast.AST) -> Value:
    """`range(start, stop, step)[index]`"""
    given = [value.start, value.step, length(frame, value, node), index]
    return keyed.in_language(frame, "python_builtins:item_of_range", given, node)


def as_places(frame: Frame, value: Value, node: gast.AST) -> Value | None:
    """A range as an index of an array: an array of its numbers; None for anything else."""
    if not isinstance(value, Range):
        return None
    return keyed.in_language(frame, "creation:arange", list(parts_of(value)), node)


@python_class.of(Range)
def _(frame: Frame, value: Range) -> type:
    return range


@describe.of(Range)
def _(frame: Frame, value: Range) -> str:
    return "range"


@load.of(Range)
def _(frame: Frame, base: Range, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    if isinstance(items, gast.Slice):
        return load.otherwise(frame, base, items, node, hint)
    return item_at_index(frame, base, own_operators.index_of(frame, items, node), node)
