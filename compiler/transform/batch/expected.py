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
        sources = [getattr(s.value, "id", "") for s in definitions.get(merged, ()) if isinstance(s, gast.Assign)]
        others = [source for source in sources if isinstance(types.get(source), Array)]
        if len(others) < len(sources) or all(types[o].dims[axis] == own for o in others):  # type: ignore[union-attr]
            found.add(own)
        else:
            waiting += others
    found -= {0} if len(found) > 1 else set()
    return found.pop() if len(found) == 1 else None
