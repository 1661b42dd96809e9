"""The lengths of the arrays that a function makes: allocations, aliases, transposes, reshapes and slices.

    empty(shape=(n, 3))     ->  n, 3
    a[1:, k]                ->  max(0, n - 1)           (n the first length of a)
    a[::2]                  ->  an unknown from 0 to n
    a[1:, k] * b, a @ b     ->  those of the operands, and which of these are surely equal
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import gast

from ... import syntax
from ...ops.forms import WHOLE
from ...ops.schema import row_of
from ...types import Array, Extent
from .affine import Affine
from .range_state import State
from .range_values import LENGTH_HIGH, Values, items_of


def lengths_of(values: Values, value: gast.expr, state: State) -> tuple[Affine, ...] | None:
    """The lengths of an array-valued right-hand side, None where nothing is known of them."""
    match value:
        case gast.Name(id=id_):
            return values.lengths_of_name(id_, state)
        case gast.Subscript(value=gast.Name(id=base)) if isinstance(values.types.get(base), Array):
            if values.is_typed:
                values.access(value, state)
            return None if values.is_chosen(value) else _view(values, value, state)
        case gast.Call():
            return _call(values, value, state)
    values.visit(value, state)
    return None


def _call(values: Values, value: gast.Call, state: State) -> tuple[Affine, ...] | None:
    operator = syntax.operator_of(value)
    if operator == "transpose":
        lengths = values.lengths_of_name(value.args[0].id, state)
        return tuple(lengths[a] for a in transposed_axes(value))
    if values.is_typed and not _gets_shape(value):
        return _of_operands(values, value, state)  # on names and constants: there is nothing else to judge
    if not values.is_typed and operator not in WHOLE:
        values.visit(value, state)
        return None
    shape = next(k.value for k in value.keywords if k.arg == "shape")
    lengths = tuple(values.known(e, state) for e in (shape.elts if isinstance(shape, gast.Tuple) else [shape]))
    for length in lengths:  # past the statement, which raises otherwise
        values.learn(state, length, length.times(-1).plus(LENGTH_HIGH))
    return lengths


def judge_store(values: Values, place: gast.Subscript, value: gast.expr, state: State) -> None:
    """Which lengths of a value are those of the part of an array that it is stored to."""
    type_ = values.types.get(value.id) if isinstance(value, gast.Name) else None
    if not values.is_typed or not isinstance(type_, Array) or not any(map(_is_cut, items_of(place))):
        return
    if not values.is_chosen(place):
        _judge(values, id(place), [values.lengths_of_name(value.id, state), _view(values, place, state)], state)


def _is_cut(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and (item.lower is not None or item.upper is not None or item.step is not None)


def _of_operands(values: Values, call: gast.Call, state: State) -> tuple[Affine, ...] | None:
    """The lengths of what an operator makes of whole arrays; judges which operands have equal ones."""
    row = row_of(syntax.operator_of(call))
    types = [values.types.get(a.id) if isinstance(a, gast.Name) else None for a in call.args]
    if row is None or not any(isinstance(type_, Array) for type_ in types):
        return None
    is_product = row.name == "matmul"
    if not (row.kind == "elementwise" or row.copies or is_product):
        return None
    shapes = [
        values.lengths_of_name(a.id, state) if isinstance(type_, Array) else () for a, type_ in zip(call.args, types)
    ]
    if is_product:
        return _product(values, call, shapes, state)
    if len({type_.dims for type_ in types if isinstance(type_, Array)}) > 1:
        _judge(values, id(call), shapes, state)
    return _broadcast(values, shapes, [getattr(type_, "dims", ()) for type_ in types], state)


def _broadcast(
    values: Values, shapes: list[tuple[Affine, ...]], dims: list[tuple[Extent, ...]], state: State
) -> tuple[Affine, ...] | None:
    """The common lengths; None where they are not known to be equal but for axes that are 1 by their types."""
    result: list[Affine] = []
    for axis in range(-max(map(len, shapes)), 0):
        there = [(shape[axis], extents[axis]) for shape, extents in zip(shapes, dims) if len(shape) >= -axis]
        long = [length for length, extent in there if extent != 1]
        if not all(_are_equal(values, state, long[0], other) for other in long[1:]):
            return None
        result.append(long[0] if long else Affine(1))
    return tuple(result)


def _product(
    values: Values, call: gast.Call, shapes: list[tuple[Affine, ...]], state: State
) -> tuple[Affine, ...] | None:
    """Unless both are stacks of matrices: whether the lengths that are summed over are equal is noted for axis 0."""
    left, right = shapes
    if not left or not right or min(len(left), len(right)) > 2:
        return None
    _judge(values, id(call), [left[-1:], right[-2:][:1]], state)
    return (*right[:-2], *left[:-1], *right[-2:][1:])


def _judge(values: Values, node: int, shapes: list[tuple[Affine, ...]], state: State) -> None:
    found = set()
    for first, second in combinations(range(len(shapes)), 2):
        for axis, (a, b) in enumerate(zip(reversed(shapes[first]), reversed(shapes[second]))):
            if _are_equal(values, state, a, b):
                found.add((axis, first, second))
    values.journal.add_alike(node, frozenset(found))


def _are_equal(values: Values, state: State, a: Affine, b: Affine) -> bool:
    return a == b or (values.proves(state, a - b) and values.proves(state, b - a))


def _gets_shape(value: gast.Call) -> bool:
    """Whether an array has the lengths that its operator gives as a shape; `arange` takes negative ones for none."""
    return syntax.operator_of(value) != "arange" and any(k.arg == "shape" for k in value.keywords)


def transposed_axes(node: gast.Call) -> list[int]:
    """The axes that a transpose takes, in the order of its result."""
    axes: Any = syntax.static_of(node)["axes"]
    return [int(a) % len(axes) for a in axes]


def _view(values: Values, node: gast.Subscript, state: State) -> tuple[Affine, ...]:
    lengths = values.lengths_of_name(node.value.id, state)
    result: list[Affine] = []
    axis = 0
    for item in items_of(node):
        match item:
            case gast.Constant(value=None):
                result.append(Affine(1))
                continue
            case gast.Slice():
                result.append(_slice(values, item, lengths[axis], state))
            case _:
                values.visit(item, state)
        axis += 1
    return (*result, *lengths[axis:])


def _slice(values: Values, item: gast.Slice, length: Affine, state: State) -> Affine:
    lower, upper, step = (None if p is None else values.visit(p, state) for p in (item.lower, item.upper, item.step))
    unit = item.step is None or step == Affine(1)
    if not unit:
        whole = item.lower is None and item.upper is None
        if whole and step == Affine(-1):
            return length
        some = values.unknowns.fresh(0, LENGTH_HIGH)
        values.learn(state, length - some)
        return some
    first = Affine(0) if item.lower is None else _clamped(values, state, lower, length)
    last = length if item.upper is None else _clamped(values, state, upper, length)
    if first is None or last is None:
        some = values.unknowns.fresh(0, LENGTH_HIGH)
        values.learn(state, length - some)
        return some
    count = last - first
    return count if values.proves(state, count) else values.unknowns.choice("max", Affine(0), count)


def _clamped(values: Values, state: State, bound: Affine | None, length: Affine) -> Affine | None:
    """A slice bound after Python's rules: counted from the end where negative, then held between 0 and the length."""
    if bound is None:
        return None
    if values.proves(state, bound):
        return bound if values.proves(state, length - bound) else values.unknowns.choice("min", bound, length)
    if values.proves(state, bound.times(-1).plus(-1)):
        from_end = bound + length
        return from_end if values.proves(state, from_end) else values.unknowns.choice("max", Affine(0), from_end)
    return None


def keeps_c_order(items: list[gast.expr]) -> bool:
    """Whether ints come first, then at most one slice of step 1, then whole axes: C order stays C order."""
    rest = list(items)
    while rest and not isinstance(rest[0], gast.Slice) and not _is_new_axis(rest[0]):
        rest.pop(0)
    if rest and isinstance(rest[0], gast.Slice) and rest[0].step is None:
        rest.pop(0)
    return all(isinstance(i, gast.Slice) and i.lower is None and i.upper is None and i.step is None for i in rest)


def _is_new_axis(item: gast.expr) -> bool:
    return isinstance(item, gast.Constant) and item.value is None
