"""Scalar emitters: the functions of Python's `math`, which raise where a value is outside the domain or too large.

    math_sqrt(x)    ->    sqrt(x); ValueError("math domain error") where that makes a nan of a number

The words of each error are those of the running interpreter: newer ones name the operand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from . import float_emitters
from .here import EMITTERS, INT_TOO_LARGE, Here, emits, python_message
from .text import Value, float_

DOMAIN, RANGE = "math domain error", "math range error"

# name of the operator and of the emitter it shares with NumPy -> operands outside the domain, operands too large
UNARY: dict[str, tuple[str, float | None, float | None]] = {
    "sqrt": ("sqrt", -1.0, None),
    "cbrt": ("cbrt", None, None),
    "exp": ("exp", None, 1000.0),
    "exp2": ("exp2", None, 10000.0),
    "expm1": ("expm1", None, 1000.0),
    "log": ("log", -1.0, None),
    "log2": ("log2", -1.0, None),
    "log10": ("log10", -1.0, None),
    "log1p": ("log1p", -2.0, None),
    "sin": ("sin", math.inf, None),
    "cos": ("cos", math.inf, None),
    "tan": ("tan", math.inf, None),
    "arcsin": ("arcsin", 2.0, None),
    "arccos": ("arccos", 2.0, None),
    "arctan": ("arctan", None, None),
    "sinh": ("sinh", None, 1000.0),
    "cosh": ("cosh", None, 1000.0),
    "tanh": ("tanh", None, None),
    "arcsinh": ("arcsinh", None, None),
    "arccosh": ("arccosh", 0.5, None),
    "arctanh": ("arctanh", 2.0, None),
    "erf": ("erf", None, None),
    "erfc": ("erfc", None, None),
    "gamma": ("gamma", -1.0, 1000.0),
    "lgamma": ("gammaln", -1.0, 1e308),
    "fabs": ("absolute", None, None),
    "degrees": ("rad2deg", None, None),
    "radians": ("deg2rad", None, None),
}
PYTHON_NAMES = {name: name.replace("arc", "a") for name in UNARY}
TINY = 1e-300
# Poles where the C function is infinite: Python calls them outside the domain.
POLES = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0, "arctanh": 1.0, "gamma": 0.0, "lgamma": 0.0}


def _words(name: str, operand: float | None, default: str) -> str:
    """The interpreter's message for an operand that the function refuses."""
    function = getattr(math, PYTHON_NAMES.get(name, name))
    if operand is None:
        return default
    return python_message(lambda: function(operand), repr(operand))


@cache
def _messages(name: str) -> tuple[str, str, str]:
    """What the interpreter says of operands outside the domain, at a pole, and too large: found out when first used."""
    _, outside, large = UNARY[name]
    domain = _words(name, outside, DOMAIN)
    return domain, _words(name, POLES[name], DOMAIN) if name in POLES else domain, _words(name, large, RANGE)


def _with_operand(message: str, x: Value) -> tuple[Value, ...]:
    return (x,) if "{}" in message else ()


def _at_the_ends(here: Here, x: Value, result: Value) -> Value:
    """lgamma where SciPy's says otherwise: -log|x| next to zero, where gamma(x) is 1 / x, and infinite at -inf."""
    code = here.code
    size = code.intrinsic("fabs", x)
    tiny = code.binary("and", code.compare("olt", size, float_(TINY)), code.compare("ogt", size, here.number(0)))
    near_zero = code.unary("fneg", EMITTERS["log"](here, code.select(tiny, size, here.number(1))))
    result = code.select(tiny, near_zero, result)
    return code.select(code.compare("oeq", x, float_(-math.inf)), float_(math.inf), result)


def _unary(name: str) -> None:
    shared, outside, large = UNARY[name]

    def emit(here: Here, x: Value) -> Value:
        code, domain = here.code, _messages(name)[0]
        result = EMITTERS[shared](here, x)
        if name == "lgamma":
            result = _at_the_ends(here, x, result)
        if outside is not None:
            made_nan = code.binary("and", code.compare("uno", result, result), code.compare("ord", x, x))
            here.fail_if(made_nan, "ValueError", domain, *_with_operand(domain, x))
        if name in POLES or large is not None:
            made_infinite = code.binary(
                "and", float_emitters.is_infinite(here, result), float_emitters.is_finite(here, x)
            )
            _fail_at_infinity(here, x, made_infinite)
        return result

    def _fail_at_infinity(here: Here, x: Value, made_infinite: Value) -> None:
        _, pole, too_large = _messages(name)
        if name in ("gamma", "lgamma"):  # the poles are the ints up to zero; elsewhere the result is too large
            whole = here.code.compare("oeq", here.code.intrinsic("floor", x), x)
            below = here.code.compare("ole", x, here.number(0))
            at_pole = here.code.binary("and", whole, below)
            here.fail_if(
                here.code.binary("and", made_infinite, at_pole), "ValueError", pole, *_with_operand(pole, x)
            )
            here.fail_if(made_infinite, "OverflowError", too_large)
        elif name in POLES:
            here.fail_if(made_infinite, "ValueError", pole, *_with_operand(pole, x))
        else:
            here.fail_if(made_infinite, "OverflowError", too_large)

    emits("math_" + name, "math_" + PYTHON_NAMES[name])(emit)


for _name in UNARY:
    _unary(_name)


def _plain(name: str, shared: str) -> Callable[..., Value]:
    @emits(name)
    def emit(here: Here, *operands: Value) -> Value:
        return EMITTERS[shared](here, *operands)

    return emit


for _name, _shared in (
    ("math_arctan2", "arctan2"),
    ("math_atan2", "arctan2"),
    ("math_hypot", "hypot"),
    ("math_copysign", "copysign"),
    ("math_nextafter", "nextafter"),
):
    _plain(_name, _shared)


@emits("math_fmod")
def math_fmod(here: Here, x: Value, y: Value) -> Value:
    """The C remainder, with the sign of x."""
    return _refuse_nan(here, x, y, here.code.binary("frem", x, y), python_message(lambda: math.fmod(1.0, 0.0)))


@emits("math_remainder")
def math_remainder(here: Here, x: Value, y: Value) -> Value:
    """IEEE 754's remainder, to the nearest multiple of y."""
    rest = float_emitters.library(here, "remainder", x, y)
    return _refuse_nan(here, x, y, rest, python_message(lambda: math.remainder(1.0, 0.0)))


def _refuse_nan(here: Here, x: Value, y: Value, result: Value, message: str) -> Value:
    """An error where two numbers gave no number."""
    code = here.code
    made_nan = code.binary("and", code.compare("uno", result, result), code.compare("ord", x, y))
    here.fail_if(made_nan, "ValueError", message)
    return result


@emits("math_pow", "math_power")
def math_pow(here: Here, x: Value, y: Value) -> Value:
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
    def emit(here: Here, x: Value) -> Value:
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


for _name in ("floor", "ceil", "trunc"):
    _to_int("math_" + _name, _name)
_to_int("round_half_even", "rint")
