"""Comparisons, `and`, `or` and conditional expressions: what need not be evaluated is not.

    a if c else b     ->     where(c, a, b)     where neither side can fail or costs anything
                             if c: t = a        otherwise
                             else: t = b
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from .. import syntax
from ..builder import COMPARISONS
from ..syntax import operator_of
from ..types import Scalar, promote
from . import evaluate
from .frame import Frame, Unresolved
from .merge import assign_parallel, copies, join, loses_digits, merged_names, named
from .values import (
    Conflict,
    Leaf,
    Mapping_,
    Sequence,
    Static,
    Value,
    is_number,
)

PYTHON_COMPARISONS = {
    gast.Eq: operator.eq, gast.NotEq: operator.ne, gast.Lt: operator.lt, gast.LtE: operator.le,
    gast.Gt: operator.gt, gast.GtE: operator.ge,
}  # fmt: skip
# Operators that give a result for every operand: evaluating them early or in vain is not seen.
TOTAL = frozenset(
    "add subtract multiply negative positive absolute sqrt equal not_equal less less_equal greater greater_equal "
    "logical_and logical_or logical_not where maximum minimum isnan isinf isfinite cast dim".split()
)


def condition(frame: Frame, test: gast.expr) -> Value:
    """The truth of a test, of which nothing but the truth is wanted."""
    value = evaluate.truth(frame, evaluate.evaluate(frame, test), test)
    last = frame.builder.body[-1] if frame.builder.body else None
    match last:
        case gast.Assign(targets=[gast.Name(id=made)], value=gast.Call(func=gast.Name(id="cast"), args=[inner])):
            if isinstance(value, Leaf) and value.name == made and frame.type_of(Leaf(inner.id)).dtype == "bool":
                return Leaf(inner.id)
    return value


def denial(frame: Frame, value: Value, node: gast.AST, hint: str) -> Value:
    """`not value`: a bool of Python's, whatever it is of."""
    denied = evaluate.negation(frame, value, node, hint)
    if frame.type_of(denied) == Scalar("bool"):
        return frame.emit("cast", denied, node=node, hint=hint, dtype="bool", weak=True)
    return denied


def comparison(frame: Frame, left: gast.expr, ops: list, comparators: list, node: gast.AST, hint: str) -> Value:
    """`a < b < c` is `a < b and b < c` with `b` evaluated once, and `c` only where it counts."""
    return chain(frame, evaluate.evaluate(frame, left), ops, comparators, node, hint)


def chain(frame: Frame, left: Value, ops: list, comparators: list, node: gast.AST, hint: str) -> Value:
    right = evaluate.evaluate(frame, comparators[0])
    first = compare(frame, type(ops[0]), left, right, node, hint if len(ops) == 1 else "t")
    if len(ops) == 1:
        return first
    decided = evaluate.truth(frame, first, node)
    if isinstance(decided, Static):
        return chain(frame, right, ops[1:], comparators[1:], node, hint) if decided.value else first
    rest = lambda: chain(frame, right, ops[1:], comparators[1:], node, "t")  # noqa: E731
    return both(frame, first, decided, rest, False, node, hint)


def compare(frame: Frame, op: type, left: Value, right: Value, node: gast.AST, hint: str = "t") -> Value:
    if op in (gast.Is, gast.IsNot):
        same = isinstance(left, Static) and isinstance(right, Static) and left.value is right.value
        return Static(same == (op is gast.Is))
    if op in (gast.In, gast.NotIn):
        return Static(membership(frame, left, right, node) == (op is gast.In))
    if is_number(left) and is_number(right):
        return Static(PYTHON_COMPARISONS[op](left.value, right.value))
    if frame.type_of(left) is not None and frame.type_of(right) is not None:
        return frame.emit(COMPARISONS[op], left, right, node=node, hint=hint)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return compare_sequences(frame, op, left, right, node, hint)
    if isinstance(left, Static) and isinstance(right, Static):
        return Static(PYTHON_COMPARISONS[op](left.value, right.value))
    if op in (gast.Eq, gast.NotEq):
        return Static(op is gast.NotEq)
    frame.fault("T001", f"a {frame.describe(left)} cannot be compared with a {frame.describe(right)}", node)


def compare_sequences(frame: Frame, op: type, left: Sequence, right: Sequence, node: gast.AST, hint: str) -> Value:
    if op not in (gast.Eq, gast.NotEq):
        return Static(PYTHON_COMPARISONS[op](evaluate.known(frame, left, node), evaluate.known(frame, right, node)))
    if len(left.items) != len(right.items) or left.kind is not right.kind:
        return Static(op is gast.NotEq)
    result: Value = Static(True)
    for a, b in zip(left.items, right.items, strict=True):
        step = compare(frame, gast.Eq, a, b, node)
        if isinstance(result, Static) and isinstance(step, Static):
            result = Static(result.value and step.value)
        else:
            result = frame.emit("logical_and", result, step, node=node, hint=hint)
    return result if op is gast.Eq else evaluate.negation(frame, result, node, hint)


def membership(frame: Frame, item: Value, container: Value, node: gast.AST) -> bool:
    match container:
        case Mapping_(items=items):
            return evaluate.known(frame, item, node, "a key") in [k for k, _ in items]
        case Sequence() | Static():
            found = evaluate.known(frame, item, node, "this value")
            return found in evaluate.known(frame, container, node, "this container")
    frame.fault("T001", f"`in` needs a tuple, list, dict or string known now, not {frame.describe(container)}", node)


def boolean(frame: Frame, op: gast.boolop, values: list[gast.expr], node: gast.AST, hint: str) -> Value:
    """`a and b`: decided now, an operator on two bools that cannot fail, or a branch."""
    stop = isinstance(op, gast.Or)
    left = evaluate.evaluate(frame, values[0])
    if len(values) == 1:
        return left
    decided = evaluate.truth(frame, left, node)
    rest = gast.BoolOp(op, values[1:]) if len(values) > 2 else values[1]
    gast.copy_location(rest, node)
    if isinstance(decided, Static):
        return left if decided.value == stop else evaluate.evaluate(frame, rest, hint)
    return both(frame, left, decided, lambda: evaluate.evaluate(frame, rest), stop, node, hint)


def both(frame: Frame, left: Value, decided: Value, make: Callable[[], Value], stop: bool, node, hint: str) -> Value:
    """`left and right` (or `or`, if a true `left` is the end), where `right` may only be evaluated if it counts."""
    right, emitted = attempt(frame, make)
    if right is None:
        return left
    right_type = frame.type_of(right)
    simple = decided == left and isinstance(right_type, Scalar) and right_type.dtype == "bool"
    if simple and all(_is_total(s) for s in emitted):
        frame.builder.body += emitted
        return frame.emit("logical_or" if stop else "logical_and", left, right, node=node, hint=hint)
    sides: tuple[Any, Any] = ((left, []), (right, emitted))
    return branch_value(frame, decided, *(sides if stop else sides[::-1]), node, hint)


def attempt(frame: Frame, make: Callable[[], Value]) -> tuple[Value | None, list[gast.stmt]]:
    """A value that may not be needed and the statements that make it; None while it waits for a recursive call."""
    before = dict(frame.variables)
    with frame.captured() as emitted:
        try:
            value: Value | None = make()
        except Unresolved:
            value = None
            frame.task.left_out = True
    frame.variables = before
    return value, emitted


def conditional(frame: Frame, test: gast.expr, body: gast.expr, orelse: gast.expr, node: gast.AST, hint: str) -> Value:
    decided = condition(frame, test)
    if isinstance(decided, Static):
        return evaluate.evaluate(frame, body if decided.value else orelse, hint)
    then = attempt(frame, lambda: evaluate.evaluate(frame, body, hint))
    other = attempt(frame, lambda: evaluate.evaluate(frame, orelse, hint))
    if then[0] is None or other[0] is None:
        known_side = then[0] if other[0] is None else other[0]
        if known_side is None:
            raise Unresolved
        return known_side
    return branch_value(frame, decided, then, other, node, hint)


def branch_value(frame: Frame, test: Value, then: tuple, other: tuple, node: gast.AST, hint: str) -> Value:
    """`then` or `other`, each a value and the statements that make it."""
    if then[0] == other[0] and not then[1] and not other[1]:
        return then[0]
    numbers = all(frame.is_scalar(v) for v, _ in (then, other)) and not _is_inexact(frame, then[0], other[0])
    if numbers and all(_is_total(s) for _, body in (then, other) for s in body):
        frame.builder.body += then[1] + other[1]
        return frame.emit("where", test, then[0], other[0], node=node, hint=hint)
    merged = join(frame, then[0], other[0])
    if isinstance(merged, Conflict):
        message = f"one side is {merged.left}, the other {merged.right}"
        frame.fault("T002", message, node, "these are joined here", ("make both sides the same type",))
    result = named(frame, hint, merged)
    fresh = merged_names(result, frame)
    bodies = []
    for value, body in (then, other):
        with frame.captured() as full:
            full += body
            assign_parallel(frame, copies(frame, result, value, fresh, node))
        bodies.append(full)
    frame.builder.append(syntax.if_(frame.atom(test, node), *bodies))
    return result


def _is_inexact(frame: Frame, left: Value, right: Value) -> bool:
    """Whether one side is an int that the type of both may not hold."""
    both_types = [frame.type_of(v) for v in (left, right)]
    wanted = Scalar(*promote(*both_types))  # type: ignore[arg-type]
    return any(loses_digits(v, t, wanted) for v, t in zip((left, right), both_types))  # type: ignore[arg-type]


def _is_total(statement: gast.stmt) -> bool:
    """Whether running a statement in vain cannot be noticed."""
    return isinstance(statement, gast.Assign) and (
        syntax.is_atom(statement.value) or operator_of(statement.value) in TOTAL
    )
