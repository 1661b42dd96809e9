"""Collectives over the axis of the examples: a statement that needs all examples cuts the loop over them in two.

    y = exp(x)                            y = exp(x)                     x: f64[batch, n]
    s = psum(y, axis_name="i")     ->     s = sum(y, axis=0)             one value for all examples
    z = divide(y, s)                      z = divide(y, s)

Where the examples decide differently whether they come to such a statement, some would wait for others for ever:
that is refused.  Of errors, those before a collective come before those after it.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...diagnostics import Span
from ...names import Names
from ...ops.collectives import length_of_axis
from ...ops.schema import Operator, row_of
from ...program import Function
from ...renaming import with_blocks
from ...types import Extent, with_lengths


class Divergent(Exception):
    """The examples do not come together at a collective: where, and why not."""

    def __init__(self, span: Span | None, name: str, reason: str) -> None:
        super().__init__()
        self.span, self.name, self.reason = span, name, reason


def crossing(node: gast.AST | None, axis_name: str | None) -> Operator | None:
    """The row of a collective over this axis; None where an expression is none."""
    if axis_name is None or not isinstance(node, gast.Call):
        return None
    row = row_of(syntax.operator_of(node))
    is_own = row is not None and row.kind == "collective" and syntax.static_of(node)["axis_name"] == axis_name
    return row if is_own else None


def crosses(statement: gast.stmt, axis_name: str | None) -> bool:
    """Whether a collective over this axis is in a statement or inside it."""
    return axis_name is not None and any(crossing(call, axis_name) is not None for call in syntax.calls_in(statement))


def with_axis(function: Function, axis_name: str | None, extent: Extent, names: Names) -> Function:
    """The function of one example that knows how many there are, its collectives in statements of their own."""
    if not any(crosses(s, axis_name) for s in function.body):
        return function
    assert axis_name is not None
    lengths = {length_of_axis(axis_name).terms[0][0]: extent}
    table = {name: with_lengths(t, lengths) for name, t in function.types.items()}
    merged = {name for name, found in def_use(function).definitions.items() if len(found) > 1}

    def apart(statement: gast.stmt) -> list[gast.stmt]:
        """A merged name gets the value after the collective: updates stay the last statements of a block."""
        if crossing(getattr(statement, "value", None), axis_name) is None:
            return [with_blocks(statement, [block(inner) for inner in syntax.blocks_of(statement)])]
        (name,) = syntax.names_bound(statement)
        if name not in merged:
            return [statement]
        fresh = names.fresh(name)
        table[fresh] = table[name]
        update = syntax.at(syntax.assign(name, syntax.name(fresh)), getattr(statement, "span", None))
        return [syntax.rebuild(statement, targets=[syntax.target(fresh)]), update]

    def block(statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        return [made for statement in statements for made in apart(statement)]

    body = tuple(block(function.body))
    results = tuple(with_lengths(t, lengths) for t in function.results)
    return function.with_(body=body, types=table, results=results)


def require_together(statements: Sequence[gast.stmt], axis_name: str | None, varies: object) -> None:
    """Raise Divergent where examples may come to a collective differently; `varies` tells of an expression."""
    if axis_name is None:
        return
    for statement in statements:
        head = getattr(statement, "iter" if isinstance(statement, gast.For) else "test", None)
        if head is not None and varies(head) and crosses(statement, axis_name):  # type: ignore[operator]
            place, name = first_crossing(statement, axis_name)
            what = "how often a loop around it runs" if not isinstance(statement, gast.If) else "a test around it"
            raise Divergent(place, name, f"{what} depends on the example")
        for block in syntax.blocks_of(statement):
            require_together(block, axis_name, varies)


def first_crossing(statement: gast.stmt, axis_name: str) -> tuple[Span | None, str]:
    """Where the first collective over this axis stands in a statement, and what it is."""
    calls = [(inner, call) for inner in syntax.walk([statement]) for call in syntax.calls_in(inner)]
    inner, row = [(inner, row) for inner, call in calls if (row := crossing(call, axis_name)) is not None][-1]
    return getattr(inner, "span", None), row.name
