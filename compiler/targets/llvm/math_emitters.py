"""Scalar emitters: the functions of Python's `math`, which raise where a value is outside the domain or too large.

    math_sqrt(x)    ->    sqrt(x); ValueError("math domain error") where that makes a nan of a number

The words of each error are those of the running interpreter: newer ones name the operand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from ...ops.raising import Domain
from ...ops.schema import OPERATORS
from . import float_emitters
from .here import EMITTERS, INT_TOO_LARGE, Here, emits, python_message
from .operands import SsaValue, float_

DOMAIN, RANGE = "math domain error", "math range error"

TINY = 1e-300


def _words(function: Callable[[float], float], operand: float | None, default: str) -> str:
    """The interpreter's message for an operand that the function refuses."""
    return default if operand is None else python_message(lambda: function(operand), repr(operand))


@cache
def _messages(name: str) -> tuple[str, str, str]:
    """What the interpreter says of operands outside the domain, at a pole, and too large: found out when first used."""
    row: Any = OPERATORS[name]
    domain = _words(row.meaning, row.domain.outside, DOMAIN)
    return domain, _words(row.meaning, row.domain.pole, domain), _words(row.meaning, row.domain.too_large, RANGE)


def _with_operand(message: str, x: SsaValue) -> tuple[SsaValue, ...]:
    return (x,) if "{}" in message else ()


def _at_the_ends(here: Here, x: SsaValue, result: SsaValue) -> SsaValue:
    """lgamma where SciPy's says otherwise: -log|x| next to zero, where gamma(x) is 1 / x, and infinite at -inf."""
    code = here.code
    size = code.intrinsic("fabs", x)
    tiny = code.binary("and", code.compare("olt", size, float_(TINY)), code.compare("ogt", size, here.number(0)))
    near_zero = code.unary("fneg", EMITTERS["log"](here, code.select(tiny, size, here.number(1))))
    result = code.select(tiny, near_zero, result)
    return code.select(code.compare("oeq", x, float_(-math.inf)), float_(math.inf), result)


def _function(name: str, domain: Domain) -> None:
    @emits(name)
    def emit(here: Here, *operands: SsaValue) -> SsaValue:
        x, result = operands[0], EMITTERS[domain.numpy](here, *operands)
        if name == "math_lgamma":
            result = _at_the_ends(here, x, result)
        if domain.outside is not None:
            outside = _messages(name)[0]
            made_nan = here.code.binary("and", here.code.compare("uno", result, result), here.code.compare("ord", x, x))
            here.fail_if(made_nan, "ValueError", outside, *_with_operand(outside, x))
        if domain.pole is not None or domain.too_large is not None:
            made_infinite = here.code.binary(
                "and", float_emitters.is_infinite(here, result), float_emitters.is_finite(here, x)
            )
            _fail_at_infinity(here, x, made_infinite)
        return result

    def _fail_at_infinity(here: Here, x: SsaValue, made_infinite: SsaValue) -> None:
        _, pole, too_large = _messages(name)
        at_pole = made_infinite
        if domain.pole is not None and domain.too_large is not None:
            # of the gamma function: the poles are the ints up to zero; elsewhere the result is too large
            whole = here.code.compare("oeq", here.code.intrinsic("floor", x), x)
            below = here.code.compare("ole", x, here.number(0))
            at_pole = here.code.binary("and", made_infinite, here.code.binary("and", whole, below))
        if domain.pole is not None:
            here.fail_if(at_pole, "ValueError", pole, *_with_operand(pole, x))
        if domain.too_large is not None:
            here.fail_if(made_infinite, "OverflowError", too_large)


for _row in OPERATORS.values():
    if _row.domain is not None:
        _function(_row.name, _row.domain)


@emits("math_fmod")
def math_fmod(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """The C remainder, with the sign of x."""
    return _refuse_nan(here, x, y, here.code.binary("frem", x, y), python_message(lambda: math.fmod(1.0, 0.0)))


@emits("math_remainder")
def math_remainder(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """IEEE 754's remainder, to the nearest multiple of y."""
    rest = float_emitters.library(here, "remainder", x, y)
    return _refuse_nan(here, x, y, rest, python_message(lambda: math.remainder(1.0, 0.0)))


def _refuse_nan(here: Here, x: SsaValue, y: SsaValue, result: SsaValue, message: str) -> SsaValue:
    """An error where two numbers gave no number."""
    code = here.code
    made_nan = code.binary("and", code.compare("uno", result, result), code.compare("ord", x, y))
    here.fail_if(made_nan, "ValueError", message)
    return result


@emits("math_pow")
def math_pow(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code = here.code
    result = float_emitters.general_power(here, x, y)
    finite = code.binary("and", float_emitters.is_finite(here, x), float_emitters.is_finite(here, y))
    made_nan = code.binary("and", code.compare("uno", result, result), finite)
    here.fail_if(made_nan, "ValueError", python_message(lambda: math.pow(-1.0, 0.5)))
    infinite = code.binary("and", float_emitters.is_infinite(here, result), finite)
    at_zero = code.binary("and", infinite, code.compare("oeq", x, here.number(0)))
    here.fail_if(at_zero, "ValueError", python_message(lambda: math.pow(0.0, -1.0)))
    here.fail_if(infinite, "OverflowError", python_message(lambda: math.pow(1e300, 2.0)))
    return result


def _to_int(name: str, rounding: str) -> None:
    @emits(name)
    def emit(here: Here, x: SsaValue) -> SsaValue:
        """Rounded, as a Python int; what does not fit in 64 bits raises."""
        if not here.is_float:
            return x
        code = here.code
        whole = code.intrinsic(rounding, x)
        here.fail_if(
            code.compare("uno", whole, whole), "ValueError", python_message(lambda: math.floor(float("nan")))
        )
        here.fail_if(
            float_emitters.is_infinite(here, whole), "OverflowError", python_message(lambda: math.floor(math.inf))
        )
        low = code.compare("olt", whole, float_(-(2.0**63)))
        high = code.compare("oge", whole, float_(2.0**63))
        here.fail_if(code.binary("or", low, high), "OverflowError", INT_TOO_LARGE)
        return code.convert("fptosi", whole, "i64")


_to_int("math_floor", "floor")
_to_int("math_ceil", "ceil")
_to_int("math_trunc", "trunc")
_to_int("round_half_even", "rint")
