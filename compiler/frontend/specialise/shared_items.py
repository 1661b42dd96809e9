"""Items of lists that grow which are items of such a list twice: of another one, or of the same.

    b = rows * 2; rows[0].append(v)     ->     R003: `b` has that item too, and would not see the change

Such a list has its items taken apart, so two of them never show one object.  What is noted is the structure of items
that stand twice somewhere; an item of that structure is not changed in place from there on.
"""

from __future__ import annotations

from typing import NoReturn

import gast

from .frame import Frame
from .heap import Owner, reachable
from .values import Ref, Value, parts

READ = Owner("item", "item")
TAKEN_OUT = Owner("item", "popped")
HELP = ("make a copy of the item for one of the two lists: `row.copy()`, `[row[:] for row in rows]`",)


def structure_of(value: Value) -> str:
    """The structure of an item, without the types of numbers."""
    inner = ", ".join(structure_of(part) for _, part in parts(value))
    kind = getattr(value, "kind", getattr(value, "cls", None))
    return f"{type(value).__name__} {getattr(kind, '__name__', kind)}({inner})" if inner else ""


def note_if_absorbed(frame: Frame, wanted: Value, item: Ref) -> None:
    """An object is put into a list: note where it has been put into one before."""
    if not frame.is_library and item.number in frame.heap.absorbed:
        note(frame, wanted)


def note_if_read(frame: Frame, wanted: Value, item: Value) -> None:
    """The same for what has been read from such a list, and is not one that is moved."""
    for number in reachable([item], frame.heap.contents):
        owner = frame.heap.owner_of(number)
        if owner is not None and owner == READ and not frame.is_library:
            note(frame, wanted)


def note(frame: Frame, wanted: Value) -> None:
    frame.task.shared_items.add(structure_of(wanted))


def changed(frame: Frame, wanted: Value, node: gast.AST) -> None:
    """An item is changed in place: refuse it where another list may have it."""
    found = structure_of(wanted)
    frame.task.changed_items.append(found)
    if found in frame.task.shared_items:
        refuse(frame, node)


def require_alone_in_loop(frame: Frame, first: int, node: gast.AST) -> None:
    """The same, where a loop changes an item first and shares it then: the next turn changes it again."""
    if any(found in frame.task.shared_items for found in frame.task.changed_items[first:]):
        refuse(frame, node)


def refuse(frame: Frame, node: gast.AST) -> NoReturn:
    message = "this changes an item of a list that grows, which another such list may have too, or this one twice"
    frame.fault("R003", message, node, "changed here", HELP)
