"""The condition under which a value is taken, as an atom of the backward sweep.

    y = where(c, s, 0.0)          s = sqrt(x) is taken where c
    y = maximum(s, 1.0)           s is taken where not s < 1.0
    y = s[m];  s[m] = 0.0         s is taken where m;  where not m

The analysis that finds conditions is `analysis/selections`; what a row says of its operands stands in its column
`taken`.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import gast

from ... import syntax
from ...analysis.selections import Condition, Selection
from ...ops.reduction import spread
from ...ops.schema import OPERATORS
from .cotangents import Cotangents

if TYPE_CHECKING:
    from .sweep import Sweep


def taken_there(sweep: Sweep, frame: Cotangents, statement: gast.stmt, position: int) -> gast.expr | None:
    """Where the cotangent of an operand counts; None for one that needs no mask."""
    condition = sweep.plan.masks.operands.get((id(statement), position))
    return None if condition is None else _of_condition(sweep, frame, condition)


def taken_of_result(sweep: Sweep, frame: Cotangents, statement: gast.stmt) -> gast.expr | None:
    """The same of the cotangent of the result, where that has to be masked before the operands have theirs."""
    condition = sweep.plan.masks.results.get(id(statement))
    return None if condition is None else _of_condition(sweep, frame, condition)


def _of_condition(sweep: Sweep, frame: Cotangents, condition: Condition) -> gast.expr:
    order = sweep.regions.order

    def place(selection: Selection) -> tuple[float, int]:
        return order[id(selection.statement)], selection.position

    alternatives = sorted((sorted(a, key=place) for a in condition), key=lambda a: [place(s) for s in a])
    whole = [
        reduce(lambda one, other: frame.builder.call("logical_and", one, other, hint="taken"), parts)
        for parts in ([_of_selection(sweep, frame, s) for s in a] for a in alternatives)
    ]
    return reduce(lambda one, other: frame.builder.call("logical_or", one, other, hint="taken"), whole)


def _of_selection(sweep: Sweep, frame: Cotangents, selection: Selection) -> gast.expr:
    """The condition in the shape of what it selects from, then of what was combined to that."""
    found = _of_statement(sweep, frame, selection)
    for statement in selection.reductions:
        (operand,) = statement.value.args
        found = spread(frame.builder, found, sweep.atom(statement, operand), syntax.static_of(statement.value))
    return found


def _of_statement(sweep: Sweep, frame: Cotangents, selection: Selection) -> gast.expr:
    build, statement = frame.builder, selection.statement
    if isinstance(statement.targets[0], gast.Subscript):  # a store by a mask leaves what is not masked
        (mask,) = sweep.atoms(statement, statement.targets[0].slice).elts
        return build.call("logical_not", mask, hint="taken")
    if isinstance(statement.value, gast.Subscript):
        (mask,) = sweep.atoms(statement, statement.value.slice).elts
        return mask
    (result,) = syntax.names_bound(statement)
    row, operands = OPERATORS[statement.value.func.id], [sweep.atom(statement, a) for a in statement.value.args]
    out = syntax.name(sweep.regions.made[id(statement)][result])
    rule: Any = row.taken[selection.position]
    if callable(rule):
        return rule(build, operands, syntax.static_of(statement.value), out)
    return build.quote(rule, "taken", **dict(zip(row.operands, operands)))
