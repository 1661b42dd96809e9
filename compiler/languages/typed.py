"""Read typed functions and programs from text: what is printed, what a user made of it, the cases of the tests.

    # x: f64[n]   k: int   ->   f64[n]   ->   parameters ("x", "k"), types {"x": f64[n], "k": int, "t": f64[n], ...}
    def f(x, k):                              t = sin(x)
        y = np.sin(x) * k + 1.0               t_1 = multiply(t, k)
        return y                              y = add(t_1, 1.0)
                                              return (y,)

Expressions may nest; the parts get the names `t`, `t_1`, ...  Operators are infix, called as NumPy calls them or by
their typed name; static parts are keywords or, after the operands, positional.  An assignment to a name that exists
merges into it: the types of the two are joined, and casts are put where a value has another dtype.  `x: "f64" = 0.0`
fixes the type of a name, `xs: "[f64]" = []` makes a list.  Tests of `while` stay nested.  Every statement has its span.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from .. import syntax, types
from ..analysis.failure import failures
from ..builder import INFIX
from ..ops.forms import FORMS, LOOPS_OF_TYPED
from ..program import Function, Program
from ..types import Type
from .counts import values_of
from .expressions import Expressions
from .faults import shown
from .files import Definition, StageFile
from .joins import dtype_key, is_weak
from .reading import FunctionReader, read_program


def read_typed(text: str, path: str, *, headers: bool = True) -> Program:
    """The functions of a printed stage, the first of them the entry.  Raises StageError."""
    return read_program(text, path, TypedReader, headers)


ADD_AT = ("np.add.at", "add_at", "add.at")


class TypedReader(FunctionReader):
    """Every part of an expression has a name, and what is known of ints as lengths goes with them."""

    stage = "typed"
    loops = LOOPS_OF_TYPED

    def __init__(
        self, definition: Definition, known: Mapping[str, Any], file: StageFile, wanted: dict[str, Type]
    ) -> None:
        super().__init__(definition, known, file, wanted)
        self.expressions.written = lambda: values_of([*self.top, *self.builder.body], self.builder.merged, self.table)
        for name in self.parameters:
            self.count(name)

    def function(self) -> Function:
        made = super().function()
        refuse_lazy_failures(made, self.expressions)
        return made

    def count(self, name: str) -> None:
        """An int that happens to be called like a length is another number than the length."""
        if name in self.symbols and name not in self.builder.extents:
            self.builder.extents[name] = types.symbol(self.names.fresh(name))

    def operand(self, node: gast.expr) -> gast.expr:
        return self.atom(node)

    def while_test(self, test: gast.expr) -> gast.expr:
        with self.expressions.nested():
            return self.expressions.condition(test)

    def fresh_length(self, name: str) -> types.Dim:
        return self.builder.fresh_symbol(name)

    # --- statements

    def bind(self, node: gast.stmt, name: str, value: gast.expr, type_: Type) -> None:
        joined = self.joined(node, name, type_)
        as_it_is = name not in self.annotated and _is_held_weak(joined, type_)
        if dtype_key(joined) != dtype_key(type_) and not as_it_is:
            source = value if syntax.is_atom(value) else self.builder.bind(value, type_)
            value = syntax.call("cast", source, dtype=joined.dtype, weak=is_weak(joined))  # type: ignore[union-attr]
        elif joined != type_ and isinstance(type_, types.Array) and _is_computed(value):
            value = self.builder.bind(value, type_)  # an array of its own lengths, which a merged name does not tell
        if name not in self.table:
            self.table[name] = joined
        if name not in self.builder.merged:
            self._know_extent(name, value)
        self.count(name)
        self.emit(syntax.assign(name, value))

    def _know_extent(self, name: str, value: gast.expr) -> None:
        """What is known of an int as a length goes with it."""
        match value:
            case gast.Constant(value=int(number)) if not isinstance(number, bool):
                self.builder.extents[name] = number
            case gast.Name(id=id_) if id_ in self.builder.extents and id_ not in self.builder.merged:
                self.builder.extents[name] = self.builder.extents[id_]
            case gast.Call(func=gast.Name(id=operator), args=atoms) if all(map(syntax.is_atom, atoms)):
                fact = self.builder.extent_of_result(operator, atoms, syntax.static_of(value))
                if fact is not None:
                    self.builder.extents[name] = fact

    def augment(self, node: gast.stmt, place: gast.Subscript, op: gast.operator, value: gast.expr) -> None:
        base, items = self.place(place)
        loaded = self.expressions.checked(place, lambda: self.builder.load(base, items))
        total = self.expressions.checked(node, lambda: self.builder.call(INFIX[type(op)], loaded, self.atom(value)))
        self.builder.append(syntax.store(base, items, total))

    def effect(self, node: gast.stmt, call: gast.Call) -> None:
        match call:
            case gast.Call(args=[gast.Name(id=base), items, value]) if shown(call.func) in ADD_AT:
                if isinstance(items, gast.Subscript):  # `np.s_[i, :]`
                    items = items.slice
                place = gast.copy_location(gast.Subscript(syntax.name(base), items, gast.Load()), call)
                made = syntax.call("add_at", base, syntax.tuple_(self.place(place)[1]), self.atom(value))
                return self.emit(syntax.expression(made))
        raise self.refuse(node, f"`{shown(call)}` changes nothing here, or nothing of the typed stage")

    def item(self, node: gast.stmt, base: str, held: Type, atom: gast.expr) -> gast.expr:
        have = self.type_of(atom)
        if dtype_key(held) == dtype_key(have) or _is_held_weak(held, have):
            return atom
        return self.builder.call("cast", atom, dtype=held.dtype, weak=is_weak(held))  # type: ignore[union-attr]

    def is_result(self, wanted: Type, have: Type) -> bool:
        return dtype_key(wanted) == dtype_key(have) or _is_held_weak(wanted, have)


def _is_computed(value: gast.expr) -> bool:
    """Whether a value is that of an operator or an index, and not what is in a variable or a list as it is."""
    return not syntax.is_atom(value) and syntax.operator_of(value) not in FORMS


def _is_held_weak(held: Type, type_: Type) -> bool:
    """Whether a Python number is held by a name that is NumPy's scalar of the same dtype elsewhere."""
    return is_weak(type_) and not is_weak(held) and isinstance(held, types.Scalar) and held.dtype == type_.dtype  # type: ignore


def refuse_lazy_failures(function: Function, expressions: Expressions) -> None:
    """Raise a fault where something could fail that Python may not come to."""
    found = failures(function)
    for node, statements in expressions.lazy:
        if any(found.statement_can_fail(s) for s in statements):
            raise expressions.refuse(node, f"`{shown(node)}` may raise where Python does not evaluate it", "L004",
                                     "write an `if` statement: here both sides are evaluated")  # fmt: skip
