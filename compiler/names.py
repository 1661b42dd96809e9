"""Readable fresh names: `x`, `x_1`, `x_2`, ... never one that is taken, a keyword or a name the printed file uses."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable
from functools import cache

PRINTED = frozenset({"np", "math", "prange", "lanes", "folding", "noalias", "pellucid"})
RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | PRINTED


class Names:
    """The names taken in one function.  `fresh("x")` gives `x` if free, else `x_1`, `x_2`, ...

    `given` says what the user calls a value with a passing name, and whether as a parameter (`give_names`).
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken: set[str] = set(taken)
        self._next: dict[str, int] = {}
        self.given: dict[str, tuple[str, bool]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken or name in RESERVED

    def take(self, name: str) -> str:
        self._taken.add(name)
        return name

    def copy(self) -> Names:
        twin = Names(self._taken)
        twin._next = dict(self._next)
        twin.given = dict(self.given)
        return twin

    def become(self, other: Names) -> None:
        """Forget the names that `other`, an earlier copy, does not have."""
        self._taken, self._next, self.given = set(other._taken), dict(other._next), dict(other.given)

    def fresh(self, wish: str) -> str:
        base = base_of(wish)
        if wish not in self._taken and wish not in RESERVED:
            self._taken.add(wish)
            return wish
        number = self._next.get(base, 1)
        while f"{base}_{number}" in self:
            number += 1
        self._next[base] = number + 1
        return self.take(f"{base}_{number}")


@cache
def base_of(name: str) -> str:
    """The name without the number that `fresh` added: `x` for `x_2`."""
    return re.sub(r"_\d+$", "", name) or name


def from_path(*parts: object) -> str:
    """One identifier for a leaf of a container: `layers_0_weights`."""
    text = "_".join(re.sub(r"\W", "_", str(part)) for part in parts if part != "")
    return text if text.isidentifier() else f"v_{text}"
