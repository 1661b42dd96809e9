"""`==` and `in`: containers item by item, records by their fields, functions by identity.

    [x, 1] == [y, 1]     ->     x == y          an object is equal to itself, whatever its `==` says
    x in (a, b)          ->     x == a or x == b
"""

from __future__ import annotations

import dataclasses
import operator
import sys
from typing import Any

import gast

from ....dtypes import BOOL_WORD
from .. import protocol
from ..frame import Frame
from ..functional import Closure
from ..interpreter import branches, choices, evaluate
from ..library.static_python import PYTHON_COMPARISONS
from ..objects import pools
from ..values import Handle, Leaf, Mapping_, Record, Ref, Rows, Sequence, Static, Value, is_number
from . import (
    container_methods,
    forms,
    identity,
)


def as_sequence(frame: Frame, value: Value) -> Value:
    """What a container holds: a NamedTuple is the tuple of its fields, a list that grows stays a leaf."""
    held = frame.held(value)
    if isinstance(held, Record) and held.is_tuple:
        return Sequence(tuple(v for _, v in held.items))
    return held


def are_equal(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """`left == right` of values other than single numbers."""
    match left, right:
        case Sequence(), Sequence():
            if len(left.items) != len(right.items) or left.kind is not right.kind:
                return Static(False)
            return decided(frame, list(zip(left.items, right.items, strict=True)), False, node, hint)
        case Mapping_(), Mapping_():
            if {k for k, _ in left.items} != {k for k, _ in right.items}:
                return Static(False)
            return decided(frame, [(v, right.get(k)) for k, v in left.items], False, node, hint)
        case Record(), Record():
            return records_equal(frame, left, right, node, hint)
        case Handle(), Handle():
            same = identity.is_same(frame, left, right, node, hint)
            if left.cls.__eq__ is object.__eq__ or isinstance(same, Static):
                return same
            return records_equal(frame, *(pools.as_read(frame, side, node) for side in (left, right)), node, hint)
        case Static(), Static():
            return evaluate.fold(frame, operator.eq, node, left, right)
        case Closure(), Closure():
            return identity.is_same(frame, left, right, node, hint)
    kinds = {_kind(frame, side) for side in (left, right)}
    empty = Sequence((), next(iter(kinds)))
    if empty in (left, right) and kinds in ({list}, {tuple}):
        count = protocol.length(frame, right if left == empty else left, node)
        return choices.compare(frame, gast.Eq, count, Static(0), node, hint)
    if kinds in ({list}, {tuple}):
        lists = [container_methods.as_growing(frame, frame.new(side), node) for side in (left, right)]
        return container_methods.in_language(frame, "are_equal", lists, node, hint)
    if type(left) is not type(right) and _is_unlike_any(frame, left) and _is_unlike_any(frame, right):
        return Static(False)
    frame.fault("T001", f"a {frame.describe(left)} cannot be compared with a {frame.describe(right)}", node)


def _kind(frame: Frame, value: Value) -> type:
    """`list` or `tuple` for a list or tuple of any length."""
    if forms.grows(frame, value):
        return list
    return value.kind if isinstance(value, Sequence | Rows) else type(None)


def _is_unlike_any(frame: Frame, value: Value) -> bool:
    """Whether a value compares unequal to every value of another kind."""
    if isinstance(value, Static):
        return is_number(value) or isinstance(value.value, str | None)
    return isinstance(value, Sequence | Rows | Mapping_ | Record | Handle | Closure) or frame.is_scalar(value)


def records_equal(frame: Frame, left: Record, right: Record, node: gast.AST, hint: str) -> Value:
    """Compare as the class says: dataclasses by their fields, or by identity if their class has no `==`."""
    owner = next(cls for cls in left.cls.__mro__ if "__eq__" in vars(cls))
    if owner is object:
        return identity.is_same(frame, left, right, node, hint)
    if not is_generated(vars(owner)["__eq__"]):
        frame.fault("T001", f"`{owner.__name__}` has an `==` of its own, which is not compiled", node, "compared here")
    if left.cls is not right.cls:
        return Static(False)
    names = [field.name for field in dataclasses.fields(owner) if field.compare]
    pairs = [(left.get(name), right.get(name)) for name in names]
    return decided(frame, pairs, False, node, hint, is_container=sys.version_info < (3, 13))  # before that as tuples


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


def ordered_by_run(frame: Frame, op: type, left: Value, right: Value, node: gast.AST, hint: str) -> Value | None:
    """The same for lists or tuples of dynamic length; None for anything else."""
    kinds = {_kind(frame, side) for side in (left, right)}
    if kinds not in ({list}, {tuple}):
        return None
    if Sequence((), next(iter(kinds))) in (left, right):
        counts = [protocol.length(frame, side, node) for side in (left, right)]
        return choices.compare(frame, op, counts[0], counts[1], node, hint)
    lists = [container_methods.as_growing(frame, frame.new(side), node) for side in (left, right)]
    return container_methods.in_language(frame, IN_ORDER[op], lists, node, hint)


IN_ORDER = {gast.Lt: "is_less", gast.LtE: "is_less_or_equal", gast.Gt: "is_greater", gast.GtE: "is_greater_or_equal"}


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
