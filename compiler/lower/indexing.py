"""Index loads: element loads, slices as index maps or views, gathers by integer arrays.

    y = x[1:-1]    ->    Select(x, i -> i + 1) of length n - 2        nothing is written
    y = x[k, :]    ->    y = x[k, :]                                  a view, which checks `k` and clamps unknown slices
    y = x[index]   ->    Select(x, i -> index[i])                     checked element by element in a nest
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..dtypes import INT_WORD
from ..types import INT, Array, Extent, Scalar, shift, symbol
from .arithmetic import ZERO, minus, plus, text_of
from .empty_rows import require_inside
from .guards import any_of, joined, raise_if, shape_texts
from .lowering import Lowering
from .nest import Nest, bottom_of, flush, materialise, realise
from .nodes import (
    ONE_LONG,
    Along,
    Apply,
    At,
    Fill,
    Length,
    Node,
    Pick,
    Recipe,
    ScalarTree,
    Select,
    Stored,
    Through,
    is_heavy,
    rank,
)
from .proved import is_proved_inside

Items = Sequence[gast.expr]


def is_new_axis(item: gast.expr) -> bool:
    return isinstance(item, gast.Constant) and item.value is None


def is_full_slice(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and item.lower is None and item.upper is None and item.step is None


def index_arrays(low: Lowering, items: Items) -> list[str]:
    """The arrays among the items."""
    return [i.id for i in items if isinstance(i, gast.Name) and isinstance(low.function.types[i.id], Array)]


# --- elements ------------------------------------------------------------------------------------------------------


def element(low: Lowering, base: Node, items: Items) -> ScalarTree:
    """One element: read where it is, or computed alone."""
    base = low.resolve(base)
    is_stored = isinstance(base, Stored)  # its element is checked where it is read
    is_known = is_stored or all(_is_inside(low, i, n.extent) for i, n in zip(items, base.lengths, strict=True))
    if is_stored or (not is_known and isinstance(bottom_of(low, base), Stored)):
        return ScalarTree(syntax.index(realise(low, base).name, *items), base.dtype)
    index = list(items) if is_known else [checked(low, i, k, base) for k, i in enumerate(items)]
    nest = Nest(low)
    nest.prepare((base, index))
    value = nest.value(base, index)
    nest.finish()
    return value


def checked(low: Lowering, item: gast.expr, axis: int, node: Node) -> gast.expr:
    """The index from the front of an element that is not in memory, after the check that memory would make."""
    length = node.lengths[axis]
    if _is_inside(low, item, length.extent):
        return item
    size = length.clamped
    type_ = low.type_of(item)
    if isinstance(type_, Scalar) and type_.dtype != INT_WORD:  # lengths have 64 bits
        type_ = INT
        item = syntax.name(low.assign(low.fresh("t"), syntax.call("cast", item, dtype=INT_WORD), INT))
    outside = [syntax.call("less", item, _negative(size)), syntax.call("greater_equal", item, size)]
    if isinstance(item, gast.Constant):
        outside = [syntax.call("less_equal", size, item) if item.value >= 0 else outside[0]]
    message = f"index {{}} is out of bounds for axis {axis} with size {{}}"
    raise_if(low, any_of(outside), "IndexError", message, [item, size])
    if isinstance(item, gast.Constant):
        return item if item.value >= 0 else plus(size, item.value)
    front = gast.IfExp(syntax.call("less", item, ZERO), syntax.call("add", item, size), item)
    return syntax.name(low.assign(low.fresh("t"), front, type_))


def _is_inside(low: Lowering, item: gast.expr, extent: Extent) -> bool:
    return low.is_inside(item, extent) or is_proved_inside(low, item, extent)


def _negative(size: gast.expr) -> gast.expr:
    return syntax.constant(-size.value) if isinstance(size, gast.Constant) else syntax.call("negative", size)


# --- slices --------------------------------------------------------------------------------------------------------


def basic(low: Lowering, name: str, base: Node, items: Items) -> Node:
    """Ints, slices and new axes: an index map where it is simple, a view otherwise."""
    mapped = index_map(low, base, items, low.function.types[name].dims)  # type: ignore[union-attr]
    if mapped is None:
        return view(low, name, base, items)
    picks, lengths = mapped
    return Select(base, picks, lengths, Recipe(items=tuple(items)), low.span, low.inlined)


def index_map(
    low: Lowering, base: Node, items: Items, dims: Sequence[Extent] = ()
) -> tuple[tuple[Pick, ...], tuple[Length, ...]] | None:
    """Picks and lengths, or None where an index is not known to be inside or a slice has no simple form.

    `dims` are the result's; without them a slice of at most one element is not simple.
    """
    picks: list[Pick] = []
    lengths: list[Length] = []
    for item in items:
        if is_new_axis(item):
            lengths.append(ONE_LONG)
            continue
        length = base.lengths[len(picks)]
        if isinstance(item, gast.Slice):
            part = simple_slice(item, length, len(lengths))
            if part is None and dims:
                part = single_slice(item, length, len(lengths), dims[len(lengths)])
            if part is None:
                return None
            picks.append(part[0])
            lengths.append(part[1])
        elif _is_inside(low, item, length.extent):
            picks.append(At(item))
        elif isinstance(item, gast.Constant) and isinstance(length.extent, int) and -length.extent <= item.value < 0:
            picks.append(At(syntax.constant(item.value + length.extent)))
        else:
            return None
    return tuple(picks), tuple(lengths)


def simple_slice(item: gast.Slice, length: Length, axis: int) -> tuple[Pick, Length] | None:
    """A slice whose start and length do not depend on how long the axis turns out to be, or that is the whole axis."""
    bounds = [part.value if isinstance(part, gast.Constant) else part for part in (item.lower, item.upper, item.step)]
    if any(isinstance(part, gast.AST) for part in bounds):
        return None
    lower, upper, step = bounds
    extent = length.extent
    if isinstance(extent, int):
        if step == 0:
            return None
        start, stop, stride = slice(lower, upper, step).indices(extent)
        count = len(range(start, stop, stride))
        if stride not in (1, -1) and count > 1:
            return None
        return _static_slice(start, count, stride, axis)
    if step == -1 and lower is None and upper is None:
        return Along(axis, minus(length.tree, 1), -1), length
    if step not in (None, 1) or (lower or 0) < 0 or (upper is not None and upper >= 0):
        return None
    cut = (lower or 0) - (upper or 0)
    shorter = Length(shift(extent, -cut), minus(length.tree, cut)) if cut else length
    return Along(axis, syntax.constant(lower or 0)), shorter


def single_slice(item: gast.Slice, length: Length, axis: int, extent: Extent) -> tuple[Pick, Length] | None:
    """A slice of one element if it is there: `x[2:3]`, `x[-1:]`; such a length broadcasts like 1."""
    bounds = [part.value if isinstance(part, gast.Constant) else part for part in (item.lower, item.upper, item.step)]
    lower, upper, step = bounds
    if step not in (None, 1) or isinstance(lower, gast.AST) or isinstance(upper, gast.AST):
        return None
    lower = 0 if lower is None else lower
    if lower >= 0 and upper == lower + 1:
        start: gast.expr = syntax.constant(lower)
        there = minus(length.clamped, lower)
    elif lower < 0 and (upper == lower + 1 or (lower == -1 and upper is None)) and upper != 0:
        start, there = plus(length.clamped, lower), plus(length.clamped, lower + 1)
    else:
        return None
    if extent == 1:
        return At(start), ONE_LONG  # the element is there
    tree = syntax.call("minimum", there, 1)
    return Along(axis, start), Length(extent, tree, may_be_negative=lower not in (0, -1), one_of=length.extent)


def _static_slice(start: int, count: int, stride: int, axis: int) -> tuple[Pick, Length]:
    length = ONE_LONG if count == 1 else Length(count, syntax.constant(count))
    return Along(axis, syntax.constant(start), 1 if count == 1 else stride), length


def view(low: Lowering, name: str, base: Node, items: Items) -> Node:
    """Name the slice: the view checks its ints and clamps its slices as Python does."""
    if isinstance(bottom_of(low, base), Stored) or rank(base) == 0:
        flush(low)
        made, dims = name if name not in low.facts.merged else low.fresh(name), low.function.types[name].dims  # type: ignore
        return named_view(low, made, realise(low, base), items, dims)
    ints = [k for k, i in enumerate(_without_new_axes(items)) if not isinstance(i, gast.Slice)]
    if all(simple_slice(i, n, 0) for i, n in _sliced(items, base)) and ints:
        return basic_checked(low, base, items)
    materialise(low, base)
    return basic(low, name, low.resolve(base), items)


def named_view(low: Lowering, name: str, source: Stored, items: Items, dims: Sequence[Extent]) -> Stored:
    """A view statement, or the variable that shows the same elements already."""
    key = source.name, tuple(map(text_of, items))
    is_lasting = source.name not in low.facts.merged  # `settle` sees what indices are assigned
    if is_lasting and key in low.views:
        return low.views[key][0]
    type_ = Array(source.dtype, tuple(dims), layout_of_view(low, source.name, items))
    low.assign(name, syntax.index(source.name, *items), type_)
    low.origin[name] = source.name
    made = low.stored(name)
    know_slices(low, source, items, made)
    if is_lasting:
        low.views[key] = made, frozenset(n for i in items for n in syntax.names_read(i))
    return made


def know_slices(low: Lowering, base: Node, items: Items, result: Node) -> None:
    """Slices with the same bounds of axes of the same length have the same length."""
    old, new = iter(base.lengths), iter(result.lengths)
    for item in items:
        if is_new_axis(item):
            next(new)
            continue
        axis = next(old)
        if not isinstance(item, gast.Slice):
            continue
        length = next(new)
        if not low.facts.merged.isdisjoint(syntax.names_read(item)):
            continue
        extent = axis.extent if isinstance(axis.extent, int) else low.canonical(axis.extent)
        known = low.slices.setdefault((str(extent), text_of(item)), length.extent)
        low.make_equal(known, length.extent)


def layout_of_view(low: Lowering, source: str, items: Items) -> str:
    """A block of whole rows of a C array is a C array."""
    type_ = low.types[source]
    is_part = [isinstance(i, gast.Slice) or is_new_axis(i) for i in items]
    first = is_part.index(True) if True in is_part else len(items)
    is_whole = all(map(is_full_slice, items[first:]))
    return "C" if type_.layout == "C" and is_whole else "A"  # type: ignore[union-attr]


def _without_new_axes(items: Items) -> list[gast.expr]:
    return [i for i in items if not is_new_axis(i)]


def _sliced(items: Items, base: Node) -> list[tuple[gast.Slice, Length]]:
    return [(i, n) for i, n in zip(_without_new_axes(items), base.lengths) if isinstance(i, gast.Slice)]


def basic_checked(low: Lowering, base: Node, items: Items) -> Node:
    """Ints and simple slices of an array that is not in memory: the ints are checked here."""
    picks: list[Pick] = []
    lengths: list[Length] = []
    for item in items:
        if is_new_axis(item):
            lengths.append(ONE_LONG)
        elif isinstance(item, gast.Slice):
            pick, length = simple_slice(item, base.lengths[len(picks)], len(lengths))  # type: ignore[misc]
            picks.append(pick)
            lengths.append(length)
        else:
            picks.append(At(checked(low, item, len(picks), base)))
    return Select(base, tuple(picks), tuple(lengths), None, low.span, low.inlined)


def broadcast_select(base: Node, lengths: Sequence[Length]) -> Select:
    """A node spread over a larger shape."""
    lead = len(lengths) - rank(base)
    picks = tuple(At(ZERO) if n.is_one else Along(k + lead) for k, n in enumerate(base.lengths))
    return Select(base, picks, tuple(lengths))


# --- integer arrays ------------------------------------------------------------------------------------------------


def gather(low: Lowering, base: Node, items: Items) -> Node:
    """Elements at positions that arrays hold; ints beside an array count as arrays without axes, as in NumPy."""
    flush(low)
    picks, lengths, source = scattered_places(low, base, items)
    made = Select(source, picks, lengths, None, low.span, low.inlined, can_raise=True)
    low.raising.append(made)
    return made


def scattered_places(
    low: Lowering, base: Node, items: Items
) -> tuple[tuple[Pick, ...], tuple[Length, ...], Node]:
    """Where the elements stand that items with integer arrays among them select, and the variable they stand in."""
    source, items = sliced_first(low, base, items, keep_simple=True)
    indices = {k: low.node(i) for k, i in enumerate(items) if not isinstance(i, gast.Slice) and not is_new_axis(i)}
    arrays = [n for n in indices.values() if rank(n) > 0]
    words, values = shape_texts([n.lengths for n in arrays])
    message = f"shape mismatch: indexing arrays could not be broadcast together with shapes {words}"
    common = joined(low, [n.lengths for n in arrays], "IndexError", message, values)
    first = _first_of_common(indices, len(items))
    picks: list[Pick] = []
    rows: list[Length] = []
    lengths: list[Length] = [] if first is not None else list(common)
    last = len(common) if first is None else first + len(common)
    for position, item in enumerate(items):
        if position == first:
            lengths += common
        if is_new_axis(item):
            lengths.append(ONE_LONG)
        elif isinstance(item, gast.Slice):
            part = simple_slice(item, source.lengths[len(picks)], len(lengths))
            if part is None:
                raise InternalError("loops", text_of(item), "a slice that should have become a view")
            picks.append(part[0])
            lengths.append(part[1])
            rows.append(part[1])
        else:
            node = indices[position]
            picks.append(Through(node, last) if rank(node) else At(item))
    require_inside(low, source, picks, rows)
    return tuple(picks), tuple(lengths), source


def _first_of_common(indices: dict, count: int) -> int | None:
    """Where the axes of the index arrays go: in their place, or (None) in front where a slice stands between them."""
    positions = sorted(indices)
    return positions[0] if positions == list(range(positions[0], positions[-1] + 1)) else None


def sliced_first(
    low: Lowering, base: Node, items: Items, keep_simple: bool = False
) -> tuple[Node, list[gast.expr]]:
    """The variable in which every slice is a whole axis (or a simple one, if those are kept), and the items for it."""
    slices = [i if isinstance(i, gast.Slice) else syntax.slice_() for i in _without_new_axes(items)]
    if keep_simple and all(map(is_full_slice, slices)) and _passes_indices_on(low, base):
        return base, list(items)
    source = realise(low, base)
    kept = [simple_slice(i, n, 0) is not None for i, n in zip(slices, source.lengths)]
    if all(map(is_full_slice, slices)) or (keep_simple and all(kept)):
        return source, list(items)
    whole = [syntax.slice_() if isinstance(i, gast.Slice) else i for i in items]
    return _unnamed_view(low, source, slices), whole


def _passes_indices_on(low: Lowering, node: Node) -> bool:
    """Whether an element at an unchecked index is made of elements of variables at that very index, which check it."""
    covered: set[int] = set()
    stack = [low.resolve(node)]
    while stack:
        top = stack.pop()
        if isinstance(top, Stored):
            own = {k for k, n in enumerate(top.lengths) if not n.is_single}
            if own and rank(top) != rank(node):
                return False  # its error would name another axis
            covered |= own
        elif isinstance(top, Apply) and not top.can_raise:
            stack += map(low.resolve, top.operands)
        elif not (isinstance(top, Fill) and rank(top) == 0):
            return False
    return covered == set(range(rank(node))) and not is_heavy(node, low.resolve)


def _unnamed_view(low: Lowering, source: Stored, slices: Items) -> Stored:
    name = low.fresh("t")
    simple = [simple_slice(i, n, 0) for i, n in zip(slices, source.lengths)]  # type: ignore[arg-type]
    dims: list[Extent] = [opaque(low) if part is None else part[1].extent for part in simple]
    low.assign(name, syntax.index(source.name, *slices), Array(source.dtype, tuple(dims), "A"))
    low.origin[name] = source.name
    return low.stored(name)


def opaque(low: Lowering) -> Extent:
    """A length of which nothing is known."""
    return symbol(low.symbols.fresh("k"))
