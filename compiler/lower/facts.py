"""What a typed function says of its names as a whole, whatever the order of its statements.

    reads         how often a name's elements are read         merged       the names assigned more than once
    overwritten   the arrays that stores write into            sharing      names that may ever share elements
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import gast

from .. import syntax
from ..analysis.def_use import def_use, reads_of
from ..analysis.memory.alias import AliasClasses, regions, stored_names
from ..program import Function
from ..types import Array, Dim, ListOf, Type


class Facts:
    """What the typed function says of its names as a whole."""

    def __init__(self, function: Function) -> None:
        found = def_use(function).definitions.items()
        self.merged = {name for name, given in found if len(given) > (name not in function.parameters)}
        self.reads: Counter[str] = Counter()
        self.overwritten: set[str] = set()
        self.sharing = AliasClasses({})
        if any(isinstance(type_, Array | ListOf) for type_ in function.types.values()):
            for statement in syntax.walk(function.body):
                self.reads.update(_consumed(statement))
                self.overwritten.update(arrays_stored(statement, function))
            self.sharing = regions(function)
        self.overwritten_classes = {self.sharing.root(name) for name in self.overwritten}


def arrays_stored(statement: gast.stmt, function: Function) -> Iterator[str]:
    """The arrays whose elements a statement overwrites: a list that gets another element leaves them alone."""
    return (name for name in stored_names(statement) if isinstance(function.types[name], Array))


def _consumed(statement: gast.stmt) -> Iterable[str]:
    """Every read of a name's elements: a read of its length is none."""
    if type(statement) is gast.Assign and syntax.operator_of(statement.value) == "dim":
        return ()
    return reads_of(statement)


def symbols_of(type_: Type) -> Iterator[str]:
    element = type_.element if isinstance(type_, ListOf) else type_
    if isinstance(element, Array):
        for extent in element.dims:
            yield from extent.symbols() if isinstance(extent, Dim) else ()
