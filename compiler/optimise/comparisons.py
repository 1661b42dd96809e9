"""Comparisons of sums of ints in which nothing overflows, whatever the names hold.

    stop + shift <= x.shape[0]     ->     shift >= -x.shape[0] and stop <= x.shape[0] - shift

Lengths and constants are small, a name may be any int: one stands alone on its side of a comparison, and another one is
held to the size of a length before it is added to anything.  Tests are to be asked in the order given.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.values import Integers
from ..dtypes import INT_WORD
from ..lower.arithmetic import minus, plus, terms_of, text_of
from ..types import Scalar, Type

LARGEST = 2**52  # constants stay below it: with lengths below it, too, no sum of a few overflows
LARGEST_FACTOR = 16
MOST_NAMES = 2

Tests = dict[object, tuple[int, gast.expr]]  # by what they compare, each test with the bound that it asks for


def together(*parts: Tests) -> Tests:
    """The tests, without those that are implied by another one with the same terms."""
    found: Tests = {}
    for key, test in (item for part in parts for item in part.items()):
        found[key] = max(found.get(key, test), test, key=lambda each: each[0])
    return found


def trees_of(tests: Tests) -> tuple[gast.expr, ...]:
    return tuple(tree for _, tree in tests.values())


def is_int_name(tree: gast.AST, types: Mapping[str, Type]) -> bool:
    type_ = types.get(tree.id) if isinstance(tree, gast.Name) else None
    return isinstance(type_, Scalar) and type_.dtype == INT_WORD


class Comparisons:
    """Of sums of names and lengths, before a loop that is inside of these others."""

    def __init__(self, integers: Integers, scope: NestScope) -> None:
        self.integers, self.scope = integers, scope

    def proves(self, tree: gast.expr) -> bool:
        """Whether a sum is never negative, without a test."""
        form = self.integers.of(tree)
        return form is not None and self.integers.is_natural(form, self.scope)

    def not_negative(self, tree: gast.expr, length: gast.expr) -> Tests | None:
        """Tests that a sum is not negative; None where they could not be asked, or fail for certain."""
        return self._compared(tree, "greater_equal", "less_equal", length)

    def not_zero(self, tree: gast.expr, length: gast.expr) -> Tests | None:
        return self._compared(tree, "not_equal", "not_equal", length)

    def _compared(self, tree: gast.expr, above: str, below: str, length: gast.expr) -> Tests | None:
        """A comparison of one term with all others; `length` is what names are held to."""
        terms, constant = terms_of(tree)
        if not terms:
            return {} if (constant != 0 if above == "not_equal" else constant >= 0) else None
        names = [term for term in terms if isinstance(term[0], gast.Name)]
        names.sort(key=lambda term: not self._holding(term[0], length))  # what needs a test stands alone
        alone, factor = next((t for t in (*names, *terms) if abs(t[1]) == 1), (None, 0))
        if alone is None or not _is_small(tree):
            return None
        rest = minus(alone, tree) if factor > 0 else plus(alone, tree)
        guards = self.guards(rest, length)
        return None if guards is None else together(guards, _test(above if factor > 0 else below, alone, rest))

    def guards(self, tree: gast.expr, length: gast.expr) -> Tests | None:
        """Tests without which a sum might overflow; None where it might all the same."""
        if not _is_small(tree):
            return None
        if syntax.is_atom(tree):
            return {}
        names = (name for name, _ in terms_of(tree)[0] if isinstance(name, gast.Name))
        return together(*(self._holding(name, length) for name in names))

    def _holding(self, name: gast.expr, length: gast.expr) -> Tests:
        """Tests that a name is no larger than a length, on either side of zero."""
        proves, least = self.proves, minus(syntax.constant(0), length)
        above = {} if proves(minus(name, least)) else _test("greater_equal", name, least)
        return above if proves(minus(length, name)) else together(above, _test("less_equal", name, length))


def _test(operator: str, alone: gast.expr, rest: gast.expr) -> Tests:
    """A comparison; `a <= b - 1` is written `a < b`."""
    terms, constant = terms_of(rest)
    key = operator, text_of(alone), *((text_of(tree), factor) for tree, factor in terms)
    if operator == "not_equal":
        return {(*key, constant): (0, syntax.call(operator, alone, rest))}
    strength = constant if operator == "greater_equal" else -constant
    if operator == "less_equal" and constant == -1 and terms:
        operator, rest = "less", plus(rest, 1)
    return {key: (strength, syntax.call(operator, alone, rest))}


def _is_small(tree: gast.expr) -> bool:
    terms, constant = terms_of(tree)
    names = sum(isinstance(atom, gast.Name) for atom, _ in terms)
    return abs(constant) < LARGEST and names <= MOST_NAMES and all(abs(f) <= LARGEST_FACTOR for _, f in terms)
