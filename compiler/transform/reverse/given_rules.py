"""Replace a function by those of the rule that the user gave for it, where a derivative passes through it.

    y = f(x)    with f.defvjp(forward, backward)    ->    y, r = forward(x)        whose backward form calls `backward`

    y = f(x)    with f.defjvp(rule)                 ->    x_1, x_dot = given(x), tangent_of(x)
                                                          y_1, y_dot = rule(x_1, x_dot)
                                                          y = with_tangent(y_1, y_dot)

The second is taken backwards as it stands: no slope passes through `given` and into `y_1`, and that of `x_dot` is that
of `x`.  What is linear in tangents reads none of them backwards, so that afterwards nothing reads them (`erase`).

Takes typed programs, before `settle`, and gives typed ones.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import gast

from ... import syntax
from ...analysis.activity import Activity, activity
from ...builder import Specialiser
from ...diagnostics import InternalError
from ...names import Names, base_of
from ...ops.stopped import GIVEN, TANGENT_OF, WITH_TANGENT
from ...program import Function, Program, Rule
from ...renaming import map_body
from ...types import Array, Type, is_floating, symbols_of
from ..in_parts import in_parts
from ..inline import inline, lengths_here, with_own_lengths
from ..prune import prune
from .own_bodies import transposable
from .refuse import refuse
from .segments import segmented

MARKS = frozenset(row.name for row in (GIVEN, TANGENT_OF, WITH_TANGENT))


def with_rules(
    program: Program, wrt: Sequence[str], outputs: Sequence[int], specialiser: Specialiser | None
) -> Program:
    """The program with every call that a derivative passes through in the form of its rule."""
    program = segmented(in_parts(program, wrt, outputs), specialiser)
    if all(function.rule is None for function in program.functions.values()):
        return program
    with_bodies = transposable(program)
    bodies = with_bodies.functions.keys() - program.functions.keys()
    program = with_bodies
    facts = activity(program, wrt, outputs)
    changed = {name: _Writer(function, program, facts[name]).written() for name, function in program.functions.items()}
    return inline(Program(program.entry, changed), only=rules_of_tangents(program) | bodies)


def rules_of_tangents(program: Program) -> frozenset[str]:
    rules = [function.rule for function in program.functions.values()]
    return frozenset(rule.functions[0] for rule in rules if rule is not None and rule.kind == "jvp")


class _Writer:
    """One function: its calls of functions with a rule."""

    def __init__(self, function: Function, program: Program, facts: Activity) -> None:
        self.function, self.program, self.active = function, program, facts.names
        self.table: dict[str, Type] = dict(function.types)
        self.names = Names({*function.types, *function.parameters, *program.functions})
        self.symbols = {s for type_ in self.table.values() for s in symbols_of(type_)}

    def written(self) -> Function:
        body = self._block(self.function.body)
        if all(a is b for a, b in zip(body, self.function.body)) and len(body) == len(self.function.body):
            return self.function
        return self.function.with_(body=tuple(body), types=self.table)

    def _block(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        for statement in body:
            match statement:
                case gast.If(body=inner, orelse=orelse):
                    inner, orelse = self._block(inner), self._block(orelse)
                    made.append(_with_blocks(statement, body=inner, orelse=orelse))
                case gast.For(body=inner) | gast.While(body=inner):
                    made.append(_with_blocks(statement, body=self._block(inner)))
                case _:
                    made += self._statement(statement)
        return made

    def _statement(self, statement: gast.stmt) -> list[gast.stmt]:
        node = getattr(statement, "value", None)
        callee = self.program.functions.get(syntax.operator_of(node) or "") if isinstance(node, gast.Call) else None
        rule = None if callee is None else callee.rule
        if callee is None or rule is None or not isinstance(statement, gast.Assign):
            return [statement]
        bound = syntax.names_bound(statement)
        if not any(bound[out] in self.active for out in rule.outs):
            return [statement]
        if rule.kind != "split":
            require_given(statement, callee, rule, node.args, self.active)
        if rule.kind == "checkpoint":
            return [statement]
        write = self._tangents if rule.kind == "jvp" else self._forward
        return [syntax.at(s, statement.span, statement.inlined) for s in write(statement, rule, node, list(bound))]

    def _forward(self, statement: gast.stmt, rule: Rule, node: gast.Call, bound: list[str]) -> list[gast.stmt]:
        """`y, residuals = forward(x)`."""
        forward = self.program.functions[rule.functions[0]]
        targets = [*bound, *self._results(forward, node.args, len(bound))]
        return [_assigned(targets, syntax.rebuild(node, func=syntax.name(forward.name)))]

    def _results(self, callee: Function, args: Sequence[gast.expr], first: int) -> list[str]:
        """Names for the results of a call, from one of them on."""
        lengths = lengths_here(callee, dict(zip(callee.parameters, args)), self.table)
        made = []
        for atom, type_ in zip(callee.body[-1].value.elts[first:], callee.results[first:]):
            name = self.names.fresh(base_of(atom.id) if isinstance(atom, gast.Name) else "saved")
            self.table[name] = with_own_lengths(type_, lengths, self.symbols)
            made.append(name)
        return made

    def _tangents(self, statement: gast.stmt, rule: Rule, node: gast.Call, bound: list[str]) -> list[gast.stmt]:
        made: list[gast.stmt] = []
        callee = self.program.functions[rule.functions[0]]

        def mark(name: str, *atoms: gast.expr, like: gast.expr) -> gast.expr:
            if not isinstance(like, gast.Name):
                return like
            fresh = self.names.fresh(base_of(like.id))
            type_ = self.table[like.id]
            self.table[fresh] = Array(type_.dtype, type_.dims) if isinstance(type_, Array) else type_
            made.append(syntax.assign(fresh, syntax.call(name, *atoms)))
            return syntax.name(fresh)

        own, hidden = node.args[: rule.arguments], node.args[rule.arguments :]
        floats = [isinstance(a, gast.Name) and is_floating(self.table[a.id]) for a in own]
        primals = [mark(GIVEN.name, a, like=a) if is_float else a for a, is_float in zip(own, floats)]
        dots = [mark(TANGENT_OF.name, node.args[p], like=node.args[p]) for p in rule.wrt]
        args = [*primals, *dots, *hidden]
        results = self._results(callee, args, 0)
        made.append(_assigned(results, syntax.rebuild(node, func=syntax.name(callee.name), args=args)))
        slopes = dict(zip(rule.outs, results[len(bound) :]))
        for place, (name, result) in enumerate(zip(bound, results)):
            value: gast.expr = syntax.name(result)
            if is_floating(self.table[name]):
                value = syntax.call(GIVEN.name, value)
                if place in slopes:
                    value = syntax.call(WITH_TANGENT.name, result, slopes[place])
            made.append(syntax.assign(name, value))
        return made


def require_given(
    statement: gast.stmt, callee: Function, rule: Rule, args: Sequence[gast.expr], active: Container[str]
) -> None:
    """Refuse a derivative that passes through what the rule says nothing of."""
    for place in (*rule.given, *range(rule.arguments, len(args))):
        if isinstance(args[place], gast.Name) and args[place].id in active:
            name = callee.parameters[place]
            raise refuse(
                statement, "G006", f"`{name}` has a derivative here, of which the rule of `{callee.name}` says "
                "nothing: it is in `nondiff_argnums`, or a variable that the function sees",
                f"make it an argument with a derivative, or stop it: `{name} = stop_gradient({name})`",
            )  # fmt: skip


def _with_blocks(statement: gast.stmt, **blocks: list[gast.stmt]) -> gast.stmt:
    same = all(
        len(new) == len(old) and all(a is b for a, b in zip(new, old))
        for field, new in blocks.items()
        if (old := getattr(statement, field)) is not None
    )
    return statement if same else syntax.rebuild(statement, **blocks)


def _assigned(targets: list[str], value: gast.expr) -> gast.stmt:
    return syntax.assign(targets[0] if len(targets) == 1 else targets, value)


# --- after the derivative ------------------------------------------------------------------------------------------


def erase(program: Program) -> Program:
    """The program without the marks of rules of tangents; raises G006 where a tangent is still read."""
    return program.map(_erased)


def _erased(function: Function) -> Function:
    if not any(_mark(s) for s in syntax.walk(function.body)):
        return function
    function = _laid_out(function)
    function = function.with_(body=tuple(map_body(function.body, _without_tangent)))
    read = function.with_(body=tuple(map_body(function.body, _without_length)))
    for statement in syntax.walk(prune(read, keep_errors=False).body):
        if _mark(statement) == TANGENT_OF.name:
            raise refuse(
                statement, "G006", "the tangent that the rule gives is not linear in the tangents that it takes: "
                "reverse mode cannot take it backwards", "write it as a sum of tangents times what depends on the "
                "primals alone, or give the function a `custom_vjp`",
            )  # fmt: skip
    return function.with_(body=tuple(map_body(function.body, _plain)))


def _laid_out(function: Function) -> Function:
    """What was marked is in memory as what it is made of."""
    table = dict(function.types)
    for statement in syntax.walk(function.body):
        if _mark(statement) and isinstance(statement.value.args[0], gast.Name):
            mine, theirs = table[statement.targets[0].id], table[statement.value.args[0].id]
            if isinstance(mine, Array) and isinstance(theirs, Array):
                table[statement.targets[0].id] = Array(mine.dtype, mine.dims, theirs.layout)
    return function.with_(types=table)


def _without_length(statement: gast.stmt) -> gast.stmt:
    """What asks for a length reads no number: the lengths of a tangent are those of its primal, which it stays."""
    is_length = syntax.operator_of(getattr(statement, "value", None)) == "dim"
    return syntax.rebuild(statement, value=gast.Constant(1, None)) if is_length else statement


def _mark(statement: gast.stmt) -> str:
    name = syntax.operator_of(getattr(statement, "value", None)) if isinstance(statement, gast.Assign) else None
    return name if name in MARKS else ""


def _plain_copy(statement: gast.stmt) -> gast.stmt:
    value = statement.value.args[0]
    if not syntax.is_atom(value):
        raise InternalError("reverse", gast.dump(statement), "no atom")
    return syntax.rebuild(statement, value=value)


def _without_tangent(statement: gast.stmt) -> gast.stmt:
    return _plain_copy(statement) if _mark(statement) not in ("", TANGENT_OF.name) else statement


def _plain(statement: gast.stmt) -> gast.stmt:
    # nothing reads it but what is left of dead statements that may raise, as they would for the operand itself
    return _plain_copy(statement) if _mark(statement) else statement


