"""Where operators on numbers raise: Python's arithmetic, the functions of `math`, conversions.

    divide(x, y)      ZeroDivisionError    where y == 0.0
    math_log(x)       ValueError           where log(x) is nan and x is not, or x is 0.0
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import gast

from ....builder import Builder
from ....dtypes import DTYPE, is_bool, is_exact, is_inexact, is_integer
from ....messages import Message
from ....ops.schema import Operator
from ....types import Array, ListOf, Scalar, Type
from .failing_cases import (
    OVERFLOW,
    VALUE,
    ZERO_DIVISION,
    Atom,
    Case,
    Wants,
    are_pythons,
    both,
    either,
    fails,
    known,
    words_of,
)


@fails("divide", "/")
@fails("floor_divide", "//")
@fails("remainder", "%")
def by_zero(symbol: str):
    def rule(builder: Builder, args, types, static, wants) -> Iterator[Case]:
        divisor = known(args[1])
        if not are_pythons(types) or not wants(ZERO_DIVISION) or divisor:
            return
        one = 1.0 if any(is_inexact(t.dtype) for t in types) else 1
        words = words_of(lambda: eval(f"x {symbol} y", {"x": one, "y": one - one}))
        yield Case(ZERO_DIVISION, builder.call("equal", args[1], one - one), words)

    return rule


@fails("power")
def power(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    base, exponent = args
    if not are_pythons(types):
        whole = all(not isinstance(t, ListOf) and not is_inexact(t.dtype) for t in types)
        fixed = known(exponent)
        positive = fixed is not None and fixed >= 0
        if whole and wants(VALUE) and not positive:
            below = builder.call("less", exponent, 0)
            test = builder.call("any", below) if isinstance(types[1], Array) else below
            yield Case(VALUE, test, "Integers to negative integer powers are not allowed.")
        return
    fixed = known(exponent)
    if wants(ZERO_DIVISION) and (fixed is None or fixed < 0):
        is_zero, below = builder.call("equal", base, 0), builder.call("less", exponent, 0)
        test = both(builder, is_zero, below)
        if is_inexact(types[1].dtype):
            test = both(builder, test, builder.call("isfinite", exponent))
        yield Case(ZERO_DIVISION, test, words_of(lambda: 0.0**-1.0))
    if wants(OVERFLOW) and any(is_inexact(t.dtype) for t in types):
        yield Case(OVERFLOW, _made_infinite(builder, "float_power", args), words_of(lambda: 1e300**2.0))


def _made_infinite(builder: Builder, operator: str, args: Sequence[Atom]) -> Atom:
    """Whether finite numbers give infinity."""
    made = builder.call("isinf", builder.call(operator, *args))
    return both(builder, made, *(builder.call("isfinite", a) for a in args if not isinstance(a, gast.Constant)))


def _made_nan(builder: Builder, operator: str, args: Sequence[Atom]) -> Atom:
    """Whether the result is nan although no operand is."""
    made = builder.call("isnan", builder.call(operator, *args))
    given = [builder.call("isnan", a) for a in args if not isinstance(a, gast.Constant)]
    return both(builder, made, *(builder.call("logical_not", g) for g in given))


def of_domain(builder: Builder, row: Operator, args: Sequence[Atom], wants: Wants) -> Iterator[Case]:
    """A function of `math`, by the domain in its row."""
    domain: Any = row.domain
    if domain.outside is not None and wants(VALUE):
        yield Case(VALUE, _made_nan(builder, domain.numpy, args), _of_message(row, domain.outside))
    if domain.pole is None and domain.too_large is None or not wants(VALUE) and not wants(OVERFLOW):
        return
    infinite = _made_infinite(builder, domain.numpy, args)
    at_pole = infinite
    if domain.pole is not None and domain.too_large is not None:
        whole = builder.call("equal", builder.call("floor", args[0]), args[0])
        at_pole = both(builder, infinite, whole, builder.call("less_equal", args[0], 0.0))
    if domain.pole is not None and wants(VALUE):
        yield Case(VALUE, at_pole, _of_message(row, domain.pole))
    if domain.too_large is not None and wants(OVERFLOW):
        elsewhere = builder.call("logical_not", at_pole)
        test = infinite if domain.pole is None else both(builder, infinite, elsewhere)
        yield Case(OVERFLOW, test, _of_message(row, domain.too_large))


def _of_message(row: Operator, operand: float) -> Message | None:
    """The message of Python; None where it mentions the operand."""
    text = words_of(lambda: row.meaning(operand))
    return None if repr(operand) in str(text) else text


@fails("math_fmod", "fmod")
@fails("math_remainder", "fmod")
def not_a_number(operator: str):
    """`math.fmod` and the like raise where the result is nan although no operand is."""

    def rule(builder: Builder, args, types, static, wants) -> Iterator[Case]:
        if wants(VALUE):
            yield Case(VALUE, _made_nan(builder, operator, args), words_of(lambda: math.fmod(1.0, 0.0)))

    return rule


@fails("math_pow")
def math_pow(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    at_zero = builder.call("equal", args[0], 0.0)
    if wants(VALUE):
        finite = [builder.call("isfinite", a) for a in args if not isinstance(a, gast.Constant)]
        made = builder.call("isnan", builder.call("float_power", *args))
        yield Case(VALUE, both(builder, made, *finite), words_of(lambda: math.pow(-1.0, 0.5)))
        infinite = _made_infinite(builder, "float_power", args)
        yield Case(VALUE, both(builder, at_zero, infinite), words_of(lambda: math.pow(0.0, -1.0)))
    if wants(OVERFLOW):
        infinite = _made_infinite(builder, "float_power", args)
        elsewhere = builder.call("logical_not", at_zero)
        yield Case(OVERFLOW, both(builder, infinite, elsewhere), words_of(lambda: math.pow(1e300, 2.0)))


@fails("math_floor")
@fails("math_ceil")
@fails("math_trunc")
@fails("round_half_even")
def to_int(
    builder: Builder, args: Sequence[Atom], types: Sequence[Type], static: Any, wants: Wants
) -> Iterator[Case]:
    """Where the operand is nan or infinite, which no int is."""
    if not isinstance(types[0], Scalar) or not is_inexact(types[0].dtype):
        return
    if wants(VALUE):
        yield Case(VALUE, builder.call("isnan", args[0]), words_of(lambda: int(math.nan)))
    if wants(OVERFLOW):
        yield Case(OVERFLOW, builder.call("isinf", args[0]), words_of(lambda: int(math.inf)))


@fails("cast")
def cast(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    source, dtype = types[0], static["dtype"]
    if isinstance(source, ListOf) or not is_integer(dtype):
        return
    weak = isinstance(source, Scalar) and source.weak
    if is_inexact(source.dtype):
        if weak or static.get("weak"):
            yield from to_int(builder, args, types, static, wants)
    elif weak and not static.get("weak") and not is_bool(source.dtype) and not is_exact(source.dtype, dtype):
        if wants(OVERFLOW):
            row = DTYPE[dtype]
            low, high = int(row.least), min(int(row.greatest), 2**63 - 1)
            test = either(builder, builder.call("less", args[0], low), builder.call("greater", args[0], high))
            yield Case(OVERFLOW, test)


@fails("left_shift")
@fails("right_shift")
def shift(builder: Builder, args, types, static, wants) -> Iterator[Case]:
    if are_pythons(types) and wants(VALUE) and known(args[1]) is None:
        yield Case(VALUE, builder.call("less", args[1], 0), "negative shift count")
