"""What a typed function says of its names as a whole, whatever the order of its statements.

    reads         how often a name's elements are read         merged       the names assigned more than once
    overwritten   the arrays that stores write into            groups       names that may ever share elements
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import gast

from .. import syntax
from ..analysis.memory.alias import shown_by
from ..program import Function
from ..types import Array, Dim, ListOf, Type


class Facts:
    """What the typed function says of its names as a whole."""

    def __init__(self, function: Function) -> None:
        self.merged: set[str] = set()
        self.reads: Counter[str] = Counter()
        self.overwritten: set[str] = set()
        groups = _Groups()
        defined = set(function.parameters)
        holders = [name for name, type_ in function.types.items() if isinstance(type_, Array | ListOf)]
        for statement in syntax.walk(function.body):
            for name in syntax.names_bound(statement):
                (self.merged if name in defined else defined).add(name)
            if holders:
                for name in _consumed(statement):
                    self.reads[name] += 1
                self.overwritten.update(overwritten_by(statement))
                groups.join(_sharing(statement, function.types))
        self.sharing: Mapping[str, str] = {name: groups.root(name) for name in holders}
        self.overwritten_groups = {groups.root(name) for name in self.overwritten}


class _Groups:
    """Names that may share elements at some time, whatever the order of the statements."""

    def __init__(self) -> None:
        self.parent: dict[str, str] = {}

    def root(self, name: str) -> str:
        while name in self.parent:
            name = self.parent[name]
        return name

    def join(self, names: Iterable[str]) -> None:
        first, *others = [self.root(name) for name in names] or [""]
        for other in others:
            if self.root(other) != self.root(first):
                self.parent[self.root(other)] = self.root(first)


def _sharing(statement: gast.stmt, types: Mapping[str, Type]) -> list[str]:
    """The names of which a statement makes one show elements of another."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=list_))], value=value):
            return [list_, *shown_by(value, types)] if isinstance(types.get(list_), ListOf) else []
        case gast.Assign(value=value):
            shown = shown_by(value, types)
            return [*syntax.names_bound(statement), *shown] if shown else []
        case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=list_), value])):
            return [list_, *shown_by(value, types)]
    return []


def overwritten_by(statement: gast.stmt) -> tuple[str, ...]:
    """The array whose elements a typed statement overwrites."""
    base = syntax.stored_base(statement)
    if base is not None:
        return (base,)
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Name(id="add_at"), args=[gast.Name(id=name), *_])):
            return (name,)
    return ()


def _consumed(statement: gast.stmt) -> Iterable[str]:
    """Every read of a name's elements: a read of its length is none."""
    if type(statement) is gast.Assign and syntax.operator_of(statement.value) == "dim":
        return ()
    return reads_of(statement)


def reads_of(statement: gast.stmt) -> list[str]:
    """The names that a statement itself reads, nested blocks left out."""
    match statement:
        case gast.For(iter=part) | gast.While(test=part) | gast.If(test=part):
            return syntax.names_read(part)
    return syntax.names_read(statement)


def symbols_of(type_: Type) -> Iterator[str]:
    element = type_.element if isinstance(type_, ListOf) else type_
    if isinstance(element, Array):
        for extent in element.dims:
            yield from extent.symbols() if isinstance(extent, Dim) else ()
