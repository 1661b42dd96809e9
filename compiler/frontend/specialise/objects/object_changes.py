"""Change what a list or dict holds, where all its aliases are known.

    ys = xs; ys.append(v)         both names see it
    def f(items): items[0] = v    P014: the caller would see it
    c = a if p else b; c.pop()    R003, while `a` or `b` is in use: whether they are aliases depends on the path
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as Walk

import gast

from ....analysis.core_liveness import reads, whole_targets
from ....names import base_of
from ...source import cells
from ..frame import Anew, Frame
from ..kinds import forms
from ..values import Conflict, Record, Ref, Sequence, Value
from . import sites
from .heap import Owner, reachable


def change(
    frame: Frame, target: Ref, contents: Value | None, node: gast.AST, keeps_length: bool = False
) -> None:
    """Let an object hold something else from here on; None: the leaf that it holds has changed."""
    from . import items_read  # a local import, as that module depends on this one

    heap = frame.heap
    owner = heap.owner_of(target.number)
    place = items_read.place_of(frame, target)
    is_open = place is not None and place == heap.open
    if contents is None and not is_open:
        place = None
    if owner is not None and place is None:
        way_out = f"work on a copy: `{owner.name}.copy()`"
        if owner.kind == "item":
            way_out = "read the item again before it is changed: `row = rows[i]`"
        if cells.is_cell_stored(frame.node):
            message = f"`{owner.name}` is rebound by a function that is differentiated, mapped or compiled on its own"
            help_ = f"let the function take `{owner.name}` as an argument and return its new value"
            frame.fault("P002", message, node, "rebound here", (help_,))
        frame.fault(*seen_outside(owner), node, "changed here", (way_out,))
    if target.number in heap.absorbed:
        _refuse_absorbed(frame, target.number, node, "changed here")
    others = _possibly_the_same(frame, target.number)
    if others:
        _keep_apart(frame, [target.number, *others])
        first, second = name_of(frame, target.number), name_of(frame, others[0])
        subject = "an object" if base_of(first) == "t" else f"`{first}`"
        message = f"{subject} is changed while `{second}`, which is the same object on some paths, is still used"
        way_out = "where the two become one, take a copy (`.copy()`), or change each on its own path, under the `if`"
        frame.fault("R003", message, node, "changed here", (way_out,))
    if contents is not None:
        # a function inside may capture its variable, but that does not make it contain itself
        if target.number in reachable([contents], heap.contents, are_seen=False):
            frame.fault("U018", "a container that holds itself is not in the language", node, "put into itself here")
        _require_length(frame, target, contents, node)
        heap.contents[target.number] = contents
    heap.changes.append(target.number)
    if not keeps_length:
        heap.resized.append(target.number)
    if place is not None and not is_open:
        items_read.put_back(frame, place, node)


def name_of(frame: Frame, number: int) -> str:
    """What the user calls an object: a variable, or an attribute of one."""
    walker: Frame | None = frame
    while walker is not None:
        own = {n: v for n, v in walker.variables.items() if n.isidentifier() and n not in walker.made_names}
        for name, value in own.items() if not walker.is_library else ():
            if value == Ref(number):
                return name
            held = walker.held(value) if isinstance(value, Ref) else value
            for attribute, part in held.items if isinstance(held, Record) else ():
                if part == Ref(number):
                    return f"{name}.{attribute}"
        walker = walker.caller if walker.caller is not None and walker.caller.builder is frame.builder else None
    return frame.heap.names[number]


def _require_length(frame: Frame, target: Ref, contents: Value, node: gast.AST) -> None:
    """Make a list grow from the caller on, if it is copied into a recursive function that changes its length."""
    before = frame.heap.contents[target.number]
    if target.number not in frame.heap.lent or not isinstance(before, Sequence) or not isinstance(contents, Sequence):
        return
    if before.kind is not list or len(before.items) == len(contents.items):
        return
    known = [form for side in (before, contents) if (form := forms.form_of_items(frame, side)) is not None]
    form = known[0] if len(known) == 1 else forms.join_forms(frame, *known)
    if not isinstance(form, Conflict):
        sites.learn(frame, target.number, (forms.with_room(frame, form),), node)
    message = "a recursive function changes the length of this list, whose items are not alike"
    frame.fault("U018", message, node, "changed here", ("let all items be alike, or return a new list",))


def absorb(frame: Frame, number: int) -> None:
    """Note that a list that grows took a copy of what an object holds: the object may not be changed from here on."""
    heap = frame.heap
    heap.absorbed |= {other for other in heap.contents if heap.may_be_one(other, number)}


def is_unheld(frame: Frame, target: Ref) -> bool:
    """Whether only the expression that made an object has it, as in `list(generator(x))`."""
    heap, number = frame.heap, target.number
    is_own = len(heap.made_of(number)) == 1 and number not in heap.owners and number not in heap.items
    is_free = number not in heap.absorbed and number not in heap.lent
    return is_own and is_free and number not in reachable(values_in_use(frame), heap.contents)


def require_unchanged(frame: Frame, older: frozenset[int], changed: Iterable[int], node: gast.AST) -> None:
    """Refuse a change of an older object that the loop puts into a list that grows: the next iteration shows it."""
    for number in dict.fromkeys(changed):
        if number in older and number in frame.heap.absorbed:
            _refuse_absorbed(frame, number, node, "changed in this loop")


def _refuse_absorbed(frame: Frame, number: int, node: gast.AST, label: str) -> None:
    name = name_of(frame, number)
    message = f"`{name}` and an item of a list that grows are one object, and a change of one would show in the other"
    help_ = f"put a copy into the list: `{name}.copy()`"
    frame.fault("R003", message, node, label, (help_,))


def seen_outside(owner: Owner) -> tuple[str, str]:
    """The code and the message for a change of an object that is visible elsewhere."""
    if owner.kind == "item":
        return "R003", "this changes an item of a list that grows"
    if owner.kind == "argument":
        return "P014", f"this function changes its argument `{owner.name}`"
    return "P010", f"this function changes `{owner.name}`, which is defined outside it"


def _keep_apart(frame: Frame, numbers: Iterable[int]) -> None:
    """Start again, so that a name for one of two objects stands for one or the other after the paths meet."""
    met = {site for n in numbers for site in frame.heap.joins.get(n, ())} - frame.task.learned.kept_apart
    if met:
        frame.task.learned.kept_apart.update(met)
        raise Anew


def _possibly_the_same(frame: Frame, number: int) -> list[int]:
    """The objects in use that may be this one."""
    heap = frame.heap
    if not heap.origins:
        return []
    used = reachable([*values_in_use(frame), *map(Ref, sorted(heap.lent))], heap.contents)
    return [other for other in used if other != number and heap.may_be_one(number, other)]


def values_in_use(frame: Frame, with_statement: bool = True) -> Walk[Value]:
    """The variables, of a function and of those that called it, that may be read from here on.

    Without the statement: after it, when what it assigns holds something else.
    """
    walker: Frame | None = frame
    while walker is not None and walker.builder is frame.builder:  # a function compiled on its own has its own heap
        live = walker.live_after.get(id(walker.node))
        is_behind = walker is frame and not with_statement
        now = set() if walker.node is None or is_behind else set(reads(walker.node))
        bound = set(whole_targets(walker.node)) if is_behind and isinstance(walker.node, gast.stmt) else set[str]()
        held = {n: v for n, v in walker.variables.items() if n not in bound}
        yield from (v for n, v in held.items() if live is None or n in live or n in now)
        if walker.outer is not None and walker.outer.builder is frame.builder:
            yield from values_in_use(walker.outer)
        walker = walker.caller
