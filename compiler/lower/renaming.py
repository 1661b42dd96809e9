"""Statements with other names, in trees of their own.

    y[i] = add(x[i], t)    and    {x: u}      ->      y[i] = add(u[i], t)

Analyses of the loops stage know an access or an operation by its tree, so all trees that hold others are new ones.
Names that stay and constants say nothing but themselves, and are shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import gast

from .. import syntax
from ..diagnostics import InternalError


def renamed(statement: gast.stmt, names: Mapping[str, str]) -> gast.stmt:
    def block(statements: Iterable[gast.stmt]) -> list[gast.stmt]:
        return [renamed(s, names) for s in statements]

    match statement:
        case gast.Assign(targets=[place], value=value):
            return syntax.rebuild(statement, targets=[copied(place, names)], value=copied(value, names))
        case gast.For(target=target, iter=iter_, body=body):
            header = {"target": copied(target, names), "iter": copied(iter_, names)}
            return syntax.rebuild(statement, **header, body=block(body))
        case gast.While(test=test, body=body):
            return syntax.rebuild(statement, test=copied(test, names), body=block(body))
        case gast.If(test=test, body=body, orelse=orelse):
            return syntax.rebuild(statement, test=copied(test, names), body=block(body), orelse=block(orelse))
        case gast.Raise(exc=exc):
            return syntax.rebuild(statement, exc=copied(exc, names))
        case gast.Expr(value=value) | gast.Return(value=value):
            return syntax.rebuild(statement, value=copied(value, names))
        case gast.Pass():
            return statement
    raise InternalError("loops", gast.dump(statement), "not a statement that loops are made of")


def copied(node: gast.expr, names: Mapping[str, str]) -> gast.expr:
    """An expression, or a place to assign to, with other names; operators are kept."""
    return syntax.map_names(node, lambda name: names.get(name, name))


def placed(made: list[gast.stmt], like: gast.stmt) -> list[gast.stmt]:
    """The statements, new ones as of the line that another is of."""
    for statement in syntax.walk(made):
        if statement.span is None:
            syntax.at(statement, like.span, getattr(like, "inlined", ()))
            statement.number = getattr(like, "number", 0)  # type: ignore[attr-defined]
    return made
