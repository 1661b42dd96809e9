"""Comprehensions and generator expressions: unrolled over what is known now, else loops.

    [v * v for v in (a, b)]            ->     a list of two items
    [v * v for v in x if v > 0.0]      ->     items = []
                                              for v in x:
                                                  if v > 0.0: items.append(v * v)
    any(v > 1.0 for v in x)            ->     the loop that ends at the first one: later items are not looked at

A generator expression is consumed where it is written, so the values are those that Python's would yield.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import gast

from .... import syntax
from ....analysis import core_liveness
from ...source.located import located
from .. import protocol
from ..frame import Frame
from ..iterables import Range
from ..kinds import classes, containers, forms, iterators, keyed, sets, tables
from ..library.static_python import stop
from ..objects import shared_items
from ..objects.heap import as_object
from ..values import OneOf, Optional, Ref, Static, Value
from . import branches, evaluate, execute, long_lists, loops
from .trial import attempt

PASSING = "t"  # the hint for a value that no variable gets


class _OnlyAtRunTime(Exception):
    """How many items a comprehension has is not known now."""


def listed(frame: Frame, node: gast.ListComp | gast.GeneratorExp, hint: str = PASSING) -> Ref:
    """A new list of the items."""
    before = frame.built
    item = lambda: evaluate.evaluate(frame, node.elt)  # noqa: E731
    try:
        items = _unrolled_or_none(frame, node, item, long_lists.measured(frame, node))
    except long_lists.TooLong:
        frame.built = before
        made = long_lists.by_loop(frame, node, lambda: looped(frame, node, hint))
        if made is not None:
            return made
        frame.built = before
        items = _unrolled_or_none(frame, node, item)
    return looped(frame, node, hint) if items is None else containers.new_list(frame, items)


def looped(
    frame: Frame, node: gast.ListComp | gast.GeneratorExp, hint: str = PASSING, source: Value | None = None
) -> Ref:
    """The same by a loop that appends them, over `source` where the first iterable is already evaluated."""
    wish = "items" if hint == PASSING else hint
    name = branches.hidden(frame, wish, _new_list(frame, node, wish))
    append = gast.Expr(syntax_call(gast.Attribute(syntax.name(name), "append", gast.Load()), node.elt))
    _loop(frame, node, append, source=source)
    return as_object(frame.variables.pop(name))


def _new_list(frame: Frame, node: gast.ListComp | gast.GeneratorExp, wish: str) -> Ref:
    """The empty list: one that grows already, where it takes over items of another."""
    source = shared_items.used_up_by(frame, node)
    form = None if source is None else forms.form_of_items(frame, frame.held(source))
    if source is None or form is None or isinstance(form, Optional | OneOf):  # the tests may say which of them it takes
        return containers.new_list(frame, (), wish)
    made = frame.new(tables.new(frame, form, node, wish), wish)
    frame.builder.taken_over[made.number] = source.number
    return made


def dictionary(frame: Frame, node: gast.DictComp, hint: str = "entries") -> Value:
    """A new dict."""

    def entry() -> tuple[Value, Value]:
        return evaluate.evaluate(frame, node.key), evaluate.evaluate(frame, node.value)

    pairs = _unrolled_or_none(frame, node, entry)
    if pairs is not None:
        return keyed.dict_of_pairs(frame, pairs, node)
    name = branches.hidden(frame, hint, keyed.new_dict(frame, {}, node))
    place = gast.Subscript(syntax.name(name), node.key, gast.Store())
    _loop(frame, node, gast.copy_location(gast.Assign([place], node.value, None), node))
    return frame.variables.pop(name)


def set_of_items(frame: Frame, node: gast.SetComp, hint: str = "items") -> Value:
    """A new set."""
    items = _unrolled_or_none(frame, node, lambda: evaluate.evaluate(frame, node.elt))
    if items is not None:
        return sets.new_set(frame, items, node)
    name = branches.hidden(frame, hint, sets.new_set(frame, [], node))
    _loop(frame, node, gast.Expr(syntax_call(gast.Attribute(syntax.name(name), "add", gast.Load()), node.elt)))
    return frame.variables.pop(name)


def quantified(frame: Frame, node: gast.GeneratorExp, stop: bool) -> Value:
    """`any(...)` (stop: True) and `all(...)`: nothing is evaluated after the first item that decides."""
    name = branches.hidden(frame, "found", Static(False))
    decided = _assign(name, syntax.constant(True), node)
    chosen = gast.If(node.elt if stop else gast.UnaryOp(gast.Not(), node.elt), [decided], [])
    _loop(frame, node, chosen, until=name)
    found = frame.variables.pop(name)
    return found if stop else evaluate.unary(frame, gast.Not, found, node)


def first_of(
    frame: Frame, node: gast.GeneratorExp, default: Value | None, hint: str = "t", source: Value | None = None
) -> Value:
    """`next(... for ... if ...)`: the first item, else the default, else StopIteration."""
    found = branches.hidden(frame, "found", Static(False))
    name = branches.hidden(frame, hint, default)
    taken = [_assign(name, node.elt, node), _assign(found, syntax.constant(True), node)]
    _loop(frame, node, *taken, until=found, source=source)
    if default is None:
        missing = evaluate.unary(frame, gast.Not, frame.variables[found], node)
        error = syntax.raise_("StopIteration", "", span=frame.here(node))
        if missing == Static(True):
            stop(frame, "StopIteration", "", node)
        if missing != Static(False):
            frame.builder.append(syntax.if_(frame.atom(missing, node), [error]))
        frame.variables.pop(evaluate.is_set(name), None)
    value = evaluate.read_name(frame, name, node)
    frame.variables.pop(found)
    frame.variables.pop(name)
    return value


# --- over what is known now ------------------------------------------------------------------------------------------


def _unrolled_or_none(
    frame: Frame, node: Any, make: Callable[[], Any], written: long_lists.Written | None = None
) -> list[Any] | None:  # fmt: skip
    """The items, where it is known now how many there are; else None, and nothing has happened.

    Raises TooLong where they are too many for what `written` measures.
    """
    return attempt(frame, lambda: _unrolled(frame, node.generators, make, written), _OnlyAtRunTime).result


def _unrolled(
    frame: Frame, generators: list[gast.comprehension], make: Callable[[], Any], written: long_lists.Written | None
) -> list[Any]:  # fmt: skip
    if not generators:
        made = make()
        if written is not None:
            written.add_item(made)
        return [made]
    first, *rest = generators
    source = classes.iterator_of(frame, evaluate.evaluate(frame, first.iter), first.iter)
    iterable = iterators.taken(frame, source, first.iter)
    if not is_unrolled(frame, iterable, first.iter):
        raise _OnlyAtRunTime
    own = list(core_liveness.targets(first.target))  # a comprehension's variables are its own; not those of `:=`
    kept = _set_aside(frame, own)
    result: list[Any] = []
    with _scope(frame) as scope:
        for item in protocol.items(frame, iterable, first.iter):
            execute.bind(frame, first.target, item, first.iter)
            scope.variables.update({name: frame.variables[name] for name in own if name in frame.variables})
            if _all_hold(frame, first.ifs):
                result += _unrolled(frame, rest, make, written)
    _put_back(frame, own, kept)
    return result


@contextlib.contextmanager
def _scope(frame: Frame) -> Iterator[Frame]:
    """A scope of the comprehension's own: functions that it makes see its variables, after it the last ones."""
    around = frame.scope
    frame.scope = Frame(
        frame.task, frame.builder, frame.source, frame.namespace, outer=around or frame, is_library=frame.is_library
    )
    try:
        yield frame.scope
    finally:
        frame.scope = around


def _all_hold(frame: Frame, tests: list[gast.expr]) -> bool:
    for test in tests:
        decided = protocol.truth(frame, evaluate.evaluate(frame, test), test)
        if not isinstance(decided, Static):
            raise _OnlyAtRunTime
        if not decided.value:
            return False
    return True


def is_unrolled(frame: Frame, iterable: Value, node: gast.AST) -> bool:
    """Whether a comprehension is unrolled: what it iterates over has a length that is known now and is not too long."""
    if isinstance(iterable, Range):
        bounds = [p.value for p in (iterable.start, iterable.stop, iterable.step) if isinstance(p, Static)]
        return len(bounds) == 3 and len(range(*bounds)) <= loops.UNROLL_LIMIT
    if protocol.has_known_length(frame, iterable) or protocol.is_unrolled(frame, iterable):
        return True
    protocol.length(frame, iterable, node)  # raises for what has no items
    return False


def _set_aside(frame: Frame, own: list[str]) -> dict[str, Value]:
    names = [*own, *map(evaluate.is_set, own)]
    return {name: frame.variables.pop(name) for name in names if name in frame.variables}


def _put_back(frame: Frame, own: list[str], kept: dict[str, Value]) -> None:
    _set_aside(frame, own)
    frame.variables.update(kept)


# --- loops -----------------------------------------------------------------------------------------------------------


def _loop(
    frame: Frame, node: Any, *innermost: gast.stmt, until: str | None = None, source: Value | None = None
) -> None:
    """Run statements for every item; with `until`, only until that variable is true."""
    first = node.generators[0]
    if source is None:
        source = classes.iterator_of(frame, evaluate.evaluate(frame, first.iter), first.iter)
    own = [name for generator in node.generators for name in core_liveness.targets(generator.target)]
    kept = _set_aside(frame, own)
    made = nested(node, list(innermost), until)
    table, node_before, span = frame.live_after, frame.node, frame.builder.span
    frame.live_after = {**table, **_liveness(frame, made)}
    loops.with_lists_that_grow(frame, made, lambda: iterators.for_loop(frame, made, source))
    frame.live_after, frame.node, frame.builder.span = table, node_before, span
    _put_back(frame, own, kept)


def nested(node: Any, body: list[gast.stmt], until: str | None) -> gast.For:
    """The `for` and `if` statements of which a comprehension is made."""
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = [gast.If(test, body, [])]
        if until is not None:
            body = [*body, gast.If(syntax.name(until), [gast.Break()], [])]
        loop = gast.For(generator.target, generator.iter, body, [], None)
        body = [loop]
    return located(loop, node)


def _liveness(frame: Frame, loop: gast.For) -> dict[int, frozenset[str]]:
    """What may be read after each iteration of the loops: everything but the variables that the loop sets itself."""
    table: dict[int, frozenset[str]] = {}
    everything = frozenset(frame.variables) | frozenset(core_liveness.reads(loop)) | core_liveness.assigned([loop])
    table[id(loop)] = everything
    around: gast.For | None = loop
    while around is not None:
        inner = next((s for s in core_liveness.statements(around.body) if isinstance(s, gast.For)), None)
        own = set(core_liveness.targets(around.target)) | core_liveness.assigned([] if inner is None else [inner])
        table[id(around.body[-1])] = everything - {name for name in own if not name.endswith(branches.VALUE)}
        around = inner
    return table


def _assign(name: str, value: gast.expr, node: gast.AST) -> gast.stmt:
    return gast.copy_location(gast.Assign([syntax.target(name)], value, None), node)


def syntax_call(function: gast.expr, *args: gast.expr) -> gast.Call:
    return gast.Call(function, list(args), [])
