"""Read programs of the loops stage from text: what is printed, what a user made of it, the programs of the tests.

    # x: f64[n]   k: int   ->   total: f64      ->    total = cast(0.0, dtype="f64")
    def f(x, k):                                      for i in lanes(0, dim(x, axis=0), 1):
        total = np.float64(0.0)                           total = add(total, multiply(x[i], cast(k, dtype="f64")))
        for i in lanes(x.shape[0]):                   return (total,)
            total += x[i] * np.float64(k)
        return total

Expressions stay nested.  Lengths of arrays that are made here are worked out where they are sums of lengths, and else
nothing is claimed of them: what cannot be proved of an access is checked at run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast

from .. import syntax, types
from ..analysis.failure import NOTHING, failures
from ..analysis.integers.ranges import ranges
from ..analysis.integers.shape_extents import extent_of, trees_of
from ..analysis.integers.view_lengths import keeps_c_order
from ..analysis.lanes import accumulated, accumulated_array, is_lanes
from ..builder import INFIX
from ..ops.forms import FORMS, LIBRARY, LOOPS, WHOLE
from ..ops.schema import row_of
from ..program import Function, Program
from ..types import Array, Extent, ListOf, Scalar, Type
from .faults import shown
from .files import Definition, StageFile
from .reading import FunctionReader, read_program, same_but_for_lengths

IN_LOOPS = "loops"
SIGNS = {True: gast.And, False: gast.Or}


def read_loops(text: str, path: str, *, headers: bool = True) -> Program:
    """The functions of a printed stage, the first of them the entry.  Raises StageError."""
    return read_program(text, path, LoopsReader, headers)


class LoopsReader(FunctionReader):
    """Expressions stay nested; arrays are what has a name."""

    stage = IN_LOOPS
    loops = LOOPS

    def __init__(
        self, definition: Definition, known: Mapping[str, Any], file: StageFile, wanted: dict[str, Type]
    ) -> None:
        super().__init__(definition, known, file, wanted)
        self.extents: dict[str, Extent] = {}
        self.expressions.name_array = self.bound

    def function(self) -> Function:
        return with_lazy_choices(super().function())

    # --- statements

    def statement(self, node: gast.stmt) -> None:
        match node:
            case gast.Delete(targets=[gast.Name(id=name)]):
                self.emit(syntax.delete(name))
            case _:
                super().statement(node)

    def while_test(self, test: gast.expr) -> gast.expr:
        before = len(self.builder.body)
        condition = self.expressions.condition(test)
        if len(self.builder.body) > before:
            raise self.refuse(test, "a view in the test of a `while`", "L001", "give the view a name first")
        return condition

    def store(self, node: gast.stmt, place: gast.Subscript, value: gast.expr) -> None:
        have, name = self.type_of(value), place.value
        base = self.table.get(name.id) if isinstance(name, gast.Name) else None
        if isinstance(base, ListOf) and isinstance(have, Scalar | Array):
            self.learn_item(name.id, base, have)
        held = base.element if isinstance(base, ListOf) else Scalar(types.dtype_of(base)) if base else None
        fits = same_but_for_lengths(held, have) if isinstance(base, ListOf) else isinstance(have, Scalar)  # type: ignore[arg-type]
        if base is not None and not fits:
            raise self.refuse(node, f"an element of `{name.id}` is {held}, and this is {have}", "L003")
        super().store(node, place, value)

    def augment(self, node: gast.stmt, place: gast.Subscript, op: gast.operator, value: gast.expr) -> None:
        total, _ = self.expressions.made(node, INFIX[type(op)], [self.atom(place), self.atom(value)], {})
        self.store(node, place, total)

    def bind(self, node: gast.stmt, name: str, value: gast.expr, type_: Type) -> None:
        type_ = self.array_type(name, value, type_)
        self.declare(node, name, type_)
        if name not in self.builder.merged and isinstance(type_, Scalar):
            extent = extent_of(value, self.table, self.extents.get)
            if extent is not None:
                self.extents[name] = extent
        self.emit(syntax.assign(name, value))

    def declare(self, node: gast.AST, name: str, type_: Type) -> None:
        """A name holds values of a type, and those that it holds already."""
        joined = self.joined(node, name, type_)
        if isinstance(joined, Scalar) and joined.dtype != getattr(type_, "dtype", joined.dtype):
            raise self.refuse(node, f"`{name}` is {joined} elsewhere, and this is {type_}", "L003",
                              f"convert it: `np.{types.Scalar(joined.dtype)}(...)`")  # fmt: skip
        self.table[name] = joined

    def assign_several(self, node: gast.stmt, places: Sequence[gast.expr], value: gast.expr) -> None:
        names = [p.id for p in places if isinstance(p, gast.Name)]
        if not isinstance(value, gast.Tuple) or len(value.elts) != len(names) or len(names) != len(places):
            return super().assign_several(node, places, value)
        values = [self.atom(v) for v in value.elts]
        for name, atom in zip(names, values):
            self.declare(node, name, self.type_of(atom))
        targets = gast.Tuple([syntax.target(n) for n in names], gast.Store())
        return self.emit(gast.Assign([targets], syntax.tuple_(values), None))

    def effect(self, node: gast.stmt, call: gast.Call) -> None:
        word = self.expressions.calls.word(call.func)
        if word in LIBRARY:
            if len(call.args) != len(FORMS[word].operands):
                raise self.refuse(node, f"`{word}` takes {len(FORMS[word].operands)} arrays")
            static = self.expressions.calls.static(call)
            return self.emit(syntax.expression(syntax.call(word, *map(self.operand, call.args), **static)))
        if word == "pop":
            return self.emit(syntax.expression(self.expressions.value(call)[0]))
        raise self.refuse(node, f"`{shown(call)}` changes nothing here, or nothing of the loops stage")

    def item(self, node: gast.stmt, base: str, held: Type, atom: gast.expr) -> gast.expr:
        have = self.type_of(atom)
        if not same_but_for_lengths(held, have):
            raise self.refuse(node, f"the items of `{base}` are {held}, and this is {have}", "L003")
        return atom

    def is_result(self, wanted: Type, have: Type) -> bool:
        return same_but_for_lengths(wanted, have)

    def operand(self, node: gast.expr) -> gast.expr:
        tree, type_ = self.expressions.value(node)
        return tree if syntax.is_atom(tree) else self.bound(tree, type_)

    def bound(self, tree: gast.expr, type_: Type) -> gast.expr:
        """A new name of a value."""
        fresh = self.names.fresh("t")
        self.table[fresh] = self.array_type(fresh, tree, type_)
        self.emit(syntax.assign(fresh, tree))
        return syntax.name(fresh)

    # --- types of arrays

    def array_type(self, name: str, tree: gast.expr, type_: Type) -> Type:
        """The type of a buffer or a view, with the lengths that can be worked out."""
        if not isinstance(type_, Array) or isinstance(tree, gast.Name):
            return type_
        match tree:
            case gast.Call(func=gast.Name(id="transpose"), args=[gast.Name(id=base)]):
                axes = syntax.static_of(tree)["axes"]
                return Array(type_.dtype, tuple(self.table[base].dims[k] for k in axes), "A")  # type: ignore[union-attr]
            case gast.Call(func=gast.Name(id=operator)) if operator in WHOLE:
                lengths = [extent_of(t, self.table, self.extents.get) for t in trees_of(tree)]
                return Array(type_.dtype, tuple(self.fresh_length() if e is None else e for e in lengths))
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
                whole = self.table[base]
                is_c = isinstance(whole, Array) and whole.layout == "C" and keeps_c_order(items)
                known = [isinstance(d, int) or "?" not in d.symbols() for d in type_.dims]
                dims = tuple(d if its else self.fresh_length() for d, its in zip(type_.dims, known))
                return Array(type_.dtype, dims, "C" if is_c else "A")
        return self.own_lengths(name, type_)

    def fresh_length(self, name: str = "") -> types.Dim:
        return types.symbol(self.names.fresh("length"))


# --- choices -------------------------------------------------------------------------------------------------------


def with_lazy_choices(function: Function) -> Function:
    """The function whose choices evaluate one arm alone where the other one could fail, as Python's do."""
    loops = filter(is_lanes, syntax.walk(function.body))
    inside = [s for loop in loops for s in syntax.walk(loop.body)]
    taken = {id(s.value) for s in inside if accumulated(s) or accumulated_array(s)}
    nodes = [n for s in syntax.walk(function.body) for n in syntax.own_nodes(s) if id(n) not in taken]
    choices = [n for n in nodes if (row := row_of(syntax.operator_of(n))) is not None and row.lazy]
    lazy = {id(node) for node in choices if any(_may_fail(function, arm) for arm in node.args[1:])}
    if not lazy:
        return function

    class Lazy(gast.NodeTransformer):
        def visit_Call(self, node: gast.Call) -> gast.expr:
            self.generic_visit(node)
            if id(node) not in lazy:
                return node
            conjoins = row_of(syntax.operator_of(node)).conjoins  # type: ignore[union-attr]
            return gast.IfExp(*node.args) if conjoins is None else gast.BoolOp(SIGNS[conjoins](), node.args)

    body = [Lazy().visit(statement) for statement in function.body]  # trees of its own
    return function.with_(body=tuple(body))


def _may_fail(function: Function, arm: gast.expr) -> bool:
    if failures(function).kind(arm) == NOTHING:
        return False
    loads = [node for node in gast.walk(arm) if isinstance(node, gast.Subscript)]
    fails_otherwise = any(failures(function)._operation_fails(n) for n in gast.walk(arm) if isinstance(n, gast.Call))
    return fails_otherwise or not all(ranges(function).proves(node) for node in loads)
