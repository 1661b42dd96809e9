"""Let a rule call its own function with tangents: the call is linear in them, and is taken backwards by its own body.

    def total_jvp(x, x_dot):                       def total_jvp(x, x_dot):
        return total(x), total(x_dot)      ->          return total(x), total_body(x_dot)

By the rule it would be the slope of a call that has the same rule, and so on without an end.  Calls with primals keep
the rule, for derivatives of the derivative.

Takes typed programs in which `with_rules` has replaced nothing, and gives typed ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...names import Names
from ...program import Function, Program, Rule
from ...renaming import splice


def transposable(program: Program) -> Program:
    """The program with such calls in the form of calls of functions without a rule; the same where there are none."""
    functions, names, bodies = dict(program.functions), Names(program.functions), dict[str, str]()
    ways = {name: _leads_to(function) for name, function in functions.items()}
    for name, function in program.functions.items():
        rule = function.rule
        if rule is None or rule.kind != "jvp":
            continue
        body = functions[rule.functions[0]]
        for statement in _with_tangents(body, rule):
            callee = syntax.operator_of(getattr(statement, "value", None)) or ""
            if callee in functions and functions[callee].rule is not None and _reaches(callee, name, ways):
                own = bodies[callee] = bodies.get(callee) or names.fresh(f"{callee}_body")
                body = body.with_(body=tuple(_calling(body.body, statement, own)))
        functions[body.name] = body
    made = {own: program.functions[callee].with_(name=own, rule=None) for callee, own in bodies.items()}
    return Program(program.entry, functions | made) if made else program


def _leads_to(function: Function) -> list[str]:
    """What is called in its place, or by it: a derivative passes on from there."""
    rule = function.rule
    if rule is not None and rule.kind == "jvp":
        return list(rule.functions)
    return [syntax.operator_of(s.value) or "" for s in syntax.walk(function.body) if hasattr(s, "value")]


def _reaches(start: str, goal: str, ways: Mapping[str, list[str]]) -> bool:
    seen, waiting = {start}, [start]
    for name in waiting:
        new = [other for other in ways.get(name, ()) if other not in seen]
        seen.update(new)
        waiting += new
    return goal in seen


def _with_tangents(rule_body: Function, rule: Rule) -> list[gast.stmt]:
    """The statements of a rule that read what depends on tangents."""
    tainted = set(rule_body.parameters[rule.arguments : rule.arguments + len(rule.wrt)])
    count = 0
    while count < len(tainted):
        count = len(tainted)
        for statement in syntax.walk(rule_body.body):
            if not tainted.isdisjoint(reads_of(statement)):
                tainted.update(_changed(statement))
    return [s for s in syntax.walk(rule_body.body) if not tainted.isdisjoint(reads_of(s))]


def _changed(statement: gast.stmt) -> list[str]:
    """The names that a statement binds, and the arrays that it stores into."""
    place = statement.targets[0] if isinstance(statement, gast.Assign) else None
    stored = [place.value.id] if isinstance(place, gast.Subscript) else []
    appended = [a.id for a in getattr(getattr(statement, "value", None), "args", ())[:1] if isinstance(a, gast.Name)]
    return [*syntax.names_bound(statement), *stored, *(appended if isinstance(statement, gast.Expr) else ())]


def _calling(body: Sequence[gast.stmt], call: gast.stmt, own: str) -> list[gast.stmt]:
    """The statements with another function called at one place."""

    def change(statement: gast.stmt) -> list[gast.stmt] | None:
        if statement is not call:
            return None
        return [syntax.rebuild(statement, value=syntax.rebuild(statement.value, func=syntax.name(own)))]

    return splice(body, change)
