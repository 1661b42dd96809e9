"""Compute operators on constants, as CPython does.

    multiply(2.0, 3.0)           ->    6.0
    divide(1, 0)                 ->    as it is: the error belongs to the run
    multiply(float64(2.0), 3.0)  ->    float64(6.0)
    multiply(float64(0.5), x)    ->    multiply(0.5, x)      for x of a dtype in which 0.5 is the same number

A constant is a Python number, or the cast of one to a dtype of NumPy.  Of the latter only what IEEE arithmetic says to
the last bit is computed here: `sin(1.0)` stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast
import numpy as np

from .. import syntax
from ..dtypes import INT_WORD, NUMPY_DTYPE, holds, is_bool
from ..ops import schema
from ..ops.schema import Precedence
from ..types import Array, Scalar, Type

LARGEST_POWER = 1024


def evaluate(value: gast.Call) -> gast.Constant | None:
    """The constant that a call of an operator on constants gives, or None."""
    row = schema.OPERATORS.get(syntax.operator_of(value) or "")
    if row is None or row.kind != "elementwise" or not all(isinstance(a, gast.Constant) for a in value.args):
        return None
    numbers = [a.value for a in value.args]
    grows = row.precedence in (Precedence.POWER, Precedence.SHIFT)
    if grows and any(isinstance(n, int) and abs(n) > LARGEST_POWER for n in numbers[1:]):
        return None  # an int that would take long to write down
    static = {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(value)
    try:
        result = row.meaning(*numbers, **static)
    except (ArithmeticError, ValueError, TypeError):
        return None
    if type(result) not in (bool, int, float, complex) or type(result) is int and not -(2**63) <= result < 2**63:
        return None
    return syntax.constant(result)


def evaluate_strong(value: gast.Call, value_of: Callable[[str], gast.expr | None]) -> gast.Call | None:
    """The cast of a constant that an exact operator gives on constants of which one is NumPy's, or None."""
    row = schema.row_of(syntax.operator_of(value))
    if row is None or not row.is_exact:
        return None
    numbers = [_number(a, value_of) for a in value.args]
    if any(n is None for n in numbers) or not any(isinstance(n, np.generic) for n in numbers):
        return None
    with np.errstate(all="ignore"):
        try:
            result: Any = row.meaning(*numbers)
        except (ArithmeticError, ValueError, TypeError):
            return None
    dtype = next((d for d, n in NUMPY_DTYPE.items() if isinstance(result, np.generic) and n == result.dtype), None)
    if dtype is None or is_bool(dtype) or not np.isfinite(result):
        return None
    return syntax.call("cast", result.item(), dtype=dtype, weak=False)


def _number(atom: gast.expr, value_of: Callable[[str], gast.expr | None]) -> object:
    """The number after an atom, NumPy's where a cast made it so."""
    if isinstance(atom, gast.Constant):
        return atom.value
    constant = cast_constant(atom, value_of)
    if constant is None:
        return None
    number, dtype = constant
    try:
        return NUMPY_DTYPE[dtype].type(number)
    except OverflowError:
        return None


def cast_constant(atom: gast.expr, value_of: Callable[[str], gast.expr | None]) -> tuple[object, str] | None:
    """(number, dtype) of a name that holds the cast of a constant to a dtype of NumPy."""
    made = value_of(atom.id) if isinstance(atom, gast.Name) else None
    if made is None or syntax.operator_of(made) != "cast" or not isinstance(made.args[0], gast.Constant):
        return None
    static = syntax.static_of(made)
    return None if static.get("weak") or is_bool(static["dtype"]) else (made.args[0].value, str(static["dtype"]))


def may_weaken(operator: str | None) -> bool:
    """Whether a plain constant in place of NumPy's gives the same to the last bit."""
    row = schema.row_of(operator)
    return row is not None and (row.is_exact or row.is_comparison)


def weaken(
    value: gast.Call, types: Mapping[str, Type], value_of: Callable[[str], gast.expr | None]
) -> gast.Call | None:
    """The operator on the plain constant, where the other operand decides the dtype and the number is the same."""
    if not may_weaken(syntax.operator_of(value)) or len(value.args) != 2:
        return None
    for position, atom in enumerate(value.args):
        other = value.args[1 - position]
        constant = cast_constant(atom, value_of)
        if constant is None or not isinstance(other, gast.Name) or cast_constant(other, value_of) is not None:
            continue
        type_ = types.get(other.id)
        if isinstance(type_, Array) or isinstance(type_, Scalar) and not type_.weak:
            number, dtype = constant
            if dtype == type_.dtype or _is_same_in(number, dtype) and _is_writable(number):
                arguments = list(value.args)
                arguments[position] = syntax.constant(number)
                return syntax.rebuild(value, args=arguments)
    return None


def _is_writable(number: object) -> bool:
    """Whether it is a number of Python's as it stands."""
    return not isinstance(number, int) or holds(INT_WORD, number)


def _is_same_in(number: object, dtype: str) -> bool:
    """Whether a dtype holds this number without rounding it."""
    return NUMPY_DTYPE[dtype].type(number).item() == number
