"""Where arrays are among devices is told of results, and changes no element: to loops it is nothing.

    y = with_sharding(x, spec=(("x",), None))    ->    y = x.copy()

Takes and gives typed functions, as they are printed.
"""

from __future__ import annotations

import gast

from .. import syntax
from ..program import Function
from ..renaming import map_body


def forget_placement(function: Function) -> Function:
    """The function without it; the same object where there is none."""
    body = map_body(function.body, _plain)
    return function if all(a is b for a, b in zip(body, function.body)) else function.with_(body=tuple(body))


def _plain(statement: gast.stmt) -> gast.stmt:
    if not any(syntax.operator_of(call) == "with_sharding" for call in syntax.calls_in(statement)):
        return statement
    (atom,) = statement.value.args
    return syntax.rebuild(statement, value=syntax.call("copy", atom))
