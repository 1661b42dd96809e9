"""Fold temporaries that are read once back into the expression that reads them.

    t = multiply(w, x)                   ->     y = add(multiply(w, x), b)
    y = add(t, b)

Takes and gives typed or loops statements, the given ones nested.  Keeps the meaning in CPython, errors too: a value
moves only past statements that neither assign what it reads, nor store into what it may show, nor raise where it could
raise itself; it never moves into a loop, a branch or the lazy part of an expression that could skip its error.
Keeps the user's names, and lines within `width`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import gast

from ... import syntax
from ...analysis.def_use import DefUse, def_use, expressions_of, movable, reads_of
from ...analysis.failure import ANY, NOTHING, failures
from ...analysis.made_names import temporaries_of
from ...analysis.memory.alias import AliasClasses, regions, stored_names
from ...analysis.result_types import result_type
from ...diagnostics import Span
from ...ops import schema
from ...ops.forms import CHANGES_FIRST, LIST_READS
from ...program import Function
from ...records import dataclass
from ...renaming import map_body, map_expression, map_statement, replace_reads, with_blocks
from ...types import INT, ListOf, Scalar, Type

Measure = Callable[[gast.stmt, int], int]


@dataclass(slots=True)
class Pending:
    """A value that waits for the statement that reads it."""

    index: int
    value: gast.expr
    reads: frozenset[str]
    fails: int
    inlined: tuple[Span, ...]  # the calls that it was inlined through


def fold(function: Function, measure: Measure, width: int = 100, numbers_only: bool = False) -> list[gast.stmt]:
    """The body with temporaries folded; `measure` gives the printed width of a statement's first line.

    With `numbers_only` arrays keep their names, as the language of loops wants it.
    """
    function = with_index_arithmetic(function)
    return _Folder(function, measure, width, numbers_only).block(function.body, 1)


def with_index_arithmetic(function: Function) -> Function:
    """The function with `j = i - 1` written out wherever `j` is read: it costs nothing, cannot fail and says more."""
    facts = def_use(function)
    values: dict[str, gast.expr] = {}
    for name in temporaries_of(function):
        match facts.value_of(name):
            case gast.Call(func=gast.Name(id=op), args=[gast.Name(id=base), gast.Constant()]) as value if _is_sum(op):
                if function.types.get(name) == INT == function.types.get(base) and keeps(base, name, function, facts):
                    values[name] = value
    if not values:
        return function

    def written(id_: str) -> object:
        return map_expression(values[id_], written) if id_ in values else id_

    body = map_body(function.body, lambda s: map_statement(s, written, lambda id_: id_))
    return function.with_(body=tuple(_without(body, values)))


def _is_sum(operator: str) -> bool:
    row = schema.row_of(operator)
    return row is not None and row.is_sum


def keeps(base: str, name: str, function: Function, facts: DefUse) -> bool:
    """Whether a name has the value it had when another one was computed from it, wherever that is read."""
    definitions = facts.definitions.get(base, ())
    if len(definitions) + (base in function.parameters) == 1:
        return True
    if base in function.parameters or not all(isinstance(d, gast.For) for d in definitions):
        return False
    # the variable of several loops: all is well inside one of them
    for loop in definitions:
        inside = list(syntax.walk(loop.body))
        whole = sum(reads_of(s).count(name) for s in inside) == facts.count.get(name, 0)
        if whole and facts.definitions[name][0] in inside:
            return not any(base in syntax.names_bound(s) for s in inside)
    return False


def _without(statements: Sequence[gast.stmt], names: dict[str, gast.expr]) -> list[gast.stmt]:
    kept = [s for s in statements if names.keys().isdisjoint(syntax.names_bound(s))]
    return [with_blocks(s, [_without(block, names) for block in syntax.blocks_of(s)]) for s in kept]


class _Folder:
    def __init__(self, function: Function, measure: Measure, width: int, numbers_only: bool) -> None:
        self.types, self.measure, self.width = function.types, measure, width
        self.failures = failures(function)
        self.regions: AliasClasses = regions(function)
        uses = def_use(function)
        self.candidates = {
            name for name in temporaries_of(function) if uses.count.get(name) == 1 and uses.is_single(name)
            and not (numbers_only and not isinstance(self.types.get(name), Scalar))
        }  # fmt: skip

    def block(self, statements: Sequence[gast.stmt], depth: int) -> list[gast.stmt]:
        pending: dict[str, Pending] = {}
        folded: list[gast.stmt | None] = []
        for statement in statements:
            statement = self.absorb(statement, pending, folded, depth)
            self.invalidate(statement, pending)
            self.offer(statement, pending, len(folded))
            folded.append(self.inside(statement, depth))
        return [s for s in folded if s is not None]

    def inside(self, statement: gast.stmt, depth: int) -> gast.stmt:
        """The statement with the blocks in it folded."""
        match statement:
            case gast.If(body=body, orelse=orelse):
                made = self.block(body, depth + 1), self.block(orelse, depth + 1)
                return syntax.rebuild(statement, body=made[0], orelse=made[1])
            case gast.For(body=body) | gast.While(body=body):
                return syntax.rebuild(statement, body=self.block(body, depth + 1))
        return statement

    def absorb(
        self, statement: gast.stmt, pending: dict[str, Pending], folded: list[gast.stmt | None], depth: int
    ) -> gast.stmt:
        """The statement with the waiting values in it; the longest ones stay outside where the line gets too long."""
        names = [n for n in readable(statement) if n in pending]
        names = [n for n in names if not (pending[n].fails and n in lazy(statement, self.types))]
        around = getattr(statement, "inlined", ())  # an error points to the line of the function that it comes from
        names = [n for n in names if not pending[n].fails or pending[n].inlined == around]
        while names := in_order(names, pending):
            values = {n: pending[n].value for n in names}
            made = replace_reads(statement, values)
            if self.measure(made, depth) <= self.width:
                for name in names:
                    folded[pending.pop(name).index] = None
                return made
            names.remove(max(names, key=lambda n: self.measure(syntax.assign("", values[n]), 0)))
        return statement

    def offer(self, statement: gast.stmt, pending: dict[str, Pending], index: int) -> None:
        if self.is_candidate(statement):
            reads = frozenset(syntax.names_read(statement.value))
            value = statement.value
            inlined = getattr(statement, "inlined", ())
            pending[statement.targets[0].id] = Pending(index, value, reads, self.failures.kind(value), inlined)

    def is_candidate(self, statement: gast.stmt) -> bool:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return name in self.candidates and movable(value)
        return False

    def invalidate(self, statement: gast.stmt, pending: dict[str, Pending]) -> None:
        """Drop the values that must not move past this statement."""
        bound: set[str] = set()
        stored: set[str] = set()
        for inner in syntax.walk([statement]):
            bound.update(syntax.names_bound(inner))
            stored.update(stored_names(inner))
            if not all(map(movable, expressions_of(inner))):
                # a function of the program, or `pop`: it may change the lists it is given
                stored.update(n for n in syntax.names_read(inner) if isinstance(self.types.get(n), ListOf))
            if isinstance(inner, gast.Delete):
                bound.update(t.id for t in inner.targets)
        waits = self.is_candidate(statement)
        fails = self.failures.statement_kind(statement) if pending and not waits else NOTHING
        staying = []
        for name, value in list(pending.items()):
            seen = any(self.regions.may_share(base, read) for base in stored for read in value.reads)
            if seen or value.reads & bound or differs(value.fails, fails):
                staying.append(pending.pop(name))
        for name, value in list(pending.items()):
            if any(differs(value.fails, other.fails) and value.index < other.index for other in staying):
                del pending[name]  # what stays in its place may raise first


def in_order(names: list[str], pending: dict[str, Pending]) -> list[str]:
    """The names without those that would raise later than something that now comes after them."""
    kept = list(names)
    for name in reversed([n for n in pending if n in names]):
        mine = pending[name]
        later = [n for n, other in pending.items() if other.index > mine.index and differs(mine.fails, other.fails)]
        if any(n not in kept or kept.index(n) < kept.index(name) for n in later):
            kept.remove(name)
    return kept


def differs(first: int, second: int) -> bool:
    """Whether it can be observed which of two failures came first."""
    return NOTHING not in (first, second) and ANY in (first, second)


def readable(statement: gast.stmt) -> list[str]:
    """The names in a statement that a value may take the place of: evaluated once, when the statement starts."""
    if isinstance(statement, gast.While | gast.Delete):
        return []
    return [name for part in expressions_of(statement) for name in _value_names(part)]


def _value_names(node: gast.AST) -> Iterator[str]:
    """Names read as values; the array of an element or of a list operation must stay a name."""
    match node:
        case gast.Subscript(slice=items):
            yield from _value_names(items)
        case gast.Call(func=gast.Name(id=operator), args=arguments, keywords=keywords):
            first = 1 if operator in CHANGES_FIRST | LIST_READS else 0
            for part in (*arguments[first:], *(k.value for k in keywords)):
                yield from _value_names(part)
        case gast.Name(id=id_):
            yield id_
        case _:
            for child in gast.iter_child_nodes(node):
                yield from _value_names(child)


def lazy(statement: gast.stmt, types: Mapping[str, Type]) -> set[str]:
    """The names that a statement reads only under a condition: after `and`, `or`, or in one arm of a choice."""
    found: set[str] = set()
    for part in expressions_of(statement):
        for node in syntax.nodes_of(part):
            match node:
                case gast.BoolOp(values=[_, *rest]):
                    arms = rest
                case gast.IfExp(body=body, orelse=orelse):
                    arms = [body, orelse]
                case gast.Call(args=operands) if (row := schema.row_of(syntax.operator_of(node))) is not None:
                    arms = [operands[position] for position in row.lazy]
                case _:
                    continue
            scalars = not isinstance(node, gast.Call) or isinstance(result_type(node, types), Scalar | None)
            found.update(n for arm in arms if scalars for n in syntax.names_read(arm))
    return found
