"""Index loads of every kind; boolean masks are counted, then copied, or turned into integer arrays of positions.

    y = x[mask]    ->    count = 0; for i in range(...): if mask[i]: count = count + 1
                         y = empty(shape=(count,), dtype="f64")
                         position = 0
                         for i in range(...):
                             if mask[i]:
                                 y[position] = x[i]
                                 position = position + 1
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from .. import syntax
from ..dtypes import INT_WORD, is_bool
from ..types import INT, Scalar
from .arithmetic import ZERO
from .guards import require_equal
from .indexing import Items, basic, element, gather, index_arrays, is_new_axis, opaque, sliced_first
from .lowering import Lowering
from .nest import Nest, allocate, flush, realise
from .nodes import ONE_LONG, Length, Masked, Node, ScalarTree, Stored, arrays_read, is_heavy, rank
from .operands import convert


def load(low: Lowering, name: str, base: Node, items: Items) -> Node | ScalarTree:
    """What `base[items]` is: a node, or a scalar's value."""
    arrays = index_arrays(low, items)
    if any(is_bool(low.function.types[a].dtype) for a in arrays):  # type: ignore[union-attr]
        return compress(low, name, base, items)
    if arrays:
        return gather(low, base, items)
    if isinstance(low.function.types[name], Scalar):
        return element(low, base, items)
    return basic(low, name, base, items)


def compress(low: Lowering, name: str, base: Node, items: Items) -> Node:
    """The elements where a mask is true: counted, then copied one after the other."""
    flush(low)
    arrays = index_arrays(low, items)
    others = [i for i in items if not isinstance(i, gast.Slice) and not is_new_axis(i)]
    if len(arrays) > 1 or len(others) > 1:
        return gather(low, base, mask_as_indices(low, base, items))
    position = next(k for k, i in enumerate(items) if isinstance(i, gast.Name) and i.id == arrays[0])
    mask = low.node(items[position])
    source, whole = _sliced_first_around(low, base, items, position, rank(mask))
    require_mask_fits(low, mask, source, position_axis(items, position))
    mask = kept_mask(low, mask)

    def write() -> Stored:
        return _copy_where(low, name, source, whole, position, mask, count_true(low, mask))

    if name not in low.facts.folded or rank(mask) != rank(source) or len(items) > 1:
        return write()
    # nobody looks at the length of what is not measured
    length = Length(opaque(low), count_true(low, mask)) if name in low.facts.measured else mask.lengths[0]
    return Masked(source, mask, (length,), write)


def kept_mask(low: Lowering, mask: Node) -> Node:
    """The mask, in memory if its elements are wanted again."""
    is_wanted_again = low.uses[mask] > 1 and not isinstance(mask, Stored)
    return realise(low, mask) if is_wanted_again or is_heavy(mask, low.resolve) else mask


def position_axis(items: Items, position: int) -> int:
    """The axis of the array at which an item stands."""
    return sum(not is_new_axis(i) for i in items[:position])


def _sliced_first_around(
    low: Lowering, base: Node, items: Items, position: int, axes: int
) -> tuple[Stored, list[gast.expr]]:
    """As `sliced_first`, where one item stands for several axes."""
    spread = [*items[:position], *[syntax.slice_()] * axes, *items[position + 1 :]]
    source, whole = sliced_first(low, base, spread)
    return source, [*whole[:position], items[position], *whole[position + axes :]]  # type: ignore[return-value]


def require_mask_fits(low: Lowering, mask: Node, source: Node, axis: int) -> None:
    for k, length in enumerate(mask.lengths):
        along = source.lengths[axis + k]
        message = (
            f"boolean index did not match indexed array along axis {axis + k}; "
            "size of axis is {} but size of corresponding boolean axis is {}"
        )
        require_equal(low, [(along, length)], "IndexError", message, [along.clamped, length.clamped])


def count_true(low: Lowering, mask: Node) -> gast.Name:
    """An int variable with the number of true elements: the one there is, if this mask has been counted."""
    if mask in low.counts:
        return low.counts[mask]
    nest = Nest(low)
    total = nest.variable("count", INT_WORD, ZERO)
    index = [nest.loop(length, "lanes") for length in mask.lengths]
    nest.prepare((mask, index))
    hit = nest.value(mask, index)
    nest.add(syntax.assign(total.id, syntax.call("add", total, convert(hit, INT_WORD).tree)))
    nest.finish()
    count = low.assign(low.fresh("count"), syntax.call("cast", total, dtype=INT_WORD, weak=True), INT)
    if not any(map(low.is_overwritten, arrays_read(mask, low.resolve))):
        low.counts[mask] = syntax.name(count)
    return syntax.name(count)


def _copy_where(
    low: Lowering, name: str, source: Stored, items: Items, position: int, mask: Node, count: gast.Name
) -> Stored:
    type_ = low.function.types[name]
    axis, width = position_axis(items, position), rank(mask)
    kept = [*source.lengths[:axis], None, *source.lengths[axis + width :]]
    lengths: list[Length] = []
    for item in items:
        if is_new_axis(item):
            lengths.append(ONE_LONG)
            continue
        length = kept.pop(0)
        lengths.append(length if length is not None else Length(type_.dims[len(lengths)], count))  # type: ignore
    out = allocate(low, name if name not in low.facts.merged else low.fresh(name), lengths, source.dtype)
    target = low.assign(low.local("position", INT), ZERO, INT)

    def copy(index: list[gast.expr]) -> None:
        inner = Nest(low)
        around = [ZERO if is_new_axis(i) else inner.loop(lengths[k]) if k != position else syntax.name(target)
                  for k, i in enumerate(items)]  # fmt: skip
        old = [tree for tree, i in zip(around, items) if not is_new_axis(i)]
        old[axis : axis + 1] = index
        inner.add(syntax.store(out, around, syntax.index(source.name, *old)))
        inner.finish()

    where_true(low, mask, copy, target)
    return low.stored(out)


def where_true(
    low: Lowering, mask: Node, body: Callable[[list[gast.expr]], None], counter: str | None = None
) -> None:
    """Run `body(index)` where the mask is true, and then count on."""
    nest = Nest(low)
    index = nest.nest(mask.lengths, "range")
    nest.prepare((mask, index))
    hit = nest.value(mask, index).tree
    with low.capture() as inside:
        body(index)
        if counter is not None:
            low.emit(syntax.assign(counter, syntax.call("add", counter, 1)))
    nest.add(syntax.if_(hit, inside))
    nest.finish()


def mask_as_indices(low: Lowering, base: Node, items: Items) -> list[gast.expr]:
    """Every mask replaced by the integer arrays of its true positions."""
    result: list[gast.expr] = []
    axis = 0
    for item in items:
        if is_new_axis(item):
            result.append(item)
            continue
        node = low.node(item) if isinstance(item, gast.Name) else None
        if node is None or rank(node) == 0 or not is_bool(node.dtype):
            result.append(item)
            axis += 1
            continue
        require_mask_fits(low, node, base, axis)
        result += _true_places(low, realise(low, node))
        axis += rank(node)
    return result


def _true_places(low: Lowering, mask: Stored) -> list[gast.expr]:
    """One integer array for each axis of the mask."""
    count = count_true(low, mask)
    length = Length(opaque(low), count)
    places = [allocate(low, low.fresh("places"), [length], INT_WORD) for _ in mask.lengths]
    target = low.assign(low.local("position", INT), ZERO, INT)

    def note(index: list[gast.expr]) -> None:
        for place, tree in zip(places, index):
            low.emit(syntax.store(place, [syntax.name(target)], syntax.call("cast", tree, dtype=INT_WORD)))

    where_true(low, mask, note, target)
    for place in places:
        low.nodes[place] = low.stored(place)
    return [syntax.name(place) for place in places]
