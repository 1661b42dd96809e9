"""Strings built at run time: tuples of characters, each the number of a string of one character (`strings.py`).

    "".join(reversed(path))     ->     Rows(String(Column(numbers of the characters)), str)
    word += character              ->     the characters, concatenated
    word == "stop"              ->     as many characters, and the same ones

The characters of a string are looked up when it meets one that was built; methods are written in the language
(`python_strings.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import gast

from ....dtypes import INT_WORD
from ....ops.python_names import NameBinding
from .. import protocol
from ..frame import Frame
from ..library import builtin_calls, library
from ..values import Column, Rows, Sequence, Static, String, Value, are_known
from . import classes, containers, rows, strings, tables, tuples
from .string_numbers import as_string, is_built, is_string, number_of

WAYS_OUT = ("return the number, and format it outside the compiled function",
            "compare it, or take it apart: `for character in text`")  # fmt: skip


def in_language(frame: Frame, name: str, args: list[Value], node: gast.AST, hint: str = "t") -> Value:
    return library.call(frame, NameBinding(function=f"python_strings:{name}"), args, {}, node, hint)


# --- making ----------------------------------------------------------------------------------------------------------


def spelled(frame: Frame, value: Value, node: gast.AST, contents: Mapping[int, Value] | None = None) -> Rows:
    """A string of any kind as its characters."""
    if isinstance(value, Rows):
        return value
    if isinstance(value, Static):
        characters = tuple(Static(number_of(frame.task, character)) for character in value.value)
        return Rows(String(Column(strings.table(frame, characters, INT_WORD, node), True)), str)
    return of_characters(frame, in_language(frame, "characters_of", [value], node), node)


def of_characters(frame: Frame, characters: Value, node: gast.AST) -> Rows:
    """The string of a list of characters."""
    held = frame.held(characters)
    if isinstance(held, Rows):
        return Rows(held.item, str)
    if isinstance(held, Sequence):
        numbers = tuple(as_string(frame, character).number for character in held.items)
        return Rows(String(Column(strings.table(frame, numbers, INT_WORD, node), True)), str)
    return Rows(tables.arrays_of(frame, held, node).item, str)


def joined(frame: Frame, separator: Value, items: Value, node: gast.AST) -> Value:
    """`separator.join(items)`."""
    items = classes.iterable(frame, items, node)
    if protocol.is_unrolled(frame, items):
        parts = protocol.items(frame, items, node)
        _require_strings(frame, parts, node)
        if isinstance(separator, Static) and are_known(parts):
            return Static(separator.value.join(part.value for part in parts))
        return _end_to_end(frame, separator, parts, node)
    words = builtin_calls.as_new_list(frame, items, node)
    held = frame.held(words)
    if isinstance(held, Sequence):
        return joined(frame, separator, held, node)
    _require_strings(frame, [containers.any_item(frame, words, node)], node)
    return of_characters(frame, in_language(frame, "joined", [separator, words], node), node)


def _require_strings(frame: Frame, parts: list[Value], node: gast.AST) -> None:
    for place, part in enumerate(parts):
        if not is_string(part):
            kind = getattr(protocol.python_class(frame, part), "__name__", "object")
            message = f"sequence item {place}: expected str instance, {kind} found"
            frame.fault("T001", message, node, "joined here", ("convert them: `map(str, items)`",))


def _end_to_end(frame: Frame, separator: Value, parts: list[Value], node: gast.AST) -> Value:
    result: Value = parts[0] if parts else Static("")
    for part in parts[1:]:
        for other in (separator, part):
            result = added(frame, result, other, node)
    return result


def added(frame: Frame, left: Value, right: Value, node: gast.AST) -> Value:
    """`left + right` of strings, of which at least one is known only at run time."""
    if Static("") in (left, right):
        return right if left == Static("") else left
    if isinstance(left, Static) and isinstance(right, Static):
        return Static(left.value + right.value)
    return tuples.end_to_end(frame, spelled(frame, left, node), spelled(frame, right, node), node)


def number_in(frame: Frame, value: Value, base: Value, node: gast.AST) -> Value:
    """`int(text, base)` of a string known only at run time."""
    known = protocol.known(frame, base, node, "the base of a number")
    if isinstance(value, String):
        return strings.looked_up(frame, value, lambda text: int(text, known), node)
    if known != 10:
        refuse(frame, f"`int` with the base {known}", node)
    return in_language(frame, "number_in", [value], node)


def digit_of(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """The value of a character as a digit; 10 for one that is not a digit."""
    return strings.looked_up(frame, as_string(frame, args[0]), _digit, node)


def _digit(text: str) -> int:
    return int(text) if len(text) == 1 and text.isdecimal() else 10


# --- asking ----------------------------------------------------------------------------------------------------------


def part_of(frame: Frame, part: Value, whole: Value, node: gast.AST) -> Value:
    """`part in whole`."""
    return in_language(frame, "contains", [spelled(frame, whole, node), spelled(frame, part, node)], node)


def is_of_run(frame: Frame, method: str, args: list[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether an argument to a method of a known string is itself known only at run time."""
    if method == "format":
        return not are_known((*args, *kwargs.values()))
    return method == "join" and len(args) == 1 or any(is_string(a) and not isinstance(a, Static) for a in args)


def call_method(frame: Frame, text: Value, method: str, args: list[Value], node: gast.AST) -> Value:
    """A method of a string that was built, or of another string with one as an argument."""
    if method == "join" and len(args) == 1:
        return joined(frame, text, args[0], node)
    if method == "count" and len(args) == 1 and is_string(args[0]):
        return in_language(frame, "count", [spelled(frame, one, node) for one in (text, args[0])], node)
    return refuse(frame, f"`.{method}()`", node)


def refuse(frame: Frame, what: str, node: gast.AST) -> NoReturn:
    frame.fault("U008", f"{what} of a string built at run time is not in the language", node, "made here", WAYS_OUT)


def in_form(frame: Frame, value: Value, form: Any, node: gast.AST) -> Value:
    """A key in the form of those of a dict; some of its strings may be built."""
    if is_built(form):
        return spelled(frame, value, node) if is_string(value) else value
    if isinstance(value, Sequence) and isinstance(form, Sequence) and len(value.items) == len(form.items):
        inner = (in_form(frame, one, other, node) for one, other in zip(value.items, form.items))
        return Sequence(tuple(inner), value.kind)
    return value


def sliced(frame: Frame, text: Value, items: gast.Slice, node: gast.AST) -> Value:
    """`text[i : i + k]` of a string at dynamic positions."""
    return rows.sliced(frame, spelled(frame, text, node), items, node)
