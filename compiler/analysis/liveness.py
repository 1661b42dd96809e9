"""Which names are still read after a statement, and where next.

    a = sin(x)         after it: a, x       next use of x: the third line
    b = a * 2.0        after it: b, x
    return b + x       after it: nothing

What is kept is what each statement does to the names that it mentions: reads it, gives it another value, or, as a
branch or a loop, may do either.  Whether a name is live at a point is found by a search for the next of these, so that
a long function with many names takes no more memory than its text.  A store `a[i] = v` reads `a`: it needs the array to
be there.  A loop variable keeps its old value where the loop does not run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field

import gast

from .. import syntax
from ..program import Function, remembered
from ..records import dataclass
from .def_use import reads_of

Effect = tuple[gast.stmt | None, bool]  # the first statement that may read a name; whether what is after it counts too
NO_EFFECT: Effect = (None, True)


@dataclass(slots=True, eq=False)
class BlockFacts:
    """A block of statements, in `parent`, a place in another one.

    effects   by name, where in the block something is done to it, and what, in order
    mentions  by name, the compound statements that mention it
    changed   by statement, the names that it does something to
    ends      the statements that nothing comes after but what they read
    head      of a loop's body: what the next iteration, and the test before it, do to names
    """

    statements: Sequence[gast.stmt]
    parent: Place | None
    depth: int = 0
    effects: dict[str, tuple[list[int], list[Effect]]] = field(default_factory=dict)
    mentions: dict[str, list[int]] = field(default_factory=dict)
    changed: list[tuple[str, ...]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    head: Mapping[str, Effect] = field(default_factory=dict)
    inner: dict[int, tuple[BlockFacts, ...]] = field(default_factory=dict)

    def following(self, name: str, position: int) -> tuple[int, Effect] | None:
        """What is done to a name next after a statement of the block, and by which."""
        end = bisect_right(self.ends, position) if self.ends else 0
        barrier = self.ends[end] if end < len(self.ends) else len(self.statements)
        if name in self.effects:
            places, effects = self.effects[name]
            found = bisect_right(places, position)
            if found < len(places) and places[found] <= barrier:
                return places[found], effects[found]
        return (barrier, (None, False)) if barrier < len(self.statements) else None

    def end_of(self, name: str) -> Effect:
        """What is done to a name after the last statement, before control leaves for what is after the parent."""
        return self.head.get(name, NO_EFFECT) if self.parent is not None else (None, False)


Place = tuple[BlockFacts, int]


class LiveNames(AbstractSet[str]):
    """The names live at some places of a function."""

    __slots__ = ("_liveness", "_places")

    def __init__(self, liveness: Liveness, places: Sequence[Place]) -> None:
        self._liveness, self._places = liveness, places

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(names)

    def __contains__(self, name: object) -> bool:
        return any(is_live(str(name), *place) for place in self._places)

    def __iter__(self) -> Iterator[str]:
        found: dict[str, None] = {}
        for place in self._places:
            found |= self._liveness.names_at(*place)
        return iter(found)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Liveness:
    """Facts by statement; where one statement object occurs several times they are joined."""

    def __init__(self, body: Sequence[gast.stmt]) -> None:
        self._order = {id(s): k for k, s in enumerate(syntax.walk(body))}
        self._places: dict[int, list[Place]] = {}
        self._cursors: dict[int, tuple[BlockFacts, int, dict[str, None]]] = {}  # by depth: what was listed there last
        self.whole = BlockFacts(body, None)
        at_entry, _ = self._effects_of_block(self.whole)
        self.at_entry = frozenset(name for name, (use, _) in at_entry.items() if use is not None)

    def after(self, statement: gast.stmt) -> AbstractSet[str]:
        return LiveNames(self, self._places.get(id(statement), ()))

    def next_use(self, statement: gast.stmt, name: str) -> gast.stmt | None:
        """The first statement that reads the name after this one, in the order of execution."""
        found = None
        for place in self._places.get(id(statement), ()):
            for use in _uses(name, *place):
                found = self._first(found, use)
        return found

    def _first(self, one: gast.stmt | None, other: gast.stmt | None) -> gast.stmt | None:
        """Of two uses the one that stands first."""
        if one is None or other is None:
            return one or other
        return other if self._order[id(other)] < self._order[id(one)] else one

    # --- what statements do

    def _effects_of_block(self, block: BlockFacts) -> tuple[dict[str, Effect], bool]:
        """What a block does to the names it mentions, and whether the others live on through it."""
        found: dict[str, Effect] = {}
        goes_on = True
        for position in reversed(range(len(block.statements))):
            statement = block.statements[position]
            self._places.setdefault(id(statement), []).append((block, position))
            effects, passes = self._effects_of(statement, block, position)
            if not passes:
                found, goes_on = {}, False
                block.ends.append(position)
            for name, (use, is_open) in effects.items():
                places = block.effects.setdefault(name, ([], []))
                places[0].append(position)
                places[1].append((use, is_open))
                later, stays_open = found.get(name, (None, goes_on)) if is_open else (None, False)
                found[name] = use if later is None else self._first(use, later), stays_open
            block.changed.append(tuple(effects))
        for backwards in (block.changed, block.ends, *block.mentions.values()):
            backwards.reverse()  # type: ignore[attr-defined]
        for places in block.effects.values():
            places[0].reverse()
            places[1].reverse()
        return found, goes_on

    def _effects_of(self, statement: gast.stmt, block: BlockFacts, position: int) -> tuple[dict[str, Effect], bool]:
        effects: dict[str, Effect] = dict.fromkeys(syntax.names_bound(statement), (None, False))
        passes = not isinstance(statement, gast.Return | gast.Raise)
        reads = dict.fromkeys(reads_of(statement), (statement, False))
        if blocks := syntax.blocks_of(statement):
            inner = tuple(BlockFacts(body, (block, position), block.depth + 1) for body in blocks)
            block.inner[position] = inner
            parts = [self._effects_of_block(one) for one in inner]
            for name in dict.fromkeys((*effects, *(name for one in inner for name in (*one.effects, *one.mentions)))):
                block.mentions.setdefault(name, []).append(position)
            if isinstance(statement, gast.If):
                effects, passes = self._of_either(*parts)
            else:
                found, _ = parts[0]
                again: dict[str, Effect] = {}
                again |= {n: (use, True) for n, (use, _) in found.items() if use is not None and n not in effects}
                inner[0].head = {**again, **reads} if isinstance(statement, gast.While) else again
                effects = again
        return {**effects, **reads}, passes

    def _of_either(
        self, one: tuple[dict[str, Effect], bool], other: tuple[dict[str, Effect], bool]
    ) -> tuple[dict[str, Effect], bool]:
        (left, left_passes), (right, right_passes) = one, other
        found = {}
        for name in {**left, **right}:
            use, is_open = left.get(name, (None, left_passes))
            other_use, is_open_too = right.get(name, (None, right_passes))
            effect = self._first(use, other_use), is_open or is_open_too
            if effect != NO_EFFECT:
                found[name] = effect
        return found, left_passes or right_passes

    # --- all names at a place

    def names_at(self, block: BlockFacts, position: int) -> dict[str, None]:
        """The names live after a statement of a block: those at the place asked for last, as far as they differ."""
        last, now, names = self._cursors.get(block.depth, (None, 0, {}))
        if last is not block or (now < position and any(now < end <= position for end in block.ends)):
            now, names = len(block.statements) - 1, {}
            if block.parent is not None:
                names = {**self.names_at(*block.parent), **dict.fromkeys(block.head)}
        while now != position:
            forward = now < position
            if not forward and now in block.ends:
                names.clear()
            now, changed = (now + 1, block.changed[now + 1]) if forward else (now - 1, block.changed[now])
            for name in changed:
                if is_live(name, block, now):
                    names[name] = None
                else:
                    names.pop(name, None)
        self._cursors[block.depth] = block, now, names
        return names


def is_live(name: str, block: BlockFacts, position: int) -> bool:
    """Whether a name is read later than a statement of a block."""
    return next(_uses(name, block, position), None) is not None


def _uses(name: str, block: BlockFacts, position: int) -> Iterator[gast.stmt]:
    """The statements that may be the next to read a name, the nearest first."""
    while True:
        found = block.following(name, position)
        use, is_open = block.end_of(name) if found is None else found[1]
        if use is not None:
            yield use
        if not is_open:
            return
        if found is not None:
            position = found[0]
        elif block.parent is None:
            return
        else:
            block, position = block.parent


@remembered
def liveness(function: Function) -> Liveness:
    return Liveness(function.body)
