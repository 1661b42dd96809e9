"""Give the lengths that a loop changes symbols of their own in the backward form of that loop.

    forward                                    backward
    for ...:      z: f64[length]               for ...:       z_1: f64[length_1]
    y = 2.0 * z   y: f64[length]               y_bar: f64[length]

After a loop, the symbol of what it carried stands for the length in the end, and no statement after the loop goes back
to an earlier one.  The backward sweep does, so that there the two need two symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import gast

from ... import syntax, types
from ...analysis.regions import Region, Regions
from ...types import Array, Dim, Extent, Type

if TYPE_CHECKING:
    from .sweep import Sweep


def changed_axes(table: Mapping[str, Type], name: str, source: gast.expr) -> list[bool]:
    """For each axis of a carried array, whether the loop may give it another length."""
    carried, given = table[name], table.get(getattr(source, "id", ""))
    if not isinstance(carried, Array) or not isinstance(given, Array):
        return []
    return [one != other for one, other in zip(carried.dims, given.dims, strict=True)]


def changed_symbols(regions: Regions, loop: Region) -> set[str]:
    """The symbols that mean another length in every iteration of a loop."""
    table = regions.function.types
    found: set[str] = set()
    for name, source in regions.closing[id(loop.statement)]:
        axes = changed_axes(table, name, source)
        if axes:
            dims = zip(table[name].dims, axes, strict=True)
            found |= {s for extent, changes in dims if changes and isinstance(extent, Dim) for s in extent.symbols()}
    return found


def own_symbols(sweep: Sweep) -> None:
    """Rename the symbols of changed lengths in the types of what the backward loops make."""
    for region in sweep.regions.loops.values():
        body = sweep.mirror.get(id(region))
        changed = changed_symbols(sweep.regions, region) if body else None
        if not changed or body is None:
            continue
        names = list(dict.fromkeys(n for statement in syntax.walk(body) for n in syntax.names_bound(statement)))
        symbols = sorted({s for name in names for s in types.symbols_of(sweep.types[name])})
        renamed = [s for s in symbols if not types.roots(s).isdisjoint(changed)]
        fresh: dict[str, Extent] = {s: sweep.root.builder.fresh_symbol(s) for s in renamed}
        types.BACKWARD.update(s for extent in fresh.values() if isinstance(extent, Dim) for s in extent.symbols())
        for name in names:
            sweep.types[name] = types.with_lengths(sweep.types[name], fresh)
