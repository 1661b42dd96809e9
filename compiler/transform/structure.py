"""Compose operators that only rearrange or convert.

    transpose(transpose(x))              ->    x, or one transpose
    reshape(reshape(x, ...), shape=s)    ->    reshape(x, shape=s)
    reshape(x, its own shape)            ->    x              broadcast_to, cast to what it is already: x
    cast(cast(x, "f64"), "f32")          ->    x, for x: f32

Candidates are by form; whether the type is the same is for the caller to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast

from .. import syntax
from ..dtypes import is_exact
from ..types import FLOAT, Array, ListOf, Scalar, Type

ValueOf = Callable[[str], gast.expr | None]
REARRANGING = frozenset({"transpose", "reshape", "broadcast_to", "cast"})


def compose(value: gast.Call, types: Mapping[str, Type], value_of: ValueOf) -> tuple[gast.expr, ...]:
    """What the value may be replaced by."""
    operator = syntax.operator_of(value)
    if operator not in REARRANGING or not isinstance(value.args[0], gast.Name):
        return ()
    operand = value.args[0]
    inner = value_of(operand.id)
    inner = inner if inner is not None and syntax.operator_of(inner) == operator else None
    match operator:
        case "transpose":
            return _transpose(value, operand, inner)
        case "cast":
            return _cast(value, operand, inner, types)
        case "reshape" if inner is not None:
            return operand, syntax.rebuild(value, args=inner.args)
    return (operand,)


def _transpose(value: gast.Call, operand: gast.Name, inner: gast.Call | None) -> tuple[gast.expr, ...]:
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


def _cast(
    value: gast.Call, operand: gast.Name, inner: gast.Call | None, types: Mapping[str, Type]
) -> tuple[gast.expr, ...]:
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


def _is_weak_alike(first: gast.expr, second: gast.expr, types: Mapping[str, Type]) -> bool:
    """Casts to and from Python numbers have errors of their own: they stay."""
    return all(not _weak(node, types) for node in (first, second))


def _weak(node: gast.expr, types: Mapping[str, Type]) -> bool:
    type_ = types.get(node.id) if isinstance(node, gast.Name) else FLOAT
    return isinstance(type_, Scalar) and type_.weak


def _dtype(node: gast.expr, types: Mapping[str, Type]) -> str | None:
    type_ = types.get(node.id) if isinstance(node, gast.Name) else None
    return type_.dtype if isinstance(type_, Array | Scalar) and not isinstance(type_, ListOf) else None
