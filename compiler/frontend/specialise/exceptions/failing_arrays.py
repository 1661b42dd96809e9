"""Where operators on arrays raise: lengths that do not match, indices out of bounds, matrices that are singular.

    x[i]              IndexError     where i < -n or i >= n
    add(x, y)         ValueError     where n != m and n != 1 and m != 1
    cholesky(a)       LinAlgError    where cholesky_fails(a)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from .... import syntax
from ....builder import Builder
from ....dtypes import INT_WORD, is_bool, is_inexact, is_integer
from ....ops.indexing import INDEX_MESSAGE, index_type
from ....ops.linalg import parts as letters_of
from ....ops.routines import ROUTINES
from ....ops.schema import OPERATORS, Operator
from ....types import Array, ListOf, Scalar, Type, dims_of, rank
from .failing_cases import INDEX, VALUE, Atom, Case, Wants, both, either, fails, known, length, unlike
from .failing_numbers import to_int


def unlike_lengths(builder: Builder, args: Sequence[Atom], types: Sequence[Type]) -> Iterator[Case]:
    """Where the lengths of operands do not match."""
    arrays = [(a, t) for a, t in zip(args, types, strict=True) if isinstance(t, Array)]
    for (left, one), (right, other) in itertools.combinations(arrays, 2):
        for axis in range(1, min(one.ndim, other.ndim) + 1):
            a, b = one.dims[-axis], other.dims[-axis]
            if a == b or a == 1 or b == 1:
                continue
            lengths = length(builder, left, one.ndim - axis), length(builder, right, other.ndim - axis)
            yield Case(VALUE, unlike(builder, *lengths, True))


@fails("contraction")
def contraction(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    if not wants(VALUE) or not all(isinstance(t, Array) for t in types):
        return
    left, right = types
    if "subscripts" in static:
        pairs = [
            (i, j) for (i, a), (j, b) in itertools.product(*map(enumerate, letters_of(static["subscripts"])[:2]))
            if a == b
        ]  # fmt: skip
    else:
        pairs = [(left.ndim - 1, right.ndim - 2 if right.ndim > 1 else 0)]
        pairs += [(left.ndim - k, right.ndim - k) for k in range(3, min(left.ndim, right.ndim) + 1)]
    for i, j in pairs:
        if left.dims[i] != right.dims[j]:
            yield Case(VALUE, unlike(builder, length(builder, args[0], i), length(builder, args[1], j), False))


@fails("reduction")
def extreme(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    """Where the extreme of an empty array is taken."""
    axis = static.get("axis")
    if not wants(VALUE) or not isinstance(types[0], Array):
        return
    axes = range(types[0].ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for k in axes:
        if not isinstance(types[0].dims[k], int):
            yield Case(VALUE, builder.call("equal", length(builder, args[0], k), 0))


def _shape(static: Any) -> list[Atom]:
    shape = static.get("shape", ())
    return list(shape.elts) if isinstance(shape, gast.Tuple) else [syntax.atom(part) for part in shape]


@fails("creation")
def creation(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    for part in _shape(static) if wants(VALUE) else ():
        if isinstance(part, gast.Name):
            yield Case(VALUE, builder.call("less", part, 0), "negative dimensions are not allowed")


def _product(builder: Builder, factors: Sequence[Atom]) -> Atom:
    result: Atom = syntax.constant(1)
    for factor in factors:
        result = factor if known(result) == 1 else builder.call("multiply", result, factor)
    return result


@fails("reshape")
def reshape(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    """Where the lengths do not fit; NumPy infers a negative length, and that is not compiled."""
    if not wants(VALUE) or not isinstance(types[0], Array):
        return
    had = _product(builder, [length(builder, args[0], k) for k in range(types[0].ndim)])
    wanted = _product(builder, _shape(static))
    if isinstance(had, gast.Name) or isinstance(wanted, gast.Name):
        told = [builder.call("greater_equal", part, 0) for part in _shape(static) if isinstance(part, gast.Name)]
        yield Case(VALUE, both(builder, builder.call("not_equal", had, wanted), *told))


@fails("concatenate")
def concatenate(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    arrays = [(a, t) for a, t in zip(args, types, strict=True) if isinstance(t, Array)]
    for other, type_ in arrays[1:] if wants(VALUE) else ():
        for axis in range(type_.ndim):
            if axis != static["axis"] and type_.dims[axis] != arrays[0][1].dims[axis]:
                lengths = length(builder, arrays[0][0], axis), length(builder, other, axis)
                yield Case(VALUE, unlike(builder, *lengths, False))


@fails("broadcast_to")
def broadcast_to(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    shape = _shape(static)
    if not wants(VALUE) or not isinstance(types[0], Array):
        return
    for axis in range(1, types[0].ndim + 1):
        if types[0].dims[-axis] != 1:
            extent = length(builder, args[0], types[0].ndim - axis)
            test = builder.call("not_equal", extent, shape[-axis])
            if isinstance(extent, gast.Name):
                test = both(builder, test, builder.call("not_equal", extent, 1))
            yield Case(VALUE, test)


# --- linear algebra ------------------------------------------------------------------------------------------------


def of_routine(
    builder: Builder, row: Operator, args: Sequence[Atom], types: Sequence[Type], static: Mapping[str, Any],
    wants: Wants,
) -> Iterator[Case]:  # fmt: skip
    """Lengths first, in the order in which the routine checks them; then whether the routine succeeds."""
    routine = ROUTINES[row.routine]
    seen: dict[str, tuple[int, int]] = {}
    for number, (operand, type_) in enumerate(zip(routine.read, types, strict=True)):
        for axis, name in enumerate(operand.lengths[: rank(type_)]):
            other, place = seen.setdefault(name, (number, axis))
            exception, words = routine.square if other == number else (VALUE, None)
            if wants(exception) and dims_of(types[other])[place] != dims_of(type_)[axis]:
                sides = length(builder, args[other], place), length(builder, args[number], axis)
                yield Case(exception, unlike(builder, *sides, False), words)
    exception, words = routine.error
    if exception and wants(exception):
        asked = OPERATORS[f"{row.name}_fails"]
        failed = builder.call(asked.name, args[0], **{key: static[key] for key in asked.static})
        yield Case(exception, builder.call("not_equal", failed, 0.0), None if "{}" in words else words)


# --- elements ------------------------------------------------------------------------------------------------------


def of_items(builder: Builder, base: str, items: gast.expr, wants: Wants) -> Iterator[Case]:
    found = builder.types[base]
    if isinstance(found, ListOf):
        if wants(INDEX):
            count = builder.bind(syntax.call("length", base), Scalar(INT_WORD, True), "count")
            position = items.elts[0] if isinstance(items, gast.Tuple) else items
            yield Case(INDEX, _outside(builder, position, count), "list index out of range")
        return
    axis = 0
    for item in items.elts if isinstance(items, gast.Tuple) else [items]:
        if isinstance(item, gast.Slice):
            if isinstance(item.step, gast.Name) and wants(VALUE):
                yield Case(VALUE, builder.call("equal", item.step, 0), "slice step cannot be zero")
            axis += 1
            continue
        if _is_new_axis(item):
            continue
        type_ = builder.type_of(item)
        if isinstance(type_, Array) and is_bool(type_.dtype):
            for k in range(type_.ndim):
                if wants(INDEX) and type_.dims[k] != dims_of(found)[axis + k]:
                    lengths = length(builder, item, k), length(builder, syntax.name(base), axis + k)
                    yield Case(INDEX, unlike(builder, *lengths, False))
            axis += type_.ndim
            continue
        if wants(INDEX):
            extent = length(builder, syntax.name(base), axis)
            outside = _outside(builder, item, extent)
            if isinstance(type_, Array):
                yield Case(INDEX, builder.call("any", outside))
            else:
                yield Case(INDEX, outside, INDEX_MESSAGE.format(axis=axis), (item, extent))
        axis += 1
    if wants(INDEX):
        yield from _unlike_indices(builder, items)


def _is_new_axis(item: gast.expr) -> bool:
    return isinstance(item, gast.Constant) and item.value is None


def _unlike_indices(builder: Builder, items: gast.expr) -> Iterator[Case]:
    elements = items.elts if isinstance(items, gast.Tuple) else [items]
    names = [e for e in elements if isinstance(e, gast.Name)]
    pairs = [(e, found) for e in names if isinstance(found := builder.type_of(e), Array) and not is_bool(found.dtype)]
    for case in unlike_lengths(builder, [e for e, _ in pairs], [found for _, found in pairs]):
        yield Case(INDEX, case.test)


def _outside(builder: Builder, index: Atom, extent: Atom) -> Atom:
    """Whether an index is out of bounds."""
    above = builder.call("greater_equal", index, extent)
    fixed = known(index)
    if fixed is not None and fixed >= 0:
        return above
    lowest = syntax.constant(-extent.value) if isinstance(extent, gast.Constant) else builder.call("negative", extent)
    below = builder.call("less", index, lowest)
    return below if fixed is not None else either(builder, below, above)


def of_store(builder: Builder, place: gast.Subscript, value: Atom, wants: Wants) -> Iterator[Case]:
    base = place.value.id
    yield from of_items(builder, base, place.slice, wants)
    stored, found = builder.type_of(value), builder.types[base]
    if not isinstance(found, Array):
        return
    if isinstance(stored, Scalar):
        if is_integer(found.dtype) and is_inexact(stored.dtype):
            yield from to_int(builder, [value], [stored], {}, wants)
        return
    items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
    target = index_type(builder, found, list(items))
    if not wants(VALUE) or not isinstance(target, Array) or not isinstance(stored, Array):
        return
    unknown = [
        k for k in range(1, min(stored.ndim, target.ndim) + 1) if stored.dims[-k] not in (1, target.dims[-k])
    ]  # fmt: skip
    if unknown:
        view = builder.load(base, list(items))
        for k in unknown:
            lengths = length(builder, value, stored.ndim - k), length(builder, view, target.ndim - k)
            test = unlike(builder, *lengths, False)
            if isinstance(lengths[0], gast.Name):
                test = both(builder, test, builder.call("not_equal", lengths[0], 1))
            yield Case(VALUE, test)
