"""Iterators are consumed: an item taken from one is gone under all of its names.

    z = zip(x, y)         ->     an object that holds the iterable, and how many items are consumed
    first = next(z)       ->     its item at the present position; one more is consumed
    for a, b in z: ...    ->     a loop over the rest, after which nothing is left
"""

from __future__ import annotations

from types import GeneratorType

import gast

from .... import syntax
from ...source.located import located
from .. import protocol
from ..frame import Frame
from ..functions import map_effects
from ..interpreter import branches, choices, comprehensions, loops
from ..iterables import DictView, Enumerate, GeneratorCall, Iteration, Iterator, Map, Range, Rest, Reversed, Zip
from ..library import written_generators
from ..library.static_python import stop
from ..objects.object_changes import change
from ..values import Conflict, Mapping_, OneOf, Ref, Sequence, Static, Value
from . import equality, generators, iterations

FROM_THE_START = Static(0)
NOTHING_LEFT = Sequence(())  # an exhausted iterator iterates over this, however long its list becomes
TAKEN = Conflict("what is left", "what another has")  # nothing may read this iterator any more


def made(frame: Frame, kind: type[Iteration], parts: tuple[Value, ...], start: Value = FROM_THE_START) -> Ref:
    """A new iterator of one of Python's kinds."""
    return frame.new(Iterator(kind(parts, start), kind=kind.kind), "iterator")


def as_iterator(frame: Frame, value: Value) -> Ref | None:
    """The object that an iterator is; None for any other value."""
    return value if type(value) is Ref and type(frame.held(value)) is Iterator else None


def rest(frame: Frame, value: Ref, node: gast.AST) -> Value:
    """The rest of an iterator."""
    held = protocol.held_as(frame, value, Iterator)
    if isinstance(held.source, Conflict | OneOf) or not isinstance(held.position, Static):
        why = "a branch or loop takes items of it or may leave it in the middle, or another iterator goes over it"
        frame.fault("R003", f"what this `{held.kind}` has left is not known: {why}", node, "used here",
                    ("make a list of its items first: `list(...)`",))  # fmt: skip
    return held.source if held.position == FROM_THE_START else Rest((held.source,), held.position)


def left_of(frame: Frame, value: Value, node: gast.AST, behind: Value = NOTHING_LEFT) -> Value:
    """The rest of an iterator, which from here on iterates over something else; any other value as it is."""
    if (source := as_iterator(frame, value)) is None:
        return value
    left = rest(frame, source, node)
    change(frame, source, Iterator(behind, FROM_THE_START, frame.describe(source)), node)
    return left


def taken(frame: Frame, value: Value, node: gast.AST) -> Value:
    """The same, where all items are consumed before anything else happens."""
    left = left_of(frame, value, node)
    return _with_lists(frame, left, node)


def _with_lists(frame: Frame, value: Value, node: gast.AST) -> Value:
    """The iterable, with a list instead of each generator."""
    if isinstance(value, GeneratorCall):
        return generators.listed(frame, value, node)
    is_one = generators.is_one(value)
    if not is_one and not map_effects.are_in_turn(frame, value, node):
        return value
    if not isinstance(value, Iteration) or not is_one or generators.leads(value):
        return comprehensions.looped(frame, _each(node), source=value)
    parts = []
    for part in value.parts:
        if isinstance(part, GeneratorCall):
            generators.require_end(frame, part, node)
        parts.append(_with_lists(frame, part, node))
    return type(value)(tuple(parts), value.start)


def _each(node: gast.AST) -> gast.GeneratorExp:
    """`(item for item in ...)`, over an iterable that is evaluated already."""
    item = f"item{branches.VALUE}"
    each = gast.comprehension(syntax.target(item), gast.Tuple([], gast.Load()), [], 0)
    return located(gast.GeneratorExp(syntax.name(item), [each]), node)


def taken_in_part(frame: Frame, value: Value, node: gast.AST) -> Value:
    """The same, where the number of consumed items is dynamic: nothing may ask for more."""
    source = as_iterator(frame, value)
    if source is not None and map_effects.has_effects(frame, rest(frame, source, node), node):
        message = "a function changes something here for each item, and how many are looked at is known when it runs"
        frame.fault("U018", message, node, "looked at here", ("write a loop with `break`",))
    return _with_lists(frame, taken_over(frame, value, node), node)


def taken_over(frame: Frame, value: Value, node: gast.AST) -> Value:
    """The rest of an iterator, for another one to iterate over: nothing may read this one again."""
    return left_of(frame, value, node, TAKEN)


def next_item(frame: Frame, value: Ref, default: Value | None, node: gast.AST, hint: str) -> Value:
    """`next(value)`, `next(value, default)`."""
    rest(frame, value, node)  # raises where it cannot be read
    held = protocol.held_as(frame, value, Iterator)
    if generators.is_one(held.source):
        return _first_of_generator(frame, value, default, node, hint)
    count = protocol.length(frame, held.source, node)
    ended = choices.compare(frame, gast.GtE, held.position, count, node)
    most = protocol.most_items(frame, held.source, node)
    is_behind = most is not None and protocol.known(frame, held.position, node) >= most
    if ended == Static(True) or is_behind:
        if default is None:
            stop(frame, "StopIteration", "", node)
        return default
    if ended == Static(False):
        return _step(frame, value, node)
    if default is None:
        error = syntax.raise_("StopIteration", "", span=frame.here(node))
        frame.builder.append(syntax.if_(frame.atom(ended, node), [error]))
        return _step(frame, value, node)
    none_left = branches.walk(frame, lambda: default)
    one = branches.walk(frame, lambda: _step(frame, value, node))
    return branches.choose(frame, frame.atom(ended, node), none_left, one, node, hint)


def _first_of_generator(frame: Frame, value: Ref, default: Value | None, node: gast.AST, hint: str) -> Value:
    """The first item; nothing may ask for more, as the generator would have to resume there."""
    return comprehensions.first_of(frame, _each(node), default, hint, taken_over(frame, value, node))


def _step(frame: Frame, value: Ref, node: gast.AST) -> Value:
    """Consume the next item."""
    held = protocol.held_as(frame, value, Iterator)
    found = protocol.item(frame, held.source, held.position, node)
    position = protocol.known(frame, held.position, node)  # as `rest` found
    change(frame, value, Iterator(held.source, Static(position + 1), held.kind), node)
    return found


# --- loops -----------------------------------------------------------------------------------------------------------


def for_loop(frame: Frame, node: gast.For, value: Value) -> None:
    """A loop over a value of any kind; nothing else may read an iterator during the loop, or after a `break`."""
    left = taken_over(frame, value, node.iter)
    if generators.is_one(left):
        generators.of_items(frame, node, left)
    else:
        loops.for_items(frame, node, left)
    if (source := as_iterator(frame, value)) is not None and loops.stop_flag(node)[0] is None:
        change(frame, source, Iterator(NOTHING_LEFT, FROM_THE_START, frame.describe(source)), node)


class Items:
    """The remaining items of an unrolled loop, read from a list on demand as in Python."""

    def __init__(self, frame: Frame, iterable: Value, node: gast.For) -> None:
        self.iterable, self.node, self.position = iterable, node, 0
        self.count = self._now(frame)
        iterations.check_lengths(frame, iterable, self.count, node)

    def _now(self, frame: Frame) -> int:
        loops.check_still_known(frame, self.iterable)
        return protocol.count(frame, self.iterable, self.node)

    def next(self, frame: Frame) -> Value | None:
        """The next item, None at the end."""
        count = self._now(frame)
        if count != self.count:
            self._check_size(frame)
        self.count = count
        if self.position >= count:
            return None
        self.position += 1
        return protocol.item_of_unrolled(frame, self.iterable, self.position - 1, self.node)

    def _check_size(self, frame: Frame) -> None:
        held = frame.held(self.iterable)
        is_view = isinstance(held, DictView)
        if is_view or isinstance(held, Mapping_):
            stop(frame, "RuntimeError", "dictionary changed size during iteration", self.node)
        if not isinstance(self.iterable, Ref):
            loops.changed_while_looped(frame, self.node)


# --- Python's functions ----------------------------------------------------------------------------------------------


def of_zip(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    parts = tuple(taken_over(frame, a, node) for a in args)
    if not parts:
        return frame.new(Iterator(Sequence(()), kind="zip"), "iterator")
    if protocol.known(frame, kwargs.get("strict", Static(False)), node, "`strict`"):
        require_equal_lengths(frame, parts, node)
    return made(frame, Zip, parts)


def require_equal_lengths(frame: Frame, parts: tuple[Value, ...], node: gast.AST) -> None:
    """`zip(..., strict=True)`: the error that Python raises after the last common item is raised before the first."""
    lengths = [protocol.length(frame, part, node) for part in parts]
    for number, length in enumerate(lengths[1:], 2):
        others = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
        for op, word in ((gast.Lt, "shorter"), (gast.Gt, "longer")):
            differs = choices.compare(frame, op, length, lengths[0], node)
            text = f"zip() argument {number} is {word} than {others}"
            if differs == Static(True):
                stop(frame, "ValueError", text, node)
            if differs != Static(False):
                error = syntax.raise_("ValueError", text, span=frame.here(node))
                frame.builder.append(syntax.if_(frame.atom(differs, node), [error]))


def of_enumerate(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    start = kwargs.get("start", args[1] if len(args) > 1 else Static(0))
    return made(frame, Enumerate, (taken_over(frame, args[0], node),), start)


def of_reversed(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    if as_iterator(frame, args[0]) is not None:
        kind = frame.describe(args[0])
        frame.fault("T001", f"'{kind}' object is not reversible", node, "called here",
                    ("make a list of it first: `list(...)`",))  # fmt: skip
    return made(frame, Reversed, (args[0],), protocol.length(frame, args[0], node))


def of_map(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    function, *values = args
    return made(frame, Map, (function, *(taken_over(frame, v, node) for v in values)))


def of_filter(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    test, items = args
    given = {"test": Static(bool) if test == Static(None) else test, "items": taken_over(frame, items, node)}
    return written_generators.called(frame, "filter", given, node)


def of_iter(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    (value,) = args
    if as_iterator(frame, value) is not None:
        return value
    protocol.length(frame, value, node)  # raises for what has no items
    return frame.new(Iterator(value), "iterator")


def of_next(frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST, hint: str) -> Value:
    value, *default = args
    if (source := as_iterator(frame, value)) is None:
        frame.fault("T001", f"'{frame.describe(value)}' object is not an iterator", node, "called here",
                    ("make one: `iter(...)`",))  # fmt: skip
    return next_item(frame, source, default[0] if default else None, node, hint)


# --- what can be done with them --------------------------------------------------------------------------------------

CLASSES = {cls.__name__: cls for cls in (zip, enumerate, reversed, map, filter, GeneratorType)}


@protocol.truth.of(Iterator)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return Static(True)


@protocol.python_class.of(Iterator)
def _(frame: Frame, value: Value) -> type | None:
    return CLASSES.get(protocol.held_as(frame, value, Iterator).kind)


@protocol.describe.of(Iterator)
def _(frame: Frame, value: Value) -> str:
    return protocol.held_as(frame, value, Iterator).kind


@protocol.load.of(Iterator)
def _(frame: Frame, base: Value, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    iterations.refuse_items(frame, base, node)


@protocol.is_container.of(Iterator)
def _(frame: Frame, value: Value) -> bool:
    return True


@protocol.member.of(Iterator, GeneratorCall, Range)
def _(frame: Frame, container: Value, item: Value, node: gast.AST, hint: str = "t") -> Value:
    return member_of_taken(frame, container, item, node, hint)


def member_of_taken(frame: Frame, source: Value, item: Value, node: gast.AST, hint: str) -> Value:
    """`item in source`, which consumes items until it finds this one."""
    taken = taken_in_part(frame, source, node)
    if isinstance(frame.held(taken), Iteration | Range):
        return equality.is_any(frame, item, protocol.items(frame, taken, node), node, hint)
    return protocol.member(frame, taken, item, node, hint)
