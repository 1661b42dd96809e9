"""What a loop iterates over that is made of other values: `zip`, `enumerate`, `reversed`, `map`, the views of a dict.

    enumerate(zip(x, y))     ->     length min(len(x), len(y)), item k: (k, (x[k], y[k]))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import gast

from .... import syntax
from .. import protocol
from ..frame import Frame
from ..interpreter import choices, evaluate
from ..iterables import DequeItems, DictView, Enumerate, Items, Iteration, Keys, Map, Rest, Reversed, Values, Zip
from ..limits import limit
from ..protocol import (
    count,
    describe,
    has_known_length,
    held_as,
    is_container,
    is_unrolled,
    item,
    item_of_unrolled,
    items,
    known,
    length,
    load,
    member,
    most_items,
    of_dynamic_length,
)
from ..values import Leaf, Mapping_, Ref, Sequence, Static, Value
from . import iterators, keyed

VIEWS = (Keys, Values, Items)
SIDE_BY_SIDE = (Zip, Map, Enumerate)
MADE = (*SIDE_BY_SIDE, Reversed, Rest, DequeItems)


def columns_of(value: Iteration) -> tuple[Value, ...]:
    """The iterables that are iterated in parallel; the first part of a `map` is the function."""
    return value.parts[1:] if isinstance(value, Map) else value.parts


def gone_over(iterable: Value) -> Iterator[Value]:
    """What a loop takes its items from; variables that the function of a `map` captures may change."""
    if not isinstance(iterable, Iteration):
        yield iterable
        return
    for part in columns_of(iterable):
        yield from gone_over(part)


def check_lengths(frame: Frame, value: Value, expected: int, node: gast.AST) -> None:
    """Require that nothing iterated beside an iterable of known length ends before that one."""
    if isinstance(value, Iteration) and not isinstance(value, DictView):
        for part in columns_of(value):
            if has_known_length(frame, part):
                check_lengths(frame, part, expected, node)
            else:
                _check_long_enough(frame, part, expected, node)


def _check_long_enough(frame: Frame, column: Value, expected: int, node: gast.AST) -> None:
    """Refuse a `zip` of a tuple and something shorter: it would end early, and an unrolled loop cannot."""
    short = frame.emit("less", length(frame, column, node), Static(expected), node=node)
    error = limit("ValueError", f"zip() of {expected} items with an array that has fewer", span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(short, node), [error]))


# --- iterations in parallel ------------------------------------------------------------------------------------------


@is_unrolled.of(*MADE)
def _(frame: Frame, value: Iteration) -> bool:
    return any(is_unrolled(frame, part) for part in value.parts)


@has_known_length.of(*MADE)
def _(frame: Frame, value: Iteration) -> bool:
    return isinstance(value.start, Static) and all(has_known_length(frame, part) for part in columns_of(value))


@items.of(*MADE)
def _(frame: Frame, value: Iteration, node: gast.AST) -> list[Value]:
    found = count(frame, value, node)
    check_lengths(frame, value, found, node)
    return [item(frame, value, Static(position), node) for position in range(found)]


@count.of(*SIDE_BY_SIDE, DequeItems)
def _(frame: Frame, value: Iteration, node: gast.AST) -> int:
    """As many as the shortest has whose length is known now."""
    columns = columns_of(value)
    of_known_length = [part for part in columns if has_known_length(frame, part) or is_unrolled(frame, part)]
    if not of_known_length:
        length(frame, columns[0], node)
        frame.needs_static(columns[0], "the number of items", node)
    return min(count(frame, part, node) for part in of_known_length)


@length.of(*SIDE_BY_SIDE)
def _(frame: Frame, value: Iteration, node: gast.AST) -> Value:
    lengths = [length(frame, part, node) for part in columns_of(value)]
    result = lengths[0]
    for other in lengths[1:]:
        if isinstance(result, Static) and isinstance(other, Static):
            result = min(result, other, key=lambda known: known.value)
            continue
        same = isinstance(result, Leaf) and isinstance(other, Leaf) and _are_equal_extents(frame, result, other)
        result = result if same else frame.emit("minimum", result, other, node=node)
    return result


def _are_equal_extents(frame: Frame, left: Leaf, right: Leaf) -> bool:
    table = frame.builder.extents
    return left.name in table and table[left.name] == table.get(right.name)


@most_items.of(*SIDE_BY_SIDE)
def _(frame: Frame, value: Iteration, node: gast.AST) -> int | None:
    found = [most_items(frame, part, node) for part in columns_of(value)]
    return min((most for most in found if most is not None), default=None)


@item_of_unrolled.of(*MADE)
def _(frame: Frame, value: Iteration, position: int, node: gast.AST) -> Value:
    """The item of a `map` is computed in its iteration."""
    return item(frame, value, Static(position), node)


@known.of(*MADE, *VIEWS)
def _(frame: Frame, value: Iteration, node: gast.AST, what: str = "this value") -> tuple[object, ...]:
    return tuple(known(frame, part, node, what) for part in items(frame, value, node))


@describe.of(*MADE, *VIEWS)
def _(frame: Frame, value: Iteration) -> str:
    return value.kind


@item.of(Zip)
def _(frame: Frame, value: Zip, position: Value, node: gast.AST) -> Value:
    return Sequence(tuple(item(frame, part, position, node) for part in value.parts))


@item.of(Map)
def _(frame: Frame, value: Map, position: Value, node: gast.AST) -> Value:
    function, *columns = value.parts
    return protocol.call(frame, function, [item(frame, part, position, node) for part in columns], {}, node)


@item.of(Enumerate)
def _(frame: Frame, value: Enumerate, position: Value, node: gast.AST) -> Value:
    start = value.start
    number = evaluate.binary(frame, gast.Add, position, start, node) if start != Static(0) else position
    return Sequence((number, item(frame, value.parts[0], position, node)))


# --- iterations over one iterable -----------------------------------------------------------------------------------


@length.of(Reversed)
def _(frame: Frame, value: Reversed, node: gast.AST) -> Value:
    """The length that the list had when it was reversed; 0 once the list is shorter."""
    if not isinstance(value.parts[0], Ref):
        return value.start
    shrunk = choices.compare(frame, gast.Lt, length(frame, value.parts[0], node), value.start, node)
    if isinstance(shrunk, Static):
        return Static(0) if shrunk.value else value.start
    return frame.emit("where", shrunk, Static(0), value.start, node=node)


@count.of(Reversed)
def _(frame: Frame, value: Reversed, node: gast.AST) -> int:
    found: int = known(frame, length(frame, value, node), node, "the number of items")
    return found


@item.of(Reversed)
def _(frame: Frame, value: Reversed, position: Value, node: gast.AST) -> Value:
    last = evaluate.binary(frame, gast.Sub, value.start, Static(1), node)
    return item(frame, value.parts[0], evaluate.binary(frame, gast.Sub, last, position, node), node)


@length.of(Rest)
def _(frame: Frame, value: Rest, node: gast.AST) -> Value:
    return evaluate.binary(frame, gast.Sub, length(frame, value.parts[0], node), value.start, node)


@count.of(Rest)
def _(frame: Frame, value: Rest, node: gast.AST) -> int:
    return max(count(frame, value.parts[0], node) - known(frame, value.start, node, "what is left"), 0)


@most_items.of(Rest)
def _(frame: Frame, value: Rest, node: gast.AST) -> int | None:
    if not isinstance(value.start, Static):
        return None
    most = most_items(frame, value.parts[0], node)
    return None if most is None else max(most - value.start.value, 0)


@item.of(Rest)
def _(frame: Frame, value: Rest, position: Value, node: gast.AST) -> Value:
    return item(frame, value.parts[0], evaluate.binary(frame, gast.Add, value.start, position, node), node)


@length.of(DequeItems)
def _(frame: Frame, value: DequeItems, node: gast.AST) -> Value:
    return keyed.parts_of(frame, value.parts[0])["size"]


@item.of(DequeItems)
def _(frame: Frame, value: DequeItems, position: Value, node: gast.AST) -> Value:
    return keyed.in_language(frame, "python_deques:item", [value.parts[0], position], node)


# --- views of dicts --------------------------------------------------------------------------------------------------


@is_unrolled.of(*VIEWS)
def _(frame: Frame, value: DictView) -> bool:
    return keyed.shown_by(frame, value) is None and is_unrolled(frame, value.parts[0])


@has_known_length.of(*VIEWS)
def _(frame: Frame, value: DictView) -> bool:
    return has_known_length(frame, value.parts[0])


@of_dynamic_length.of(*VIEWS)
def _(frame: Frame, value: DictView) -> Value | None:
    return None if keyed.shown_by(frame, value) is None else value


@items.of(*VIEWS)
def _(frame: Frame, value: DictView, node: gast.AST) -> list[Value]:
    pairs = [(Static(key), entry) for key, entry in held_as(frame, value.parts[0], Mapping_).items]
    if isinstance(value, Items):
        return [Sequence(pair) for pair in pairs]
    return [key if isinstance(value, Keys) else entry for key, entry in pairs]


@length.of(*VIEWS)
def _(frame: Frame, value: DictView, node: gast.AST) -> Value:
    shown = keyed.shown_by(frame, value) or value
    return length(frame, shown.parts[0] if isinstance(shown, Iteration) else shown, node)


@item.of(*VIEWS)
def _(frame: Frame, value: DictView, position: Value, node: gast.AST) -> Value:
    shown = keyed.shown_by(frame, value)
    if shown is not None:
        return item(frame, shown, position, node)
    return items(frame, value, node)[known(frame, position, node, "the position")]


@load.of(*MADE, *VIEWS)
def _(frame: Frame, base: Iteration, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    refuse_items(frame, base, node)


def refuse_items(frame: Frame, base: Value, node: gast.AST) -> NoReturn:
    """Refuse to index what has an order, but no positions."""
    frame.fault("T001", f"'{describe(frame, base)}' object is not subscriptable", node, "indexed here",
                ("make a list of it first: `list(...)`",))  # fmt: skip


@is_container.of(*MADE, *VIEWS)
def _(frame: Frame, value: Value) -> bool:
    return True


@member.of(*MADE, *VIEWS)
def _(frame: Frame, container: Iteration, item: Value, node: gast.AST, hint: str = "t") -> Value:
    return iterators.member_of_taken(frame, container, item, node, hint)
