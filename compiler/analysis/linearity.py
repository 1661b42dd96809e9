"""Which operands a statement is not linear in: where its result bends, and where it jumps.

    y = x * w       bends in neither, where only one of them changes; where both do, in both
    y = exp(x)      bends in x: the slope reads the result
    y = floor(x)    jumps in x, as all do that have no slope, or a result that is no float
    y = x % 2.0     jumps in x, as its row says: the slope does not show it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import gast

from .. import syntax
from ..builder import Builder, Specialiser
from ..names import Names
from ..ops.cotangents import cotangent
from ..ops.schema import OPERATORS, TypeFault, row_of
from ..types import Type, is_floating
from .activity import passing

Types = Mapping[str, Type]


def jumping(statement: gast.stmt, types: Types) -> set[str]:
    """The floats that change the result of an assignment by jumps."""
    value = statement.value
    floats = {name for name in syntax.names_read(value) if is_floating(types[name])}
    if not all(is_floating(types[name]) for name in syntax.names_bound(statement)):
        return floats
    row = row_of(syntax.operator_of(value))
    if row is None:
        return set()
    operands = {a.id for a in value.args if isinstance(a, gast.Name)}
    return floats & (operands if row.jumps else operands - {name for _, name in passing(value)})


def bending(statement: gast.stmt, touched: set[str], types: Types, specialiser: Specialiser) -> set[str]:
    """The floats that bend the result of an assignment where these names change: its slope by them changes too."""
    value = statement.value
    operator = syntax.operator_of(value)
    if operator not in OPERATORS:
        return set()
    places = [(k, name) for k, name in passing(value) if name in touched]
    (*outs,) = syntax.names_bound(statement)
    if len(outs) > 1:
        return {name for _, name in places}
    changed = {*touched, outs[0]}
    return {name for k, name in places if not changed.isdisjoint(_read_by_slope(value, k, outs[0], types, specialiser))}


def _read_by_slope(call: gast.Call, position: int, out: str, types: Types, specialiser: Specialiser) -> Iterator[str]:
    """The names whose values a cotangent is made of, besides that of the result."""
    names = Names(types)
    bar = names.take("out_bar")
    builder = Builder(names, {**types, bar: types[out]})
    builder.specialiser = specialiser
    row, static = OPERATORS[call.func.id], syntax.static_of(call)
    static = {key: value for key, value in row.static.items() if value is not ...} | static
    try:
        cotangent(builder, row, position, call.args, static, syntax.name(out), syntax.name(bar))
    except TypeFault:
        yield out  # there is none
    for statement in builder.body:
        yield from values_read(statement)


def values_read(node: gast.AST) -> list[str]:
    """The names whose values an expression reads, and not their lengths alone."""
    names = syntax.names_read(node)
    for call in syntax.calls_in(node):
        if syntax.operator_of(call) in ("dim", "length") and isinstance(call.args[0], gast.Name):
            names.remove(call.args[0].id)
    return names
