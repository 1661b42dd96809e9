"""The numbers that stand for strings in a program: known strings are numbered in the order of their use.

    best = "lms" if c else "rls"     ->     best = 0 if c, 1 otherwise
    return best                      ->     the number; the caller knows that 0 is "lms" and 1 is "rls"
"""

from __future__ import annotations

from .... import types
from ....dtypes import INT_WORD
from ..frame import Anew, Frame, Task
from ..values import Column, Rows, Static, Text, Typed, Value, parts, with_parts

OF_THE_RUN = Text(Typed(types.INT))


def is_text(value: Value) -> bool:
    return isinstance(value, Text) or isinstance(value, Static) and type(value.value) is str or is_built(value)


def is_built(value: Value) -> bool:
    """Whether it is a string built at run time (`built_texts.py`)."""
    return isinstance(value, Rows) and value.kind is str


def number_of(task: Task, text: str) -> int:
    """The number of a string that is known now."""
    if text not in task.learned.texts:
        note(task, text)
        if task.has_tables:
            raise Anew
    return task.learned.texts[text]


def note(task: Task, text: str) -> None:
    task.learned.texts[text] = len(task.learned.texts)


def as_text(frame: Frame, value: Value) -> Text:
    """A string as a dynamic one."""
    if isinstance(value, Text):
        return value
    assert isinstance(value, Static)
    return Text(Static(number_of(frame.task, value.value)))


def of_the_run(form: Value) -> Value:
    """The form of items whose strings differ from item to item."""
    if is_text(form):
        return form if is_built(form) else OF_THE_RUN
    inner = parts(form)
    return with_parts(form, tuple(of_the_run(part) for _, part in inner)) if inner else form


def joined(frame: Frame, left: Value, right: Value) -> Value | None:
    """One of two strings; None where one of them is something else, or both were built."""
    if not is_text(left) or not is_text(right) or is_built(left) and is_built(right):
        return None
    if any(isinstance(side, Text) and isinstance(side.number, Column) for side in (left, right)):
        return None  # the characters of a string that was built
    if not is_built(left) and not is_built(right):
        return OF_THE_RUN
    letters = types.Array(INT_WORD, (frame.builder.fresh_symbol("length"),), "C")
    return Rows(Text(Column(Typed(letters), True)), str)


def told(task: Task, result: Value) -> Value:
    """What a program returns, with the strings that its numbers stand for."""
    if isinstance(result, Text):
        return Text(result.number, tuple(task.learned.texts))
    inner = parts(result)
    return with_parts(result, tuple(told(task, part) for _, part in inner)) if inner else result


def has_text(value: Value) -> bool:
    return isinstance(value, Text) or any(has_text(part) for _, part in parts(value))
