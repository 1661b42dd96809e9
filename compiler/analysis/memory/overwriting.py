"""May a store change an element after a load has read it?  Asked of the statements of a typed function.

    for i in range(1, n, 1):
        r = y[i - 1]                no: a later store goes to y[i'] with i' >= i
        ...
        y[i] = t
"""

from __future__ import annotations

import gast

from ..integers.nest_scope import NestScope
from ..regions import Regions, stored_array
from .accesses import Access, accesses
from .dependences import Dependences


class Overwriting:
    """Questions about one function."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.dependences = Dependences(regions.function, {})
        self._accesses: dict[int, Access] = {}

    def may_overwrite(self, load: gast.stmt, store: gast.stmt) -> bool:
        """Whether `store` may run after `load` and change an element that `load` reads (of the same array).

        `load` may be a store as well: then the question is whether what it stores may be changed.
        """
        order = self.regions.order
        array = stored_array(store)
        # a loop in which the array is allocated makes another one in every iteration
        outer = 0 if array is None else len(self.regions.home[array].loops)
        in_order = order[id(store)] > order[id(load)]
        return self.dependences.may_follow(self._access(load), self._access(store), in_order, outer)

    def _access(self, statement: gast.stmt) -> Access:
        if id(statement) not in self._accesses:
            integers, scope = self.dependences.integers, NestScope()
            for region in self.regions.place[id(statement)].loops:
                scope = scope.inside(integers.loop(region.statement))
            *_, last = accesses([statement], scope, integers)
            self._accesses[id(statement)] = last
        return self._accesses[id(statement)]
