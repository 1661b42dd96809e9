"""Distribute a nest over its stores, so that those which are products stand in loops of their own.

    for i in range(n):                              for i in range(n):
        for j in range(m):                              for j in range(m):
            s[j] += r[i] * a[i, j]         ->               s[j] += r[i] * a[i, j]
            q[i] += a[i, j] * p[j]                  for i in range(n):
                                                        for j in range(m):
                                                            q[i] += a[i, j] * p[j]

One part may come before the other where no element that the later one touches is touched by the earlier one in a later
iteration (Allen and Kennedy).  What a part reads is loaded in its own loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

import gast

from ... import syntax
from ...analysis.def_use import DefUse
from ...analysis.integers.nest_scope import NestScope
from ...analysis.memory.accesses import Access, accesses
from ...analysis.memory.dependences import Dependences
from ...records import dataclass

Wanted = TypeVar("Wanted")


@dataclass(frozen=True, slots=True, eq=False)
class Split(Generic[Wanted]):
    """A nest in two: what the loops of one store are, and the rest of it; `is_first` says which comes first."""

    found: Wanted
    rest: gast.For
    is_first: bool


def splits(
    loop: gast.For,
    scope: NestScope,
    facts: DefUse,
    dependences: Dependences,
    wanted: Callable[[gast.For], Wanted | None],
) -> Iterator[Split[Wanted]]:
    """The ways to set apart one store whose loops are `wanted`; none where a nest does more than compute and store."""
    inside = list(syntax.walk([loop]))
    stores = [s for s in inside if syntax.stored_base(s) is not None]
    if len(stores) < 2 or not all(isinstance(s, gast.Assign | gast.For) for s in inside):
        return
    touched: list[Access] = []
    for store in stores:
        needed = _needed(store, inside, facts)
        if needed is None:
            continue
        found = wanted(_filtered(loop, {id(store), *map(id, needed)}))
        if found is None:
            continue
        touched = touched or list(accesses([loop], scope, dependences.integers))
        rest = _without_idle(_filtered(loop, {id(s) for s in inside if s is not store}))
        own = {id(n) for s in (store, *needed) for n in syntax.nodes_of(s)}
        others = {id(n) for s in syntax.walk([rest]) if isinstance(s, gast.Assign) for n in syntax.nodes_of(s)}
        places = [(k, a, id(a.node) in own, id(a.node) in others) for k, a in enumerate(touched)]
        ahead = [(k, a) for k, a, is_own, _ in places if is_own]
        behind = [(k, a) for k, a, _, is_other in places if is_other]
        around = len(scope.loops)
        if not _follows(behind, ahead, dependences, around):
            yield Split(found, rest, True)
        elif not _follows(ahead, behind, dependences, around):
            yield Split(found, rest, False)


def _needed(store: gast.stmt, inside: Sequence[gast.stmt], facts: DefUse) -> list[gast.stmt] | None:
    """The statements of the nest that a store is computed by; None where a value is loop-carried."""
    bound = {name for s in inside if isinstance(s, gast.Assign) for name in syntax.names_bound(s)}
    around = [s.iter for s in inside if isinstance(s, gast.For) and any(store is other for other in syntax.walk([s]))]
    wanted = [name for part in (store, *around) for name in syntax.names_read(part) if name in bound]
    found: dict[int, gast.stmt] = {}
    while wanted:
        name = wanted.pop()
        if not facts.is_single(name):
            return None
        (made,) = facts.definitions[name]
        if id(made) not in found:
            found[id(made)] = made
            wanted += [n for n in syntax.names_read(made) if n in bound]
    return [s for s in inside if id(s) in found]


def _filtered(loop: gast.For, kept: set[int]) -> gast.For:
    """The loops around what is kept."""
    body = []
    for statement in loop.body:
        if isinstance(statement, gast.For):
            inner = _filtered(statement, kept)
            body += [inner] if inner.body else []
        elif id(statement) in kept:
            body.append(statement)
    return syntax.rebuild(loop, body=body)


def _without_idle(loop: gast.For) -> gast.For:
    """A nest without values that nothing in it reads."""
    while True:
        inside = list(syntax.walk([loop]))
        read = {name for s in inside for name in syntax.names_read(s)}
        idle = {id(s) for s in inside if isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name)
                and s.targets[0].id not in read}  # fmt: skip
        if not idle:
            return loop
        loop = _filtered(loop, {id(s) for s in inside if id(s) not in idle})


def _follows(
    sources: Sequence[tuple[int, Access]], sinks: Sequence[tuple[int, Access]], dependences: Dependences, around: int
) -> bool:
    """Whether a sink may touch an element after a source has, where one of the two is a store."""
    return any(
        dependences.may_follow(source, sink, first < second, around)
        for first, source in sources
        for second, sink in sinks
        if source.array == sink.array and (source.is_store or sink.is_store)
    )
