"""Which list an array was read from, or is put back into.

    row = rows[i]                       row is an item of rows
    row_1 = row.copy(); row_1[0] = v    a copy that `puts_back` the item: NumPy changes the item itself
    rows[i] = row_1                     row_1 is an item of rows
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from ... import syntax
from ...program import Function
from ...types import ListOf


def lists_of_items(function: Function) -> Mapping[str, str]:
    """The list of every such name; of those that are of one list on all paths."""
    sources: dict[str, set[str]] = {}
    for statement in syntax.walk(function.body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Subscript(value=gast.Name(id=base))):
                sources.setdefault(name, set()).add(base)
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=other)):
                sources.setdefault(name, set()).add(other)
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=gast.Name(id=name)):
                if getattr(statement, "is_put_back", False):
                    sources.setdefault(name, set()).add(base)

    def lists(name: str, seen: set[str]) -> set[str]:
        if isinstance(function.types.get(name), ListOf) or name not in sources:
            return {name}
        return set().union(*(lists(source, seen | {name}) for source in sources[name] if source not in seen))

    found = {name: lists(name, {name}) for name in sources}
    return {
        name: base for name, bases in found.items()
        if len(bases) == 1 and isinstance(function.types.get(base := next(iter(bases))), ListOf)
    }  # fmt: skip


def list_of_copy(function: Function, name: str) -> str | None:
    """The list into which a copy of an item is put back."""
    for statement in syntax.walk(function.body):
        if getattr(statement, "puts_back", False) and name in syntax.names_bound(statement):
            return lists_of_items(function).get(statement.value.args[0].id)
    return None
