"""Give every def-use web a name of its own: the definitions that reads have in common, and those reads.

    t = sum(x)             t = sum(x)
    y = x / t       ->     y = x / t           live ranges end earlier, and what is assigned once is known by its value
    t = sum(y)             t_1 = sum(y)
    return (t,)            return (t_1,)

Takes and gives functions of the typed stage.  Names that merge values keep merging them: where two definitions reach
one read, they are one web.  The first web of a name keeps it, and loops count with the name they had, as passes over
loops compare them; the others wish to be called so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import gast

from .. import syntax
from ..analysis.def_use import def_use
from ..analysis.reaching import Reaching, State
from ..names import Names
from ..program import Function
from ..renaming import copy_statement, map_statement, with_blocks
from ..types import Scalar


def separate(function: Function) -> Function:
    """The function with a name for every web; the same object where they have one."""
    return _separated(function, lambda _: True, True)


def with_separate_numbers(function: Function) -> Function:
    """The function with a name for every web of numbers, those of loop variables too, and arrays as they are.

    What is known of a number is then not lost where `coalesce` has joined it with another.
    """
    return _separated(function, lambda name: isinstance(function.types.get(name), Scalar), False)


def _separated(function: Function, is_wanted: Callable[[str], bool], keeps_counters: bool) -> Function:
    facts = def_use(function)
    several = {n for n, found in facts.definitions.items() if len(found) + (n in facts.parameters) > 1 and is_wanted(n)}
    if not several:
        return function
    found = Reaching(function, several)
    names = _names_of(webs(found), found, Names({*function.types, *function.parameters}), keeps_counters)
    wishes = {name: wish for name, wish in zip(names, found.named) if name != wish}
    if not wishes:
        return function
    types = {**function.types, **{name: function.types[wish] for name, wish in wishes.items()}}
    body = _renamed(function.body, ((reads, binds) for _, reads, binds in found.visits), names)
    return function.with_(body=tuple(body), types=types, wishes=wishes)


def webs(found: Reaching) -> list[int]:
    """For each definition and merge, the first of its web; a merge joins what it merges where something reads it."""
    first = list(range(len(found.named)))

    def root(web: int) -> int:
        while first[web] != web:
            web = first[web]
        return web

    parts = dict(found.parts)
    wanted = [web for _, reads, _ in found.visits for web in reads.values() if web in parts]
    while wanted:
        merge = wanted.pop()
        for part in parts.pop(merge, ()):
            left, right = sorted((root(merge), root(part)))
            first[right] = left
            if part in parts:
                wanted.append(part)
    for web, before in enumerate(first):  # `before` comes ahead of its web, so that its own entry is final by now
        first[web] = first[before]
    return first


def _names_of(first: Sequence[int], found: Reaching, names: Names, keeps_counters: bool) -> list[str]:
    """The name of each definition and merge, which is that of the first of its web."""
    named = found.named
    met = {first[web]: None for _, reads, binds in found.visits for web in (*reads.values(), *binds.values())}
    loops = [binds for node, _, binds in found.visits if keeps_counters and type(node) is gast.For]
    counters = [first[web] for binds in loops for web in binds.values()]
    kept = {*{named[web]: web for web in reversed(met)}.values(), *counters}
    chosen = {web: named[web] if web in kept else names.fresh(named[web]) for web in met}
    return [chosen.get(web, named[web]) for web in first]


def _renamed(
    statements: Sequence[gast.stmt], visits: Iterator[tuple[State, State]], names: Sequence[str]
) -> list[gast.stmt]:
    made = []
    for statement in statements:
        reads, binds = next(visits)
        new = _with_names(statement, reads, binds, names) if reads or binds else statement
        if type(statement) in syntax.COMPOUND:
            new = with_blocks(new, [_renamed(block, visits, names) for block in syntax.blocks_of(statement)])
        made.append(new)
    return made


def _with_names(statement: gast.stmt, reads: State, binds: State, names: Sequence[str]) -> gast.stmt:
    now = dict(zip(reads, map(names.__getitem__, reads.values())))
    then = now | dict(zip(binds, map(names.__getitem__, binds.values())))
    if now.keys() == {*now.values()} and then.keys() == {*then.values()}:
        return statement
    change = map_statement if type(statement) in syntax.COMPOUND else copy_statement

    def read(name: str) -> str:
        return now.get(name, name)

    return change(statement, read, lambda name: then.get(name, name), read)
