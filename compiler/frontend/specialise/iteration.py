"""What a loop goes over: how many items there are, and which one stands where.

    enumerate(zip(x, y))     ->     length min(len(x), len(y)), item k: (k, (x[k], y[k]))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from ... import syntax
from ...types import Array, ListOf
from . import (
    apply,
    choices,
    classes,
    evaluate,
    forms,
    generators,
    items_read,
    keyed,
    outside,
    rows,
    subscript,
    tables,
    texts,
)
from .frame import Frame
from .limits import limit
from .values import Iteration, Leaf, Mapping_, Range, Record, Ref, Rows, Sequence, Static, Table, Text, Value


def is_static_iterable(frame: Frame, value: Value) -> bool:
    """Whether a loop over it is unrolled: tuples, lists and dicts whose length is known, and what is made of them."""
    if keyed.shown_by(frame, value) is not None or keyed.record_of(frame, value) is not None:
        return False
    match frame.held(value):
        case Sequence() | Mapping_() | Record():
            return True
        case Static(value=tuple() | list() | dict() | str() | bytes()):
            return True
        case Iteration(parts=inner):
            return any(is_static_iterable(frame, p) for p in inner)
    return False


NEVER = 2**62  # as many items as no loop comes to
VIEWS = ("keys", "values", "items")


def columns_of(value: Iteration) -> tuple[Value, ...]:
    """What is gone over side by side; the first part of a `map` is the function."""
    return value.parts[1:] if value.kind == "map" else value.parts


def gone_over(iterable: Value) -> Iterator[Value]:
    """What a loop takes its items from; what a function of a `map` sees may change."""
    if not isinstance(iterable, Iteration):
        yield iterable
        return
    for part in columns_of(iterable):
        yield from gone_over(part)


def length_now(frame: Frame, value: Value) -> Value | None:
    """What has a length of the run: an array, a growable list, an argument of any length; None for anything else."""
    if keyed.shown_by(frame, value) is not None:
        return value
    held = frame.held(value)
    found = frame.type_of(held)
    is_open = isinstance(found, Array) and found.ndim and not isinstance(found.dims[0], int)
    return held if is_open or isinstance(held, Rows | Table | Text) or isinstance(found, ListOf) else None


def static_items(frame: Frame, value: Value, node: gast.AST) -> list[Value]:
    """The items of an iterable whose length is known now."""
    match frame.held(value):
        case Sequence(items=items):
            return list(items)
        case Record(items=items, is_tuple=True):
            return [v for _, v in items]
        case Mapping_(items=items):
            return [Static(k) for k, _ in items]
        case Static(value=tuple() | list() | dict() | str() | bytes() as found):
            return [outside.read(frame, v, "item", node) for v in found]
        case Range(start=start, stop=stop, step=step):
            bounds = [evaluate.known(frame, p, node, "a range that is unrolled") for p in (start, stop, step)]
            return [Static(i) for i in range(*bounds)]
        case Iteration(kind="keys" | "values" | "items" as kind, parts=(inner,)):
            return dict_view(frame, kind, inner)
        case Iteration() as inner:
            count = static_count(frame, inner, node)
            check_lengths(frame, inner, count, node)
            return [item_at(frame, inner, Static(position), node) for position in range(count)]
    found = frame.type_of(value)
    if isinstance(found, Array) and found.ndim and isinstance(found.dims[0], int):
        return [item_at(frame, value, Static(i), node) for i in range(found.dims[0])]
    if classes.instance(frame, value) is not None:
        frame.fault("T001", f"'{frame.describe(value)}' object is not iterable", node, "gone over here",
                    ("define `__iter__` in its class, or go over an attribute",))  # fmt: skip
    frame.needs_static(value, "the number of items", node)


def dict_view(frame: Frame, kind: str, base: Value) -> list[Value]:
    """What `d.keys()`, `d.values()` or `d.items()` shows at present."""
    items: tuple[tuple[Any, Value], ...] = frame.held(base).items
    if kind == "keys":
        return [Static(k) for k, _ in items]
    return [v for _, v in items] if kind == "values" else [Sequence((Static(k), v)) for k, v in items]


def static_count(frame: Frame, value: Value, node: gast.AST) -> int:
    """How many items a loop that is unrolled sees: as many as the shortest has whose length is known now."""
    match value:
        case Iteration(kind="rest", parts=(inner,), start=start):
            return max(static_count(frame, inner, node) - evaluate.known(frame, start, node, "what is left"), 0)
        case Iteration(kind="reversed"):
            return evaluate.known(frame, length_of_iterable(frame, value, node), node, "the number of items")
        case Iteration() if value.kind not in VIEWS:
            known = [p for p in columns_of(value) if has_static_length(frame, p) or is_static_iterable(frame, p)]
            if not known:
                length_of_iterable(frame, columns_of(value)[0], node)
                frame.needs_static(columns_of(value)[0], "the number of items", node)
            return min(static_count(frame, part, node) for part in known)
    return len(static_items(frame, value, node))


def static_item(frame: Frame, value: Value, position: int, node: gast.AST) -> Value:
    """The item that a loop which is unrolled sees; what a `map` gives is computed when its turn comes."""
    if isinstance(value, Iteration) and value.kind not in VIEWS:
        return item_at(frame, value, Static(position), node)
    return static_items(frame, value, node)[position]


def check_lengths(frame: Frame, value: Value, count: int, node: gast.AST) -> None:
    """Nothing that is gone over beside what is known now may come to its end before that."""
    if isinstance(value, Iteration) and value.kind not in VIEWS:
        for part in columns_of(value):
            if has_static_length(frame, part):
                check_lengths(frame, part, count, node)
            else:
                check_long_enough(frame, part, count, node)


def check_long_enough(frame: Frame, column: Value, count: int, node: gast.AST) -> None:
    """A `zip` of a tuple and something shorter would end early, which an unrolled loop cannot."""
    length = length_of_iterable(frame, column, node)
    short = frame.emit("less", length, Static(count), node=node)
    error = limit("ValueError", f"zip() of {count} items with an array that has fewer", span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(short, node), [error]))


def has_static_length(frame: Frame, value: Value) -> bool:
    found = frame.type_of(value)
    if isinstance(found, Array):
        return found.ndim > 0 and isinstance(found.dims[0], int)
    if isinstance(value, Range):
        return all(isinstance(p, Static) for p in (value.start, value.stop, value.step))
    if isinstance(value, Iteration):
        return isinstance(value.start, Static) and all(has_static_length(frame, p) for p in columns_of(value))
    return is_static_iterable(frame, value)


def length_of_iterable(frame: Frame, value: Value, node: gast.AST) -> Value:
    """How many items a loop will see."""
    if (shown := keyed.shown_by(frame, value)) is not None:
        value = shown.parts[0] if isinstance(shown, Iteration) else shown
    value = frame.held(value)
    match value:
        case Rows():
            return rows.length(frame, value, node)
        case Text():
            return texts.length(frame, value, node)
        case Range(start=start, stop=stop, step=step):
            return range_length(frame, start, stop, step, node)
        case Iteration(kind="rest", parts=(inner,), start=start):
            return evaluate.binary(frame, gast.Sub, length_of_iterable(frame, inner, node), start, node)
        case Iteration(kind="reversed", parts=(inner,), start=start):
            return reversed_length(frame, inner, start, node)
        case Iteration(kind="deque", parts=(inner,)):
            return keyed.parts_of(frame, inner)["size"]
        case Iteration(kind="zip" | "map"):
            lengths = [length_of_iterable(frame, p, node) for p in columns_of(value)]
            result = lengths[0]
            for other in lengths[1:]:
                if isinstance(result, Static) and isinstance(other, Static):
                    result = min(result, other, key=lambda length: length.value)
                    continue
                same = isinstance(result, Leaf) and isinstance(other, Leaf) and extents_equal(frame, result, other)
                result = result if same else frame.emit("minimum", result, other, node=node)
            return result
        case Iteration(parts=inner):
            return length_of_iterable(frame, inner[0], node)
    found = frame.type_of(value)
    if isinstance(found, Array) and found.ndim:
        return evaluate.length_of(frame, value, 0, node)
    if generators.is_one(value):
        frame.fault("U004", "how many items a generator gives is not known before it ends", node, "gone over here",
                    generators.HELP)  # fmt: skip
    if forms.grows(frame, value):
        return tables.length(frame, value)
    if is_static_iterable(frame, value):
        return Static(len(static_items(frame, value, node)))
    frame.fault("T001", f"a {frame.describe(value)} cannot be iterated over", node, "iterated here")


def most_items(frame: Frame, value: Value, node: gast.AST) -> int | None:
    """What is known now of how many items there are at most."""
    match frame.held(value):
        case Iteration(kind="zip" | "map" | "enumerate") as inner:
            found = [most_items(frame, part, node) for part in columns_of(inner)]
            return min((most for most in found if most is not None), default=None)
        case Iteration(kind="rest", parts=(inner,), start=Static(value=start)):
            most = most_items(frame, inner, node)
            return None if most is None else max(most - start, 0)
    return static_count(frame, value, node) if has_static_length(frame, value) else None


def reversed_length(frame: Frame, inner: Value, start: Value, node: gast.AST) -> Value:
    """As long as the list was when it was reversed; nothing once it is shorter."""
    if not isinstance(inner, Ref):
        return start
    now = length_of_iterable(frame, inner, node)
    shrunk = choices.compare(frame, gast.Lt, now, start, node)
    if isinstance(shrunk, Static):
        return Static(0) if shrunk.value else start
    return frame.emit("where", shrunk, Static(0), start, node=node)


def extents_equal(frame: Frame, left: Leaf, right: Leaf) -> bool:
    table = frame.builder.extents
    return left.name in table and table[left.name] == table.get(right.name)


def range_length(frame: Frame, start: Value, stop: Value, step: Value, node: gast.AST) -> Value:
    if start == Static(0) and step == Static(1):
        return stop
    parts_ = [gast.Sub, gast.Add, gast.Sub, gast.FloorDiv]
    span = evaluate.binary(frame, parts_[0], stop, start, node)
    if step == Static(1):
        return span
    sign = evaluate.fold(frame, lambda v: (v > 0) - (v < 0), node, step) if isinstance(step, Static) else None
    if sign is None:
        evaluate.known(frame, step, node, "the step of a range that `break` may leave")
    rounded = evaluate.binary(frame, gast.Add, span, Static(step.value - sign.value), node)
    return evaluate.binary(frame, gast.FloorDiv, rounded, step, node)


def item_of_range(frame: Frame, value: Range, index: Value, node: gast.AST) -> Value:
    """`range(start, stop, step)[index]`"""
    given = [value.start, value.step, length_of_iterable(frame, value, node), index]
    return keyed.in_language(frame, "python_builtins:item_of_range", given, node)


def item_at(frame: Frame, value: Value, position: Value, node: gast.AST) -> Value:
    """The item a loop sees at a position."""
    source = keyed.shown_by(frame, value) or value
    value = frame.held(source)
    match value:
        case Rows():
            return rows.item(frame, value, frame.atom(position, node), node)
        case Text():
            return texts.letter(frame, value, position, node)
        case Sequence() | Record() | Mapping_() | Iteration(kind="keys" | "values" | "items") | Static():
            return static_items(frame, value, node)[evaluate.known(frame, position, node, "the position")]
        case Range(start=start, step=step):
            offset = position if step == Static(1) else evaluate.binary(frame, gast.Mult, position, step, node)
            return offset if start == Static(0) else evaluate.binary(frame, gast.Add, start, offset, node)
        case Iteration(kind="rest", parts=(inner,), start=start):
            return item_at(frame, inner, evaluate.binary(frame, gast.Add, start, position, node), node)
        case Iteration(kind="deque", parts=(inner,)):
            return keyed.in_language(frame, "python_deques:item", [inner, position], node)
        case Iteration(kind="map", parts=(function, *inner)):
            given = [item_at(frame, part, position, node) for part in inner]
            return apply.apply(frame, function, given, {}, node)
        case Iteration(kind="reversed", parts=(inner,), start=start):
            last = evaluate.binary(frame, gast.Sub, start, Static(1), node)
            return item_at(frame, inner, evaluate.binary(frame, gast.Sub, last, position, node), node)
        case Iteration(kind="enumerate", parts=(inner,), start=start):
            number = evaluate.binary(frame, gast.Add, position, start, node) if start != Static(0) else position
            return Sequence((number, item_at(frame, inner, position, node)))
        case Iteration(kind="zip", parts=inner):
            return Sequence(tuple(item_at(frame, p, position, node) for p in inner))
    found = frame.type_of(value)
    if forms.grows(frame, value):
        return items_read.item(frame, source, frame.atom(position, node), node)
    items = [frame.atom(position, node), *(syntax.slice_() for _ in range(found.ndim - 1))]
    return subscript.element(frame, value, items, node)
