"""Scalar operators with everything explicit: operands in the dtype they are computed in, Python numbers kept apart.

    f32 x, float s     multiply(x, s)    ->    multiply(x, cast(s, dtype="f32"))
    i64 k, float 2.5   multiply(k, 2.5)  ->    multiply(cast(k, dtype="f64"), 2.5)
    f64 x, int 2       add(x, 2)         ->    add(x, 2.0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from .. import syntax
from ..analysis.expression_types import result_of, works_in
from ..dtypes import DTYPE, FLOAT_WORD, INT_WORD, LARGEST_EXACT, holds, is_integer, order, summed
from ..ops.schema import OPERATORS, row_of
from ..types import Scalar
from .nodes import TRANSCENDENTAL_WORK, ScalarTree, work_of_operator


def apply(operator: str, values: Sequence[ScalarTree], static: Mapping[str, object], wanted: Scalar) -> ScalarTree:
    """The value of an operator on scalars, of the type that the typed stage gave it."""
    if operator == "cast":
        return cast(values[0], wanted)
    is_comparison = OPERATORS[operator].is_comparison
    if is_comparison and len(values) == 2:
        values = [_as_peer(v, other) for v, other in zip(values, values[::-1], strict=True)]
    types = tuple(v.type for v in values)
    dtypes, is_weak = list(works_in(operator, types)), result_of(operator, types).weak
    if is_comparison and is_integer(dtypes[0]) and not all(_is_held(v, dtypes[0]) for v in values):
        dtypes = [INT_WORD] * len(values)  # an int that the dtype cannot hold is compared by its value, not refused
    if is_weak and is_comparison and any(map(_is_exact_float, values)):
        dtypes = [FLOAT_WORD if FLOAT_WORD in dtypes else dtypes[0]] * len(values)
    if operator == "where" and not is_weak:
        values = [_as_element(v, dtype) for v, dtype in zip(values, dtypes, strict=True)]
    converted = [convert(v, dtype, is_weak) for v, dtype in zip(values, dtypes, strict=True)]
    if not is_weak and not any(v.is_solid for v in converted):
        converted = _solidified(converted)
    tree = _tree(operator, [v.tree for v in converted], static)
    return ScalarTree(tree, wanted.dtype, wanted.weak)


def _as_peer(value: ScalarTree, other: ScalarTree) -> ScalarTree:
    """An int of the program as a number of the widest ints without a sign, where it meets one and has none."""
    is_widest = not other.weak and is_integer(other.dtype) and other.dtype == summed(other.dtype) != INT_WORD
    if is_widest and isinstance(value.tree, gast.Constant) and value.dtype == INT_WORD and value.tree.value >= 0:
        return solid(ScalarTree(value.tree, other.dtype, bare=True))
    return value


def _as_element(value: ScalarTree, dtype: str) -> ScalarTree:
    """An int of Python's as NumPy chooses it: as an element of an array of ints, which wraps where it does not fit."""
    if not value.weak or value.dtype != INT_WORD or not is_integer(dtype) or dtype == INT_WORD:
        return value
    if isinstance(value.tree, gast.Constant) and holds(dtype, value.tree.value):
        return value
    return solid(value)


def _is_held(value: ScalarTree, dtype: str) -> bool:
    """Whether it is no int of Python's that the dtype may not hold."""
    return not value.weak or value.dtype != INT_WORD or dtype == summed(dtype)


def _is_exact_float(value: ScalarTree) -> bool:
    """Whether it is an int constant that a float holds as it is."""
    number = getattr(value.tree, "value", None) if isinstance(value.tree, gast.Constant) else None
    return type(number) is int and abs(number) <= LARGEST_EXACT


def _tree(operator: str, operands: list[gast.expr], static: Mapping[str, object]) -> gast.expr:
    """The call; a choice with a costly side is made lazily."""
    if operator == "where" and any(map(_is_costly, operands[1:])):
        condition, then, otherwise = operands
        return gast.IfExp(condition, then, otherwise)
    return syntax.call(operator, *operands, **static)


def _is_costly(tree: gast.expr) -> bool:
    """Whether it holds a transcendental function; a power, which is written with a sign, may be a mere product."""
    rows = (row_of(syntax.operator_of(node)) for node in syntax.nodes_of(tree))
    named = (row.name for row in rows if row is not None and row.precedence is None)
    return any(work_of_operator(name) >= TRANSCENDENTAL_WORK for name in named)


def _solidified(values: list[ScalarTree]) -> list[ScalarTree]:
    """The first number that stands for a NumPy one made into one, so that the operator is NumPy's."""
    position = next((k for k, v in enumerate(values) if v.bare), 0)
    return [solid(v) if k == position else v for k, v in enumerate(values)]


def solid(value: ScalarTree) -> ScalarTree:
    """The value as a NumPy number."""
    if value.is_solid:
        return value
    return ScalarTree(syntax.call("cast", value.tree, dtype=value.dtype), value.dtype)


def cast(value: ScalarTree, wanted: Scalar) -> ScalarTree:
    if value.dtype == wanted.dtype and value.weak == wanted.weak:
        return value
    if wanted.weak:
        return ScalarTree(syntax.call("cast", value.tree, dtype=wanted.dtype, weak=True), wanted.dtype, True)
    if isinstance(value.tree, gast.Constant) and order(value.dtype) <= order(wanted.dtype):
        same = constant(value.tree.value, wanted.dtype)
        return ScalarTree(syntax.call("cast", same, dtype=wanted.dtype), wanted.dtype)
    return ScalarTree(syntax.call("cast", value.tree, dtype=wanted.dtype), wanted.dtype)


def convert(value: ScalarTree, dtype: str, weak: bool = False) -> ScalarTree:
    """The value in another dtype; a constant is rewritten, anything else is cast."""
    if value.dtype == dtype:
        return value
    if isinstance(value.tree, gast.Constant) and order(value.dtype) <= order(dtype):
        return ScalarTree(constant(value.tree.value, dtype), dtype, value.weak, value.bare)
    if weak:
        return ScalarTree(syntax.call("cast", value.tree, dtype=dtype, weak=True), dtype, True)
    return ScalarTree(syntax.call("cast", value.tree, dtype=dtype), dtype)


def constant(value: float, dtype: str) -> gast.Constant:
    return syntax.constant(DTYPE[dtype].python_type(value))
