"""What ranges know at one point of a function, and what they judge of its accesses and operations.

    if i < n:     ->     the fact n - 1 - i >= 0
    x[i]          ->     FRONT, in a journal, where 0 <= i < n is proven
"""

from __future__ import annotations

from dataclasses import field, replace

from ...ops.schema import Operator
from ...records import dataclass
from .affine import Affine

FRONT, BACK, NATURAL = "front", "back", "natural"
NATURALS: frozenset[str | None] = frozenset({FRONT, NATURAL})

Pair = tuple[int, int, int]  # an axis counted from the end, and the positions of two operands


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two ints that holds.  What follows from it is asked where it is needed: most tests of lengths
    lead to an error, and what holds there is of no use.
    """

    row: Operator
    left: Affine
    right: Affine


Test = tuple[tuple[Comparison, ...], tuple[Comparison, ...]]  # what holds if it is true, and if it is false
NOTHING: Test = ((), ())


@dataclass(slots=True)
class State:
    """Forms of int names, lengths of arrays, what bool names say, and facts `form >= 0`."""

    ints: dict[str, Affine] = field(default_factory=dict)
    lengths: dict[str, tuple[Affine, ...]] = field(default_factory=dict)
    tests: dict[str, Test] = field(default_factory=dict)
    facts: tuple[Affine, ...] = ()
    reachable: bool = True

    def copy(self) -> State:
        return replace(self, ints=dict(self.ints), lengths=dict(self.lengths), tests=dict(self.tests))


@dataclass(slots=True)
class Journal:
    """Judgements of one pass; a node that is met twice keeps only what held both times."""

    axes: dict[int, tuple[str | None, ...]] = field(default_factory=dict)
    fits: dict[int, bool] = field(default_factory=dict)
    alike: dict[int, frozenset[Pair]] = field(default_factory=dict)
    nonzero: dict[int, bool] = field(default_factory=dict)

    def add_alike(self, node: int, found: frozenset[Pair]) -> None:
        self.alike[node] = found & self.alike.get(node, found)

    def add_axes(self, node: int, found: tuple[str | None, ...]) -> None:
        old = self.axes.get(node, found)
        self.axes[node] = found if old == found else tuple(map(_both, old, found))

    def add_fits(self, node: int, fits: bool) -> None:
        self.fits[node] = fits and self.fits.get(node, True)

    def add_nonzero(self, node: int, nonzero: bool) -> None:
        self.nonzero[node] = nonzero and self.nonzero.get(node, True)

    def merge(self, other: Journal) -> None:
        for node, found in other.axes.items():
            self.add_axes(node, found)
        for node, fits in other.fits.items():
            self.add_fits(node, fits)
        for node, nonzero in other.nonzero.items():
            self.add_nonzero(node, nonzero)
        for node, alike in other.alike.items():
            self.add_alike(node, alike)


def _both(one: str | None, other: str | None) -> str | None:
    """What holds of an index of which these were said."""
    if one == other:
        return one
    return NATURAL if one in NATURALS and other in NATURALS else None
