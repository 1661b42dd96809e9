"""Take out of the loop over directions what is the same along all of them.

    for k in range(0, n, 1):                 t = cos(x)
        direction = ...                      for k in range(0, n, 1):
        t = cos(x)                  ->           direction = ...
        y_dot = direction * t                    y_dot = direction * t

        y_dot = y_dot * y                    y_1 = y
        y[0] = x                             y[0] = x
                                             for k in range(0, n, 1):
                                                 y_dot = y_dot * y_1

Takes and gives typed functions.  Statements keep their order on either side: they are those of the function itself,
which ran before the loop, so that no error comes that has not come before.  A statement stays that reads what changes
from turn to turn, or that makes an array or a name that such a statement changes.  What one that stays reads has a name
of its own where the name goes on to something else.
"""

from __future__ import annotations

from collections import Counter

import gast

from ... import syntax
from ...analysis.regions import stored_array
from ...names import Names
from ...ops.schema import OPERATORS
from ...program import Function
from ...renaming import renamed, with_blocks
from ...types import Type


def hoist(function: Function) -> Function:
    """The function with short loops over directions; the same object where there is none."""
    if not any(getattr(s, "hoists", False) for s in function.body):
        return function
    made: list[gast.stmt] = []
    table = dict(function.types)
    names = Names({*table, *function.parameters})
    for statement in function.body:
        if getattr(statement, "hoists", False):
            before, inside = _divided(statement, table, names)
            made += [*before, with_blocks(statement, [inside])]
        else:
            made.append(statement)
    return function.with_(body=tuple(made), types=table)


def _divided(loop: gast.For, table: dict[str, Type], names: Names) -> tuple[list[gast.stmt], list[gast.stmt]]:
    """The statements of a loop that are the same in every turn, and the others."""
    touched = [(s, *_effects(s)) for s in loop.body]
    changing = {loop.target.id}
    grown = True
    while grown:
        count = len(changing)
        for _, read, written in touched:
            if not changing.isdisjoint(read | written):
                changing |= written
        grown = len(changing) != count
    before, inside = [], []
    written_later = Counter(name for _, read, written in touched if changing.isdisjoint(read | written)
                            for name in written)  # fmt: skip
    for statement, read, written in touched:
        if changing.isdisjoint(read | written):
            before.append(statement)
            written_later.subtract(written)
            continue
        kept: dict[str, str] = {}
        for name in sorted(n for n in read if written_later[n] > 0):
            kept[name] = names.fresh(name)
            table[kept[name]] = table[name]
            before.append(syntax.at(syntax.assign(kept[name], syntax.name(name)), loop.span, loop.inlined))
        inside.append(renamed(statement, kept) if kept else statement)
    return before, inside


def _effects(statement: gast.stmt) -> tuple[set[str], set[str]]:
    """The names that a statement reads, and those that it binds or whose elements it changes, in its blocks too."""
    written: set[str] = set()
    for inner in syntax.walk([statement]):
        written |= {*syntax.names_bound(inner), *_changed_names(inner)}
    return set(syntax.names_read(statement)), written


def _changed_names(statement: gast.stmt) -> list[str]:
    """Arrays and lists that a statement changes; a list that a function is handed may be changed there."""
    base = stored_array(statement)
    value = getattr(statement, "value", None)
    callee = None if value is None else syntax.operator_of(value)
    handed = [] if callee is None or callee in OPERATORS else syntax.names_read(value)
    return handed if base is None else [base, *handed]
