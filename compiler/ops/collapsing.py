"""What an operator that rearranges may be replaced by, given what its operand is: rules of the column `collapses`.

    transpose(transpose(x, axes=(1, 0)), axes=(1, 0))    ->    x
    reshape(reshape(x, shape=(n, 2)), shape=(m,))        ->    x, or reshape(x, shape=(m,))
    cast(cast(k, dtype="f64"), dtype="i64")              ->    k, where that loses nothing

A rule takes the call, its operand, the call of the same operator that gave the operand, or None, and the types of
names; the caller takes the first of the candidates that has the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import gast

from .. import syntax
from ..dtypes import is_exact
from ..types import FLOAT, Array, ListOf, Scalar, Type

TypesOf: TypeAlias = Mapping[str, Type]
Candidates: TypeAlias = tuple[gast.expr, ...]


def of_the_like(value: gast.Call, operand: gast.Name, inner: gast.Call | None, types: TypesOf) -> Candidates:
    """The operand, where it has the shape already."""
    return (operand,)


def of_reshapes(value: gast.Call, operand: gast.Name, inner: gast.Call | None, types: TypesOf) -> Candidates:
    return (operand,) if inner is None else (operand, syntax.rebuild(value, args=inner.args))


def of_transposes(value: gast.Call, operand: gast.Name, inner: gast.Call | None, types: TypesOf) -> Candidates:
    order = _order(value)
    if inner is not None:
        first = _order(inner)
        order = [first[axis] for axis in order]
        operand = inner.args[0]
    if order == list(range(len(order))):
        return (operand,)
    return () if inner is None else (syntax.call("transpose", operand, axes=tuple(order)),)


def _order(transpose: gast.Call) -> list[int]:
    """The axes of a transpose, counted from the front."""
    axes: Any = syntax.static_of(transpose)["axes"]
    return [axis % len(axes) for axis in axes]


def of_conversions(value: gast.Call, operand: gast.Name, inner: gast.Call | None, types: TypesOf) -> Candidates:
    """A conversion that loses nothing may be left out on the way to another."""
    if inner is None:
        return (operand,)
    source, middle = _dtype(inner.args[0], types), _dtype(operand, types)
    if source is None or middle is None:
        return (operand,)
    there_and_back = source == middle == syntax.static_of(value)["dtype"]  # one number for Python and for NumPy
    if not there_and_back and not _is_weak_alike(inner.args[0], operand, types):
        return (operand,)
    if not is_exact(source, middle):
        return (operand,)
    return operand, inner.args[0], syntax.rebuild(value, args=inner.args)


def _is_weak_alike(first: gast.expr, second: gast.expr, types: TypesOf) -> bool:
    """Casts to and from Python numbers have errors of their own: they stay."""
    return all(not _weak(node, types) for node in (first, second))


def _weak(node: gast.expr, types: TypesOf) -> bool:
    type_ = types.get(node.id) if isinstance(node, gast.Name) else FLOAT
    return isinstance(type_, Scalar) and type_.weak


def _dtype(node: gast.expr, types: TypesOf) -> str | None:
    type_ = types.get(node.id) if isinstance(node, gast.Name) else None
    return type_.dtype if isinstance(type_, Array | Scalar) and not isinstance(type_, ListOf) else None
