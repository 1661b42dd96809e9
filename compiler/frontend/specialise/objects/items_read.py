"""Change an object that was read from a list that grows: the change is written back at once.

    for p in particles:                for i in range(length(xs)):
        p.x += p.v             ->          x = xs[i]; v = vs[i]; x_1 = x + v; xs[i] = x_1

Such a list has its items taken apart, so what is read from it is a new object, which shows what the list holds until
something else changes the list.  Until then it knows its position there; other objects that may have the item must
not be read.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

import gast

from ..frame import Frame
from ..kinds import containers, forms, tables
from ..values import Leaf, Ref, Value, leaves, parts, with_parts
from . import shared_items
from .heap import ItemPlace, reachable
from .object_changes import change, name_of, values_in_use


def item(frame: Frame, base: Value, position: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    """The item of a list at a position; it knows where it was read."""
    held = frame.held(base)
    found = tables.item(frame, held, position, node, hint)
    if isinstance(base, Ref) and (numbers := reachable([found], frame.heap.contents)):
        place = ItemPlace(base.number, position, found, len(frame.heap.changes), _names(frame, found))
        frame.heap.items.update(dict.fromkeys(numbers, place))
    return found


def _names(frame: Frame, found: Value) -> tuple[str, ...]:
    """The names of what was read, for each of the arrays of a struct of arrays."""
    return tuple(leaf.name for leaf in leaves(frame.tree(found)) if isinstance(leaf, Leaf))


def place_of(frame: Frame, target: Value) -> ItemPlace | None:
    """The position of an object in a list, if it was read there and the list is unchanged."""
    heap = frame.heap
    place = heap.items.get(target.number) if isinstance(target, Ref) else None
    changed = dict.fromkeys(heap.changes[place.since :]) if place is not None else ()
    return None if place is None or any(heap.may_be_one(number, place.list) for number in changed) else place


def copy(frame: Frame, array: Value, node: gast.AST) -> Leaf:
    """A copy to be changed instead of an array in a list: aliases of the array would not see the change."""
    made = frame.emit("copy", array, node=node)
    frame.builder.body[-1].puts_back = True
    return made


def close(frame: Frame, place: ItemPlace, node: gast.AST) -> None:
    """Write back an item that was changed in several steps."""
    frame.heap.open = None
    put_back(frame, place, node)


def put_back(frame: Frame, place: ItemPlace, node: gast.AST) -> None:
    """Write back what such an object holds now; others that were read from the list are read again."""
    heap, target = frame.heap, Ref(place.list)
    own = {number for number, other in heap.items.items() if other == place}
    others = _others(frame, own | reachable([place.item], heap.contents).keys(), place.list, node)
    shared_items.changed(frame, forms.structure(frame.held(target)), node)
    held = containers.make_room(frame, target, place.item, node)
    change(frame, target, None, node, keeps_length=True)
    atoms = tables.atoms(frame, held, place.item, node)
    heap.absorbed -= own
    read = list(place.read) if len(place.read) == len(atoms) else [""] * len(atoms)  # the list may have been widened
    for k, (leaf, atom) in enumerate(zip(forms.lists_of(held), atoms, strict=True)):
        if not isinstance(atom, gast.Name) or atom.id != read[k]:
            tables.store_leaf(frame, leaf, place.position, atom, node, is_put_back=True)
            read[k] = ""  # on another path it may not have been stored
    heap.items.update(dict.fromkeys(own, replace(place, since=len(heap.changes), read=tuple(read))))
    for other in others:
        _read_again(frame, other, held, node)


def _others(frame: Frame, own: AbstractSet[int], list_: int, node: gast.AST) -> list[ItemPlace]:
    """The other items of a list that may be read from here on; refused where their positions are not known."""
    heap = frame.heap
    found: dict[int, ItemPlace] = {}
    for number in reachable(values_in_use(frame), heap.contents):
        place = place_of(frame, Ref(number))
        if number in own or place is not None and not heap.may_be_one(place.list, list_):
            continue
        if place is None or place.list != list_:
            require_not_in_list(frame, number, node)
        else:
            found[id(place)] = place
    return list(found.values())


def _read_again(frame: Frame, place: ItemPlace, held: Value, node: gast.AST) -> None:
    """Let an object hold what is in the list now: it may be the item that was changed."""
    heap = frame.heap
    found = tables.item(frame, held, place.position, node, owner=None)
    read = _names(frame, found)
    _renewed(frame, place.item, found)
    own = [number for number, other in heap.items.items() if other is place]
    heap.items.update(dict.fromkeys(own, replace(place, since=len(heap.changes), read=read)))


def _renewed(frame: Frame, old: Value, new: Value) -> Value:
    """The value that was read, with the objects of the one that was read before."""
    if isinstance(new, Ref):
        inside = _renewed(frame, frame.held(old), frame.held(new))
        if not isinstance(old, Ref):
            return new
        frame.heap.contents[old.number] = inside
        return old
    if (were := parts(old)) and len(are := parts(new)) == len(were):
        return with_parts(new, tuple(_renewed(frame, a, b) for (_, a), (_, b) in zip(were, are, strict=True)))
    return new


def require_alone(frame: Frame, node: gast.AST) -> None:
    """Require that no item of a list that grows, as it was put in or read from it, may be read from here on."""
    for number in reachable(values_in_use(frame), frame.heap.contents):
        require_not_in_list(frame, number, node)


def require_not_in_list(frame: Frame, number: int, node: gast.AST) -> None:
    owner = frame.heap.owner_of(number)
    if number in frame.heap.absorbed or owner is not None and owner.kind == "item":
        name = name_of(frame, number)
        message = f"this changes an item of a list that grows while `{name}`, which may be that item, is still used"
        help_ = ("put a copy into the list, or read the item again where it is needed",)
        frame.fault("R003", message, node, "changed here", help_)
