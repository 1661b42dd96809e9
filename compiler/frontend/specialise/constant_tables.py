"""Loops over many constants: these stand in tables, and the loop is one, instead of a copy of its body for each.

    for byte in KEY: ...                      ->     for i in range(256): byte = table[i]; ...
    for w, x in zip((1.0, 2.0, 1.0), xs):     ->     a loop that ends where the shorter of both does

Where the body must know the item now, the loop is unrolled after all.
"""

from __future__ import annotations

import gast

from ...dtypes import FLOAT_WORD, INT_WORD
from . import built_texts, iteration, texts
from .frame import Frame
from .text_numbers import number_of
from .values import Column, Iteration, Rows, Sequence, Static, Text, Value

MANY = 128  # items
WORDS = {int: INT_WORD, float: FLOAT_WORD}


def of_many(frame: Frame, value: Value, node: gast.AST, least: int = MANY) -> Value | None:
    """What a loop goes over, with so many constants and more in tables; None where it is to be unrolled."""
    match value:
        case Iteration(kind="zip" | "enumerate", parts=inner):
            if value.kind == "zip" and not all(iteration.has_static_length(frame, part) for part in inner):
                least = 1  # which is the shortest, the run knows
            made = [_or_itself(frame, part, node, least) for part in inner]
            return None if None in made or tuple(made) == inner else Iteration(value.kind, tuple(made), value.start)
        case Static(value=str() as text) if len(text) >= least:
            return built_texts.spelled(frame, value, node)
        case Static(value=tuple() | bytes() as items) if len(items) >= least:
            return _rows(frame, tuple(map(Static, items)), node)
        case Sequence(items=items, kind=kind) if kind is tuple and len(items) >= least:
            return _rows(frame, items, node)
    return None


def _or_itself(frame: Frame, part: Value, node: gast.AST, least: int) -> Value | None:
    made = of_many(frame, part, node, least)
    return part if made is None and not iteration.is_static_iterable(frame, part) else made


def _rows(frame: Frame, items: tuple[Value, ...], node: gast.AST) -> Rows | None:
    made = _columns(frame, items, node)
    return None if made is None else Rows(made, tuple)


def _columns(frame: Frame, items: tuple[Value, ...], node: gast.AST) -> Value | None:
    """The table of constants of one kind; of tuples of one length one for each place."""
    if all(isinstance(item, Sequence) and item.kind is tuple for item in items):
        if len({len(item.items) for item in items}) != 1 or not items[0].items:
            return None
        inner = [_columns(frame, column, node) for column in zip(*(item.items for item in items))]
        return None if None in inner else Sequence(tuple(inner))
    if not all(isinstance(item, Static) for item in items):
        return None
    kinds = {type(item.value) for item in items}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is str:
        numbers = tuple(Static(number_of(frame.task, item.value)) for item in items)
        return Text(Column(texts.table(frame, numbers, INT_WORD, node), True))
    if kind not in WORDS or kind is int and not all(-(2**63) <= item.value < 2**63 for item in items):
        return None
    return Column(texts.table(frame, items, WORDS[kind], node), True)
