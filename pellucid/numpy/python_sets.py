"""Python's set for items that only the run knows, written in the language.

    s = set(); s.add(k)     ->     the slot of k is looked for as in a dict; names.append(k) where it is not there

`names` has the items in an order that nobody is shown: that of CPython's sets is its own affair.
"""

from ..compiler.ops.containers import any_item_of, empty_set, items_of, make_room, require_set
from .python_dicts import arranged, slot_of

MANY_BEST = "several items of a set have the best key, and its order is not said anywhere: order it, `sorted(...)`"
ONE_KEY = "two items of a set have one key: their order in sorted() is that of the set, which is not said anywhere"


def add_all(s, values):
    for value in values:
        s.add(value)


def require_one_best(values, key, is_most):
    """Which of several items with the best key `min` and `max` give depends on the order of the set."""
    keys = [key(value) for value in values]
    if len(keys) == 0:
        return
    best = max(keys) if is_most else min(keys)
    if keys.count(best) > 1:
        raise ValueError(MANY_BEST)


def require_keys_apart(values, key):
    """In which order `sorted` leaves items with one key depends on the order of the set."""
    keys = sorted([key(value) for value in values])
    for k in range(1, len(keys)):
        if keys[k - 1] == keys[k]:
            raise ValueError(ONE_KEY)


def as_set(source):
    made = empty_set(source)
    add_all(made, items_of(source))
    return made


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

    def pop(self):
        return any_item_of(self)

    def clear(self):
        self.names.clear()
        arranged(self.names, self.slots, 8)
        self.filled = 0

    def copy(self):
        made = empty_set(self)
        add_all(made, self.names)
        return made

    def update(self, *others):
        for other in others:
            add_all(self, items_of(other))

    def union(self, *others):
        made = empty_set(self, *others)
        for source in (self, *others):
            add_all(made, items_of(source))
        return made

    def intersection(self, other):
        made = empty_set(self)
        for item in items_of(other):
            if item in self:
                made.add(item)
        return made

    def difference(self, other):
        made = self.copy()
        made.difference_update(other)
        return made

    def symmetric_difference(self, other):
        made = self.copy()
        for item in items_of(as_set(other)):
            if item in self:
                made.discard(item)
            else:
                made.add(item)
        return made

    def difference_update(self, other):
        for item in list(items_of(other)):
            self.discard(item)

    def intersection_update(self, other):
        kept = self.intersection(other)
        self.clear()
        add_all(self, kept.names)

    def isdisjoint(self, other):
        return all(item not in self for item in items_of(other))

    def issubset(self, other):
        found = as_set(other)
        return all(item in found for item in items_of(self))

    def issuperset(self, other):
        return all(item in self for item in items_of(other))

    def symmetric_difference_update(self, other):
        kept = self.symmetric_difference(other)
        self.clear()
        add_all(self, kept.names)

    def __or__(self, other):
        require_set(self, "|", other)
        return self.union(other)

    def __ror__(self, other):
        require_set(other, "|", self)
        return self.union(other)

    def __and__(self, other):
        require_set(self, "&", other)
        return self.intersection(other)

    def __rand__(self, other):
        require_set(other, "&", self)
        return self.intersection(other)

    def __sub__(self, other):
        require_set(self, "-", other)
        return self.difference(other)

    def __rsub__(self, other):
        require_set(other, "-", self)
        return as_set(other).difference(self)

    def __xor__(self, other):
        require_set(self, "^", other)
        return self.symmetric_difference(other)

    def __rxor__(self, other):
        require_set(other, "^", self)
        return self.symmetric_difference(other)

    def __ior__(self, other):
        require_set(self, "|=", other)
        self.update(other)
        return self

    def __iand__(self, other):
        require_set(self, "&=", other)
        self.intersection_update(other)
        return self

    def __isub__(self, other):
        require_set(self, "-=", other)
        self.difference_update(other)
        return self

    def __ixor__(self, other):
        require_set(self, "^=", other)
        self.symmetric_difference_update(other)
        return self

    def __le__(self, other):
        require_set(self, "<=", other)
        return len(self) <= len(other) and self.issubset(other)

    def __lt__(self, other):
        require_set(self, "<", other)
        return len(self) < len(other) and self.issubset(other)

    def __ge__(self, other):
        require_set(self, ">=", other)
        return len(self) >= len(other) and self.issuperset(other)

    def __gt__(self, other):
        require_set(self, ">", other)
        return len(self) > len(other) and self.issuperset(other)

    def __eq__(self, other):
        return len(self) == len(other) and self.issuperset(other)
