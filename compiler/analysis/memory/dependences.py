"""Which accesses of a nest depend on one another, over how many iterations of its loops.

    for i in range(1, n):                      flow      a[i, j]  ->  a[i - 1, j]     (1, 0)
        for j in range(m):             ->      anti      a[i, j + 1]  ->  a[i, j]     (0, 1)
            a[i, j] = a[i - 1, j] + a[i, j + 1]

A distance has one pair for every loop that both accesses are in, outermost first: the least and the greatest number of
iterations from the source to the sink, None where there is no end to it.  All dependences that there may be are given,
and those that cannot be are left out as far as affine indices and bounds tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ...program import Function
from ...records import dataclass
from ..integers.nest_scope import Loop
from ..integers.systems import Bounds
from ..integers.values import Integers
from .accesses import Access
from .meeting import Meeting, common_loops

FLOW, ANTI, OUTPUT = "flow", "anti", "output"


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """The sink touches an element after the source has, and one of the two is a store."""

    source: Access
    sink: Access
    kind: str
    distance: tuple[Bounds, ...]


class Dependences:
    """Answers for one function; `classes` has one name for all arrays that may share elements."""

    def __init__(self, function: Function, classes: Mapping[str, str]) -> None:
        self.integers = Integers(function)
        self.meeting = Meeting(self.integers)
        self.classes = classes

    def of(self, found: Sequence[Access]) -> Iterator[Dependence]:
        """The dependences between some accesses, given in the order of execution (`accesses`)."""
        for position, first in enumerate(found):
            for later, second in enumerate(found):
                if first.is_store or second.is_store:
                    if self.classes.get(first.array) == self.classes.get(second.array):
                        yield from self.between(first, second, position < later)

    def between(self, source: Access, sink: Access, in_order: bool) -> Iterator[Dependence]:
        """Those from one access to another; `in_order` if the sink comes later in the same iteration of all loops."""
        kind = OUTPUT if source.is_store and sink.is_store else FLOW if source.is_store else ANTI
        loops = common_loops(source, sink)
        still: Bounds = (0, 0)
        for depth in range(len(loops) + 1):
            is_later = depth < len(loops)
            if is_later or in_order:
                moved = self._distance(source, sink, loops[depth:], is_later)
                if moved is not None:
                    yield Dependence(source, sink, kind, (*(still for _ in loops[:depth]), *moved))

    def may_follow(self, source: Access, sink: Access, in_order: bool, outer: int = 0) -> bool:
        """Whether the sink may touch an element after the source has; the `outer` loops around both stand still."""
        carriers: tuple[Loop | None, ...] = common_loops(source, sink)[outer:]
        return any(
            self.meeting.may_meet(source, sink, carrier, self.varying(source, sink, carrier))
            for carrier in ((None, *carriers) if in_order else carriers)
        )

    def _distance(self, source: Access, sink: Access, loops: tuple[Loop, ...], is_later: bool) -> list[Bounds] | None:
        varying = self.varying(source, sink, loops[0] if is_later else None)
        return self.meeting.distances(source, sink, loops, is_later, varying)

    def varying(self, source: Access, sink: Access, carrier: Loop | None) -> AbstractSet[str]:
        """The names that may have other values when the sink runs, in a later iteration of a loop or in the same."""
        integers = self.integers
        if carrier is not None:
            return integers.bound_in(carrier.statement)
        common = common_loops(source, sink)
        inner = [loop for a in (source, sink) for loop in a.scope.loops[len(common) :]]
        own = {name for loop in inner for name in integers.bound_in(loop.statement)}
        around = integers.bound_in(common[-1].statement) if common else integers.facts.definitions.keys()
        return own | {name for name in around if not integers.facts.is_constant(name)}
