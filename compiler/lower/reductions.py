"""Reductions, fused with what they reduce.

    s = sum(x * y)        ->    s = 0.0
                                for i in lanes(0, n, 1):    in the order, the blocks and the parts that the target likes
                                    s = s + x[i] * y[i]
    s = sum(x, axis=0)    ->    for i in lanes(0, n, 1):    an axis that is kept inside a reduced one: row by row, as
                                    for j in range(0, m, 1):                                              NumPy does
                                        s[j] = s[j] + x[i, j]
    s = sum(x.T, axis=1)  ->    the same: inside is what is so in memory (`memory_order`)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import gast

from .. import syntax
from ..dtypes import BOOL_WORD, INT_WORD, accumulator, is_bool, is_inexact
from ..ops.raising import if_empty
from ..ops.reduction import fold_by
from ..ops.schema import OPERATORS, Fold, Operator
from ..types import Scalar
from .arithmetic import ZERO, plus, product
from .guards import any_of, raise_if
from .lowering import Lowering
from .memory_order import memory_order
from .nest import Nest, allocate
from .nodes import ONE_LONG, Apply, Fill, Length, Masked, Node, ScalarTree, Stored, names_read, nodes_below, rank
from .operands import apply, constant, convert, solid

Result = Stored | ScalarTree


def reduction(low: Lowering, name: str, operator: str, node: Node, static: Mapping) -> Result:
    """The result of a reduction: a scalar's value in the variable `name`, or an array of that name."""
    axes = normal_axes(static.get("axis"), rank(node))
    row = OPERATORS[operator]
    if row.raises is if_empty:
        require_elements(low, row, node, axes)
    if isinstance(node, Masked):
        node = masked(node, row)
        axes = normal_axes(None, rank(node))
    plan = Reduction(low, name, row, node, axes, bool(static.get("keepdims", False)))
    if plan.looks_for_place:
        return plan.by_accumulator(find_extreme)
    plan.order = memory_order(node, low.resolve)
    if plan.has_kept_inside():
        return plan.by_rows()
    return plan.by_accumulator(combine)


def normal_axes(axis: object, count: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(count))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(a % count for a in axes))


def require_elements(low: Lowering, row: Operator, node: Node, axes: tuple[int, ...]) -> None:
    unknown = [n for n in (node.lengths[k] for k in axes) if not isinstance(n.extent, int) or n.extent == 0]
    combine = OPERATORS[row.fold.combine]  # type: ignore[union-attr]
    message = (
        f"attempt to get {row.name} of an empty sequence"
        if combine.is_comparison
        else f"zero-size array to reduction operation {combine.name} which has no identity"
    )
    if unknown:
        tests = [syntax.call("equal", n.clamped, ZERO) for n in unknown]
        raise_if(low, any_of(tests), "ValueError", message)


def masked(node: Masked, row: Operator) -> Node:
    """What a fold takes in place of selected elements: all, those outside the mask being as if there were none."""
    nothing = Fill(ScalarTree(constant(row.fold.start(node.dtype), node.dtype), node.dtype, bare=True))  # type: ignore
    return Apply("where", (node.mask, node.source, nothing), {}, Scalar(node.dtype), node.mask.lengths)


Accumulate: TypeAlias = "Callable[[Reduction, Nest, dict, str | None], gast.expr]"


class Reduction:
    """One reduction: what is reduced along which axes, and where the result goes."""

    def __init__(
        self, low: Lowering, name: str, row: Operator, node: Node, axes: tuple[int, ...], keepdims: bool,
        dtype: str = "",
    ) -> None:  # fmt: skip
        self.low, self.name, self.row, self.node, self.axes = low, name, row, node, axes
        self.fold: Fold = row.fold  # type: ignore[assignment]
        self.result_dtype: str = dtype or low.function.types[name].dtype  # type: ignore[union-attr]
        self.dtype = accumulator(self.result_dtype)
        self.order: tuple[int, ...] = tuple(range(rank(node)))
        self.keepdims = keepdims
        self.result_axes = [k for k in range(rank(node)) if k not in axes or keepdims]

    @property
    def kept(self) -> list[int]:
        """The axes that are kept, the outermost first."""
        return [k for k in self.order if k not in self.axes]

    @property
    def lengths(self) -> tuple[Length, ...]:
        return tuple(ONE_LONG if k in self.axes else self.node.lengths[k] for k in self.result_axes)

    @property
    def looks_for_place(self) -> bool:
        return OPERATORS[self.fold.combine].is_comparison

    @property
    def is_scalar(self) -> bool:
        return not self.result_axes

    def has_kept_inside(self) -> bool:
        """Whether an axis that is kept lies inside one that is reduced."""
        outside = self.outside()
        return any(k not in outside and not self.node.lengths[k].is_one for k in self.kept)

    def outside(self) -> tuple[int, ...]:
        """The axes outside of all that are reduced."""
        is_reduced = [k in self.axes and not self.node.lengths[k].is_one for k in self.order]
        return self.order[: is_reduced.index(True)] if True in is_reduced else self.order

    def variable(self) -> str:
        """Where the result is made: the variable itself, unless it still holds what the elements are made of."""
        is_free = self.is_scalar and self.name not in names_read(self.node, self.low.resolve)
        return self.name if is_free or self.name not in self.low.facts.merged else self.low.fresh(self.name)

    def place(self, index: Mapping[int, gast.expr]) -> list[gast.expr]:
        return [ZERO if k in self.axes else index[k] for k in self.result_axes]

    def kind_of_turns(self) -> str:
        """The kind of a loop that takes elements together."""
        return "range" if fold_by(self.fold.combine, self.dtype) is None else "lanes"

    # --- kept axes outside, an accumulator inside

    def by_accumulator(self, accumulate: Accumulate) -> Result:
        nest = Nest(self.low)
        index: dict[int, gast.expr] = {}
        for k in self.kept:
            index[k] = nest.loop(self.node.lengths[k], "range" if nest.loops else "prange")
        depth = len(nest.loops)
        target = self.variable()
        wish = target if self.is_scalar and self.dtype == self.result_dtype else None
        total = convert(ScalarTree(accumulate(self, nest, index, wish), self.dtype), self.result_dtype)
        if self.is_scalar:
            nest.finish()
            return total
        out = allocate(self.low, target, self.lengths, self.result_dtype)
        nest.add_after(syntax.store(out, self.place(index), total.tree), depth)
        nest.finish()
        return self.low.stored(out, self.lengths)

    def accumulator(self, nest: Nest, wish: str | None, initial: object, dtype: str, default: str) -> gast.Name:
        """A variable set ahead of the loops that reduce; `wish` is used as it stands."""
        start = solid(ScalarTree(syntax.constant(initial), dtype, bare=True)).tree
        if wish is None:
            return nest.variable(default, dtype, syntax.constant(initial))
        self.low.types[wish] = Scalar(dtype)
        nest.add(syntax.assign(wish, start))
        return syntax.name(wish)

    def element(self, nest: Nest, index: Mapping[int, gast.expr]) -> ScalarTree:
        """The element, in the dtype that is accumulated."""
        value = self.raw_element(nest, index)
        return apply("cast", [value], {}, Scalar(BOOL_WORD)) if is_bool(self.dtype) else convert(value, self.dtype)

    def raw_element(self, nest: Nest, index: Mapping[int, gast.expr]) -> ScalarTree:
        at = [index[k] for k in range(rank(self.node))]
        nest.prepare((self.node, at))
        return nest.value(self.node, at)

    def step(self, total: gast.expr, element: ScalarTree) -> gast.expr:
        operands = [ScalarTree(total, self.dtype), element]
        return apply(self.fold.combine, operands, {}, Scalar(self.dtype)).tree

    # --- row by row

    def by_rows(self) -> Stored:
        """Kept axes ahead of the first reduced one stay outside; the rest of the result is filled and then updated.

        As in NumPy, which keeps no more digits than the result has room for.
        """
        self.dtype = self.result_dtype
        low, outside = self.low, self.outside()
        nest = Nest(low)
        index: dict[int, gast.expr] = {}
        for k in [k for k in self.kept if k in outside]:
            index[k] = nest.loop(self.node.lengths[k], "range" if nest.loops else "prange")
        depth = len(nest.loops)
        for k in self.order:
            if k not in index:
                index[k] = nest.loop(self.node.lengths[k], self.kind_of_turns() if k in self.axes else "range")
        element = self.element(nest, index)
        out = allocate(low, self.variable(), self.lengths, self.dtype)
        self._fill(nest, out, index, outside, depth)
        place = self.place(index)
        nest.add(syntax.store(out, place, self.step(syntax.index(out, *place), element)))
        nest.finish()
        return low.stored(out, self.lengths)

    def _fill(
        self, nest: Nest, out: str, outer: Mapping[int, gast.expr], outside: Sequence[int], depth: int
    ) -> None:
        """Set the part of the result that the inner loops update."""
        low = self.low
        mine, low.active = low.active, [*nest.outside, *(loop.variable for loop in nest.loops[:depth])]
        with low.capture() as statements:
            filling = Nest(low)
            index = {k: outer[k] for k in self.kept if k in outside}
            for k in [k for k in range(rank(self.node)) if k in self.kept and k not in outside]:
                index[k] = filling.loop(self.node.lengths[k])
            filling.add(syntax.store(out, self.place(index), syntax.constant(self.fold.start(self.dtype))))
            filling.finish()
        low.active = mine
        for statement in statements:
            nest.add(statement, depth)


# --- ways to accumulate: each opens the loops that reduce and returns the variable with the result -----------------


def combine(plan: Reduction, nest: Nest, index: dict, wish: str | None) -> gast.expr:
    """total = combine(total, element)"""
    total = plan.accumulator(nest, wish, plan.fold.start(plan.dtype), plan.dtype, plan.fold.name)
    for k in [k for k in plan.order if k in plan.axes]:
        index[k] = nest.loop(plan.node.lengths[k], plan.kind_of_turns())
    element = plan.element(nest, index)
    can_raise = any(getattr(n, "can_raise", False) for n in nodes_below(plan.node, plan.low.resolve))
    if can_raise and OPERATORS[plan.fold.combine].lazy:
        name = nest.local("t", Scalar(plan.dtype))  # `found or x[k]` would not look for what is not there
        nest.add(syntax.assign(name, element.tree))
        element = ScalarTree(syntax.name(name), plan.dtype)
    nest.add(syntax.assign(total.id, plan.step(total, element)))
    return total


def find_extreme(plan: Reduction, nest: Nest, index: dict, wish: str | None) -> gast.expr:
    """The first position of the extreme; the first nan, where there is one."""
    low, call, dtype = plan.low, syntax.call, plan.node.dtype
    best = nest.variable("best", dtype, syntax.constant(plan.fold.start(dtype)))
    where = plan.accumulator(nest, wish, 0, INT_WORD, plan.fold.name)
    for k in plan.axes:
        index[k] = nest.loop(plan.node.lengths[k])
    value = solid(plan.raw_element(nest, index))
    element = value.tree
    if not isinstance(element, gast.Name):
        element = syntax.name(nest.local("element", Scalar(dtype)))
        nest.add(syntax.assign(element.id, value.tree))
    better: gast.expr = call(plan.fold.combine, element, best)
    if is_inexact(dtype):
        first_nan = gast.BoolOp(gast.And(), [call("isnan", element), call("logical_not", call("isnan", best))])
        better = gast.BoolOp(gast.Or(), [better, first_nan])
    found = [syntax.assign(best.id, element), syntax.assign(where.id, call("cast", _flat(plan, index), dtype=INT_WORD))]
    nest.add(syntax.if_(better, [syntax.at(s, low.span, low.inlined) for s in found]))
    return where


def _flat(plan: Reduction, index: Mapping[int, gast.expr]) -> gast.expr:
    """The position counted along all axes that are searched."""
    place: gast.expr = ZERO
    for position, k in enumerate(plan.axes):
        stride = product(plan.node.lengths[other].clamped for other in plan.axes[position + 1 :])
        place = plus(place, product([index[k], stride]))
    return place
