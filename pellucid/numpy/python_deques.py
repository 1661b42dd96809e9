"""Python's `collections.deque`, written in the language: a ring of a growing list.

    q.append(v)       ->     ring[first + size] = v; size += 1
    q.popleft()       ->     ring[first]; first += 1; size -= 1           with positions beyond the end at its start

The length of the ring is a power of two; what is not in use holds anything.
"""

from collections import deque

from ..compiler.ops.containers import append_anything, make_room, seen

EMPTY_RING = 8


def item(queue, position):
    return queue.ring[queue.slot(position)]


class Deque:
    """A deque; `maxlen` is None where it may have any length."""

    python, shown = deque, ("listed", "maxlen")
    ring: list
    first: int
    size: int
    maxlen: int | None

    def listed(self):
        return list(seen(self, "deque"))

    def __len__(self):
        return self.size

    def __iter__(self):
        return seen(self, "deque")

    def slot(self, position):
        return self.first + position & len(self.ring) - 1

    def place(self, position):
        """Where the item at a position stands in the ring."""
        at = position + self.size if position < 0 else position
        if at < 0 or at >= self.size:
            raise IndexError("deque index out of range")
        return self.slot(at)

    def __getitem__(self, position):
        return self.ring[self.place(position)]

    def __setitem__(self, position, value):
        make_room(self, value)
        self.ring[self.place(position)] = value

    def append(self, value):
        make_room(self, value)
        if self.maxlen is not None and self.size == self.maxlen:
            self.first = self.slot(1)
            self.size -= 1
        if self.maxlen != 0:
            self.enlarge()
            self.ring[self.slot(self.size)] = value
            self.size += 1

    def appendleft(self, value):
        make_room(self, value)
        if self.maxlen is not None and self.size == self.maxlen:
            self.size -= 1
        if self.maxlen != 0:
            self.enlarge()
            self.first = self.slot(-1)
            self.ring[self.first] = value
            self.size += 1

    def enlarge(self):
        """One place at least is free; a ring that is full gets a copy of itself after it, so that nothing moves."""
        count = len(self.ring)
        if count == 0:
            for _ in range(EMPTY_RING):
                append_anything(self.ring)
        elif self.size == count:
            for k in range(count):
                self.ring.append(self.ring[k])

    def pop(self):
        if self.size == 0:
            raise IndexError("pop from an empty deque")
        self.size -= 1
        return self.ring[self.slot(self.size)]

    def popleft(self):
        if self.size == 0:
            raise IndexError("pop from an empty deque")
        value = self.ring[self.first]
        self.first = self.slot(1)
        self.size -= 1
        return value

    def extend(self, values):
        for value in values:
            self.append(value)

    def clear(self):
        self.size = 0

    def __contains__(self, value):
        return any(self.ring[self.slot(k)] == value for k in range(self.size))

    def __eq__(self, other):
        if self.size != len(other):
            return False
        return all(self[k] == other[k] for k in range(self.size))
