"""What a typed function says of its names as a whole, whatever the order of its statements.

    reads         how often a name's elements are read         merged       the names assigned more than once
    overwritten   the arrays that stores write into            sharing      names that may ever share elements
    folded        the names whose elements reductions alone read, all of them at once
    measured      the names whose lengths are read, or looked at by a reduction that needs elements
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import gast

from .. import syntax
from ..analysis.def_use import def_use, reads_of
from ..analysis.memory.alias import AliasClasses, regions, stored_names
from ..ops.raising import if_empty
from ..ops.schema import OPERATORS, row_of
from ..program import Function
from ..types import Array, Dim, ListOf, Type


class Facts:
    """What the typed function says of its names as a whole."""

    def __init__(self, function: Function) -> None:
        found = def_use(function).definitions.items()
        self.merged = {name for name, given in found if len(given) > (name not in function.parameters)}
        self.reads: Counter[str] = Counter()
        self.overwritten: set[str] = set()
        self.measured: set[str] = set()
        folds: Counter[str] = Counter()
        self.sharing = AliasClasses({})
        if any(isinstance(type_, Array | ListOf) for type_ in function.types.values()):
            for statement in syntax.walk(function.body):
                self.reads.update(_consumed(statement))
                folds.update(_folded(statement))
                self.measured.update(_measured(statement))
                self.overwritten.update(arrays_stored(statement, function))
            self.sharing = regions(function)
        self.folded = {name for name, count in folds.items() if count == self.reads[name]} - self.merged
        self.overwritten_classes = {self.sharing.root(name) for name in self.overwritten}


def arrays_stored(statement: gast.stmt, function: Function) -> Iterator[str]:
    """The arrays whose elements a statement overwrites: a list that gets another element leaves them alone."""
    return (name for name in stored_names(statement) if isinstance(function.types[name], Array))


def _consumed(statement: gast.stmt) -> Iterable[str]:
    """Every read of a name's elements: a read of its length is none."""
    if type(statement) is gast.Assign and syntax.operator_of(statement.value) == "dim":
        return ()
    return reads_of(statement)


def _folded(statement: gast.stmt) -> Iterable[str]:
    """The name whose elements a statement takes together to a single number."""
    if type(statement) is not gast.Assign or type(statement.value) is not gast.Call:
        return ()
    row, static = row_of(syntax.operator_of(statement.value)), syntax.static_of(statement.value)
    if row is None or row.fold is None or static.get("axis") is not None or static.get("keepdims"):
        return ()
    return () if OPERATORS[row.fold.combine].is_comparison else syntax.names_read(statement.value.args[0])


def _measured(statement: gast.stmt) -> Iterable[str]:
    if type(statement) is not gast.Assign or type(statement.value) is not gast.Call:
        return ()
    operator = syntax.operator_of(statement.value)
    row = row_of(operator)
    is_looked_at = operator == "dim" or row is not None and row.raises is if_empty
    return syntax.names_read(statement.value) if is_looked_at else ()


def symbols_of(type_: Type) -> Iterator[str]:
    element = type_.element if isinstance(type_, ListOf) else type_
    if isinstance(element, Array):
        for extent in element.dims:
            yield from extent.symbols() if isinstance(extent, Dim) else ()
