"""Strings known only at run time: each is the number of one of the strings of the program.

    best = "lms" if c else "rls"     ->     best = 0 if c, 1 otherwise
    best == "rls"                    ->     best == 1
    len(best), "ACGT"[k]             ->     a look-up in a table, made once, over all strings or over all positions

Strings are numbered in the order in which they are met.  A table over all of them that was made before the last one was
met makes the walk start again (`sites.py`).  Operations that build longer strings (`+`, `join`) have no such table.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import gast

from .... import syntax
from ....builder import COMPARISONS
from ....dtypes import BOOL_WORD, FLOAT_WORD, INT_WORD
from ....messages import UNSHOWN
from ....types import Array, Scalar
from .. import protocol
from ..frame import Anew, Frame, NeedsStatic, Stopped
from ..interpreter import choices, evaluate, subscript
from ..library.static_python import computed
from ..limits import limit
from ..objects import sites
from ..values import Leaf, Rows, Sequence, Static, String, Value
from . import arrays, built_strings, containers, formatted, identity, known_numbers, rows
from .string_numbers import as_string, has_string, is_built, is_string, note, number_of

DTYPES = {bool: BOOL_WORD, int: INT_WORD, float: FLOAT_WORD}
# Methods that return numbers, or strings of which only finitely many can arise.
METHODS = frozenset("""
    upper lower strip startswith endswith isdigit isalpha isalnum isupper islower isspace find index count
""".split())
WAY_OUT = ("compare it, or choose where it is chosen: `if kind == ...:`",)


def require_none(frame: Frame, values: Iterable[Value], node: gast.AST) -> None:
    """Refuse dynamic strings where another program takes over, because it numbers its own strings."""
    if any(has_string(frame.tree(value)) for value in values):
        frame.fault("U018", "a string that is only known at run time cannot be passed to or from a derivative", node,
                    "passed here", ("choose what depends on it before the derivative is taken",))  # fmt: skip


# --- comparing -------------------------------------------------------------------------------------------------------


def compared(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str) -> Value:
    """A comparison of two strings."""
    if is_built(left) or is_built(right):
        one, other = built_strings.spelled(frame, left, node), built_strings.spelled(frame, right, node)
        return protocol.infix(frame, one, other, op, node, hint)
    first, second = as_string(frame, left), as_string(frame, right)
    if op in (gast.Eq, gast.NotEq):
        return choices.compare(frame, op, first.number, second.number, node, hint)
    places = [_place_in_order(frame, side, node) for side in (first, second)]
    return choices.compare(frame, op, places[0], places[1], node, hint)


@protocol.is_same.of(String, beside=(String, Static))
def _(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    if is_string(left) and is_string(right):
        identity.refuse(frame, node)
    return Static(False)


def _place_in_order(frame: Frame, text: String, node: gast.AST) -> Value:
    """The rank of a string among all strings of the program."""
    order = {one: place for place, one in enumerate(sorted(frame.task.learned.strings))}
    return looked_up(frame, text, order.__getitem__, node)


@protocol.truth.of(String)
def truth(frame: Frame, text: String, node: gast.AST) -> Value:
    return choices.compare(frame, gast.NotEq, text.number, as_string(frame, Static("")).number, node)


def part_of(frame: Frame, part: Value, whole: Value, node: gast.AST) -> Value:
    """`part in whole`, where one is a string that is known now."""
    if isinstance(whole, Static) and isinstance(part, String):
        return looked_up(frame, part, lambda text: text in whole.value, node)
    if isinstance(whole, String) and is_string(part) and isinstance(part, Static):
        return looked_up(frame, whole, lambda text: part.value in text, node)
    if is_string(whole) and is_string(part):
        return built_strings.part_of(frame, part, whole, node)
    return refuse(frame, "`in` a string that is only known at run time", node)


@protocol.infix.of(String, beside=(String, Static, Rows, Scalar, Array))
def infix(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    """`+` and comparisons of strings, where one of them is dynamic."""
    if op is gast.Add and is_string(left) and is_string(right):
        return built_strings.added(frame, left, right, node)
    if op in COMPARISONS and is_string(left) and is_string(right):
        return compared(frame, left, right, op, node, hint)
    for text, count in ((left, right), (right, left)):
        if op is gast.Mult and is_string(text) and frame.is_integer(count):
            if isinstance(text, Static):
                formatted.refuse(frame, count, node)
            built_strings.refuse(frame, "`*`", node)
    if op not in COMPARISONS and (isinstance(left, String) or isinstance(right, String)):
        refuse(frame, "a string made of one that is only known at run time", node)
    return protocol.infix.otherwise(frame, left, right, op, node, hint)


# --- tables ----------------------------------------------------------------------------------------------------------


def looked_up(frame: Frame, text: String, function: Callable[[str], Any], node: gast.AST, hint: str = "t") -> Value:
    """A function's result for a string: a number, or a string; what it raises for some strings, the program raises."""
    found = results(frame, function)
    fails = [isinstance(one, Exception) for one in found]
    for kind in dict.fromkeys(type(one) for one in found if isinstance(one, Exception)):
        _raise_where(frame, text, [type(one) is kind for one in found], kind, node)
    if all(fails):
        return Static(0)
    right = next(one for one in found if not isinstance(one, Exception))
    values = [right if failed else one for one, failed in zip(found, fails, strict=True)]
    if len(set(values)) == 1:
        return Static(values[0])
    if isinstance(right, str):
        numbers = tuple(Static(frame.task.learned.strings[one]) for one in values)
        return String(entry(frame, numbers, text.number, INT_WORD, node, hint))
    return entry(frame, tuple(map(Static, values)), text.number, DTYPES[type(right)], node, hint)


def results(frame: Frame, function: Callable[[str], Any]) -> list[Any]:
    """A function's results for each of the strings, including those that it makes."""
    numbers = frame.task.learned.strings
    found: list[Any] = []
    count = len(numbers)
    for text in (strings := list(numbers)):  # it grows
        try:
            found.append(function(text))
        except (LookupError, TypeError, ValueError) as error:
            found.append(error)
        if isinstance(found[-1], str) and found[-1] not in numbers:
            note(frame.task, found[-1])
            strings.append(found[-1])
    if frame.task.has_tables and len(numbers) > count:
        raise Anew
    return found


def _raise_where(frame: Frame, text: String, fails: list[bool], kind: type, node: gast.AST) -> None:
    """Raise where the function fails for a string; the message shows the string, so Python words it."""
    here = frame.here(node)
    error = syntax.raise_(kind.__name__, UNSHOWN, span=here)
    if all(fails):
        frame.builder.append(error)
        raise Stopped
    test = entry(frame, tuple(map(Static, fails)), text.number, BOOL_WORD, node, "fails")
    frame.builder.append(syntax.if_(frame.atom(test, node), [error]))


def entry(
    frame: Frame, values: tuple[Value, ...], position: Value, dtype: str, node: gast.AST, hint: str
) -> Value:  # fmt: skip
    """The entry of a table over all strings, or over all positions in one."""
    frame.task.has_tables = True
    number = frame.atom(position, node)
    found = subscript.element(frame, table(frame, values, dtype, node), [number], node)
    return frame.emit("cast", found, node=node, hint=hint, dtype=dtype, weak=True)


def table(frame: Frame, values: tuple[Value, ...], dtype: str, node: gast.AST) -> Leaf:
    """An array of numbers; one of constants and arguments is made once, at the start."""
    builder, key = frame.builder, (dtype, tuple(map(repr, values)))  # -0.0 is not the same number as 0.0
    if key in builder.tables:
        return builder.tables[key]
    with frame.captured() as made:
        found = arrays.as_array(frame, Sequence(values), node, dtype, hint="table")
    if all(isinstance(v, Static) or getattr(v, "name", "") in builder.arguments for v in values):
        builder.first += made
        builder.tables[key] = found
    else:
        builder.body += made
    assert isinstance(found, Leaf)
    return found


# --- parts and methods -----------------------------------------------------------------------------------------------


def item(frame: Frame, text: Value, position: Value, node: gast.AST) -> Value:
    """`text[position]` at a dynamic position."""
    if not frame.is_integer(position):
        what = frame.describe(position)
        frame.fault("T001", f"string indices must be integers, not {what}", node, "indexed here")
    position = known_numbers.as_int(frame, position, node)
    characters = built_strings.spelled(frame, text, node)
    rows.require_within(frame, rows.length(frame, characters, node), position, str, node)
    return rows.item(frame, characters, frame.atom(position, node), node)


@protocol.load.of(String)
def part(frame: Frame, text: String, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    """`text[k]` of a dynamic string, and `text[1:]` with bounds that are known now."""
    if isinstance(items, gast.Slice):
        if sites.site_of(frame, node) in frame.task.learned.positions:
            return built_strings.sliced(frame, text, items, node)
        try:
            place: Any = containers.bounds_of(frame, items)
        except NeedsStatic as needed:
            needed.place = sites.site_of(frame, node)  # used if unrolling no loop makes it known
            raise
    else:
        position = evaluate.evaluate(frame, items)
        if isinstance(position, Leaf):
            return item(frame, text, position, node)
        place = protocol.known(frame, position, items, "a position in a string that is only known at run time")
    return looked_up(frame, text, lambda one: one[place], node, hint)


@protocol.length.of(String)
def length(frame: Frame, text: String, node: gast.AST) -> Value:
    return looked_up(frame, text, len, node, "count")


@protocol.item.of(String)
def character(frame: Frame, text: String, position: Value, node: gast.AST, hint: str = "character") -> Value:
    """The character at a valid position of a dynamic string: from a table of all strings, padded to the longest."""
    for k in range(max(map(len, frame.task.learned.strings))):
        results(frame, operator.itemgetter(slice(k, k + 1)))
    known = frame.task.learned.strings
    width = max(map(len, known))
    characters = tuple(Static(known[one[k : k + 1]]) for one in list(known) for k in range(width))
    row = evaluate.binary(frame, gast.Mult, text.number, Static(width), node)
    place = evaluate.binary(frame, gast.Add, row, position, node)
    return String(entry(frame, characters, place, INT_WORD, node, hint))


def call_method(frame: Frame, text: String, method: str, args: list[Value], node: gast.AST, hint: str) -> Value:
    """A method of a dynamic string, with arguments that are known now."""
    if built_strings.is_of_run(frame, method, args, {}):
        return built_strings.call_method(frame, text, method, args, node)
    if method not in METHODS or not all(isinstance(a, Static) for a in args):
        refuse(frame, f"`.{method}()` of a string that is only known at run time", node)
    values = [protocol.known(frame, a, node, "text") for a in args]
    return looked_up(frame, text, lambda one: getattr(one, method)(*values), node, hint)


def of_known(frame: Frame, text: str | bytes | frozenset, method: str, args, kwargs, node: gast.AST) -> Value:
    """A method of what is known now, with known arguments; `split` and the like make a new list."""
    values = [protocol.known(frame, a, node, "text") for a in args]
    named = {name: protocol.known(frame, a, node, "text") for name, a in kwargs.items()}
    found = computed(frame, lambda: getattr(text, method)(*values, **named), node)
    return containers.new_list(frame, tuple(map(Static, found))) if type(found) is list else Static(found)


def with_strings(frame: Frame, text: Static, method: str, args, kwargs, node: gast.AST, hint: str) -> Value:
    """A method of a known string, with dynamic arguments: `"ACGT".index(character)`."""
    if method == "format":
        written = lambda *values: text.value.format(*values[: len(args)], **dict(zip(kwargs, values[len(args) :])))  # noqa: E731
        return formatted.by_known(frame, written, [*args, *kwargs.values()], node)
    if method in METHODS and isinstance(args[0], String) and len(args) == 1:
        return looked_up(frame, args[0], getattr(text.value, method), node, hint)
    return built_strings.call_method(frame, text, method, args, node)


def of_text(frame: Frame, function: Callable[..., Any], args: list[Value], node: gast.AST) -> Value:
    """`ord` and `chr`."""
    if isinstance(args[0], String):
        return looked_up(frame, args[0], function, node)
    if function is chr and frame.is_integer(args[0]) and not isinstance(args[0], Static):
        return _character_of(frame, known_numbers.as_int(frame, args[0], node), node)
    return evaluate.fold(frame, function, node, Static(protocol.known(frame, args[0], node, "text")))


ASCII = "".join(map(chr, range(128)))
BEYOND = "chr() of more than 127: compiled code knows the characters of ASCII"


def _character_of(frame: Frame, code: Value, node: gast.AST) -> Value:
    """`chr(code)` of a dynamic int."""
    sides = [(gast.Lt, 0), (gast.Gt, 0x10FFFF)]
    below, above = (choices.compare(frame, op, code, Static(bound), node) for op, bound in sides)
    wrong = syntax.raise_("ValueError", "chr() arg not in range(0x110000)", span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(frame.emit("logical_or", below, above, node=node), node), [wrong]))
    beyond = choices.compare(frame, gast.GtE, code, Static(len(ASCII)), node)
    error = limit("ValueError", BEYOND, span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(beyond, node), [error]))
    numbers = tuple(Static(number_of(frame.task, character)) for character in ASCII)
    return String(entry(frame, numbers, code, INT_WORD, node, "character"))


def refuse(frame: Frame, what: str, node: gast.AST) -> NoReturn:
    frame.fault("U018", f"{what} is not in the language", node, "used here", WAY_OUT)


# --- what can be done with them --------------------------------------------------------------------------------------


@protocol.of_dynamic_length.of(String)
def _(frame: Frame, value: String) -> Value | None:
    return value


@protocol.python_class.of(String)
def _(frame: Frame, value: String) -> type:
    return str


@protocol.describe.of(String)
def _(frame: Frame, value: String) -> str:
    return "str"


@protocol.call_method.of(String)
def _(
    frame: Frame, receiver: String, method: str, args: list[Value], named: protocol.Named, node: gast.AST, hint: str
) -> Value:
    if named:
        return protocol.call_method.otherwise(frame, receiver, method, args, named, node, hint)
    return call_method(frame, receiver, method, args, node, hint)


@protocol.member.of(String)
def _(frame: Frame, container: String, item: Value, node: gast.AST, hint: str = "t") -> Value:
    return part_of(frame, item, container, node)
