"""Items that lists that grow have twice: in two lists, or in the same one.

    b = rows * 2; rows[0].append(v)     ->     R003: `b` has that item too, and would not see the change

Such a list has its items taken apart, so two of them never share an object.  The analysis notes the structure of
items that occur twice; an item of that structure is not changed in place from there on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import gast

from ..frame import Frame
from ..kinds import forms
from ..values import Ref, Table, Value
from . import handing_on
from .handing_on import structure_of
from .heap import Owner, reachable

LIST_FUNCTIONS = "python_lists.py"
READ = Owner("item", "item")
TAKEN_OUT = Owner("item", "popped")
COPY = "make a copy of the item for one of the two lists: `row.copy()`, `[row[:] for row in rows]`"
NEW = "put a new object into one of the two lists: `dataclasses.replace(item)`"


def note_put(frame: Frame, wanted: Value, number: int) -> None:
    """An object is put into a list: note where it has been put into one before.

    The library may put the same one twice, but then removes one of the two; its arguments count as they were passed.
    """
    heap, before = frame.heap, frame.heap.absorbed
    if frame.is_library:
        while frame.caller is not None and frame.caller.is_library:
            frame = frame.caller
        count, before = frame.entered
        if number > count:
            return
        if heap.owner_of(number) == READ and _is_list_function(frame):
            note(frame, wanted)
            note_source(frame, number)
    if number in before:
        note(frame, wanted)
    if heap.owner_of(number) != READ:  # those are noted where they are put, and written back if they change
        frame.builder.puts.append((number, structure_of(wanted)))


def note_of_turns(frame: Frame, first: int, turn: int, carried: Iterable[int] = ()) -> None:
    """Note what a loop puts into lists, from put `first` on, without making it anew: iterations put the same object.

    `turn` is how many objects there were before an iteration; `carried` has the loop-carried objects, which may be
    others in the next one.  A loop of the library fills slots that nothing reads (`python_deques.py`).
    """
    if frame.is_library:
        return
    heap = frame.heap
    others = {n for number in carried for n in heap.made_of(number)}
    for number, structure in frame.builder.puts[first:]:
        if any(n <= turn for n in heap.made_of(number) - others):
            frame.task.shared_items.add(structure)


def note_if_read(frame: Frame, wanted: Value, item: Value, target: int | None = None) -> None:
    """The same for an item read from such a list, unless the library moves it or it is put into a list at most once."""
    for number in reachable([item], frame.heap.contents):
        owner = frame.heap.owner_of(number)
        if owner is not None and owner == READ and not _is_moved_by_library(frame, wanted, number):
            source = _structure_of_source(frame, number)
            is_shared = source is not None and structure_of(source) in frame.task.shared_items
            if is_shared or not handing_on.is_put_once(frame, wanted, number, target):
                note(frame, wanted)
                note_source(frame, number)


def _is_moved_by_library(frame: Frame, wanted: Value, number: int) -> bool:
    """Whether the library puts an item back, or its caller knows what the new list has (`in_language`)."""
    if not frame.is_library:
        return False
    place = frame.heap.items.get(number)
    is_moved = place is not None and forms.lists_of(frame.held(Ref(place.list))) == forms.lists_of(wanted)
    outermost = frame
    while outermost.caller is not None and outermost.caller.is_library:
        outermost = outermost.caller
    return _is_list_function(outermost) or is_moved and number > outermost.entered[0]


def _is_list_function(frame: Frame) -> bool:
    return frame.source.file.endswith(LIST_FUNCTIONS)


def note_source(frame: Frame, number: int) -> None:
    """The same for the list that an object was read from, whose items may be of another structure."""
    if (wanted := _structure_of_source(frame, number)) is not None:
        note(frame, wanted)


def _structure_of_source(frame: Frame, number: int) -> Value | None:
    place = frame.heap.items.get(number)
    held = None if place is None else frame.held(Ref(place.list))
    return forms.structure(held) if isinstance(held, Table) else None


def note(frame: Frame, wanted: Value) -> None:
    frame.task.shared_items.add(structure_of(wanted))


def changed(frame: Frame, wanted: Value, node: gast.AST, list_: int, number: int | None = None) -> None:
    """Refuse a change in place of an item of a list, the object of this number, where another list may have it."""
    found = structure_of(wanted)
    frame.task.changed_items.append(found)
    if frame.heap.lent:
        frame.task.changed_by_functions.add(found)
    if found in frame.task.shared_items or handing_on.show(frame, wanted, list_, number):
        refuse(frame, found, node)


def part_changed(frame: Frame, wanted: Value, node: gast.AST) -> None:
    """Refuse a change of an object in an item, where such an object was put into lists twice."""
    found = structure_of(wanted)
    frame.task.changed_items.append(found)
    if found in frame.task.shared_items:
        refuse(frame, found, node)


def require_alone_in_call(frame: Frame, node: gast.AST) -> None:
    """The same for what functions compiled on their own change in lists that are copied in."""
    for found in sorted(frame.task.changed_by_functions):
        if found in frame.task.shared_items or handing_on.is_paired(frame, found):
            refuse(frame, found, node)


def require_alone_in_loop(frame: Frame, first: int, node: gast.AST) -> None:
    """The same, where a loop first changes an item and then shares it: the next iteration changes it again."""
    for found in frame.task.changed_items[first:]:
        if found in frame.task.shared_items:
            refuse(frame, found, node)


def refuse(frame: Frame, structure: str, node: gast.AST) -> NoReturn:
    message = "this changes an item of a list that grows, which another such list may have too, or this one twice"
    frame.fault("R003", message, node, "changed here", (NEW if structure.startswith("Record") else COPY,))
