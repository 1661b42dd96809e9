"""Hoist out of the loop over directions, or over the elements of a result, what is invariant in it.

    for k in range(0, n, 1):                 t = cos(x)
        direction = ...                      for k in range(0, n, 1):
        t = cos(x)                  ->           direction = ...
        y_dot = direction * t                    y_dot = direction * t

        y_dot = y_dot * y                    y_1 = y
        y[0] = x                             y[0] = x
                                             for k in range(0, n, 1):
                                                 y_dot = y_dot * y_1

Takes and gives typed programs.  Only statements of the function itself are hoisted, which ran before the loop, so
that no error comes that has not come before.  Shared functions are divided (`divide.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gast

from ...names import Names
from ...program import Function, Program
from ...renaming import with_blocks
from ...types import Type
from .divide import Divider


def hoist(program: Program) -> Program:
    """The program with short loops over directions; the same object where there is none."""
    divider = Divider(program)
    functions = {name: _hoisted(function, divider) for name, function in program.functions.items()}
    if all(functions[name] is function for name, function in program.functions.items()):
        return program
    return Program(program.entry, {**functions, **divider.made})


def _hoisted(function: Function, divider: Divider) -> Function:
    if not any(getattr(s, "hoists", False) for s in function.body):
        return function
    table = dict(function.types)
    names = Names({*table, *function.parameters})
    body = tuple(_taken_out(function.body, divider, table, names))
    temporaries = function.temporaries | {name for name in table if name not in function.types}
    return function.with_(body=body, types=table, temporaries=temporaries)


def _taken_out(
    body: Sequence[gast.stmt], divider: Divider, table: dict[str, Type], names: Names
) -> Iterator[gast.stmt]:
    """The statements with shorter loops, inner ones first: a result of several axes has a loop for each."""
    for statement in body:
        if not getattr(statement, "hoists", False):
            yield statement
            continue
        inner = list(_taken_out(statement.body, divider, table, names))
        before, inside = divider.divided(inner, {statement.target.id}, table, names)
        yield from before
        yield with_blocks(statement, [inside])
