"""Where every name gets its value and how often it is read.

    y = x + x        uses = def_use(function);  uses.count["x"] == 2;  uses.value_of("y") is the tree `add(x, x)`

A name with one definition that is not a parameter is *single*: its value never changes once it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import gast

from .. import syntax
from ..ops import schema
from ..ops.forms import IDLE
from ..program import Function, remembered
from ..records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class DefUse:
    """`definitions` has the binding statements of each name (a `For` binds its variable), `count` the reads."""

    definitions: Mapping[str, tuple[gast.stmt, ...]]
    count: Mapping[str, int]
    parameters: frozenset[str]

    def is_single(self, name: str) -> bool:
        return name not in self.parameters and len(self.definitions.get(name, ())) == 1

    def is_constant(self, name: str) -> bool:
        """Whether the name has one definition, a parameter's being the call."""
        definitions = self.definitions.get(name, ())
        return not definitions if name in self.parameters else len(definitions) == 1

    def value_of(self, name: str) -> gast.expr | None:
        """The right-hand side of the only assignment to a name; None for loop variables and results of calls."""
        found = self.definitions.get(name, ())
        if len(found) != 1 or name in self.parameters:
            return None
        statement = found[0]
        if type(statement) is gast.Assign and len(statement.targets) == 1 and type(statement.targets[0]) is gast.Name:
            value: gast.expr = statement.value
            return value
        return None


@remembered
def def_use(function: Function) -> DefUse:
    definitions: dict[str, list[gast.stmt]] = {}
    reads: list[str] = []
    for statement in syntax.walk(function.body):
        for name in syntax.names_bound(statement):
            if name in definitions:
                definitions[name].append(statement)
            else:
                definitions[name] = [statement]
        reads += reads_of(statement)
    found = {name: tuple(statements) for name, statements in definitions.items()}
    return DefUse(found, Counter(reads), frozenset(function.parameters))


def reads_of(statement: gast.stmt) -> list[str]:
    """The names that a statement itself reads, the bodies of a compound one left out; a store reads its array."""
    if type(statement) is gast.Assign and type(statement.targets[0]) is gast.Name:
        return syntax.names_read(statement.value)
    return [name for part in expressions_of(statement) for name in syntax.names_read(part)]


def expressions_of(statement: gast.stmt) -> tuple[gast.AST, ...]:
    """The expressions of a statement itself, in the order of evaluation."""
    if type(statement) is gast.Assign and len(statement.targets) == 1 and type(statement.targets[0]) is gast.Name:
        return (statement.value,)
    match statement:
        case gast.Assign(targets=[place], value=value):
            return (value,) if isinstance(place, gast.Name | gast.Tuple) else (value, place)
        case gast.For(iter=iter_):
            return (iter_,)
        case gast.While(test=test) | gast.If(test=test):
            return (test,)
        case gast.Raise(exc=gast.Call(args=values)):
            return tuple(values)
        case gast.Expr(value=value):
            return (value,)
        case gast.Return(value=value):
            return () if value is None else (value,)
        case gast.Delete(targets=[gast.Name(id=id_)]):
            return (syntax.name(id_),)
    return tuple(child for child in gast.iter_child_nodes(statement) if isinstance(child, gast.expr))


def movable(value: gast.AST) -> bool:
    """Whether evaluating an expression changes nothing: operators and loads, no `pop`, no function of the program."""
    for node in syntax.calls_in(value):
        operator = syntax.operator_of(node)
        if operator is not None and operator not in schema.OPERATORS and operator not in IDLE:
            return False
    return True
