"""Which statements of one example can be done for all at once, and which stay in a loop over the examples.

    z = matmul(w, x)        one product                 `pays`: better than a product in a loop
    for t in range(...)     the loop stays outside      its bounds are those of all examples
    while delta > 1e-9      stays in a loop             each example leaves it when it is done
    k = 1 / n               stays in a loop             of the examples that raise, the first one in order counts

Takes a typed function and what varies in it; gives answers, and a reason for `explain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import gast

from ... import syntax
from ...analysis.def_use import def_use
from ...analysis.failure import failures, never_fails
from ...ops.batching import raises_by_example
from ...ops.schema import OPERATORS
from ...program import Function
from ...types import ListOf, rank
from .crossing import crosses
from .stacking import Stacking, static_of
from .varying import Varying, items_of


class Judge:
    """Answers about the statements of one function, each found once."""

    def __init__(
        self, function: Function, varying: Varying, stacking: Stacking, axis_name: str | None = None
    ) -> None:
        self.function, self.varying, self.stacking, self.axis_name = function, varying, stacking, axis_name
        self.failures = failures(function)
        self.merged = {n for n, found in def_use(function).definitions.items() if len(found) > 1}
        self._reasons: dict[int, str] = {}
        self._raises: dict[int, bool] = {}
        self._pays: dict[int, bool] = {}
        self._crosses: dict[int, bool] = {}

    def involves(self, statement: gast.stmt) -> bool:
        """Whether a statement, or one inside it, has to do with what varies."""
        return any(
            self.varying.reads(s) or not self.varying.names.isdisjoint(changed(s)) for s in syntax.walk([statement])
        )

    def crosses(self, statement: gast.stmt) -> bool:
        """Whether a statement needs all examples, or one inside it does: no loop over the examples is around it."""
        if id(statement) not in self._crosses:
            self._crosses[id(statement)] = crosses(statement, self.axis_name)
        return self._crosses[id(statement)]

    # --- statements that stay in a loop

    def reason(self, statement: gast.stmt) -> str:
        """Why a statement stays in a loop over the examples; empty where it need not."""
        if id(statement) not in self._reasons:
            self._reasons[id(statement)] = self._reason(statement) if self.involves(statement) else ""
        return self._reasons[id(statement)]

    def _reason(self, statement: gast.stmt) -> str:
        if self.crosses(statement):
            return ""
        match statement:
            case gast.While(test=test) if self.varying.reads(test):
                return "its test depends on the example"
            case gast.If(test=test) if self.varying.reads(test):
                return "its test depends on the example"
            case gast.For(iter=bounds) if self.varying.reads(bounds):
                return "how often it runs depends on the example"
            case gast.For() | gast.While() if self.raises(statement):
                return "it may raise, and the first example that does is heard"
            case gast.For() | gast.While() | gast.If():
                return "its lengths depend on the example" if self._lets_out_ragged(statement) else ""
            case gast.Raise() | gast.Expr():
                return "each example has its own"
        if self.raises(statement):
            return "it may raise, and the first example that does is heard"
        if any(map(self.varying.is_ragged, (*syntax.names_read(statement), *syntax.names_bound(statement)))):
            return "its lengths depend on the example"
        return "" if self._has_form(statement) else "it has no form for all examples at once"

    def _lets_out_ragged(self, statement: gast.stmt) -> bool:
        inside = list(syntax.walk([statement]))
        ragged = {n for s in inside for n in (*syntax.names_read(s), *changed(s)) if self.varying.is_ragged(n)}
        return any(self.is_seen_outside(name, inside) for name in ragged)

    def is_seen_outside(self, name: str, statements: Iterable[gast.stmt]) -> bool:
        """Whether other statements than these mention a name."""
        own = {id(s) for s in statements}
        return any(name in mentioned(s) for s in syntax.walk(self.function.body) if id(s) not in own)

    def _has_form(self, statement: gast.stmt) -> bool:
        stacking = self.stacking
        stacking.builder.body = []
        match statement:
            case gast.Assign(targets=[gast.Subscript()]):
                return stacking.store(statement) is not None
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                if syntax.operator_of(value) == "dim" and name not in self.varying.names:
                    return True
                return stacking.value(value, self.varying.types[name]) is not None
        return isinstance(statement, gast.Pass | gast.Delete | gast.Return)

    # --- statements that may raise for some examples only

    def raises(self, statement: gast.stmt, control: bool = False) -> bool:
        """Whether a statement may raise for one example where it does not for another."""
        if control:
            return self.failures.statement_can_fail(statement)
        if id(statement) not in self._raises:
            self._raises[id(statement)] = self._may_raise(statement)
        return self._raises[id(statement)]

    def _may_raise(self, statement: gast.stmt) -> bool:
        blocks = syntax.blocks_of(statement)
        if blocks:
            head = statement.iter if isinstance(statement, gast.For) else statement.test
            control = self.varying.reads(head)
            if control and self.failures.can_fail(head):
                return True
            return any(self.raises(s, control) for block in blocks for s in block)
        if not self.varying.reads(statement):
            return False
        match statement:
            case gast.Raise():
                return True
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                return self._index_raises(place, statement) or self._value_misfits(statement, value)
            case gast.Assign(value=gast.Subscript() as load):
                return self._index_raises(load, statement)
            case gast.Assign(value=gast.Call() as call) | gast.Expr(value=gast.Call() as call):
                return self._call_raises(call)
        return False

    def _index_raises(self, place: gast.Subscript, statement: gast.stmt) -> bool:
        if isinstance(self.varying.types.get(place.value.id), ListOf):
            return place.value.id in self.varying.names
        return any(map(self.varying.reads, items_of(place.slice))) and not never_fails(self.function, statement)

    def _value_misfits(self, statement: gast.stmt, value: gast.expr) -> bool:
        """Whether a value may have no place in an array of ints."""
        return self.varying.reads(value) and rank(self.stacking.type_of(value)) == 0 and (
            self.failures.statement_kind(statement) > 1
        )  # fmt: skip

    def _call_raises(self, call: gast.Call) -> bool:
        row = OPERATORS.get(syntax.operator_of(call) or "")
        if row is None:
            return self.failures.can_fail(call)
        operands = [self.stacking.operand(a) for a in call.args]
        shared_matrix = row.batch is not None and bool(operands) and not operands[0].varies
        return raises_by_example(row, operands, static_of(row, call), shared_matrix)

    # --- what is better done for all examples at once

    def pays(self, statement: gast.stmt) -> bool:
        """Whether a statement holds a product or a solution in which all examples share a side, or needs them all."""
        if id(statement) not in self._pays:
            self._pays[id(statement)] = self.crosses(statement) or (
                not self.reason(statement) and self._shares_a_side(statement)
            )
        return self._pays[id(statement)]

    def _shares_a_side(self, statement: gast.stmt) -> bool:
        """Whether all examples share a side, or a library takes those of all of them one below the other."""
        blocks = syntax.blocks_of(statement)
        if blocks:
            return any(self.pays(s) for block in blocks for s in block)
        call = getattr(statement, "value", None)
        row = OPERATORS.get(syntax.operator_of(call) or "") if call is not None else None
        if row is None or row.kind not in ("contraction", "library"):
            return False
        varies = {self.stacking.varies(a) for a in call.args}
        return varies == {True, False} or row.batch is not None and len(row.operands) == 1 and varies == {True}


def changed(statement: gast.stmt) -> list[str]:
    """The names that a statement itself binds, or whose elements it changes."""
    base = syntax.stored_base(statement)
    return [*syntax.names_bound(statement), *([base] if base else [])]


def mentioned(statement: gast.stmt) -> set[str]:
    """The names that a statement itself mentions, those in its blocks left out."""
    nodes = syntax.own_nodes(statement)
    return {node.id for node in nodes if isinstance(node, gast.Name)}


def in_order(statements: Sequence[gast.stmt], judge: Judge) -> list[list[int]]:
    """The positions of the statements that may raise for some examples only, between those that need all examples."""
    found: list[list[int]] = [[]]
    for place, statement in enumerate(statements):
        if judge.crosses(statement):
            found.append([])
        elif judge.involves(statement) and judge.raises(statement):
            found[-1].append(place)
    return found

