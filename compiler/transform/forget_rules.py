"""All derivatives are taken: functions with a rule for theirs are functions like others, and nothing stops a gradient.

    y = f(x)    with a rule       ->    the body of f in the place of the call
    y = stop_gradient(x)          ->    y = x

Takes and gives typed programs.  Leaves functions that are called again to save memory.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..program import Function, Program
from ..renaming import map_body
from .inline import inline
from .prune import prune
from .reachable import reachable
from .simplify import simplify_once


def forget_rules(program: Program) -> Program:
    """The program without rules; the same object where there are none."""
    plain = program.map(_forgotten)
    if plain is program:
        return program
    return reachable(inline(reachable(plain))).map(_tidied)


def _forgotten(function: Function) -> Function:
    body = map_body(function.body, _unstopped)
    if function.rule is None and all(a is b for a, b in zip(body, function.body)):
        return function
    return function.with_(rule=None, body=tuple(body))


def _unstopped(statement: gast.stmt) -> gast.stmt:
    value = statement.value if isinstance(statement, gast.Assign) else None
    if value is None or syntax.operator_of(value) != "stop_gradient":
        return statement
    return syntax.rebuild(statement, value=value.args[0])


def _tidied(function: Function) -> Function:
    while True:
        made = prune(simplify_once(function))
        if made is function:
            return function
        function = made
