"""Whether every name has a value when it is read, and whether names are assigned as the typed stage says.

    if c:                    `y` may be read                 x = 0.0           `x` is assigned twice
        y = 1.0              before it is assigned           x = 1.0           and merges nothing
    return y                                                 return x

A name with several assignments is fine where it merges values: assigned last in both branches of an `if`, or before a
loop and last in its body.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import gast

from .. import syntax
from ..program import Function
from .def_use import DefUse, def_use, reads_of

Fault = tuple[gast.stmt, str]


# --- read before assigned ------------------------------------------------------------------------------------------


def unassigned_reads(function: Function) -> list[Fault]:
    """Reads of names that some path has not assigned."""
    faults: list[Fault] = []
    _block(function.body, {*function.parameters}, faults)
    return faults


def _block(statements: Iterable[gast.stmt], known: set[str] | None, faults: list[Fault]) -> set[str] | None:
    """The names assigned on every path after the statements; None where no path gets there.  `known` is changed."""
    for statement in statements:
        if known is None:
            return None
        for name in dict.fromkeys(reads_of(statement)):
            if name not in known:
                faults.append((statement, f"`{name}` may be read before it is assigned"))
        known = _after(statement, known, faults)
    return known


def _after(statement: gast.stmt, known: set[str], faults: list[Fault]) -> set[str] | None:
    match statement:
        case gast.Assign():
            known.update(syntax.names_bound(statement))
        case gast.Return() | gast.Raise():
            return None
        case gast.If(body=body, orelse=orelse):
            ways = [_block(b, {*known}, faults) for b in (body, orelse)]
            open_ways = [w for w in ways if w is not None]
            return set.intersection(*open_ways) if open_ways else None
        case gast.For(target=gast.Name(id=variable), body=body):
            _block(body, known | {variable}, faults)
        case gast.While(test=test, body=body):
            _block(body, {*known}, faults)
            forever = isinstance(test, gast.Constant) and bool(test.value)
            return None if forever else known
        case gast.Delete(targets=[gast.Name(id=name)]):
            known.discard(name)
    return known


# --- single assignment but for merges ------------------------------------------------------------------------------


def merge_faults(function: Function) -> list[Fault]:
    """Assignments that neither are the only one of their name nor merge."""
    facts = def_use(function)
    several = {
        name
        for name, definitions in facts.definitions.items()
        if len(definitions) + (name in facts.parameters) > 1
    }
    faults = [(facts.definitions[p][0], f"the parameter `{p}` is assigned") for p in several & facts.parameters]
    merged = several - facts.parameters
    faults += _repeated(function.body, merged)
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.If):
            faults += _branch_faults(statement, merged)
        elif isinstance(statement, gast.For | gast.While):
            faults += _loop_faults(statement, merged, facts)
    return sorted(faults, key=lambda fault: _position(function, fault[0]))


def _repeated(statements: Sequence[gast.stmt], merged: set[str]) -> Iterator[Fault]:
    """A name that one block assigns twice, each time itself."""
    seen: set[str] = set()
    for statement in statements:
        for name in syntax.names_bound(statement):
            if name in seen and name in merged:
                yield statement, f"`{name}` is assigned twice in one block"
            seen.add(name)
        for block in syntax.blocks_of(statement):
            yield from _repeated(block, merged)


def _branch_faults(statement: gast.If, merged: set[str]) -> Iterator[Fault]:
    """What a branch merges is assigned last in it, and in the other one as well."""
    blocks = (statement.body, statement.orelse)
    for block, other in (blocks, blocks[::-1]):
        here, there = closing_names(block, merged), closing_names(other, merged)
        for name in sorted(_bound_anywhere(block) & merged):
            if name in here and name not in there:
                yield statement, f"`{name}` merges and is assigned in one branch only"
            elif name not in here and name in _bound_anywhere(other):
                yield statement, f"`{name}` merges and is not assigned at the end of both branches"


def _loop_faults(statement: gast.For | gast.While, merged: set[str], facts: DefUse) -> Iterator[Fault]:
    """What a loop carries, which is bound outside of it too, is assigned last in its body."""
    inside = Counter(name for s in syntax.walk([statement]) for name in syntax.names_bound(s))
    closing = closing_names(statement.body, merged)
    for name in sorted(_bound_anywhere(statement.body) & merged):
        if name not in closing and len(facts.definitions[name]) > inside[name]:
            yield statement, f"`{name}` is carried by the loop and not assigned at the end of its body"


def closing_names(block: Sequence[gast.stmt], merged: set[str]) -> set[str]:
    """The merged names that the last statements of a block assign."""
    names: set[str] = set()
    for statement in reversed(block):
        bound = {*syntax.names_bound(statement)}
        if not isinstance(statement, gast.Assign) or not bound or not bound <= merged:
            break
        names |= bound
    return names


def _bound_anywhere(statements: Iterable[gast.stmt]) -> set[str]:
    return {name for statement in syntax.walk(statements) for name in syntax.names_bound(statement)}


def _position(function: Function, wanted: gast.stmt) -> int:
    return next(k for k, statement in enumerate(syntax.walk(function.body)) if statement is wanted)
