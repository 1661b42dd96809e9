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
from ...types import Array, Dim, Extent, Type

Definitions = Mapping[str, Sequence[gast.stmt]]


def expected_lengths(name: str, types: Mapping[str, Type], definitions: Definitions) -> list[list[Extent]]:
    """For each axis the lengths that are merged, the likely ones first: numbers are those of placeholders."""
    type_ = types[name]
    axes = range(type_.ndim if isinstance(type_, Array) else 0)
    return [sorted(_merged(name, axis, types, definitions), key=_rarity) for axis in axes]


def _rarity(extent: Extent) -> int:
    return 0 if isinstance(extent, Dim) else 2 if extent == 0 else 1


def _merged(name: str, axis: int, types: Mapping[str, Type], definitions: Definitions) -> list[Extent]:
    """What the sources of a merged array have along an axis; of those that are merged themselves, their sources."""
    owners = _owners(types, definitions)
    found: dict[Extent, None] = {}
    waiting, seen = [(name, axis)], {(name, axis)}

    def look_at(place: tuple[str, int]) -> None:
        if place not in seen:
            seen.add(place)
            waiting.append(place)

    while waiting:
        merged, axis = waiting.pop(0)
        own = types[merged].dims[axis]
        values = [s.value for s in definitions.get(merged, ()) if isinstance(s, gast.Assign)]
        for value in values:
            if isinstance(value, gast.Name):
                look_at((value.id, axis))
        made = [_made(v, axis, own) for v in values if not isinstance(v, gast.Name)] if values else [own]
        for extent in made:
            found[extent] = None
            if extent in owners:
                look_at(owners[extent])
    return list(found)


def _owners(types: Mapping[str, Type], definitions: Definitions) -> dict[Extent, tuple[str, int]]:
    """The merged arrays that have lengths of their own, by these."""
    found: dict[Extent, tuple[str, int]] = {}
    for name, statements in definitions.items():
        type_ = types.get(name)
        if len(statements) > 1 and isinstance(type_, Array):
            for axis, extent in enumerate(type_.dims):
                if isinstance(extent, Dim):
                    found.setdefault(extent, (name, axis))
    return found


def _made(value: gast.expr, axis: int, own: Extent) -> Extent:
    """The length of what is made right here: a number where its shape says one."""
    shape = syntax.static_of(value).get("shape") if isinstance(value, gast.Call) else None
    lengths = shape.elts if isinstance(shape, gast.Tuple) else shape
    if lengths is None:
        return own
    length = lengths[axis]
    known = length.value if isinstance(length, gast.Constant) else length
    return known if isinstance(known, int) else own
