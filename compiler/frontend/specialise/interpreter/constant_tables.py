"""Loops over many items of one kind: a single loop reads the items from tables, instead of a copy of its body each.

    for byte in KEY: ...                      ->     for i in range(256): byte = table[i]; ...
    for i, j in pairs: ...                    ->     for k in range(120): i = table[k]; j = table_1[k]; ...
    for w, x in zip((1.0, 2.0, 1.0), xs):     ->     a loop that ends where the shorter of the two does

Where the body must know the item now, the loop is unrolled after all.  The same holds where a table would give a
variable another type: one that only some items turn from an int into a float.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Statements
from typing import Any

import gast

from .... import types
from ....analysis import core_liveness
from ....diagnostics import CompileError
from ....dtypes import INT_WORD
from ....types import Scalar
from .. import protocol
from ..frame import Frame, NeedsStatic
from ..iterables import Enumerate, Rest, Reversed, Zip
from ..kinds import built_strings, iterations, strings
from ..kinds.string_numbers import number_of
from ..values import Column, Ref, Rows, Sequence, Static, String, Value, is_number, is_sequence

MANY = 128  # from so many items on a table is made, however little is done with each
FEWEST = 17  # with fewer items no table is made, however much is done with each
WRITTEN_OUT = 400  # an unrolled loop of more operators than this is too long
OF_A_CALL = 8  # a call counts as so many operators
TABLED, UNROLLED = "loops in tables", "loops unrolled"  # keys of what a walk passes on to the next one
WORK = (gast.BinOp, gast.UnaryOp, gast.BoolOp, gast.Compare, gast.Subscript, gast.AugAssign)


def loop(
    frame: Frame, iterable: Value, node: gast.For, body: Statements[gast.stmt], write: Callable[[Value], None],
    write_first: Callable[[], None] | None,
) -> bool:  # fmt: skip
    """Write the loop over tables of its items; False where it is to be unrolled: nothing has happened then.

    With `write_first` the first iteration may be written out: after it `total = 0.0` may be an array.
    """
    least = MANY if UNROLLED in frame.task.learned.forms else least_for(body)
    before, lists, is_refused = frame.built, lists_in(frame, iterable), False
    try:
        tabled = of_many(frame, iterable, node.iter, least)
        if tabled is not None and _tried(frame, lists, body, lambda: write(tabled)):
            return True
    except NeedsStatic:  # an item may have to be known
        pass
    except CompileError:
        is_refused = True
    frame.built = before
    if not is_refused or write_first is None or not protocol.has_known_length(frame, iterable):
        return False
    try:
        write_first()
        rest = of_many(frame, iterable, node.iter, least)
        if rest is not None and _tried(frame, lists, body, lambda: write(Rest((rest,), Static(1)))):
            return True
    except (NeedsStatic, CompileError):
        pass
    frame.built = before
    return False


def _tried(
    frame: Frame, lists: list[tuple[Ref, Value]], body: Statements[gast.stmt], write: Callable[[], None]
) -> bool:  # fmt: skip
    """Write a loop over tables; whether the lists that they are made of and the kinds of numbers stay what they are."""
    kinds = kinds_of(frame, body)
    write()
    after = kinds_of(frame, body)
    if any(frame.held(part) is not held for part, held in lists) or any(after.get(k) != v for k, v in kinds.items()):
        return False
    frame.task.learned.forms[TABLED] = ()
    return True


def may_unroll(forms: dict[Any, tuple[Value, ...]]) -> bool:
    """Whether to start again with such loops unrolled: what comes after them may have to know their items."""
    if TABLED not in forms or UNROLLED in forms:
        return False
    forms[UNROLLED] = ()
    return True


def least_for(body: Statements[gast.stmt]) -> int:
    """How many items are too many for one copy of this body each."""
    nodes = [node for statement in body for node in gast.walk(statement)]
    work = sum(OF_A_CALL if isinstance(node, gast.Call) else isinstance(node, WORK) for node in nodes)
    return min(MANY, max(FEWEST, WRITTEN_OUT // max(work, 1) + 1))


def of_many(frame: Frame, value: Value, node: gast.AST, least: int = MANY) -> Value | None:
    """What a loop iterates over, with at least so many items of one kind in tables; None where it is to be unrolled."""
    match value:
        case Zip(parts=inner) | Enumerate(parts=inner) | Reversed(parts=inner):
            if isinstance(value, Zip) and not all(protocol.has_known_length(frame, part) for part in inner):
                least = 1  # the shortest one is known only at run time
            made = tuple(one for part in inner if (one := _or_itself(frame, part, node, least)) is not None)
            return None if len(made) < len(inner) or made == inner else type(value)(made, value.start)
        case Static(value=str() as text) if len(text) >= of_names(least):
            return built_strings.spelled(frame, value, node)
        case Static(value=tuple() | bytes() as items) if len(items) >= least:
            return _rows(frame, tuple(map(Static, items)), node, least)
        case Sequence(items=items, kind=kind) if kind is tuple and len(items) >= least:
            return _rows(frame, items, node, least)
        case Ref():
            held = frame.held(value)
            if is_sequence(held, list) and len(held.items) >= least:
                return _rows(frame, held.items, node, least)
    return None


def lists_in(frame: Frame, iterable: Value) -> list[tuple[Ref, Value]]:
    """The lists that are iterated over, with what they hold: a table keeps that, even if the list changes."""
    return [(part, frame.held(part)) for part in iterations.gone_over(iterable) if isinstance(part, Ref)]


def kinds_of(frame: Frame, body: Statements[gast.stmt]) -> dict[str, str]:
    """The kinds of numbers of the variables that the body assigns on some paths only."""
    found: dict[str, str] = {}
    branches = [node for statement in body for node in gast.walk(statement) if isinstance(node, gast.If)]
    for name in sorted(core_liveness.assigned([s for one in branches for s in (*one.body, *one.orelse)])):
        type_ = frame.type_of(value) if (value := frame.variables.get(name)) is not None else None
        if type_ is not None:
            found[name] = types.dtype_of(type_)[0]
    return found


def _or_itself(frame: Frame, part: Value, node: gast.AST, least: int) -> Value | None:
    made = of_many(frame, part, node, least)
    return part if made is None and not protocol.is_unrolled(frame, part) else made


def of_names(least: int) -> int:
    """How many strings are too many: they mostly decide the structure."""
    return least if least == 1 else MANY


def _rows(frame: Frame, items: tuple[Value, ...], node: gast.AST, least: int) -> Rows | None:
    made = _columns(frame, items, node, least)
    return None if made is None else Rows(made, tuple)


def _columns(frame: Frame, items: tuple[Value, ...], node: gast.AST, least: int) -> Value | None:
    """The table of numbers or strings of one kind; for tuples of one length, a table for each position."""
    tuples = [item.items for item in items if is_sequence(item, tuple)]
    if len(tuples) == len(items):
        if len(set(map(len, tuples))) != 1 or not tuples[0]:
            return None
        columns = [_columns(frame, column, node, least) for column in zip(*tuples)]
        inner = tuple(column for column in columns if column is not None)
        return Sequence(inner) if len(inner) == len(columns) else None
    words = [item.value for item in items if isinstance(item, Static) and isinstance(item.value, str)]
    if len(words) == len(items):
        if len(items) < of_names(least):
            return None
        numbers = tuple(Static(number_of(frame.task, word)) for word in words)
        return String(Column(strings.table(frame, numbers, INT_WORD, node), True))
    kinds = {frame.type_of(item) for item in items}
    kind = kinds.pop() if len(kinds) == 1 else None
    if not isinstance(kind, Scalar) or kind == types.BOOL:
        return None
    if kind.dtype == INT_WORD and not all(-(2**63) <= item.value < 2**63 for item in items if is_number(item)):
        return None
    return Column(strings.table(frame, items, kind.dtype, node), kind.weak)
