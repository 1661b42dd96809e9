"""Statements: assign, choose, loop, raise.

    total += x[i]        ->       t = x[i]
                                  total_1 = total + t
"""

from __future__ import annotations

from collections.abc import Sequence as Statements
from typing import TYPE_CHECKING

import gast

from .. import syntax, types
from ..later import later
from ..types import Array
from . import branches, choices, evaluate, iteration
from .frame import Frame, Stopped
from .values import (
    Leaf,
    Sequence,
    Static,
    Value,
    map_leaves,
)

if TYPE_CHECKING:
    from . import loops, subscript
else:
    loops, subscript = later(__package__, "loops", "subscript")


def execute(frame: Frame, body: Statements[gast.stmt]) -> None:
    for node in body:
        frame.at(node)
        statement(frame, node)


def statement(frame: Frame, node: gast.stmt) -> None:
    match node:
        case gast.Assign(targets=places, value=value):
            hint = places[0].id if isinstance(places[0], gast.Name) else "t"
            made = evaluate.evaluate(frame, value, hint)
            if getattr(node, "leaves_loop", False):
                made = kept_apart(frame, made, node)
            for place in places:
                bind(frame, place, made, node)
        case gast.AnnAssign(target=place, value=value):
            if value is not None:
                bind(frame, place, evaluate.evaluate(frame, value, getattr(place, "id", "t")), node)
        case gast.AugAssign():
            augmented(frame, node)
        case gast.If(test=test, body=body, orelse=orelse):
            branches.branch(frame, node, test, body, orelse)
        case gast.For():
            loops.for_loop(frame, node)
        case gast.While():
            loops.while_loop(frame, node)
        case gast.Expr(value=value):
            if not isinstance(value, gast.Constant):
                evaluate.evaluate(frame, value)
        case gast.FunctionDef(name=name):
            frame.variables[name] = evaluate.closure(frame, node)
        case gast.Raise():
            raise_statement(frame, node)
        case gast.Assert(test=test, msg=message):
            assertion(frame, node, test, message)
        case gast.Pass():
            if isinstance(node, loops.Remaining):
                node.run(frame)
        case _:
            frame.fault("U018", f"`{type(node).__name__}` is not in the language", node)


def kept_apart(frame: Frame, value: Value, node: gast.AST) -> Value:
    """What is returned from inside a loop, as it is now: the loop may go on to change arrays, on other paths."""

    def copied(part: Value, _: tuple) -> Value:
        return frame.emit("copy", part, node=node, hint="result") if frame.is_array(part) else part

    return map_leaves(value, copied)


# --- binding -------------------------------------------------------------------------------------------------------


def bind(frame: Frame, place: gast.expr, value: Value, node: gast.AST) -> None:
    match place:
        case gast.Name(id=name):
            frame.variables[name] = value
            frame.variables.pop(evaluate.is_set(name), None)
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            unpack(frame, elements, value, node)
        case gast.Subscript(value=base, slice=items):
            changed = subscript.store(frame, evaluate.evaluate(frame, base), items, value, node)
            if changed is not None:
                bind(frame, _as_target(base, frame), changed, node)
        case gast.Attribute(attr=attribute):
            frame.fault("P003", f"this assigns the attribute `{attribute}`", place, "assigned here")
        case _:
            frame.fault("U018", f"cannot assign to `{type(place).__name__}`", place)


def _as_target(node: gast.expr, frame: Frame) -> gast.expr:
    if not isinstance(node, gast.Name | gast.Subscript):
        frame.fault("P003", "this changes a container that is part of another", node, "changed here")
    return node


def unpack(frame: Frame, elements: list[gast.expr], value: Value, node: gast.AST) -> None:
    items = iteration.static_items(frame, value, node)
    stars = [i for i, e in enumerate(elements) if isinstance(e, gast.Starred)]
    if stars:
        first, after = stars[0], len(elements) - stars[0] - 1
        if len(items) >= len(elements) - 1:
            middle = Sequence(tuple(items[first : len(items) - after]), list)
            items = [*items[:first], middle, *items[len(items) - after :]]
            elements = [*elements[:first], elements[first].value, *elements[first + 1 :]]
    if len(items) != len(elements):
        few = "not enough values to unpack" if len(items) < len(elements) else "too many values to unpack"
        frame.fault("S003", f"{few} (expected {len(elements)}, got {len(items)})", node, "unpacked here")
    for element, item in zip(elements, items, strict=True):
        bind(frame, element, item, node)


def augmented(frame: Frame, node: gast.AugAssign) -> None:
    """`x += v`: a new value for scalars and tuples, a change in place for arrays and elements."""
    place, op = node.target, type(node.op)
    if isinstance(place, gast.Name):
        old = evaluate.read_name(frame, place.id, place)
        value = evaluate.evaluate(frame, node.value)
        if frame.is_array(old):
            return in_place(frame, old, op, value, node)
        if isinstance(old, Sequence) and old.kind is list and isinstance(value, Sequence):
            value = Sequence(value.items, list)
        bind(frame, place, evaluate.binary(frame, op, old, value, node, place.id), node)
        return None
    if not isinstance(place, gast.Subscript):
        frame.fault("P003", "this assigns an attribute", place, "assigned here")
    base = evaluate.evaluate(frame, place.value)
    found = frame.type_of(base)
    if isinstance(found, Array):
        items = subscript.normalised(frame, found, place.slice, place)
        old = subscript.element(frame, base, items, node)
        value = evaluate.binary(frame, op, old, evaluate.evaluate(frame, node.value), node)
        return subscript.store_items(frame, base, items, same_kind(frame, value, found, node), node)
    old = subscript.load(frame, base, place.slice, place)
    value = evaluate.binary(frame, op, old, evaluate.evaluate(frame, node.value), node)
    changed = subscript.store(frame, base, place.slice, value, node)
    if changed is not None:
        bind(frame, _as_target(place.value, frame), changed, node)
    return None


def in_place(frame: Frame, old: Leaf, op: type, value: Value, node: gast.AST) -> None:
    place = frame.type_of(old)
    result = evaluate.binary(frame, op, old, value, node)
    items = [syntax.slice_() for _ in range(place.ndim)]
    subscript.store_items(frame, old, items, same_kind(frame, result, place, node), node)


def same_kind(frame: Frame, value: Value, place: Array, node: gast.AST) -> Value:
    """NumPy refuses `ints += floats`: the result would be cut off."""
    found = frame.type_of(value)
    if found is not None and types.KIND[types.dtype_of(found)] > types.KIND[place.dtype]:
        message = f"an array of {place.dtype} cannot take the {types.dtype_of(found)} result of this operation in place"
        frame.fault("T001", message, node, "changed in place here", ("write `x = x + ...` for a new array",))
    return value


# --- errors --------------------------------------------------------------------------------------------------------


def raise_statement(frame: Frame, node: gast.Raise) -> None:
    exception, arguments = node.exc, []
    if isinstance(exception, gast.Call):
        exception, arguments = exception.func, exception.args
    cls = evaluate.static(frame, exception, "the exception")
    message, values = message_of(frame, arguments[0]) if arguments else ("", [])
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        frame.fault("T001", "`raise` takes an exception", exception, "raised here")
    frame.builder.append(syntax.raise_own(cls, message, *values, span=frame.here(node)))
    raise Stopped


def message_of(frame: Frame, node: gast.expr) -> tuple[str, list[gast.expr]]:
    """A message as a format and its values: `f"no root in {a}"` is ("no root in {}", [a])."""
    if isinstance(node, gast.JoinedStr):
        text, values = "", []
        for part in node.values:
            if isinstance(part, gast.Constant):
                text += str(part.value).replace("{", "{{").replace("}", "}}")
                continue
            value = evaluate.evaluate(frame, part.value)
            if isinstance(value, Static):
                text += str(value.value).replace("{", "{{").replace("}", "}}")
            else:
                text += "{}"
                values.append(frame.atom(value, part))
        return text, values
    value = evaluate.evaluate(frame, node)
    if isinstance(value, Static):
        return str(value.value).replace("{", "{{").replace("}", "}}"), []
    return "{}", [frame.atom(value, node)]


def assertion(frame: Frame, node: gast.Assert, test: gast.expr, message: gast.expr | None) -> None:
    holds = choices.condition(frame, test)
    if isinstance(holds, Static) and holds.value:
        return
    text = ""
    values: list[gast.expr] = []
    with frame.captured() as body:
        if message is not None:
            text, values = message_of(frame, message)
        frame.builder.append(syntax.raise_("AssertionError", text, *values, span=frame.here(node)))
    if isinstance(holds, Static):
        frame.builder.body += body
        raise Stopped
    frame.builder.append(syntax.if_(frame.atom(evaluate.negation(frame, holds, test), node), body))
