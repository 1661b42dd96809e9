"""Runtime checks before an innermost loop, for its indices to be in bounds and its accesses not to alias.

    for j in range(n):                     d[i, j] and d[k, j] are in bounds if n <= d.shape[1];
        d[i, j] = d[i, k] + d[k, j]   ->   they are never one element if i != k,
                                           and d[i, k] is none of them but in the iteration j == k

Takes a loop of the loops stage and gives the checks; `loop_versioning` writes them.  What is decided at compile time is
asked of `ranges` and `meeting`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.ranges import BACK, FRONT, NATURALS, Ranges
from ..analysis.integers.values import Integers
from ..analysis.memory.accesses import Access, access
from ..analysis.memory.meeting import Meeting
from ..analysis.memory.noalias import is_plain
from ..lower.arithmetic import minus, plus, terms_of
from ..records import dataclass
from ..tuning import MOST_TESTS
from ..types import Array
from .comparisons import Comparisons, Tests, is_int_name, together, trees_of
from .independent import element_places, natural_axes


@dataclass(frozen=True, slots=True)
class Checks:
    """What has to hold before a loop, in an order in which nothing fails.

    conditions  comparisons of ints that do not change in the loop
    meet        the first of the iterations in which accesses may alias all the same, and the one after the last
    is_noalias  whether what is stored by one index is reached by no other in the rest
    """

    conditions: tuple[gast.expr, ...] = ()
    meet: tuple[gast.expr, gast.expr] | None = None
    is_noalias: bool = False


@dataclass(slots=True)
class Group:
    """The accesses of one array by the same indices."""

    places: list[gast.Subscript]
    is_stored: bool = False


class Finder:
    """Answers for the innermost loops of one function."""

    def __init__(self, integers: Integers, ranges: Ranges, classes: Mapping[str, str]) -> None:
        self.integers, self.ranges, self.classes = integers, ranges, classes
        self.meeting = Meeting(integers)

    def is_sum(self, tree: gast.expr) -> bool:
        """Whether an int is a sum of names and lengths."""
        atoms = (atom for atom, _ in terms_of(tree)[0])
        return all(is_int_name(a, self.integers.types) or syntax.operator_of(a) == "dim" for a in atoms)

    def of(self, loop: gast.For, scope: NestScope) -> Checks:
        """The checks for a loop inside of these others."""
        found = _LoopTests(self, loop, scope)
        bounds = found.bounds() if found.counts else {}
        apart = found.apart() if syntax.operator_of(loop.iter) == "range" and is_candidate(loop) else None
        if apart is None:
            return Checks(trees_of(bounds))
        if not found.cuts:
            return Checks(trees_of(together(bounds, apart)), is_noalias=True)
        meet, runs = found.turns_that_meet()
        if runs is None:
            return Checks(trees_of(bounds))
        return Checks(trees_of(together(bounds, apart, runs)), meet, is_noalias=True)


class _LoopTests:
    """The checks for one loop.  `low` and `high` are the ends of its variable."""

    def __init__(self, finder: Finder, loop: gast.For, scope: NestScope) -> None:
        self.finder, self.loop = finder, loop
        self.ranges, self.integers, self.meeting = finder.ranges, finder.integers, finder.meeting
        self.comparisons = Comparisons(finder.integers, scope)
        self.scope = scope.inside(finder.integers.loop(loop))
        self.variable = loop.target.id
        self.changed = {n for s in syntax.walk(loop.body) for n in syntax.names_changed(s)}
        self.named = self._named_sums()
        self.places = list(element_places(loop.body))
        self.cuts: dict[object, gast.expr] = {}
        self.start, self.stop, step = start, stop, _ = loop.iter.args
        self.step = step.value if isinstance(step, gast.Constant) else 0
        stay = self.changed.union({self.variable}).isdisjoint([*syntax.names_read(start), *syntax.names_read(stop)])
        counts = self.step != 0 and self.variable not in self.changed
        self.counts = counts and stay and all(map(finder.is_sum, (start, stop)))
        self.low: gast.expr = start if self.step > 0 or not self.counts else plus(stop, 1)
        self.high: gast.expr = start if self.step < 0 or not self.counts else minus(stop, 1)

    def _named_sums(self) -> dict[str, gast.expr]:
        """What names stand for that are given sums in the loop, and never anything else."""
        found: dict[str, gast.expr] = {}
        for name in dict.fromkeys(n for s in syntax.walk(self.loop.body) for n in syntax.names_bound(s)):
            value = self.integers.facts.value_of(name)
            if value is not None and is_int_name(syntax.name(name), self.integers.types) and self.finder.is_sum(value):
                value = plus(syntax.map_names(value, lambda n: found.get(n, n)), 0)
                if self.changed.isdisjoint(syntax.names_read(value)):
                    found[name] = value
        return found

    # --- bounds

    def bounds(self) -> Tests:
        """Checks that indices are in bounds in all iterations, as far as comparisons of ints can say so."""
        found: Tests = {}
        branches = [s for s in self.loop.body if isinstance(s, gast.If)]
        guarded = {id(place) for place, _ in element_places(branches)}
        for place, _ in self.places:
            for axis, index in enumerate(self._items(place)):
                is_open = self.ranges.of(place, axis) not in (FRONT, BACK) and self._is_array(place)
                if is_open and self._is_known(index) and not (id(place) in guarded and self._is_mixed(index)):
                    found = together(found, self._in_bounds(place, axis, index) or {})
        return found

    def _in_bounds(self, place: gast.Subscript, axis: int, index: gast.expr) -> Tests | None:
        length = syntax.call("dim", place.value.id, axis=axis)
        least, greatest = self._ends(index)
        sides = least, minus(minus(length, 1), greatest)
        is_natural = self.ranges.of(place, axis) in NATURALS
        proven = [is_natural or self.comparisons.proves(least), not is_natural and self.comparisons.proves(sides[1])]
        found: Tests = {}
        for side, is_proven in zip(sides, proven):
            if is_proven and not all(proven):  # where both are proven here, the checks are for `ranges`
                continue
            tests = self.comparisons.not_negative(side, length)
            if tests is None:
                return None
            found = together(found, tests)
        return found

    def _items(self, place: gast.Subscript) -> list[gast.expr]:
        """The indices of an access, sums that have names in the loop written out."""
        items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
        return [syntax.map_names(item, lambda name: self.named.get(name, name)) for item in items]

    def _ends(self, index: gast.expr) -> tuple[gast.expr, gast.expr]:
        """The least and the greatest that an index comes to."""
        ends = [self._at(index, value) for value in (self.low, self.high)]
        return (ends[0], ends[1]) if self._factor(index) >= 0 else (ends[1], ends[0])

    def _at(self, index: gast.expr, value: gast.expr) -> gast.expr:
        """The index where the variable of the loop has this value."""
        return plus(syntax.map_names(index, lambda name: value if name == self.variable else name), 0)

    def _factor(self, index: gast.expr) -> int:
        return next((f for a, f in terms_of(index)[0] if getattr(a, "id", "") == self.variable), 0)

    def _is_known(self, index: gast.expr) -> bool:
        """Whether an index is a sum of the loop's variable and of what does not change in the loop."""
        return self.finder.is_sum(index) and self.changed.isdisjoint(syntax.names_read(index))

    def _is_mixed(self, index: gast.expr) -> bool:
        """Whether it is the variable and another name: after a condition it is seldom meant for all iterations."""
        return self._factor(index) != 0 and sum(isinstance(atom, gast.Name) for atom, _ in terms_of(index)[0]) > 1

    def _is_array(self, place: gast.Subscript) -> bool:
        name = place.value.id
        return isinstance(self.integers.types.get(name), Array) and name not in self.changed

    # --- elements that are apart

    def apart(self) -> Tests | None:
        """Checks that elements which are spelled differently differ, but for the cuts; None where none can show it."""
        if not is_plain(self.loop.body, self.integers.types, self.finder.classes):
            return None
        found: Tests = {}
        for groups in self._stored_arrays():
            for one, two in combinations(groups, 2):
                if (one.is_stored or two.is_stored) and not self._never_meet(one.places[0], two.places[0]):
                    tests_of_pair = self._settled(one.places[0], two.places[0])
                    if tests_of_pair is None:
                        return None
                    found = together(found, tests_of_pair)
        return found if len(found) + len(self.cuts) <= MOST_TESTS else None

    def turns_that_meet(self) -> tuple[tuple[gast.expr, gast.expr], Tests | None]:
        """From the first cut to past the last, no further than the loop goes, and a check that it runs at all."""
        least, *others = self.cuts.values()
        greatest = least
        for cut in others:
            least, greatest = syntax.call("minimum", least, cut), syntax.call("maximum", greatest, cut)
        proves, last = self.comparisons.proves, minus(self.stop, 1)
        if proves(minus(least, self.start)) and proves(minus(last, greatest)):
            return (least, plus(greatest, 1)), {}
        least, greatest = (syntax.call("maximum", self.start, cut) for cut in (least, greatest))
        least, greatest = syntax.call("minimum", self.stop, least), syntax.call("minimum", last, greatest)
        return (least, plus(greatest, 1)), self._not_negative(minus(last, self.start), self.stop)

    def _stored_arrays(self) -> Iterator[list[Group]]:
        """By which indices each array is reached that the loop stores to."""
        for array in dict.fromkeys(place.value.id for place, is_store in self.places if is_store):
            groups: dict[object, Group] = {}
            for place, is_store in self.places:
                if place.value.id == array:
                    group = groups.setdefault(syntax.form_of(place.slice), Group([]))
                    group.places.append(place)
                    group.is_stored |= is_store
            yield list(groups.values())

    def _never_meet(self, one: gast.Subscript, two: gast.Subscript) -> bool:
        """Whether two accesses never are the same element, in the same iteration of the loop or in different ones."""
        first, second = map(self._access, (one, two))
        changed = self.integers.bound_in(self.loop)
        if self.meeting.meet_in_turns(first, second, self.scope.loops[-1], changed):
            return False
        return not self.meeting.may_meet(first, second, None, changed - {self.variable})

    def _access(self, place: gast.Subscript) -> Access:
        found = access(place, self.scope, self.integers.types)
        return replace(found, items=tuple(self._items(place)), natural=natural_axes(found, self.ranges))

    def _settled(self, one: gast.Subscript, two: gast.Subscript) -> Tests | None:
        """Checks that two accesses do not alias."""
        ways: tuple[Callable[..., Tests | None], ...] = self._at_rest, self._in_one_turn
        for way in ways if self.counts and self.step == 1 else ():
            for axis, pair in enumerate(zip(self._items(one), self._items(two), strict=True)):
                signs = [self.ranges.of(place, axis) for place in (one, two)]
                if BACK in signs or not all(map(self._is_known, pair)):
                    continue
                length = syntax.call("dim", one.value.id, axis=axis)
                known = [self._natural(index, length) for index, sign in zip(pair, signs) if sign not in NATURALS]
                found = None if None in known else way(*pair, length)
                if found is not None:
                    return together(*(each or {} for each in known), found)
        return None

    def _natural(self, index: gast.expr, length: gast.expr) -> Tests | None:
        """Checks that an index does not count from the end in any iteration."""
        return self._not_negative(self._ends(index)[0], length)

    def _not_negative(self, tree: gast.expr, length: gast.expr) -> Tests | None:
        return {} if self.comparisons.proves(tree) else self.comparisons.not_negative(tree, length)

    def _at_rest(self, a: gast.expr, b: gast.expr, length: gast.expr) -> Tests | None:
        """Both are invariant in the loop, and the check compares them."""
        if self._factor(a) or self._factor(b):
            return None
        return self.comparisons.not_zero(minus(a, b), length)

    def _in_one_turn(self, a: gast.expr, b: gast.expr, length: gast.expr) -> Tests | None:
        """One is invariant and the other moves past it; the iteration where they meet is noted."""
        for still, moving in ((a, b), (b, a)):
            if self._factor(still) == 0 and self._factor(moving) == 1:
                cut = minus(still, self._at(moving, syntax.constant(0)))
                self.cuts[syntax.form_of(cut)] = cut
                return self.comparisons.guards(cut, length)
        return None


def is_candidate(loop: gast.For) -> bool:
    """Whether to look closer can pay: there are stores to an array by more than one index."""
    stored: set[str] = set()
    indices: dict[str, set[object]] = {}
    for place, is_store in element_places(loop.body):
        indices.setdefault(place.value.id, set()).add(syntax.form_of(place.slice))
        if is_store:
            stored.add(place.value.id)
    return any(len(indices[name]) > 1 for name in stored)
