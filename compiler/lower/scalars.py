"""Nested scalar expressions of the typed stage, as they stand in tests, with everything explicit.

    less(i, n) and greater(a[i], 0)    ->    less(i, n) and greater(a[i], 0.0)
"""

from __future__ import annotations

import gast

from .. import syntax
from ..analysis.expression_types import result_of
from ..analysis.integers.range_values import items_of
from ..diagnostics import InternalError
from ..dtypes import BOOL_WORD, INT_WORD, is_bool
from ..ops.forms import FORMS
from ..types import ListOf, Scalar
from .lowering import Lowering
from .nest import realise
from .nodes import ScalarTree
from .operands import apply, cast


def truth(value: ScalarTree) -> gast.expr:
    return value.tree if is_bool(value.dtype) else cast(value, Scalar(BOOL_WORD, value.weak)).tree


def scalar(low: Lowering, node: gast.expr) -> ScalarTree:
    """A nested expression of the typed stage with its conversions explicit and its arrays named as they are here."""
    match node:
        case gast.Name() | gast.Constant():
            return low.value(node)
        case gast.BoolOp(values=parts):
            values = [scalar(low, part) for part in parts]
            tree = syntax.rebuild(node, values=[truth(v) for v in values])
            return ScalarTree(tree, BOOL_WORD, all(v.weak for v in values))
        case gast.IfExp(test=test, body=body, orelse=orelse):
            left, right = scalar(low, body), scalar(low, orelse)
            type_ = result_of("where", (Scalar(BOOL_WORD), left.type, right.type))
            return ScalarTree(gast.IfExp(truth(scalar(low, test)), left.tree, right.tree), type_.dtype, type_.weak)
        case gast.Subscript(value=gast.Name(id=base)):
            return _loaded(low, base, node)
        case gast.Call():
            return _called(low, node)
    raise InternalError("loops", gast.dump(node), "not a scalar expression")


def _loaded(low: Lowering, base: str, node: gast.Subscript) -> ScalarTree:
    items = [scalar(low, item).tree for item in items_of(node)]
    type_ = low.function.types[base]
    if isinstance(type_, ListOf):
        element = type_.element
        return ScalarTree(syntax.index(base, *items), element.dtype, isinstance(element, Scalar) and element.weak)
    return ScalarTree(syntax.index(realise(low, low.nodes[base]).name, *items), type_.dtype)


def _called(low: Lowering, node: gast.Call) -> ScalarTree:
    operator = str(syntax.operator_of(node))
    static = syntax.static_of(node)
    if operator == "dim":
        axis = static["axis"]
        return ScalarTree(low.node(node.args[0]).lengths[axis].clamped, INT_WORD, True)
    if operator in FORMS:
        return ScalarTree(node, INT_WORD, True)
    values = [scalar(low, a) for a in node.args]
    if operator == "cast":
        return cast(values[0], Scalar(str(static["dtype"]), bool(static.get("weak", False))))
    return apply(operator, values, static, result_of(operator, tuple(v.type for v in values)))
