"""All derivatives are taken: functions with a rule for theirs are functions like others, and nothing stops a gradient.

    y = f(x)    with a rule       ->    the body of f in place of the call
    y = stop_gradient(x)          ->    y = x
    y = determinant(d, a)         ->    y = d

Takes and gives typed programs.  Leaves functions that are called again to save memory.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..ops.schema import row_of
from ..program import Function, Program
from ..renaming import map_body
from ..types import Array, Scalar
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
    body = map_body(function.body, lambda statement: _unstopped(function, statement))
    if function.rule is None and all(a is b for a, b in zip(body, function.body)):
        return function
    return function.with_(rule=None, body=tuple(body))


def _unstopped(function: Function, statement: gast.stmt) -> gast.stmt:
    """A view of another order has been given the order of a new array, which only a copy has."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    row = row_of(syntax.operator_of(value)) if value is not None else None
    if value is None or row is None or not row.is_for_derivatives:
        return statement
    (name,), given = syntax.names_bound(statement), value.args[0]
    made = function.types[name]
    if isinstance(given, gast.Name) and isinstance(made, Scalar) and isinstance(function.types[given.id], Array):
        # of an array without axes there is a number
        return syntax.rebuild(statement, value=syntax.index(given.id))
    is_moved = isinstance(given, gast.Name) and layout_of(function, given.id) != layout_of(function, name)
    return syntax.rebuild(statement, value=syntax.call("copy", given) if is_moved else given)


def layout_of(function: Function, name: str) -> str:
    return getattr(function.types[name], "layout", "")


def _tidied(function: Function) -> Function:
    while True:
        made = prune(simplify_once(function))
        if made is function:
            return function
        function = made
