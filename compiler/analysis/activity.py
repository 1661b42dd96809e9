"""Which names carry a derivative: they depend on the inputs asked for, and the result depends on them.

    grad with respect to k of       y = exp(x)       not active: does not depend on k
                                    z = sin(k)       active
                                    d = abs(z)       not active: only a test reads it
                                    while d > e: ...

Names are followed without regard to the order of statements: a name has one value but for merges and stores.  Integers,
booleans and what operators are locally constant in carry nothing.  Functions that call each other are solved together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

import gast

from .. import syntax
from ..ops.schema import OPERATORS
from ..program import Function, Program
from ..records import dataclass
from ..types import ListOf, Type, is_floating

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Activity:
    """Of one function: the active names, the parameters with a cotangent, and the results that have one."""

    names: frozenset[str]
    parameters: tuple[str, ...]
    results: tuple[int, ...]


@dataclass(slots=True)
class _Facts:
    edges: list[Edge]
    reach: set[tuple[int, str]] = field(default_factory=set)
    varied: set[str] = field(default_factory=set)
    useful: set[str] = field(default_factory=set)


def activity(program: Program, wrt: Iterable[str], outputs: Iterable[int]) -> dict[str, Activity]:
    """The activity of every function that the derivative of these results of the entry reaches."""
    facts = _reach(program)
    main = program.main
    facts[program.entry].varied |= set(wrt)
    results = result_names(main)
    facts[program.entry].useful |= {n for k in outputs if k < len(results) and (n := results[k]) is not None}
    changed = True
    while changed:
        changed = False
        for name, function in program.functions.items():
            changed |= _spread(program, facts, name, function)
    return {name: _activity_of(function, facts[name]) for name, function in program.functions.items()}


def _activity_of(function: Function, facts: _Facts) -> Activity:
    names = frozenset(facts.varied & facts.useful)
    results = tuple(k for k, n in enumerate(result_names(function)) if n in names)
    return Activity(names, tuple(p for p in function.parameters if p in names), results)


def result_names(function: Function) -> list[str | None]:
    if not function.body or not isinstance(function.body[-1], gast.Return):
        return []
    return [e.id if isinstance(e, gast.Name) else None for e in function.body[-1].value.elts]


def ways_of_rules(program: Program) -> dict[str, set[tuple[int, str]]]:
    """Which results depend on which parameters of the functions whose derivative is given: what the rule says."""
    ways: dict[str, set[tuple[int, str]]] = {}
    for name, function in program.functions.items():
        rule = function.rule
        if rule is not None:
            ways[name] = {(p, str(out)) for p in (*rule.wrt, *rule.given) for out in rule.outs}
            if rule.is_split:  # what is called in place of the function
                ways[rule.functions[0]] = ways[name]
    return ways


def _reach(program: Program) -> dict[str, _Facts]:
    """Which results (and lists passed in) of each function depend on which parameters; lists count as results."""
    facts = {name: _Facts([]) for name in program.functions}
    ruled = ways_of_rules(program)
    for name, ways in ruled.items():
        facts[name].reach |= ways
    changed = True
    while changed:
        changed = False
        for name, function in program.functions.items():
            known = {other: facts[other].reach for other in facts}
            facts[name].edges = list(edges(function, program, known))
            if name in ruled:
                continue
            for position, parameter in enumerate(function.parameters):
                found = closure({parameter}, facts[name].edges)
                outs = {f"{k}" for k, n in enumerate(result_names(function)) if n in found}
                outs |= {p for p in function.parameters if isinstance(function.types[p], ListOf) and p in found}
                fresh = {(position, out) for out in outs} - facts[name].reach
                facts[name].reach |= fresh
                changed |= bool(fresh)
    return facts


def _spread(program: Program, facts: Mapping[str, _Facts], name: str, function: Function) -> bool:
    """One iteration that follows dependence inside a function and into those it calls."""
    own = facts[name]
    before = sum(len(f.varied) + len(f.useful) for f in facts.values())
    own.varied |= {n for n in closure(own.varied, own.edges) if is_floating(function.types[n])}
    own.useful |= closure(own.useful, [(b, a) for a, b in own.edges])
    for statement, callee in calls_of(function, program):
        other = facts[callee]
        target = program.functions[callee]
        for parameter, argument in zip(target.parameters, statement.value.args):
            if isinstance(argument, gast.Name) and argument.id in own.varied:
                other.varied.add(parameter)
            if isinstance(argument, gast.Name) and isinstance(target.types[parameter], ListOf):
                _spread_of_list(own, argument.id, other, parameter)
        for result, place in zip(result_names(target), results_of(statement)):
            if result is not None and place in own.useful:
                other.useful.add(result)
    return sum(len(f.varied) + len(f.useful) for f in facts.values()) != before


def _spread_of_list(own: _Facts, argument: str, other: _Facts, parameter: str) -> None:
    """A list passed in is changed in place: it is useful inside where it is useful outside.

    Where it has a list of cotangents inside, because of another call, it needs one here as well, to be passed in.
    """
    if argument in own.useful:
        other.useful.add(parameter)
    if parameter in other.varied & other.useful:
        own.varied.add(argument)
        own.useful.add(argument)


def calls_of(function: Function, program: Program) -> Iterator[tuple[gast.stmt, str]]:
    for statement in syntax.walk(function.body):
        value = statement.value if isinstance(statement, gast.Assign | gast.Expr) else None
        callee = None if value is None else syntax.operator_of(value)
        if callee is not None and callee in program.functions:
            yield statement, callee


def results_of(statement: gast.stmt) -> list[str]:
    """The names that a call statement assigns, in order."""
    return list(syntax.names_bound(statement)) if isinstance(statement, gast.Assign) else []


def closure(start: Iterable[str], pairs: Iterable[Edge]) -> set[str]:
    following: dict[str, list[str]] = {}
    for source, target in pairs:
        following.setdefault(source, []).append(target)
    found, waiting = set(start), list(start)
    while waiting:
        for target in following.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


# --- what one statement lets through -------------------------------------------------------------------------------


def edges(
    function: Function, program: Program, reach: Mapping[str, set[tuple[int, str]]] | None = None
) -> Iterator[Edge]:
    """(from, to) for every edge on which a derivative passes from one floating name to another."""
    for statement in syntax.walk(function.body):
        for source, target in _edges_of(statement, function.types, program, reach or {}):
            if is_floating(function.types[source]) and is_floating(function.types[target]):
                yield source, target


def _edges_of(statement: gast.stmt, types: Mapping[str, Type], program: Program, reach) -> Iterator[Edge]:
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=gast.Name(id=source)):
            yield source, base
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=source)):
            yield source, name
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Subscript(value=gast.Name(id=base))):
            yield base, name
        case gast.Expr(
            value=gast.Call(func=gast.Name(id="add_at"), args=[gast.Name(id=base), _, gast.Name(id=source)])
        ):
            yield source, base
        case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=base), gast.Name(id=source)])):
            yield source, base
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Name(id="pop"), args=[list_])):
            yield list_.id, name
        case gast.Assign(value=gast.Call() as node) | gast.Expr(value=gast.Call() as node):
            callee = syntax.operator_of(node)
            if callee is not None and callee in program.functions:
                yield from _edges_of_call(statement, node, program.functions[callee], reach.get(callee, ()))
            elif callee in OPERATORS and isinstance(statement, gast.Assign):
                yield from ((s, name) for name in syntax.names_bound(statement) for _, s in passing(node))


def _edges_of_call(statement, node: gast.Call, callee: Function, reach) -> Iterator[Edge]:
    places = results_of(statement)
    argument_of = dict(zip(callee.parameters, node.args))
    for position, out in reach:
        source = node.args[position]
        if not isinstance(source, gast.Name):
            continue
        target = places[int(out)] if out.isdigit() else argument_of[out].id
        if target != source.id:
            yield source.id, target


def passing(node: gast.Call) -> Iterator[tuple[int, str]]:
    """(position, name) of the operands in which an operator is not locally constant."""
    row = OPERATORS[node.func.id]
    rules = row.partials if row.kind == "elementwise" else row.vjp
    many = bool(row.operands) and row.operands[0].startswith("*")
    for position, operand in enumerate(node.args):
        if isinstance(operand, gast.Name) and rules and rules[0 if many else position] is not None:
            yield position, operand.id
