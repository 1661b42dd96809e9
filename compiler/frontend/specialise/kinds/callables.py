"""Functions of the program as values: local ones, their derivatives, methods, functions with some arguments bound."""

from __future__ import annotations

import dataclasses
import functools
import types as python_types

import gast

from ....ops.static_functions import Parameters
from ..derivatives import inner_derivatives
from ..describing import FUNCTION
from ..frame import Frame
from ..functional import Bound, Closure, Derived, Partial
from ..functions.local_functions import is_one
from ..interpreter import apply
from ..protocol import Named, attribute, call, call_method, describe, equal, is_same, python_class, truth
from ..values import Conflict, Handle, Record, Static, Value, parts
from . import classes, identity


def with_attribute(frame: Frame, function: Closure, name: str, value: Value, node: gast.AST) -> Closure:
    """`function.name = value`, of a known value: the function with it, which nothing else may hold yet."""
    if not isinstance(value, Static):
        frame.fault("P003", "an attribute of a function is a value known when it is compiled", node, "assigned here",
                    ("keep what is computed in a variable",))  # fmt: skip
    held = [*frame.variables.values(), *frame.heap.contents.values()]
    if sum(_holds(one, function) for one in held) != 1:
        message = "this assigns an attribute of a function that is also kept elsewhere"
        frame.fault("P003", message, node, "assigned here", ("assign it right after the definition",))
    return dataclasses.replace(function, attributes=(*function.attributes, (name, value)))


def described(value: Value) -> object:
    """A local function as questions of the library see it; other values as they are."""
    if not isinstance(value, Closure):
        return value
    return Parameters(len(value.node.args.posonlyargs) + len(value.node.args.args))


def _holds(value: Value, function: Closure) -> bool:
    return value is function or any(_holds(part, function) for _, part in parts(value))


@attribute.of(Closure)
def _(frame: Frame, function: Value, name: str, node: gast.AST, hint: str = "t") -> Value:
    assert isinstance(function, Closure)
    found = dict(function.attributes).get(name)
    return attribute.otherwise(frame, function, name, node, hint) if found is None else found


@truth.of(Closure, Bound, Partial)
def _(frame: Frame, value: Value, node: gast.AST) -> Value:
    return Static(True)


@python_class.of(Closure)
def _(frame: Frame, value: Closure) -> type:
    return python_types.FunctionType


@python_class.of(Partial)
def _(frame: Frame, value: Partial) -> type:
    return functools.partial


@python_class.of(Bound)
def _(frame: Frame, value: Bound) -> type:
    return python_types.MethodType


@describe.of(Closure, Derived, Partial)
def _(frame: Frame, value: Value) -> str:
    return FUNCTION


@describe.of(Bound)
def _(frame: Frame, value: Bound) -> str:
    return "method"


@is_same.of(Closure)
@equal.of(Closure)
def _(frame: Frame, left: Closure, right: Closure, node: gast.AST, hint: str) -> Value:
    if left is not right and is_one(left, right):  # they have one definition, which may have been executed twice
        identity.refuse(frame, node, "keep a number beside each function, and compare the numbers")
    return Static(left is right)


# --- calls -----------------------------------------------------------------------------------------------------------


@call.of(Closure)
def _(
    frame: Frame, function: Closure, args: list[Value], named: Named, node: gast.AST, hint: str = "t"
) -> Value:
    return apply.call_closure(frame, function, args, named, node)


@call.of(Derived)
def _(
    frame: Frame, function: Derived, args: list[Value], named: Named, node: gast.AST, hint: str = "t"
) -> Value:
    return inner_derivatives.call_derived(frame, function, args, named, node)


@call.of(Bound)
def _(frame: Frame, function: Bound, args: list[Value], named: Named, node: gast.AST, hint: str = "t") -> Value:
    return call_method(frame, function.receiver, function.method, args, named, node, hint)


@call.of(Partial)
def _(
    frame: Frame, function: Partial, args: list[Value], named: Named, node: gast.AST, hint: str = "t"
) -> Value:
    given = [*function.args, *args]
    return call(frame, function.function, given, {**dict(function.named), **named}, node, hint)


@call.of(Static)
def _(
    frame: Frame, function: Static, args: list[Value], named: Named, node: gast.AST, hint: str = "t"
) -> Value:
    return apply.call_object(frame, function.value, args, named, node, hint)


@call.of(Record, Handle)
def _(frame: Frame, function: Value, args: list[Value], named: Named, node: gast.AST, hint: str = "t") -> Value:
    own = classes.special(frame, function, "__call__")
    if not own:
        return call.otherwise(frame, function, args, named, node, hint)
    return apply.call_object(frame, own, [function, *args], named, node, hint)


@call.of(Conflict)
def _(
    frame: Frame, function: Conflict, args: list[Value], named: Named, node: gast.AST, hint: str = "t"
) -> Value:
    message = f"what is called is {function.left} on one path and {function.right} on another"
    frame.fault("T002", message, node, "called here", ("call each of them on its own path",))
