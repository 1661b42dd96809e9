"""What varies with the example: the names that hold another value for each, and the lengths that differ.

    def f(x, w):                 x varies, w does not
        n = dim(x, axis=0)       does not: all examples have one shape
        y = multiply(x, w)       varies
        k = argmax(x)            varies
        z = y[0:k]               varies, and so does its length: `z` is ragged

Takes a typed function and the parameters that vary; gives facts, found by going over the body until nothing is added.
What is under a test, or in a loop, of which the examples decide differently varies as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import gast

from ... import syntax
from ...dtypes import is_bool
from ...ops.forms import CHANGES_FIRST, is_of_program
from ...ops.schema import OPERATORS, Operator, row_of
from ...program import Function
from ...records import dataclass
from ...types import Array, Dim, Extent, ListOf, Type, roots, symbols_of
from .crossing import crossing


@dataclass(frozen=True, slots=True, eq=False)
class Varying:
    """The names whose values vary, and the symbols of lengths that do."""

    types: dict[str, Type]
    names: frozenset[str]
    symbols: frozenset[str]

    def reads(self, node: gast.AST) -> bool:
        """Whether an expression or statement reads what varies, the lengths of arrays left aside."""
        return any(name in self.names for name in values_read(node))

    def is_ragged(self, name: str) -> bool:
        """Whether the examples have different lengths under a name, or lists of their own."""
        type_ = self.types.get(name)
        if isinstance(type_, ListOf):
            return name in self.names
        return type_ is not None and any(self.symbols & {s, *roots(s)} for s in symbols_of(type_))


def varying(
    function: Function, parameters: Iterable[str], axis_name: str | None = None, is_typed: bool = False
) -> Varying:
    """What varies in a typed function when these parameters do, along the axis of this name.

    With `is_typed` it is what derivatives take for values of each device, where the devices of a mesh share some.
    """
    finder = _Finder(function, parameters, axis_name, is_typed)
    while finder.goes_on:
        finder.goes_on = False
        finder.seen = {s for p in function.parameters for s in symbols_of(function.types[p])}
        finder.block(function.body, False)
    return Varying(dict(function.types), frozenset(finder.names), frozenset(finder.symbols))


class _Finder:
    """Goes over a body once; `control` says whether the examples may come to a statement differently."""

    def __init__(
        self, function: Function, parameters: Iterable[str], axis_name: str | None, is_typed: bool
    ) -> None:  # fmt: skip
        self.types, self.axis_name, self.is_typed = function.types, axis_name, is_typed
        self.names: set[str] = set(parameters)
        self.symbols: set[str] = set()
        self.seen: set[str] = set()
        self.goes_on = True

    def add(self, name: str) -> None:
        if name not in self.names:
            self.names.add(name)
            self.goes_on = True

    def add_symbols(self, symbols: Iterable[str]) -> None:
        new = set(symbols) - self.symbols
        self.symbols |= new
        self.goes_on |= bool(new)

    def vary(self, node: gast.AST | None) -> bool:
        return node is not None and any(name in self.names for name in values_read(node))

    def is_ragged(self, type_: Type | None) -> bool:
        return type_ is not None and any(self._varies(s) for s in symbols_of(type_))

    def _varies(self, symbol: str) -> bool:
        return bool(self.symbols & {symbol, *roots(symbol)})

    # --- statements

    def block(self, statements: Sequence[gast.stmt], control: bool) -> None:
        for statement in statements:
            self.statement(statement, control)

    def statement(self, statement: gast.stmt, control: bool) -> None:
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as place], value=value):
                if control or self.vary(value) or self.vary(place.slice):
                    self.add(base)
            case gast.Assign(value=value):
                self._assignment(statement, value, control)
            case gast.Expr(value=gast.Call() as call):
                self._change(call, control)
            case gast.For(target=gast.Name(id=counter), iter=bounds, body=body):
                control |= self.vary(bounds)
                if control:
                    self.add(counter)
                self.block(body, control)
            case gast.While(test=test, body=body):
                self.block(body, control or self.vary(test))
            case gast.If(test=test, body=body, orelse=orelse):
                control |= self.vary(test)
                self.block(body, control)
                self.block(orelse, control)

    def _change(self, call: gast.Call, control: bool) -> None:
        """`append(xs, v)`, `add_at(a, items, v)`, `pop(xs)`: what is changed varies as what is inserted does.

        A function may change the lists that it is given: those of a call vary together.
        """
        operator = syntax.operator_of(call)
        if operator in CHANGES_FIRST and (control or any(map(self.vary, call.args[1:]))):
            self.add(call.args[0].id)
        elif is_of_program(operator) and (control or any(map(self.vary, call.args))):
            for name in syntax.names_read(call):
                if isinstance(self.types.get(name), ListOf):
                    self.add(name)

    def _assignment(self, statement: gast.Assign, value: gast.expr, control: bool) -> None:
        if isinstance(value, gast.Call):
            self._change(value, control)
        bound = syntax.names_bound(statement)
        if self._value_varies(value, control):
            for name in bound:
                self.add(name)
        if isinstance(value, gast.Name):
            self._merge(bound[0], value.id, control)
            if isinstance(self.types[bound[0]], ListOf) and bound[0] in self.names:
                self.add(value.id)  # a list is passed on, not copied: each example needs one of its own from the start
        for name in bound:
            new = symbols_of(self.types[name]) - self.seen
            if new and not isinstance(value, gast.Name) and (control or self._shape_varies(value)):
                self.add_symbols(new)
            self.seen |= new

    def _value_varies(self, value: gast.expr, control: bool) -> bool:
        if (row := crossing(value, self.axis_name)) is not None:
            return control or (self._is_of_each(row, value) if self.is_typed else not row.is_common)
        if syntax.operator_of(value) == "dim":
            return self.is_ragged(self.types.get(getattr(value.args[0], "id", "")))
        return control or self.vary(value)

    def _is_of_each(self, row: Operator, call: gast.Call) -> bool:
        """Whether derivatives take it for a value of each device."""
        if row.varies_as:
            return any(getattr(call.args[place], "id", "") in self.names for place in row.varies_as)
        return not row.one

    def _merge(self, name: str, source: str, control: bool) -> None:
        """A merged array has lengths of its own where those of its sources differ."""
        own, given = self.types[name], self.types.get(source)
        if not isinstance(own, Array) or not isinstance(given, Array):
            return
        for extent, other in zip(own.dims, given.dims, strict=True):
            if extent != other and (control or any(map(self._varies, _symbols(other)))):
                self.add_symbols(_symbols(extent))

    def _shape_varies(self, value: gast.expr) -> bool:
        """Whether the lengths of what is computed follow from something that varies."""
        arrays = [self.types.get(name) for name in syntax.names_read(value)]
        if any(isinstance(t, ListOf) and self.vary(value) for t in arrays) or any(map(self.is_ragged, arrays)):
            return True
        if isinstance(value, gast.Subscript):
            return any(self._bounds_vary(item) for item in items_of(value.slice))
        if isinstance(value, gast.Call):
            if crossing(value, self.axis_name) is not None:
                return False
            if syntax.operator_of(value) not in OPERATORS:
                return self.vary(value)
            return any(self.vary(keyword.value) for keyword in value.keywords)
        return False

    def _bounds_vary(self, item: gast.expr) -> bool:
        if isinstance(item, gast.Slice):
            return any(map(self.vary, (item.lower, item.upper, item.step)))
        type_ = self.types.get(getattr(item, "id", ""))
        return isinstance(type_, Array) and is_bool(type_.dtype) and self.vary(item)


def _symbols(extent: Extent) -> tuple[str, ...]:
    return extent.symbols() if isinstance(extent, Dim) else ()


def values_read(node: gast.AST) -> list[str]:
    """The names that are read, but for those of arrays that are asked for a length alone, and for marks."""
    asked = [a for call in syntax.calls_in(node) for a in _asked(call)]
    found = syntax.names_read(node)
    for array in asked:
        if isinstance(array, gast.Name):
            found.remove(array.id)
    return found


def _asked(call: gast.Call) -> list[gast.expr]:
    operator = syntax.operator_of(call)
    if operator == "dim":
        return call.args[:1]
    row = row_of(operator)
    return [call.args[place] for place in row.marks] if row is not None else []


def items_of(items: gast.expr) -> list[gast.expr]:
    """The items of an index, one or several."""
    return list(items.elts) if isinstance(items, gast.Tuple) else [items]
