"""Containers of the library and instances in pools as they leave a function: Python's own classes, made anew.

    Dict(names, entries, slots)     ->     dict(names, entries)
    ps, a list of positions         ->     a list of particles, read from the columns of their class
"""

from __future__ import annotations

import gast

from .....runtime.nature import article
from ..frame import Frame
from ..functional import Bound, Closure
from ..iterables import Iteration, Iterator, Range
from ..kinds import classes, containers, forms, keyed, library_classes
from ..objects import pools
from ..values import Handle, OneOf, Optional, Record, Ref, Rows, Table, Value, parts, with_parts


def returned(frame: Frame, value: Value, node: gast.AST) -> Value:
    """A value with Python's own classes for those of the library, around lists of what they hold."""
    held = frame.held(value)
    if type(held) is Record and (cls := library_classes.stands_for(held.cls)) is not None:
        if isinstance(held.get("default_factory"), Closure):
            frame.fault("T003", "a defaultdict with a function of its own cannot be returned", node, "returned here",
                        ("return the dict alone: `dict(...)`",))  # fmt: skip
        shown: tuple[str, ...] = getattr(held.cls, "shown")  # noqa: B009
        given = tuple((name, returned(frame, _part(frame, value, held, name, node), node)) for name in shown)
        return Record(cls, given)
    if pools.is_pooled(held):
        return _instance(frame, held, node)
    inner = parts(held)
    if isinstance(held, Iteration) or not any(_holds_one(frame, part) for _, part in inner):
        return value
    if isinstance(held, Optional | OneOf):
        message = "an instance that others may share, and that may be None or of another class, cannot be returned"
        frame.fault("T003", message, node, "returned here", ("return what it holds instead",))
    if forms.grows(frame, held) or isinstance(held, Rows):
        return containers.mapped(frame, value, lambda item: returned(frame, item, node), node)
    made = with_parts(held, tuple(returned(frame, part, node) for _, part in inner))
    return frame.new(made) if isinstance(value, Ref) else made


def _instance(frame: Frame, handle: Handle, node: gast.AST) -> Record:
    if any(_reaches(column, handle.cls) for column in map(frame.held, pools.columns_of(frame, handle.cls).values())):
        message = f"a `{handle.cls.__name__}` that refers to others of its class cannot be returned"
        frame.fault("T003", message, node, "returned here", ("return what it holds instead",))
    read = pools.as_read(frame, handle, node)
    return Record(handle.cls, tuple((name, returned(frame, part, node)) for name, part in read.items))


def _reaches(value: Value, cls: type) -> bool:
    return pools.is_pooled(value) and value.cls is cls or any(_reaches(part, cls) for _, part in parts(value))


def _part(frame: Frame, value: Value, record: Record, name: str, node: gast.AST) -> Value:
    found = record.get(name)
    if found is not None:
        return found
    held = classes.entry(frame, record.cls, name)
    return classes.called(frame, held.fget if isinstance(held, property) else held, [value], node)


def _holds_one(frame: Frame, value: Value) -> bool:
    held = frame.held(value)
    if pools.is_pooled(held) or keyed.record_of(frame, held) is not None:
        return True
    return any(_holds_one(frame, part) for _, part in parts(held))


def with_rows(value: Value) -> Value:
    """What is returned, with lists that grew and hold tuples and the like as lists of rows."""
    inner = parts(value)
    value = with_parts(value, tuple(with_rows(part) for _, part in inner)) if inner else value
    return Rows(value.item) if isinstance(value, Table) else value


def require_returnable(frame: Frame, value: Value, node: gast.AST) -> None:
    """Refuse to return what only a loop can use, or what is called."""
    if isinstance(value, Bound):
        help_ = ("return what it gives",)
        frame.fault("T003", f"{article(frame.describe(value))} cannot be returned", node, "returned here", help_)
    if isinstance(value, Range | Iteration | Iterator):
        kind = "range" if isinstance(value, Range) else value.kind
        help_ = ("return its items: `list(...)`",)
        frame.fault("T003", f"a {kind} cannot be returned", node, "returned here", help_)
    for _, part in parts(value):
        require_returnable(frame, part, node)
