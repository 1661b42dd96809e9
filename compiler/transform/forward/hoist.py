"""Take out of the loop over directions what is the same along all of them.

    for k in range(0, n, 1):                 t = cos(x)
        direction = ...                      for k in range(0, n, 1):
        t = cos(x)                  ->           direction = ...
        y_dot = direction * t                    y_dot = direction * t

        y_dot = y_dot * y                    y_1 = y
        y[0] = x                             y[0] = x
                                             for k in range(0, n, 1):
                                                 y_dot = y_dot * y_1

Takes and gives typed programs.  What is taken out are statements of the function itself, which ran before the loop, so
that no error comes that has not come before.  Shared functions are taken apart (`divide.py`).
"""

from __future__ import annotations

import gast

from ...names import Names
from ...program import Function, Program
from ...renaming import with_blocks
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
    made: list[gast.stmt] = []
    table = dict(function.types)
    names = Names({*table, *function.parameters})
    for statement in function.body:
        if getattr(statement, "hoists", False):
            before, inside = divider.divided(statement.body, {statement.target.id}, table, names)
            made += [*before, with_blocks(statement, [inside])]
        else:
            made.append(statement)
    temporaries = function.temporaries | {name for name in table if name not in function.types}
    return function.with_(body=tuple(made), types=table, temporaries=temporaries)
