"""Lists, dicts and instances are objects: what each holds at a point of the program, and which may be aliases.

    a = [1.0]; b = a; b.append(x)     ->     a and b are Ref(1); 1 holds [1.0, x]

The specialiser follows every path, so an object has a number of its own, and a store through one name is seen through
all others.  Where paths meet, a name may stand for one of two objects.  Then it gets a third, which holds what either
holds, and `origins` says which two it is made of: if one of the three changes, the others may not be read (R003).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

import gast

from ....records import dataclass
from ..functional import Closure, Derived
from ..kinds.record_classes import can_change
from ..values import Joined, Mapping_, Record, Ref, Rows, Sequence, Table, Value, map_leaves, parts, with_parts


@dataclass(frozen=True, slots=True)
class Owner:
    """Who else sees an object: the caller that passed it, or the world outside."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """The source of an item that was read from a list that grows: the number of the list, the position, and the item.

    since   how many changes there were then, or when the item was last written back
    read    the names of what was read for the item; empty for what was written back since
    asked   the number of the list or dict of the program and the key, where it was read as `base[key]`
    """

    list: int
    position: gast.expr
    item: Value
    since: int
    read: tuple[str, ...]
    asked: tuple[int, Value] | None = None


@dataclass(slots=True, eq=False)
class Heap:
    """Number -> what the object holds: a `Sequence` of kind list, a `Mapping_`, the leaf of a list that grows, or the
    `Record` of an instance whose attributes can be assigned.

    origins   number -> the objects it may be, for one made where paths met
    owners    number -> who else sees it, for one that was not made in this function
    names     number -> the variable that first held it, for names of what it holds and for messages
    changes   the numbers of objects changed so far, in order
    resized   those whose length may have changed since
    absorbed  the numbers of objects of which a list that grows has a copy, on the present path
    outside   values from outside that were read, by their locations, with the numbers of the objects in them
    sites     number -> the allocation site of a dict, set or deque (`sites.py`)
    joins     number -> where the paths meet, for one made where paths met
    items     number -> where it was read, for an object in an item of a list that grows (`items_read.py`)
    open      the one of them that is being changed, and is written back after that
    pools     the columns of the classes whose instances are kept in pools, by attribute (`pools.py`)
    lent      the numbers of objects that are copied in from a caller and will be copied out (`lending.py`)
    """

    contents: dict[int, Value] = field(default_factory=dict)
    origins: dict[int, frozenset[int]] = field(default_factory=dict)
    owners: dict[int, Owner] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    changes: list[int] = field(default_factory=list)
    resized: list[int] = field(default_factory=list)
    count: int = 0
    absorbed: frozenset[int] = frozenset()
    outside: dict[Any, tuple[Value, range]] = field(default_factory=dict)
    sites: dict[int, Any] = field(default_factory=dict)
    joins: dict[int, frozenset[Any]] = field(default_factory=dict)
    lent: frozenset[int] = frozenset()
    items: dict[int, ItemPlace] = field(default_factory=dict)
    open: ItemPlace | None = None
    pools: dict[type, dict[str, Ref]] = field(default_factory=dict)

    def new(self, contents: Value, wish: str = "items", owner: Owner | None = None) -> Ref:
        """A new object that holds this."""
        self.count += 1
        self.contents[self.count] = contents
        self.names[self.count] = wish
        if owner is not None:
            self.owners[self.count] = owner
        return Ref(self.count)

    def made_of(self, number: int) -> frozenset[int]:
        """The objects that a number may stand for, itself among them."""
        found, queue = {number}, [number]
        while queue:
            for other in self.origins.get(queue.pop(), ()):
                if other not in found:
                    found.add(other)
                    queue.append(other)
        return frozenset(found)

    def may_be_one(self, left: int, right: int) -> bool:
        return left == right or not self.made_of(left).isdisjoint(self.made_of(right))

    def owner_of(self, number: int) -> Owner | None:
        """Who else sees the object, or one that it may be."""
        return next((self.owners[n] for n in sorted(self.made_of(number)) if n in self.owners), None)

    def copy(self) -> Heap:
        return Heap(
            dict(self.contents), dict(self.origins), dict(self.owners), dict(self.names), list(self.changes),
            list(self.resized), self.count, self.absorbed, dict(self.outside), dict(self.sites), dict(self.joins),
            self.lent, dict(self.items), None, self.pools,
        )  # fmt: skip

    def become(self, other: Heap) -> None:
        """Go back to a copy made before."""
        kept = other.copy()
        self.contents, self.origins, self.owners = kept.contents, kept.origins, kept.owners
        self.names, self.changes, self.count, self.absorbed = kept.names, kept.changes, kept.count, kept.absorbed
        self.outside, self.sites, self.resized, self.lent = kept.outside, kept.sites, kept.resized, kept.lent
        self.joins, self.items = kept.joins, kept.items


def reachable(values: Iterable[Value], contents: Mapping[int, Value], are_seen: bool = True) -> dict[int, None]:
    """The numbers of the objects that values hold, at any depth, in the order they are met.

    With `are_seen`, the variables that a function captures count among what it holds.
    """
    found: dict[int, None] = {}
    frames: list[Any] = []
    queue = list(values)
    for value in queue:  # the queue grows while it is walked
        match value:
            case Ref(number=number):
                if number not in found:
                    found[number] = None
                    queue += [contents[number]] if number in contents else []
            case Joined(contents=inner):
                queue.append(inner)
            case Closure(frame=frame, defaults=defaults, keyword_defaults=more):
                queue += [*defaults, *(v for v in more if v is not None)]
                if are_seen and all(frame is not other for other in frames):
                    frames.append(frame)
                    queue += frame.variables.values()
            case Derived(closure=closure):
                queue.append(closure)
            case _:
                queue += [part for _, part in parts(value)]
    return found


def as_object(value: Value) -> Ref:
    """A value that is an object: a list that was made, whatever it holds by now."""
    assert isinstance(value, Ref)
    return value


def tree(value: Value, contents: Mapping[int, Value]) -> Value:
    """A value with its objects replaced by what they hold; lists that grow stay leaves."""

    def opened(part: Value, _: tuple[object, ...]) -> Value:
        return tree(contents[part.number], contents) if isinstance(part, Ref) else part

    return map_leaves(value, opened)


def objects(value: Value, heap: Heap, wish: str = "items", owner: Owner | None = None) -> Value:
    """The opposite of `tree`: a new object for every list and dict in a value."""
    inner = parts(value)
    if inner:
        value = with_parts(value, tuple(objects(part, heap, wish, owner) for _, part in inner))
    return object_of(value, heap, wish, owner)


def object_of(value: Value, heap: Heap, wish: str = "items", owner: Owner | None = None) -> Value:
    """A new object for what a list, a dict or an instance holds; any other value as it is."""
    is_object = (
        isinstance(value, Mapping_ | Table)
        or isinstance(value, Sequence | Rows) and value.kind in (list, set)
        or isinstance(value, Record) and can_change(value.cls)
    )  # fmt: skip
    return heap.new(value, wish, owner) if is_object else value

