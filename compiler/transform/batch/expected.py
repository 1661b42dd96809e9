"""The length that a merged array has in the end, where all paths that matter agree.

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
) -> list[Extent | None]:
    """For each axis the only length that is merged, placeholders of no elements left aside; None where there are more."""
    type_ = types[name]
    axes = range(type_.ndim if isinstance(type_, Array) else 0)
    return [_expected(name, axis, types, definitions) for axis in axes]


def _expected(
    name: str, axis: int, types: Mapping[str, Type], definitions: Mapping[str, Sequence[gast.stmt]]
) -> Extent | None:
    found: set[Extent] = set()
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        merged = waiting.pop()
        if merged in seen:
            continue
        seen.add(merged)
        own = types[merged].dims[axis]  # type: ignore[union-attr]
        values = [s.value for s in definitions.get(merged, ()) if isinstance(s, gast.Assign)]
        others = [value.id for value in values if isinstance(value, gast.Name)]
        if not values or all(types[o].dims[axis] == own for o in others) and len(values) == 1:  # type: ignore[union-attr]
            found.add(own)
            continue
        found |= {_made(value, axis, own) for value in values if not isinstance(value, gast.Name)}
        waiting += others
    found -= {types[name].dims[axis]}  # type: ignore[union-attr]
    found -= {0} if len(found) > 1 else set()
    return found.pop() if len(found) == 1 else None


def _made(value: gast.expr, axis: int, own: Extent) -> Extent:
    """The length of what is made right here: a number where its shape says one."""
    shape = syntax.static_of(value).get("shape") if isinstance(value, gast.Call) else None
    lengths = shape.elts if isinstance(shape, gast.Tuple) else shape
    if lengths is None:
        return own
    length = lengths[axis]  # type: ignore[index]
    known = length.value if isinstance(length, gast.Constant) else length
    return known if isinstance(known, int) else own
