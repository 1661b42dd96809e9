"""Which elements of a result depend on which of the operands: tangents that are only added up, never cancelled.

    dependence(builder, OPERATORS["multiply"], [x, y], [x_dot, y_dot], {}, out)    ->    x_dot + y_dot

The rule of every operator is that of its tangent with one in place of each slope.  Begun with zeros and ones, a
number is zero in the end where nothing leads to it, and positive elsewhere: however small a slope is, or if it is zero
just here.  Many ways may lead to an infinite number, or to one that is none, which is not zero either.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from ..types import dtype_of
from .cotangents import Atom, Atoms, Static, shape_of
from .schema import EACH, TOGETHER, Operator
from .tangents import Tangents, fitted, together
from .type_rules import dims_of

if TYPE_CHECKING:
    from ..builder import Builder


def dependence(
    builder: Builder, row: Operator, operands: Atoms, tangents: Tangents, static: Static, out: Atom, hint: str = "t_dot"
) -> Atom:
    """Emit what the result depends on; some operand has a tangent."""
    if row.kind == "elementwise":
        value = total(builder, [given for given in tangents if given is not None], hint)
    elif row.linear == TOGETHER:
        value = together(builder, row, operands, tangents, static, hint)
    elif row.linear == EACH:
        places = [k for k, given in enumerate(tangents) if given is not None]
        terms = [_beside_ones(builder, row, operands, tangents, k, static) for k in places]
        value = total(builder, terms, hint)
    elif row.kind == "reduction":
        value = builder.call("sum", tangents[0], hint=hint, axis=static["axis"], keepdims=static["keepdims"])
    else:
        value = of_all(builder, tangents, hint)
    return fitted(builder, value, out, hint)


def of_all(builder: Builder, tangents: Tangents, hint: str = "t_dot") -> Atom:
    """One number that depends on all that these do."""
    sums = [_summed(builder, given) for given in tangents if given is not None]
    return total(builder, sums, hint)


def _summed(builder: Builder, given: Atom) -> Atom:
    return builder.call("sum", given, axis=None, keepdims=False) if dims_of(builder.type_of(given)) else given


def total(builder: Builder, terms: list[Atom], hint: str) -> Atom:
    return reduce(lambda left, right: builder.call("add", left, right, hint=hint), terms)


def _beside_ones(
    builder: Builder, row: Operator, operands: Atoms, tangents: Tangents, position: int, static: Static
) -> Atom:
    """The product with one tangent, and ones in place of the other operands."""
    parts = [
        tangents[k] if k == position
        else builder.call("full", 1.0, shape=shape_of(builder, x), dtype=dtype_of(builder.type_of(x)))
        for k, x in enumerate(operands)
    ]  # fmt: skip
    return builder.call(row.name, *parts, **static)
