"""`None` until found: a variable that is None on one path and has a value on another.

    best = None                             best_is_None = True; best = 0.0
    for v in x:                             for i in range(0, n, 1):
        if best is None or v < best:   ->       ... if best_is_None or v < best:
            best = v                                 best_is_None = False; best = v

Such a value is a flag and a value (`values.Optional`).  Where it must not be None, `present` tests the flag and raises
as CPython does; where a test implies this already (`if best is not None:`), the variable is the value in what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import gast

from .... import syntax
from ....dtypes import PYTHON_TYPE, python_word
from ....messages import escaped
from ....types import Array, Scalar
from .. import protocol
from ..describing import SYMBOLS
from ..frame import Frame
from ..interpreter import choices
from ..library.static_python import stop
from ..values import NONE, Leaf, Optional, Static, Value, is_none
from . import one_of

Result = TypeVar("Result")
NO_VALUE = "'NoneType' object has no value here"


@protocol.present.of(Static)
def _(frame: Frame, value: Static, node: gast.AST, message: str = NO_VALUE, error: str = "TypeError") -> Value:
    """None in an iteration that may never come, or where it is caught, is an error at run time."""
    if value.value is None and (frame.builder.loops or frame.builder.protection is not None):
        stop(frame, error, escaped(message), node)
    return value


@protocol.present.of(Optional)
def _(frame: Frame, value: Optional, node: gast.AST, message: str = NO_VALUE, error: str = "TypeError") -> Value:
    if isinstance(value.absent, Leaf):
        fault = syntax.raise_(error, escaped(message), span=frame.here(node))
        frame.builder.append(syntax.if_(frame.atom(value.absent, node), [fault]))
    for name, held in frame.variables.items():
        if held == value:  # control does not reach this point with None in it
            frame.variables[name] = value.inner
    return value.inner


def operands(frame: Frame, op: type, left: Value, right: Value, node: gast.AST) -> tuple[Value, Value]:
    """Both sides of an operator; but for `==` and `!=`, none takes None."""
    if op in (gast.Eq, gast.NotEq) or not any(isinstance(side, Optional) or is_none(side) for side in (left, right)):
        return left, right
    words = [_kind(frame, side) for side in (left, right)]
    if op in (gast.Lt, gast.LtE, gast.Gt, gast.GtE):
        text = "'{}' not supported between instances of '{}' and '{}'"
    else:
        text = "unsupported operand type(s) for {}: '{}' and '{}'"
    for k, side in enumerate((left, right)):
        named = [("NoneType" if k == i and isinstance(side, Optional) else words[i]) for i in (0, 1)]
        made = protocol.present(frame, side, node, text.format(SYMBOLS[op], *named))
        left, right = (made, right) if k == 0 else (left, made)
    return left, right


def _kind(frame: Frame, value: Value) -> str:
    """What CPython's error calls the class of a value: elements of NumPy's arrays meet None as Python numbers."""
    inner = value.inner if isinstance(value, Optional) else value
    found = frame.type_of(inner)
    if isinstance(found, Scalar | Array):
        return PYTHON_TYPE[python_word(found.dtype)].__name__
    return "NoneType" if is_none(inner) else frame.describe(inner)


def operand(frame: Frame, op: type, value: Value, node: gast.AST) -> Value:
    return protocol.present(frame, value, node, f"bad operand type for unary {SYMBOLS[op]}: 'NoneType'")


def all_present(
    frame: Frame, args: list[Value], kwargs: dict[str, Value], node: gast.AST
) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a function that does not take None."""


    def made(value: Value) -> Value:
        return protocol.present(frame, value, node) if isinstance(value, Optional) else value

    return list(map(made, args)), {key: made(value) for key, value in kwargs.items()}


def is_present(frame: Frame, value: Optional, node: gast.AST) -> Value:
    return protocol.negation(frame, value.absent, node)


@protocol.attribute.of(Optional)
def _(frame: Frame, base: Optional, name: str, node: gast.AST, hint: str = "t") -> Value:
    present = protocol.present(frame, base, node, protocol.NO_ATTRIBUTE.format(name), "AttributeError")
    return protocol.attribute(frame, present, name, node, hint)


@protocol.infix.of(Optional, beside=(protocol.ANY,))
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    if op in (gast.Eq, gast.NotEq):
        return protocol.infix.otherwise(frame, left, right, op, node, hint)
    return protocol.infix(frame, *operands(frame, op, left, right, node), op, node, hint)


@protocol.equal.of(Optional, beside=(protocol.ANY,))
def _(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """None is equal to None alone."""
    if is_none(right) or is_none(left):
        side = left if is_none(right) else right
        assert isinstance(side, Optional)
        refuse_array(frame, side, node)
        return side.absent
    if isinstance(left, Optional) and isinstance(right, Optional):
        return _both_equal(frame, left, right, node, hint)
    side, other = (left, right) if isinstance(left, Optional) else (right, left)
    assert isinstance(side, Optional)
    refuse_array(frame, side, node)
    refuse_array(frame, Optional(Static(False), other), node)
    given = is_present(frame, side, node)
    compared = lambda: protocol.truth(frame, choices.compare(frame, gast.Eq, side.inner, other, node), node)  # noqa: E731
    return choices.both(frame, given, given, compared, False, node, hint)


@protocol.is_same.of(Optional, beside=(protocol.ANY,))
def _(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    if isinstance(left, Optional) and isinstance(right, Optional):
        inside = lambda: protocol.is_same(frame, left.inner, right.inner, node, "t")  # noqa: E731
        return _both_alike(frame, left, right, inside, node, hint)
    side, other = (left, right) if isinstance(left, Optional) else (right, left)
    assert isinstance(side, Optional)
    if is_none(other):
        return side.absent
    given = is_present(frame, side, node)
    same = lambda: protocol.is_same(frame, side.inner, other, node, "t")  # noqa: E731
    return choices.both(frame, given, given, same, False, node, hint)


def _both_equal(frame: Frame, left: Optional, right: Optional, node: gast.AST, hint: str) -> Value:
    def inside() -> Value:
        refuse_array(frame, left, node)
        refuse_array(frame, right, node)
        return protocol.truth(frame, choices.compare(frame, gast.Eq, left.inner, right.inner, node), node)

    return _both_alike(frame, left, right, inside, node, hint)


def _both_alike(
    frame: Frame, left: Optional, right: Optional, inside: Callable[[], Value], node: gast.AST, hint: str
) -> Value:
    """Both are None, or neither is, and the values are alike."""
    alike = choices.compare(frame, gast.Eq, left.absent, right.absent, node)
    rest = lambda: choices.both(frame, left.absent, left.absent, inside, True, node, "t")  # noqa: E731
    return choices.both(frame, alike, alike, rest, False, node, hint)


def refuse_array(frame: Frame, value: Optional, node: gast.AST) -> None:
    """Refuse a comparison of what may be an array or None: NumPy compares an array with None element by element."""
    if frame.is_array(value.inner):
        frame.fault("T001", "`==` of an array, or of None, is an array of bools or one bool", node, "compared here",
                    ("test for None first: `x is None`",))  # fmt: skip


# --- narrowing by tests --------------------------------------------------------------------------------------------


def known_from(frame: Frame, test: gast.expr, outcome: bool) -> dict[str, Value]:
    """The variables that may be None, narrowed by this outcome of a test."""
    match test:
        case gast.UnaryOp(op=gast.Not(), operand=inner):
            return known_from(frame, inner, not outcome)
        case gast.BoolOp(op=op, values=values) if isinstance(op, gast.And) == outcome:
            return {k: v for part in values for k, v in known_from(frame, part, outcome).items()}
        case gast.Compare(left=gast.Name(id=name), ops=[op], comparators=[gast.Constant(value=None)]):
            if isinstance(op, gast.Is | gast.Eq | gast.IsNot | gast.NotEq):
                return _as(frame, name, outcome == isinstance(op, gast.Is | gast.Eq))
        case gast.Name(id=name) if outcome:
            return _as(frame, name, False)
    return one_of.known_from(frame, test, outcome)


def _as(frame: Frame, name: str, is_none: bool) -> dict[str, Value]:
    found = frame.variables.get(name)
    if not isinstance(found, Optional) or is_none and isinstance(found.inner, Optional):
        return {}
    return {name: NONE if is_none else found.inner}


def knowing(frame: Frame, known: Mapping[str, Value], run: Callable[[], Result]) -> Callable[[], Result]:
    """Run with variables narrowed to what is known of them on this path."""

    def informed() -> Result:
        frame.variables.update(known)
        return run()

    return informed if known else run


def forget(variables: dict[str, Value], known: Mapping[str, Value], before: Mapping[str, Value]) -> None:
    """Undo narrowing where the path meets the other: a variable that it did not assign may be None again."""
    for name, value in known.items():
        if variables.get(name) is value:
            variables[name] = before[name]


def forgotten(side: Any, known: Mapping[str, Value], before: Mapping[str, Value]) -> None:
    if side.variables is not None:
        forget(side.variables, known, before)


@protocol.truth.of(Optional)
def _(frame: Frame, value: Optional, node: gast.AST) -> Value:
    """None is false; the truth of the value is asked only if there is a value."""
    there = is_present(frame, value, node)
    return choices.both(frame, there, there, lambda: protocol.truth(frame, value.inner, node), False, node, "t")


@protocol.describe.of(Optional)
def _(frame: Frame, value: Optional) -> str:
    return f"{protocol.describe(frame, value.inner)} or None"
