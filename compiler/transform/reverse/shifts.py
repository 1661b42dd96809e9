"""Parameters that show a part of a longer array: where the part begins is handed in with the box of the whole.

    y = g(x[1:], n)        ->       g_backward(x_part, n, y_bar, x_bars, 1)

    def g(x, n):                    def g_backward(x, n, y_bar, x_bars, x_start):
        ... x[i]           ->           x_bar[x_start + i] += ...

Only parts of slices with step one are handed in so; the cotangent of any other argument is an array of its own.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.memory.places import Place, items_of
from ...names import base_of
from ...ops.slices import bounds, constant_of, is_full
from ...records import dataclass
from ...types import INT, Array
from ..int_atoms import IntAtoms
from .declared import array_type

if TYPE_CHECKING:
    from .cotangents import Cotangents
    from .sweep import Sweep

# for each axis the ints whose sum is the first index; None where the part is all of the axis
Starts = tuple[tuple[gast.expr, ...] | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A parameter that is a part: the name that stands for the whole array, and where the part begins on some axes."""

    whole: str
    starts: dict[int, str]


def shift_of(sweep: Sweep, parameter: str, axes: AbstractSet[int]) -> Shift:
    """Names for the whole array behind a parameter, and for the ints that are handed in."""
    type_ = array_type(sweep.types, parameter)
    whole = sweep.names.fresh(base_of(parameter))
    dims = tuple(sweep.root.builder.fresh_symbol("n") if k in axes else d for k, d in enumerate(type_.dims))
    sweep.types[whole] = Array(type_.dtype, dims)
    sweep.regions.home = {**sweep.regions.home, whole: sweep.regions.body}
    starts = {k: sweep.names.fresh(f"{base_of(parameter)}_start") for k in sorted(axes)}
    sweep.types.update((name, INT) for name in starts.values())
    return Shift(whole, starts)


def starts_of(place: Place, rank: int, natural: AbstractSet[str]) -> Starts | None:
    """Where a part begins on each axis of its array; None where it is not one of slices with step one."""
    starts: list[tuple[gast.expr, ...] | None] = [None] * rank
    for step in place.steps:
        if not isinstance(step.value, gast.Subscript):
            return None
        items = items_of(step.value)
        if not all(isinstance(i, gast.Slice) and constant_of(i.step) in (None, 1) for i in items):
            return None
        for axis, item in enumerate(items):
            assert isinstance(item, gast.Slice)
            if is_full(item):
                continue
            lower = item.lower if item.lower is not None else syntax.constant(0)
            known = lower.id in natural if isinstance(lower, gast.Name) else (constant_of(lower) or 0) >= 0
            if isinstance(item.step, gast.Name) or not known:
                return None
            starts[axis] = (*(starts[axis] or ()), lower)
    return tuple(starts)


def can_move(items: list[gast.expr]) -> bool:
    """Whether items of a part are items of the whole: slices that go up, and ints."""
    steps = [i.step for i in items if isinstance(i, gast.Slice)]
    return all(step is None or (constant_of(step) or 1) > 0 and isinstance(step, gast.Constant) for step in steps)


def moved(sweep: Sweep, frame: Cotangents, name: str, items: list[gast.expr]) -> list[gast.expr]:
    """Items that are inside of a parameter as items of the array that it is a part of."""
    shift = sweep.shifted[name]
    rank = array_type(sweep.types, name).ndim
    items = items + [gast.Slice(None, None, None)] * (rank - len(items))
    return [
        _moved(sweep, frame, name, axis, item, syntax.name(shift.starts[axis])) if axis in shift.starts else item
        for axis, item in enumerate(items)
    ]


def _moved(
    sweep: Sweep, frame: Cotangents, name: str, axis: int, item: gast.expr, start: gast.expr
) -> gast.expr:
    ints = IntAtoms(frame.builder)
    length = frame.builder.call("dim", name, axis=axis, hint="n")
    if isinstance(item, gast.Slice):
        if is_full(item):
            return syntax.slice_(start, ints.plus(start, length))
        first, count, step = bounds(item, length)
        lower = ints.plus(start, first)
        upper = ints.plus(lower, ints.times(count, step))
        return syntax.slice_(lower, upper, None if constant_of(step) == 1 else step)
    number = constant_of(item)
    if number is not None:
        return ints.plus(start if number >= 0 else ints.plus(start, length), item)
    if isinstance(item, gast.Name) and item.id in sweep.views.natural:
        return ints.plus(start, item)
    is_back = frame.builder.call("less", item, 0)
    return ints.plus(start, frame.builder.call("where", is_back, ints.plus(item, length), item))
