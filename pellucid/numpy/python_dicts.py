"""Python's dict for keys known only at run time, written in the language.

    d = {}                                    names = []; entries = []; slots = [-1] * 8
    d[k] = v         ->     the slot of k says where it stands: entries[at] = v, or names.append(k); entries.append(v)

`names` and `entries` have the keys and the values in the order of their insertion.  `slots` is a table of positions in
them: -1 where nothing was ever put, -2 where a key was that is gone.  The slots that are tried for a key follow from
its hash, as they do in CPython.
"""

from ..compiler.ops import static
from ..compiler.ops.containers import hash_of, make_room, put_all, seen
from .elementary import in_dtype
from .python_lists import pop_at


def slot_of(names, slots, key):
    """Where the position of a key stands, or would."""
    last = len(slots) - 1
    rest = hash_of(key, names)
    slot = rest & last
    at = slots[slot]
    while at != -1 and (at == -2 or names[at] != key):
        rest = rest >> 5
        slot = (5 * slot + rest + 1) & last
        at = slots[slot]
    return slot


def arranged(names, slots, count):
    """Make a table of `count` slots, a power of two."""
    slots.clear()
    emptied(slots, count)
    placed(names, slots)


def emptied(slots, count):
    """Fill a table that is new."""
    for _ in range(count):
        slots.append(-1)


def placed(names, slots):
    """Put the position of every key into a table."""
    for at in range(len(names)):
        slots[slot_of(names, slots, names[at])] = at


def hash_of_int(key):
    """The same for an int of any width."""
    key = key if static.is_weak(key) else in_dtype(key, static.summed(static.element(key)))
    return key & 0x3FFFFFFFFFFFFFFF


def hash_of_float(key):
    """Equal to that of an int that is equal."""
    if key != key:
        raise ValueError("nan is a key like no other, not even itself")
    if key >= 9223372036854775808.0 or key < -9223372036854775808.0:
        return 0
    whole = key // 1.0
    return (int(whole) ^ int((key - whole) * 1099511627776.0)) & 0x3FFFFFFFFFFFFFFF


def hash_of_both(first, second):
    """The hash of a pair of keys, from their hashes."""
    return ((first & 0xFFFFFFFFFF) * 1000003 ^ first >> 40 ^ second) & 0x3FFFFFFFFFFFFFFF


def hash_of_items(items):
    """The hash of a tuple whose length is known only at run time: that of one of known length which is equal."""
    result = len(items)
    for item in items:
        result = hash_of_both(result, hash_of(item))
    return result


def put_pairs(d, pairs):
    for key, value in pairs:
        d[key] = value


def put_keys(d, keys, value):
    for key in keys:
        d[key] = value
    return d


class Dict:
    """A dict; `filled` counts the slots that are not -1, `removed` the keys that are gone."""

    python, shown = dict, ("names", "entries")
    names: list
    entries: list
    slots: list
    filled: int
    removed: int

    def position(self, key):
        """Where a key stands; -1 if it is not there."""
        at = self.slots[slot_of(self.names, self.slots, key)]
        return at

    def place(self, key):
        """Where a key stands that must be there."""
        at = self.slots[slot_of(self.names, self.slots, key)]
        if at < 0:
            raise KeyError(key)
        return at

    def __getitem__(self, key):
        return self.entries[self.place(key)]

    def get(self, key, default=None):
        at = self.position(key)
        return self.entries[at] if at >= 0 else default

    def __contains__(self, key):
        return self.position(key) >= 0

    def __len__(self):
        return len(self.names)

    def __setitem__(self, key, value):
        make_room(self, key, value)
        slot = slot_of(self.names, self.slots, key)
        at = self.slots[slot]
        if at >= 0:
            self.entries[at] = value
        else:
            self.add(slot, key, value)

    def add(self, slot, key, value):
        """A key that is not there yet, and the slot that it gets."""
        self.slots[slot] = len(self.names)
        self.names.append(key)
        self.entries.append(value)
        self.filled += 1
        if 3 * self.filled > 2 * len(self.slots):
            arranged(self.names, self.slots, 4 * len(self.slots))
            self.filled = len(self.names)

    def setdefault(self, key, default=None):
        make_room(self, key, default)
        slot = slot_of(self.names, self.slots, key)
        at = self.slots[slot]
        if at < 0:
            at = len(self.names)
            self.add(slot, key, default)
        return self.entries[at]

    def __delitem__(self, key):
        slot = slot_of(self.names, self.slots, key)
        if self.slots[slot] < 0:
            raise KeyError(key)
        self.remove(slot)

    def remove(self, slot):
        """Take out the key of a slot; what was put in after it moves up."""
        at = self.slots[slot]
        self.slots[slot] = -2
        self.removed += 1
        if at < len(self.names) - 1:
            for k in range(len(self.slots)):
                if self.slots[k] > at:
                    self.slots[k] -= 1
        pop_at(self.names, at)
        return pop_at(self.entries, at)

    def pop_or_fail(self, key):
        slot = slot_of(self.names, self.slots, key)
        if self.slots[slot] < 0:
            raise KeyError(key)
        return self.remove(slot)

    def pop_or(self, key, default):
        slot = slot_of(self.names, self.slots, key)
        return self.remove(slot) if self.slots[slot] >= 0 else default

    def pop(self, key, *default):
        return self.pop_or(key, *default) if default else self.pop_or_fail(key)

    def popitem(self):
        if len(self.names) == 0:
            raise KeyError("popitem(): dictionary is empty")
        key = self.names[-1]
        return key, self.pop_or_fail(key)

    def clear(self):
        self.removed += len(self.names)
        self.filled = 0
        self.names.clear()
        self.entries.clear()
        arranged(self.names, self.slots, 8)

    def keys(self):
        return seen(self, "keys")

    def values(self):
        return seen(self, "values")

    def items(self):
        return seen(self, "items")

    def __iter__(self):
        return seen(self, "keys")

    def update(self, *others, **named):
        for other in (*others, named):
            put_all(self, other)

    def copy(self):
        made: dict = {}
        put_all(made, self)
        return made

    def __or__(self, other):
        made = self.copy()
        put_all(made, other)
        return made

    def __ror__(self, other):
        made: dict = {}
        put_all(made, other)
        put_all(made, self)
        return made

    def __ior__(self, other):
        put_all(self, other)
        return self

    def __eq__(self, other):
        if len(self) != len(other):
            return False
        for k in range(len(self.names)):
            if self.names[k] not in other or self.entries[k] != other[self.names[k]]:
                return False
        return True
