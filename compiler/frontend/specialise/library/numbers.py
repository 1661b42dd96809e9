"""Python's own functions of numbers and characters: `divmod`, three-argument `pow`, `round`, `int.bit_length`.

    divmod(a, b)       ->    (a // b, a % b), after a test of b with the error of `divmod`
    round(x, 2)        ->    the number with two digits that is nearest to x, as in Python
    pow(a, k, m)       ->    a loop over the bits of k
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from .... import syntax, types
from ....dtypes import FLOAT_WORD, is_complex, is_inexact
from ....ops.python_names import NameBinding
from ....types import Scalar
from ..frame import Frame
from ..interpreter import evaluate
from ..values import Sequence, Static, Value, is_number
from . import library

MOST_DIGITS = 22  # the largest power of ten that a float holds exactly


def divided(frame: Frame, args: list[Value], node: gast.AST) -> Value:
    """`divmod(a, b)`."""
    left, right = args
    if is_number(left) and is_number(right):
        pair = evaluate.fold(frame, divmod, node, left, right)
        return Sequence(tuple(map(Static, pair.value))) if isinstance(pair.value, tuple) else pair
    kinds = [frame.type_of(v) for v in args]
    weak = [t.dtype for t in kinds if isinstance(t, Scalar) and t.weak]
    if len(weak) == len(kinds):
        zero: Any = 0.0 if any(map(is_inexact, weak)) else 0
        is_zero = frame.emit("equal", right, Static(zero), node=node)
        error = syntax.raise_("ZeroDivisionError", words_of(divmod, zero, zero), span=frame.here(node))
        frame.builder.append(syntax.if_(frame.atom(is_zero, node), [error]))
    quotient = evaluate.binary(frame, gast.FloorDiv, left, right, node)
    return Sequence((quotient, evaluate.binary(frame, gast.Mod, left, right, node)))


def words_of(function: Callable[..., Any], *args: Any) -> str:
    """The message of the running interpreter where this fails."""
    try:
        function(*args)
    except ArithmeticError as error:
        return str(error)
    raise AssertionError("this was meant to fail")


def power(frame: Frame, args: list[Value], node: gast.AST, hint: str) -> Value:
    """`pow(a, k)` and `pow(a, k, m)`."""
    if len(args) == 2:
        return evaluate.binary(frame, gast.Pow, args[0], args[1], node, hint)
    if len(known := [a for a in args if is_number(a)]) == len(args):
        return evaluate.fold(frame, pow, node, *known)
    if any(frame.type_of(a) not in (types.INT, types.BOOL) for a in args):
        frame.fault("T001", "pow() of three arguments takes ints", node, "called here")
    return in_language(frame, "power_modulo", args, node, hint)


def in_language(frame: Frame, name: str, args: list[Value], node: gast.AST, hint: str) -> Value:
    return library.call(frame, NameBinding(function=f"python_builtins:{name}"), args, {}, node, hint)


def rounded(frame: Frame, value: Value, found: Scalar, digits: int, node: gast.AST, hint: str) -> Value:
    """`round(value, digits)` of a dynamic number; NumPy's floats round as `np.round` does."""
    if not is_inexact(found.dtype) and digits >= 0:
        return value
    if not found.weak and is_inexact(found.dtype) and not is_complex(found.dtype):
        return library.call(frame, NameBinding(function="elementary:round"), [value, Static(digits)], {}, node, hint)
    if not found.weak or found.dtype != FLOAT_WORD or not 0 <= digits <= MOST_DIGITS:
        frame.fault("U014", f"round() of {found} to {digits} digits is not in the language", node, "called here",
                    ("use np.round(x, digits)",))  # fmt: skip
    return in_language(frame, "rounded_to", [value, Static(10.0**digits)], node, hint)


def method_of_known(frame: Frame, value: Value, method: str, args: list[Value], node: gast.AST) -> Value | None:
    """`value.item()` and other methods of a known NumPy number that return a number; None for all others."""
    if not is_number(value) or not isinstance(value.value, np.generic) or args or not hasattr(value.value, method):
        return None
    found = evaluate.fold(frame, lambda number: getattr(number, method)(), node, value)
    return found if is_number(found) else None


def of_bits(frame: Frame, value: Value, method: str, node: gast.AST, hint: str) -> Value:
    """`value.bit_length()`, `value.bit_count()`"""
    if is_number(value):
        return evaluate.fold(frame, lambda v: getattr(v, method)(), node, value)
    return in_language(frame, method, [value], node, hint)
