"""The derivatives of all orders of one statement, of operands that have theirs along a curve.

    y = sin(x)     ->     {1: {"y": y_dot}, 2: {"y": y_dot2}, 3: {"y": y_dot3}}

They are made together, because the higher ones are made of the lower (`ops/series`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...names import base_of
from ...ops.schema import OPERATORS, TypeFault
from ...ops.series import Curve
from ...renaming import map_body, map_statement
from ..reverse.refuse import refuse

if TYPE_CHECKING:
    from .tangents import Tangents

Derivatives = Mapping[int, Mapping[str, gast.expr | None]]


def along_curve(state: Tangents, statement: gast.stmt) -> Derivatives | None:
    """Append what the derivatives of the results of an operator are made of; None for other statements."""
    if not isinstance(statement, gast.Assign) or syntax.operator_of(statement.value) not in OPERATORS:
        return None
    names = list(syntax.names_bound(statement))
    if state.active.isdisjoint(names):
        return {one.order: dict.fromkeys(names) for one in state.orders}
    curve = Curve(state.builder)
    for atom in statement.value.args:
        terms = [one.of(atom) for one in state.orders]
        if any(term is not None for term in terms):
            curve.give(atom, [atom, *(one.full(atom, False) for one in state.orders)])
    begin = len(state.builder.body)
    try:
        results = curve.follow(statement)
        made = {one.order: {n: results[n].at(one.order) if n in results else None for n in names}
                for one in state.orders}  # fmt: skip
    except TypeFault as fault:
        raise refuse(statement, fault.code, fault.message, *fault.help) from None
    return _called(state, made, begin)


def _called(state: Tangents, made: Derivatives, begin: int) -> Derivatives:
    """The same, with the values made since then called after what they are derivatives of."""
    body = state.builder.body
    fresh = {name for statement in body[begin:] for name in syntax.names_bound(statement)}
    changes: dict[str, str] = {}
    for one in state.orders:
        for name, atom in made[one.order].items():
            if isinstance(atom, gast.Name) and atom.id in fresh - {*changes} and base_of(atom.id) in ("t", "t_dot"):
                changes[atom.id] = state.names.fresh(one.hint(name))

    def new_name(name: str) -> str:
        return changes.get(name, name)

    for old, new in changes.items():
        state.types[new] = state.types.pop(old)
    body[begin:] = map_body(body[begin:], lambda s: map_statement(s, new_name, new_name))
    return {k: {n: _under(a, changes) for n, a in values.items()} for k, values in made.items()}


def _under(atom: gast.expr | None, changes: Mapping[str, str]) -> gast.expr | None:
    return syntax.name(changes[atom.id]) if isinstance(atom, gast.Name) and atom.id in changes else atom
