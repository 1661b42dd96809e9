"""Kinds of values that a loop iterates over, or that select parts of another: they are made of other values."""

from __future__ import annotations

from typing import Any

from ...records import dataclass
from .values import Kind, Parts, Static, Value, renewed


@dataclass(frozen=True, slots=True)
class Range(Kind):
    """`range(start, stop, step)` with parts that are `Static` or `Leaf`."""
    start: Value
    stop: Value
    step: Value
    segments: int | None = None  # the backward sweep cuts a loop over it into so many; 0: as it chooses
    budget: int | None = None  # the backward sweep may keep so many bytes

    def inside(self) -> Parts:
        return ("start", self.start), ("stop", self.stop), ("step", self.step)

    def around(self, new: tuple[Value, ...]) -> Value:
        start, stop, step = new
        return Range(start, stop, step, self.segments, self.budget)

    def facts(self) -> Any:
        return self.segments, self.budget


@dataclass(frozen=True, slots=True)
class Slice(Kind):
    """`slice(start, stop, step)` with a part known only at run time; one that is known now is `Static`."""
    start: Value
    stop: Value
    step: Value

    def inside(self) -> Parts:
        return ("start", self.start), ("stop", self.stop), ("step", self.step)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Slice(*new)


@dataclass(frozen=True, slots=True)
class Iteration(Kind):
    """What a loop iterates over, made of other values: its items by position.  `kind` is Python's word for it."""
    parts: tuple[Value, ...]
    start: Value = Static(0)
    kind = ""

    def inside(self) -> Parts:
        return *enumerate(self.parts), ("start", self.start)

    def around(self, new: tuple[Value, ...]) -> Value:
        return type(self)(new[:-1], new[-1])


class Zip(Iteration):
    """`zip(a, b)`"""
    __slots__ = ()
    kind = "zip"


class Map(Iteration):
    """`map(f, a, b)`: the function, and the iterables of its arguments."""
    __slots__ = ()
    kind = "map"


class Enumerate(Iteration):
    """`enumerate(a, start)`"""
    __slots__ = ()
    kind = "enumerate"


class Reversed(Iteration):
    """`reversed(a)`; `start` is the length that `a` had."""
    __slots__ = ()
    kind = "reversed"


class Rest(Iteration):
    """What comes from the position `start` on."""
    __slots__ = ()
    kind = "rest"


class DequeItems(Iteration):
    """The items of a deque."""
    __slots__ = ()
    kind = "deque"


class DictView(Iteration):
    """A view of a dict; it shows what the dict holds when it is read."""
    __slots__ = ()


class Keys(DictView):
    """`d.keys()`"""
    __slots__ = ()
    kind = "keys"


class Values(DictView):
    """`d.values()`"""
    __slots__ = ()
    kind = "values"


class Items(DictView):
    """`d.items()`"""
    __slots__ = ()
    kind = "items"


@dataclass(frozen=True, slots=True)
class Iterator(Kind):
    """What an iterator holds: what it iterates over, how many items are consumed; `kind` is Python's word for it."""
    source: Value
    position: Value = Static(0)
    kind: str = "iterator"

    def inside(self) -> Parts:
        return ("source", self.source), ("position", self.position)

    def around(self, new: tuple[Value, ...]) -> Value:
        return Iterator(new[0], new[1], self.kind)

    def facts(self) -> Any:
        return self.kind


@dataclass(frozen=True, slots=True)
class GeneratorCall(Kind):
    """A call of a generator function that has not begun, over its arguments by name (`generators.py`)."""
    function: Any
    args: tuple[tuple[str, Value], ...]

    def inside(self) -> Parts:
        return self.args

    def around(self, new: tuple[Value, ...]) -> Value:
        return GeneratorCall(self.function, renewed(self.args, new))

    def facts(self) -> Any:
        return id(self.function)
