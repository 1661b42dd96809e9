"""`itertools`: of what is known now a sequence of its items, else loops or a list.

    product((-1, 0, 1), repeat=2)     ->     the nine pairs
    product(range(n), xs)             ->     a generator function of nested loops: `written_generators`
    pairwise(xs)                      ->     zip(xs, xs[1:])
    count(1)                          ->     range(1, a number that no loop reaches)

Functions with another control flow (`groupby`, `takewhile`, `cycle`, ...) are loops that the user writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..iterables import Iterator, Range, Rest, Zip
from ..kinds import classes, container_methods, iterators, ranges
from ..objects.heap import as_object
from ..values import NONE, Sequence, Static, Value
from . import written_generators

MOST = 2048  # loops over more items are not unrolled
MOST_LOOPS = 8  # loops are not nested more deeply
Known = Callable[[Frame, list[Value], dict[str, Value], gast.AST, str], Value]


def _given(frame: Frame, args: list[Value], node: gast.AST) -> list[Value]:
    return [classes.iterable(frame, value, node) for value in args]


def _is_known(frame: Frame, values: list[Value]) -> bool:
    return all(protocol.has_known_length(frame, value) for value in values)


def _iterator(frame: Frame, source: Value, kind: str) -> Value:
    return frame.new(Iterator(source, kind=kind), "iterator")


def _tuples(frame: Frame, items: Any, kind: str) -> Value:
    return _iterator(frame, Sequence(tuple(Sequence(tuple(part)) for part in items)), kind)


def _too_many(frame: Frame, name: str, node: gast.AST) -> None:
    message = f"`{name}` of so many items that are only known at run time is not in the language"
    frame.fault("U018", message, node, "called here",
                ("say how many are chosen, at most 8: `permutations(items, 3)`",))  # fmt: skip


def product(frame: Frame, args, kwargs, node, hint) -> Value:
    times = protocol.known(frame, kwargs.get("repeat", Static(1)), node, "`repeat`")
    values = _given(frame, args, node) * times
    if _is_known(frame, values):
        items = [protocol.items(frame, value, node) for value in values]
        size = 1
        for part in items:
            size *= len(part)
        if size <= MOST:
            return _tuples(frame, itertools.product(*items), "product")
    return written_generators.product(frame, [_kept(frame, value, node) for value in values], node)


def _kept(frame: Frame, value: Value, node: gast.AST) -> Value:
    """An iterable that can be iterated repeatedly, with its present contents."""
    return value if isinstance(value, Range) else container_methods.in_language(frame, "listed", [value], node)


def _choosing(name: str, of_known: Callable[..., Any]) -> Known:
    """`combinations` and the like: a number of items of one iterable."""

    def chosen(frame: Frame, args, kwargs, node, hint) -> Value:
        (value,) = _given(frame, args[:1], node)
        wanted = args[1] if len(args) > 1 else kwargs.get("r", NONE)
        count = protocol.known(frame, wanted, node, "how many are chosen")
        if _is_known(frame, [value]):
            items = protocol.items(frame, value, node)
            found = list(itertools.islice(of_known(items, count), MOST + 1))
            if len(found) <= MOST:
                return _tuples(frame, found, name)
        if not isinstance(count, int) or not 0 < count <= MOST_LOOPS:
            _too_many(frame, f"itertools.{name}", node)
        return written_generators.chosen(frame, name, count, _kept(frame, value, node), node)

    return chosen


def chain(frame: Frame, args, kwargs, node, hint) -> Value:
    values = _given(frame, args, node)
    if _is_known(frame, values):
        items = [item for value in values for item in protocol.items(frame, value, node)]
        return _iterator(frame, Sequence(tuple(items)), "chain")
    joined = as_object(container_methods.in_language(frame, "listed", values[:1], node))
    for value in values[1:]:
        container_methods.extend(frame, joined, node, value)
    return _iterator(frame, joined, "chain")


def chain_of_items(frame: Frame, args, kwargs, node, hint) -> Value:
    (values,) = _given(frame, args, node)
    if _is_known(frame, [values]):
        return chain(frame, protocol.items(frame, values, node), {}, node, hint)
    return _iterator(frame, container_methods.in_language(frame, "flattened", [values], node), "chain")


def pairwise(frame: Frame, args, kwargs, node, hint) -> Value:
    (value,) = _given(frame, args, node)
    if _is_known(frame, [value]):
        items = protocol.items(frame, value, node)
        return _tuples(frame, itertools.pairwise(items), "pairwise")
    return iterators.made(frame, Zip, (value, Rest((value,), Static(1))))


def count(frame: Frame, args, kwargs, node, hint) -> Value:
    start = args[0] if args else Static(0)
    step = args[1] if len(args) > 1 else Static(1)
    if not all(frame.is_integer(part) for part in (start, step)):
        frame.fault("U012", "`itertools.count` counts in ints here", node, "called here",
                    ("count in ints and multiply: `start + k * step`",))  # fmt: skip
    stop = Static(ranges.NEVER if protocol.known(frame, step, node, "the step") > 0 else -ranges.NEVER)
    return _iterator(frame, Range(start, stop, step), "count")


def repeat(frame: Frame, args, kwargs, node, hint) -> Value:
    given = [*args, *kwargs.values()]
    if len(given) == 1:
        frame.fault("U018", "an endless `repeat` is not in the language", node, "called here",
                    ("say how often: `repeat(value, n)`",))  # fmt: skip
    return _iterator(frame, container_methods.in_language(frame, "repeated_item", given, node), "repeat")


def accumulate(frame: Frame, args, kwargs, node, hint) -> Value:
    value, *others = args
    function = others[0] if others else kwargs.get("func", NONE)
    (source,) = _given(frame, [value], node)
    given = [source, function, kwargs.get("initial", NONE)]
    return _iterator(frame, container_methods.in_language(frame, "accumulated", given, node), "accumulate")


def starmap(frame: Frame, args, kwargs, node, hint) -> Value:
    function, items = args
    source = iterators.taken_over(frame, classes.iterator_of(frame, items, node), node)
    return written_generators.called(frame, "starmap", {"function": function, "items": source}, node)


def islice(frame: Frame, args, kwargs, node, hint) -> Value:
    items, *bounds = args
    start, stop, step = [NONE, *bounds, NONE] if len(bounds) == 1 else [*bounds, NONE][:3]
    start, step = (Static(least) if part == NONE else part for part, least in ((start, 0), (step, 1)))
    container_methods.in_language(frame, "require_slice", [start, stop, step], node)
    source = classes.iterator_of(frame, items, node)
    given = {"items": source, "start": start, "stop": Static(ranges.NEVER) if stop == NONE else stop, "step": step}
    return written_generators.called(frame, "islice", given, node)


FUNCTIONS: dict[Any, tuple[int, int, Known]] = {
    itertools.product: (0, 10**9, product), itertools.chain: (0, 10**9, chain),
    itertools.chain.from_iterable: (1, 1, chain_of_items), itertools.pairwise: (1, 1, pairwise),
    itertools.combinations: (1, 2, _choosing("combinations", itertools.combinations)),
    itertools.permutations: (1, 2, _choosing("permutations", itertools.permutations)),
    itertools.count: (0, 2, count), itertools.repeat: (1, 2, repeat), itertools.accumulate: (1, 2, accumulate),
    itertools.starmap: (2, 2, starmap), itertools.islice: (2, 4, islice),
}  # fmt: skip
