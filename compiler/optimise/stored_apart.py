"""Whether the iterations of a nest store different elements, by names whose value differs in every iteration.

    for i in range(n):
        for j in range(m):
            if mask[i, j]:
                y[i, j] = t[position]          `y` by the counters i and j of the nest
                u[position, 0] = x[i]          `u` by a position that goes up where it is used

Every access of a stored array is by one name of the array, with the same one of these at the same axes, and no index is
negative: -1 and n - 1 are one element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import gast

from .. import syntax
from ..analysis.integers.ranges import NATURALS, ranges
from ..analysis.memory.storage import storage_classes
from ..program import Function
from .independent import element_places

Key = tuple[tuple[int, str], ...]  # axes, and the names that are their indices


def loops_of(node: gast.stmt, inner: Sequence[str] = ("range",)) -> list[gast.For]:
    """Loops over `range` in steps of one, each all there is in the one around it, with bounds that none changes.

    `inner` are the kinds of those below the first.
    """
    kinds: Sequence[str] = ("range",)
    loops: list[gast.For] = []
    changed: set[str] = set()
    while isinstance(node, gast.For) and _goes_up(node, kinds) and changed.isdisjoint(syntax.names_read(node.iter)):
        if not loops:
            changed = {name for s in syntax.walk([node]) for name in syntax.names_bound(s)}
            if not changed.isdisjoint(syntax.names_read(node.iter)):
                return []
        loops.append(node)
        if len(node.body) != 1:
            break
        node, kinds = node.body[0], inner
    return loops


def _goes_up(node: gast.For, kinds: Sequence[str]) -> bool:
    if syntax.operator_of(node.iter) not in kinds:
        return False
    step = node.iter.args[2]
    return isinstance(step, gast.Constant) and step.value == 1


def over(loops: Sequence[gast.For], body: Sequence[gast.stmt]) -> gast.For:
    """These loops around another body."""
    inner = list(body)
    for loop in reversed(loops):
        inner = [syntax.rebuild(loop, body=inner)]
    (made,) = inner
    assert isinstance(made, gast.For)
    return made


def stored_at_turns(function: Function, loops: Sequence[gast.For], inside: Mapping[str, AbstractSet[int]]) -> bool:
    """Whether no element that one iteration stores is met by another.

    `inside` has for each name that goes up by one the accesses, by their ids, that stand where it does.
    """
    classes = storage_classes(function)
    body = loops[-1].body
    stored = {classes[base] for s in syntax.walk(body) if (base := syntax.stored_base(s)) is not None}
    counters = [loop.target.id for loop in loops]
    moved = {name for s in syntax.walk(body) for name in syntax.names_bound(s)}
    if not moved.isdisjoint(counters):
        return False
    for class_ in stored:
        met = [place for place, _ in element_places(body) if classes[place.value.id] == class_]
        if len({place.value.id for place in met}) > 1:
            return False
        keys = [set(_keys(function, place, counters, inside)) for place in met]
        if not set.intersection(*keys):
            return False
    return True


def _keys(
    function: Function, place: gast.Subscript, counters: Sequence[str], inside: Mapping[str, AbstractSet[int]]
) -> Iterator[Key]:
    known = ranges(function)
    items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
    axes: dict[str, int] = {}
    for axis, item in enumerate(items):
        if isinstance(item, gast.Name) and known.of(place, axis) in NATURALS:
            axes.setdefault(item.id, axis)
            if id(place) in inside.get(item.id, ()):
                yield ((axis, item.id),)
    if all(name in axes for name in counters):
        yield tuple((axes[name], name) for name in counters)
