"""Which axes of a mesh cut which axis of an array.

    P("x", None)        axis 0 in as many parts as "x" is long, axis 1 whole
    P(("x", "y"))       axis 0 in as many parts as both have devices, "y" running fastest
    P()                 nothing is cut: every device has all of it
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

Entry = None | str | tuple[str, ...]


class PartitionSpec:
    """For each axis of an array None, the name of the mesh axis that cuts it, or several names in a tuple.

    Axes at the end may be left out, and are not cut.  It equals a tuple with the same entries.  Raises TypeError for an
    entry that is no name, and ValueError for a name that is there twice.
    """

    __slots__ = ("_entries",)
    __pellucid_constant__ = True

    def __init__(self, *entries: Any) -> None:
        self._entries: tuple[Entry, ...] = tuple(map(_entry, entries))
        found = self.names
        twice = next((name for name in found if found.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{self} names the mesh axis {twice!r} twice: each cuts at most one axis of an array")

    @property
    def names(self) -> tuple[str, ...]:
        """All mesh axes that are named, in order."""
        return tuple(name for entry in self._entries for name in names_in(entry))

    def __pellucid_facts__(self) -> tuple[Any, ...]:
        return self._entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, place: Any) -> Any:
        return self._entries[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PartitionSpec):
            return self._entries == other._entries
        return isinstance(other, tuple) and self._entries == tuple(map(_entry, other))

    def __hash__(self) -> int:
        return hash(self._entries)

    def __reduce__(self) -> Any:
        return PartitionSpec, self._entries

    def __repr__(self) -> str:
        return f"P({', '.join(map(repr, self._entries))})"


class SpecTree:
    """Specs in containers, which do not change: `tree` has dicts by keys or fields, and tuples of all else."""

    __slots__ = ("tree",)
    __pellucid_constant__ = True

    def __init__(self, specs: Any) -> None:
        self.tree = _plain(specs)

    def __pellucid_facts__(self) -> tuple[Any, ...]:
        return (self.tree,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpecTree) and repr(self.tree) == repr(other.tree)

    def __hash__(self) -> int:
        return hash(repr(self.tree))

    def __reduce__(self) -> Any:
        return SpecTree, (self.tree,)

    def __repr__(self) -> str:
        return repr(self.tree)


def _plain(specs: Any) -> Any:
    if dataclasses.is_dataclass(specs) and not isinstance(specs, type):
        specs = {field.name: getattr(specs, field.name) for field in dataclasses.fields(specs)}
    if isinstance(specs, dict):
        return {key: _plain(part) for key, part in specs.items()}
    return tuple(map(_plain, specs)) if isinstance(specs, tuple | list) else specs


def _entry(given: Any) -> Entry:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, tuple | list) and all(isinstance(name, str) for name in given):
        return given[0] if len(given) == 1 else tuple(given) or None
    raise TypeError(f"an entry of a PartitionSpec is None, the name of a mesh axis or a tuple of names, not {given!r}")


def names_in(entry: Entry) -> tuple[str, ...]:
    """The mesh axes that one entry names."""
    return () if entry is None else (entry,) if isinstance(entry, str) else entry
