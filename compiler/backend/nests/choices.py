"""Branches around stores of a loop that are better written as stores without branches.

    if through < d[i, j]:                       d[i, j] = through if through < d[i, j] else d[i, j]
        d[i, j] = through              ->

The element has been reached in the same turn, so that it is there; no one else sees it, so that storing what it holds
changes nothing; and the value costs little and cannot fail.  Takes the body of a loop without loops inside, and gives
for such branches what is stored where.  Machine code of it has no branch to guess, and can be in vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.expression_types import type_of
from ...dtypes import is_inexact
from ...ops.raising import never
from ...ops.schema import row_of
from ...ops.works_in import as_result
from ...types import Array, Scalar, Type

Choice = tuple[gast.Subscript, gast.expr]
Reached = dict[object, gast.Subscript]


def choices(body: Sequence[gast.stmt], types: Mapping[str, Type]) -> dict[int, list[Choice]]:
    """For the identity of every such branch the places and values of its stores, in terms of accesses before it."""
    found: dict[int, list[Choice]] = {}
    if any(isinstance(s, gast.If) for s in body):
        _block(body, {}, types, found)
    return found


def _block(
    body: Sequence[gast.stmt], reached: Reached, types: Mapping[str, Type], found: dict[int, list[Choice]]
) -> None:
    """`reached` are elements that this turn has read or stored by now, whichever way it went."""
    for statement in body:
        match statement:
            case gast.Assign(targets=[place], value=value):
                _reach(value, reached)
                if isinstance(place, gast.Subscript):
                    _reach(place, reached)
            case gast.If(test=test, body=then, orelse=orelse):
                _reach(test, reached)
                stores = [] if orelse else [_choice(s, reached, types) for s in then]
                if stores and None not in stores:
                    found[id(statement)] = stores  # type: ignore[assignment]
                for block in (then, orelse):
                    _block(block, dict(reached), types, found)
        _forget(statement, reached)


def _reach(node: gast.expr, reached: Reached) -> None:
    for place in _elements(node):
        if not any(isinstance(part, gast.Subscript) for part in syntax.nodes_of(place.slice)):
            reached.setdefault(syntax.form_of(place), place)


def _elements(node: gast.AST) -> Iterator[gast.Subscript]:
    """The elements that evaluating an expression touches in any case."""
    match node:
        case gast.BoolOp(values=values):
            yield from _elements(values[0])
        case gast.IfExp(test=test):
            yield from _elements(test)
        case _:
            if isinstance(node, gast.Subscript):
                yield node
            for part in syntax.children_of(node):
                yield from _elements(part)


def _forget(statement: gast.stmt, reached: Reached) -> None:
    """Names that have changed mean other elements."""
    changed = {n for s in syntax.walk([statement]) for n in syntax.names_changed(s)}
    for form, place in list(reached.items()):
        if not changed.isdisjoint(syntax.names_read(place)):
            del reached[form]


def _choice(statement: gast.stmt, reached: Reached, types: Mapping[str, Type]) -> Choice | None:
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as place], value=value):
            known, type_ = reached.get(syntax.form_of(place)), types.get(base)
            if known is None or not isinstance(type_, Array) or not is_inexact(type_.dtype):
                return None
            cheap = _cheap(value, reached, types)
            return None if cheap is None else (known, cheap)
    return None


def _cheap(node: gast.expr, reached: Reached, types: Mapping[str, Type]) -> gast.expr | None:
    """The value with its elements as they were reached before; None for one that costs more or may fail."""
    match node:
        case gast.Constant(value=value):
            return node if isinstance(value, float) else None
        case gast.Name(id=name):
            return node if _is_float(types.get(name)) else None
        case gast.Subscript():
            return reached.get(syntax.form_of(node)) if _is_float(type_of(node, types)) else None
        case gast.Call(func=gast.Name(id=operator), args=args, keywords=[]) if _is_cheap(operator):
            parts = [_cheap(part, reached, types) for part in args]
            return None if None in parts else syntax.rebuild(node, args=parts)
    return None


def _is_cheap(operator: str) -> bool:
    """Whether an operator gives a float from floats for next to nothing, and cannot fail."""
    row = row_of(operator)
    if row is None or row.kind != "elementwise" or row.works_in is not as_result:
        return False
    return row.work in ("free", "light") and row.raises is never


def _is_float(type_: Type | None) -> bool:
    return isinstance(type_, Scalar) and is_inexact(type_.dtype)
