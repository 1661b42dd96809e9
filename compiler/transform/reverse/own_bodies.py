"""Let a rule call its own function with tangents: the call is linear in them, and is taken backwards by its own body.

    def total_jvp(x, x_dot):                       def total_jvp(x, x_dot):
        return total(x), total(x_dot)      ->          return total(x), total_body(x_dot)

By the rule it would be the slope of a call that has the same rule, and so on without an end.  Calls with primals keep
the rule, for derivatives of the derivative.  Bodies call the bodies of others where they are linear in what they take.

Takes typed programs in which `with_rules` has replaced nothing, and gives typed ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...names import Names
from ...program import Function, Program
from ...records import dataclass
from ...renaming import splice


def transposable(program: Program) -> Program:
    """The program with such calls in the form of calls of functions without a rule; the same where there are none."""
    functions, ways = dict(program.functions), {name: _leads_to(f) for name, f in program.functions.items()}
    bodies = _Bodies(program, Names(functions), {}, {})
    for name, function in program.functions.items():
        rule = function.rule
        if rule is not None and rule.kind == "jvp":
            body = functions[rule.functions[0]]
            tangents = body.parameters[rule.arguments : rule.arguments + len(rule.wrt)]
            again = [n for n, f in functions.items() if f.rule is not None and _reaches(n, name, ways)]
            functions[body.name] = bodies.called(body, tangents, again)
    return Program(program.entry, functions | bodies.written()) if bodies.names else program


@dataclass(frozen=True, slots=True)
class _Bodies:
    """The bodies that rules call.

    names      of the bodies, by function
    tangents   the parameters that take tangents, by function
    """

    program: Program
    taken: Names
    names: dict[str, str]
    tangents: dict[str, set[str]]

    def called(self, caller: Function, tangents: Iterable[str], linear: Sequence[str]) -> Function:
        """The caller, which calls bodies of linear functions where it gives them tangents."""
        tainted, body = _depending(caller, tangents), caller.body
        for statement in syntax.walk(caller.body):
            callee = syntax.operator_of(getattr(statement, "value", None)) or ""
            if callee in linear and not tainted.isdisjoint(reads_of(statement)):
                own = self.names[callee] = self.names.get(callee) or self.taken.fresh(f"{callee}_body")
                given = zip(self.program.functions[callee].parameters, statement.value.args)
                places = {place for place, atom in given if isinstance(atom, gast.Name) and atom.id in tainted}
                self.tangents.setdefault(callee, set()).update(places)
                body = tuple(_calling(body, statement, own))
        return caller.with_(body=body) if body is not caller.body else caller

    def written(self) -> dict[str, Function]:
        """The bodies; they are linear, and what they call with tangents is linear as well where it has a body."""
        found, linear = self.program.functions, list(self.names)
        made = [self.called(found[name], self.tangents[name], linear) for name in linear]
        return {own: f.with_(name=own, rule=None) for own, f in zip(self.names.values(), made, strict=True)}


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


def _depending(function: Function, given: Iterable[str]) -> set[str]:
    """The names whose values depend on those of these parameters."""
    tainted, count = set(given), -1
    while count < len(tainted):
        count = len(tainted)
        for statement in syntax.walk(function.body):
            if not tainted.isdisjoint(reads_of(statement)):
                tainted.update(_changed(statement))
    return tainted


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
