"""Loop-carried objects: a variable that stands for another one in each iteration of a loop.

    best = [0.0, 0.0]
    for i in range(n):                      at the head `best` is an object of its own, made of the list before the
        candidate = [x[i], y[i]]     ->     loop and of the one that the iteration before left
        if candidate[0] > best[0]:
            best = candidate

Such an object has a slot, the same in every trial of the loop.  What a slot may alias is found as types are: when a
trial ends with one object in two slots, or with one that existed before the loop, the next trial knows it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ....records import dataclass
from ..frame import Frame
from ..joins.merge import Join
from ..values import UNDEFINED, Joined, Ref, Undefined, Value
from .heap import Owner

_TOKENS = itertools.count(-1, -1)  # numbers of no object: two objects with one as a common origin may be the same


def new_token() -> int:
    """An origin for objects of which nothing is known but that they may be the same."""
    return next(_TOKENS)


@dataclass(slots=True, eq=False)
class ObjectSlots:
    """The findings of the trials of one loop.

    before    the objects that existed before the loop
    origins   slot -> the objects it may be
    tokens    pairs of slots that may be one object -> the origin they share
    joins     slot -> where the paths meet that made its object
    absorbed  the slots with an object that a list that grows has a copy of
    items     slot -> that it is an item of such a list, read at a position that is unknown after the loop
    """

    before: frozenset[int]
    origins: dict[int, frozenset[int]] = field(default_factory=dict)
    tokens: dict[frozenset[int], int] = field(default_factory=dict)
    joins: dict[int, frozenset[Any]] = field(default_factory=dict)
    absorbed: set[int] = field(default_factory=set)
    items: dict[int, Owner] = field(default_factory=dict)

    def new(self) -> int:
        self.joins[len(self.origins)] = frozenset()
        self.origins[len(self.origins)] = frozenset()
        return len(self.origins) - 1

    def add(self, slot: int, origins: frozenset[int]) -> bool:
        """Note what a slot may be; whether that is new."""
        known = self.origins[slot]
        self.origins[slot] = known | origins
        return not origins <= known

    def token(self, first: int, second: int) -> frozenset[int]:
        pair = frozenset((first, second))
        if pair not in self.tokens:
            self.tokens[pair] = new_token()
        return frozenset((self.tokens[pair],))


class Head:
    """The head of a loop meets the end of its body.

    `heads` has the slots of the objects that are new at the head; `ends` the object that the body left in each slot.
    `keeps_apart` says that a name that may be one of two objects from before the loop remains one or the other.
    """

    def __init__(
        self, frame: Frame, left: Mapping[int, Value], right: Mapping[int, Value], heads: Mapping[int, int],
        slots: ObjectSlots, keeps_apart: bool = False,
    ) -> None:  # fmt: skip
        self.frame, self.heads, self.slots = frame, heads, slots
        self.meeting = Join(frame, left, right, self._join_objects, apart=slots.before if keeps_apart else ())
        self.made: dict[tuple[int | None, int], Joined] = {}
        self.ends: dict[int, int] = {}

    def _join_objects(self, left: Ref | Undefined, right: Ref | Undefined) -> Value:
        if isinstance(right, Undefined):
            return left
        end = right.number
        start = None if isinstance(left, Undefined) else left.number
        if start is None and end in self.slots.before or start == end and start not in self.heads:
            return right
        if (start, end) not in self.made:
            if start is None:
                contents = self.meeting.join(UNDEFINED, self.meeting.right[end])
            else:
                contents = self.meeting.join_contents(start, end)
            slot = self._slot(start)
            self.ends[slot] = end
            self.made[start, end] = Joined(slot, contents, frozenset())
            if start in self.slots.before:
                self.slots.add(slot, frozenset((start,)))
        return self.made[start, end]

    def _slot(self, start: int | None) -> int:
        """The slot of an object of the head, for the first object that replaces it; else a new slot."""
        slot = self.heads.get(start) if start is not None else None
        return self.slots.new() if slot is None or slot in self.ends else slot

    def relate(self) -> bool:
        """Note what the slots may be in the next iteration; whether that is new."""
        heap, news = self.frame.heap, False
        for slot, end in self.ends.items():
            news |= self.slots.add(slot, heap.made_of(end) & self.slots.before)
            self.slots.joins[slot] |= heap.joins.get(end, frozenset())
            if end in heap.absorbed and slot not in self.slots.absorbed:
                self.slots.absorbed.add(slot)
                news = True
            owner = heap.owner_of(end)
            if owner is not None and owner.kind == "item" and slot not in self.slots.items:
                self.slots.items[slot] = owner
                news = True
        for (first, one), (second, other) in itertools.combinations(self.ends.items(), 2):
            if heap.may_be_one(one, other):
                token = self.slots.token(first, second)
                news |= self.slots.add(first, token) | self.slots.add(second, token)
        return news
