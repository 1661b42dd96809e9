"""The lengths that a merged array may have in the end, those that are merged on all paths.

    if total > 2.0:                     `result` is f64[length], of y's length or of none at all: what an early return
        result = y            y: f64[n]     leaves behind on the other path is a placeholder.  `n` is expected, and
    else:                                   every example is held to it when its result is stored.
        result = zeros(0)

Takes the definitions of names and their types in one example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...types import Array, Extent, Type


def expected_lengths(
    name: str, types: Mapping[str, Type], definitions: Mapping[str, Sequence[gast.stmt]]
) -> list[list[Extent]]:
    """For each axis the lengths that are merged, the likely ones first: none at all is a placeholder."""
    type_ = types[name]
    axes = range(type_.ndim if isinstance(type_, Array) else 0)
    return [sorted(_merged(name, axis, types, definitions), key=lambda extent: extent == 0) for axis in axes]


def _merged(
    name: str, axis: int, types: Mapping[str, Type], definitions: Mapping[str, Sequence[gast.stmt]]
) -> list[Extent]:
    found: dict[Extent, None] = {}
    seen: dict[str, None] = {}
    waiting = [name]
    while waiting:
        merged = waiting.pop(0)
        if merged in seen or not isinstance(types.get(merged), Array):
            continue
        seen[merged] = None
        values = [s.value for s in definitions.get(merged, ()) if isinstance(s, gast.Assign)]
        waiting += [value.id for value in values if isinstance(value, gast.Name)]
        own = types[merged].dims[axis]
        found.update(dict.fromkeys(_made(v, axis, own) for v in values if not isinstance(v, gast.Name)))
        if not values:
            found[own] = None
    return list(found)


def _made(value: gast.expr, axis: int, own: Extent) -> Extent:
    """The length of what is made right here: a number where its shape says one."""
    shape = syntax.static_of(value).get("shape") if isinstance(value, gast.Call) else None
    lengths = shape.elts if isinstance(shape, gast.Tuple) else shape
    if lengths is None:
        return own
    length = lengths[axis]
    known = length.value if isinstance(length, gast.Constant) else length
    return known if isinstance(known, int) else own
