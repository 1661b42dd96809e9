"""Give the scalars of every nest names of their own, and afterwards let nests side by side share names again.

    for i in prange(n): t = sin(x[i]); y[i] = t * t          for i in prange(n): t = sin(x[i]); y[i] = t * t
    for i in prange(n): t = cos(x[i]); z[i] = t + t    ->    for i in prange(n): t_1 = cos(x[i]); z[i] = t_1 + t_1

Then a nest can be moved and merged without a thought for the scalars of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import gast

from .. import syntax
from ..analysis.liveness import liveness
from ..names import Names
from ..program import Function, remembered
from ..types import Array, Dim, Scalar, Type
from .known import KnownNests
from .known import known as known_of


def privatise(function: Function) -> Function:
    """The function in which no two nests have a name for a scalar in common."""
    live, known, wishes = liveness(function), known_of(function), dict(function.wishes)
    names = Names({*function.types, *function.parameters})
    hidden_counters(function)  # which are the same behind this pass, where liveness would have to be found anew
    types: dict[str, Type] = dict(function.types)
    counters = {s.target.id for s in syntax.walk(function.body) if isinstance(s, gast.For)}
    seen: set[str] = set()

    def block(statements: Sequence[gast.stmt]) -> Sequence[gast.stmt]:
        made = [inside(s) for s in statements]
        return made if any(new is not old for new, old in zip(made, statements)) else statements

    def inside(statement: gast.stmt) -> gast.stmt:
        if known.is_plain_nest(statement, function.types):
            return apart(statement)
        return rebuilt(statement, block)

    def apart(nest: gast.stmt) -> gast.stmt:
        found = known.mentions(nest)
        own = found.binds - found.exposed - counters
        own -= live.after(nest) if own else own
        renames = {}
        for name in sorted(own & seen):
            renames[name] = fresh = names.fresh(name)
            types[fresh] = function.types[name]
            wishes[fresh] = wishes.get(name, name)
        seen.update(own)
        return known.renamed(nest, renames) if renames else nest

    body = block(function.body)
    return function.with_(body=tuple(body), types=types, wishes=wishes) if body is not function.body else function


def shared_names(function: Function) -> Function:
    """Undo it: nests one after the other use the same names for scalars that wish for the same."""
    wishes, known = function.wishes, known_of(function)
    total = mentions_of(function, known)
    types: dict[str, Type] = dict(function.types)
    wanted = {*wishes, *wishes.values()}
    pool: dict[tuple[str, Type], list[str]] = {}

    def block(statements: Sequence[gast.stmt]) -> Sequence[gast.stmt]:
        made = [inside(s) for s in statements]
        return made if any(new is not old for new, old in zip(made, statements)) else statements

    def inside(statement: gast.stmt) -> gast.stmt:
        if known.is_plain_nest(statement, function.types):
            return together(statement)
        return rebuilt(statement, block)

    def together(nest: gast.stmt) -> gast.stmt:
        found = known.mentions(nest)
        own = [n for n in found.counts if n in wanted and n in found.binds and found.counts[n] == total[n]]
        renames, used = {}, Counter[tuple[str, Type]]()
        for name in own:
            if name in found.exposed or not isinstance(types[name], Scalar):
                continue
            key = wishes.get(name, name), types[name]
            shared = pool.setdefault(key, [])
            if used[key] == len(shared):
                shared.append(name)
            if shared[used[key]] != name:
                renames[name] = shared[used[key]]
            used[key] += 1
        return known.renamed(nest, renames) if renames else nest

    body = block(function.body)
    return function.with_(body=tuple(body), types=types) if body is not function.body else function


def rebuilt(statement: gast.stmt, block: Callable[[Sequence[gast.stmt]], Sequence[gast.stmt]]) -> gast.stmt:
    """The statement with `block` applied to those inside it; the same one if nothing changes."""
    old = {key: getattr(statement, key) for key in ("body", "orelse") if syntax.blocks_of(statement)}
    new = {key: block(inside) for key, inside in old.items() if inside}
    changed = {key: made for key, made in new.items() if made is not old[key]}
    return syntax.rebuild(statement, **changed) if changed else statement


def mentions_of(function: Function, known: KnownNests) -> Counter[str]:
    """How often every name is mentioned in a function."""
    total = Counter(function.parameters)
    for statement in function.body:
        for name, count in known.mentions(statement).counts.items():
            total[name] += count
    return total


@remembered
def hidden_counters(function: Function) -> set[str]:
    """The names that are loop variables and nothing else, and that nobody reads behind their loops."""
    live = liveness(function)
    counters: set[str] = set()
    others: set[str] = set(function.parameters)
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.For):
            counters.add(statement.target.id)
            if statement.target.id in live.after(statement):
                others.add(statement.target.id)
        else:
            others.update(syntax.names_bound(statement))
    return counters - others


def carried_arrays(function: Function) -> set[str]:
    """The arrays that are assigned more than once and have a length that no argument has."""
    known = {s for p in function.parameters for s in _symbols(function.types[p])}
    bound = Counter(function.parameters)
    for statement in syntax.walk(function.body):
        bound.update(syntax.names_bound(statement))
    return {n for n, count in bound.items() if count > 1 and not set(_symbols(function.types[n])) <= known}


def _symbols(type_: Type) -> list[str]:
    dims = type_.dims if isinstance(type_, Array) else ()
    return [s for extent in dims if isinstance(extent, Dim) for s in extent.symbols()]
