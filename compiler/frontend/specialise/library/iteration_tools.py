"""`itertools`: of what is known now a sequence of its items, else a loop or a list.

    product((-1, 0, 1), repeat=2)     ->     the nine pairs
    product(range(n), xs)             ->     [(i, v) for i in range(n) for v in xs]
    pairwise(xs)                      ->     zip(xs, xs[1:])
    islice(xs, 1, n)                  ->     map of xs[k] over range(1, min(n, len(xs)))
    takewhile(test, xs)               ->     a generator function: `written_generators`
    count(1)                          ->     range(1, a number that no loop comes to)
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import gast

from .. import protocol
from ..frame import Frame
from ..kinds import classes, container_methods, forms, iterators
from ..values import NONE, Iteration, Iterator, Partial, Range, Rows, Sequence, Static, Text, Value
from . import written_generators

MOST = 2048  # as many items as loops are unrolled for
MOST_LOOPS = 8  # as many as stand in one another
Known = Callable[[Frame, list[Value], dict[str, Value], gast.AST, str], Value]


def _given(frame: Frame, args: list[Value], node: gast.AST) -> list[Value]:
    return [classes.iterable(frame, value, node) for value in args]


def _all_of(args: list[Value], kwargs: dict[str, Value]) -> list[Value]:
    return [*args, *kwargs.values()]


def _is_known(frame: Frame, values: list[Value]) -> bool:
    return all(protocol.has_known_length(frame, value) for value in values)


def _iterator(frame: Frame, source: Value, kind: str) -> Value:
    return frame.new(Iterator(source, kind=kind), "iterator")


def _tuples(frame: Frame, items: Any, kind: str) -> Value:
    return _iterator(frame, Sequence(tuple(Sequence(tuple(part)) for part in items)), kind)


def _too_many(frame: Frame, name: str, node: gast.AST) -> None:
    frame.fault("U018", f"`{name}` of so many of what only the run knows is not in the language", node, "called here",
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
    if len(values) not in (2, 3):
        columns = [container_methods.in_language(frame, "listed", [value], node) for value in values]
        return written_generators.product(frame, columns, node)
    name = "pairs" if len(values) == 2 else "triples"
    return _iterator(frame, container_methods.in_language(frame, name, values, node), "product")


def _choosing(name: str, of_known: Callable[..., Any], of_two: str) -> Known:
    """`combinations` and its like: so many of one iterable."""

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
        if count != 2:
            items = container_methods.in_language(frame, "listed", [value], node)
            return written_generators.chosen(frame, name, count, items, node)
        return _iterator(frame, container_methods.in_language(frame, of_two, [value], node), name)

    return chosen


def chain(frame: Frame, args, kwargs, node, hint) -> Value:
    values = _given(frame, args, node)
    if _is_known(frame, values):
        items = [item for value in values for item in protocol.items(frame, value, node)]
        return _iterator(frame, Sequence(tuple(items)), "chain")
    joined = container_methods.in_language(frame, "listed", values[:1], node)
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
    return iterators.made(frame, "zip", (value, Iteration("rest", (value,), Static(1))))


def count(frame: Frame, args, kwargs, node, hint) -> Value:
    start = args[0] if args else Static(0)
    step = args[1] if len(args) > 1 else Static(1)
    if not all(frame.is_integer(part) for part in (start, step)):
        frame.fault("U012", "`itertools.count` counts in ints here", node, "called here",
                    ("count in ints and multiply: `start + k * step`",))  # fmt: skip
    stop = Static(iteration.NEVER if protocol.known(frame, step, node, "the step") > 0 else -iteration.NEVER)
    return _iterator(frame, Range(start, stop, step), "count")


def repeat(frame: Frame, args, kwargs, node, hint) -> Value:
    given = _all_of(args, kwargs)
    if len(given) == 1:
        return written_generators.called(frame, "repeat", {"value": given[0]}, node)
    return _iterator(frame, container_methods.in_language(frame, "repeated_item", given, node), "repeat")


def accumulate(frame: Frame, args, kwargs, node, hint) -> Value:
    value, *others = args
    function = others[0] if others else kwargs.get("func", NONE)
    (source,) = _given(frame, [value], node)
    given = [source, function, kwargs.get("initial", NONE)]
    return _iterator(frame, container_methods.in_language(frame, "accumulated", given, node), "accumulate")


def _written(*names: str) -> Known:
    """One of those that a generator function says; the last of its arguments is gone over."""

    def made(frame: Frame, args, kwargs, node, hint) -> Value:
        given = _all_of(args, kwargs)
        source = iterators.taken_over(frame, classes.iterator_of(frame, given[-1], node), node)
        tests = [Static(bool) if other == NONE else other for other in given[:-1]]
        kind, *parameters = names
        return written_generators.called(frame, kind, dict(zip(parameters, [*tests, source])), node)

    return made


def cycle(frame: Frame, args, kwargs, node, hint) -> Value:
    """Items that nobody can change have a place each; others are read and kept in the first round."""
    source = frame.held(args[0])
    is_written = isinstance(getattr(node, "args", [None])[0], gast.List)
    is_kept = isinstance(source, Static) or isinstance(source, Sequence) and (is_written or source.kind is tuple)
    if is_kept and (items := protocol.items(frame, args[0], node)):
        held = container_methods.as_growing(frame, Sequence(tuple(items), list), node)
        return iterators.made(frame, "cycle", (held,))
    return _written("cycle", "items")(frame, args, kwargs, node, hint)


def compress(frame: Frame, args, kwargs, node, hint) -> Value:
    given = _all_of(args, kwargs)
    items, chosen = (iterators.taken_over(frame, classes.iterator_of(frame, one, node), node) for one in given)
    return written_generators.called(frame, "compress", {"items": items, "chosen": chosen}, node)


def groupby(frame: Frame, args, kwargs, node, hint) -> Value:
    key = args[1] if len(args) > 1 else kwargs.get("key", NONE)
    (items,) = _given(frame, args[:1], node)
    return written_generators.called(frame, "groupby", {"items": items, "key": key}, node)


def islice(frame: Frame, args, kwargs, node, hint) -> Value:
    items, *bounds = args
    start, stop, step = [Static(0), *bounds, Static(1)] if len(bounds) == 1 else [*bounds, NONE][:3]
    start, step = (Static(least) if part == NONE else part for part, least in ((start, 0), (step, 1)))
    if not isinstance(step, Static):
        frame.fault("U018", "`islice` with a step that only the run knows is not in the language", node, "called here",
                    ("write the places: `for k in range(start, stop, step)`",))  # fmt: skip
    source = classes.iterator_of(frame, items, node)
    if _can_be_indexed(frame, source):
        given = [source, start, stop, step]
        places = container_methods.in_language(frame, "places_of_slice", given, node)
        if _is_known(frame, [source, places]):
            found = protocol.items(frame, source, node)
            return _iterator(frame, Sequence(tuple(found[k] for k in _known_places(frame, places, node))), "islice")
        return iterators.made(frame, "map", (Partial(Static(operator.getitem), (source,)), places))
    container_methods.in_language(frame, "require_slice", [start, stop, step], node)
    given = {"items": source, "start": start, "stop": Static(iteration.NEVER) if stop == NONE else stop, "step": step}
    return written_generators.called(frame, "islice", given, node)


def _known_places(frame: Frame, places: Value, node: gast.AST) -> list[int]:
    return [protocol.known(frame, place, node) for place in protocol.items(frame, places, node)]


def _can_be_indexed(frame: Frame, value: Value) -> bool:
    held = frame.held(value)
    if isinstance(held, Static):
        return isinstance(held.value, tuple | list | str)
    return isinstance(held, Sequence | Range | Rows | Text) or forms.grows(frame, value) or frame.is_array(value)


def tee(frame: Frame, args, kwargs, node, hint) -> Value:
    """So many iterators over what can be gone over again; what an iterator gives is gone."""
    if iterators.iterator(frame, args[0]) is not None:
        frame.fault("U018", "`tee` of an iterator is not in the language", node, "called here",
                    ("go over a list of its items: `tee(list(...))`",))  # fmt: skip
    count = protocol.known(frame, args[1] if len(args) > 1 else Static(2), node, "how many iterators there are")
    (source,) = _given(frame, args[:1], node)
    return Sequence(tuple(_iterator(frame, source, "_tee") for _ in range(count)))


def zip_longest(frame: Frame, args, kwargs, node, hint) -> Value:
    values = _given(frame, args, node)
    fill = kwargs.get("fillvalue", NONE)
    if _is_known(frame, values):
        items = [protocol.items(frame, value, node) for value in values]
        return _tuples(frame, itertools.zip_longest(*items, fillvalue=fill), "zip_longest")
    columns = [v if _can_be_indexed(frame, v) else container_methods.in_language(frame, "listed", [v], node)
               for v in values]  # fmt: skip
    given = [Sequence(tuple(columns)), fill]
    return _iterator(frame, container_methods.in_language(frame, "side_by_side", given, node), "zip_longest")


FUNCTIONS: dict[Any, tuple[int, int, Known]] = {
    itertools.product: (0, 10**9, product), itertools.chain: (0, 10**9, chain),
    itertools.chain.from_iterable: (1, 1, chain_of_items), itertools.pairwise: (1, 1, pairwise),
    itertools.combinations: (1, 2, _choosing("combinations", itertools.combinations, "pairs_chosen")),
    itertools.combinations_with_replacement: (1, 2, _choosing(
        "combinations_with_replacement", itertools.combinations_with_replacement, "pairs_chosen_again")),
    itertools.permutations: (1, 2, _choosing("permutations", itertools.permutations, "pairs_in_order")),
    itertools.count: (0, 2, count), itertools.repeat: (1, 2, repeat), itertools.accumulate: (1, 2, accumulate),
    itertools.filterfalse: (2, 2, _written("filterfalse", "test", "items")),
    itertools.takewhile: (2, 2, _written("takewhile", "test", "items")),
    itertools.dropwhile: (2, 2, _written("dropwhile", "test", "items")),
    itertools.starmap: (2, 2, _written("starmap", "function", "items")),
    itertools.cycle: (1, 1, cycle), itertools.compress: (0, 2, compress),
    itertools.groupby: (1, 2, groupby), itertools.islice: (2, 4, islice),
    itertools.zip_longest: (0, 10**9, zip_longest), itertools.tee: (1, 2, tee),
}  # fmt: skip
