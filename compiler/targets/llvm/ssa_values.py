"""Which scalars are values of LLVM's; all others are variables on the stack, which LLVM has to turn into values.

    t = multiply(x, 2.0)         t: every read comes from the assignment that stands last before it      ->     %t.3
    y = add(t, t)
    if y > 0.0: u = t            u: what it holds where it is read depends on the way there      ->      a variable
    else: u = y

A name may be assigned many times; a loop assigns its counter at the start of its body.  It is a value as long as each
read follows an assignment of the same block, or of one around it, that no branch and no iteration of a loop in between
can replace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import gast

from ... import syntax
from ...program import Function
from ...types import Scalar


def certain_names(function: Function) -> frozenset[str]:
    """The scalars that need no variable."""
    walker = _Walker(function.parameters)
    walker.block(function.body)
    scalars = {name for name, type_ in function.types.items() if isinstance(type_, Scalar)}
    return frozenset(scalars - walker.uncertain)


class _Walker:
    """`known` are the names whose value is certain here; `uncertain` those that were read where it is not."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self.known = set(parameters)
        self.uncertain: set[str] = set()

    def block(self, statements: Sequence[gast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: gast.stmt) -> None:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.read(value)
                self.known.add(name)
            case gast.If(test=test, body=body, orelse=orelse):
                self.read(test)
                for inside in (body, orelse):
                    self.block(inside)
                    self.known -= _changed(inside)
            case gast.For(iter=iter_, body=body):
                self.read(iter_)
                self.loop(body, counter=node.target.id)
            case gast.While(test=test, body=body):
                self.loop(body, test)
            case _:
                self.read(node)
                self.uncertain.update(syntax.names_changed(node))

    def loop(self, body: Sequence[gast.stmt], test: gast.expr | None = None, counter: str = "") -> None:
        """What the body changes is not certain at its start, nor after it; the counter is given its value there."""
        changed = _changed(body) | {counter}
        self.known -= changed
        if test is not None:
            self.read(test)
        self.known |= {counter}
        self.block(body)
        self.known -= changed

    def read(self, node: gast.AST) -> None:
        self.uncertain.update(name for name in syntax.names_read(node) if name not in self.known)


def _changed(statements: Iterable[gast.stmt]) -> set[str]:
    return {name for s in syntax.walk(statements) for name in syntax.names_changed(s)}
