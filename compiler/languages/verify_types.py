"""Whether the table of types is complete and true: every type is inferred again and compared.

    y = add(x, 1)   with x: f64[n], y: i64[n]    ->    `y` is declared i64[n], and this is f64[n]

Lengths are compared where both are known: two ints, or symbols of the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gast

from .. import syntax
from ..analysis.expression_types import is_scalar_operator, works_in
from ..analysis.result_types import Found, result_type
from ..builder import Builder, infer, type_of_constant
from ..diagnostics import InternalError
from ..dtypes import FLOAT_WORD, is_integer, order
from ..names import Names
from ..ops import indexing, schema
from ..program import Function
from ..types import INT, Array, Dim, Extent, ListOf, Scalar, Type

Fault = tuple[gast.stmt, str]


def declared_faults(function: Function) -> Iterator[Fault]:
    """Every name that is bound, and every parameter, has a type; the results are as many as their types."""
    first = function.body[0]
    for parameter in function.parameters:
        if parameter not in function.types:
            yield first, f"the parameter `{parameter}` has no type"
    for statement in syntax.walk(function.body):
        for name in syntax.names_bound(statement):
            if name not in function.types:
                yield statement, f"`{name}` has no type"
            elif isinstance(statement, gast.For) and function.types[name] != INT:
                yield statement, f"the loop variable `{name}` is {function.types[name]}, not int"
    closing = function.body[-1]
    if isinstance(closing, gast.Return) and len(closing.value.elts) != len(function.results):
        yield closing, f"{len(closing.value.elts)} results, and types for {len(function.results)}"


def type_faults(function: Function) -> Iterator[Fault]:
    """The type of each assignment, inferred again, equals the table."""
    checker = _Checker(function)
    for statement in syntax.walk(function.body):
        try:
            message = checker.fault(statement)
        except (schema.TypeFault, InternalError, KeyError) as fault:
            message = getattr(fault, "message", None) or f"no type can be inferred: {fault}"
        if message:
            yield statement, message


class _Checker:
    """Infers types again, on a builder of its own."""

    def __init__(self, function: Function) -> None:
        self.function, self.types = function, function.types
        given = [t for n, t in function.types.items() if n in function.parameters]
        self.rigid = {s for t in given for s in _symbols(t)}
        self.builder = Builder(Names({*function.types, *self.rigid}), dict(function.types), {})

    def fault(self, statement: gast.stmt) -> str:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return self.assignment(name, value)
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
                results: Any = self.inferred(value) or ()
                pairs = zip(places, results)
                return next((m for p, t in pairs if (m := self.compare(f"`{p.id}`", self.types[p.id], t))), "")
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base), slice=items)], value=value):
                return self.store(base, items, value)
            case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=list_), item])):
                container = self.types[list_]
                if not isinstance(container, ListOf):
                    return f"`{list_}` is {container}, not a list"
                return self.compare("the element", container.element, self.inferred(item))
            case gast.For(iter=gast.Call(args=bounds)):
                return next((m for b in bounds if (m := self.integer(b))), "")
            case gast.If(test=test) | gast.While(test=test):
                type_ = result_type(test, self.types)
                return "" if isinstance(type_, Scalar) else f"the test is {type_}, not one truth value"
            case gast.Return(value=gast.Tuple(elts=elements)):
                pairs = zip(elements, self.function.results)
                return next((m for e, t in pairs if (m := self.compare("a result", t, self.inferred(e)))), "")
        return ""

    def assignment(self, name: str, value: gast.expr) -> str:
        inferred = self.inferred(value)
        if inferred is None:
            return ""
        if isinstance(value, gast.Call) and syntax.operator_of(value) == "new_list":
            return "" if _is_list(self.types[name]) else f"`{name}` holds a list and is {self.types[name]}"
        return self.compare(f"`{name}`", self.types[name], inferred)

    def inferred(self, value: gast.expr) -> Type | None:
        """The type of a flat right-hand side; None where only the callee knows."""
        match value:
            case gast.Name(id=id_):
                return self.types[id_]
            case gast.Constant(value=constant):
                return type_of_constant(constant)
            case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
                return indexing.index_type(self.builder, self.types[base], items)
            case gast.Call(func=gast.Name(id=operator)) if operator in schema.OPERATORS:
                row = schema.OPERATORS[operator]
                static = {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(value)
                return infer(self.builder, row, value.args, static)
            case gast.Call(func=gast.Name(id="length" | "new_list")):
                return INT if syntax.operator_of(value) == "length" else ListOf(Scalar(FLOAT_WORD))
            case gast.Call(func=gast.Name(id="pop"), args=[gast.Name(id=list_)]):
                type_ = self.types[list_]
                return type_.element if isinstance(type_, ListOf) else None
        return None

    def store(self, base: str, items: gast.expr, value: gast.expr) -> str:
        container = self.types[base]
        if isinstance(container, ListOf):
            return self.compare("the element", container.element, self.inferred(value))
        if not isinstance(container, Array):
            return f"`{base}` is {container} and has no elements"
        place = indexing.index_type(self.builder, container, items.elts)
        stored = self.inferred(value)
        if isinstance(place, Scalar) and not isinstance(stored, Scalar):
            return f"an element of `{base}` cannot hold {stored}"
        return ""

    def integer(self, bound: gast.expr) -> str:
        type_ = self.inferred(bound)
        if isinstance(type_, Scalar) and is_integer(type_.dtype):
            return ""
        return f"a bound of the loop is {type_}, not an int"

    def compare(self, what: str, declared: Type, inferred: Type | None) -> str:
        if inferred is None or self.agrees(declared, inferred):
            return ""
        return f"{what} is declared {declared}, and this is {inferred}"

    def agrees(self, declared: Type, inferred: Type) -> bool:
        if isinstance(declared, ListOf) and isinstance(inferred, ListOf):
            return self.agrees(declared.element, inferred.element)
        if isinstance(declared, Scalar) and isinstance(inferred, Scalar):
            # a Python number may be held by a name that is NumPy's scalar of the same dtype elsewhere
            return declared.dtype == inferred.dtype and (inferred.weak or not declared.weak)
        if not (isinstance(declared, Array) and isinstance(inferred, Array)):
            return declared == inferred
        if declared.dtype != inferred.dtype or declared.ndim != inferred.ndim:
            return False
        if declared.layout == "C" and inferred.layout != "C":
            return False
        return all(map(self.may_be_equal, declared.dims, inferred.dims))

    def may_be_equal(self, left: Extent, right: Extent) -> bool:
        """Two different lengths may be equal at run time unless both are fully known."""
        if isinstance(left, int) and isinstance(right, int):
            return left == right
        known = all(isinstance(d, int) or self.rigid.issuperset(d.symbols()) for d in (left, right))
        return left == right or not known or isinstance(left, int) or isinstance(right, int)


def _is_list(type_: Type) -> bool:
    return isinstance(type_, ListOf)


def _symbols(type_: Type) -> set[str]:
    element = type_.element if isinstance(type_, ListOf) else type_
    dims = element.dims if isinstance(element, Array) else ()
    return {s for d in dims if isinstance(d, Dim) for s in d.symbols()}


# --- loops ---------------------------------------------------------------------------------------------------------


def conversion_faults(function: Function) -> Iterator[Fault]:
    """Both operands of an operator have one dtype, or one is a constant of the other's kind; indices are ints."""
    found: Found = {}
    for statement in syntax.walk(function.body):
        for node in syntax.own_nodes(statement):
            message = _conversion_fault(node, function.types, found)
            if message:
                yield statement, message
                break


def _conversion_fault(node: gast.AST, types: Mapping[str, Type], found: Found) -> str:
    match node:
        case gast.Call(func=gast.Name(id=operator), args=[left, right]) if is_scalar_operator(operator):
            first, second = result_type(left, types, found), result_type(right, types, found)
            if not (isinstance(first, Scalar) and isinstance(second, Scalar)) or first.dtype == second.dtype:
                return ""
            if len({*works_in(operator, (first, second))}) != 1:
                return ""
            constant = isinstance(left, gast.Constant) or isinstance(right, gast.Constant)
            if constant and order(first.dtype) == order(second.dtype):
                return ""
            return f"`{operator}` of {first} and {second}: one of them needs a cast"
        case gast.Subscript(slice=gast.Tuple(elts=items)):
            for item in items:
                type_ = None if isinstance(item, gast.Slice) else result_type(item, types, found)
                if isinstance(type_, Scalar) and not is_integer(type_.dtype):
                    return f"an index is {type_}, not an int"
    return ""
