"""What a derivative passes through is computed by parts, so that its slopes need not make the first one again.

    x = solve(a, b)    with a slope    ->    f, pivots = factors_of(a)
                                             x = solve_by_factors(f, pivots, b)

The parts are those of the row (`Operator.in_parts`).  Takes and gives typed programs; what has no slope stays.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..analysis.activity import activity
from ..names import Names
from ..ops.routines import ROUTINES
from ..ops.schema import OPERATORS, Operator, row_of
from ..program import Function, Program
from ..renaming import splice


def in_parts(program: Program, wrt: Sequence[str], outputs: Sequence[int]) -> Program:
    """The program with the parts of what is active; the same object where there is nothing of the kind."""
    if not any(_row(statement) for f in program.functions.values() for statement in syntax.walk(f.body)):
        return program
    facts = activity(program, wrt, outputs)
    return program.map(lambda function: _parted(function, facts[function.name].names))


def _row(statement: gast.stmt) -> Operator | None:
    """The row of what has parts."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    row = row_of(syntax.operator_of(value)) if value is not None else None
    return row if row is not None and row.in_parts else None


def _parted(function: Function, active: frozenset[str]) -> Function:
    types = dict(function.types)
    names = Names({*types, *function.parameters})

    def written(statement: gast.stmt) -> list[gast.stmt] | None:
        row = _row(statement)
        if row is None or active.isdisjoint(syntax.names_bound(statement)):
            return None
        first, second = (OPERATORS[name] for name in row.in_parts)
        whole, *others = statement.value.args
        made = [names.fresh(result.name) for result in ROUTINES[first.routine].results]
        types.update(zip(made, first.type_rule([types[whole.id]])))
        parts = syntax.assign(made, syntax.call(first.name, whole))
        rest = syntax.call(second.name, *made, *others, **second.static)
        return [syntax.at(s, statement.span, statement.inlined) for s in (parts, syntax.rebuild(statement, value=rest))]

    body = splice(function.body, written)
    same = len(body) == len(function.body) and all(a is b for a, b in zip(body, function.body))
    return function if same else function.with_(body=tuple(body), types=types)
