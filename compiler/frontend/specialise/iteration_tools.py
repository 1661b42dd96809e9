"""`itertools`: of what is known now a sequence of its items, else a loop or a list.

    product((-1, 0, 1), repeat=2)     ->     the nine pairs
    product(range(n), xs)             ->     [(i, v) for i in range(n) for v in xs]
    pairwise(xs)                      ->     zip(xs, xs[1:])
    count(1)                          ->     range(1, a number that no loop comes to)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import gast

from . import classes, container_methods, evaluate, iteration, iterators
from .frame import Frame
from .values import NONE, Iteration, Iterator, Range, Sequence, Static, Value

NEVER = 2**62
MOST = 2048  # as many items as loops are unrolled for
Known = Callable[[Frame, list[Value], dict[str, Value], gast.AST, str], Value]


def _given(frame: Frame, args: list[Value], node: gast.AST) -> list[Value]:
    return [classes.iterable(frame, value, node) for value in args]


def _is_known(frame: Frame, values: list[Value]) -> bool:
    return all(iteration.has_static_length(frame, value) for value in values)


def _iterator(frame: Frame, source: Value, kind: str) -> Value:
    return frame.new(Iterator(source, kind=kind), "iterator")


def _tuples(frame: Frame, items: Any, kind: str) -> Value:
    return _iterator(frame, Sequence(tuple(Sequence(tuple(part)) for part in items)), kind)


def _too_many(frame: Frame, name: str, node: gast.AST) -> None:
    frame.fault("U018", f"`{name}` of so many of what only the run knows is not in the language", node, "called here",
                ("write nested loops",))  # fmt: skip


def product(frame: Frame, args, kwargs, node, hint) -> Value:
    times = evaluate.known(frame, kwargs.get("repeat", Static(1)), node, "`repeat`")
    values = _given(frame, args, node) * times
    if _is_known(frame, values):
        items = [iteration.static_items(frame, value, node) for value in values]
        size = 1
        for part in items:
            size *= len(part)
        if size <= MOST:
            return _tuples(frame, itertools.product(*items), "product")
    if len(values) not in (2, 3):
        _too_many(frame, "itertools.product", node)
    name = "pairs" if len(values) == 2 else "triples"
    return _iterator(frame, container_methods.in_language(frame, name, values, node), "product")


def _choosing(name: str, of_known: Callable[..., Any], of_two: str) -> Known:
    """`combinations` and its like: so many of one iterable."""

    def chosen(frame: Frame, args, kwargs, node, hint) -> Value:
        (value,) = _given(frame, args[:1], node)
        wanted = args[1] if len(args) > 1 else kwargs.get("r", NONE)
        count = evaluate.known(frame, wanted, node, "how many are chosen")
        if _is_known(frame, [value]):
            items = iteration.static_items(frame, value, node)
            found = list(itertools.islice(of_known(items, count), MOST + 1))
            if len(found) <= MOST:
                return _tuples(frame, found, name)
        if count != 2:
            _too_many(frame, f"itertools.{name}", node)
        return _iterator(frame, container_methods.in_language(frame, of_two, [value], node), name)

    return chosen


def chain(frame: Frame, args, kwargs, node, hint) -> Value:
    values = _given(frame, args, node)
    if _is_known(frame, values):
        items = [item for value in values for item in iteration.static_items(frame, value, node)]
        return _iterator(frame, Sequence(tuple(items)), "chain")
    joined = container_methods.in_language(frame, "listed", values[:1], node)
    for value in values[1:]:
        container_methods.extend(frame, joined, node, value)
    return _iterator(frame, joined, "chain")


def chain_of_items(frame: Frame, args, kwargs, node, hint) -> Value:
    (values,) = _given(frame, args, node)
    if _is_known(frame, [values]):
        return chain(frame, iteration.static_items(frame, values, node), {}, node, hint)
    return _iterator(frame, container_methods.in_language(frame, "flattened", [values], node), "chain")


def pairwise(frame: Frame, args, kwargs, node, hint) -> Value:
    (value,) = _given(frame, args, node)
    if _is_known(frame, [value]):
        items = iteration.static_items(frame, value, node)
        return _tuples(frame, itertools.pairwise(items), "pairwise")
    return iterators.made(frame, "zip", (value, Iteration("rest", (value,), Static(1))))


def count(frame: Frame, args, kwargs, node, hint) -> Value:
    start = args[0] if args else Static(0)
    step = args[1] if len(args) > 1 else Static(1)
    if not all(frame.is_integer(part) for part in (start, step)):
        frame.fault("U012", "`itertools.count` counts in ints here", node, "called here",
                    ("count in ints and multiply: `start + k * step`",))  # fmt: skip
    stop = Static(NEVER if evaluate.known(frame, step, node, "the step") > 0 else -NEVER)
    return _iterator(frame, Range(start, stop, step), "count")


def repeat(frame: Frame, args, kwargs, node, hint) -> Value:
    if len(args) < 2:
        frame.fault("U012", "`itertools.repeat` without an end is not supported", node, "called here",
                    ("say how often: `repeat(value, n)`",))  # fmt: skip
    held = container_methods.in_language(frame, "repeated_item", args, node)
    return _iterator(frame, held, "repeat")


def accumulate(frame: Frame, args, kwargs, node, hint) -> Value:
    value, *others = args
    function = others[0] if others else kwargs.get("func", NONE)
    (source,) = _given(frame, [value], node)
    given = [source, function, kwargs.get("initial", NONE)]
    return _iterator(frame, container_methods.in_language(frame, "accumulated", given, node), "accumulate")


FUNCTIONS: dict[Any, tuple[int, int, Known]] = {
    itertools.product: (0, 10**9, product), itertools.chain: (0, 10**9, chain),
    itertools.chain.from_iterable: (1, 1, chain_of_items), itertools.pairwise: (1, 1, pairwise),
    itertools.combinations: (1, 2, _choosing("combinations", itertools.combinations, "pairs_chosen")),
    itertools.combinations_with_replacement: (1, 2, _choosing(
        "combinations_with_replacement", itertools.combinations_with_replacement, "pairs_chosen_again")),
    itertools.permutations: (1, 2, _choosing("permutations", itertools.permutations, "pairs_in_order")),
    itertools.count: (0, 2, count), itertools.repeat: (1, 2, repeat), itertools.accumulate: (1, 2, accumulate),
}  # fmt: skip
