"""Where a statement raises, as a test that comes before it.

    t = divide(x, y)      of Python's numbers     ->     ZeroDivisionError    where y == 0.0
    t = x[i]                                      ->     IndexError           where i < -n or i >= n
    l = cholesky(a)                               ->     LinAlgError          where any(cholesky_fails(a))

Says for one statement of the typed language in which cases CPython raises what; errors of the compiler alone (an int of
more than 64 bits) are not among them.  The tests are emitted, but only for exceptions that somebody asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gast

from .... import syntax
from ....builder import Builder
from ....dtypes import INT_WORD
from ....ops.raising import if_empty
from ....ops.schema import OPERATORS
from ....types import Scalar
from .failing_arrays import of_items, of_routine, of_store, unlike_lengths
from .failing_cases import INDEX, LINALG, OVERFLOW, RULES, VALUE, ZERO_DIVISION, Atom, Case, Untold, Wants
from .failing_numbers import of_domain


def cases_of(builder: Builder, statement: gast.stmt, wants: Wants) -> Iterator[Case]:
    """The cases in which a statement raises an exception that is asked for, each with its test; the first prevails."""
    match statement:
        case gast.Assign(targets=[gast.Subscript() as place], value=value):
            yield from of_store(builder, place, value, wants)
        case gast.Assign(value=gast.Subscript(value=gast.Name(id=base), slice=items)):
            yield from of_items(builder, base, items, wants)
        case gast.Assign(value=gast.Call() as call) | gast.Expr(value=gast.Call() as call):
            yield from _of_call(builder, call, wants)


def _of_call(builder: Builder, call: gast.Call, wants: Wants) -> Iterator[Case]:
    name, args = str(syntax.operator_of(call)), call.args
    row = OPERATORS.get(name)
    if row is None:
        yield from _of_form(builder, name, args, wants)
        return
    static = {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(call)
    types = [builder.type_of(a) for a in args]
    if row.kind == "elementwise" and wants(VALUE):
        yield from unlike_lengths(builder, args, types)
    rule = RULES.get(name) or RULES.get(row.kind)
    if row.domain is not None:
        yield from of_domain(builder, row, args, wants)
    elif row.routine:
        yield from of_routine(builder, row, args, types, static, wants)
    elif rule is not None and (row.kind != "reduction" or row.raises is if_empty):
        yield from rule(builder, args, types, static, wants)


def _of_form(builder: Builder, name: str, args: Sequence[Atom], wants: Wants) -> Iterator[Case]:
    match name:
        case "new_list" | "append" | "length":
            return
        case "pop":
            if wants(INDEX):
                count = builder.bind(syntax.call("length", *args), Scalar(INT_WORD, True), "count")
                yield Case(INDEX, builder.call("equal", count, 0), "pop from empty list")
        case "add_at":
            yield from of_items(builder, args[0].id, args[1], wants)
        case _:
            for exception in (VALUE, ZERO_DIVISION, INDEX, OVERFLOW, LINALG):
                if wants(exception):
                    raise Untold(exception)
