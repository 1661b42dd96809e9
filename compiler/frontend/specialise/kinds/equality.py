"""`==` and `in`: containers item by item, records by their fields, functions by identity.

    [x, 1] == [y, 1]     ->     x == y          an object is equal to itself, whatever its `==` says
    x in (a, b)          ->     x == a or x == b
"""

from __future__ import annotations

from typing import Any

import gast

from ....dtypes import BOOL_WORD
from ....types import ListOf, Scalar
from .. import protocol
from ..frame import Frame
from ..functional import Closure
from ..interpreter import branches, choices, evaluate
from ..library.static_python import PYTHON_COMPARISONS
from ..values import Leaf, Mapping_, Record, Ref, Rows, Sequence, Static, String, Table, Value, is_number
from . import container_methods


def as_sequence(frame: Frame, value: Value) -> Value:
    """What a container holds: a NamedTuple is the tuple of its fields, a list that grows stays a leaf."""
    held = frame.held(value)
    if isinstance(held, Record) and held.is_tuple:
        return Sequence(tuple(v for _, v in held.items))
    return held


@protocol.is_unlike_others.of(Sequence, Rows, ListOf, Table, Mapping_, Record, Closure, String, Scalar)
def _(frame: Frame, value: Value) -> bool:
    return True


@protocol.is_unlike_others.of(Static)
def _(frame: Frame, value: Static) -> bool:
    return is_number(value) or isinstance(value.value, str | None)


def compared(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str) -> Value:
    """Two tuples, lists or built strings are compared by their first items that differ, or else by their lengths."""
    if op is gast.NotEq:
        return protocol.negation(frame, compared(frame, left, right, gast.Eq, node, "t"), node, hint)
    sides = one, other = frame.held(left), frame.held(right)
    kind = protocol.sequence_kind(frame, one)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return (_equal if op is gast.Eq else ordered)(frame, op, one.items, other.items, node, hint)
    if kind is not None and Sequence((), kind) in sides:
        counts = [protocol.length(frame, side, node) for side in sides]
        return choices.compare(frame, op, counts[0], counts[1], node, hint)
    lists = sides if kind is str else [container_methods.as_growing(frame, frame.new(side), node) for side in sides]
    return container_methods.in_language(frame, IN_LANGUAGE[op], list(lists), node, hint)


def unordered(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str) -> Value:
    """An operator on values of two kinds: where both are known, Python says that they have no order."""
    sides = [frame.held(side) for side in (left, right)]
    if op not in IN_LANGUAGE or op is gast.Eq or not all(isinstance(side, Sequence | Static) for side in sides):
        return protocol.infix.otherwise(frame, left, right, op, node, hint)
    known = [Static(protocol.known(frame, side, node)) for side in sides]
    return evaluate.fold(frame, PYTHON_COMPARISONS[op], node, *known)


IN_LANGUAGE: dict[type, str] = {
    gast.Eq: "are_equal", gast.Lt: "is_less", gast.LtE: "is_less_or_equal", gast.Gt: "is_greater",
    gast.GtE: "is_greater_or_equal",
}  # fmt: skip


def is_generated(method: Any) -> bool:
    """Whether `@dataclass` generated a method: the source of such a method is not in a file."""
    return getattr(getattr(method, "__code__", None), "co_filename", "") == "<string>"


def decided(frame: Frame, pairs: list, stop: bool, node: gast.AST, hint: str, is_container: bool = True) -> Value:
    """Whether all pairs are equal, or with `stop` any of them: the first that decides ends the comparison."""
    result: Value = Static(not stop)
    for left, right in pairs:
        step = Static(True) if is_container and is_one(left, right) else equal(frame, left, right, node)
        if isinstance(step, Static):
            if bool(step.value) == stop:
                return step
        elif isinstance(result, Static):
            result = step
        else:
            result = frame.emit("logical_or" if stop else "logical_and", result, step, node=node, hint=hint)
    if isinstance(result, Static):
        return result
    return frame.emit("cast", result, node=node, hint=hint, dtype=BOOL_WORD, weak=True)


def _equal(frame: Frame, op: type, left: tuple, right: tuple, node: gast.AST, hint: str) -> Value:
    if len(left) != len(right):
        return Static(False)
    return decided(frame, list(zip(left, right, strict=True)), False, node, hint)


def ordered(frame: Frame, op: type, left: tuple, right: tuple, node: gast.AST, hint: str) -> Value:
    """`left < right` of tuples and lists: by their first items that differ, or else by their lengths."""
    if not left or not right:
        return evaluate.fold(frame, PYTHON_COMPARISONS[op], node, Static(len(left)), Static(len(right)))
    same = Static(True) if is_one(left[0], right[0]) else equal(frame, left[0], right[0], node)
    if isinstance(same, Static):
        if same.value:
            return ordered(frame, op, left[1:], right[1:], node, hint)
        return choices.compare(frame, op, left[0], right[0], node, hint)
    then = branches.walk(frame, lambda: ordered(frame, op, left[1:], right[1:], node, hint))
    other = branches.walk(frame, lambda: choices.compare(frame, op, left[0], right[0], node, hint))
    return choices.branch_value(frame, same, then, other, node, hint)


def is_one(left: Value, right: Value) -> bool:
    """Whether two items are certainly one object: containers find it equal without calling its `==`."""
    if isinstance(left, Static) and isinstance(right, Static):
        return left.value is right.value
    return left is right or (isinstance(left, Leaf | Ref) and left == right)


def equal(frame: Frame, left: Value, right: Value, node: gast.AST) -> Value:
    return protocol.truth(frame, choices.compare(frame, gast.Eq, left, right, node), node)


def is_any(frame: Frame, item: Value, others: list[Value], node: gast.AST, hint: str) -> Value:
    """Whether a value is one of others, or equal to one."""
    return decided(frame, [(other, item) for other in others], True, node, hint)
