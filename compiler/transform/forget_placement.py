"""Where arrays are among devices is told of results, and changes no element: to loops it is nothing.

    y = with_sharding(x, spec=(("x",), None))    ->    y = x.copy()

Takes and gives typed functions, as they are printed.
"""

from __future__ import annotations

from typing import Any

import gast

from .. import syntax
from ..program import Function
from ..renaming import map_body


def forget_placement(function: Function) -> Function:
    """The function without it; the same object where there is none."""
    if not any(map(_is_placed, function.body)):
        return function
    return function.with_(body=tuple(map_body(function.body, _plain)))


def _is_placed(statement: gast.stmt) -> bool:
    return any(syntax.operator_of(call) == "with_sharding" for call in syntax.calls_in(statement))


def _plain(statement: gast.stmt) -> gast.stmt:
    if not any(syntax.operator_of(node) == "with_sharding" for node in syntax.own_nodes(statement)):
        return statement
    expressions = {field: node for field, node in gast.iter_fields(statement) if isinstance(node, gast.expr)}
    return syntax.rebuild(statement, **{field: _copied(node) for field, node in expressions.items()})


def _copied(node: Any) -> Any:
    """The expression with a copy in place of each placement."""
    if syntax.operator_of(node) == "with_sharding":
        return syntax.call("copy", _copied(node.args[0]))
    changes: dict[str, Any] = {}
    for field, old in gast.iter_fields(node):
        if isinstance(old, gast.expr):
            changes[field] = _copied(old)
        elif isinstance(old, list):
            changes[field] = [_copied(one) if isinstance(one, gast.expr) else one for one in old]
    return syntax.rebuild(node, **changes)
