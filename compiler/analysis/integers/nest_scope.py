"""The loops around a statement, and what guards ahead of it say of lengths.

if n != maximum(m - 2, 0):                               after it n and m - 2 are alike
    raise ValueError(...)
for i in range(0, n, 1):            a loop over i from 0 to n - 1; n has an iteration, so that n == m - 2
    y[i] = x[i + 2]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import gast

from ...records import dataclass
from .affine import Affine


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop around a statement: forms that its variable is never below, and never above while the body runs.

    A `while` has no variable.  `step` is 0 where it is not known; `turn` is the unknown that counts longer steps.
    """

    statement: gast.For | gast.While
    variable: str = ""
    lows: tuple[Affine, ...] = ()
    highs: tuple[Affine, ...] = ()
    step: int = 0
    turn: int | None = None

    def start(self) -> Affine | None:
        """The first value of the variable, where there is no doubt."""
        first = self.lows if self.step > 0 else self.highs
        return first[0] if len(first) == 1 and self.step else None


@dataclass(frozen=True, slots=True, eq=False)
class NestScope:
    """The loops around a statement, outermost first.  `held` has answers that were given for it.

    `alike` are pairs of lengths that a guard ahead of it compares: they are equal where one of them is positive.
    `facts` are differences of those that are known to be equal, which are not negative either way.
    """

    loops: tuple[Loop, ...] = ()
    held: dict[object, bool] = field(default_factory=dict)
    alike: tuple[tuple[Affine, Affine], ...] = ()
    facts: tuple[Affine, ...] = ()

    def inside(self, loop: Loop) -> NestScope:
        """The scope of a loop's body.  A variable that two loops share is that of the inner one."""
        hidden = loop.variable
        outer = self.loops
        if hidden and hidden in [o.variable for o in outer]:
            outer = tuple(Loop(o.statement) if o.variable == hidden else o for o in outer)
        return NestScope((*outer, loop), alike=self.alike, facts=(*self.facts, *self._run_over(loop)))

    def _run_over(self, loop: Loop) -> Iterator[Affine]:
        """The differences of lengths of which one is no less than where this loop ends, which has an iteration."""
        start = loop.start() if loop.step == 1 else None
        if self.alike and start is not None and not start.terms and start.constant >= 0:
            for one, other in self.alike:
                beyond = (length - high for length in (one, other) for high in loop.highs)
                if any(not rest.terms and rest.constant >= 1 for rest in beyond):
                    yield from (one - other, other - one)
