"""Replace calls of functions that are not recursive by their bodies.

    y = slope(x, 2.0)            ->     t = sin(x)            with   def slope(x, k): t = sin(x); y = t * k; return (y,)
                                        y = t * 2.0

Takes and gives typed programs.  Keeps meaning, spans and the single assignment of names; lengths of the callee become
those of the arguments.  Leaves recursive functions, functions with a rule for their derivative, and functions that
nothing calls any more, to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import gast

from .. import syntax, types
from ..names import Names
from ..program import Function, Program
from ..renaming import copy_statement
from ..types import Array, Extent, Type


def inline(program: Program, only: frozenset[str] | None = None) -> Program:
    """The program with every call inlined, but for those of functions that reach themselves or have a rule.

    `only` are the functions that are inlined, where not all of them are.
    """
    callees = {name: _called(function, program) for name, function in program.functions.items()}
    kept = {name for name in callees if _is_kept(program.functions[name]) or _reaches(name, name, callees)}
    if only is not None:
        kept |= callees.keys() - only
    done: dict[str, Function] = {}

    def visit(name: str) -> Function:
        if name not in done:
            done[name] = program.functions[name]
            inner = {other: visit(other) for other in callees[name] if other not in kept and other != name}
            done[name] = _inline_into(program.functions[name], inner)
        return done[name]

    for name in program.functions:
        visit(name)
    changed = {name: done[name] for name in program.functions}
    if all(changed[name] is function for name, function in program.functions.items()):
        return program
    return Program(program.entry, changed)


def inline_shared(program: Program) -> Program:
    """The program with the calls of shared functions inlined again."""
    if not any(function.is_shared for function in program.functions.values()):
        return program
    return inline(program.map(lambda function: function.with_(is_shared=False) if function.is_shared else function))


def _is_kept(function: Function) -> bool:
    return function.is_kept or function.is_shared or function.rule is not None


def _called(function: Function, program: Program) -> list[str]:
    found = (syntax.operator_of(getattr(s, "value", None)) for s in syntax.walk(function.body))
    return [name for name in dict.fromkeys(found) if name is not None and name in program.functions]


def _reaches(start: str, goal: str, callees: dict[str, list[str]]) -> bool:
    seen: set[str] = set()
    queue = list(callees[start])
    while queue:
        name = queue.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            queue += callees[name]
    return False


def _inline_into(function: Function, callees: dict[str, Function]) -> Function:
    if not callees:
        return function
    names, table = Names(function.types), dict(function.types)
    symbols = {s for t in table.values() for s in types.symbols_of(t)}
    given = {s for name in function.parameters for s in types.symbols_of(function.types[name])}
    temporaries, results = set(function.temporaries), list(function.results)

    def block(body: Sequence[gast.stmt]) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for statement in body:
            callee = callees.get(syntax.operator_of(getattr(statement, "value", None)) or "")
            if callee is not None:
                _make_equal(callee, statement, table, results)
                made += _body_of(callee, statement, names, table, symbols, given, temporaries)
            elif isinstance(statement, gast.If):
                made.append(syntax.rebuild(statement, body=block(statement.body), orelse=block(statement.orelse)))
            elif isinstance(statement, gast.For | gast.While):
                made.append(syntax.rebuild(statement, body=block(statement.body)))
            else:
                made.append(statement)
        return made

    body = tuple(block(function.body))
    return function.with_(body=body, types=table, results=tuple(results), temporaries=frozenset(temporaries))


def _make_equal(callee: Function, call: gast.stmt, table: dict[str, Type], results: list[Type]) -> None:
    """Lengths that the callee takes for one get one name in all types: the forward sweep and pullback share them."""
    atoms = dict(zip(callee.parameters, call.value.args, strict=True))
    while one := _taken_for_one(callee, atoms, table):
        table.update({name: types.with_lengths(type_, one) for name, type_ in table.items()})
        results[:] = [types.with_lengths(type_, one) for type_ in results]


def _taken_for_one(callee: Function, atoms: dict[str, gast.expr], table: dict[str, Type]) -> dict[str, Extent]:
    """A symbol, and the other length that the callee takes for the same; nothing where there is none."""
    seen: dict[str, Extent] = {}
    for symbol, extent in _lengths_of(callee, atoms, table):
        first = seen.setdefault(symbol, extent)
        if first != extent and isinstance(extent, types.Dim):
            return {extent.terms[0][0]: first}
    return {}


def _body_of(
    callee: Function, call: gast.stmt, names: Names, table: dict[str, Type], symbols: set[str], given: set[str],
    temporaries: set[str],
) -> list[gast.stmt]:  # fmt: skip
    """The callee's statements under fresh names, then the assignment of its results."""
    atoms = dict(zip(callee.parameters, call.value.args, strict=True))
    lengths = {**_lengths_of_results(callee, call, table, given), **lengths_here(callee, atoms, table)}
    renamed: dict[str, object] = dict(atoms)
    for name, type_ in callee.types.items():
        if name not in renamed:
            fresh = names.fresh(name)
            renamed[name] = fresh
            table[fresh] = with_own_lengths(type_, lengths, symbols)
            if name in callee.temporaries:
                temporaries.add(fresh)
    body = [_renamed(s, renamed, call) for s in callee.body[:-1]]
    values = [syntax.map_names(v, lambda n: renamed.get(n, n)) for v in callee.body[-1].value.elts]
    for place, value in zip(_places(call), values, strict=True):
        body.append(syntax.at(gast.Assign([place], value, None), call.span, call.inlined))
    return body


def _places(call: gast.stmt) -> list[gast.Name]:
    """What the results of a call are assigned to."""
    targets = call.targets[0] if isinstance(call, gast.Assign) else None
    return targets.elts if isinstance(targets, gast.Tuple) else [targets] if targets is not None else []


def _lengths_of_results(
    callee: Function, call: gast.stmt, table: dict[str, Type], given: set[str]
) -> dict[str, Extent]:  # fmt: skip
    """What the callee's lengths are here, for those that are a length of a result which the caller is given.

    Others follow from what is assigned: a name inside the body would have them before that.
    """
    pairs = [(type_, table.get(place.id)) for place, type_ in zip(_places(call), callee.results)]
    found = {symbol: extent for inner, outer in pairs for symbol, extent in _same_lengths(inner, outer)}
    return {s: e for s, e in found.items() if not isinstance(e, types.Dim) or given.issuperset(e.symbols())}


def lengths_here(callee: Function, atoms: dict[str, gast.expr], table: dict[str, Type]) -> dict[str, Extent]:
    """What the callee's lengths are here, for those that are a length of an argument."""
    return dict(reversed(list(_lengths_of(callee, atoms, table))))


def _lengths_of(callee: Function, atoms: dict[str, gast.expr], table: dict[str, Type]) -> Iterator[tuple[str, Extent]]:
    for parameter, atom in atoms.items():
        inner = callee.types[parameter]
        yield from _same_lengths(inner, table.get(atom.id) if isinstance(atom, gast.Name) else None)


def _same_lengths(inner: Type, outer: Type | None) -> Iterator[tuple[str, Extent]]:
    """The symbols that are a length of the one, and what that is in the other."""
    if not isinstance(inner, Array) or not isinstance(outer, Array):
        return
    for mine, theirs in zip(inner.dims, outer.dims, strict=True):
        if isinstance(mine, types.Dim) and mine == types.symbol(mine.terms[0][0]) and types.is_plain(theirs):
            yield mine.terms[0][0], theirs


def with_own_lengths(type_: Type, lengths: dict[str, Extent], symbols: set[str]) -> Type:
    for symbol in types.symbols_of(type_):
        if symbol not in lengths:
            fresh, number = symbol, 1
            while fresh in symbols:
                fresh, number = f"{symbol}_{number}", number + 1
            symbols.add(fresh)
            lengths[symbol] = types.symbol(fresh)
    return types.with_lengths(type_, lengths)


def _renamed(statement: gast.stmt, names: Mapping[str, object], call: gast.stmt) -> gast.stmt:
    """A statement of the callee under the caller's names; it stems from the call as well."""

    def change(name: str) -> object:
        return names.get(name, name)

    outer = () if call.span is None else (*call.inlined, call.span)
    made = copy_statement(statement, change, change)
    for inside in syntax.walk([made]):
        inside.inlined = (*outer, *getattr(inside, "inlined", ()))
    return made
