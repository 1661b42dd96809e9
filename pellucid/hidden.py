"""Arguments that the caller does not pass: arrays that a compiled function finds outside.

    HiddenLeaves((Hidden(Place("global", f, "W"), 0),), guards, frozen).leaves(findings)    ->    [the array of W]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .compiler.frontend.specialise.world.constants import constant
from .runtime.frozen import Frozen, Place
from .runtime.guards import Findings, Guards, key_of


class HiddenLeaves:
    """The last arguments of a piece of machine code, by place: `places` says of each where, and which array of it."""

    def __init__(self, places: Sequence[tuple[Place, int]], guards: Guards, frozen: Frozen) -> None:
        self.places = tuple(places)
        self._frozen = frozen
        self._numbers = {key_of(g.kind, g.owner, g.name): k for k, g in enumerate(guards)} if places else {}
        self._latest: tuple[Findings | None, tuple[np.ndarray, ...]] = None, ()  # one record, as threads share it

    def __len__(self) -> int:
        return len(self.places)

    def leaves(self, findings: Findings) -> tuple[np.ndarray, ...]:
        """The arrays that the guards found; others of the same types once a variable stands for another `Array`."""
        known, leaves = self._latest
        if known is not findings and self.places:
            leaves = self._found(findings)
            self._latest = findings, leaves
        return leaves

    def _found(self, findings: Findings) -> tuple[np.ndarray, ...]:
        arrays: dict[Any, list[np.ndarray]] = {}
        for place, _ in self.places:
            if place.key not in arrays:
                constant(self._value(place, findings), arrays.setdefault(place.key, []))
        return tuple(arrays[place.key][index] for place, index in self.places)

    def _value(self, place: Place, findings: Findings) -> Any:
        if place.is_frozen:
            return self._frozen.value(place)
        return place.of(findings.objects[self._numbers[key_of(place.kind, place.owner, place.name)]])
