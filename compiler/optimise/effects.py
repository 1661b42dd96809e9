"""What a statement of the loops stage does: the names it reads and binds, the arrays it loads from and stores into.

    for i in prange(n):           binds  i, t       reads  x, y, n       loads  x       stores  y       cannot fail
        t = sin(x[i])
        y[i] = t * t

Arrays that may share memory have one name here, that of their storage class.  Two statements may be reordered unless
they `clash`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import gast

from .. import syntax
from ..analysis.expression_types import Held, is_scalar_operator, type_of
from ..analysis.failure import INDEX, NOTHING, elementwise_fails, failures, may_fail_on_scalars
from ..analysis.integers.nest_scope import NestScope
from ..analysis.integers.ranges import ranges
from ..analysis.integers.values import Integers
from ..analysis.memory.accesses import elements_in
from ..analysis.memory.storage import storage_classes
from ..ops.forms import FORMS, LIBRARY, LIST_READS, WHOLE
from ..ops.schema import row_of
from ..program import Function
from ..records import dataclass
from ..types import Array, Scalar
from .known import KnownNests


@dataclass(slots=True, eq=False)
class Effects:
    """`exposed` are the names whose value from before the statement it may read; `counts` has every mention of a name.

    `opaque` says that it does something that nothing else may pass: a call, a list operation, a return.
    """

    reads: AbstractSet[str]
    binds: AbstractSet[str]
    exposed: AbstractSet[str]
    counts: Mapping[str, int]
    loads: set[str]
    stores: set[str]
    fails: bool = False
    opaque: bool = False

    def without(self, names: AbstractSet[str]) -> Effects:
        """The effects without those on these private names."""
        return Effects(
            self.reads - names, self.binds - names, self.exposed - names, self.counts, self.loads, self.stores,
            self.fails, self.opaque,
        )  # fmt: skip


def clash(first: Effects, second: Effects) -> bool:
    """Whether the order of two statements matters."""
    return bool(
        first.opaque or second.opaque or (first.fails and second.fails)
        or not first.binds.isdisjoint(second.reads) or not first.binds.isdisjoint(second.binds)
        or not first.reads.isdisjoint(second.binds) or not first.stores.isdisjoint(second.loads)
        or not first.stores.isdisjoint(second.stores) or not first.loads.isdisjoint(second.stores)
    )  # fmt: skip


class ReadCollector:
    """Tells the effects of statements of one function; the trees must stay as they are.

    `in_place` says that no statement is to be reordered: then guards ahead of it count for what it can fail of, and
    so does that lowering compares the lengths of all arrays ahead of a nest over their elements, or has proved them.
    """

    def __init__(self, function: Function, known: KnownNests, in_place: bool = False) -> None:
        self.types = function.types
        self.held: Held = {}
        self.integers = Integers(function)
        self.classes = storage_classes(function)
        self.known, self.in_place = known, in_place
        self._effects: dict[int, tuple[gast.stmt, Effects]] = {}

    def of(self, statement: gast.stmt, scope: NestScope | None = None) -> Effects:
        known = self._effects.get(id(statement))
        if known is None:
            said = self.known.mentions(statement)
            found = Effects(said.reads, said.binds, said.exposed, said.counts, set(), set())
            self._statement(statement, scope or NestScope(), found)
            known = self._effects[id(statement)] = statement, found
        return known[1]

    def _block(self, statements: Iterable[gast.stmt], scope: NestScope, into: Effects) -> None:
        for statement in statements:
            found = self.of(statement, scope)
            into.loads |= found.loads
            into.stores |= found.stores
            into.fails, into.opaque = into.fails or found.fails, into.opaque or found.opaque
            if self.in_place:
                scope = self.integers.behind(scope, statement)

    def _statement(self, node: gast.stmt, scope: NestScope, into: Effects) -> None:
        match node:
            case gast.For():
                self._loop(node, scope, into)
            case gast.If(test=test, body=body, orelse=orelse):
                self._expression(test, scope, into)
                self._block(body, scope, into)
                self._block(orelse, scope, into)
            case gast.While(test=test, body=body):
                self._expression(test, scope, into)
                self._block(body, self.integers.within(scope, node), into)
                into.fails = True  # it may run for ever
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self._value(name, value, scope, into)
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as place], value=value) if isinstance(
                self.types.get(base), Array
            ):
                self._expression(value, scope, into)
                self._element(place, scope, into, into.stores)
            case gast.Expr(value=gast.Call(args=args) as call) if syntax.operator_of(call) in LIBRARY:
                for role, array in zip(FORMS[str(syntax.operator_of(call))].operands, args, strict=True):
                    (into.loads if role == "in" else into.stores).add(self.classes[array.id])
                into.fails = True
            case gast.Raise(exc=exc):
                self._opaque(exc, into)
                into.opaque, into.fails = False, True
                into.stores.clear()
            case gast.Pass():
                pass
            case _:
                self._opaque(node, into)

    def _loop(self, node: gast.For, scope: NestScope, into: Effects) -> None:
        step = node.iter.args[2]
        for bound in node.iter.args:
            self._expression(bound, scope, into)
        self._block(node.body, self.integers.within(scope, node), into)
        if not (isinstance(step, gast.Constant) and step.value != 0):
            into.fails = True

    def _opaque(self, node: gast.AST, into: Effects) -> None:
        """Something of which no more is known than the names in it."""
        for name in syntax.names_read(node):
            if name in self.classes:
                into.loads.add(self.classes[name])
                into.stores.add(self.classes[name])
        into.opaque = True

    # --- expressions

    def _value(self, name: str, value: gast.expr, scope: NestScope, into: Effects) -> None:
        """The right-hand side of an assignment to a name."""
        if isinstance(self.types.get(name), Scalar):
            self._expression(value, scope, into)
        elif not (isinstance(value, gast.Name) or syntax.operator_of(value) in WHOLE):
            self._opaque(value, into)

    def _expression(self, node: gast.expr, scope: NestScope, into: Effects) -> None:
        kind = type(node)
        if kind is gast.Constant or kind is gast.Name:
            return None
        match node:
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name()]):
                pass
            case gast.Subscript(value=gast.Name(id=base)) if isinstance(self.types.get(base), Array):
                self._element(node, scope, into, into.loads)
            case gast.Call(args=args) if is_scalar_operator(operator := str(syntax.operator_of(node))):
                if operator in LIST_READS:
                    return self._opaque(node, into)
                if not into.fails and may_fail_on_scalars(operator):
                    operands = [type_of(a, self.types, self.held) for a in args]
                    into.fails = elementwise_fails(operator, operands, syntax.static_of(node))
                self._all(args, scope, into)
            case gast.BoolOp(values=parts):
                self._all(parts, scope, into)
            case gast.IfExp(test=test, body=body, orelse=orelse):
                self._all([test, body, orelse], scope, into)
            case _:
                self._opaque(node, into)

    def _all(self, parts: Sequence[gast.expr], scope: NestScope, into: Effects) -> None:
        for part in parts:
            self._expression(part, scope, into)

    def _element(self, node: gast.Subscript, scope: NestScope, into: Effects, classes: set[str]) -> None:
        base = node.value.id
        classes.add(self.classes[base])
        for item, extent in zip(node.slice.elts, self.types[base].dims, strict=True):  # type: ignore[union-attr]
            if self.in_place and _runs_along(item, scope):
                continue
            if not self.integers.is_inside(item, extent, scope):
                into.fails = True
                self._expression(item, scope, into)


def _runs_along(item: gast.expr, scope: NestScope) -> bool:
    """Whether an index is that of a nest over the elements of arrays, whose lengths have been compared ahead of it."""
    nests = [syntax.operator_of(loop.statement.iter) == "prange" for loop in scope.loops if loop.variable]
    inner = [loop.variable for loop in scope.loops if loop.variable][nests.index(True) :] if any(nests) else []
    return isinstance(item, gast.Name) and item.id in inner


def are_cheap(function: Function, values: Sequence[gast.expr], most: int) -> bool:
    """Whether values may as well be made for nothing: by few light operators, of elements that are there."""
    rows = [row_of(syntax.operator_of(call)) for tree in values for call in syntax.calls_in(tree)]
    if len(rows) > most or not all(row is not None and row.work in ("free", "light") for row in rows):
        return False
    kinds = {failures(function).kind(tree) for tree in values}
    places = [place for tree in values for place in elements_in(tree)]
    return kinds <= {NOTHING, INDEX} and all(map(ranges(function).proves, places))
