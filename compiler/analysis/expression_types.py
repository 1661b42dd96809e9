"""The type of a nested scalar expression of the loops stage, and the dtypes in which an operator works.

    type_of(add(a[i], cast(k, dtype="f64")), types)    ->    f64
    result_of("less", (f64, float))                    ->    bool_
    works_in("less", (f64, float))                     ->    f64, f64

Both are what the operator's row says.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..dtypes import BOOL_WORD
from ..ops import schema
from ..ops.forms import LENGTHS, LIST_READS
from ..types import INT, ListOf, Scalar, Type, promote, type_of_number

Held = dict[int, tuple[gast.expr, Type]]


def type_of(node: gast.expr, types: Mapping[str, Type], held: Held | None = None) -> Type:
    """The type of an expression; `held` keeps those of its parts for the next question."""
    kind = type(node)
    if kind is gast.Name:
        return types[node.id]
    if kind is gast.Constant:
        return type_of_constant(node.value)
    if kind is gast.Subscript and isinstance(node.value, gast.Name):
        container = types[node.value.id]
        return container.element if isinstance(container, ListOf) else Scalar(container.dtype)
    found = None if held is None else held.get(id(node))
    if found is not None:
        return found[1]
    result = _type_of_compound(node, types, held)
    if held is not None:
        held[id(node)] = node, result  # with the tree itself, so that its id stays its own
    return result


def _type_of_compound(node: gast.expr, types: Mapping[str, Type], held: Held | None) -> Type:
    match node:
        case gast.Call():
            return _type_of_call(node, types, held)
        case gast.IfExp(body=body, orelse=orelse):
            return joined(type_of(body, types, held), type_of(orelse, types, held))
        case gast.BoolOp(values=values):
            return Scalar(BOOL_WORD, all(_scalar(type_of(v, types, held)).weak for v in values))
    raise InternalError("expression types", gast.dump(node), "not an expression of the loops stage")


def is_scalar_operator(name: str) -> bool:
    """Whether calls of this name are scalar expressions, rather than calls of a function or statements."""
    row = schema.OPERATORS.get(name)
    return name in LIST_READS or row is not None and (row.kind == "elementwise" or name == "dim")


def type_of_constant(value: object) -> Scalar:
    found = type_of_number(value)
    if found is None:
        raise InternalError("expression types", repr(value), "a constant without a type")
    return found


def joined(left: Type, right: Type) -> Scalar:
    """The type of a value that is one of two."""
    dtype, weak = promote(_scalar(left), _scalar(right))
    return Scalar(dtype, weak)


def _scalar(type_: Type) -> Scalar:
    if not isinstance(type_, Scalar):
        raise InternalError("expression types", str(type_), "a scalar is needed here")
    return type_


def _type_of_call(node: gast.Call, types: Mapping[str, Type], held: Held | None) -> Type:
    operator = syntax.operator_of(node)
    if operator in LENGTHS:
        return INT
    if operator == "cast":
        static = syntax.static_of(node)
        return Scalar(str(static["dtype"]), bool(static.get("weak", False)))
    if operator == "pop":
        return types[node.args[0].id].element
    return result_of(str(operator), tuple([_scalar(type_of(a, types, held)) for a in node.args]))


@cache
def result_of(operator: str, operands: tuple[Scalar, ...]) -> Scalar:
    """The type of an elementwise operator on single numbers."""
    if operator not in schema.OPERATORS:
        raise InternalError("expression types", operator, "not an operator of the loops stage")
    return _scalar(schema.OPERATORS[operator].type_rule(operands))


@cache
def works_in(operator: str, operands: tuple[Scalar, ...]) -> tuple[str, ...]:
    """The dtypes that the operands are converted to."""
    return schema.OPERATORS[operator].works_in(operands, result_of(operator, operands))
