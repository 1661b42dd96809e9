"""What is known while the tangents of one function are written: which atom holds the tangent of a name.

    nothing           the tangent is zero: no name, no zeros
    dots["y"] = t     a number or an array; that of another name, where they are equal and stay so
    merged            a name that several statements assign has one tangent, which they assign as well

A list has a list of tangents, as long as it is at every point.  Of higher derivatives along a curve each order has a
record of its own, which writes to the same function; a name has derivatives of all orders or of none.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gast

from ... import syntax
from ...analysis.activity import Activity
from ...analysis.def_use import def_use
from ...analysis.regions import stored_array
from ...builder import Builder
from ...names import Names, base_of
from ...ops.cotangents import length, shape_of
from ...ops.schema import row_of
from ...ops.tangents import fitted, zeros
from ...ops.type_rules import dims_of
from ...program import Function
from ...types import Array, Dim, ListOf, Type, symbol, symbols_of

OTHER_SHAPE = "a tangent has an axis of length {} where its primal has {}"


class Tangents:
    """Of one function: the tangents so far, and the statements as they are written.

    order   which derivative along the curve they are
    orders  the records of all orders, this one among them
    ready   the derivatives of what the statement assigns that is being written, where they were made with those of the
            other orders
    """

    def __init__(self, function: Function, facts: Activity, program: Any) -> None:
        self.function, self.facts, self.program = function, facts, program
        self.active = facts.names | _lists_that_join(function, facts, program)
        self.types = dict(function.types)
        self.lengths = {s for type_ in function.types.values() for s in symbols_of(type_)}
        self.names = Names({*function.types, *function.parameters})
        self.builder = Builder(self.names, self.types)
        self.builder.specialiser = program.specialiser
        known = def_use(function)
        self.merged = {n for n in function.types if not known.is_constant(n)}
        self.builder.merged = set(self.merged)
        self.stored = {base for s in syntax.walk(function.body) if (base := stored_array(s)) is not None}
        self.dots: dict[str, gast.expr] = {}
        self.changing: set[str] = set()  # tangents that do not keep their value or their elements
        self.order = 1
        self.ready: Mapping[str, gast.expr | None] | None = None
        self.orders = [self, *map(self._of_order, range(2, program.order + 1))]

    def _of_order(self, order: int) -> Tangents:
        made = copy.copy(self)
        made.order, made.dots, made.changing = order, {}, set()
        return made

    def at(self, statement: gast.stmt) -> None:
        """What is written from now on stands where this statement does."""
        self.builder.span = getattr(statement, "span", None)
        self.builder.inlined = getattr(statement, "inlined", ())

    # --- names

    def hint(self, name: str) -> str:
        return dotted(base_of(name), self.order)

    def parameter(self, name: str, type_: Type) -> str:
        """The parameter for the tangent of a parameter; one of them may be weak and the other not."""
        made = self.names.fresh(dotted(name, self.order))
        self.types[made] = self._with_lengths(made, type_)
        value: gast.expr = syntax.name(made)
        if isinstance(type_, ListOf):
            self.dots[name] = value
            return made
        value = self._checked(value, syntax.name(name))
        if name in self.active:
            self.dots[name] = self.own(name, fitted(self.builder, value, syntax.name(name), self.hint(name)), False)
        return made

    def _with_lengths(self, name: str, type_: Type) -> Type:
        """Lengths written `any` become symbols of their own."""
        if not isinstance(type_, Array):
            return type_
        dims = (self.builder.fresh_symbol(name) if d == symbol("any") else d for d in type_.dims)
        return Array(type_.dtype, tuple(dims), type_.layout)

    def _checked(self, value: gast.expr, like: gast.expr) -> gast.expr:
        """A tangent that is passed in; lengths that are not known to be those of the primal are compared."""
        given, wanted = dims_of(self.builder.type_of(value)), dims_of(self.builder.type_of(like))
        axes = [axis for axis, (one, other) in enumerate(zip(given, wanted)) if one != other]
        for axis in axes:
            mine, its = (length(self.builder, atom, axis) for atom in (value, like))
            test = self.builder.call("not_equal", mine, its, hint="differs")
            fault = syntax.raise_("ValueError", OTHER_SHAPE, mine, its, span=self.builder.span)
            self.builder.append(syntax.if_(test, [fault], [], self.builder.span))
        if not axes:
            return value
        shape = shape_of(self.builder, like)
        return self.declared(self.builder.call("reshape", value, hint="t_dot", shape=shape), like)

    def unchanged(self, parameter: str) -> None:
        """A parameter that has no tangent, into which values that have one may be stored."""
        if parameter in self.active and parameter in self.stored:
            self.dots[parameter] = self.zero(syntax.name(parameter), self.hint(parameter))

    def of_result(self, name: str, type_: Type) -> str:
        """A new name for the tangent of a result of a call, which is as long as the result."""
        made = self.names.fresh(self.hint(name))
        if isinstance(type_, Array):
            type_ = Array(type_.dtype, dims_of(self.types[name]), type_.layout)
        self.types[made] = type_
        return made

    def merged_name(self, name: str) -> str:
        """The one tangent of a name that several statements assign."""
        known = self.dots.get(name)
        if isinstance(known, gast.Name):
            return str(known.id)
        made = self.names.fresh(self.hint(name))
        self.types[made] = self.function.types[name]
        self.builder.merged.add(made)
        self.changing.add(made)
        self.dots[name] = syntax.name(made)
        return made

    def is_ordered(self, name: str) -> bool:
        """Whether the tangent of a name is in C order, as the name is."""
        type_ = self.types[name]
        return isinstance(type_, Array) and type_.layout == "C"

    # --- tangents as they are read

    def of(self, atom: gast.expr) -> gast.expr | None:
        """The tangent of an atom; None where it is zero."""
        return self.dots.get(atom.id) if isinstance(atom, gast.Name) and atom.id in self.active else None

    def full(self, atom: gast.expr, is_ordered: bool, hint: str = "t_dot") -> gast.expr:
        """The tangent of an atom, zeros for none, in the lengths of its type; in C order where that is asked for."""
        value = self.of(atom)
        if value is None:
            return self.zero(atom, hint)
        value = self._in_lengths(value, atom, hint)
        given = self.builder.type_of(value)
        if is_ordered and isinstance(given, Array) and given.layout != "C":
            return self.declared(self.builder.call("copy", value, hint=hint), atom)
        return value

    def _in_lengths(self, value: gast.expr, like: gast.expr, hint: str) -> gast.expr:
        """A tangent of the shape of its primal under the symbols that this has."""
        given = self.builder.type_of(value)
        if not isinstance(given, Array) or given.dims == dims_of(self.builder.type_of(like)):
            return value
        shape = shape_of(self.builder, like)
        return self.declared(self.builder.call("reshape", value, hint=hint, shape=shape), like)

    def zero(self, atom: gast.expr, hint: str) -> gast.expr:
        return self.declared(zeros(self.builder, atom, hint), atom)

    def declared(self, made: gast.expr, like: gast.expr) -> gast.expr:
        """State the lengths of a new array as those of its primal, which they are."""
        given = self.builder.type_of(made)
        if isinstance(made, gast.Name) and isinstance(given, Array):
            self.types[made.id] = Array(given.dtype, dims_of(self.builder.type_of(like)), given.layout)
        return made

    # --- tangents as they are made

    def make(self, name: str, value: gast.expr | None, is_alike: bool = True) -> None:
        """The tangent of a name that is assigned here, once; `is_alike` says that it was made as its primal was."""
        if value is None:
            self.dots.pop(name, None)
            return
        value = self._named(value, self.hint(name))
        if is_alike:
            self._state_lengths(name, value)
        else:
            value = self._in_lengths(value, syntax.name(name), self.hint(name))
        value = self.dots[name] = self.own(name, value, self._is_fresh(value))
        if name in self.stored and isinstance(value, gast.Name):
            self.changing.add(value.id)

    def _named(self, value: gast.expr, hint: str) -> gast.expr:
        """The value, called after what it is the tangent of if the last statement gave it a passing name."""
        last = self.builder.body[-1] if self.builder.body else None
        if not isinstance(value, gast.Name) or base_of(value.id) not in ("t", "t_dot") or hint == "t_dot":
            return value
        if last is None or list(syntax.names_bound(last)) != [value.id]:
            return value
        made = self.names.fresh(hint)
        self.types[made] = self.types.pop(value.id)
        self.builder.body[-1] = syntax.rebuild(last, targets=[syntax.target(made)])
        return syntax.name(made)

    def _state_lengths(self, name: str, value: gast.expr) -> None:
        """Lengths of which nothing is known by themselves are those of the primal."""
        given, wanted = self.builder.type_of(value), self.types[name]
        if isinstance(given, Array) and isinstance(wanted, Array) and isinstance(value, gast.Name):
            pairs = zip(given.dims, wanted.dims, strict=True)
            dims = (w if isinstance(g, Dim) and not self.lengths.issuperset(g.symbols()) else g for g, w in pairs)
            self.types[value.id] = Array(given.dtype, tuple(dims), given.layout)

    def _is_fresh(self, value: gast.expr) -> bool:
        """Whether the last statement made a new array, which nothing else has."""
        last = self.builder.body[-1] if self.builder.body else None
        if last is None or not isinstance(value, gast.Name) or value.id not in syntax.names_bound(last):
            return False
        row = row_of(syntax.operator_of(last.value))
        return row is not None and row.shares == "copy"

    def own(self, name: str, value: gast.expr, is_fresh: bool) -> gast.expr:
        """The tangent under a name of its own, where it could become another value than that of the name it has."""
        if not isinstance(value, gast.Name) or is_fresh:
            return value
        if name in self.stored:
            return self.builder.call("copy", value, hint=self.hint(name))
        if value.id in self.changing:
            return self.builder.bind(value, self.types[value.id], self.hint(name))
        return value


def dotted(name: str, order: int) -> str:
    """What the derivative of this order is called."""
    return f"{name}_dot" if order == 1 else f"{name}_dot{order}"


def _lists_that_join(function: Function, facts: Activity, program: Any) -> frozenset[str]:
    """Lists of constants that may be, by another name or in a function that is called, where one has tangents."""
    pairs: list[tuple[str, str]] = []
    found: set[str] = set()
    for statement in syntax.walk(function.body):
        value = getattr(statement, "value", None)
        callee = syntax.operator_of(value) if isinstance(value, gast.Call) else None
        if isinstance(statement, gast.Assign) and isinstance(value, gast.Name):
            pairs += [(name, value.id) for name in syntax.names_bound(statement)]
        elif callee in program.program.functions:
            taken = zip(program.program.functions[callee].parameters, value.args)
            found |= {a.id for p, a in taken if p in program.facts[callee].parameters and isinstance(a, gast.Name)}
    found = {name for name in found if isinstance(function.types[name], ListOf)}
    pairs = [pair for pair in pairs if isinstance(function.types[pair[1]], ListOf)]
    grown = True
    while grown:
        before = len(found)
        found |= {source for name, source in pairs if name in found or name in facts.names}
        grown = len(found) != before
    return frozenset(found - {*function.parameters})
