"""The numbers that stand for strings in a program: known strings are numbered in the order of their use.

    best = "lms" if c else "rls"     ->     best = 0 if c, 1 otherwise
    return best                      ->     the number; the caller knows that 0 is "lms" and 1 is "rls"
"""

from __future__ import annotations

from .... import types
from ....dtypes import INT_WORD
from ..frame import Anew, Frame, Task
from ..values import Column, Rows, Static, String, Typed, Value, parts, with_parts

OF_THE_RUN = String(Typed(types.INT))


def is_string(value: Value) -> bool:
    return isinstance(value, String) or isinstance(value, Static) and type(value.value) is str or is_built(value)


def is_built(value: Value) -> bool:
    """Whether it is a string built at run time (`built_strings.py`)."""
    return isinstance(value, Rows) and value.kind is str


def number_of(task: Task, text: str) -> int:
    """The number of a string that is known now."""
    if text not in task.learned.strings:
        note(task, text)
        if task.has_tables:
            raise Anew
    return task.learned.strings[text]


def note(task: Task, text: str) -> None:
    task.learned.strings[text] = len(task.learned.strings)


def as_string(frame: Frame, value: Value) -> String:
    """A string as a dynamic one."""
    if isinstance(value, String):
        return value
    assert isinstance(value, Static)
    return String(Static(number_of(frame.task, value.value)))


def as_dynamic(form: Value) -> Value:
    """The form of items whose strings differ from item to item."""
    if is_string(form):
        return form if is_built(form) else OF_THE_RUN
    inner = parts(form)
    return with_parts(form, tuple(as_dynamic(part) for _, part in inner)) if inner else form


def joined(frame: Frame, left: Value, right: Value) -> Value | None:
    """One of two strings; None where one of them is something else, or both were built."""
    if not is_string(left) or not is_string(right) or is_built(left) and is_built(right):
        return None
    if any(isinstance(side, String) and isinstance(side.number, Column) for side in (left, right)):
        return None  # the characters of a string that was built
    if not is_built(left) and not is_built(right):
        return OF_THE_RUN
    characters = types.Array(INT_WORD, (frame.builder.fresh_symbol("length"),), "C")
    return Rows(String(Column(Typed(characters), True)), str)


def told(task: Task, result: Value) -> Value:
    """What a program returns, with the strings that its numbers stand for."""
    if isinstance(result, String):
        return String(result.number, tuple(task.learned.strings))
    inner = parts(result)
    return with_parts(result, tuple(told(task, part) for _, part in inner)) if inner else result


def has_string(value: Value) -> bool:
    return isinstance(value, String) or any(has_string(part) for _, part in parts(value))
