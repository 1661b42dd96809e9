"""The tangent of the result of one operator, by the rules of its row that give cotangents too.

    tangent(builder, OPERATORS["multiply"], [x, y], [x_dot, y_dot], {}, out)    ->    x_dot * y + y_dot * x

A partial derivative times a cotangent is linear in it, element by element, and is the same times a tangent.  Rows that
are linear are their own tangents; the others have a rule of their own (`schema.Operator`).  A tangent has the dtype and
the shape of its primal; None stands for one that is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import syntax
from ..types import Array, Type, dtype_of
from .cotangents import Atom, Atoms, Static, as_type, by_partial, shape_of
from .schema import EACH, TOGETHER, Operator
from .type_rules import dims_of

if TYPE_CHECKING:
    from ..builder import Builder

Tangents: TypeAlias = Sequence[Atom | None]
NOTHING = syntax.constant(0.0)


def tangent(
    builder: Builder, row: Operator, operands: Atoms, tangents: Tangents, static: Static, out: Atom, hint: str = "t_dot"
) -> Atom | None:
    """Emit the tangent of the result, None where it is zero.

    Raises TypeFault G003 where the derivative exists but the language cannot say it.
    """
    if row.linear == TOGETHER:
        value: Atom | None = together(builder, row, operands, tangents, static, hint)
    elif row.linear == EACH:
        value = _one_by_one(builder, row, operands, tangents, static, hint)
    elif row.jvp is not None:
        value = row.jvp(builder, operands, tangents, static, out)
    else:
        value = _of_partials(builder, row, operands, tangents, static, out, hint)
    return None if value is None else fitted(builder, value, out, hint)


def tangents_of_results(
    builder: Builder, row: Operator, operands: Atoms, tangents: Tangents, static: Static, outs: Atoms
) -> list[Atom | None]:
    """The same for an operator that has several results."""
    rule: Any = row.jvp
    values = rule(builder, operands, tangents, static, outs)
    return [None if value is None else fitted(builder, value, out) for value, out in zip(values, outs, strict=True)]


def together(
    builder: Builder, row: Operator, operands: Atoms, tangents: Tangents, static: Static, hint: str
) -> Atom:
    """The operator of the tangents, zeros among them; what it has no derivative by stays."""
    rules = row.partials or row.vjp
    parts: list[Atom] = []
    for position, (operand, given) in enumerate(zip(operands, tangents)):
        if rules[0 if row.operands[0].startswith("*") else position] is None:
            parts.append(operand)
        elif given is None:
            parts.append(NOTHING if row.kind == "elementwise" else zeros(builder, operand))
        else:
            parts.append(given)
    return builder.call(row.name, *parts, hint=hint, **static)


def _one_by_one(
    builder: Builder, row: Operator, operands: Atoms, tangents: Tangents, static: Static, hint: str
) -> Atom | None:
    """The sum of what the tangents give, each beside the other operands."""
    total: Atom | None = None
    is_single = sum(given is not None for given in tangents) == 1
    for position, given in enumerate(tangents):
        if given is not None:
            parts = [*operands[:position], given, *operands[position + 1 :]]
            term = builder.call(row.name, *parts, hint=hint if is_single else "t", **static)
            total = term if total is None else builder.call("add", total, term, hint=hint)
    return total


def _of_partials(
    builder: Builder, row: Operator, operands: Atoms, tangents: Tangents, static: Static, out: Atom, hint: str
) -> Atom | None:
    """The sum of the tangents, each times its partial derivative."""
    total: Atom | None = None
    is_single = sum(given is not None for given in tangents) == 1
    for position, given in enumerate(tangents):
        if given is None:
            continue
        if total is not None and row.partials[position] == "-1.0":
            total = builder.call("subtract", total, given, hint=hint)
            continue
        term = by_partial(builder, row, position, operands, static, out, given, hint if is_single else "t")
        if term is not None:
            total = term if total is None else builder.call("add", total, term, hint=hint)
    return total


# --- types and shapes ----------------------------------------------------------------------------------------------


def fitted(builder: Builder, value: Atom, like: Atom, hint: str = "t_dot") -> Atom:
    """A tangent in the dtype, the weakness and the shape of its primal; a number may have an array without axes."""
    target = builder.type_of(like)
    if not isinstance(target, Array):
        if isinstance(builder.type_of(value), Array):
            value = builder.load(value.id, [], hint)
        return as_type(builder, value, target, hint)
    if not isinstance(builder.type_of(value), Array):
        return builder.call("full", value, hint=hint, shape=shape_of(builder, like), dtype=target.dtype)
    value = as_type(builder, value, target, hint)
    if not is_spread(builder.type_of(value), target):
        return value
    return builder.call("broadcast_to", value, hint=hint, shape=shape_of(builder, like))


def is_spread(given: Type, target: Type) -> bool:
    """Whether elements of an array have to be repeated to give another one its shape."""
    mine, its = dims_of(given), dims_of(target)
    return len(mine) != len(its) or any((a == 1) != (b == 1) for a, b in zip(mine, its))


def zeros(builder: Builder, like: Atom, hint: str = "t_dot") -> Atom:
    """Zeros in the shape and dtype of an atom."""
    target = builder.type_of(like)
    if not isinstance(target, Array):
        return as_type(builder, NOTHING, target, hint)
    return builder.call("zeros", hint=hint, shape=shape_of(builder, like), dtype=dtype_of(target))
