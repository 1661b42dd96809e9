"""Which lists of a program are boxes: they hold one array at most, which has no alias until it is taken out.

    def g(x, bars):              `bars` is a box: there is an array in it when `g` is called and when it returns,
        bar = bars.pop()         appending one gives up its ownership, and nothing else is done with the list
        bar[0] += 1.0
        bars.append(bar)

What is taken out of a box may be stored into in place.  The passes that make boxes say so in their types, which no text
tells: of what is read back it is found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import gast

from ... import syntax
from ...program import Function, Program
from ...types import Array, ListOf
from ..liveness import liveness
from .alias import alias

EMPTY, FULL, LEFT = "no array", "an array", "left"  # LEFT: no one comes here
Lists = dict[str, set[str]]  # of each function


class Otherwise(Exception):
    """A list is used otherwise than as a box."""


def with_boxes(program: Program) -> Program:
    """The program whose types say of lists that they are boxes; the same object where none is."""
    lists = _candidates(program)
    while any(lists.values()):
        assumed = _assuming(program, lists)
        others = _handed_others(program, lists)
        kept = {
            name: {box for box in boxes - others[name] if _is_box(assumed.functions[name], box, program, lists)}
            for name, boxes in lists.items()
        }
        if kept == lists:
            return assumed
        lists = kept
    return program


def _assuming(program: Program, lists: Lists) -> Program:
    return program.map(lambda function: _typed(function, lists[function.name]))


def _candidates(program: Program) -> Lists:
    """The lists of arrays, but for what Python passes in."""

    def lists(function: Function) -> set[str]:
        found = {name for name, type_ in function.types.items() if isinstance(type_, ListOf)}
        return {name for name in found if isinstance(function.types[name].element, Array)}

    return {
        name: lists(function) - ({*function.parameters} if function is program.main else set())
        for name, function in program.functions.items()
    }


def _handed_others(program: Program, lists: Lists) -> Lists:
    """The parameters of functions to which a call passes what is no box."""
    found: Lists = {name: set() for name in program.functions}
    for function in program.functions.values():
        for call in (c for s in function.body for c in syntax.calls_in(s)):
            callee = program.functions.get(syntax.operator_of(call) or "")
            if callee is not None:
                pairs = zip(callee.parameters, call.args)
                found[callee.name] |= {p for p, a in pairs if getattr(a, "id", "") not in lists[function.name]}
    return found


def _typed(function: Function, boxes: set[str]) -> Function:
    if not boxes:
        return function
    types = {n: replace(t, is_box=True) if n in boxes else t for n, t in function.types.items()}
    return function.with_(types=types)


def _is_box(function: Function, name: str, program: Program, lists: Lists) -> bool:
    is_handed = name in function.parameters
    try:
        end = _Follower(function, name, program, lists).block(function.body, FULL if is_handed else EMPTY)
    except Otherwise:
        return False
    return not is_handed or end in (FULL, LEFT)


class _Follower:
    """Follows one list, of which it is assumed that it is a box, through its function."""

    def __init__(self, function: Function, name: str, program: Program, lists: Lists) -> None:
        self.function, self.name, self.program, self.lists = function, name, program, lists
        self.live, self.aliases = liveness(function), alias(function)

    def block(self, statements: Sequence[gast.stmt], state: str) -> str:
        """The state of the list after these statements."""
        for statement in statements:
            state = self.after(statement, state)
        return state

    def after(self, statement: gast.stmt, state: str) -> str:
        match statement:
            case gast.If(test=test, body=body, orelse=orelse):
                self.require(self.name not in syntax.names_read(test))
                ends = {self.block(body, state), self.block(orelse, state)} - {LEFT}
                self.require(len(ends) <= 1)
                return ends.pop() if ends else LEFT
            case gast.For(iter=head, body=body) | gast.While(test=head, body=body):
                self.require(self.name not in syntax.names_read(head))
                self.require(self.block(body, state) in (state, LEFT))
                return state
            case gast.Raise():
                return LEFT
        if self.name not in (*syntax.names_read(statement), *syntax.names_changed(statement)):
            return state
        return self.changed(statement, state)

    def changed(self, statement: gast.stmt, state: str) -> str:
        """The state after a statement that has to do with the list."""
        value = getattr(statement, "value", None)
        match syntax.operator_of(value) if value is not None else None, statement:
            case "new_list", gast.Assign(targets=[gast.Name()]):
                self.require(self.name not in self.function.parameters)  # the caller would look into the other one
                return EMPTY
            case "append", gast.Expr(value=gast.Call(args=[list_, gast.Name(id=item)])):
                self.require(list_.id == self.name and state == EMPTY and self.has_alone(statement, item))
                return FULL
            case "pop", gast.Assign(targets=[gast.Name()]):
                self.require(state == FULL)
                return EMPTY
            case str(callee), gast.Assign() | gast.Expr() if callee in self.program.functions:
                self.require(state == FULL and self.name not in syntax.names_changed(statement))
                self.require_handed(value, self.program.functions[callee])
                return FULL
        raise Otherwise

    def require_handed(self, call: gast.Call, callee: Function) -> None:
        """The function that is called has the list once, and as a box."""
        places = [k for k, atom in enumerate(call.args) if getattr(atom, "id", "") == self.name]
        self.require(len(places) == 1 and callee.parameters[places[0]] in self.lists[callee.name])

    def has_alone(self, statement: gast.stmt, item: str) -> bool:
        """Whether no name that shows an array before this statement is read afterwards."""
        shown = {item, *self.aliases.before(statement).partners(item)} - {self.name}
        return shown.isdisjoint({*self.live.after(statement), *self.function.parameters})

    def require(self, holds: bool) -> None:
        if not holds:
            raise Otherwise
