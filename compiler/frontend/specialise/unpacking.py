"""Items taken out of what has a length of the run: it is tested there, as Python tests it.

    a, b = v            ->    if len(v) < 2: raise ValueError(...); if len(v) > 2: raise ...; a = v[0]; b = v[1]
    first, *more = v    ->    if len(v) < 1: raise ValueError(...); first = v[0]; more = [v[1], ...]
    f(*v)               ->    if len(v) != 3: raise TypeError(...); f(v[0], v[1], v[2])     for an `f` of three
"""

from __future__ import annotations

import types as python_types
from typing import Any

import gast

from ... import syntax
from . import (
    builtin_calls,
    classes,
    container_methods,
    containers,
    evaluate,
    execute,
    generator_expressions,
    iteration,
    one_of,
    tuples,
)
from .frame import Frame
from .limits import limit
from .record_classes import is_namedtuple_class
from .values import Bound, Closure, Iterator, OneOf, Partial, Record, Rows, Sequence, Static, Table, Value


def unpack(frame: Frame, elements: list[gast.expr], value: Value, node: gast.AST) -> None:
    """`a, *b, c = value`."""
    if isinstance(value, OneOf):
        one_of.of_cases(frame, value, one_of.done(lambda case: unpack(frame, elements, case, node)), node)
        return
    source = classes.iterable(frame, value, node)
    stars = [i for i, e in enumerate(elements) if isinstance(e, gast.Starred)]
    is_open = iteration.length_now(frame, source) is not None
    if is_open:
        items = open_items(frame, elements, stars, source, node)
    else:
        items = iteration.static_items(frame, source, node)
    if stars:
        first, after = stars[0], len(elements) - stars[0] - 1
        if not is_open and len(items) >= len(elements) - 1:
            middle = containers.new_list(frame, items[first : len(items) - after])
            items = [*items[:first], middle, *items[len(items) - after :]]
        if is_open or len(items) == len(elements):
            elements = [*elements[:first], elements[first].value, *elements[first + 1 :]]
    if len(items) != len(elements):
        few = "not enough values to unpack" if len(items) < len(elements) else "too many values to unpack"
        frame.fault("S003", f"{few} (expected {len(elements)}, got {len(items)})", node, "unpacked here")
    for element, item in zip(elements, items, strict=True):
        execute.bind(frame, element, item, node)


def open_items(frame: Frame, elements: list[gast.expr], stars: list[int], value: Value, node: gast.AST) -> list[Value]:
    """The items of what has a length of the run, those under a star in a list."""
    found = iteration.length_of_iterable(frame, value, node)
    needed = len(elements) - len(stars)
    expected = f"at least {needed}" if stars else str(needed)
    few = f"not enough values to unpack (expected {expected}, got {{}})"
    require(frame, "less", found, needed, "ValueError", few, node, [found])
    if not stars:
        text = f"too many values to unpack (expected {needed})"
        require(frame, "greater", found, needed, "ValueError", text, node, [])
        return [iteration.item_at(frame, value, Static(k), node) for k in range(needed)]
    first, after = stars[0], needed - stars[0]
    front = [iteration.item_at(frame, value, Static(k), node) for k in range(first)]
    bounds = [Static(first), Static(after)]
    middle = container_methods.in_language(frame, "between", [value, *bounds], node)
    places = [evaluate.binary(frame, gast.Sub, found, Static(k), node) for k in range(after, 0, -1)]
    return [*front, middle, *(iteration.item_at(frame, value, place, node) for place in places)]


def require(
    frame: Frame, operator: str, found: Value, wanted: int, exception: str, text: str, node: Any, shown: list[Value]
) -> None:
    """An error where a length is less, greater or another than it has to be."""
    error = syntax.raise_(exception, text, *(frame.atom(v, node) for v in shown), span=frame.here(node))
    wrong = frame.emit(operator, found, Static(wanted), node=node)
    frame.builder.append(syntax.if_(frame.atom(wrong, node), [error]))


def arguments(frame: Frame, function: Value, node: gast.Call) -> list[Value]:
    """The arguments of a call without names; those behind a star are as many as the function takes."""
    given: list[Any] = []
    for element in node.args:
        if not isinstance(element, gast.Starred):
            takes_all = isinstance(element, gast.GeneratorExp) and _takes_all(frame, function)
            given.append([(generator_expressions.all_of if takes_all else evaluate.evaluate)(frame, element)])
            continue
        spread = classes.iterable(frame, generator_expressions.all_of(frame, element.value), element)
        is_open = iteration.length_now(frame, spread) is not None
        given.append(spread if is_open else iteration.static_items(frame, spread, element))
    unknown = [k for k, part in enumerate(given) if not isinstance(part, list)]
    if not unknown:
        return [value for part in given for value in part]
    names = parameters(frame, function)
    if names is None or len(unknown) > 1:
        frame.needs_static(given[unknown[0]], "the number of items", node)
    others = sum(len(part) for part in given if isinstance(part, list))
    by_name = sum(keyword.arg in names for keyword in node.keywords)
    count, source = len(names) - others - by_name, given[unknown[0]]
    found = iteration.length_of_iterable(frame, source, node)
    total = evaluate.binary(frame, gast.Add, found, Static(others), node)
    text = f"the function takes {len(names) - by_name} positional arguments but {{}} were given"
    require(frame, "not_equal", found, count, "TypeError", text, node, [total])
    given[unknown[0]] = [iteration.item_at(frame, source, Static(k), node) for k in range(count)]
    return [value for part in given for value in part]


def transposed(frame: Frame, function: Value, node: gast.Call) -> Value | None:
    """`zip(*rows)` of a list of tuples that grew: a list for each place in them; None for any other call."""
    if function != Static(zip) or len(node.args) != 1 or not isinstance(node.args[0], gast.Starred):
        return None
    place = node.args[0].value
    if not isinstance(place, gast.Name):
        return None
    rows = evaluate.evaluate(frame, place)
    held = frame.held(rows)
    item = held.item if isinstance(held, Table | Rows) else None
    if not isinstance(item, Sequence) and not (isinstance(item, Record) and item.is_tuple):
        return None
    empty = frame.emit("equal", iteration.length_of_iterable(frame, rows, node), Static(0), node=node)
    error = limit("ValueError", NO_COLUMNS, span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(empty, node), [error]))
    places = range(len(item.items))
    columns = [container_methods.in_language(frame, "column", [rows, Static(k)], node) for k in places]
    kept = tuple(tuples.made(frame, column, node) for column in columns)
    return frame.new(Iterator(Sequence(kept), kind="zip"), "iterator")


NO_COLUMNS = "zip(*rows) of no rows: compiled code takes it to have as many columns as a row would have"


def _takes_all(frame: Frame, function: Value) -> bool:
    """Whether a function takes all items of a generator expression at once, so that a list of them does as well."""
    match function:
        case Bound(receiver=receiver):
            return containers.is_container(frame, receiver) or isinstance(receiver, Static)
        case Static(value=value) if isinstance(value, python_types.BuiltinFunctionType | type):
            return value in builtin_calls.BUILTINS and value not in builtin_calls.ITERATORS_THEMSELVES
    return False


def parameters(frame: Frame, function: Value) -> list[str] | None:
    """The parameters that a function takes, each of which it needs; None where their number is not fixed."""
    match function:
        case Partial(function=inner, args=args, named=named):
            names = parameters(frame, inner)
            return None if names is None else [n for n in names[len(args) :] if n not in dict(named)]
        case Closure(node=node, defaults=()) if node.args.vararg is None:
            return [a.id for a in (*node.args.posonlyargs, *node.args.args)]
        case Static(value=value):
            python = getattr(getattr(value, "__pellucid__", None), "python", value)
            if is_namedtuple_class(python):
                return None if python._field_defaults else list(python._fields)
            if isinstance(python, type) and isinstance(vars(python).get("__init__"), python_types.FunctionType):
                taken = parameters(frame, Static(vars(python)["__init__"]))
                return None if taken is None else taken[1:]
            if isinstance(python, python_types.FunctionType) and not python.__defaults__:
                code = python.__code__
                return None if code.co_flags & 0x04 else list(code.co_varnames[: code.co_argcount])
    return None
