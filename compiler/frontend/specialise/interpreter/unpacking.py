"""Items taken out of what has a dynamic length: a runtime check tests it, as Python does.

    a, b = v            ->    if len(v) < 2: raise ValueError(...); if len(v) > 2: raise ...; a = v[0]; b = v[1]
    first, *more = v    ->    if len(v) < 1: raise ValueError(...); first = v[0]; more = [v[1], ...]
    f(*v)               ->    if len(v) != 3: raise TypeError(...); f(v[0], v[1], v[2])     for an `f` of three
                              ... f(v[0], v[1], v[2] if len(v) > 2 else 0.5)                if the third has a default
"""

from __future__ import annotations

import inspect
import types as python_types
from typing import Any

import gast

from .... import syntax
from .. import protocol
from ..frame import Frame
from ..functional import Bound, Closure, Partial
from ..iterables import Iterator
from ..kinds import classes, container_methods, containers, generator_expressions, tuples
from ..kinds.record_classes import is_namedtuple_class
from ..library import builtin_calls
from ..limits import limit
from ..values import Record, Rows, Sequence, Static, Table, Value
from ..world import outside
from . import branches, evaluate, execute


@protocol.lifted()
def unpack(frame: Frame, value: Value, elements: list[gast.expr], node: gast.AST) -> None:
    """`a, *b, c = value`."""
    source = classes.iterable(frame, value, node)
    stars = [i for i, e in enumerate(elements) if isinstance(e, gast.Starred)]
    is_open = protocol.of_dynamic_length(frame, source) is not None
    if is_open:
        items = open_items(frame, elements, stars, source, node)
    else:
        items = protocol.items(frame, source, node)
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
    """The items of what has a dynamic length, with those under a star in a list."""
    found = protocol.length(frame, value, node)
    needed = len(elements) - len(stars)
    expected = f"at least {needed}" if stars else str(needed)
    few = f"not enough values to unpack (expected {expected}, got {{}})"
    require(frame, "less", found, needed, "ValueError", few, node, [found])
    if not stars:
        text = f"too many values to unpack (expected {needed})"
        require(frame, "greater", found, needed, "ValueError", text, node, [])
        return [protocol.item(frame, value, Static(k), node) for k in range(needed)]
    first, after = stars[0], needed - stars[0]
    front = [protocol.item(frame, value, Static(k), node) for k in range(first)]
    bounds = [Static(first), Static(after)]
    middle = container_methods.in_language(frame, "between", [value, *bounds], node)
    places = [evaluate.binary(frame, gast.Sub, found, Static(k), node) for k in range(after, 0, -1)]
    return [*front, middle, *(protocol.item(frame, value, place, node) for place in places)]


def require(
    frame: Frame, operator: str, found: Value, wanted: int, exception: str, text: str, node: Any, shown: list[Value]
) -> None:
    """A runtime check: an error where a length is less than, greater than or different from what it has to be."""
    error = syntax.raise_(exception, text, *(frame.atom(v, node) for v in shown), span=frame.here(node))
    wrong = frame.emit(operator, found, Static(wanted), node=node)
    frame.builder.append(syntax.if_(frame.atom(wrong, node), [error]))


def arguments(frame: Frame, function: Value, node: gast.Call) -> list[Value]:
    """The positional arguments of a call; a star supplies as many as the function takes."""
    given: list[Any] = []
    for element in node.args:
        if not isinstance(element, gast.Starred):
            takes_all = isinstance(element, gast.GeneratorExp) and _takes_all(frame, function)
            given.append([(generator_expressions.all_of if takes_all else evaluate.evaluate)(frame, element)])
            continue
        spread = classes.iterable(frame, generator_expressions.all_of(frame, element.value), element)
        is_open = protocol.of_dynamic_length(frame, spread) is not None
        given.append(spread if is_open else protocol.items(frame, spread, element))
    unknown = [k for k, part in enumerate(given) if not isinstance(part, list)]
    if not unknown:
        return [value for part in given for value in part]
    taken = parameters(frame, function, node)
    if taken is None or len(unknown) > 1:
        frame.needs_static(given[unknown[0]], "the number of items", node)
    others = sum(len(part) for part in given if isinstance(part, list))
    by_name = [keyword.arg for keyword in node.keywords if keyword.arg in taken]
    source, is_last = given[unknown[0]], unknown[0] == len(given) - 1
    taken = {name: default for name, default in taken.items() if name not in by_name}
    given[unknown[0]] = _spread(frame, source, taken, others, is_last, node)
    return [value for part in given for value in part]


def _spread(
    frame: Frame, source: Value, taken: dict[str, Value | None], others: int, is_last: bool, node: gast.Call
) -> list[Value]:
    """The items of a starred argument, for parameters of which some may have a default."""
    found = protocol.length(frame, source, node)
    total = evaluate.binary(frame, gast.Add, found, Static(others), node)
    needed, most = sum(default is None for default in taken.values()), len(taken)
    count = str(most) if needed == most else f"from {needed} to {most}"
    text = f"the function takes {count} positional arguments but {{}} were given"
    if needed == most:
        require(frame, "not_equal", total, most, "TypeError", text, node, [total])
    else:
        require(frame, "less", total, needed, "TypeError", text, node, [total])
        require(frame, "greater", total, most, "TypeError", text, node, [total])
    if needed < most and not is_last:  # what follows the star would go to another parameter
        short = frame.emit("less", total, Static(most), node=node)
        frame.builder.append(syntax.if_(frame.atom(short, node), [limit("TypeError", FEWER, span=frame.here(node))]))
    sure = max(needed - others, 0) if is_last else most - others
    items = [protocol.item(frame, source, Static(k), node) for k in range(sure)]
    defaults = list(taken.values())[others + sure :] if is_last else []
    for k, default in enumerate(defaults, sure):
        is_given = frame.emit("greater", found, Static(k), node=node)
        assert default is not None
        item = branches.walk(frame, lambda: protocol.item(frame, source, Static(k), node), None)  # noqa: B023
        other = branches.as_it_is(frame, default)
        items.append(branches.choose(frame, frame.atom(is_given, node), item, other, node, "given"))
    return items


FEWER = "f(*v, x) of an f with defaults: compiled code takes v to have an item for every parameter in front of x"


def transposed(frame: Frame, function: Value, node: gast.Call) -> Value | None:
    """`zip(*rows)` of a list of tuples that grew: a list for each position in them; None for any other call."""
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
    empty = frame.emit("equal", protocol.length(frame, rows, node), Static(0), node=node)
    error = limit("ValueError", NO_COLUMNS, span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(empty, node), [error]))
    places = range(len(item.items))
    columns = [container_methods.in_language(frame, "column", [rows, Static(k)], node) for k in places]
    kept = tuple(tuples.made(frame, column, node) for column in columns)
    return frame.new(Iterator(Sequence(kept), kind="zip"), "iterator")


NO_COLUMNS = "zip(*rows) of no rows: compiled code takes it to have as many columns as a row would have"


def _takes_all(frame: Frame, function: Value) -> bool:
    """Whether a function takes all items of a generator expression at once, so that a list of them serves as well."""
    match function:
        case Bound(receiver=receiver):
            return protocol.is_container(frame, receiver) or isinstance(receiver, Static)
        case Static(value=value) if isinstance(value, python_types.BuiltinFunctionType | type):
            return value in builtin_calls.BUILTINS and value not in builtin_calls.ITERATORS_THEMSELVES
    return False


def parameters(frame: Frame, function: Value, node: gast.AST) -> dict[str, Value | None] | None:
    """The parameters that a function takes with their defaults, None where it has none; None if it takes any number."""
    match function:
        case Partial(function=inner, args=args, named=named):
            taken = parameters(frame, inner, node)
            rest = None if taken is None else list(taken.items())[len(args) :]
            return None if rest is None else {name: value for name, value in rest if name not in dict(named)}
        case Closure(node=tree, defaults=defaults) if tree.args.vararg is None:
            return _with_defaults([a.id for a in (*tree.args.posonlyargs, *tree.args.args)], list(defaults))
        case Static(value=value):
            python = getattr(getattr(value, "__pellucid__", None), "python", value)
            if is_namedtuple_class(python):
                return _of_python(frame, python.__new__, 1, node)
            if isinstance(python, type) and isinstance(vars(python).get("__init__"), python_types.FunctionType):
                return _of_python(frame, vars(python)["__init__"], 1, node)
            if isinstance(python, python_types.FunctionType):
                return _of_python(frame, python, 0, node)
    return None


def _of_python(frame: Frame, function: Any, first: int, node: gast.AST) -> dict[str, Value | None] | None:
    code = function.__code__
    if code.co_flags & inspect.CO_VARARGS:
        return None
    names = list(code.co_varnames[: code.co_argcount])
    return _with_defaults(names[first:], outside.defaults(frame, function, names, (), node))


def _with_defaults(names: list[str], defaults: list[Value]) -> dict[str, Value | None]:
    missing: list[Value | None] = [None] * (len(names) - len(defaults))
    return dict(zip(names, [*missing, *defaults], strict=True))
