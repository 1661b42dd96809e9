"""`is`: whether two values are one object, where that is known now or can be decided at run time.

    flag is True     ->     flag == True, as there is one True and one False
    x is None        ->     False, for an array
    x is y           ->     refused (R001) for two arrays: the caller may have passed one array twice
"""

from __future__ import annotations

import gast

from ....dtypes import BOOL_WORD
from ....types import BOOL, Array, ListOf, Scalar, Type
from .. import protocol
from ..frame import Frame
from ..values import Leaf, Record, Ref, Sequence, Static, Value, parts, same_structure


@protocol.is_same.of(Ref)
def _(frame: Frame, left: Ref, right: Ref, node: gast.AST, hint: str) -> Value:
    one, other = left.number, right.number
    owners = [owner.kind if (owner := frame.heap.owners.get(n)) else "" for n in (one, other)]
    # an item may be any object, and what other code made may have two names
    are_unknown = "item" in owners or all(owners)
    if one != other and (are_unknown or frame.heap.may_be_one(one, other)):
        refuse(frame, node)
    return Static(one == other)


@protocol.is_same.of(Sequence)
@protocol.is_same.of(Record)
def _(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    if _may_be_equal(frame, left, right):
        refuse(frame, node)  # they may have been made twice
    return Static(False)


@protocol.is_same.of(Scalar, Array, ListOf, beside=(Scalar, Array, ListOf, Static))
def _(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    if left == right:
        return Static(True)
    one, other = frame.type_of(left), frame.type_of(right)
    if one == BOOL == other:
        same = frame.emit("equal", left, right, node=node)
        return frame.emit("cast", same, node=node, hint=hint, dtype=BOOL_WORD, weak=True)
    if one is not None and other is not None and _may_be_one(one, other):
        refuse(frame, node)
    return Static(False)


def _may_be_equal(frame: Frame, left: Value, right: Value) -> bool:
    """Whether two values hold the same, or may hold the same at run time."""
    if parts(left) or parts(right):
        pairs = zip(parts(left), parts(right))
        return same_structure(left, right) and all(_may_be_equal(frame, one, other) for (_, one), (_, other) in pairs)
    if isinstance(left, Leaf) or isinstance(right, Leaf):
        one, other = frame.type_of(left), frame.type_of(right)
        return one is not None and other is not None and _may_be_one(one, other)
    return left == right or isinstance(left, Ref) and isinstance(right, Ref)


def _may_be_one(left: Type, right: Type) -> bool:
    """Whether two values of these types may be one object: two arrays may be, and numbers that Python caches."""
    if isinstance(left, Array) and isinstance(right, Array):
        return left.dtype == right.dtype and left.ndim == right.ndim
    if isinstance(left, ListOf) or isinstance(right, ListOf):
        return isinstance(left, ListOf) and isinstance(right, ListOf)
    return isinstance(left, Scalar) and isinstance(right, Scalar) and left == right


def refuse(frame: Frame, node: gast.AST, help_: str = "compare what they hold: `==`") -> None:
    frame.fault("R001", "whether these are one object is only known at run time", node, "compared here", (help_,))
