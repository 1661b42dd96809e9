"""What follows from known facts: the prover of `form >= 0` that everyone asks.

    facts:  i >= 0,  n - 1 - i >= 0          goal:  n - 1 - i + 2 >= 0            the second fact is enough
    facts:  hi - lo >= 0,  lo + hi - 2*mid >= 0,  ...    goal:  hi - mid >= 0     two facts are needed at once

Most questions have a short answer: facts are added to the goal to cancel its unknowns, one after the other, the newest
first, and choices are taken apart, by iterative deepening.  What is left goes to `systems`, which sees all facts at
once: a goal follows where they cannot hold together with its negation.  "No" means not proven, and what asks then has
to do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from .affine import HIGH, LOW, Affine, Unknowns, combine, unknown
from .systems import is_empty

TRIES = 200  # goals that one search may look at: of 17 000 proofs in programs of users all but 20 took fewer
DEPTHS = (2, 8)  # facts in a chain: short proofs are looked for first
PROVEN = 99
NEAR = 16  # so few facts are all tried at once
NEWEST = 4  # so many of the facts that bound an unknown on one side are always tried
WIDTH = 24  # so many of the first and of the last facts that mention an unknown are tried


class Prover:
    """Answers from facts, to which more may be added; `unknowns` says what is known of each unknown by itself."""

    def __init__(self, unknowns: Unknowns, facts: Iterable[Affine]) -> None:
        self.unknowns = unknowns
        self.facts: set[Affine] = set()
        self.by_unknown: dict[tuple[int, bool], list[tuple[Affine, int]]] = {}  # by unknown and sign
        self._answers: dict[Affine, bool] = {}  # with the facts there are
        # The rest belongs to the proof that is tried now.
        self.tries = 0  # goals that the proof may still look at
        self._known: dict[Affine, int] = {}  # by goal, the depth to which it was tried in vain, or PROVEN
        self._is_cut = False  # whether a goal was left because it was too deep
        self.add(facts)

    def add(self, facts: Iterable[Affine]) -> None:
        self.facts.update(facts := tuple(facts))
        self._answers.clear()
        for fact in facts:
            for number, factor in fact.terms:
                self.by_unknown.setdefault((number, factor > 0), []).append((fact, abs(factor)))

    def has(self, fact: Affine) -> bool:
        return fact in self.facts

    def proves(self, goal: Affine) -> bool:
        found = self._answers.get(goal)
        if found is None:
            self._answers[goal] = found = self._is_near(goal) or self._follows_from_all(goal)
        return found

    def _is_near(self, goal: Affine) -> bool:
        """Whether a few facts, one after the other, are enough."""
        self.tries, self._known, self._is_cut = TRIES, {}, True
        return any(self._is_cut and self._goes_down(goal, depth) for depth in DEPTHS)

    def _goes_down(self, goal: Affine, depth: int) -> bool:
        """Whether so many facts are enough; notes whether more could do more."""
        self._is_cut = False
        return self._prove(goal, depth)

    def _prove(self, goal: Affine, depth: int) -> bool:
        if self.unknowns.interval(goal)[0] >= 0:
            return True
        self.tries -= 1
        if depth == 0:
            self._is_cut = True
        if depth == 0 or self.tries <= 0 or not goal.terms:
            return False
        known = self._known.get(goal, 0)
        if known < depth:
            self._known[goal] = depth  # it is of no use in its own proof either
            if self._gives_way(goal, depth):
                known = self._known[goal] = PROVEN
        return known == PROVEN

    def _gives_way(self, goal: Affine, depth: int) -> bool:
        """Whether something that has one unknown less is proven, and the goal with it."""
        for number, factor in reversed(self._to_cancel(goal)):
            if any(self._prove(rest, depth - 1) for rest in self._without(goal, number, factor)):
                return True
            if self._prove_by_cases(goal, number, factor, depth):
                return True
        return False

    def _to_cancel(self, goal: Affine) -> Sequence[tuple[int, int]]:
        """The terms to begin with: one without an end has to give way in the end; none if nothing can cancel it."""
        choices = self.unknowns.choices
        if goal.constant > HIGH // 2 or any(number in choices for number, _ in goal.terms):
            return goal.terms  # the question is one of overflow; or an option of one unknown may cancel another
        endless = [term for term in goal.terms if not self._is_bounded(*term)]
        return (endless or goal.terms) if all(self._may_cancel(*term) for term in endless) else ()

    def _is_bounded(self, number: int, factor: int) -> bool:
        """Whether an unknown with this factor has a least value by itself."""
        return self.unknowns.intervals[number][factor < 0] != (LOW if factor > 0 else HIGH)

    def _may_cancel(self, number: int, factor: int) -> bool:
        return number in self.unknowns.choices or (number, factor > 0) in self.by_unknown

    def _without(self, goal: Affine, number: int, factor: int) -> Iterable[Affine]:
        """Goals that imply this one and lack the unknown: the goal less a multiple of a fact."""
        facts = self.by_unknown.get((number, factor > 0), [])
        for fact, other in facts if len(facts) <= 2 * WIDTH else (*facts[:WIDTH], *facts[-WIDTH:]):
            shared = gcd(factor, other)
            yield combine(goal, other // shared, fact, -(abs(factor) // shared))

    def _prove_by_cases(self, goal: Affine, number: int, factor: int, depth: int) -> bool:
        choice = self.unknowns.choices.get(number)
        if choice is None:
            return False
        rests = (goal.with_value(number, option) for option in choice.options)
        # the greatest is at least each of its options, the least at most each: one option is enough there
        enough = (choice.kind == "max" and factor > 0) or (choice.kind == "min" and factor < 0)
        decide = any if enough else all
        return decide(self._prove(rest, depth - 1) for rest in rests)

    # --- all facts at once

    def _follows_from_all(self, goal: Affine) -> bool:
        if not all(self._is_bounded(*term) or self._may_cancel(*term) for term in goal.terms):
            return False  # nothing can cancel an unknown of which there is no bound on that side
        return is_empty((), [(-goal).plus(-1), *self._about(goal)])

    def _about(self, goal: Affine) -> list[Affine]:
        """What is never negative of all that the goal speaks of, directly or not: the nearest facts first."""
        found: dict[Affine, None] = {}
        asked = dict.fromkeys(number for number, _ in goal.terms)
        todo = list(asked)
        while todo and len(found) < NEAR:
            number = todo.pop(0)
            for fact in self._of(number):
                found[fact] = None
                new = [other for other, _ in fact.terms if other not in asked]
                todo += new
                asked.update(dict.fromkeys(new))
        return list(found)

    def _of(self, number: int) -> Iterator[Affine]:
        """What is never negative of an unknown: facts, the ends of its interval, and what a choice is never beyond."""
        value = unknown(number)
        low, high = self.unknowns.intervals[number]
        if low != LOW:
            yield value.plus(-low)
        if high != HIGH:
            yield (-value).plus(high)
        for is_low in (True, False):
            yield from (fact for fact, _ in self.by_unknown.get((number, is_low), [])[-NEWEST:])
        choice = self.unknowns.choices.get(number)
        if choice is not None and choice.kind != "either":
            sign = 1 if choice.kind == "max" else -1
            yield from ((value - option).times(sign) for option in choice.options)
