"""Parameters that are sections of longer arrays: where a section begins is passed in with the box of the whole.

    y = g(x[1:], n)        ->       g_backward(x_part, n, y_bar, x_bars, 1)

    def g(x, n):                    def g_backward(x, n, y_bar, x_bars, x_start):
        ... x[i]           ->           x_bar[x_start + i] += ...

To the views of the function such a parameter is one more view, of an array that is known by its cotangent alone.  Only
sections of step one are passed in so; the cotangent of any other argument is an array of its own.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.memory.places import Place, ViewStep, items_of
from ...names import base_of
from ...ops.slices import constant_of, is_full
from ...records import dataclass
from ...types import INT, Array
from .declared import array_type

if TYPE_CHECKING:
    from .sweep import Sweep

# Each axis has the ints whose sum is the first index; None where the part is all of the axis.
Starts = tuple[tuple[gast.expr, ...] | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A parameter as a view of the array that it is a section of, and the ints that are passed in for its start."""

    place: Place
    starts: tuple[str, ...]

    @property
    def whole(self) -> str:
        return self.place.root


def section(sweep: Sweep, parameter: str, axes: AbstractSet[int]) -> Section:
    """Names for the whole array after a parameter, and for where the parameter begins on these axes."""
    type_ = array_type(sweep.types, parameter)
    whole = sweep.names.fresh(base_of(parameter))
    dims = tuple(sweep.root.builder.fresh_symbol("n") if k in axes else d for k, d in enumerate(type_.dims))
    sweep.types[whole] = Array(type_.dtype, dims)
    sweep.regions.home = {**sweep.regions.home, whole: sweep.regions.body}
    starts = {k: sweep.names.fresh(f"{base_of(parameter)}_start") for k in sorted(axes)}
    sweep.types.update((name, INT) for name in starts.values())
    items = [syntax.slice_(syntax.name(starts[k])) if k in axes else syntax.slice_() for k in range(type_.ndim)]
    step = ViewStep(syntax.index(whole, *items), whole, type_, lengths_of=parameter)
    return Section(Place(whole, (step,)), tuple(starts.values()))


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
