"""Products with a cotangent that repeats one number, one row or one column: sums and products with vectors.

    out = a @ b                            a_bar = out_bar @ b.T              b_bar = a.T @ out_bar

    out_bar is one number c everywhere     each row is c * sum(b, axis=1)     each column is c * sum(a, axis=0)
    every row of it is v                   each row is b @ v                  outer(sum(a, axis=0), v)
    every column of it is u                outer(u, sum(b, axis=1))           each column is u @ a

The loss is a sum, a mean or linear in the last layer's result where that happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from .. import syntax
from ..records import dataclass
from ..types import Array, rank
from .cotangents import Atom, shape_of
from .type_rules import dims_of

if TYPE_CHECKING:
    from ..builder import Builder

NUMBER, ROW, COLUMN = "number", "row", "column"


@dataclass(frozen=True, slots=True)
class Repeated:
    """What a matrix, or a stack of them, repeats: a number, or a vector."""

    kind: str
    value: Atom


def repeated(builder: Builder, bar: Atom) -> Repeated | None:
    """What a cotangent repeats; None where its elements are all its own."""
    if not isinstance(builder.type_of(bar), Array):
        return Repeated(NUMBER, bar)
    made = next((s.value for s in reversed(builder.body) if bar.id in syntax.names_bound(s)), None)
    match made:
        case gast.Call(func=gast.Name(id="multiply"), args=[bar, factor]) if not dims_of(builder.type_of(factor)):
            whole = repeated(builder, bar)
            return whole and Repeated(whole.kind, builder.call("multiply", whole.value, factor))
        case gast.Call(func=gast.Name(id="full"), args=[value]):
            return Repeated(NUMBER, value)
        case gast.Call(func=gast.Name(id="broadcast_to"), args=[value]):
            return _spread(builder, value, rank(builder.type_of(bar)))
    return None


def _spread(builder: Builder, value: Atom, ndim: int) -> Repeated | None:
    dims = dims_of(builder.type_of(value))
    if not dims:
        return Repeated(NUMBER, value)
    if all(extent == 1 for extent in dims[:-1]) and dims[-1] != 1:
        first = [syntax.constant(0)] * (len(dims) - 1)
        return Repeated(ROW, builder.load(value, [*first, syntax.slice_()]) if first else value)
    if ndim == len(dims) == 2 and dims[1] == 1:
        return Repeated(COLUMN, builder.load(value, [syntax.slice_(), syntax.constant(0)]))
    return None


def times_transposed(builder: Builder, bar: Repeated, b: Atom, a: Atom) -> Atom:
    """`out_bar @ b.T` in the shape of `a`."""
    if bar.kind == ROW:
        return builder.call("broadcast_to", builder.call("matmul", b, bar.value), shape=shape_of(builder, a))
    sums = builder.call("sum", b, axis=1, keepdims=False)
    if bar.kind == COLUMN:
        return builder.call("multiply", _column(builder, bar.value), sums)
    return builder.call("broadcast_to", builder.call("multiply", bar.value, sums), shape=shape_of(builder, a))


def transposed_times(builder: Builder, a: Atom, bar: Repeated, b: Atom) -> Atom:
    """`a.T @ out_bar` in the shape of `b`."""
    if bar.kind == COLUMN:
        column = _column(builder, builder.call("matmul", bar.value, a))
        return builder.call("broadcast_to", column, shape=shape_of(builder, b))
    column = _column(builder, builder.call("sum", a, axis=0, keepdims=False))
    product = builder.call("multiply", column, bar.value)
    return product if bar.kind == ROW else builder.call("broadcast_to", product, shape=shape_of(builder, b))


def _column(builder: Builder, x: Atom) -> Atom:
    return builder.load(x, [syntax.slice_(), syntax.constant(None)])
