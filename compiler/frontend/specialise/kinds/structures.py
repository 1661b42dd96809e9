"""Union types: the structures of a variable where paths meet, with a value of each and flags for which it is.

    if c: shape = Circle(r)              is_Circle = True;  is_Square = False;  radius = r
    else: shape = Square(a)      ->      is_Circle = False; is_Square = True;   side = a

Two values have one structure where they can be one variable (`merge.py`): two numbers, two tuples of one length, two
instances of one class.  Operators, attributes and calls on such a value are in `one_of.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....types import BOOL, Array, ListOf, Scalar
from ..frame import Frame
from ..functional import Partial
from ..values import (
    UNDEFINED,
    Conflict,
    Handle,
    Mapping_,
    OneOf,
    Record,
    Ref,
    Rows,
    Sequence,
    Static,
    Table,
    Typed,
    Undefined,
    Value,
)
from .string_numbers import is_string

Kind = tuple[Any, ...]
MOST = 8


def kind_of(frame: Frame, value: Value, contents: Mapping[int, Value]) -> Kind | None:
    """What distinguishes the structure of a value from others; None for what cannot be one of several."""
    if isinstance(value, Ref):
        value = contents.get(value.number, value)
    if is_string(value):
        return ("str",)
    found = _type_of(frame, value)
    match value, found:
        case _, Scalar():
            return ("number",)
        case _, Array():
            return ("array", found.ndim)
        case (_, ListOf()) | (Table(), _):
            return ("list",)
        case (Record() | Handle()), _:
            return (value.cls.__name__, value.cls)
        case Mapping_(), _:
            return ("dict", tuple(key for key, _ in value.items))
        case Sequence(kind=kind, items=items), _ if kind is tuple:
            return ("tuple", len(items))
        case (Sequence() | Rows()), _:
            return (value.kind.__name__,)
        case Static(), _ if callable(value.value):
            return ("function", value.value)
        case Partial(function=Static(value=function)), _:
            return ("method", function)
    return None


def _type_of(frame: Frame, value: Value) -> Any:
    return value.type if isinstance(value, Typed) else frame.type_of(value)


def as_one_of(frame: Frame, value: Value, contents: Mapping[int, Value], among: tuple[Kind, ...] = ()) -> OneOf | None:
    """A value as one that may have other structures, or as one of several objects that are kept apart."""
    if isinstance(value, OneOf):
        return value
    kind = object_kind(value) if isinstance(value, Ref) and object_kind(value) in among else None
    kind = kind_of(frame, value, contents) if kind is None else kind
    return None if kind is None else OneOf((Static(True),), (value,), (kind,))


def object_kind(value: Ref) -> Kind:
    return ("object", value.number)


def kept_apart(join: Callable[[Value, Value], Value], left: Ref, right: Ref) -> Value:
    """One of two objects, each of which keeps its identity: a change of it tests the flag."""
    sides = [OneOf((Static(True),), (side,), (object_kind(side),)) for side in (left, right)]
    return joined(join, sides[0], sides[1])


def are_unlike(frame: Frame, left: Value, right: Value, before: Mapping, after: Mapping) -> bool:
    """Whether two values have different structures, so that a flag can say which it is; two NumPy values have not."""
    one, two = as_one_of(frame, left, before), as_one_of(frame, right, after)
    if one is None or two is None:
        return False
    if isinstance(left, OneOf) or isinstance(right, OneOf):
        return True
    (kind,), (other,) = one.kinds, two.kinds
    if {kind[0], other[0]} == {"number", "array"}:  # `total = 0.0` before a loop that adds arrays to it
        return _is_of_python(frame, left if kind[0] == "number" else right)
    return kind != other and {kind[0], other[0]} != {"array"}


def _is_of_python(frame: Frame, value: Value) -> bool:
    """Whether it is a number of Python, not one of NumPy, which may as well be what is left of an array."""
    found = _type_of(frame, value)
    return isinstance(found, Scalar) and found.weak


def joined(
    join: Callable[[Value, Value], Value], left: OneOf, right: OneOf, missing: Value = UNDEFINED
) -> Value:
    """One of the structures of both sides; `join` merges two values of one structure."""
    kinds = tuple(dict.fromkeys((*left.kinds, *right.kinds)))
    if len(kinds) > MOST:
        return Conflict(f"one of more than {MOST} structures", "others")
    sides = [aligned(side, kinds, missing) for side in (left, right)]
    flags = tuple(map(join, *(side.flags for side in sides)))
    cases = tuple(map(join, *(side.cases for side in sides)))
    return next((case for case in cases if isinstance(case, Conflict)), OneOf(flags, cases, kinds))


def aligned(value: OneOf, kinds: tuple[Kind, ...], missing: Value = UNDEFINED) -> OneOf:
    """The same value among these structures, in this order."""
    known = dict(zip(value.kinds, zip(value.flags, value.cases)))
    pairs = [known.get(kind, (Static(False), missing)) for kind in kinds]
    return OneOf(tuple(flag for flag, _ in pairs), tuple(case for _, case in pairs), kinds)


def spread(frame: Frame, source: Value, target: OneOf, contents: Mapping[int, Value]) -> Value:
    """A value as one that may have these structures."""
    if isinstance(source, Undefined):
        return source
    found = as_one_of(frame, source, contents, target.kinds)
    assert found is not None
    return aligned(found, target.kinds)


def joined_forms(frame: Frame, left: Value, right: Value, join: Callable[[Value, Value], Value]) -> Value | None:
    """The form of list items with several structures; None where nothing distinguishes these."""
    sides = as_one_of(frame, left, {}), as_one_of(frame, right, {})
    if sides[0] is None or sides[1] is None or not are_unlike(frame, left, right, {}, {}):
        return None

    def both(one: Value, other: Value) -> Value:
        if isinstance(one, Undefined) or isinstance(other, Undefined):
            return other if isinstance(one, Undefined) else one
        is_flag = any(side in (Static(True), Static(False)) for side in (one, other))
        return Typed(BOOL) if is_flag else join(one, other)

    return joined(both, sides[0], sides[1])
