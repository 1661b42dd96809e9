"""The iterations of a nest as one kernel counts them: by the counter of a loop alone, or all in one number.

    for i in range(n): ...                         i = cuda.grid(1)
    for i in range(n): for j in range(m): ...      turn = cuda.grid(1); i = turn // m; j = turn % m
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...records import dataclass
from .nests import begins_with_zero, bounds
from .spell import Speller
from .trees import product
from .writing import KernelWriter, first_turn, taken_apart, turns_of_loop

if TYPE_CHECKING:
    from .driving import DriverWriter


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """`number` is the name that a kernel counts iterations with."""

    loops: Sequence[gast.For]
    speller: Speller
    number: str

    @staticmethod
    def of(driver: DriverWriter, loops: Sequence[gast.For], writer: KernelWriter) -> Turns:
        number = loops[0].target.id if len(loops) == 1 else driver.local("turn")
        writer.own.add(number)
        return Turns(loops, writer.speller, number)

    @property
    def is_one(self) -> bool:
        return len(self.loops) == 1

    def first(self, thread: gast.expr) -> gast.expr:
        """The first number of a thread."""
        return first_turn(self.loops[0], self.speller, thread) if self.is_one else thread

    def stop(self) -> gast.expr:
        return self.speller.as_dtype(bounds(self.loops[0])[1], "i64") if self.is_one else product(self.lengths())

    def lengths(self) -> list[gast.expr]:
        return [turns_of_loop(loop, self.speller) for loop in self.loops]

    def apart(self) -> list[gast.stmt]:
        """The counters of a nest from the number of an iteration."""
        return [] if self.is_one else taken_apart(self.loops, self.lengths(), self.number, self.speller)

    def from_zero(self) -> gast.expr:
        """The number of an iteration, the first being 0."""
        if not self.is_one or begins_with_zero(self.loops[0]):
            return syntax.name(self.number)
        start = self.speller.as_dtype(bounds(self.loops[0])[0], "i64")
        return gast.BinOp(syntax.name(self.number), gast.Sub(), start)

    def count(self, driver: DriverWriter) -> gast.expr:
        return Turns.count_of(driver, self.loops)

    @staticmethod
    def count_of(driver: DriverWriter, loops: Sequence[gast.For]) -> gast.expr:
        """How many iterations there are, as the driver knows it."""
        return product([driver.length(loop) for loop in loops])
