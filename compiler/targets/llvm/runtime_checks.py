"""Where elements of an innermost loop may meet, found out before the loop runs.

    for j in range(n):                               d[i, j] is never d[k, j] unless i == k,
        if d[i, k] + d[k, j] < d[i, j]:      ->      and never d[i, k] but in the turn j == k
            d[i, j] = d[i, k] + d[k, j]

Takes a loop of the loops stage and gives the tests; `pieces.py` writes them, and a version of the loop for the turns
in which nothing meets.  What is decided without a test is left to `apart.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import gast

from ... import syntax
from ...analysis.integers.affine import Affine
from ...analysis.integers.ranges import BACK, FRONT, Ranges
from ...analysis.integers.values import Integers
from ...analysis.memory.meeting import Meeting
from ...dtypes import INT_WORD
from ...ops.schema import row_of
from ...optimise.independent import element_places
from ...records import dataclass
from ...tuning import MOST_TESTS
from ...types import Array, Scalar
from .noalias import is_plain_array, never_meet
from .storage import Apart

LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Meetings:
    """What has to hold for accesses to be apart; all indices are sums of ints, without anything that can fail.

    differ    pairs of indices that have to differ; they do not change in the loop
    cuts      what stays and what moves: these meet in the turn in which the indices are equal
    naturals  indices that must not be negative in the first turn: negative ones count from the end
    apart     the accesses that then never meet
    is_final  whether LLVM could not do without these tests either
    """

    differ: tuple[tuple[gast.expr, gast.expr], ...]
    cuts: tuple[tuple[gast.expr, gast.expr], ...]
    naturals: tuple[gast.expr, ...]
    apart: tuple[Apart, ...]
    is_final: bool


def meetings(loop: gast.For, integers: Integers, ranges: Ranges, classes: Mapping[str, str]) -> Meetings | None:
    """The tests for a loop; None where none is needed, or some elements meet however they come out."""
    if not all(isinstance(s, gast.Assign | gast.If | gast.Pass) for s in syntax.walk(loop.body)):
        return None
    finder = _Finder(loop, integers, ranges)
    groups = []
    for array, places in finder.stored_arrays(classes):
        if places is None:
            return None
        for one, two in combinations(places, 2):
            if not (one.is_stored or two.is_stored):
                continue
            if not finder.settle(one.places[0], two.places[0]):
                return None
            groups.append(Apart(array, frozenset(map(id, one.places)), frozenset(map(id, two.places))))
    if not 0 < len(finder.differ) + len(finder.cuts) <= MOST_TESTS:
        return None
    differ, cuts = tuple(finder.differ.values()), tuple(finder.cuts.values())
    return Meetings(differ, cuts, tuple(finder.naturals.values()), tuple(groups), finder.is_final)


@dataclass(slots=True)
class Group:
    """The accesses of one array by the same indices."""

    places: list[gast.Subscript]
    is_stored: bool = False


class _Finder:
    """Collects what has to be tested, each test once."""

    def __init__(self, loop: gast.For, integers: Integers, ranges: Ranges) -> None:
        self.loop, self.integers, self.ranges = loop, integers, ranges
        self.meeting = Meeting(integers)
        self.changed = {n for s in syntax.walk(loop.body) for n in syntax.names_changed(s)}
        self.differ: dict[object, tuple[gast.expr, gast.expr]] = {}
        self.cuts: dict[object, tuple[gast.expr, gast.expr]] = {}
        self.naturals: dict[object, gast.expr] = {}
        self.is_final = True

    def stored_arrays(self, classes: Mapping[str, str]) -> Iterator[tuple[str, list[Group] | None]]:
        """The arrays that the loop stores to and how it reaches them; None for one that has another name as well."""
        found = list(element_places(self.loop.body))
        for array in dict.fromkeys(place.value.id for place, is_store in found if is_store):
            if not is_plain_array(array, found, self.changed, self.integers.types, classes):
                yield array, None
                continue
            groups: dict[object, Group] = {}
            for place, is_store in found:
                if place.value.id == array:
                    group = groups.setdefault(syntax.form_of(place.slice), Group([]))
                    group.places.append(place)
                    group.is_stored |= is_store
            yield array, list(groups.values())

    def settle(self, one: gast.Subscript, two: gast.Subscript) -> bool:
        """Whether two elements are apart for certain, or by a test, which is noted."""
        if never_meet(self.meeting, self.loop, self.ranges, one, two):
            return True
        pairs = list(zip(one.slice.elts, two.slice.elts, strict=True))
        for way in (self._always, self._at_rest, self._in_one_turn):
            for axis, (a, b) in enumerate(pairs):
                signs = [self.ranges.of(place, axis) for place in (one, two)]
                if BACK in signs or not way(a, b):
                    continue
                for index, sign in zip((a, b), signs):
                    if sign != FRONT:
                        self.naturals[syntax.form_of(index)] = index
                if way == self._at_rest:
                    self.is_final &= all(syntax.same(*pair) for other, pair in enumerate(pairs) if other != axis)
                return True
        return False

    def _always(self, a: gast.expr, b: gast.expr) -> bool:
        """Whether two indices that stay differ by a number that is known."""
        apart = self._difference(a, b)
        return apart is not None and not apart.terms and apart.constant != 0

    def _at_rest(self, a: gast.expr, b: gast.expr) -> bool:
        """Whether a test before the loop can tell two indices that stay; it is noted."""
        if not (self._stays(a) and self._stays(b)) or syntax.same(a, b) or self._difference(a, b) == Affine(0):
            return False
        self.differ[syntax.form_of(a), syntax.form_of(b)] = a, b
        return True

    def _in_one_turn(self, a: gast.expr, b: gast.expr) -> bool:
        """Whether the one stays and the other moves past it; where they meet is noted."""
        for still, moving in ((a, b), (b, a)):
            if self._stays(still) and self._moves(moving):
                self.cuts[syntax.form_of(still), syntax.form_of(moving)] = still, moving
                return True
        return False

    def _difference(self, a: gast.expr, b: gast.expr) -> Affine | None:
        first, second = self.integers.of(a), self.integers.of(b)
        known = first is not None and second is not None and self._stays(a) and self._stays(b)
        return first - second if known else None  # type: ignore[operator]

    def _stays(self, index: gast.expr) -> bool:
        return self._is_sum(index) and self.changed.union({self.loop.target.id}).isdisjoint(syntax.names_read(index))

    def _moves(self, index: gast.expr) -> bool:
        """Whether the index grows by one from each turn to the next."""
        if not self._is_sum(index) or not self.changed.isdisjoint(syntax.names_read(index)):
            return False
        form = self.integers.of(index)
        return form is not None and form.factor_of(self.integers.number_of(self.loop.target.id)) == 1

    def _is_sum(self, index: gast.expr) -> bool:
        """Whether its value can be had without anything that fails."""
        match index:
            case gast.Name(id=name):
                type_ = self.integers.types.get(name)
                return isinstance(type_, Scalar) and type_.dtype == INT_WORD
            case gast.Constant(value=value):
                return type(value) is int and abs(value) < LARGEST
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=name)]):
                return isinstance(self.integers.types.get(name), Array)
            case gast.Call(func=gast.Name(id=operator), args=args) if (row := row_of(operator)) is not None:
                return row.is_polynomial and all(map(self._is_sum, args))
        return False
