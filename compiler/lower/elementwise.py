"""Elementwise operators and arrays made from nothing: nodes only, no statement is written.

    y = x * 2.0              ->    Apply("multiply", x, Fill(2.0))
    z = zeros(shape=(n,))    ->    Fill(0.0) of length n
    k = arange(0, n, 1)      ->    Grid(i -> cast(i, dtype="i64"))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..dtypes import FLOAT_WORD, INT_WORD, holds, is_bool, is_inexact, is_integer
from ..ops.schema import OPERATORS
from ..ops.works_in import as_result
from ..types import INT, Array, Extent, Scalar, is_plain
from .arithmetic import ZERO, plus
from .guards import broadcast, raise_if
from .lowering import Lowering
from .nest import flush
from .nodes import ONE_LONG, Apply, Fill, Grid, Index, Length, Node, ScalarTree
from .operands import apply, cast, constant, convert, solid
from .proved import know_alike


def elementwise(low: Lowering, name: str, operator: str, operands: Sequence[Node], static: Mapping) -> Node:
    """The node of an operator of which at least one operand is an array."""
    result = low.function.types[name]
    dtype = result.dtype  # type: ignore[union-attr]
    if operator == "cast" and operands[0].dtype == dtype:
        return operands[0]
    know_alike(low, operands)
    if operator == "power":
        operator, operands = plain_power(operands, dtype)
    lengths = broadcast(low, operands)
    can_raise = operator == "power" and is_integer(dtype) and not _is_natural(operands[1])
    if OPERATORS[operator].works_in is as_result:
        operands = [narrowed(low, node, dtype) for node in operands]
    if can_raise:
        flush(low)
    kept = {} if operator == "cast" else static
    node = Apply(operator, tuple(operands), kept, Scalar(dtype), lengths, low.span, low.inlined, can_raise)
    if can_raise:
        low.raising.append(node)
    return node


def narrowed(low: Lowering, node: Node, dtype: str) -> Node:
    """A Python number that may not fit the dtype is converted ahead of the loop: it must fail even for no elements."""
    if not (isinstance(node, Fill) and node.value.weak and is_integer(dtype)):
        return node
    value = node.value
    if is_bool(value.dtype) or value.dtype == dtype:
        return node
    if isinstance(value.tree, gast.Constant) and is_integer(value.dtype) and holds(dtype, value.tree.value):
        return node
    flush(low)
    fitting = fitted(value, dtype)
    return Fill(ScalarTree(syntax.name(low.assign(low.fresh("t"), fitting.tree, Scalar(dtype))), dtype))


def fitted(value: ScalarTree, dtype: str) -> ScalarTree:
    """A value as an element of an array of this dtype; a Python number is converted as Python does, with its errors."""
    if value.dtype == dtype:
        return value
    is_rounded = is_inexact(value.dtype) and is_integer(dtype) and value.weak
    if is_rounded:
        value = cast(value, INT)
    if value.weak and is_integer(dtype) and (is_rounded or dtype != INT_WORD):
        return cast(value, Scalar(dtype))
    return convert(value, dtype)


def plain_power(operands: Sequence[Node], dtype: str) -> tuple[str, Sequence[Node]]:
    """NumPy computes the power of an array to one of these constants as another function."""
    base, exponent = operands
    if not (isinstance(exponent, Fill) and exponent.value.weak and isinstance(exponent.value.tree, gast.Constant)):
        return "power", operands
    if exponent.value.tree.value == 0.5:
        return "sqrt", [in_floats(base, dtype)]
    if exponent.value.tree.value == -1 and is_inexact(base.dtype):
        return "reciprocal", [base]
    return "power", operands


def in_floats(node: Node, dtype: str) -> Node:
    """The node itself where it has fractions: a root of ints has the digits of its result, not those of `np.sqrt`."""
    return node if is_inexact(node.dtype) else Apply("cast", (node,), {}, Scalar(dtype), node.lengths)


def _is_natural(node: Node) -> bool:
    """Whether a node is a constant that is not negative."""
    match node:
        case Fill(value=ScalarTree(tree=gast.Constant(value=value))):
            return value >= 0
    return False


def lengths_of_shape(low: Lowering, shape: Any, type_: Array) -> tuple[Length, ...]:
    """The lengths that a static shape asks for."""
    elements = shape.elts if isinstance(shape, gast.Tuple) else shape
    trees = [syntax.atom(e) for e in elements]
    return tuple(_length(low, tree, extent) for tree, extent in zip(trees, type_.dims, strict=True))


def _length(low: Lowering, tree: gast.expr, extent: Extent) -> Length:
    if isinstance(tree, gast.Constant):
        return ONE_LONG if tree.value == 1 else Length(max(0, tree.value), tree)
    if extent == 1:
        return ONE_LONG
    known = low.extent_of(tree)
    return Length(known if known is not None and is_plain(known) and low.is_natural(tree) else extent, tree)


def made_lengths(low: Lowering, shape: object, type_: Array) -> tuple[Length, ...]:
    """The lengths of an array that is made: its allocation refuses negative ones, or a test where it has none."""
    return tuple(replace(n, is_refused=True) for n in lengths_of_shape(low, shape, type_))


def refuse_negative(low: Lowering, lengths: Sequence[Length]) -> None:
    """An array that is not allocated must still not have a negative length."""
    for length in lengths:
        if not low.is_natural(length.tree):
            raise_if(low, syntax.call("less", length.tree, ZERO), "ValueError", "negative dimensions are not allowed")
            low.natural.update(syntax.names_read(length.tree) if isinstance(length.tree, gast.Name) else ())


def creation(low: Lowering, name: str, operator: str, operands: Sequence[ScalarTree], static: Mapping) -> Node:
    """The node of `zeros`, `ones`, `full`, `arange` or `eye`."""
    type_ = low.function.types[name]
    if not isinstance(type_, Array):
        raise InternalError("loops", name, "an array is made here")
    if operator == "arange":
        counts = lengths_of_shape(low, static["shape"], type_)
        return _arange(operands, type_.dtype, tuple(_no_less_than_none(low, n) for n in counts))
    lengths = made_lengths(low, static["shape"], type_)
    match operator:
        case "zeros":
            return Fill(ScalarTree(constant(0, type_.dtype), type_.dtype, bare=True), lengths)
        case "ones":
            return Fill(ScalarTree(constant(1, type_.dtype), type_.dtype, bare=True), lengths)
        case "full":
            return Fill(_filling(low, operands[0], type_.dtype), lengths)
        case "eye":
            return _eye(static.get("offset", 0), type_.dtype, lengths)
    raise InternalError("loops", operator, "not a way to make an array")


def _no_less_than_none(low: Lowering, length: Length) -> Length:
    """A range that runs the other way is empty."""
    return length if low.is_natural(length.tree) else Length(length.extent, length.tree, may_be_negative=True)


def _filling(low: Lowering, value: ScalarTree, dtype: str) -> ScalarTree:
    value = narrowed(low, Fill(value), dtype).value  # type: ignore[union-attr]
    made = convert(value, dtype)
    return ScalarTree(made.tree, dtype, bare=not made.is_solid)


def _arange(operands: Sequence[ScalarTree], dtype: str, lengths: tuple[Length, ...]) -> Node:
    """start + i * step; of floats NumPy takes for the step what is between the first two elements."""
    start, _, step = operands
    names = frozenset(n for v in (start, step) for n in syntax.names_read(v.tree))
    if is_inexact(dtype):
        return Grid(lambda index: _float_step(start, step, dtype, index[0]), names, dtype, lengths)
    if all(v.dtype == INT_WORD and v.weak for v in (start, step)):
        return Grid(lambda index: _int_step(start, step, dtype, index[0]), names, dtype, lengths)
    return Grid(lambda index: _strong_step(start, step, dtype, index[0]), names, dtype, lengths)


def _int_step(start: ScalarTree, step: ScalarTree, dtype: str, index: gast.expr) -> ScalarTree:
    moved = index if _is_constant(step, 1) else syntax.call("multiply", index, step.tree)
    tree = plus(moved, start.tree) if _is_constant(step, 1) else syntax.call("add", start.tree, moved)
    tree = moved if _is_constant(start, 0) else tree
    return ScalarTree(syntax.call("cast", tree, dtype=dtype), dtype)


def _strong_step(start: ScalarTree, step: ScalarTree, dtype: str, index: gast.expr) -> ScalarTree:
    number, wanted = ScalarTree(syntax.call("cast", index, dtype=dtype), dtype), Scalar(dtype)
    moved = apply("multiply", [number, convert(step, dtype)], {}, wanted)
    return apply("add", [convert(start, dtype), moved], {}, wanted)


def _float_step(start: ScalarTree, step: ScalarTree, dtype: str, index: gast.expr) -> ScalarTree:
    wanted, first = Scalar(dtype), solid(convert(start, dtype))
    number = ScalarTree(syntax.call("cast", index, dtype=dtype), dtype)
    if _is_constant(start, 0):
        gap = convert(step, dtype)
    else:
        # NumPy adds start and step as doubles whatever the dtype, and then rounds
        wide = Scalar(FLOAT_WORD)
        second = apply("add", [solid(convert(start, FLOAT_WORD)), convert(step, FLOAT_WORD)], {}, wide)
        gap = apply("subtract", [convert(second, dtype), first], {}, wanted)
    if _is_constant(start, 0) and _is_constant(step, 1):
        return number
    moved = apply("multiply", [number, gap], {}, wanted)
    if _is_constant(start, 0) and isinstance(step.tree, gast.Constant) and step.tree.value > 0:
        return moved
    return apply("add", [first, moved], {}, wanted)  # a zero to begin with has no sign of the step


def _is_constant(value: ScalarTree, number: int) -> bool:
    return isinstance(value.tree, gast.Constant) and value.tree.value == number


def _eye(offset: object, dtype: str, lengths: tuple[Length, ...]) -> Node:
    tree = syntax.atom(offset)

    def element(index: Index) -> ScalarTree:
        hit = syntax.call("equal", index[1], plus(index[0], tree))
        return ScalarTree(syntax.call("cast", hit, dtype=dtype), dtype)

    return Grid(element, frozenset(syntax.names_read(tree)), dtype, lengths)


