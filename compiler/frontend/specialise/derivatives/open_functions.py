"""A function with what it captures as an argument: closure conversion, for rules that differentiate with respect to it.

    k = x[1]                                     opened, (floats, rest) = open_function(scaled)
    def scaled(v): return v * k           ->     opened((k,), (), v)          is   v * k
"""

from __future__ import annotations

import gast

from .....runtime import parts as of_python
from .... import types
from .. import protocol
from ..frame import Frame
from ..functional import Partial
from ..functions.environments import Environment
from ..objects.heap import objects
from ..values import Leaf, Sequence, Static, Value, is_number, map_leaves

FUNCTION = "the function"


class Opened:
    """The structure of a function whose captured variables are arguments of its calls."""

    def __init__(self, frame: Frame, value: Value) -> None:
        self.environment = Environment(frame, given={FUNCTION: value})
        self.given: dict[str, Value] = {k: self._holed(frame, v) for k, v in self.environment.passed.items()}
        self.tree = map_leaves(self._holed(frame, value), self._open)

    def _holed(self, frame: Frame, value: Value) -> Value:
        return self.environment.with_holes(frame.tree(value))

    def _open(self, part: Value, path: tuple[object, ...]) -> Value:
        if isinstance(part, Leaf) or is_number(part):
            key = f"part {len(self.given)}"
            self.given[key] = part
            return Static(Place(key))
        return part

    def closed(self, frame: Frame, given: dict[str, Value]) -> Value:
        """The function that captures these."""

        def close(part: Value, _: tuple[object, ...]) -> Value:
            return given[part.value.place] if isinstance(part, Static) and isinstance(part.value, Place) else part

        variables = {**given, FUNCTION: map_leaves(self.tree, close)}
        inner = Frame(frame.task, frame.builder, frame.source, frame.namespace, variables)
        self.environment.enter(inner, is_around=False)
        return inner.variables[FUNCTION]


class Place:
    """The position of something that is filled in later."""

    def __init__(self, place: str) -> None:
        self.place = place


class Spread:
    """The floats among what a function captures, and all else, with the position that each is put back at."""

    def __init__(self, frame: Frame, opened: Opened) -> None:
        self.opened = opened
        self.floats: list[Value] = []
        self.rest: list[Value] = []
        self.trees = {key: map_leaves(frame.tree(value), lambda p, _: self._number(frame, p))
                      for key, value in opened.given.items()}  # fmt: skip

    def _number(self, frame: Frame, part: Value) -> Value:
        found = frame.type_of(part)
        if found is None:
            return part
        column = self.floats if types.is_floating(found) else self.rest
        column.append(part)
        return Static(Place(f"{'f' if column is self.floats else 'r'}{len(column) - 1}"))

    def given(self, frame: Frame, floats: Sequence, rest: Sequence) -> dict[str, Value]:
        def put(part: Value, _: tuple[object, ...]) -> Value:
            if not (isinstance(part, Static) and isinstance(part.value, Place)):
                return part
            kind, number = part.value.place[0], int(part.value.place[1:])
            return (floats if kind == "f" else rest).items[number]

        return {key: objects(map_leaves(tree, put), frame.heap) for key, tree in self.trees.items()}


def open_function(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    spread = Spread(frame, Opened(frame, args[0]))
    opened = Partial(Static(of_python.call_opened), (Static(spread),))
    return Sequence((opened, Sequence(tuple(spread.floats)), Sequence(tuple(spread.rest))))


def call_opened(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    spread, floats, rest, *given = args
    assert isinstance(spread, Static)
    found: Spread = spread.value
    columns = (protocol.held_as(frame, column, Sequence) for column in (floats, rest))
    closed = found.opened.closed(frame, found.given(frame, *columns))
    return protocol.call(frame, closed, given, kwargs, node, hint)


