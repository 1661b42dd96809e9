"""One statement for all examples: its names then hold the values of all of them along a first axis.

    y = multiply(x, w)     ->     y = multiply(x, w)           x: f64[batch, n], w: f64[n]
    r = x[i]                      r = x[:, i]
    u = 0.0                       u = full(0.0, shape=(batch,))     where `u` varies later on
    a[i] = v                      a[:, i] = v

Takes a statement of one example that stands under no test and in no loop that the examples decide; None where it has
no such form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from ... import syntax
from ...builder import Builder
from ...dtypes import is_bool
from ...names import Names
from ...ops import batching, indexing
from ...ops.batching import Examples, Operand, stacked
from ...ops.schema import OPERATORS, Operator, TypeFault
from ...ops.type_rules import normal_axis
from ...types import INT, Array, ListOf, Scalar, Type, rank
from .varying import Varying, items_of


class Stacking:
    """Writes statements for all examples into a builder, whose table has the types of the values of all of them."""

    def __init__(self, builder: Builder, varying: Varying, examples: Examples) -> None:
        self.builder, self.varying, self.examples = builder, varying, examples
        self.types = varying.types  # in one example

    def varies(self, node: gast.AST) -> bool:
        return isinstance(node, gast.Name) and node.id in self.varying.names

    def type_of(self, atom: gast.expr) -> Type:
        """The type in one example."""
        return self.types[atom.id] if isinstance(atom, gast.Name) else self.builder.type_of(atom)

    def operand(self, atom: gast.expr) -> Operand:
        return Operand(atom, self.type_of(atom), self.varies(atom))

    # --- values

    def value(self, value: gast.expr, result: Type) -> gast.expr | None:
        """The atom of an assigned value for all examples, given its type in one; None where it has no such form."""
        if isinstance(result, ListOf):
            return None
        try:
            match value:
                case gast.Name() | gast.Constant():
                    return value if self.varies(value) else self.spread(value, result)
                case gast.Subscript(value=gast.Name(id=base)):
                    return self._load(base, items_of(value.slice), result)
                case gast.Call():
                    return self._operator(value, result)
        except TypeFault:
            pass
        return None

    def spread(self, atom: gast.expr, result: Type) -> gast.expr:
        """A value that all examples have, once for each."""
        if isinstance(self.builder.type_of(atom), Array):
            return self.builder.call("copy", batching.repeated(self.builder, atom, self.examples))
        shape = syntax.tuple_([self.examples.count])
        made = stacked(result, self.examples.extent)
        return batching.emit(self.builder, "full", [atom], made, shape=shape, dtype=made.dtype)

    def _operator(self, call: gast.Call, result: Type) -> gast.expr | None:
        row = OPERATORS.get(syntax.operator_of(call) or "")
        if row is None or row.results > 1 or any(map(self.varying.reads, call.keywords)):
            return None
        operands = [self.operand(a) for a in call.args]
        if not any(o.varies for o in operands) and (row.kind != "creation" or row.batch is None):
            return self.spread(self.builder.bind(call, result), result)
        return batching.batched_form(self.builder, row, operands, static_of(row, call), result, self.examples)

    def _load(self, base: str, items: Sequence[gast.expr], result: Type) -> gast.expr | None:
        if isinstance(self.types[base], ListOf) or any(map(self.varying.reads, items)):
            return None
        if base not in self.varying.names:
            return self.spread(self.builder.bind(syntax.index(base, *items), result), result)
        if not self.has_first_axis(items):
            return None
        items = [syntax.slice_(), *items]
        found = indexing.index_type(self.builder, self.builder.types[base], items)
        made = stacked(result, self.examples.extent, found.layout)
        return self.builder.bind(syntax.index(base, *items), made)

    def has_first_axis(self, items: Sequence[gast.expr]) -> bool:
        """Whether the axis of the examples stays first: that of index arrays that are no neighbours comes before it."""
        arrays = [k for k, item in enumerate(items) if isinstance(self._kind(item), Array)]
        if not arrays:
            return True
        if any(is_bool(self._kind(items[k]).dtype) for k in arrays):
            return False
        places = [k for k, item in enumerate(items) if isinstance(self._kind(item), Array | Scalar)]
        return places[-1] - places[0] + 1 == len(places)

    def _kind(self, item: gast.expr) -> Type | None:
        if isinstance(item, gast.Slice) or indexing.is_new_axis(item):
            return None
        return self.type_of(item)

    # --- statements

    def store(self, statement: gast.Assign) -> gast.stmt | None:
        """`a[items] = v` for all examples, where all of them store at one index."""
        place: Any = statement.targets[0]
        items, value = items_of(place.slice), self.operand(statement.value)
        if any(map(self.varying.reads, items)) or any(isinstance(self._kind(i), Array) for i in items):
            return None
        try:
            wanted = indexing.index_type(self.builder, self.types[place.value.id], items)
            atom = batching.aligned(self.builder, value, rank(wanted))
        except TypeFault:
            return None
        return syntax.store(place.value.id, [syntax.slice_(), *items], atom)

    def lengths(self, node: Any) -> Any:
        """An expression that does not vary, with the axes whose lengths it asks for."""
        if isinstance(node, gast.Call) and syntax.operator_of(node) == "dim" and self.varies(node.args[0]):
            axis = normal_axis(syntax.static_of(node)["axis"], rank(self.type_of(node.args[0])))
            return syntax.call("dim", node.args[0], axis=axis + 1)
        if isinstance(node, gast.Call):
            return syntax.rebuild(node, args=[self.lengths(a) for a in node.args])
        if isinstance(node, gast.BoolOp):
            return syntax.rebuild(node, values=[self.lengths(v) for v in node.values])
        return node


def static_of(row: Operator, call: gast.Call) -> dict[str, Any]:
    return {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(call)


def trial(varying: Varying, examples: Examples) -> Stacking:
    """One that writes into a builder of its own, to ask whether there is a form."""
    table: dict[str, Type] = {
        name: stacked(t, examples.extent) if name in varying.names and not isinstance(t, ListOf) else t
        for name, t in varying.types.items()
    }
    if isinstance(examples.count, gast.Name):
        table[examples.count.id] = INT
    return Stacking(Builder(Names(table), table), varying, examples)
