"""Arrays of given numbers are stored element by element, as kernels and the code around them have no constants.

    t = table(values=(0.5, 2.0), shape=(2,))    ->    t = empty(shape=(2,)); t[0] = 0.5; t[1] = 2.0

Takes and gives functions of the loops stage.
"""

from __future__ import annotations

import itertools

import gast

from ... import syntax
from ...program import Function
from ...renaming import placed, splice


def write_out(function: Function) -> Function:
    """The function without such arrays; the same object where there are none."""
    if not any(map(_is_table, syntax.walk(function.body))):
        return function
    return function.with_(body=tuple(splice(function.body, _stores)))


def _is_table(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.Assign) and syntax.operator_of(statement.value) == "table"


def _stores(statement: gast.stmt) -> list[gast.stmt] | None:
    if not _is_table(statement):
        return None
    static, name = syntax.static_of(statement.value), statement.targets[0].id
    made: list[gast.stmt] = [syntax.assign(name, syntax.call("empty", shape=static["shape"], dtype=static["dtype"]))]
    for place, value in zip(itertools.product(*map(range, static["shape"])), static["values"], strict=True):
        made.append(syntax.store(name, list(map(syntax.constant, place)), syntax.constant(value)))
    return placed(made, statement)
