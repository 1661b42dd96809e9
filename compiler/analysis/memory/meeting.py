"""Whether two accesses may touch the same element, at two moments of the loops around them.

    for i in range(0, n):             a[i] in one iteration and a[i - 1] in a later one:   i = i + d - 1, so that d is 1
        a[i] = ... a[i - 1] ...       a[i - 1] and then a[i]:                         i - 1 = i + d with d >= 1, never

The second access is seen `d` iterations of one loop later, or in the same iteration of all loops that both are in.
Names that have got other values by then are other unknowns.  A negative index is counted from the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, product
from math import gcd

import gast

from ...records import dataclass
from ..integers.affine import Affine
from ..integers.nest_scope import Loop
from ..integers.systems import Bounds, bounds, is_empty
from ..integers.values import Integers
from .accesses import Access
from .elements import Element, elements_of
from .owners import Axes, Owners

MOST = 8  # ways in which the signs of two accesses may be combined
System = tuple[list[Affine], list[Affine]]


@dataclass(frozen=True, slots=True)
class Then:
    """What stands for an unknown at the second access, `later` iterations of the carrier after the first, if any."""

    integers: Integers
    numbers: dict[int, int]
    later: int
    carrier: Loop | None
    varying: AbstractSet[str]

    def form(self, form: Affine, own: AbstractSet[int | None] = frozenset()) -> Affine:
        total = Affine(form.constant)
        for unknown, factor in form.terms:
            total = total + self._of(unknown, own).times(factor)
        return total

    def _of(self, unknown: int, own: AbstractSet[int | None]) -> Affine:
        name = self.integers.names[unknown]
        same = Affine(0, ((unknown, 1),))
        if self.carrier is not None and self.carrier.step and name == self.carrier.variable:
            return same + Affine(0, ((self.later, self.carrier.step),))
        if unknown not in own and not self.integers.varies(unknown, self.varying):
            return same
        if unknown not in self.numbers:
            self.numbers[unknown] = self.integers.fresh("then")
        return Affine(0, ((self.numbers[unknown], 1),))

    def counts(self, loop: Loop) -> bool:
        """Whether its variable identifies the iterations of a loop: both moments count from one start, or by ones."""
        if loop is self.carrier or abs(loop.step) == 1:
            return bool(loop.step)
        start = loop.start()
        return start is not None and self.form(start) == start


class Meeting:
    """Questions about the accesses of one function."""

    def __init__(self, integers: Integers) -> None:
        self.integers = integers
        self.later = integers.fresh("turns")
        self.owners = Owners(integers)
        self._elements: dict[int, tuple[Access, list[Sequence[Element]]]] = {}
        self._second: dict[int, int] = {}

    def may_meet(self, first: Access, second: Access, carrier: Loop | None, varying: AbstractSet[str]) -> bool:
        """Whether the second may touch an element of the first, in a later iteration of `carrier` or in the same one.

        `varying` are the names that may have other values in between; the loops around `carrier` stand still.
        """
        then = self._then(carrier, varying)
        if first.array != second.array:
            common = self.owners.in_common(first, second, varying)
            return common is None or any(not is_empty(*s) for s in self._systems(first, second, then, common))
        for axis in range(min(len(first.items), len(second.items))):  # an access of a row has fewer
            if self._never_equal(first, second, axis, then):
                return False
        return any(not is_empty(*system) for system in self._systems(first, second, then))

    def meet_in_turns(self, first: Access, second: Access, carrier: Loop, varying: AbstractSet[str]) -> bool:
        """Whether two accesses may touch the same element in different iterations of a loop, whichever comes first."""
        return self.may_meet(first, second, carrier, varying) or self.may_meet(second, first, carrier, varying)

    def distances(
        self, first: Access, second: Access, loops: Sequence[Loop], is_later: bool, varying: AbstractSet[str]
    ) -> list[Bounds] | None:
        """How many iterations each of these common loops is further when they meet; None where they cannot.

        The loops around them stand still; the first is in a later iteration if `is_later`, else all are in the same.
        """
        carrier = loops[0] if is_later else None
        then = self._then(carrier, varying)
        common = None if first.array == second.array else self.owners.in_common(first, second, varying)
        if first.array != second.array and common is None:
            return [(1, None) if is_later and not k else (None, None) for k in range(len(loops))]
        numbers = [self.integers.fresh("distance") for _ in loops]
        turns = [Affine(0, ((number, 1),)) for number in numbers]
        equations = [self._moved(loop, then) - t.times(loop.step) for loop, t in zip(loops, turns) if then.counts(loop)]
        least = [turns[0].plus(-1)] if is_later else []
        found: list[list[Bounds]] = []
        for zero, natural in self._systems(first, second, then, common):
            system = [*zero, *equations], [*natural, *least]
            parts = [bounds(number, *system) for number in numbers]
            if None not in parts and (numbers or not is_empty(*system)):
                found.append(parts)
        return [_hull(parts) for parts in zip(*found)] if found else None

    def _moved(self, loop: Loop, then: Then) -> Affine:
        variable = self.integers.variable(loop.variable)
        return then.form(variable) - variable

    def _then(self, carrier: Loop | None, varying: AbstractSet[str]) -> Then:
        return Then(self.integers, self._second, self.later, carrier, varying)

    # --- one axis

    def _never_equal(self, first: Access, second: Access, axis: int, then: Then) -> bool:
        """Whether the indices of one axis alone show that the elements differ, without looking at any bounds."""
        here, there = self._form(first.items[axis]), self._form(second.items[axis])
        if here is None or there is None:
            return False
        gap = then.form(there) - here
        if not gap.terms:
            apart = gap.constant != 0
        elif len(gap.terms) == 1 and gap.terms[0][0] == self.later:
            turns, rest = divmod(-gap.constant, gap.terms[0][1])
            apart = bool(rest) or turns < 1
        else:
            apart = bool(gap.constant % gcd(*(factor for _, factor in gap.terms)))
        return apart and self._same_end(first, second, axis, here, there)

    def _form(self, item: gast.expr | None) -> Affine | None:
        return None if item is None or isinstance(item, gast.Slice) else self.integers.of(item)

    def _same_end(self, first: Access, second: Access, axis: int, here: Affine, there: Affine) -> bool:
        """Whether neither index, or both, count from the end."""
        if not here.terms and not there.terms:
            return (here.constant < 0) == (there.constant < 0)
        natural = self.integers.is_natural
        return (axis in first.natural or natural(here, first.scope)) and (
            axis in second.natural or natural(there, second.scope)
        )

    # --- all axes

    def _systems(
        self, first: Access, second: Access, then: Then, common: tuple[Axes, Axes] | None = None
    ) -> Iterator[System]:
        """What has to hold for a common element, once for every way in which the indices may count.

        `common` has the elements in the array that both are parts of, where the accesses are to two names.
        """
        mine, theirs = common or (self._elements_of(first), self._elements_of(second))
        axes = [list(product(a, b)) for a, b in zip(mine, theirs) if a and b]
        if _size(axes) > MOST:
            axes = [pairs for pairs in axes if len(pairs) == 1]
        turns = [] if then.carrier is None else [Affine(-1, ((self.later, 1),))]
        known, loops = self.integers.known, (first.scope.loops, second.scope.loops)
        own = {number for element in chain(*theirs) for number in element.own} | {loop.turn for loop in loops[1]}
        strides = list(self.integers.strides(loops[0]))
        strides += [then.form(stride, own) for stride in self.integers.strides(loops[1])]
        for pairs in product(*axes):
            here = [form for a, _ in pairs for form in (a.place, *a.facts)]
            there = [form for _, b in pairs for form in (b.place, *b.facts)]
            natural = [*(fact for a, _ in pairs for fact in a.facts), *known(here, loops[0], True)]
            later = [*(fact for _, b in pairs for fact in b.facts), *known(there, loops[1], True)]
            zero = [then.form(b.place, own) - a.place for a, b in pairs] + strides
            yield zero, [*turns, *natural, *(then.form(fact, own) for fact in later)]

    def _elements_of(self, access: Access) -> list[Sequence[Element]]:
        if id(access) not in self._elements:
            self._elements[id(access)] = access, elements_of(access, self.integers)
        return self._elements[id(access)][1]


def _size(axes: Iterable[Sequence[object]]) -> int:
    size = 1
    for pairs in axes:
        size *= len(pairs)
    return size


def _hull(parts: Sequence[Bounds]) -> Bounds:
    lows, highs = zip(*parts)
    return None if None in lows else min(lows), None if None in highs else max(highs)


def common_loops(first: Access, second: Access) -> tuple[Loop, ...]:
    pairs = zip(first.scope.loops, second.scope.loops)
    return tuple(a for a, b in pairs if a.statement is b.statement)
