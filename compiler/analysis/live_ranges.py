"""Where names are live, as intervals of points, and whether several may be one name.

    0  a = sin(x)          a: from 0 to 1
    1  b = a * 2.0         b: from 1 to 2, so it may be called `a` as well
    2  c = b + 1.0

A point is an assignment, or the start of a counted loop, in the order of the text.  Two names meet where one gets a
value while the other is live, unless that value is a copy of it.  The ranges take memory as the text does.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence

import gast

from .. import syntax
from ..program import Function
from ..records import dataclass
from .def_use import reads_of
from .liveness import BlockFacts, Liveness, liveness

Interval = tuple[int, int]  # the first point, and the first after the last


@dataclass(slots=True, eq=False)
class LiveRange:
    """Where some names that are one get values, and where one of them is live: intervals that are apart, in order."""

    names: set[str]
    points: list[int]
    intervals: list[Interval]

    def end_of_cover(self, point: int) -> int | None:
        """The end of the interval that a point is in."""
        place = bisect_left(self.intervals, (point + 1,))
        return self.intervals[place - 1][1] if place > 0 and point < self.intervals[place - 1][1] else None

    def points_within(self, interval: Interval) -> Iterator[int]:
        start, stop = interval
        for place in range(bisect_left(self.points, start), len(self.points)):
            if self.points[place] >= stop:
                return
            yield self.points[place]

    def add(self, other: LiveRange) -> None:
        """Take in the range of a name that does not meet these."""
        self.names |= other.names
        for point in other.points:
            insort(self.points, point)
        for interval in other.intervals:
            _insert(self.intervals, interval)


@dataclass(frozen=True, slots=True)
class Starts:
    """The points at which some names get their first values, in order; the places of those that get a copy there."""

    points: list[int]
    copies: list[int]


class LiveRanges:
    """The ranges of a function's names, which grow where names are joined."""

    def __init__(self, function: Function) -> None:
        self.live = liveness(function)
        self.copied: dict[int, str] = {}  # by point, the name whose value is copied there
        self._at: dict[int, gast.stmt] = {}
        self._starts: dict[int, list[int]] = {}  # by block, the first point of each statement, and the end of all
        self._points: dict[str, list[int]] = {name: [0] for name in function.parameters}
        self._next = 1
        self._number(self.live.whole)
        self._at_entry = self.live.at_entry.union(function.parameters)
        self._of: dict[str, LiveRange] = {}

    def of(self, name: str) -> LiveRange:
        """The range of a name, or of all those that are joined with it."""
        if name not in self._of:
            points, found = self._points.get(name, []), list[Interval]()
            self._cover(name, self.live.whole, False, found)
            found += [(point, point + 1) for point in points]
            if name in self._at_entry:
                found.append((0, 1))
            self._of[name] = LiveRange({name}, list(points), _apart(found))
        return self._of[name]

    def join(self, kept: str, gone: str) -> None:
        """Let two names that do not meet be one."""
        small, large = sorted((self.of(kept), self.of(gone)), key=lambda r: len(r.points) + len(r.intervals))
        large.add(small)
        self._of[kept] = large

    def meet(self, left: str, right: str) -> bool:
        """Whether one gets a value while the other is live and has another one."""
        small, large = sorted((self.of(left), self.of(right)), key=lambda r: len(r.points) + len(r.intervals))
        if any(large.end_of_cover(point) is not None and self._differ(point, large) for point in small.points):
            return True
        within = (point for interval in small.intervals for point in large.points_within(interval))
        return any(self._differ(point, small) for point in within)

    def starts(self, names: Sequence[str]) -> Starts:
        """Where names get their first values, for names in the order in which they do."""
        points = [(self.of(name).points or [0])[0] for name in names]
        return Starts(points, [place for place, point in enumerate(points) if point in self.copied])

    def next_apart(self, name: str, starts: Starts, place: int) -> int | None:
        """The first of the names after this place that does not surely meet `name` where it gets its first value."""
        points, copies = starts.points, starts.copies
        place += 1
        while place < len(points):
            end = self.of(name).end_of_cover(points[place])
            if end is None or points[place] in self.copied:  # what gets a copy may meet nothing though they overlap
                return place
            following = bisect_right(copies, place)
            place = min(bisect_left(points, end, place), *copies[following : following + 1], len(points))
        return None

    def _differ(self, point: int, live: LiveRange) -> bool:
        """Whether a name other than the one whose value is copied at a point is live there."""
        copied = self.copied.get(point)
        if copied is None or copied not in live.names:
            return True
        statement = self._at[point]
        others = live.names - {copied}
        bound = syntax.names_bound(statement)
        after = self.live.after(statement) if others else ()
        return any(name in bound or name in after for name in others)

    # --- points

    def _number(self, block: BlockFacts) -> None:
        starts = self._starts[id(block)] = []
        for position, statement in enumerate(block.statements):
            starts.append(self._next)
            if bound := syntax.names_bound(statement):
                self._at[self._next] = statement
                if (copied := copied_name(statement)) is not None:
                    self.copied[self._next] = copied
                for name in bound:
                    self._points.setdefault(name, []).append(self._next)
                self._next += 1
            for inner in block.inner.get(position, ()):
                self._number(inner)
        starts.append(self._next)

    def _cover(self, name: str, block: BlockFacts, is_live: bool, found: list[Interval]) -> bool:
        """Add where a name is live within a block, given whether it is at its end; whether it is before it."""
        starts = self._starts[id(block)]
        places, effects = block.effects.get(name, ([], []))
        end = len(block.statements)
        done = dict(zip(places, effects))
        for position in sorted({*places, *block.mentions.get(name, ()), *block.ends}, reverse=True):
            if is_live and starts[position] < starts[end]:
                found.append((starts[position + 1], starts[end]))
                if not block.inner.get(position):
                    found.append((starts[position], starts[position + 1]))
            statement, end = block.statements[position], position
            for inner in block.inner.get(position, ()):
                use, is_open = inner.head.get(name, (None, True))
                self._cover(name, inner, use is not None or (is_open and is_live), found)
            if isinstance(statement, gast.For) and (is_live or self._meets_loop(name, statement)):
                found.append((starts[position], starts[position] + 1))
            passes = position not in block.ends
            use, is_open = done.get(position, (None, passes))
            is_live = use is not None or (is_open and is_live)
        if is_live and starts[0] < starts[end]:
            found.append((starts[0], starts[end]))
        return is_live

    def _meets_loop(self, name: str, loop: gast.For) -> bool:
        """Whether a name is live where a loop's variable is assigned, or a variable of a loop inside it."""
        is_variable = any(isinstance(s, gast.For) and s.target.id == name for s in syntax.walk(loop.body))
        return is_variable or (bool(loop.body) and _is_live_in(name, loop.body, self.live))


def _is_live_in(name: str, body: Sequence[gast.stmt], live: Liveness) -> bool:
    """Whether a name is live at the start of a loop's body, an upper bound."""
    first = body[0]
    if name in reads_of(first) or name in live.after(first):
        return True
    return any(block and _is_live_in(name, block, live) for block in syntax.blocks_of(first))


def copied_name(statement: gast.stmt) -> str | None:
    """`x` of a copy `y = x`."""
    if type(statement) is not gast.Assign or type(statement.value) is not gast.Name:
        return None
    return str(statement.value.id) if type(statement.targets[0]) is gast.Name else None


def _apart(intervals: list[Interval]) -> list[Interval]:
    """The same points, in intervals that do not touch."""
    made: list[Interval] = []
    for start, stop in sorted(intervals):
        if start >= stop:
            continue
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(stop, made[-1][1])
        else:
            made.append((start, stop))
    return made


def _insert(intervals: list[Interval], new: Interval) -> None:
    """Add an interval to those that are apart."""
    start, stop = new
    first = bisect_left(intervals, (start,))
    if first > 0 and intervals[first - 1][1] >= start:
        first -= 1
    last = first
    while last < len(intervals) and intervals[last][0] <= stop:
        last += 1
    if first < last:
        start, stop = min(start, intervals[first][0]), max(stop, intervals[last - 1][1])
    intervals[first:last] = [(start, stop)]
