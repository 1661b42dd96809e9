"""Lists that share items, each at most once in a list: an item may change where no other such list is in use.

    ps = [p for p in ps if p.alive]           the old list is no longer in use where items of the new one change
    gone = [p for p in ps if p.done]          and neither is `gone` if only `ps` is read from there on
    for p in ps:
        if p.alive: kept.append(p)            an item of a loop goes into a list at most once, and as it is then

The analysis does not ask which lists share items: all whose items have that structure count.  For lists that have, or
may have, an item twice, see `shared_items.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

import gast

from ....records import dataclass
from ..frame import Frame
from ..kinds import forms
from ..values import Ref, Sequence, Table, Value, parts
from .heap import reachable
from .object_changes import values_in_use


@dataclass(slots=True, eq=False)
class Passing:
    """A loop over a list: the objects of the present iteration's item, and the lists that it has put them into.

    Those are made in the present iteration of the loop around it: `since` is how many objects there were before.
    `filled` has those that had items of other lists before; `is_excused` says that the loop changed an item before it
    put it into a list.
    """

    list: int
    statement: gast.AST | None
    depth: int
    since: int
    filled: frozenset[int]
    items: frozenset[int] = frozenset()
    into: set[int] = field(default_factory=set)
    is_excused: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lists of a function that share items: the items' structures, and the second list, made in a statement."""

    builder: object
    structures: frozenset[str]
    target: int
    statement: gast.AST | None


def over(frame: Frame, sources: list[Value], run: Callable[[], None]) -> bool:
    """Run a loop over these; whether its changes of the items of a list among them are valid."""
    builder = frame.builder
    lists = [v for v in sources if isinstance(v, Ref) and isinstance(frame.held(v), Table)]
    if len(lists) != 1:
        run()
        return True
    has_items = {n for n, held in frame.heap.contents.items() if isinstance(held, Sequence) and held.items}
    filled, statement = frame.heap.filled | has_items, next(_statements(frame), None)
    made = Passing(lists[0].number, statement, builder.loops + 1, builder.turn, filled)
    builder.passing.append(made)
    try:
        run()
    finally:
        builder.passing.remove(made)
    if made.into:
        frame.heap.changes.append(made.list)  # what was read from it before has lost its position
    return bool(made.into) or not made.is_excused


def item_read(frame: Frame, item: Value) -> None:
    """Note the item of this iteration of the innermost loop."""
    for passing in _here(frame):
        passing.items = frozenset(reachable([item], frame.heap.contents))


def is_put_once(frame: Frame, wanted: Value | None, number: int, target: int | None) -> bool:
    """Whether an object that is put into a list is the item of a loop, and goes into that list at most once.

    Without a list: whether that was noted when it was put into the one that becomes a list that grows.
    """
    heap = frame.heap
    if number in heap.absorbed:
        return False
    if target is None:
        return number in heap.put_once
    family = heap.made_of(target)
    for passing in _here(frame):
        is_new = min(family) > passing.since and family.isdisjoint(passing.filled)
        if is_new and number in passing.items:
            passing.into.add(target)
            return are_paired(frame, wanted, passing.list, target, passing.statement)
    return False


def note_put(frame: Frame, item: Value, target: int) -> None:
    """Note that an item of a loop is put into a list of known length, which may become one that grows."""
    if isinstance(item, Ref) and is_put_once(frame, None, item.number, target):
        frame.heap.put_once |= {item.number}


def are_paired(frame: Frame, wanted: Value | None, source: int, target: int, statement: gast.AST | None) -> bool:
    """Note that one list has items of another from here on; false for lists that are visible elsewhere."""
    heap = frame.heap
    family = heap.made_of(source)
    if heap.owner_of(source) is not None or not family.isdisjoint(heap.lent | heap.absorbed | heap.items.keys()):
        return False
    heap.filled |= {target}
    both = [forms.structure(frame.held(Ref(source))), *([] if wanted is None else [wanted])]
    pair = Pair(frame.builder, frozenset(map(structure_of, both)), target, statement)
    if pair not in frame.task.pairs:
        frame.task.pairs.append(pair)
    return True


def is_made_of(frame: Frame, wanted: Value, source: Value, target: Ref) -> bool:
    """The same for a list that an expression makes of another one, with each item at most once."""
    if not isinstance(source, Ref) or not are_paired(frame, wanted, source.number, target.number, frame.node):
        return False
    frame.heap.changes.append(source.number)
    return True


def has_partner(frame: Frame, value: Value) -> bool:
    """Whether a list has items of another one."""
    return isinstance(value, Ref) and not frame.heap.made_of(value.number).isdisjoint(frame.heap.filled)


def is_paired(frame: Frame, structure: str) -> bool:
    """Whether some lists of items of this structure share them."""
    return any(_are_related(structure, other) for pair in frame.task.pairs for other in pair.structures)


def show(frame: Frame, wanted: Value, list_: int, number: int | None) -> bool:
    """Whether a change of an item of a list, of the object of this number, would have to show in another list."""
    heap, structure = frame.heap, structure_of(wanted)
    pairs = [p for p in frame.task.pairs if any(_are_related(structure, other) for other in p.structures)]
    if any(pair.builder is not frame.builder for pair in pairs):
        return True  # the list may have been copied in
    used = set(reachable([*values_in_use(frame), *map(Ref, sorted(heap.lent))], heap.contents))
    statements = list(_statements(frame))
    used |= {target for passing in frame.builder.passing for target in passing.into}
    used |= {pair.target for pair in pairs if any(pair.statement is s for s in statements)}
    others = [n for n in used if pairs and n != list_ and _has_such(frame, n, structure)]
    for passing in frame.builder.passing if others else ():
        if number in passing.items and passing.list == list_:
            passing.is_excused = True  # the item is not in that list yet; the next iteration shows that it will be
            if not passing.into:
                return False
            others = [n for n in others if not any(heap.may_be_one(n, other) for other in passing.into)]
    return bool(others)


def _has_such(frame: Frame, number: int, structure: str) -> bool:
    """Whether a list has items of this structure, or items that contain some."""
    held = frame.heap.contents.get(number)
    return isinstance(held, Table) and _are_related(structure_of(forms.structure(held)), structure)


def _are_related(one: str, other: str) -> bool:
    return one in other or other in one


def structure_of(value: Value) -> str:
    """The structure of an item, without the types of numbers."""
    inside = parts(value)
    kind = getattr(value, "kind", getattr(value, "cls", None))
    inner = ", ".join(structure_of(part) for _, part in inside)
    return f"{type(value).__name__} {getattr(kind, '__name__', kind)}({inner})" if inside else ""


def after_loop(frame: Frame, before: frozenset[int]) -> None:
    """After a loop: a list may be one that it put items into, under another number."""
    heap = frame.heap
    if heap.filled != before:
        heap.filled |= {n for n, held in heap.contents.items() if isinstance(held, Table)}


def known(frame: Frame) -> tuple[int, int]:
    """How much is known; a loop that puts items into one more list is walked again, for its next iteration."""
    return len(frame.task.pairs), sum(len(passing.into) for passing in frame.builder.passing)


def _statements(frame: Frame) -> Iterator[gast.AST]:
    """The statements that are being walked, those of callers included."""
    walker: Frame | None = frame
    while walker is not None:
        if walker.node is not None:
            yield walker.node
        walker = walker.caller


def _here(frame: Frame) -> Iterator[Passing]:
    return (passing for passing in frame.builder.passing if passing.depth == frame.builder.loops)
