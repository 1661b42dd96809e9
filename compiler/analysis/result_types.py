"""The type of an expression at any stage, asked of the operator table: nested operators, loads, arrays and scalars.

    result_type(multiply(x[1:], 2.0), {"x": f64[n]})    ->    f64[?]

Lengths that would have to be computed are the opaque `?`.  An expression that no rule types gives None: what is asked
here decides how something is printed or whether it may be moved, and None means "do the careful thing".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from .. import syntax
from ..builder import type_of_constant
from ..diagnostics import InternalError
from ..dtypes import is_bool
from ..ops import schema
from ..ops.forms import LENGTHS
from ..types import BOOL, INT, Array, Dim, Extent, ListOf, Scalar, Type, promote, symbol

UNKNOWN: Dim = symbol("?")


Found = dict[int, Type | None]  # the types of calls, by identity: walks ask for those of every part of an expression


def result_type(node: gast.AST, types: Mapping[str, Type], found: Found | None = None) -> Type | None:
    match node:
        case gast.Name(id=id_):
            return types.get(id_)
        case gast.Constant(value=value):
            return _constant(value)
        case gast.BoolOp():
            return BOOL
        case gast.IfExp(body=body, orelse=orelse):
            left, right = result_type(body, types, found), result_type(orelse, types, found)
            both = isinstance(left, Scalar) and isinstance(right, Scalar)
            return Scalar(*promote(left, right)) if both else None
        case gast.Subscript(value=gast.Name(id=base), slice=items):
            return load_type(types.get(base), items, types)
        case gast.Call():
            if found is None:
                return _call(node, types, None)
            if id(node) not in found:
                found[id(node)] = _call(node, types, found)
            return found[id(node)]
    return None


def _constant(value: object) -> Scalar | None:
    try:
        return type_of_constant(value)
    except InternalError:
        return None


def load_type(base: Type | None, items: gast.expr, types: Mapping[str, Type]) -> Type | None:
    """The type of `base[items]`, its computed lengths unknown."""
    if isinstance(base, ListOf):
        return base.element
    if not isinstance(base, Array):
        return None
    dims: list[Extent] = []
    advanced: list[Type] = []
    axis = 0
    for item in items.elts if isinstance(items, gast.Tuple) else [items]:
        if isinstance(item, gast.Constant) and item.value is None:
            dims.append(1)
            continue
        if isinstance(item, gast.Slice):
            whole = item.lower is None and item.upper is None and item.step is None
            dims.append(base.dims[axis] if whole and axis < base.ndim else UNKNOWN)
        elif isinstance(type_ := result_type(item, types), Array):
            advanced.append(type_)
            axis += type_.ndim - 1 if is_bool(type_.dtype) else 0
        axis += 1
    ranks = [1 if is_bool(t.dtype) else t.ndim for t in advanced]
    dims += [UNKNOWN] * max(ranks, default=0) + list(base.dims[axis:])
    return Array(base.dtype, tuple(dims), "A") if dims else Scalar(base.dtype)


def _call(node: gast.Call, types: Mapping[str, Type], found: Found | None) -> Type | None:
    operator = syntax.operator_of(node)
    if operator in LENGTHS:
        return INT
    if operator == "pop":
        list_ = result_type(node.args[0], types)
        return list_.element if isinstance(list_, ListOf) else None
    row = schema.OPERATORS.get(operator or "")
    if row is None:
        return None
    operands = [result_type(a, types, found) for a in node.args]
    if any(t is None for t in operands):
        return None
    static = {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(node)
    if "shape" in static:
        static["shape"] = _extents(static["shape"])
    try:
        return row.type_rule(tuple(operands), **static)
    except schema.TypeFault:
        return None


def _extents(shape: Any) -> tuple[Extent, ...]:
    lengths = shape.elts if isinstance(shape, gast.Tuple) else shape
    values = [syntax.value_of(e) if isinstance(e, gast.AST) else e for e in lengths]
    return tuple(max(0, v) if isinstance(v, int) else UNKNOWN for v in values)
