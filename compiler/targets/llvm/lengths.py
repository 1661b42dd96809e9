"""Which ints are lengths of arrays, or below them: loops that count so far are over in one pass through memory.

    n = dim(x, axis=0); m = n - 1        ->      n, m
    for i in range(k, n):                        i, if k is one
"""

from __future__ import annotations

import gast

from ... import syntax
from ...analysis.integers.range_values import is_int
from ...ops.forms import LENGTHS
from ...ops.schema import row_of
from ...program import Function


def lengths_of(function: Function) -> frozenset[str]:
    """Names that only ever hold lengths of arrays, numbers below them, and sums of such; none that feeds on itself."""
    definitions: dict[str, list[gast.expr]] = {}
    for statement in syntax.walk(function.body):
        name, values = _definition(statement)
        if is_int(function.types.get(name)):
            definitions.setdefault(name, []).extend(values)
    for name in ("", *function.parameters):
        definitions.pop(name, None)
    known: frozenset[str] = frozenset()
    while True:
        more = frozenset(n for n, values in definitions.items() if all(is_length(v, known) for v in values))
        if more == known:
            return known
        known = more


def _definition(statement: gast.AST) -> tuple[str, list[gast.expr]]:
    """The name that a statement gives a number to, and what bounds the number."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            return name, [value]
        case gast.For(target=gast.Name(id=name), iter=gast.Call(args=bounds)):
            return name, bounds
    return "", []


def is_length(node: gast.expr, lengths: frozenset[str]) -> bool:
    match node:
        case gast.Constant(value=int()):
            return True
        case gast.Name(id=name):
            return name in lengths
        case gast.Call(args=arguments):
            operator = syntax.operator_of(node)
            if operator == "minimum":
                return any(is_length(a, lengths) for a in arguments)
            row = row_of(operator)
            if row is not None and row.interval is not None:
                return all(is_length(a, lengths) for a in arguments)
            return operator in LENGTHS
        case gast.IfExp(body=body, orelse=orelse):
            return is_length(body, lengths) and is_length(orelse, lengths)
    return False
