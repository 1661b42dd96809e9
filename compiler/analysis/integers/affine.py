"""Affine forms over unknown ints, and what is known of each unknown by itself: an interval, or a choice of forms.

    i - 1           ->  Affine(-1, ((unknown of i, 1),))
    minimum(k, n)   ->  an unknown that is the lesser of two forms

An unknown stands for one value, never for a variable: a loop gives its counter a new one.  Facts therefore stay true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ... import syntax
from ...ops.schema import row_of
from ...records import dataclass

LOW, HIGH = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Affine:
    """constant + sum of factor * unknown; terms sorted by unknown, no factor zero.

    What stands for an unknown is up to the caller: a number, a name, a name in one of two iterations.
    """

    constant: int
    terms: tuple[tuple[Any, int], ...] = ()

    def __add__(self, other: Affine) -> Affine:
        return combine(self, 1, other, 1)

    def __sub__(self, other: Affine) -> Affine:
        return combine(self, 1, other, -1)

    def __neg__(self) -> Affine:
        return self.times(-1)

    def __pos__(self) -> Affine:
        return self

    def __mul__(self, other: Affine) -> Affine | None:
        """The product, None where neither is a number."""
        if other.terms and self.terms:
            return None
        return self.times(other.constant) if self.terms else other.times(self.constant)

    def plus(self, constant: int) -> Affine:
        return Affine(self.constant + constant, self.terms)

    def times(self, factor: int) -> Affine:
        return Affine(self.constant * factor, tuple([(u, f * factor) for u, f in self.terms])) if factor else Affine(0)

    def factor_of(self, unknown: object) -> int:
        for other, factor in self.terms:
            if other == unknown:
                return factor
        return 0

    def with_value(self, unknown: object, value: Affine) -> Affine:
        """The form where an unknown has a value."""
        rest = tuple([term for term in self.terms if term[0] != unknown])
        if len(rest) == len(self.terms):
            return self
        return combine(Affine(self.constant, rest), 1, value, self.factor_of(unknown))


def unknown(key: object) -> Affine:
    return Affine(0, ((key, 1),))


def form_of(tree: gast.expr, of_atom: Callable[[gast.expr], Affine | None]) -> Affine | None:
    """The form of a sum, difference or multiple of what `of_atom` knows; None for other int expressions."""
    if isinstance(tree, gast.Constant):
        return Affine(tree.value) if type(tree.value) is int else None
    row = row_of(syntax.operator_of(tree))
    if row is None or not row.is_polynomial:
        return of_atom(tree)
    parts = [form_of(part, of_atom) for part in tree.args]
    return None if None in parts else row.meaning(*parts)  # type: ignore[return-value]


def combine(left: Affine, left_factor: int, right: Affine, right_factor: int) -> Affine:
    if not right.terms:
        scaled = left if left_factor == 1 else left.times(left_factor)
        return scaled.plus(right.constant * right_factor)
    sums = {u: f * left_factor for u, f in left.terms}
    for unknown, factor in right.terms:
        sums[unknown] = sums.get(unknown, 0) + factor * right_factor
    terms = tuple(sorted([(u, f) for u, f in sums.items() if f]))
    return Affine(left.constant * left_factor + right.constant * right_factor, terms)


@dataclass(frozen=True, slots=True)
class Choice:
    """An unknown that equals one of `options`: the least, the greatest, or either of them."""

    kind: str
    options: tuple[Affine, ...]


class Unknowns:
    """All unknowns of one function: the interval each lies in, and which of them choose among forms."""

    def __init__(self) -> None:
        self.intervals: list[tuple[int, int]] = []
        self.choices: dict[int, Choice] = {}
        self._known_choices: dict[tuple[str, tuple[Affine, ...]], int] = {}

    def fresh(self, low: int = LOW, high: int = HIGH) -> Affine:
        self.intervals.append((low, high))
        return Affine(0, ((len(self.intervals) - 1, 1),))

    def choice(self, kind: str, *options: Affine) -> Affine:
        """The value of `min`, `max` or a conditional expression; the same choice gives the same unknown."""
        if kind != "either":
            options = tuple(sorted(set(options), key=lambda f: (f.terms, f.constant)))
        if len(set(options)) == 1:
            return options[0]
        key = (kind, options)
        if kind == "either" or key not in self._known_choices:
            bounds = [self.interval(o) for o in options]
            least = max if kind == "max" else min
            most = min if kind == "min" else max
            form = self.fresh(least(b[0] for b in bounds), most(b[1] for b in bounds))
            unknown = form.terms[0][0]
            self.choices[unknown] = Choice(kind, options)
            self._known_choices[key] = unknown
        return Affine(0, ((self._known_choices[key], 1),))

    def interval(self, form: Affine) -> tuple[int, int]:
        low = high = form.constant
        for unknown, factor in form.terms:
            bottom, top = self.intervals[unknown]
            low += factor * (bottom if factor > 0 else top)
            high += factor * (top if factor > 0 else bottom)
        return low, high
