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
from ..values import Ref, Table, Value, parts
from .heap import Owner, reachable
from .object_changes import values_in_use

LIST_FUNCTIONS = "python_lists.py"
READ = Owner("item", "item")
TAKEN_OUT = Owner("item", "popped")
COPY = "make a copy of the item for one of the two lists: `row.copy()`, `[row[:] for row in rows]`"


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
    """The same for an item read from such a list, unless the library or a comprehension moves it."""
    for number in reachable([item], frame.heap.contents):
        owner = frame.heap.owner_of(number)
        if owner is not None and owner == READ and not _is_moved_by_library(frame, wanted, number):
            if _is_chosen(frame, number, target):
                frame.heap.changes.append(frame.heap.items[number].list)  # see `note_taken_over`
                continue
            note(frame, wanted)
            note_source(frame, number)


def note_taken_over(frame: Frame, wanted: Value, source: Value) -> None:
    """Note that a list has items of another one, each once: they are shared where that one is still in use."""
    if isinstance(source, Ref) and _is_used_up(frame, source.number):
        frame.heap.changes.append(source.number)  # what was read from it before has lost its position
    else:
        note(frame, wanted)


def _is_used_up(frame: Frame, number: int) -> bool:
    """Whether this statement reads a list once, and nothing reads it afterwards."""
    heap = frame.heap
    if not isinstance(frame.node, gast.Assign | gast.Expr | gast.Return):
        return False  # the test of a loop is evaluated again
    if heap.owner_of(number) is not None or not heap.made_of(number).isdisjoint(heap.lent | heap.absorbed):
        return False
    used = set(reachable(values_in_use(frame, with_statement=False), heap.contents))
    used.update(*frame.builder.looped_over)
    if any(heap.may_be_one(number, other) for other in used):
        return False
    names = [n.id for n in gast.walk(frame.node) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)]
    read = [value for name in names if (value := frame.lookup(name)) is not None]
    return sum(any(heap.may_be_one(number, n) for n in reachable([value], heap.contents)) for value in read) <= 1


def used_up_by(frame: Frame, node: gast.expr) -> Ref | None:
    """The list that nothing reads after a comprehension has chosen of its items: `rows = [r for r in rows if c]`."""
    generators = node.generators if isinstance(node, gast.ListComp) else []
    if len(generators) != 1 or getattr(frame.node, "value", None) is not node:
        return None
    names = [getattr(part, "id", None) for part in (node.elt, generators[0].target, generators[0].iter)]
    found = frame.lookup(names[2]) if names[2] and names[0] == names[1] is not None else None
    if not isinstance(found, Ref) or not isinstance(frame.held(found), Table):
        return None
    return found if _is_used_up(frame, found.number) else None


def _is_chosen(frame: Frame, number: int, target: int | None) -> bool:
    """Whether an item is one that such a comprehension chooses."""
    place = frame.heap.items.get(number)
    return place is not None and target is not None and frame.builder.taken_over.get(target) == place.list


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
    place = frame.heap.items.get(number)
    held = None if place is None else frame.held(Ref(place.list))
    if isinstance(held, Table):
        note(frame, forms.structure(held))


def note(frame: Frame, wanted: Value) -> None:
    frame.task.shared_items.add(structure_of(wanted))


def structure_of(value: Value) -> str:
    """The structure of an item, without the types of numbers."""
    inside = parts(value)
    kind = getattr(value, "kind", getattr(value, "cls", None))
    inner = ", ".join(structure_of(part) for _, part in inside)
    return f"{type(value).__name__} {getattr(kind, '__name__', kind)}({inner})" if inside else ""


def changed(frame: Frame, wanted: Value, node: gast.AST) -> None:
    """Refuse a change in place of an item of a list where another list may have it."""
    if frame.heap.lent:
        frame.task.changed_by_functions.add(structure_of(wanted))
    part_changed(frame, wanted, node)


def part_changed(frame: Frame, wanted: Value, node: gast.AST) -> None:
    """Refuse a change of an object in an item, where such an object was put into lists twice."""
    found = structure_of(wanted)
    frame.task.changed_items.append(found)
    if found in frame.task.shared_items:
        refuse(frame, node)


def require_alone_in_call(frame: Frame, node: gast.AST) -> None:
    """The same for what functions compiled on their own change in lists that are copied in."""
    for found in sorted(frame.task.changed_by_functions):
        if found in frame.task.shared_items:
            refuse(frame, node)


def require_alone_in_loop(frame: Frame, first: int, node: gast.AST) -> None:
    """The same, where a loop first changes an item and then shares it: the next iteration changes it again."""
    for found in frame.task.changed_items[first:]:
        if found in frame.task.shared_items:
            refuse(frame, node)


def refuse(frame: Frame, node: gast.AST) -> NoReturn:
    message = "this changes an item of a list that grows, which another such list may have too, or this one twice"
    frame.fault("R003", message, node, "changed here", (COPY,))
