"""The last touches on a lowered function: buffers are released after their last use, locals get the names they wished.

    y = exp-nest            y = exp-nest
    s = sum-nest of y  ->   s = sum-nest of y
    z = ...                 del y
                            z = ...

Parameters, results, and what is only used up to the end of the function anyway are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.liveness import liveness
from ...diagnostics import InternalError
from ...names import Names, base_of
from ...program import Function
from ...types import Array
from .hazards import names_assigned


def release(function: Function, sources: Mapping[str, str]) -> Function:
    """Add a `Delete` behind the last use of every array made here; `sources` says what a view is a view of."""
    returned = {n for s in function.body if isinstance(s, gast.Return) for n in syntax.names_read(s)}
    kept = returned | set(function.parameters)
    return function.with_(body=tuple(_Releaser(function, kept, sources).block(function.body, set(), is_function=True)))


class _Releaser:
    def __init__(self, function: Function, kept: set[str], sources: Mapping[str, str]) -> None:
        self.types, self.live, self.kept, self.sources = function.types, liveness(function), kept, sources

    def block(self, statements: Sequence[gast.stmt], outer: set[str], is_function: bool = False) -> list[gast.stmt]:
        """`outer` has the arrays that belong to a block around this one."""
        result: list[gast.stmt] = []
        mine: list[str] = []
        for position, statement in enumerate(statements):
            known = outer | set(mine)
            made = [n for n in dict.fromkeys(names_assigned([statement])) if self._is_surely_made(statement, n)]
            mine += [n for n in made if n not in known and self._is_releasable(n)]
            result.append(self._inside(statement, outer | set(mine)))
            is_end = is_function and all(isinstance(s, gast.Return) for s in statements[position + 1 :])
            after = self.live.after(statement) if mine else ()
            done = [n for n in mine if n not in after]
            if not is_end:
                result += [syntax.delete(n, getattr(statement, "span", None)) for n in done]
            mine = [n for n in mine if n not in done]
        return result

    def _is_releasable(self, name: str) -> bool:
        source = name
        while source in self.sources:  # a view of what stays anyway keeps nothing alive
            source = self.sources[source]
        return name not in self.kept and source not in self.kept and isinstance(self.types.get(name), Array)

    def _is_surely_made(self, statement: gast.stmt, name: str) -> bool:
        """Whether a statement assigns a name whichever way it goes; what may not be there cannot be released."""
        match statement:
            case gast.Assign():
                return name in syntax.names_bound(statement)
            case gast.If(body=body, orelse=orelse):
                return all(any(self._is_surely_made(s, name) for s in block) for block in (body, orelse))
        return False

    def _inside(self, statement: gast.stmt, known: set[str]) -> gast.stmt:
        if not any(map(self._is_releasable, names_assigned([statement]))):
            return statement
        match statement:
            case gast.If(body=body, orelse=orelse):
                # a name that both branches make belongs to the block around them
                both = {n for n in names_assigned([statement]) if self._is_surely_made(statement, n)}
                known = known | {n for n in both if n in self.live.after(statement)}
                return syntax.rebuild(statement, body=self.block(body, known), orelse=self.block(orelse, known))
            case gast.For(body=body) | gast.While(body=body):
                return syntax.rebuild(statement, body=self.block(body, known))
        return statement


# --- names ---------------------------------------------------------------------------------------------------------


def tidy_names(function: Function, wishes: Mapping[str, str]) -> tuple[Function, Mapping[str, str]]:
    """Give every local and temporary the lowest number that is free; forget names that are gone.

    Returns the function, in which no two places share a tree, and the new names.
    """
    order = list(dict.fromkeys([*function.parameters, *_names_in(function.body)]))
    chosen = _chosen_names(order, {**_temporaries(function), **wishes})
    types = {chosen.get(n, n): function.types[n] for n in order if n in function.types}
    temporaries = frozenset(chosen.get(n, n) for n in function.temporaries)
    body = tuple(renamed(s, chosen) for s in function.body)
    return function.with_(body=body, types=types, temporaries=temporaries), chosen


def _temporaries(function: Function) -> dict[str, str]:
    """What the names that nobody chose are called without their number."""
    numbered = {n: base_of(n) for n in function.types if base_of(n) != n and n not in function.parameters}
    chosen = function.temporaries or {n for n, base in numbered.items() if base == "t"}
    return {n: base for n, base in numbered.items() if n in chosen}


def _chosen_names(order: Sequence[str], wishes: Mapping[str, str]) -> dict[str, str]:
    names = Names(n for n in order if n not in wishes)
    return {name: names.fresh(wishes[name]) for name in order if name in wishes}


def _names_in(body: Iterable[gast.stmt]) -> Iterator[str]:
    """Every variable, in the order of appearance."""
    for statement in syntax.walk(body):
        yield from syntax.names_bound(statement)
        match statement:
            case gast.For(iter=header) | gast.If(test=header) | gast.While(test=header):
                yield from syntax.names_read(header)
            case _:
                yield from syntax.names_read(statement)


def renamed(statement: gast.stmt, names: Mapping[str, str]) -> gast.stmt:
    def tree(node: gast.expr) -> gast.expr:
        return _copied(node, names)

    def block(statements: Iterable[gast.stmt]) -> list[gast.stmt]:
        return [renamed(s, names) for s in statements]

    match statement:
        case gast.Assign(targets=[place], value=value):
            return syntax.rebuild(statement, targets=[tree(place)], value=tree(value))
        case gast.For(target=target, iter=iter_, body=body):
            return syntax.rebuild(statement, target=tree(target), iter=tree(iter_), body=block(body))
        case gast.While(test=test, body=body):
            return syntax.rebuild(statement, test=tree(test), body=block(body))
        case gast.If(test=test, body=body, orelse=orelse):
            return syntax.rebuild(statement, test=tree(test), body=block(body), orelse=block(orelse))
        case gast.Raise(exc=exc):
            return syntax.rebuild(statement, exc=tree(exc))
        case gast.Expr(value=value) | gast.Return(value=value):
            return syntax.rebuild(statement, value=tree(value))
        case gast.Pass():
            return statement
    raise InternalError("loops", gast.dump(statement), "not a statement that loops are made of")


def _copied(node: gast.AST, names: Mapping[str, str]) -> gast.expr:
    """A tree of its own with other names: analyses of the loops stage know a place by its tree."""
    match node:
        case gast.Name(id=id_):
            return syntax.rebuild(node, id=names.get(id_, id_))
        case gast.Call(args=args, keywords=keywords):
            copied = [syntax.rebuild(k, value=_copied(k.value, names)) for k in keywords]
            called = syntax.rebuild(node.func)
            return syntax.rebuild(node, func=called, args=[_copied(a, names) for a in args], keywords=copied)
    changes: dict[str, object] = {}
    for part in node._fields:
        old = getattr(node, part, None)
        if isinstance(old, list):
            changes[part] = [_copied(o, names) if isinstance(o, gast.AST) else o for o in old]
        elif isinstance(old, gast.expr):
            changes[part] = _copied(old, names)
    return syntax.rebuild(node, **changes)
