"""Instances of classes, with the methods of their class."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..objects import given_back
from ..protocol import (
    Named,
    call_method,
    describe,
    held_as,
    is_unrolled,
    items,
    known,
    load,
    member,
    python_class,
    truth,
)
from ..values import Record, Sequence, Static, Value
from . import (
    arrays,
    container_methods,
    equality,
    keyed,
    library_classes,
    making,
    own_operators,
    sets,
)


@known.of(Record)
def _(frame: Frame, value: Value, node: gast.AST, what: str = "this value") -> Any:
    held = held_as(frame, value, Record)
    if not held.is_tuple:
        return known.otherwise(frame, value, node, what)
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


@load.of(Record)
def _(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    """By the class's `__getitem__`, or as the tuple that a NamedTuple is."""
    if (by_class := own_operators.item(frame, base, items, node)) is not None:
        return given_back.note_key(frame, base, items, by_class, node)
    held = held_as(frame, base, Record)
    if not held.is_tuple:
        frame.fault("T001", f"'{held.cls.__name__}' object is not subscriptable", node, "indexed here")
    return load(frame, Sequence(tuple(part for _, part in held.items)), items, node, hint)


@call_method.of(Record)
def _(
    frame: Frame, receiver: Value, method: str, args: list[Value], named: Named, node: gast.AST, hint: str
) -> Value:
    held = held_as(frame, receiver, Record)
    if method == "_replace":
        return making.renewed(frame, held, named, node)
    if method == "_asdict":
        return keyed.new_dict(frame, dict(held.items), node)
    if method not in ("index", "count"):
        return call_method.otherwise(frame, receiver, method, args, named, node, hint)
    as_tuple = Sequence(tuple(part for _, part in held.items))
    return container_methods.call_method(frame, as_tuple, method, args, named, node)


@member.of(Record)
def _(frame: Frame, container: Value, item: Value, node: gast.AST, hint: str = "t") -> Value:
    found = own_operators.member(frame, container, item, node, hint)
    if found is not None:
        return found
    if not held_as(frame, container, Record).is_tuple:
        return member.otherwise(frame, container, item, node, hint)
    return equality.is_any(frame, item, items(frame, container, node), node, hint)


@protocol.infix.of(Record, beside=(protocol.ANY,))
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    """As the classes say; a NamedTuple is the tuple of its fields."""
    if (by_class := own_operators.infix(frame, op, left, right, node, hint)) is not None:
        return by_class
    if (of_sets := sets.infix(frame, op, left, right, node)) is not None:
        return of_sets
    one, other = equality.as_sequence(frame, left), equality.as_sequence(frame, right)
    operate = arrays.infix if Record in (type(one), type(other)) else protocol.infix
    return operate(frame, one, other, op, node, hint)


@protocol.equal.of(Record)
def _(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """Compare as the class says: dataclasses by their fields, or by identity if their class has no `==`."""
    one, other = held_as(frame, left, Record), held_as(frame, right, Record)
    owner = next(cls for cls in one.cls.__mro__ if "__eq__" in vars(cls))
    if owner is object:
        return protocol.is_same(frame, one, other, node, hint)
    if not equality.is_generated(vars(owner)["__eq__"]):
        frame.fault("T001", f"`{owner.__name__}` has an `==` of its own, which is not compiled", node, "compared here")
    if one.cls is not other.cls:
        return Static(False)
    names = [field.name for field in dataclasses.fields(owner) if field.compare]
    pairs = [(one.get(name), other.get(name)) for name in names]
    is_container = sys.version_info < (3, 13)  # before that as tuples
    return equality.decided(frame, pairs, False, node, hint, is_container)
