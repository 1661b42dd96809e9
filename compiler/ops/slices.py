"""Slices: the length of one as a dimension, and its start, count and step as expressions.

    x[1:-1]    n - 2        x[2:]    n - 2        x[::-1]    n        x[:k], k unknown    a fresh symbol
    bounds(1:-1, n)    ->    start = minimum(1, n), count = maximum(maximum(n - 1, 0) - start, 0), step = 1

Both are exactly CPython's `slice.indices`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from .. import syntax
from ..types import Dim, Extent, affine, is_plain, shift

if TYPE_CHECKING:
    from ..builder import Builder


def constant_of(node: gast.expr | None) -> int | None:
    return node.value if isinstance(node, gast.Constant) else None


def is_full(slice_: gast.expr) -> bool:
    """Whether a slice is `:`, however written."""
    return (
        isinstance(slice_, gast.Slice)
        and constant_of(slice_.lower) in (None, 0)
        and (slice_.lower is None or isinstance(slice_.lower, gast.Constant))
        and (slice_.upper is None or (isinstance(slice_.upper, gast.Constant) and slice_.upper.value is None))
        and (slice_.step is None or (isinstance(slice_.step, gast.Constant) and slice_.step.value in (None, 1)))
    )


# --- the length as a dimension -------------------------------------------------------------------------------------


def slice_extent(builder: Builder, slice_: gast.Slice, length: Extent) -> Extent:
    """The length of a slice of an axis of this length."""
    exact: Extent | None = _static(slice_, length) if isinstance(length, int) else None
    if exact is None:
        exact = _symbolic(builder, slice_, length)
    if exact is not None:
        return exact
    fresh = builder.fresh_symbol("n")
    if is_single(slice_):
        builder.singles.update(fresh.symbols())
    return fresh


def _static(slice_: gast.Slice, length: int) -> int | None:
    """Exact where every part is a constant."""
    parts = (slice_.lower, slice_.upper, slice_.step)
    if not all(part is None or isinstance(part, gast.Constant) for part in parts):
        return None
    lower, upper, step = map(constant_of, parts)
    if step == 0:
        return None  # raises ValueError when it is reached
    return len(range(*slice(lower, upper, step).indices(length)))


def _symbolic(builder: Builder, slice_: gast.Slice, length: Extent) -> Extent | None:
    step = 1 if slice_.step is None else constant_of(slice_.step)
    if step is None and isinstance(slice_.step, gast.Constant):
        step = 1
    whole = slice_.lower is None and slice_.upper is None
    if step == -1 and whole:
        return length
    if step != 1:
        return None
    if takes_one(slice_):
        return 1
    lower, upper = _bound(builder, slice_.lower, 0), _bound(builder, slice_.upper, length)
    if lower is None or upper is None:
        return None
    return _between(lower, upper, length)


def takes_one(slice_: gast.Slice) -> bool:
    """Whether a slice is `:1` or `-1:`, which people write to keep an axis for broadcasting.

    Its length is 1 unless the axis is empty, and that is refused where the slice is taken: the length is static.
    """
    step = slice_.step
    if constant_of(step) not in (None, 1) or (step is not None and not isinstance(step, gast.Constant)):
        return False
    if not all(part is None or isinstance(part, gast.Constant) for part in (slice_.lower, slice_.upper)):
        return False
    return (constant_of(slice_.lower) or 0, constant_of(slice_.upper)) in ((0, 1), (-1, None))


def is_single(slice_: gast.Slice) -> bool:
    """Whether a slice between constants has one element, or none of an axis that is too short: `1:2`, `-3:-2`."""
    parts = (slice_.lower, slice_.upper, slice_.step)
    if not all(isinstance(part, gast.Constant) for part in parts[:2]) or constant_of(slice_.step) not in (None, 1):
        return False
    lower, upper = constant_of(slice_.lower), constant_of(slice_.upper)
    between = lower is not None and upper is not None and (lower >= 0) == (upper >= 0) and upper - lower == 1
    return between and (slice_.step is None or isinstance(slice_.step, gast.Constant))


def _bound(builder: Builder, node: gast.expr | None, default: Extent) -> Extent | None:
    """A bound as a value: an int (negative counts from the end) or a known length; None where nothing is known."""
    match node:
        case None | gast.Constant(value=None):
            return default
        case gast.Constant(value=value):
            return value
        case gast.Name(id=id_) if id_ not in builder.merged:
            return builder.extents.get(id_)
    return None


def _between(lower: Extent, upper: Extent, length: Extent) -> Extent | None:
    """`max(0, upper - lower)` with CPython's clamps, where that is an affine expression for every length."""
    from_start = isinstance(lower, int) and lower >= 0
    if upper == length:
        if from_start:
            return shift(length, -lower)  # type: ignore[operator]
        return _rest(length, lower) if isinstance(lower, Dim) else None
    if isinstance(upper, int):
        if upper < 0 and from_start:
            return shift(length, upper - lower)  # type: ignore[operator]
        return 0 if _certainly_empty(lower, upper) else _within(lower, upper, length)
    if not from_start:
        return None
    # A length that is the axis less one or two is right even where it is negative and counts from the end.
    near = any(shift(length, -k) == upper for k in (1, 2)) and is_plain(length)
    if near or (is_plain(upper) and _rest(length, upper) is not None):
        return shift(upper, -lower)  # type: ignore[operator]
    return None


def _certainly_empty(lower: Extent, upper: int) -> bool:
    """Bounds counted from the same end that do not leave room; `x[:0]` too."""
    return upper == 0 or (isinstance(lower, int) and (lower >= 0) == (upper >= 0) and upper <= lower)


def _within(lower: Extent, upper: int, length: Extent) -> int | None:
    """Constant bounds that every length reaches: `x[:2]` of n + 2."""
    if not isinstance(lower, int) or lower < 0 or upper < 0 or not is_plain(length):
        return None
    least = length if isinstance(length, int) else length.constant
    return max(0, upper - lower) if upper <= least else None


def _rest(length: Extent, part: Dim) -> Extent | None:
    """`length - part` where it is certainly not negative."""
    if not (is_plain(length) and is_plain(part)):
        return None
    terms = dict(length.terms) if isinstance(length, Dim) else {}
    constant = length.constant if isinstance(length, Dim) else length
    for name, factor in part.terms:
        terms[name] = terms.get(name, 0) - factor
    rest = affine(terms, constant - part.constant)
    if isinstance(rest, int):
        return rest if constant >= part.constant else None
    return rest if is_plain(rest) else None


# --- start, count and step as expressions --------------------------------------------------------------------------


def bounds(slice_: gast.Slice, length: gast.expr) -> tuple[gast.expr, gast.expr, gast.expr]:
    """(start, count, step) of a slice of an axis of this length, as expressions in ints.

    Element k of the slice is element `start + k * step` of the axis.  The caller raises ValueError for a step of zero.
    """
    step = slice_.step
    if step is None or (isinstance(step, gast.Constant) and step.value is None):
        step = syntax.constant(1)
    if isinstance(step, gast.Constant):
        start, count = _counted(slice_, length, step, forward=step.value > 0)
        return start, count, step
    ahead, behind = _counted(slice_, length, step, forward=True), _counted(slice_, length, step, forward=False)
    is_ahead = syntax.call("greater", step, 0)
    return (*(gast.IfExp(is_ahead, a, b) for a, b in zip(ahead, behind)), step)


def _counted(slice_: gast.Slice, length: gast.expr, step: gast.expr, forward: bool) -> tuple[gast.expr, gast.expr]:
    last = _add(length, -1)
    if forward:
        start = _clamped(slice_.lower, length, 0, length, default=syntax.constant(0))
        stop = _clamped(slice_.upper, length, 0, length, default=length)
        distance = _subtract(stop, start)
        stride = step
    else:
        start = _clamped(slice_.lower, length, -1, last, default=last)
        stop = _clamped(slice_.upper, length, -1, last, default=syntax.constant(-1))
        distance = _subtract(start, stop)
        stride = syntax.constant(-step.value) if isinstance(step, gast.Constant) else syntax.call("negative", step)
    if constant_of(stride) != 1:
        distance = syntax.call("floor_divide", _add(_add(distance, stride), -1), stride)
    if constant_of(stride) == 1 and distance is length:
        return start, distance
    return start, syntax.call("maximum", distance, 0)


def _clamped(
    bound: gast.expr | None, length: gast.expr, least: int, most: gast.expr, default: gast.expr
) -> gast.expr:
    """A bound counted from the start and moved into least..most."""
    if bound is None or (isinstance(bound, gast.Constant) and bound.value is None):
        return default
    value = constant_of(bound)
    if value == 0 and least == 0:
        return bound
    if value is not None and value >= 0:
        return syntax.call("minimum", bound, most)
    from_end = syntax.call("maximum", _add(length, bound if value is None else value), least)
    if value is not None:
        return from_end
    return gast.IfExp(syntax.call("less", bound, 0), from_end, syntax.call("minimum", bound, most))


def _add(left: gast.expr, right: gast.expr | int) -> gast.expr:
    if isinstance(right, gast.Constant):
        right = right.value
    if isinstance(right, int) and isinstance(left, gast.Constant):
        return syntax.constant(left.value + right)
    if isinstance(right, int) and right < 0:
        return syntax.call("subtract", left, -right)
    return left if isinstance(right, int) and right == 0 else syntax.call("add", left, right)


def _subtract(left: gast.expr, right: gast.expr) -> gast.expr:
    if isinstance(right, gast.Constant):
        return _add(left, -right.value)
    return syntax.call("subtract", left, right)
