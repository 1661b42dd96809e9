"""What `simplify` knows at a point of its walk: copies, right-hand sides, values at hand.

    t = x            copies["t"] is `x`
    y = add(x, 1)    values["y"] is `add(x, 1)`, available["add(x, 1)"] is `y`
    x = ...          nothing that mentions `x` holds any more
    a[i] = v         nothing that was read from `a`, or from what may share elements with it, holds any more
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import gast

from .. import syntax
from ..analysis.alias import Regions, regions, stored_names
from ..analysis.def_use import def_use
from ..program import Function
from ..types import Array, ListOf, Scalar, Type


class Known:
    """Facts that grow along a block and are forgotten behind it."""

    def __init__(self, function: Function, types: Mapping[str, Type]) -> None:
        self.types = types
        self.regions: Regions = regions(function)
        facts = def_use(function)
        self.counts = facts.count
        self.merged = {name for name in facts.definitions if not facts.is_single(name)}
        self.stored = {base for statement in syntax.walk(function.body) for base in stored_names(statement)}
        self._lasting: dict[str, bool] = {}
        self.copies: dict[str, gast.expr] = {}
        self.values: dict[str, gast.expr] = {}
        self.available: dict[str, str] = {}

    def read(self, name: str) -> object:
        """What may be read instead of a name."""
        return self.copies.get(name, name)

    def is_read_once(self, name: str) -> bool:
        return self.counts.get(name) == 1

    def value_of(self, name: str) -> gast.expr | None:
        return self.values.get(name)

    @contextmanager
    def scope(self) -> Iterator[None]:
        before = dict(self.copies), dict(self.values), dict(self.available)
        yield
        self.copies, self.values, self.available = before

    def learn(self, name: str, value: gast.expr, key: str | None) -> None:
        """The right-hand side of a name; under `key` the name stands for the value, too."""
        names = list(syntax.names_read(value))
        if any(isinstance(self.types.get(n), ListOf) for n in (name, *names)):
            return
        self.values[name] = value
        if key is not None and (isinstance(self.types.get(name), Scalar) or all(map(self.is_lasting, (name, *names)))):
            self.available.setdefault(key, name)

    def forget(self, statements: Iterable[gast.stmt]) -> None:
        """The statements assign names and store elements: what mentions either does not hold any more.

        What mentions a name that is assigned once was learnt behind that assignment, in its block.
        """
        bound: set[str] = set()
        stored: set[str] = set()
        for statement in syntax.walk(statements):
            bound.update(name for name in syntax.names_bound(statement) if name in self.merged)
            stored.update(stored_names(statement))
        if bound or stored:
            self._drop(bound, stored)

    def _drop(self, bound: set[str], stored: set[str]) -> None:
        def holds(name: str, value: gast.expr) -> bool:
            names = {name, *syntax.names_read(value)}
            changed = any(self.regions.may_share(base, n) for base in stored for n in names)
            return names.isdisjoint(bound) and not changed

        gone = {n for n, v in self.values.items() if not holds(n, v)}
        self.copies = {n: v for n, v in self.copies.items() if holds(n, v)}
        self.values = {n: v for n, v in self.values.items() if n not in gone}
        self.available = {k: n for k, n in self.available.items() if n not in gone and n not in bound}

    def is_lasting(self, name: str) -> bool:
        """Whether the elements behind a name never change."""
        if name not in self._lasting:
            type_ = self.types.get(name)
            shared = isinstance(type_, Array) and any(self.regions.may_share(name, base) for base in self.stored)
            self._lasting[name] = isinstance(type_, Scalar | Array) and not shared
        return self._lasting[name]
