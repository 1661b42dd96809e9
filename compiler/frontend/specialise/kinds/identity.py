"""`is`: whether two values are one object, where that is known now or can be decided at run time.

    flag is True     ->     flag == True, as there is one True and one False
    x is None        ->     False, for an array
    x is y           ->     refused (R001) for two arrays: the caller may have passed one array twice
"""

from __future__ import annotations

import gast

from ....dtypes import BOOL_WORD
from ....types import BOOL, Array, ListOf, Scalar, Type
from ..frame import Frame
from ..functional import Closure
from ..functions.local_functions import is_one
from ..values import Handle, Leaf, Optional, Record, Ref, Sequence, Static, Text, Value, is_none, parts, same_structure


def is_same(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str = "t") -> Value:
    """A static bool, or one known at run time."""
    if left is right or isinstance(left, Leaf) and left == right:
        return Static(True)
    match left, right:
        case Ref(number=one), Ref(number=other):
            owners = [owner.kind if (owner := frame.heap.owners.get(n)) else "" for n in (one, other)]
            # an item may be any object, and what other code made may have two names
            are_unknown = "item" in owners or all(owners)
            if one != other and (are_unknown or frame.heap.may_be_one(one, other)):
                refuse(frame, node)
            return Static(one == other)
        case Static(value=one), Static(value=other):
            return Static(one is other)
        case Handle(), Handle() if left.cls is right.cls:
            left, right = left.number, right.number
            return Static(True) if left == right else frame.emit("equal", left, right, node=node, hint=hint)
        case Closure(), Closure():
            if is_one(left, right):
                # they have one definition, which may have been executed twice
                refuse(frame, node, "keep a number beside each function, and compare the numbers")
            return Static(False)
        case (Text(), Text() | Static(value=str())) | (Static(value=str()), Text()):
            refuse(frame, node)
        case (Sequence(), Sequence()) | (Record(), Record()) if _may_be_equal(frame, left, right):
            refuse(frame, node)  # they are equal, and may have been made twice
    if isinstance(left, Optional) or isinstance(right, Optional):
        side, other = (left, right) if isinstance(left, Optional) else (right, left)
        if not is_none(other):
            refuse(frame, node)
        return side.absent
    types = frame.type_of(left), frame.type_of(right)
    if types == (BOOL, BOOL):
        same = frame.emit("equal", left, right, node=node)
        return frame.emit("cast", same, node=node, hint=hint, dtype=BOOL_WORD, weak=True)
    if None not in types and _may_be_one(*types):
        refuse(frame, node)
    return Static(False)


def _may_be_equal(frame: Frame, left: Value, right: Value) -> bool:
    """Whether two values hold the same, or may hold the same at run time."""
    if parts(left) or parts(right):
        pairs = zip(parts(left), parts(right))
        return same_structure(left, right) and all(_may_be_equal(frame, one, other) for (_, one), (_, other) in pairs)
    types = frame.type_of(left), frame.type_of(right)
    if isinstance(left, Leaf) or isinstance(right, Leaf):
        return None not in types and _may_be_one(*types)
    return left == right or isinstance(left, Ref) and isinstance(right, Ref)


def _may_be_one(left: Type, right: Type) -> bool:
    """Whether two values of these types may be one object: two arrays may be, and numbers that Python caches."""
    if isinstance(left, Array) and isinstance(right, Array):
        return left.dtype == right.dtype and left.ndim == right.ndim
    if isinstance(left, ListOf) or isinstance(right, ListOf):
        return isinstance(left, ListOf) and isinstance(right, ListOf)
    return isinstance(left, Scalar) and isinstance(right, Scalar) and left == right


def refuse(frame: Frame, node: gast.AST, help_: str = "compare what they hold: `==`") -> None:
    frame.fault("R001", "whether these are one object depends on values of the run", node, "compared here", (help_,))
