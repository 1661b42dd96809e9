"""Divide statements, and the functions that they call, into what is the same in every iteration of a loop and the rest.

    y, y_dot = g_jvp(x, x_dot)                  ->     y, t = g_jvp_given(x)            the same in every iteration
                                                       y_dot = g_jvp_along(t, x_dot)

    def g_jvp(x, x_dot):                               def g_jvp_given(x):              def g_jvp_along(t, x_dot):
        y = sin(x)                                         y = sin(x)                       y_dot = x_dot * t
        t = cos(x)                              ->         t = cos(x)                       return (y_dot,)
        y_dot = x_dot * t                                  return (y, t)
        return (y, y_dot)

A function is divided once for each choice of arguments that change.  Statements keep their order on either side.  One
stays with those that change if it reads what does, or makes an array or a name that such a statement changes; what it
reads has a name of its own where the name goes on to something else.  Functions that take lists stay whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.activity import results_of
from ...analysis.regions import stored_array
from ...names import Names
from ...ops.schema import OPERATORS, never, row_of
from ...program import Function, Program
from ...records import dataclass
from ...renaming import renamed
from ...types import ListOf, Type, symbols_of
from ..inline import lengths_here, with_own_lengths
from ..reverse.calls import used_types

Sides = tuple[list[gast.stmt], list[gast.stmt]]


@dataclass(frozen=True, slots=True)
class Halved:
    """Both parts of a function, and where what they take and give is found in it.

    fixed    the results, by number, that the first part gives ahead of what it passes on
    read     those of them that the second part takes, after what is passed on
    taken    the parameters, by number, that the second part takes last
    others   the results, by number, that the second part gives
    """

    first: Function
    second: Function
    fixed: tuple[int, ...]
    read: tuple[int, ...]
    taken: tuple[int, ...]
    others: tuple[int, ...]


class Divider:
    """The functions of a program in parts, each made when it is asked for."""

    def __init__(self, program: Program) -> None:
        self.program, self.names = program, Names({*program.functions, *OPERATORS})
        self.halves: dict[tuple[str, frozenset[int]], Halved] = {}
        self.answers: dict[tuple[str, frozenset[int]], frozenset[int]] = {}

    @property
    def made(self) -> dict[str, Function]:
        return {part.name: part for halved in self.halves.values() for part in (halved.first, halved.second)}

    def divided(
        self, body: Sequence[gast.stmt], varying: Collection[str], table: dict[str, Type], names: Names
    ) -> Sides:
        """The statements that are the same whatever these names are, and the others."""
        changing = self.changing(body, varying, table)
        symbols = {s for type_ in table.values() for s in symbols_of(type_)}
        statements = [part for s in body for part in self._parts(s, changing, table, names, symbols)]
        touched = [(s, *_effects(s, table)) for s in statements]
        before, inside = list[gast.stmt](), list[gast.stmt]()
        later = Counter(n for _, read, written in touched if changing.isdisjoint(read | written) for n in written)
        for statement, read, written in touched:
            if changing.isdisjoint(read | written):
                before.append(statement)
                later.subtract(written)
                continue
            kept: dict[str, str] = {}
            for name in sorted(n for n in read if later[n] > 0):
                kept[name] = names.fresh(name)
                table[kept[name]] = table[name]
                copied = syntax.assign(kept[name], syntax.name(name))
                before.append(syntax.at(copied, statement.span, statement.inlined))
            inside.append(renamed(statement, kept) if kept else statement)
        return before, inside

    def changing(self, body: Sequence[gast.stmt], varying: Collection[str], types: Mapping[str, Type]) -> set[str]:
        """All names that change where these do."""
        touched = [(s, self._callee(s), *_effects(s, types)) for s in body]
        changing, count = {*varying}, -1
        while count != (count := len(changing)):
            for statement, callee, read, written in touched:
                if changing.isdisjoint(read | written):
                    continue
                if callee is None or not changing.isdisjoint(written - {*results_of(statement)}):
                    changing |= written
                else:
                    places = results_of(statement)
                    changing.update(places[k] for k in self._answer(callee, _places(statement, changing)))
        return changing

    # --- calls

    def _callee(self, statement: gast.stmt) -> str | None:
        """The function that a statement calls, if it can be divided."""
        value = getattr(statement, "value", None) if isinstance(statement, gast.Assign) else None
        function = self.program.functions.get(syntax.operator_of(value) or "") if value is not None else None
        if function is None or not function.is_shared:
            return None
        handed = (*(function.types[p] for p in function.parameters), *function.results)
        return None if any(isinstance(type_, ListOf) for type_ in handed) else function.name

    def _answer(self, name: str, varying: frozenset[int]) -> frozenset[int]:
        """The results of a function that change where these arguments do."""
        if (name, varying) not in self.answers:
            function = self.program.functions[name]
            given = {function.parameters[k] for k in varying}
            changing = self.changing(function.body[:-1], given, function.types)
            atoms = function.body[-1].value.elts
            found = frozenset(k for k, a in enumerate(atoms) if isinstance(a, gast.Name) and a.id in changing)
            self.answers[name, varying] = found
        return self.answers[name, varying]

    def _parts(
        self, statement: gast.stmt, changing: set[str], table: dict[str, Type], names: Names, symbols: set[str]
    ) -> list[gast.stmt]:
        """A call in two, where some of its arguments change and others do not."""
        callee = self._callee(statement)
        varying = frozenset() if callee is None else _places(statement, changing)
        places = results_of(statement)
        if callee is None or not varying or not changing.isdisjoint(places[k] for k in self._fixed(callee, varying)):
            return [statement]
        halved = self._halved(callee, varying)
        arguments, first, second = statement.value.args, halved.first, halved.second
        own = [a for k, a in enumerate(arguments) if k not in varying]
        lengths = lengths_here(first, dict(zip(first.parameters, own, strict=True)), table)
        handed = []
        for name, type_ in zip(second.parameters, first.results[len(halved.fixed) :]):
            handed.append(names.fresh(name))
            table[handed[-1]] = with_own_lengths(type_, lengths, symbols)
        given = [*map(syntax.name, (*handed, *(places[k] for k in halved.read))), *(arguments[k] for k in halved.taken)]
        made = [
            _call([*(places[k] for k in halved.fixed), *handed], first, own),
            _call([places[k] for k in halved.others], second, given),
        ]
        return [syntax.at(s, statement.span, statement.inlined) for s in made if s is not None]

    def _fixed(self, name: str, varying: frozenset[int]) -> list[int]:
        changed = self._answer(name, varying)
        return [k for k in range(len(self.program.functions[name].results)) if k not in changed]

    def _halved(self, name: str, varying: frozenset[int]) -> Halved:
        if (name, varying) not in self.halves:
            self.halves[name, varying] = self._halve(self.program.functions[name], varying)
        return self.halves[name, varying]

    def _halve(self, function: Function, varying: frozenset[int]) -> Halved:
        table, own = dict(function.types), Names({*function.types, *function.parameters})
        given = [p for k, p in enumerate(function.parameters) if k in varying]
        before, inside = self.divided(function.body[:-1], given, table, own)
        atoms, span = function.body[-1].value.elts, function.body[-1].span
        others = sorted(self._answer(function.name, varying))
        places = [k for k in range(len(atoms)) if k not in others]
        fixed = {atoms[k].id: k for k in reversed(places) if isinstance(atoms[k], gast.Name)}
        start, needed = _made_again(before, inside, {*fixed, *function.parameters}, table)
        read = [n for n in needed if n in fixed and n not in function.parameters]
        handed = [n for n in needed if n not in fixed and n not in function.parameters]
        taken = [k for k, p in enumerate(function.parameters) if k in varying or p in needed]
        first = syntax.return_([*(atoms[k] for k in places), *map(syntax.name, handed)], span)
        second = syntax.return_([atoms[k] for k in others], span)
        types = (*(function.results[k] for k in places), *(table[n] for n in handed))
        free = [p for k, p in enumerate(function.parameters) if k not in varying]
        own_names = [*handed, *read, *(function.parameters[k] for k in taken)]
        results = tuple(function.results[k] for k in others)
        return Halved(
            self._part(function, "given", free, [*before, first], types, table),
            self._part(function, "along", own_names, [*start, *inside, second], results, table),
            tuple(places), tuple(fixed[n] for n in read), tuple(taken), tuple(others),
        )  # fmt: skip

    def _part(
        self, function: Function, word: str, parameters: Sequence[str], body: Sequence[gast.stmt],
        results: tuple[Type, ...], table: Mapping[str, Type],
    ) -> Function:  # fmt: skip
        return function.with_(
            name=self.names.fresh(f"{function.name}_{word}"), parameters=tuple(parameters), body=tuple(body),
            results=results, types=used_types(parameters, body, table), decisions=(),
            temporaries=function.temporaries | {n for n in table if n not in function.types},
        )  # fmt: skip


def _made_again(
    before: Sequence[gast.stmt], inside: Sequence[gast.stmt], held: Collection[str], types: Mapping[str, Type]
) -> tuple[list[gast.stmt], list[str]]:
    """What is as well recomputed as passed on: light work on what is passed on anyway; and what is needed of all.

    `held` need not be passed on.  No more names are passed on than without this.
    """
    bound = Counter(n for s in syntax.walk(before) for n in syntax.names_bound(s))
    changed = {base for s in syntax.walk([*before, *inside]) for base in _changed_names(s, types)}
    read = dict.fromkeys(n for s in syntax.walk(inside) for n in syntax.names_read(s))
    needed = {n for n in read if n in bound or n in held}
    again: list[gast.stmt] = []
    for statement in reversed(before):
        (name, *more) = syntax.names_bound(statement) or ("",)
        if more or name not in needed or name in held or bound[name] != 1 or not _is_light(statement):
            continue
        operands = {n for n in syntax.names_read(statement) if n not in held}
        if len(operands - needed) < 2 and changed.isdisjoint(syntax.names_read(statement)) and name not in changed:
            if all(bound[n] < 2 for n in syntax.names_read(statement)):
                again.insert(0, statement)
                needed = (needed - {name}) | {*syntax.names_read(statement)}
    return again, sorted(needed)


def _is_light(statement: gast.stmt) -> bool:
    row = row_of(syntax.operator_of(getattr(statement, "value", None))) if isinstance(statement, gast.Assign) else None
    return row is not None and row.kind == "elementwise" and row.work in ("free", "light") and row.raises is never


def _call(places: list[str], callee: Function, arguments: Sequence[gast.expr]) -> gast.stmt | None:
    """The call of a part; none of one that gives nothing."""
    if not places:
        return None
    return syntax.assign(places if len(places) > 1 else places[0], syntax.call(callee.name, *arguments))


def _places(call: gast.stmt, names: set[str]) -> frozenset[int]:
    """The arguments of a call, by number, that are among these names."""
    return frozenset(k for k, a in enumerate(call.value.args) if isinstance(a, gast.Name) and a.id in names)


def _effects(statement: gast.stmt, types: Mapping[str, Type]) -> tuple[set[str], set[str]]:
    """The names that a statement reads, and those that it binds or whose elements it changes, in its blocks too."""
    written: set[str] = set()
    for inner in syntax.walk([statement]):
        written |= {*syntax.names_bound(inner), *_changed_names(inner, types)}
    return set(syntax.names_read(statement)), written


def _changed_names(statement: gast.stmt, types: Mapping[str, Type]) -> list[str]:
    """Arrays and lists that a statement changes; a list that a function takes may be changed there."""
    base = stored_array(statement)
    value = getattr(statement, "value", None)
    callee = None if value is None else syntax.operator_of(value)
    read = [] if callee is None or callee in OPERATORS else syntax.names_read(value)
    handed = [name for name in read if isinstance(types.get(name), ListOf)]
    return handed if base is None else [base, *handed]
