"""Give every value a name of its own again, where one name serves several one after the other.

    t = sum(x)             t_1 = sum(x)
    y = x / t       ->     y = x / t_1         what is assigned once may be read later, and is known by its value
    t = sum(y)             t = sum(y)
    return (t,)            return (t,)

Takes and gives typed functions.  Names that merge values keep merging them: what is set apart is what the same block
certainly assigns anew, and what only one loop or branch knows by a name that other places use as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.liveness import liveness
from ..names import Names
from ..program import Function
from ..renaming import copy_statement, map_statement, with_blocks
from ..types import Type


def separate(function: Function) -> Function:
    """The function with names set apart; each of the new ones wishes to be called what it was."""
    splitter = _Splitter(function)
    body: Sequence[gast.stmt] = function.body
    if any(type(s) in syntax.COMPOUND for s in body):
        body = _Blocks(function, splitter).block(body, {}, liveness(function).at_entry)
    body = splitter.block(body)
    if not splitter.made:
        return function
    return function.with_(body=tuple(body), types=splitter.types, wishes=splitter.made)


class _Splitter:
    def __init__(self, function: Function) -> None:
        self.types: dict[str, Type] = dict(function.types)
        self.names = Names({*function.types, *function.parameters})
        self.made: dict[str, str] = {}

    def block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        current: dict[str, str] = {}

        def now(name: str) -> str:
            return current.get(name, name)

        result: list[gast.stmt] = []
        passing = _passing(statements)
        for position, statement in enumerate(statements):
            if current:
                statement = copy_statement(statement, now, str, stored=now)
            if type(statement) is gast.Assign:
                for name in syntax.names_bound(statement):
                    current.pop(name, None)
                    if (position, name) in passing:
                        current[name] = self.fresh(name)
                statement = self._binding(statement, current)
            result.append(self._split_inside(statement))
        return result

    def fresh(self, name: str) -> str:
        fresh = self.names.fresh(name)
        self.types[fresh], self.made[fresh] = self.types[name], name
        return fresh

    def _split_inside(self, statement: gast.stmt) -> gast.stmt:
        match statement:
            case gast.If(body=body, orelse=orelse):
                return syntax.rebuild(statement, body=self.block(body), orelse=self.block(orelse))
            case gast.For(body=body) | gast.While(body=body):
                return syntax.rebuild(statement, body=self.block(body))
        return statement

    def _binding(self, statement: gast.stmt, current: Mapping[str, str]) -> gast.stmt:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)]) if name in current:
                return syntax.rebuild(statement, targets=[syntax.target(current[name])])
            case gast.Assign(targets=[gast.Tuple(elts=places)]) if any(p.id in current for p in places):
                names = [syntax.target(current.get(p.id, p.id)) for p in places]
                return syntax.rebuild(statement, targets=[gast.Tuple(names, gast.Store())])
        return statement


class _Blocks:
    """Names for what only one loop, or one branch, knows."""

    def __init__(self, function: Function, splitter: _Splitter) -> None:
        self.splitter, self.live = splitter, liveness(function)
        self.mentions = _mentions(function.body)

    def block(
        self, statements: Sequence[gast.stmt], names: Mapping[str, str], before: frozenset[str]
    ) -> list[gast.stmt]:
        """The statements with these names; `before` are the names that have a meaning when the block begins."""
        result: list[gast.stmt] = []
        for statement in statements:
            made = self._renamed(statement, names)
            blocks = [self._inside(statement, block, names, before) for block in syntax.blocks_of(statement)]
            result.append(with_blocks(made, blocks) if blocks else made)
            before = frozenset(self.live.after(statement))
        return result

    def _inside(
        self, statement: gast.stmt, block: Sequence[gast.stmt], names: Mapping[str, str], before: frozenset[str]
    ) -> list[gast.stmt]:
        """A block, with new names for what has no meaning ahead of the statement, behind it, or in the next turn."""
        behind = before.union(*map(self.live.after, block[-1:]))
        known = behind.union(syntax.names_bound(statement))
        bound = dict.fromkeys(name for s in syntax.walk(block) for name in syntax.names_bound(s))
        inside = _mentions(block)
        others = (n for n in bound if n not in known and inside[n] < self.mentions[n])
        own = {name: self.splitter.fresh(name) for name in others}
        return self.block(block, {**names, **own}, before if isinstance(statement, gast.If) else behind)

    def _renamed(self, statement: gast.stmt, names: Mapping[str, str]) -> gast.stmt:
        def now(name: str) -> str:
            return names.get(name, name)

        return map_statement(statement, now, now) if names else statement


def _mentions(statements: Sequence[gast.stmt]) -> Counter[str]:
    found: Counter[str] = Counter()
    for statement in syntax.walk(statements):
        found.update(syntax.names_bound(statement))
        found.update(reads_of(statement))
    return found


def _passing(statements: Sequence[gast.stmt]) -> set[tuple[int, str]]:
    """The (position, name) of assignments whose name the same block assigns anew, and nothing nested before that."""
    found: set[tuple[int, str]] = set()
    anew: dict[str, bool] = {}
    for position in range(len(statements) - 1, -1, -1):
        statement = statements[position]
        if type(statement) is gast.Assign:
            names = syntax.names_bound(statement)
            found.update((position, name) for name in names if anew.get(name))
            anew.update(dict.fromkeys(names, True))
        elif type(statement) in syntax.COMPOUND:
            anew.update((name, False) for s in syntax.walk([statement]) for name in syntax.names_bound(s))
    return found
