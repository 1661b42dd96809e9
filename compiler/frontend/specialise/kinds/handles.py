"""Instances that are kept in pools: what an operation does by the position of one (`objects/pools.py`)."""

from __future__ import annotations

import gast

from ....dtypes import BOOL_WORD
from .. import protocol
from ..frame import Frame
from ..interpreter import choices
from ..objects import pools
from ..protocol import describe, load, member, python_class, truth
from ..values import Handle, Static, Value
from . import classes, own_operators


@python_class.of(Handle)
def _(frame: Frame, value: Handle) -> type:
    return value.cls


@describe.of(Handle)
def _(frame: Frame, value: Handle) -> str:
    return value.cls.__name__


@truth.of(Handle)
def _(frame: Frame, value: Handle, node: gast.AST) -> Value:
    found = own_operators.truth(frame, value, node)
    return Static(True) if found is None else truth(frame, found, node)


@load.of(Handle)
def _(frame: Frame, base: Handle, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    found = own_operators.item(frame, base, items, node)
    return load.otherwise(frame, base, items, node, hint) if found is None else found


@member.of(Handle)
def _(frame: Frame, container: Handle, item: Value, node: gast.AST, hint: str = "t") -> Value:
    found = own_operators.member(frame, container, item, node, hint)
    return member.otherwise(frame, container, item, node, hint) if found is None else found


@protocol.attribute.of(Handle)
def _(frame: Frame, base: Handle, name: str, node: gast.AST, hint: str = "t") -> Value:
    """`p.name`: from the column of the attribute, where a property of the class does not come first."""
    record = pools.record(frame, base)
    found = classes.entry(frame, base.cls, name)
    if record.get(name) is not None and not isinstance(found, property):
        return pools.attribute(frame, base, name, node)
    return classes.of_its_class(frame, base, record, name, found, node)


# --- two values ------------------------------------------------------------------------------------------------------


@protocol.infix.of(Handle, beside=(protocol.ANY,))
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    by_class = own_operators.infix(frame, op, left, right, node, hint)
    return protocol.infix.otherwise(frame, left, right, op, node, hint) if by_class is None else by_class


@protocol.is_same.of(Handle)
def _(frame: Frame, left: Handle, right: Handle, node: gast.AST, hint: str) -> Value:
    """They have one position among those of their class."""
    if left.cls is not right.cls or left == right:
        return Static(left == right)
    same = frame.emit("equal", left.number, right.number, node=node)
    return frame.emit("cast", same, node=node, hint=hint, dtype=BOOL_WORD, weak=True)


@protocol.equal.of(Handle)
def _(frame: Frame, left: Handle, right: Handle, node: gast.AST, hint: str) -> Value:
    """An instance is equal to itself, even where it holds nan; others are compared as their class says."""
    same = protocol.is_same(frame, left, right, node, hint)
    if own_operators.vars_of(left.cls, "__eq__") is object.__eq__ or isinstance(same, Static):
        return same
    one, other = (pools.as_read(frame, side, node) for side in (left, right))
    alike = lambda: protocol.truth(frame, protocol.equal(frame, one, other, node, "t"), node)  # noqa: E731
    return choices.both(frame, same, same, alike, True, node, hint)


@protocol.is_unlike_others.of(Handle)
def _(frame: Frame, value: Handle) -> bool:
    return True
