"""Dead code elimination: dead names, stores into dead arrays, loops and branches without effect.

    def f(x):                  ->     def f(x):
        y = sin(x)                        z = cos(x)
        z = cos(x)                        return z
        return z

Takes and gives typed or loops functions.  Keeps values, and errors: a `raise`, and with `keep_errors` every operator
that can fail.  A load of which only the error counts reads an array of the same type that is there anyway.
A `while` that computes nothing of use is dropped even if it would never end.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..analysis.def_use import def_use, expressions_of, reads_of
from ..analysis.failure import failures, never_fails
from ..analysis.memory.alias import AliasClasses, regions, stored_names
from ..diagnostics import InternalError
from ..ops import schema
from ..ops.forms import is_of_program
from ..ops.placeholders import placeholder
from ..program import Function
from ..renaming import with_blocks
from ..types import ListOf, Scalar, Type


def prune(function: Function, *, keep_errors: bool = True) -> Function:
    """The function without dead statements; the same object where there are none."""
    pruner = _Pruner(function, keep_errors)
    kept = pruner.block(function.body, {*pruner.outside})
    kept = _without_idle_releases(kept, function.parameters)
    if len(kept) == len(function.body) and all(a is b for a, b in zip(kept, function.body)):
        return function
    bound = {name for statement in syntax.walk(kept) for name in syntax.names_bound(statement)}
    missing = [n for n in dict.fromkeys(reads_of(kept[-1])) if n not in bound and n not in function.parameters]
    if missing:  # a `raise` that is always reached left nothing alive, but the function ends in its return
        end = kept[-1]
        held = [syntax.assign(n, placeholder(function.types[n])) for n in missing]
        kept[-1:] = [*(syntax.at(s, end.span, getattr(end, "inlined", ())) for s in held), end]
        bound.update(missing)
    types = {n: t for n, t in function.types.items() if n in bound or n in function.parameters}
    return function.with_(body=tuple(kept), types=types, temporaries=function.temporaries & bound)


class _Pruner:
    """`live` holds names whose value, or whose elements, are read later; a way back over a statement changes it."""

    def __init__(self, function: Function, keep_errors: bool) -> None:
        self.function, self.types, self.keep_errors = function, function.types, keep_errors
        self.regions: AliasClasses = regions(function)
        self.sharers: dict[str, set[str]] = {}
        for name, root in self.regions.of.items():
            self.sharers.setdefault(root, {root}).add(name)
        self.bound: dict[int, frozenset[str]] = {}
        self.heads: dict[int, tuple[set[str], set[str]]] = {}  # by loop: what was live after it, and at its head
        self.outside = [p for p in function.parameters if not isinstance(function.types.get(p), Scalar)]

    def block(self, statements: Sequence[gast.stmt], live: set[str]) -> list[gast.stmt]:
        """The statements that stay; `live` is what is live after them, and then what is live before them."""
        kept: list[gast.stmt] = []
        for statement in reversed(statements):
            if isinstance(statement, gast.Raise) and kept:
                if isinstance(kept[0], gast.Return):
                    del kept[1:]
                else:  # a loop's body ends in what it carries, reached or not, and that has to have values
                    live.update(reads_of(statement))
                    kept.append(statement)
                    continue
            if (stays := self.statement(statement, live)) is not None:
                kept.append(stays)
        return kept[::-1]

    def statement(self, statement: gast.stmt, live: set[str]) -> gast.stmt | None:
        match statement:
            case gast.Assign() | gast.Expr():
                if not self.is_needed(statement, live):
                    return None
                if live.isdisjoint(syntax.names_bound(statement)):
                    statement = self.for_its_error(statement)
                live.difference_update(syntax.names_bound(statement))
                live.update(reads_of(statement))
                return statement
            case gast.Return() | gast.Raise():
                live.clear()
                live.update(reads_of(statement), self.outside if isinstance(statement, gast.Return) else ())
                return statement
            case gast.Delete():
                return statement
            case gast.If():
                return self.branch(statement, live)
            case gast.For() | gast.While():
                return self.loop(statement, live)
        raise InternalError("prune", gast.dump(statement), "not a statement of a typed stage")

    def is_needed(self, statement: gast.stmt, live: set[str]) -> bool:
        if not live.isdisjoint(syntax.names_bound(statement)):
            return True
        if any(self.is_seen(base, live) for base in stored_names(statement)):
            return True
        if self.keep_errors and not never_fails(self.function, statement):
            return True
        return any(self.is_seen(name, live) for name in self.passed_lists(statement))

    def for_its_error(self, statement: gast.stmt) -> gast.stmt:
        """A load that is there for its error alone, from what its array was computed of element by element."""
        match statement:
            case gast.Assign(targets=[gast.Name()], value=gast.Subscript(value=gast.Name(id=base)) as load):
                source = self.shape_source(base)
                if source != base:
                    return syntax.rebuild(statement, value=syntax.rebuild(load, value=syntax.name(source)))
        return statement

    def shape_source(self, array: str) -> str:
        """The first array of the same type in the row of those from which this one was computed."""
        facts, type_ = def_use(self.function), self.types[array]
        while True:
            value = facts.value_of(array)
            row = schema.row_of(syntax.operator_of(value)) if value is not None else None
            if row is None or row.kind != "elementwise":
                return array
            operands = [a.id for a in value.args if isinstance(a, gast.Name) and facts.is_constant(a.id)]
            source = next((n for n in operands if self.types[n] == type_), None)
            if source is None:
                return array
            array = source

    def is_seen(self, base: str, live: set[str]) -> bool:
        """Whether what is stored into `base` may be read, through it or through a name that shares with it."""
        return base in live or not live.isdisjoint(self.sharers.get(self.regions.root(base), ()))

    def passed_lists(self, statement: gast.stmt) -> list[str]:
        """The lists that a function of the program gets, and may change."""
        found = []
        for part in expressions_of(statement):
            for node in syntax.calls_in(part):
                if is_of_program(syntax.operator_of(node)):
                    found += [a.id for a in node.args if isinstance(a, gast.Name) and _is_list(self.types.get(a.id))]
        return found

    def branch(self, statement: gast.If, live: set[str]) -> gast.stmt | None:
        other = {*live}
        body, orelse = self.block(statement.body, live), self.block(statement.orelse, other)
        if not body and not orelse and not (self.keep_errors and failures(self.function).can_fail(statement.test)):
            return None
        live.update(other, reads_of(statement))
        return with_blocks(statement, [body, orelse])

    def loop(self, statement: gast.For | gast.While, live: set[str]) -> gast.stmt | None:
        """First as if only what comes after the loop could need it, then with its own test, to a fixpoint."""
        test, head = reads_of(statement), live
        if isinstance(statement, gast.For) or live.isdisjoint(self.bound_in(statement)):
            kept, head = self.iterate(statement, live)
            idle = not kept and live.isdisjoint(syntax.names_bound(statement))
            if idle and not (self.keep_errors and self.header_can_fail(statement)):
                return None
        if isinstance(statement, gast.While):
            kept, head = self.iterate(statement, head.union(test))
        live.update(head, test)
        return with_blocks(statement, [kept])

    def bound_in(self, statement: gast.stmt) -> frozenset[str]:
        """The names that a loop or something inside it binds."""
        if id(statement) not in self.bound:
            inner = [self.bound_in(s) for block in syntax.blocks_of(statement) for s in block]
            self.bound[id(statement)] = frozenset(syntax.names_bound(statement)).union(*inner)
        return self.bound[id(statement)]

    def iterate(self, statement: gast.For | gast.While, behind: set[str]) -> tuple[list[gast.stmt], set[str]]:
        """The statements of a body that stay, and what is live at the head of the loop."""
        head = {*behind}
        known, at_its_head = self.heads.get(id(statement), (behind, behind))
        if known <= behind:  # what was live then is live now too: begin with it
            head |= at_its_head
        while True:
            before = {*head}
            kept = self.block(statement.body, before)
            before.difference_update(syntax.names_bound(statement))
            if before <= head:
                self.heads[id(statement)] = {*behind}, head
                return kept, {*head}
            head |= before

    def header_can_fail(self, statement: gast.For | gast.While) -> bool:
        return failures(self.function).statement_can_fail(syntax.rebuild(statement, body=[]))


def _is_list(type_: Type | None) -> bool:
    return isinstance(type_, ListOf)


def _without_idle_releases(body: list[gast.stmt], parameters: Sequence[str]) -> list[gast.stmt]:
    """The statements without releases of names that nothing assigns any more."""
    if not any(isinstance(statement, gast.Delete) for statement in syntax.walk(body)):
        return body
    bound = {name for statement in syntax.walk(body) for name in syntax.names_bound(statement)} | {*parameters}

    def clean(statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        kept = [s for s in statements if not (isinstance(s, gast.Delete) and s.targets[0].id not in bound)]
        return [with_blocks(s, [clean(block) for block in syntax.blocks_of(s)]) for s in kept]

    return clean(body)
