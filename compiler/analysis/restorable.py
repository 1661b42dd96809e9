"""Arrays that the backward sweep may bring back to what they were: where it goes back over a store it undoes it.

    for t in range(k):                           for t in range(k - 1, -1, -1):
        for i in range(n):                           for i in range(n - 1, -1, -1):
            s = dot(a[i], x)            ->               x[i] = x_saved[t, i]
            x_saved[t, i] = x[i]                         ... x is what `dot` has read
            x[i] = s / d[i]

To keep what each store overwrites is an alternative to keeping what each load reads.  A block is gone back over with
all its stores undone first.  So a load reads again what it read if it stands before the stores of its block, and of the
blocks around it, and after those of the blocks inside it.  A store outside of all loops stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import gast

from .. import syntax
from ..types import Array, Type
from .regions import Region, Regions

if TYPE_CHECKING:
    from .recorded import Recorded


class Restorable:
    """Answers for one function; `mirrored` are the blocks that the backward sweep goes back over, by identity."""

    def __init__(self, recorded: Recorded, mirrored: Collection[int]) -> None:
        self.recorded, self.mirrored = recorded, mirrored
        self.regions: Regions = recorded.regions
        self.types: Mapping[str, Type] = recorded.types
        self._found: dict[str, bool] = {}
        self._undone: dict[str, list[gast.stmt]] = {}
        self._loads: dict[str, list[gast.stmt]] | None = None

    def is_read_again(self, load: gast.stmt) -> bool:
        """Whether a load gives what it gave, if the stores into its array are undone."""
        return self.may_restore(load.value.value.id) and self._stands_well(load)

    def may_restore(self, array: str) -> bool:
        if array not in self._found:
            self._found[array] = self._may_restore(array)
        return self._found[array]

    def _may_restore(self, array: str) -> bool:
        """Whether there are stores to undo, and nothing depends on what they leave in the array."""
        if array not in self.regions.stores or not self.recorded.stays(array) or not self.undone(array):
            return False
        if any(self.recorded.is_record(store) for store in self.regions.stores[array]):
            return False
        return all(self._stands_well(load) for load in self.loads_of(array) if self._is_repeated(load))

    def _is_repeated(self, load: gast.stmt) -> bool:
        """Whether a load is of elements that are in place to the end, and its value is not at hand."""
        keys = self.regions.made[id(load)].values()
        return not all(map(self.recorded.at_hand, keys)) and self.recorded.reloads(load)

    def undone(self, array: str) -> list[gast.stmt]:
        """The stores into an array that can be undone, in program order."""
        if array not in self._undone:
            self._undone[array] = [store for store in self.regions.stores[array] if self._is_undone(store)]
        return self._undone[array]

    def _is_undone(self, store: gast.stmt) -> bool:
        """Whether a store changes elements that ints and slices name, in a block that is gone back over."""
        region = self.regions.place[id(store)]
        if not isinstance(store, gast.Assign) or not region.loops or id(region) not in self.mirrored:
            return False
        keys = [self.regions.key(store, name) for name in syntax.names_read(store.targets[0].slice)]
        if any(isinstance(self.types[self.regions.values[key].name], Array) for key in keys):
            return False
        return all(self.recorded.follows_from_ints(key) for key in keys)

    def loads_of(self, array: str) -> list[gast.stmt]:
        if self._loads is None:
            self._loads = {}
            for statement in syntax.walk(self.regions.function.body):
                match statement:
                    case gast.Assign(targets=[gast.Name()], value=gast.Subscript(value=gast.Name(id=base))):
                        self._loads.setdefault(base, []).append(statement)
        return self._loads.get(array, [])

    def _stands_well(self, load: gast.stmt) -> bool:
        """Whether every store is undone when the load is repeated, or leaves its elements alone."""
        array = load.value.value.id
        undone = self.undone(array)
        others = [store for store in self.regions.stores[array] if not any(store is other for other in undone)]
        if not all(self._is_undone_in_time(load, store) for store in undone):
            return False
        return not any(self.recorded.overwriting.may_overwrite(load, store) for store in others)

    def _is_undone_in_time(self, load: gast.stmt, store: gast.stmt) -> bool:
        order, place = self.regions.order, self.regions.place
        reading, storing = place[id(load)], place[id(store)]
        if storing.contains(reading):
            return order[id(_within(storing, reading, load))] < order[id(store)]
        if reading.contains(storing):
            return order[id(load)] > order[id(_within(reading, storing, store))]
        return True


def _within(outer: Region, inner: Region, statement: gast.stmt) -> gast.stmt:
    """The statement of the outer block in which a statement of the inner one stands."""
    while inner is not outer:
        assert inner.statement is not None and inner.parent is not None
        statement, inner = inner.statement, inner.parent
    return statement
