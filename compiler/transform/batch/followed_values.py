"""Whether what depends on what in a program follows the values of some parameters, or lengths and all else alone.

    if x[0] > 0.0: y = x[1]            it does: another x takes another way
    y[i] = x[order[i]]                 it does not, of x; of `order` it does

Takes what was made of a request; errs towards True.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast

from ... import syntax
from ...frontend.specialise.specialised import Specialised
from ...frontend.specialise.values import Leaf, leaves
from ...program import Function
from .varying import Varying, items_of, varying


def follows_values(made: Specialised, arguments: Iterable[str]) -> bool:
    """Whether tests, indices or lengths depend on the values of these arguments, or anything on arrays from outside."""
    if made.hidden or len(made.program.functions) > 1:
        return True
    main = made.program.main
    chosen = [leaf.name for name in arguments for leaf in leaves(made.arguments[name]) if isinstance(leaf, Leaf)]
    found = varying(main, [name for name in chosen if name in main.types])
    return bool(found.symbols) or any(_decides(statement, found) for statement in _statements(main))


def _statements(function: Function) -> list[gast.stmt]:
    return list(syntax.walk(function.body))


def _decides(statement: gast.stmt, found: Varying) -> bool:
    match statement:
        case gast.For(iter=bounds):
            return found.reads(bounds)
        case gast.If(test=test, body=body, orelse=orelse):
            return found.reads(test) and not all(isinstance(s, gast.Raise) for s in (*body, *orelse))
        case gast.While(test=test):
            return found.reads(test)
    calls = syntax.calls_in(statement)
    places = [items_of(node.slice) for node in _subscripts(statement)]
    places += [items_of(c.args[1]) for c in calls if syntax.operator_of(c) == "add_at"]
    return any(map(found.reads, (item for items in places for item in items))) or any(
        found.reads(keyword.value) for call in calls for keyword in call.keywords
    )


def _subscripts(statement: gast.stmt) -> list[gast.Subscript]:
    return [node for node in syntax.own_nodes(statement) if isinstance(node, gast.Subscript)]
