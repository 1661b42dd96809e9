"""Let nests side by side share names for private scalars, and give every local the lowest number that is free.

    for i in prange(n): t_7 = sin(x[i]); y[i] = t_7 * t_7        for i in prange(n): t = sin(x[i]); y[i] = t * t
    for i in prange(n): t_9 = cos(x[i]); z[i] = t_9 + t_9   ->   for i in prange(n): t = cos(x[i]); z[i] = t + t

Takes and gives functions of the loops stage, in which every def-use web has a name of its own and may say what it
wishes to be called.  Within a nest names stay apart: what is assigned once is known by its value.  No two statements
share a tree in the function that it gives, and names that are gone are forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import gast

from .. import syntax
from ..names import Names, base_of
from ..program import Function
from ..renaming import renamed
from ..types import Scalar, Type
from .known import KnownNests, known, mentions_of


def tidy_names(function: Function) -> Function:
    """The function with names shared and numbered."""
    wishes = {**_temporaries(function), **function.wishes}
    leaders = shared_names(function, known(function))
    bound = (name for statement in syntax.walk(function.body) for name in syntax.names_bound(statement))
    order = dict.fromkeys([*function.parameters, *bound])
    names = Names(n for n in order if n not in wishes and n not in leaders)
    chosen: dict[str, str] = {}
    for name in order:
        if name in wishes or name in leaders:
            leader = leaders.get(name, name)
            if leader not in chosen:
                chosen[leader] = names.fresh(wishes.get(leader, leader))
            chosen[name] = chosen[leader]
    types = {chosen.get(n, n): function.types[n] for n in order if n in function.types}
    temporaries = frozenset(chosen.get(n, n) for n in function.temporaries)
    body = tuple(renamed(s, chosen) for s in function.body)
    return function.with_(body=body, types=types, temporaries=temporaries, wishes={})


def shared_names(function: Function, known: KnownNests) -> dict[str, str]:
    """For scalars that one nest alone knows, those of an earlier nest whose names they share."""
    nests = list(plain_nests(function.body, function, known))
    if len(nests) < 2:
        return {}
    total, wishes = mentions_of(function, known), function.wishes
    wanted = {*wishes, *wishes.values()}
    pool: dict[tuple[str, Type], list[str]] = {}
    leaders: dict[str, str] = {}
    for nest in nests:
        found, used = known.mentions(nest), Counter[tuple[str, Type]]()
        for name, count in found.counts.items():
            if name not in wanted or name not in found.binds or name in found.exposed or count != total[name]:
                continue
            if isinstance(type_ := function.types[name], Scalar):
                key = wishes.get(name, name), type_
                shared = pool.setdefault(key, [])
                if used[key] == len(shared):
                    shared.append(name)
                leaders[name] = shared[used[key]]
                used[key] += 1
    return leaders


def plain_nests(statements: Iterable[gast.stmt], function: Function, known: KnownNests) -> Iterator[gast.stmt]:
    """The outermost loops that do nothing but compute scalars and store elements."""
    for statement in statements:
        if type(statement) is gast.For and known.is_plain_nest(statement, function.types):
            yield statement
        elif type(statement) in syntax.COMPOUND:
            for block in syntax.blocks_of(statement):
                yield from plain_nests(block, function, known)


def _temporaries(function: Function) -> dict[str, str]:
    """The names that the compiler chose, without their number."""
    numbered = {n: base_of(n) for n in function.types if base_of(n) != n and n not in function.parameters}
    chosen = function.temporaries or {n for n, base in numbered.items() if base == "t"}
    return {n: base for n, base in numbered.items() if n in chosen}
