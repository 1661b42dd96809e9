"""What `simplify` knows at a point of its walk: copies, right-hand sides, values at hand.

    t = x            copies["t"] is `x`
    y = add(x, 1)    values["y"] is `add(x, 1)`, available["add(x, 1)"] is `y`
    x = ...          nothing that mentions `x` holds any more
    a[i] = v         nothing that was read from `a`, or from what may share elements with it, holds any more
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gast

from .. import syntax
from ..analysis.def_use import def_use
from ..analysis.memory.alias import AliasClasses, regions, stored_names
from ..program import Function
from ..types import Array, ListOf, Scalar, Type


class Known:
    """Facts that grow along a block and are forgotten after it."""

    def __init__(self, function: Function, types: Mapping[str, Type]) -> None:
        self.types = types
        self.regions: AliasClasses = regions(function)
        facts = def_use(function)
        self.counts = facts.count
        self.merged = {n for n, found in facts.definitions.items() if len(found) > 1 or n in facts.parameters}
        stored = {base for statement in syntax.walk(function.body) for base in stored_names(statement)}
        if function.keeps_apart:  # the caller may store into its results
            stored.update(syntax.names_read(function.body[-1]))
        self.stored = {self.regions.root(base) for base in stored}
        self.lists = {name for name, type_ in types.items() if isinstance(type_, ListOf)}
        self._lasting: dict[str, bool] = {}
        self._all_last = not self.stored and not self.lists
        self.copies: dict[str, gast.expr] = {}
        self.values: dict[str, gast.expr] = {}
        self.available: dict[Hashable, str] = {}
        self._keys: dict[str, Hashable] = {}
        # the names whose facts mention a name, or a name that may share elements with it
        self._mentions: dict[str, list[str]] = {}
        self._sharers: dict[str, list[str]] = {}
        self._changes: list[tuple[dict, Any, Any]] = []
        self._depth = 0

    def read(self, name: str) -> object:
        """What may be read instead of a name."""
        return self.copies.get(name, name)

    def is_read_once(self, name: str) -> bool:
        return self.counts.get(name) == 1

    def value_of(self, name: str) -> gast.expr | None:
        return self.values.get(name)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is learnt and forgotten from here on is undone at the end."""
        start, self._depth = len(self._changes), self._depth + 1
        yield
        self._depth -= 1
        while len(self._changes) > start:
            table, key, old = self._changes.pop()
            if old is None:
                del table[key]
            else:
                table[key] = old

    def _put(self, table: dict, key: Any, new: Any) -> None:
        if self._depth:
            self._changes.append((table, key, table.get(key)))
        table[key] = new

    def _remove(self, table: dict, key: Any) -> None:
        if key in table:
            if self._depth:
                self._changes.append((table, key, table[key]))
            del table[key]

    def stand_for(self, name: str, value: gast.expr) -> None:
        """Reads of a name may read this atom."""
        self._put(self.copies, name, value)
        self._mention(name, syntax.names_read(value))

    def learn(self, name: str, value: gast.expr, names: Sequence[str], key: Hashable | None) -> None:
        """The right-hand side of a name, and the names in it; under `key` the name stands for the value, too."""
        if self.lists and (name in self.lists or not self.lists.isdisjoint(names)):
            return
        self._put(self.values, name, value)
        self._mention(name, names)
        if key is None or key in self.available:
            return
        if self._all_last or isinstance(self.types.get(name), Scalar) or all(map(self.is_lasting, (name, *names))):
            self._put(self.available, key, name)
            self._put(self._keys, name, key)

    def _mention(self, name: str, names: Sequence[str]) -> None:
        """Note where to look when one of the names changes."""
        for mentioned in {name, *names}:
            if mentioned in self.merged:
                self._mentions.setdefault(mentioned, []).append(name)
            if self.stored and (root := self.regions.root(mentioned)) in self.stored:
                self._sharers.setdefault(root, []).append(name)

    def forget(self, statements: Iterable[gast.stmt]) -> None:
        """The statements assign names and store elements: what mentions either does not hold any more.

        What mentions a name that is assigned once was learnt after that assignment, in its block.
        """
        bound: set[str] = set()
        stored: set[str] = set()
        for statement in syntax.walk(statements):
            bound.update(name for name in syntax.names_bound(statement) if name in self.merged)
            stored.update(stored_names(statement))
        if bound or stored:
            self._drop(bound, stored)

    def rebind(self, name: str, statement: gast.stmt) -> None:
        """`forget` for the one statement that gives a name its value."""
        stored = stored_names(statement)
        if stored or name in self.merged:
            self._drop({name} & self.merged, {*stored})

    def _drop(self, bound: set[str], stored: set[str]) -> None:
        roots = {self.regions.root(base) for base in stored}
        places = [(self._mentions, name) for name in bound] + [(self._sharers, root) for root in roots]
        for table, place in places:
            for name in dict.fromkeys(table.get(place, ())):
                for facts in (self.copies, self.values):
                    if name in facts and not self._holds(name, facts[name], bound, roots):
                        self._remove(facts, name)
                        if facts is self.values and self.available.get(self._keys.get(name)) == name:
                            self._remove(self.available, self._keys[name])
            if place in table:
                self._put(table, place, [])

    def _holds(self, name: str, value: gast.expr, bound: set[str], roots: set[str]) -> bool:
        names = {name, *syntax.names_read(value)}
        if syntax.operator_of(value) == "dim":
            return names.isdisjoint(bound)  # a store changes no length
        return names.isdisjoint(bound) and all(self.regions.root(n) not in roots for n in names)

    def is_lasting(self, name: str) -> bool:
        """Whether the elements of the array of a name never change."""
        if name not in self._lasting:
            type_ = self.types.get(name)
            shared = isinstance(type_, Array) and self.regions.root(name) in self.stored
            self._lasting[name] = isinstance(type_, Scalar | Array) and not shared
        return self._lasting[name]
