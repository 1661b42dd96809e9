"""Python's set for items known only at run time, written in the language.

    s = set(); s.add(k)     ->     the slot of k is looked for as in a dict; names.append(k) where it is not there

`names` has the items in an order that nobody is shown: that of CPython's sets is its own affair.
"""

from ..compiler.ops.containers import make_room
from .python_dicts import arranged, slot_of

MANY_BEST = "several items of a set have the best key, and its order is not said anywhere: order it, `sorted(...)`"


def add_all(s, values):
    for value in values:
        s.add(value)


def add_shared(s, values, other):
    """`values & other`"""
    for value in values:
        if value in other:
            s.add(value)


def add_others(s, values, other):
    """`values - other`"""
    for value in values:
        if value not in other:
            s.add(value)


def require_one_best(values, key, is_most):
    """Which of several items with the best key `min` and `max` give depends on the order of the set."""
    keys = [key(value) for value in values]
    if len(keys) == 0:
        return
    best = max(keys) if is_most else min(keys)
    if keys.count(best) > 1:
        raise ValueError(MANY_BEST)


class Set:
    """A set; `filled` counts the slots that are not -1."""

    python, shown = set, ("names",)
    names: list
    slots: list
    filled: int
    removed: int

    def __contains__(self, item):
        return self.slots[slot_of(self.names, self.slots, item)] >= 0

    def __len__(self):
        return len(self.names)

    def add(self, item):
        make_room(self, item)
        slot = slot_of(self.names, self.slots, item)
        if self.slots[slot] < 0:
            self.slots[slot] = len(self.names)
            self.names.append(item)
            self.filled += 1
            if 3 * self.filled > 2 * len(self.slots):
                arranged(self.names, self.slots, 4 * len(self.slots))
                self.filled = len(self.names)

    def discard(self, item):
        slot = slot_of(self.names, self.slots, item)
        if self.slots[slot] >= 0:
            self.take_out(slot)

    def remove(self, item):
        slot = slot_of(self.names, self.slots, item)
        if self.slots[slot] < 0:
            raise KeyError(item)
        self.take_out(slot)

    def take_out(self, slot):
        """The last item takes the place of the one of a slot."""
        at = self.slots[slot]
        last = self.names[-1]
        self.slots[slot_of(self.names, self.slots, last)] = at
        self.slots[slot] = -2
        self.names[at] = last
        self.names.pop()

    def __eq__(self, other):
        is_set = isinstance(other, set | frozenset)
        return is_set and len(self) == len(other) and all(value in other for value in self.names)
