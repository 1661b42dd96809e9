"""Stores into elements, slices, masked and scattered targets.

    a[1:-1] = y            ->    for i in prange(0, n - 2, 1): a[i + 1] = y[i]
    a[mask] = 0.0          ->    for i in prange(...): if mask[i]: a[i] = 0.0
    add_at(a, (k,), v)     ->    for i in range(...): a[k[i]] = a[k[i]] + v[i]

A value that is made from `a` itself is computed first, unless every element is read exactly where it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import gast

from .. import syntax
from ..dtypes import is_bool
from ..ops.raising import conversion
from ..types import INT, Extent, Scalar
from .arithmetic import ZERO, text_of
from .direction import loops_in_order, marks_of, way_to_store
from .elementwise import fitted, narrowed
from .guards import ONLY_KNOWN_ONES, require_equal, shape_text
from .indexing import (
    Items,
    checked,
    index_arrays,
    index_map,
    is_full_slice,
    is_new_axis,
    named_view,
    opaque,
    scattered_places,
)
from .loads import count_true, kept_mask, mask_as_indices, position_axis, require_mask_fits, where_true
from .lowering import Lowering
from .nest import Nest, flush, materialise, realise
from .nodes import Along, At, Length, Node, Pick, ScalarTree, Select, Stored, Through, arrays_read, rank
from .operands import apply
from .proved import is_proved_to_fit
from .survey import source_index, survey, through_index

Combine = Callable[[gast.expr, gast.expr], gast.expr]


def store(low: Lowering, name: str, items: Items, atom: gast.expr, accumulate: bool = False) -> None:
    """`name[items] = atom`, or `add_at(name, items, atom)`."""
    flush(low)
    base = realise(low, low.nodes[name])
    arrays = index_arrays(low, items)
    masks = [a for a in arrays if is_bool(low.function.types[a].dtype)]  # type: ignore[union-attr]
    value = low.node(atom)
    if not arrays and conversion([Scalar(value.dtype)], {"dtype": base.dtype}):
        items = _checked_places(low, base, items)
    is_single = all(not isinstance(i, gast.Slice) and not is_new_axis(i) for i in items) and not arrays
    if is_single and rank(value) == 0:
        return _store_element(low, base, items, value, accumulate)
    value = narrowed(low, value, base.dtype)
    if masks and (accumulate or len(arrays) > 1 or _has_ints(low, items)):
        items, masks = mask_as_indices(low, base, items), []
        arrays = ["places"]
    if masks:
        return _store_masked(low, base, items, masks[0], value)
    if arrays:
        return _store_scattered(low, base, items, value, accumulate)
    return _store_slices(low, name, base, items, value, accumulate)


def _checked_places(low: Lowering, base: Stored, items: Items) -> list[gast.expr]:
    """The items after the checks of ints that a store makes: NumPy looks at the target before the number."""
    found: list[gast.expr] = []
    axis = 0
    for item in items:
        plain = isinstance(item, gast.Slice) or is_new_axis(item)
        found.append(item if plain else checked(low, item, axis, base))
        axis += not is_new_axis(item)
    return found


def _has_ints(low: Lowering, items: Items) -> bool:
    return any(not isinstance(i, gast.Slice) and not is_new_axis(i) and not index_arrays(low, [i]) for i in items)


def _combined(base: Stored, index: Sequence[gast.expr], value: gast.expr, accumulate: bool) -> gast.expr:
    """What is stored: the value, or the sum of what is there and the value."""
    if not accumulate:
        return value
    old, new = ScalarTree(syntax.index(base.name, *index), base.dtype), ScalarTree(value, base.dtype)
    return apply("add", [old, new], {}, Scalar(base.dtype)).tree


def _store_element(low: Lowering, base: Stored, items: Items, value: Node, accumulate: bool) -> None:
    nest = Nest(low)
    nest.prepare((value, []))
    tree = fitted(nest.value(value, []), base.dtype).tree
    nest.add(syntax.store(base.name, items, _combined(base, items, tree, accumulate)))
    nest.finish()


# --- slices --------------------------------------------------------------------------------------------------------


def _store_slices(low: Lowering, name: str, base: Stored, items: Items, value: Node, accumulate: bool) -> None:
    mapped = index_map(low, base, items)
    if mapped is None:
        base, mapped = _part(low, base, items), None
    lengths = mapped[1] if mapped else base.lengths
    value = _fitting(low, value, lengths, "could not broadcast input array from shape {} into shape {}")
    way: tuple[int, int] | None = None
    if not _reads_only_where_it_writes(low, base, mapped, lengths, value):
        marks = marks_of(lengths, ZERO)
        written = source_index(Select(base, mapped[0], tuple(lengths)), marks, None) if mapped else marks
        moving = [mark for mark in marks if isinstance(mark, gast.Name)]
        way = way_to_store(low, base, list(written), value, _value_index(value, marks), moving)
        if way is None:
            value = materialise(low, value)
    nest = Nest(low)
    index = nest.nest(lengths) if way is None else loops_in_order(nest, lengths, *way)
    place = source_index(Select(base, mapped[0], lengths), index, None) if mapped else index
    at = _value_index(value, index)
    nest.prepare((value, at))
    tree = fitted(nest.value(value, at), base.dtype).tree
    nest.add(syntax.store(base.name, place, _combined(base, place, tree, accumulate)))
    nest.finish()


def _part(low: Lowering, base: Stored, items: Items) -> Stored:
    """A view of the elements that are stored to."""
    dims: list[Extent] = []
    axis = 0
    for item in items:
        if is_new_axis(item):
            dims.append(1)
            continue
        if isinstance(item, gast.Slice):
            dims.append(base.lengths[axis].extent if is_full_slice(item) else opaque(low))
        axis += 1
    return named_view(low, low.fresh(f"{base.name}_part"), base, items, dims)


def _fitting(low: Lowering, value: Node, lengths: Sequence[Length], message: str) -> Node:
    """The value with at most as many axes as the target; raises where their lengths differ."""
    while rank(value) > len(lengths) and value.lengths[0].is_one:
        value = Select(value, _dropping_first(value), value.lengths[1:])
    given, old = shape_text(value.lengths)
    wanted, new = shape_text(lengths)
    pairs = [
        (have, want) for axis, (have, want) in enumerate(zip(value.lengths[::-1], lengths[::-1]))
        if not have.is_one and not is_proved_to_fit(low, axis)
    ]  # fmt: skip
    text = message.format(given, wanted)
    require_equal(low, pairs, "ValueError", text, [*old, *new], ONLY_KNOWN_ONES, stretched=1)
    return value


def _dropping_first(value: Node) -> tuple[Pick, ...]:
    return (At(ZERO), *(Along(k) for k in range(rank(value) - 1)))


def _value_index(value: Node, index: Sequence[gast.expr]) -> list[gast.expr]:
    tail = list(index)[len(index) - rank(value) :]
    return [ZERO if n.is_one else i for n, i in zip(value.lengths, tail)]


def _reads_only_where_it_writes(
    low: Lowering, base: Stored, mapped, lengths: Sequence[Length], value: Node
) -> bool:
    """Whether no element is read after another one's store changed it."""
    if rank(value) == 0 and not isinstance(value, Stored):
        return True
    sharing = [n for n in arrays_read(value, low.resolve) if low.may_share(base.name, n)]
    if not sharing:
        return True
    if sharing != [base.name]:
        return False
    index = [ZERO if n.is_one else syntax.name(f"<{k}>") for k, n in enumerate(lengths)]
    written = source_index(Select(base, mapped[0], tuple(lengths)), index, None) if mapped else index
    place = tuple(map(text_of, written))
    found = survey([(value, _value_index(value, index))], low.resolve)
    reads = [k for node, at in found.indices.items() if isinstance(node, Stored) and node.name == base.name for k in at]
    return all(read == place for read in reads)


# --- masks ---------------------------------------------------------------------------------------------------------


def _store_masked(low: Lowering, base: Stored, items: Items, mask_name: str, value: Node) -> None:
    position = next(k for k, i in enumerate(items) if isinstance(i, gast.Name) and i.id == mask_name)
    mask, axis = low.node(items[position]), position_axis(items, position)
    require_mask_fits(low, mask, base, axis)
    is_plain = all(is_full_slice(i) for i in items if i is not items[position])
    width = rank(mask)
    if not is_plain or (axis > 0 and rank(value) > 0):
        return _store_scattered(low, base, mask_as_indices(low, base, items), value, False)
    if rank(value) > 0:
        shares = any(low.may_share(base.name, n) for n in arrays_read(value, low.resolve))
        value = materialise(low, value) if shares else realise(low, value)
    mask = kept_mask(low, mask)
    if not _mask_reads_in_place(low, base, mask, axis):
        mask = materialise(low, mask)
    behind = base.lengths[axis + width :]
    if rank(value) > len(behind):
        return _store_one_by_one(low, base, mask, value, behind)
    value = _fitting(low, value, behind if rank(value) else (), MASK_SHAPES)
    _fill_masked(low, base, mask, value, axis)


MASK_SHAPES = "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}"


def _mask_reads_in_place(low: Lowering, base: Stored, mask: Node, axis: int) -> bool:
    sharing = [n for n in arrays_read(mask, low.resolve) if low.may_share(base.name, n)]
    if not sharing:
        return True
    if sharing != [base.name] or rank(mask) != rank(base) or axis:
        return False
    return _reads_only_where_it_writes(low, base, (_identity(base), base.lengths), base.lengths, mask)


def _identity(base: Stored) -> tuple[Pick, ...]:
    return tuple(At(ZERO) if n.is_one else Along(k) for k, n in enumerate(base.lengths))


def _fill_masked(low: Lowering, base: Stored, mask: Node, value: Node, axis: int) -> None:
    """The same value, or the same row, wherever the mask is true."""
    width = rank(mask)

    def fill(index: list[gast.expr]) -> None:
        inner = Nest(low)
        ahead = [inner.loop(n) for n in base.lengths[:axis]]
        behind = [inner.loop(n) for n in base.lengths[axis + width :]]
        at = _value_index(value, behind)
        tree = fitted(inner.value(value, at), base.dtype).tree
        inner.add(syntax.store(base.name, [*ahead, *index, *behind], tree))
        inner.finish()

    where_true(low, mask, fill)


def _store_one_by_one(low: Lowering, base: Stored, mask: Node, value: Node, behind: Sequence[Length]) -> None:
    """One element (or row) of the value for each true element of the mask."""
    mask = realise(low, mask)
    count = count_true(low, mask)
    hits = Length(opaque(low), count)
    if len(base.lengths) == rank(mask) == rank(value) == 1:
        message = (
            "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where the "
            "mask is true"
        )
        given = value.lengths[0]
        if not given.is_one:
            values = [given.clamped, count]
            require_equal(low, [(given, hits)], "ValueError", message, values, ONLY_KNOWN_ONES, 1)
    else:
        value = _fitting(low, value, [hits, *behind], MASK_SHAPES)
    value = realise(low, value)
    source = low.assign(low.local("position", INT), ZERO, INT)
    is_constant = value.lengths[0].is_one

    def put(index: list[gast.expr]) -> None:
        inner = Nest(low)
        rest = [inner.loop(n) for n in behind]
        at = _value_index(value, [ZERO if is_constant else syntax.name(source), *rest])
        tree = fitted(inner.value(value, at), base.dtype).tree
        inner.add(syntax.store(base.name, [*index, *rest], tree))
        inner.finish()

    where_true(low, mask, put, source)


# --- integer arrays ------------------------------------------------------------------------------------------------


def _store_scattered(low: Lowering, base: Stored, items: Items, value: Node, accumulate: bool) -> None:
    """In the order of the index arrays, so that of several values for one target the last one stays."""
    picks, lengths, source = scattered_places(low, base, items)
    message = "array is not broadcastable to correct shape" if accumulate else MASK_SHAPES
    value = _fitting(low, value, lengths, message)
    value = _read_before(low, base, value)
    picks = tuple(
        replace(pick, indices=_read_before(low, base, pick.indices)) if isinstance(pick, Through) else pick
        for pick in picks
    )
    nest = Nest(low)
    index = nest.nest(lengths, "range")
    at = _value_index(value, index)
    through = [(p.indices, through_index(p, index)) for p in picks if isinstance(p, Through)]
    nest.prepare((value, at), *through)
    place = source_index(Select(source, picks, lengths), index, lambda pick: nest.place(pick, index))
    tree = fitted(nest.value(value, at), base.dtype).tree
    nest.add(syntax.store(source.name, place, _combined(source, place, tree, accumulate)))  # type: ignore[union-attr, arg-type]
    nest.finish()


def _read_before(low: Lowering, base: Stored, node: Node) -> Node:
    """The node, in memory if the store changes what it is made of, or if it may raise when part of it is stored."""
    node = low.resolve(node)
    shares = any(low.may_share(base.name, n) for n in arrays_read(node, low.resolve))
    return materialise(low, node) if shares or _can_raise(low, node) else node


def _can_raise(low: Lowering, node: Node) -> bool:
    return isinstance(node, Select) and node.can_raise and node in low.raising

