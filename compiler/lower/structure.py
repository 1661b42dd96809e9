"""Operators that rearrange: transpose and broadcast_to as index maps, reshape as a view, concatenate as copies.

    y = reshape(x * 2.0, shape=(n, m))    ->    t = empty(...); ...; y = reshape(t, shape=(n, m))
    z = concatenate(x, y, axis=0)         ->    z = empty(shape=(dim(x, axis=0) + dim(y, axis=0),)); a nest each
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..types import Array
from .arithmetic import ZERO, plus, product
from .elementwise import lengths_of_shape
from .guards import ONLY_KNOWN_ONES, raise_if, require_equal, shape_text
from .indexing import broadcast_select
from .lowering import Lowering
from .nest import Nest, allocate, realise
from .nodes import ONE_LONG, Along, At, Length, Node, Pick, Recipe, Select, Stored, rank
from .operands import convert


def structure(low: Lowering, name: str, operator: str, operands: Sequence[Node], static: Mapping) -> Node:
    type_ = low.function.types[name]
    if not isinstance(type_, Array):
        raise InternalError("loops", name, "an array is made here")
    match operator:
        case "transpose":
            return transpose(low, operands[0], static["axes"])
        case "reshape":
            return reshape(low, name, operands[0], lengths_of_shape(low, static["shape"], type_))
        case "broadcast_to":
            return broadcast_to(low, operands[0], lengths_of_shape(low, static["shape"], type_))
        case "concatenate":
            return concatenate(low, name, operands, static["axis"] % type_.ndim, type_)
    raise InternalError("loops", operator, "not a structural operator")


def transpose(low: Lowering, node: Node, axes: Sequence[int]) -> Node:
    order = tuple(k % rank(node) for k in axes)
    if isinstance(node, Select) and node.recipe is not None and node.recipe.axes:
        before = node.recipe.axes
        return transpose(low, low.resolve(node.source), tuple(before[k] for k in order))
    if order == tuple(range(rank(node))):
        return node
    picks = tuple(Along(order.index(k)) for k in range(rank(node)))
    lengths = tuple(node.lengths[k] for k in order)
    return Select(node, picks, lengths, Recipe(axes=order), low.span, low.inlined)


def broadcast_to(low: Lowering, node: Node, lengths: tuple[Length, ...]) -> Node:
    given, _ = shape_text(node.lengths)
    wanted, _ = shape_text(lengths)
    values = [n.clamped for n in (*node.lengths, *lengths) if not isinstance(n.extent, int)]
    message = (
        f"operands could not be broadcast together with remapped shapes [original->remapped]: {given}  "
        f"and requested shape {wanted}"
    )
    lead = len(lengths) - rank(node)
    pairs = [(old, new) for old, new in zip(node.lengths, lengths[lead:]) if not old.is_one]
    require_equal(low, pairs, "ValueError", message, values, ONLY_KNOWN_ONES)
    return broadcast_select(node, lengths)


# --- reshape -------------------------------------------------------------------------------------------------------


def reshape(low: Lowering, name: str, node: Node, lengths: tuple[Length, ...]) -> Node:
    _require_same_size(low, node.lengths, lengths)
    only_ones = _without_ones(low, node, lengths)
    if only_ones is not None:
        return Select(node, only_ones, lengths, None, low.span, low.inlined)
    source = realise(low, node, contiguous=True)
    made = name if name not in low.facts.merged else low.fresh(name)
    tree = syntax.call("reshape", source.name, shape=syntax.tuple_(n.tree for n in lengths))
    low.assign(made, tree, Array(node.dtype, tuple(n.extent for n in lengths)))
    low.origin[made] = source.name
    return low.stored(made, lengths)


def _require_same_size(low: Lowering, old: Sequence[Length], new: Sequence[Length]) -> None:
    if _factors(low, old) == _factors(low, new):
        return
    size = product(n.clamped for n in old)
    words, values = shape_text(new)
    tests = [syntax.call("not_equal", size, product(n.tree for n in new))]
    tests += [syntax.call("less", n.tree, ZERO) for n in new if not low.is_natural(n.tree)]
    test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.Or(), tests)
    raise_if(low, test, "ValueError", f"cannot reshape array of size {{}} into shape {words}", [size, *values])


def _factors(low: Lowering, lengths: Sequence[Length]) -> tuple[int, list[str]]:
    """A size in a form that is equal for sizes that are known to be equal."""
    constant = 1
    symbols: list[str] = []
    for length in lengths:
        number, others = low.factors_of(length.tree) or low.factors_of_extent(length.extent)
        constant *= number
        symbols += others
    return constant, sorted(symbols)


def _without_ones(low: Lowering, node: Node, lengths: Sequence[Length]) -> tuple[Pick, ...] | None:
    """Picks, where the shapes differ only in axes of length 1."""
    old = [k for k, n in enumerate(node.lengths) if not n.is_one]
    new = [k for k, n in enumerate(lengths) if not n.is_one]
    if len(old) != len(new):
        return None
    if not all(low.same(node.lengths[a].extent, lengths[b].extent) for a, b in zip(old, new)):
        return None
    axis_of = dict(zip(old, new))
    return tuple(Along(axis_of[k]) if k in axis_of else At(ZERO) for k in range(rank(node)))


# --- concatenate ---------------------------------------------------------------------------------------------------


def concatenate(low: Lowering, name: str, parts: Sequence[Node], axis: int, type_: Array) -> Stored:
    lengths = [ONE_LONG if e == 1 else parts[0].lengths[k] for k, e in enumerate(type_.dims)]
    for position, part in enumerate(parts[1:], 1):
        _require_fits(low, parts[0], part, axis, position)
    for k in range(len(lengths)):
        static = [p.lengths[k] for p in parts if isinstance(p.lengths[k].extent, int)]
        lengths[k] = static[0] if static and k != axis else lengths[k]
    total: gast.expr = ZERO
    for part in parts:
        total = plus(total, part.lengths[axis].clamped)
    lengths[axis] = Length(type_.dims[axis], total)
    nests = [_part(low, part) for part in parts]
    out = allocate(low, name if name not in low.facts.merged else low.fresh(name), lengths, type_.dtype)
    offset: gast.expr = ZERO
    for nest, index, part in nests:
        _write_part(low, nest, index, part, out, type_.dtype, axis, offset)
        offset = plus(offset, part.lengths[axis].clamped)
    return low.stored(out, tuple(lengths))


def _require_fits(low: Lowering, first: Node, part: Node, axis: int, position: int) -> None:
    for k in range(rank(first)):
        if k == axis:
            continue
        message = (
            "all the input array dimensions except for the concatenation axis must match exactly, but along dimension "
            f"{k}, the array at index 0 has size {{}} and the array at index {position} has size {{}}"
        )
        pair = (first.lengths[k], part.lengths[k])
        require_equal(low, [pair], "ValueError", message, [n.clamped for n in pair])


def _part(low: Lowering, part: Node) -> tuple[Nest, list[gast.expr], Node]:
    """The nest over one part, what it needs written ahead of the result's allocation."""
    nest = Nest(low)
    index = nest.nest(part.lengths)
    nest.prepare((part, index))
    low.active = nest.outside
    return nest, index, part


def _write_part(
    low: Lowering, nest: Nest, index: list[gast.expr], part: Node, out: str, dtype: str, axis: int, offset: gast.expr
) -> None:
    value = convert(nest.value(part, index), dtype)
    place = list(index)
    place[axis] = plus(place[axis], offset)
    nest.add(syntax.store(out, place, value.tree))
    nest.finish()


