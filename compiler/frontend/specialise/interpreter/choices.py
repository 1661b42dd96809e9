"""Comparisons, `and`, `or` and conditional expressions, with short-circuit evaluation.

    a if c else b     ->     where(c, a, b)     where neither side can fail or costs anything
                             if c: t = a        otherwise
                             else: t = b
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import gast

from .... import syntax
from ....analysis.failure import can_fail
from ....builder import COMPARISONS
from ....dtypes import BOOL_WORD, is_bool
from ....ops.schema import OPERATORS
from ....syntax import operator_of
from ....types import BOOL, Scalar, Type, dtype_of
from .. import protocol
from ..frame import Frame
from ..joins.exactness import may_not_fit
from ..joins.joined_types import join_numbers, meanings_of
from ..kinds import one_of, optional
from ..values import Leaf, Optional, Static, Value
from . import branches, evaluate

NOTHING: Mapping[str, Value] = {}


def condition(frame: Frame, test: gast.expr) -> Value:
    """The truth of a test of which only the truth is needed."""
    match test:
        case gast.BoolOp(op=op, values=[first, *others]):
            return all_hold(frame, isinstance(op, gast.Or), first, others, test)
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            return protocol.negation(frame, condition(frame, operand), test)
    value = protocol.truth(frame, evaluate.evaluate(frame, test), test)
    last = frame.builder.body[-1] if frame.builder.body else None
    match last:
        case gast.Assign(targets=[gast.Name(id=made)], value=gast.Call(func=gast.Name(id="cast"), args=[inner])):
            if isinstance(value, Leaf) and value.name == made and is_bool(dtype_of(frame.type_of(Leaf(inner.id)))):
                return Leaf(inner.id)
    return value


def all_hold(frame: Frame, stop: bool, first: gast.expr, others: list[gast.expr], node: gast.AST) -> Value:
    """The truth of `first and ...`, or with `stop` of `first or ...`, for values of any kind."""
    left = condition(frame, first)
    if not others or left == Static(stop):
        return left
    rest = lambda: all_hold(frame, stop, others[0], others[1:], node)  # noqa: E731
    if isinstance(left, Static):
        return rest()
    known = optional.known_from(frame, first, not stop)
    return both(frame, left, left, optional.knowing(frame, known, rest), stop, node, "t", known)


def denial(frame: Frame, value: Value, node: gast.AST, hint: str) -> Value:
    """`not value`: one of Python's bools, for a value of any kind."""
    denied = protocol.negation(frame, value, node, hint)
    if frame.type_of(denied) == Scalar(BOOL_WORD):
        return frame.emit("cast", denied, node=node, hint=hint, dtype=BOOL_WORD, weak=True)
    return denied


def comparison(frame: Frame, left: gast.expr, ops: list, comparators: list, node: gast.AST, hint: str) -> Value:
    """`a < b < c` is `a < b and b < c` with `b` evaluated once, and `c` only where needed."""
    return chain(frame, evaluate.evaluate(frame, left), ops, comparators, node, hint)


def chain(frame: Frame, left: Value, ops: list, comparators: list, node: gast.AST, hint: str) -> Value:
    right = evaluate.evaluate(frame, comparators[0])
    first = compare(frame, type(ops[0]), left, right, node, hint if len(ops) == 1 else "t")
    if len(ops) == 1:
        return first
    decided = protocol.truth(frame, first, node)
    if isinstance(decided, Static):
        return chain(frame, right, ops[1:], comparators[1:], node, hint) if decided.value else first
    rest = lambda: chain(frame, right, ops[1:], comparators[1:], node, "t")  # noqa: E731
    return both(frame, first, decided, rest, False, node, hint)


def compare(frame: Frame, op: type, left: Value, right: Value, node: gast.AST, hint: str = "t") -> Value:
    if op in COMPARISONS:
        return protocol.infix(frame, left, right, op, node, hint)
    of_case = lambda one, other: compare(frame, op, one, other, node)  # noqa: E731
    if (made := one_of.distributed(frame, of_case, [left, right], node, hint)) is not None:
        return made
    if op in (gast.Is, gast.IsNot):
        same = Static(True) if left is right else protocol.is_same(frame, left, right, node, hint)
        return same if op is gast.Is else protocol.negation(frame, same, node, hint)
    found = protocol.member(frame, right, left, node, hint)
    return found if op is gast.In else protocol.negation(frame, found, node, hint)


def boolean(frame: Frame, op: gast.boolop, values: list[gast.expr], node: gast.AST, hint: str) -> Value:
    """`a and b`: decided now, an operator on two bools that cannot fail, or a branch."""
    stop = isinstance(op, gast.Or)
    left = evaluate.evaluate(frame, values[0])
    if len(values) == 1:
        return left
    decided = protocol.truth(frame, left, node)
    rest = gast.BoolOp(op, values[1:]) if len(values) > 2 else values[1]
    gast.copy_location(rest, node)
    if isinstance(decided, Static):
        return left if decided.value == stop else evaluate.evaluate(frame, rest, hint)
    kept = left.inner if stop and isinstance(left, Optional) else left  # a value that is true is not None
    known = optional.known_from(frame, values[0], not stop)
    evaluated = optional.knowing(frame, known, lambda: evaluate.evaluate(frame, rest))
    return both(frame, kept, decided, evaluated, stop, node, hint, known)


def both(
    frame: Frame, left: Value, decided: Value, make: Callable[[], Value], stop: bool, node: gast.AST, hint: str,
    known: Mapping[str, Value] = NOTHING,
) -> Value:  # fmt: skip
    """`left and right` (or `or`, if a true `left` is the end), where `right` may be evaluated only if needed.

    `known` is what the first test says of variables that may be None.
    """
    further = branches.walk(frame, make)
    optional.forgotten(further.side, known, frame.variables)
    if further.waits:
        return left
    right, right_type = further.result, frame.type_of(further.result)
    if right == Static(stop) and frame.type_of(left) == BOOL and may_run_in_vain(frame, further):
        return right
    simple = decided == left and isinstance(right_type, Scalar) and is_bool(right_type.dtype)
    if simple and may_run_in_vain(frame, further):
        frame.builder.body += further.side.body
        return frame.emit("logical_or" if stop else "logical_and", left, right, node=node, hint=hint)
    kept = branches.as_it_is(frame, left)
    sides = (kept, further) if stop else (further, kept)
    return branch_value(frame, decided, *sides, node, hint)


def conditional(frame: Frame, test: gast.expr, body: gast.expr, orelse: gast.expr, node: gast.AST, hint: str) -> Value:
    decided = condition(frame, test)
    if isinstance(decided, Static):
        return evaluate.evaluate(frame, body if decided.value else orelse, hint)
    paths = []
    for outcome, side in ((True, body), (False, orelse)):
        known = optional.known_from(frame, test, outcome)
        evaluated = optional.knowing(frame, known, partial(evaluate.evaluate, frame, side, hint))
        paths.append(branches.walk(frame, evaluated))
        optional.forgotten(paths[-1].side, known, frame.variables)
    then, other = paths
    return branch_value(frame, decided, then, other, node, hint)


def branch_value(
    frame: Frame, test: Value, then: branches.Walk, other: branches.Walk, node: gast.AST, hint: str
) -> Value:
    """The value of one of two expressions that were walked, chosen by a test."""
    if may_run_in_vain(frame, then) and may_run_in_vain(frame, other):
        if then.result == other.result and not isinstance(then.result, Static):
            frame.builder.body += then.side.body + other.side.body
            return then.result
        numbers = frame.is_scalar(then.result) and frame.is_scalar(other.result)
        if numbers and not _may_not_fit(frame, then.result, other.result):
            frame.builder.body += then.side.body + other.side.body
            wanted = join_numbers(frame, then.result, other.result)
            held = [_in_python(frame, side.result, wanted, node) for side in (then, other)]
            made = frame.emit("where", test, *held, node=node, hint=hint)
            frame.builder.widen(made.name, (meanings_of(frame, side.result) for side in (then, other)))
            return made
    return branches.choose(frame, frame.atom(test, node), then, other, node, hint)


def may_run_in_vain(frame: Frame, path: branches.Walk) -> bool:
    """Whether a path may run speculatively: nothing in it fails, and no variable or object changes."""
    side = path.side
    return (
        side.variables is not None
        and _same(side.variables, frame.variables)
        and all(side.contents[number] is held for number, held in frame.heap.contents.items())
        and all(_is_unseen(s, frame.builder.types) for s in side.body)
    )


def _same(left: dict[str, Value], right: dict[str, Value]) -> bool:
    return left.keys() == right.keys() and all(left[name] is right[name] for name in left)


def _may_not_fit(frame: Frame, left: Value, right: Value) -> bool:
    """Whether one side is an int that the joined type may not hold."""
    wanted = join_numbers(frame, left, right)
    return any(may_not_fit(v, protocol.type_as(frame, v, Scalar), wanted) for v in (left, right))


def _in_python(frame: Frame, value: Value, wanted: Scalar, node: gast.AST) -> Value:
    """A NumPy number as a Python number, where the wanted type is Python's."""
    if not wanted.weak or protocol.type_as(frame, value, Scalar).weak:
        return value
    if isinstance(value, Static):
        return Static(value.value.item())
    return frame.emit("cast", value, node=node, dtype=wanted.dtype, weak=True)


def _is_unseen(statement: gast.stmt, types: dict[str, Type]) -> bool:
    """Whether a statement may run speculatively: it is cheap and cannot fail."""
    if not isinstance(statement, gast.Assign):
        return False
    value = statement.value
    row = OPERATORS.get(operator_of(value) or "")
    is_light = row is not None and row.work in ("free", "light")
    return syntax.is_atom(value) or (is_light and not can_fail(value, types))
