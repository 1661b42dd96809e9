"""Release every buffer after its last use.

    y = exp-nest            y = exp-nest
    s = sum-nest of y  ->   s = sum-nest of y
    z = ...                 del y
                            z = ...

Parameters, results, and what lives to the end of the function anyway are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import gast

from .. import syntax
from ..analysis.liveness import liveness
from ..ops.forms import VIEWS
from ..program import Function
from ..types import Array
from .hazards import names_assigned


def release(function: Function) -> Function:
    """Add a `Delete` after the last use of every array made here."""
    returned = {n for s in function.body if isinstance(s, gast.Return) for n in syntax.names_read(s)}
    releaser = _Releaser(function, returned | set(function.parameters))
    if not releaser.releasable:
        return function
    return function.with_(body=tuple(releaser.block(function.body, set(), is_function=True)))


class _Releaser:
    def __init__(self, function: Function, kept: set[str]) -> None:
        self.kept, self.sources = kept, sources_of(function)
        arrays = (name for name, type_ in function.types.items() if isinstance(type_, Array))
        self.releasable = {name for name in arrays if self._is_releasable(name)}
        self.live = liveness(function) if self.releasable else None

    def _is_releasable(self, name: str) -> bool:
        source, seen = name, {name}
        while source in self.sources:  # a view of what stays anyway keeps nothing alive
            source = self.sources[source]
            if source in seen:
                break
            seen.add(source)
        return name not in self.kept and source not in self.kept

    def block(self, statements: Sequence[gast.stmt], outer: set[str], is_function: bool = False) -> list[gast.stmt]:
        """`outer` has the arrays that belong to a block around this one."""
        result: list[gast.stmt] = []
        mine: list[str] = []
        for position, statement in enumerate(statements):
            assigned = [n for n in dict.fromkeys(names_assigned([statement])) if n in self.releasable]
            if assigned:
                made = [n for n in assigned if self._is_surely_made(statement, n)]
                mine += [n for n in made if n not in outer and n not in mine]
                statement = self._inside(statement, made, outer | set(mine))
            result.append(statement)
            if not mine:
                continue
            after = self._after(statements[position])
            done = [n for n in mine if n not in after]
            is_end = is_function and all(isinstance(s, gast.Return) for s in statements[position + 1 :])
            if done and not is_end:
                result += [syntax.delete(n, getattr(statement, "span", None)) for n in done]
            mine = [n for n in mine if n in after]
        return result

    def _after(self, statement: gast.stmt) -> AbstractSet[str]:
        assert self.live is not None
        return self.live.after(statement)

    def _is_surely_made(self, statement: gast.stmt, name: str) -> bool:
        """Whether a statement assigns a name on every path; what may not be there cannot be released."""
        match statement:
            case gast.Assign():
                return name in syntax.names_bound(statement)
            case gast.If(body=body, orelse=orelse):
                return all(any(self._is_surely_made(s, name) for s in block) for block in (body, orelse))
        return False

    def _inside(self, statement: gast.stmt, made: Sequence[str], known: set[str]) -> gast.stmt:
        """The statement, which assigns arrays, those that it surely makes among them, with releases inside."""
        match statement:
            case gast.If(body=body, orelse=orelse):
                # a name that both branches make belongs to the block around them
                known = known | {n for n in made if n in self._after(statement)}
                return syntax.rebuild(statement, body=self.block(body, known), orelse=self.block(orelse, known))
            case gast.For(body=body) | gast.While(body=body):
                return syntax.rebuild(statement, body=self.block(body, known))
        return statement


def sources_of(function: Function) -> Mapping[str, str]:
    """What the names that are only ever views of one array are views of."""
    bases: dict[str, set[str]] = {}
    for statement in syntax.walk(function.body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                bases.setdefault(name, set()).add(_base_of(value))
            case _:
                for name in syntax.names_bound(statement):
                    bases.setdefault(name, set()).add("")
    return {name: base for name, found in bases.items() if len(found) == 1 and (base := next(iter(found)))}


def _base_of(value: gast.expr) -> str:
    match value:
        case gast.Name(id=base) | gast.Subscript(value=gast.Name(id=base)):
            return base
        case gast.Call(func=gast.Name(id=operator), args=[gast.Name(id=base), *_]) if operator in VIEWS:
            return base
    return ""
