"""Outlining: make one function again of calls that were inlined, where they are the same, long, and many.

    t = sin(x)                            y = wave(x, k)         def wave(x, k):
    y = t * k                  ->         z = wave(y, k)             t = sin(x)
    t_1 = sin(y)                                                     y = t * k
    z = t_1 * k                                                      return (y,)

Calls are inlined for what is known of their arguments, and are the same if all of that is the same: statements,
types and constants, up to names.  What is differentiated, optimised and translated is then the function, once.

Takes and gives typed programs, before anything is simplified: what is known of a single call would make the calls
differ.  Keeps meaning and spans.  Leaves calls that store into arrays of the caller's, and those of functions of the
program, as they are; leaves it to `inline` to inline a function again that is in the way of a transformation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import gast

from .. import syntax
from ..analysis.def_use import reads_of
from ..analysis.memory.alias import stored_names
from ..diagnostics import Span
from ..names import Names
from ..ops.forms import FORMS
from ..ops.schema import OPERATORS
from ..program import Function, Origin, Program
from ..records import dataclass
from ..renaming import copy_statement, with_blocks
from ..tuning import LEAST_SHARED, SHARED_SAVING, SHARED_SCALARS_SAVING
from ..types import Array, ListOf, Type


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The statements of one call that was inlined, `depth` calls inside the function that they stand in."""

    statements: tuple[gast.stmt, ...]
    depth: int

    @property
    def call(self) -> Span:
        found: Span = self.statements[0].inlined[self.depth]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What makes calls differ, and what their names are in it: `names` in the order in which they are mentioned."""

    text: Hashable
    names: tuple[str, ...]
    free: tuple[int, ...]
    results: frozenset[int]


def outline(program: Program) -> Program:
    """The program with functions for long calls that are the same; the same program where there are none."""
    functions = dict(program.functions)
    taken = {name for function in functions.values() for name in function.types}
    names = Names({*functions, *taken, *OPERATORS, *FORMS})
    waiting = [program.entry]
    while waiting:
        name = waiting.pop()
        made = _outlined(functions[name], names, frozenset(program.functions))
        functions.update(made)
        waiting += [other for other in made if other != name]
    if all(functions[name] is function for name, function in program.functions.items()):
        return program
    return Program(program.entry, functions)


def _outlined(function: Function, names: Names, own: frozenset[str]) -> dict[str, Function]:
    """The function with calls, and the functions that they call."""
    covered: set[int] = set()
    places: dict[int, tuple[int, gast.stmt]] = {}  # by the first statement of a run: how many, and the call
    made: dict[str, Function] = {}
    for alike in _classes(function, own):
        alike = [(run, form) for run, form in alike if covered.isdisjoint(map(id, syntax.walk(run.statements)))]
        if not _is_worth(alike, function.types):
            continue
        results = sorted(frozenset().union(*(form.results for _, form in alike)))
        shared = _function(function, names, *alike[0], results)
        made[shared.name] = shared
        for run, form in alike:
            covered.update(map(id, syntax.walk(run.statements)))
            call = syntax.call(shared.name, *(form.names[k] for k in form.free))
            targets = [form.names[k] for k in results]
            statement = syntax.assign(targets[0] if len(targets) == 1 else targets, call)
            first: Any = run.statements[0]
            places[id(first)] = len(run.statements), syntax.at(statement, run.call, first.inlined[: run.depth])
    if not made:
        return {}
    body = tuple(_replaced(function.body, places))
    return {function.name: function.with_(body=body), **made}


def _is_worth(alike: Sequence[tuple[Run, Form]], types: Mapping[str, Type]) -> bool:
    """Whether the statements that are saved are many, for what the calls cost."""
    if len(alike) < 2:
        return False
    run, _ = alike[0]
    size = sum(1 for _ in syntax.walk(run.statements))
    made = {name for s in syntax.walk(run.statements) for name in syntax.names_bound(s)}
    is_long = any(isinstance(types[name], Array) for name in made) or any(map(syntax.blocks_of, run.statements))
    return size * (len(alike) - 1) >= (SHARED_SAVING if is_long else SHARED_SCALARS_SAVING)


def _replaced(block: Sequence[gast.stmt], places: dict[int, tuple[int, gast.stmt]]) -> list[gast.stmt]:
    made: list[gast.stmt] = []
    behind = 0
    for position, statement in enumerate(block):
        if position < behind:
            continue
        if id(statement) in places:
            count, call = places[id(statement)]
            behind = position + count
            made.append(call)
        else:
            made.append(with_blocks(statement, [_replaced(b, places) for b in syntax.blocks_of(statement)]))
    return made


def _function(function: Function, names: Names, run: Run, form: Form, results: Sequence[int]) -> Function:
    """The statements of a call as a function."""
    origin = function.walked_into.get(run.call, Origin(run.call.file, "shared", run.call.line))
    body = [copy_statement(s, lambda n: n, lambda n: n) for s in run.statements]
    for statement in syntax.walk(body):
        statement.inlined = getattr(statement, "inlined", ())[run.depth + 1 :]
    returned = [form.names[k] for k in results]
    body.append(syntax.return_([syntax.name(n) for n in returned], getattr(body[-1], "span", None)))
    return function.with_(
        name=names.fresh(origin.name), origin=origin, parameters=tuple(form.names[k] for k in form.free),
        body=tuple(body), types={n: function.types[n] for n in form.names},
        results=tuple(function.types[n] for n in returned), notes=(), decisions=(),
        temporaries=function.temporaries.intersection(form.names), reasons={}, unnamed=frozenset(), given={}, wishes={},
        is_shared=True,
    )  # fmt: skip


# --- which calls are the same --------------------------------------------------------------------------------------


def _classes(function: Function, own: frozenset[str]) -> list[list[tuple[Run, Form]]]:
    """Calls that are the same, the longest ones first; `own` are the functions of the program."""
    alike: dict[tuple[int, Hashable], list[Run]] = {}
    for run in _runs(function.body, 0):
        size = sum(1 for _ in syntax.walk(run.statements))
        if size >= LEAST_SHARED:
            places = tuple(getattr(s, "span", None) for s in run.statements)
            alike.setdefault((-size, places), []).append(run)
    likely = [(size, runs) for (size, _), runs in alike.items() if len(runs) > 1]
    if not likely:
        return []
    facts = _Facts(function, own)
    classes: dict[Hashable, list[tuple[Run, Form]]] = {}
    for size, runs in sorted(likely, key=lambda item: item[0]):
        for run in runs:
            form = facts.form(run)
            if form is not None:
                classes.setdefault((size, form.text), []).append((run, form))
    return [found for found in classes.values() if len(found) > 1]


def _runs(block: Sequence[gast.stmt], depth: int) -> Iterator[Run]:
    """The calls that were inlined, each before those inside it."""
    for call, statements in _grouped(block, depth):
        if call is not None:
            yield Run(statements, depth)
            yield from _runs(statements, depth + 1)
            continue
        for statement in statements:
            if type(statement) in syntax.COMPOUND:
                for inner in syntax.blocks_of(statement):
                    yield from _runs(inner, depth)


def _grouped(block: Sequence[gast.stmt], depth: int) -> Iterator[tuple[Span | None, tuple[gast.stmt, ...]]]:
    """Neighbours of one call.  The span of a call is an object of its own each time that it is inlined."""
    group: list[gast.stmt] = []
    last: Span | None = None
    for statement in block:
        inlined = getattr(statement, "inlined", ())
        call = inlined[depth] if len(inlined) > depth else None
        if group and call is not last:
            yield last, tuple(group)
            group = []
        group.append(statement)
        last = call
    if group:
        yield last, tuple(group)


@dataclass(slots=True)
class _Facts:
    """Where the names of a function are bound and read."""

    function: Function
    functions: frozenset[str]
    bound: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    places: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.bound.update(self.function.parameters)
        for statement in syntax.walk(self.function.body):
            self.bound.update(syntax.names_bound(statement))
            self.read.update(reads_of(statement))
            self.places[id(statement)] += 1

    def form(self, run: Run) -> Form | None:
        """The form of a call; None for one that cannot be a function."""
        bound, read = Counter[str](), Counter[str]()
        for statement in syntax.walk(run.statements):
            bound.update(syntax.names_bound(statement))
            read.update(reads_of(statement))
            if self.places[id(statement)] > 1 or not self._is_alone(statement):
                return None
        stored = {name for s in syntax.walk(run.statements) for name in stored_names(s)}
        if any(self.bound[name] > count for name, count in bound.items()) or not bound.keys() >= stored:
            return None
        numbers = _Numbering(self.function.types)
        text = syntax.form_of(run.statements, numbers.of_name), tuple(numbers.types)
        order = tuple(numbers.names)
        free = tuple(k for k, name in enumerate(order) if name not in bound)
        results = frozenset(k for k, name in enumerate(order) if self.read[name] > read[name] and name in bound)
        handed = [self.function.types[order[k]] for k in (*free, *results)]
        if not results or any(isinstance(type_, ListOf) for type_ in handed):
            return None
        return Form(text, order, free, results)

    def _is_alone(self, statement: gast.stmt) -> bool:
        """Whether a statement asks nothing of what is around the function, and calls none."""
        if isinstance(statement, gast.Return):
            return False
        for call in syntax.calls_in(statement):
            name = syntax.operator_of(call) or ""
            if name in self.functions or name in OPERATORS and OPERATORS[name].kind == "collective":
                return False
        return True


class _Numbering:
    """Numbers for the names of a run and for the symbols of their lengths, in the order in which they come."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self.table = types
        self.names: dict[str, int] = {}
        self.symbols: dict[str, int] = {}
        self.types: list[Hashable] = []

    def of_name(self, name: str) -> int:
        if name not in self.names:
            self.names[name] = len(self.names)
            self.types.append(self._type(self.table[name]))
        return self.names[name]

    def _type(self, type_: Type) -> Hashable:
        if isinstance(type_, ListOf):
            return ListOf, type_.is_box, self._type(type_.element)
        if not isinstance(type_, Array):
            return type_
        dims = [
            d if isinstance(d, int) else (d.constant, *((self._symbol(s), k) for s, k in d.terms)) for d in type_.dims
        ]
        return replace(type_, dims=()), tuple(dims)

    def _symbol(self, name: str) -> int:
        return self.symbols.setdefault(name, len(self.symbols))
