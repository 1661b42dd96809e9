"""Arguments that the caller does not pass: arrays that a compiled function finds outside.

    HiddenLeaves((Hidden(Place("global", f, "W"), 0),), guards, frozen).leaves()    ->    [the array of W now]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .compiler.frontend.specialise.constants import constant
from .runtime.frozen import Frozen, Place
from .runtime.guards import Guards, key_of


class HiddenLeaves:
    """The last arguments of a piece of machine code, by place: `places` says of each where, and which array of it."""

    def __init__(self, places: Sequence[tuple[Place, int]], guards: Guards, frozen: Frozen) -> None:
        self.places = tuple(places)
        self._guards, self._frozen = guards, frozen
        self._by_key = {key_of(guard.kind, guard.owner, guard.name): guard for guard in guards} if places else {}
        self._version = -1
        self._leaves: tuple[np.ndarray, ...] = ()

    def __len__(self) -> int:
        return len(self.places)

    def leaves(self) -> tuple[np.ndarray, ...]:
        """The arrays; others of the same types once a variable stands for another `Array`."""
        if self._version != self._guards.version and self.places:
            self._version, self._leaves = self._guards.version, self._found()
        return self._leaves

    def _found(self) -> tuple[np.ndarray, ...]:
        arrays: dict[Any, list[np.ndarray]] = {}
        for place, _ in self.places:
            if place.key not in arrays:
                constant(self._value(place), arrays.setdefault(place.key, []))
        return tuple(arrays[place.key][index] for place, index in self.places)

    def _value(self, place: Place) -> Any:
        if place.is_frozen:
            return self._frozen.value(place)
        return place.of(self._by_key[key_of(place.kind, place.owner, place.name)].found)
