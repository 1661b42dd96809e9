"""Scalar emitters: functions of floating numbers, with NumPy's values for nan, infinities and signed zeros.

    exp log sin tanh ...      a function of `vector_math`, which the vectoriser knows; the C library's on old hosts
    sqrt floor fabs ...       an LLVM intrinsic, which the optimiser knows
    nextafter ...             a function of the C library, declared free of effects
    gamma digamma ...         a function of SciPy, by pointer
    logaddexp heaviside ...   a few instructions, after NumPy's definition
"""

from __future__ import annotations

import math

from ...dtypes import DTYPE
from ...ops.schema import OPERATORS
from . import half, helpers
from .here import Here, emits, python_message
from .operands import SsaValue, float_, is_pair, part_type
from .vector_math import host
from .vector_math.library import FUNCTIONS, declare

ZERO_TO_NEGATIVE = python_message(lambda: 0.0 ** float(-len("1")))
POWER_TOO_LARGE = python_message(lambda: 1e300 ** float(len("12")))
COMPLEX_POWER = "a negative number to a fractional power is complex, which compiled code does not support"


def library(here: Here, name: str, *operands: SsaValue) -> SsaValue:
    """A function of the C library in the width of the operands; it is pure but for errno, which nothing reads."""
    type_ = operands[0].type
    full = name + "f" if type_ == "float" else name
    parameters = ", ".join(o.type for o in operands)
    here.code.module.declare(full, f"declare {type_} @{full}({parameters}) memory(none) nounwind willreturn")
    return here.code.call(type_, full, *operands)


def scipy_function(here: Here, name: str, *operands: SsaValue, out: int = 0, results: int = 1) -> SsaValue:
    """A function of `scipy.special.cython_special`, on doubles, pairs and ints; one of the results it writes."""
    code, type_ = here.code, operands[-1].type
    if is_pair(type_):
        return scipy_function_of_pairs(here, name, *operands)
    given = [x if x.type == "i64" else code.convert("fpext", x, "double") for x in operands]
    letters = "".join("l" if x.type == "i64" else "d" for x in given)
    if results == 1:
        full = f"pellucid_scipy_{letters}_{name}"
        types = ", ".join(x.type for x in given)
        code.module.declare(full, f"declare double @{full}({types}, i32) memory(none) nounwind willreturn")
        return code.convert("fptrunc", code.call("double", full, *given, SsaValue("i32", "0")), type_)
    full = f"pellucid_scipy_{letters}{'p' * results}_{name}"
    places = [code.variable("double", "result") for _ in range(results)]
    types = ", ".join(x.type for x in (*given, *places))
    code.module.declare(full, f"declare void @{full}({types}) memory(argmem: write) nounwind willreturn")
    code.call("void", full, *given, *places)
    return code.convert("fptrunc", code.load("double", places[out]), type_)


def scipy_function_of_pairs(here: Here, name: str, *operands: SsaValue) -> SsaValue:
    """One of complex numbers, each of which goes through two registers, as does the result."""
    code, part = here.code, part_type(operands[-1].type)
    given = [code.convert("fpext", x, "double") for pair in operands for x in code.parts(pair)]
    full = f"pellucid_scipy_{'z' * len(operands)}_{name}"
    types = ", ".join(x.type for x in given)
    code.module.declare(full, f"declare {{double, double}} @{full}({types}, i32) memory(none) nounwind willreturn")
    result = code.call("{double, double}", full, *given, SsaValue("i32", "0"))
    return code.pair(*[code.convert("fptrunc", x, part) for x in code.parts(result)])


def vector_math(here: Here, name: str, *operands: SsaValue) -> SsaValue | None:
    """A function that loops can compute several lanes at a time; None where there is none, or the host is too old."""
    if name not in FUNCTIONS or not host.register_bytes():
        return None
    type_ = operands[0].type
    full = declare(here.code.module, name, "f64" if type_ == "double" else "f32")
    here.code.vector_calls += 1
    return here.code.call(type_, full, *operands)


def elementary(here: Here, name: str, *operands: SsaValue) -> SsaValue:
    """The best there is: an own function, an LLVM intrinsic, a function of the C library."""
    own = vector_math(here, name, *operands)
    if own is not None:
        return own
    source, function = OPERATORS[name].cpu.split()
    return here.code.intrinsic(function, *operands) if source == "llvm" else library(here, function, *operands)


def _elementary(name: str) -> None:
    @emits(name)
    def emit(here: Here, *operands: SsaValue) -> SsaValue:
        return elementary(here, name, *operands) if here.is_float else operands[0]  # an int is rounded already


def _scipy(name: str, function: str, out: str = "0", results: str = "1") -> None:
    @emits(name)
    def emit(here: Here, *operands: SsaValue) -> SsaValue:
        return scipy_function(here, function, *operands, out=int(out), results=int(results))


for _row in OPERATORS.values():
    _source, *_function = _row.cpu.replace(" of ", " ").split() or [""]
    if _source == "scipy":
        _scipy(_row.name, *_function)
    elif _source:
        _elementary(_row.name)


@emits("nextafter")
def nextafter(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    row = DTYPE[here.dtype]
    return elementary(here, "nextafter", x, y) if row.storage == row.register else half.next_after(here.code, x, y)


# --- division and powers -------------------------------------------------------------------------------------------


def divmod_(here: Here, x: SsaValue, y: SsaValue) -> tuple[SsaValue, SsaValue]:
    """Quotient rounded down and remainder with the divisor's sign, by way of the exact C remainder.

    For a divisor 0 they are x / 0 and the C remainder (nan), as in NumPy.
    """
    code, zero = here.code, here.number(0)
    rest = code.binary("frem", x, y)
    exact = code.binary("fdiv", code.binary("fsub", x, rest), y)
    some = code.compare("une", rest, zero)
    apart = code.binary("xor", code.compare("olt", y, zero), code.compare("olt", rest, zero))
    off = code.binary("and", some, apart)
    remainder = code.select(off, code.binary("fadd", rest, y), rest)
    remainder = code.select(some, remainder, _copysign(here, zero, y))
    exact = code.select(off, code.binary("fsub", exact, here.number(1)), exact)
    floor = code.intrinsic("floor", exact)
    short = code.compare("ogt", code.binary("fsub", exact, floor), here.number(0.5))
    floor = code.select(short, code.binary("fadd", floor, here.number(1)), floor)
    plain = code.binary("fdiv", x, y)
    quotient = code.select(code.compare("une", exact, zero), floor, _copysign(here, zero, plain))
    by_zero = code.compare("oeq", y, zero)
    return code.select(by_zero, plain, quotient), code.select(by_zero, rest, remainder)


def _copysign(here: Here, size: SsaValue, sign: SsaValue) -> SsaValue:
    return here.code.intrinsic("copysign", size, sign)


def power(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """x ** y; Python's raises where NumPy's is infinite, and where the answer would be complex."""
    code = here.code
    if here.weak:
        return _python_power(here, x, y)
    if y.text == float_(2.0, y.type).text:
        return code.binary("fmul", x, x)
    return general_power(here, x, y)


def general_power(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """x ** y without errors; for some exponents LLVM knows a shorter way."""
    simple = {float_(exponent, y.type).text for exponent in (-1.0, 0.5, 1.0)}
    own = None if y.text in simple else vector_math(here, "power", x, y)
    return own if own is not None else here.code.intrinsic("pow", x, y)


def _python_power(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code, zero = here.code, here.number(0)
    to_negative = code.compare("olt", y, zero)
    finite_y = is_finite(here, y)
    pole = code.binary("and", code.compare("oeq", x, zero), code.binary("and", to_negative, finite_y))
    here.fail_if(pole, "ZeroDivisionError", ZERO_TO_NEGATIVE)
    finite = code.binary("and", is_finite(here, x), finite_y)
    fractional = code.compare("une", code.intrinsic("floor", y), y)
    complex_ = code.binary("and", code.binary("and", code.compare("olt", x, zero), fractional), finite)
    here.fail_if(complex_, "ValueError", COMPLEX_POWER)
    result = general_power(here, x, y)
    overflow = code.binary("and", is_infinite(here, result), finite)
    here.fail_if(overflow, "OverflowError", POWER_TOO_LARGE)
    return result


@emits("float_power")
def float_power(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return general_power(here, x, y)


# --- questions -----------------------------------------------------------------------------------------------------


def is_infinite(here: Here, x: SsaValue) -> SsaValue:
    return here.code.compare("oeq", here.code.intrinsic("fabs", x), here.number(math.inf))


def is_finite(here: Here, x: SsaValue) -> SsaValue:
    return here.code.compare("olt", here.code.intrinsic("fabs", x), here.number(math.inf))


@emits("isnan", "math_isnan")
def isnan(here: Here, x: SsaValue) -> SsaValue:
    return here.code.compare("uno", x, x)


@emits("isinf", "math_isinf")
def isinf(here: Here, x: SsaValue) -> SsaValue:
    return is_infinite(here, x)


@emits("isfinite", "math_isfinite")
def isfinite(here: Here, x: SsaValue) -> SsaValue:
    return is_finite(here, x)


@emits("signbit")
def signbit(here: Here, x: SsaValue) -> SsaValue:
    bits = here.code.convert("bitcast", x, "i64" if x.type == "double" else "i32")
    return here.code.compare("slt", bits, SsaValue(bits.type, "0"))


@emits("bits")
def bits(here: Here, x: SsaValue) -> SsaValue:
    return here.code.convert("bitcast", x, "i64" if x.type == "double" else "i32")


@emits("of_bits")
def of_bits(here: Here, x: SsaValue) -> SsaValue:
    return here.code.convert("bitcast", x, "double" if x.type == "i64" else "float")


# --- extremes ------------------------------------------------------------------------------------------------------


def extreme(here: Here, predicate: str, x: SsaValue, y: SsaValue) -> SsaValue:
    """The larger (`og`) or smaller (`ol`), of equals the second, of float16 the first; nan if either is."""
    code, row = here.code, DTYPE[here.dtype]
    predicate += "t" if row.storage == row.register else "e"
    first = code.binary("or", code.compare(predicate, x, y), code.compare("uno", x, x))
    return code.select(first, x, y)


def number_extreme(here: Here, predicate: str, x: SsaValue, y: SsaValue) -> SsaValue:
    """The same, but a nan loses to a number."""
    code = here.code
    first = code.binary("or", code.compare(predicate, x, y), code.compare("uno", y, y))
    return code.select(first, x, y)


# --- made of the above ---------------------------------------------------------------------------------------------


@emits("copysign")
def copysign(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return _copysign(here, x, y)


@emits("heaviside")
def heaviside(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """0 below zero, `y` at zero, 1 above; nan stays."""
    code, zero = here.code, here.number(0)
    above = code.select(code.compare("ogt", x, zero), here.number(1), x)
    below = code.select(code.compare("olt", x, zero), zero, above)
    return code.select(code.compare("oeq", x, zero), y, below)


@emits("deg2rad")
def deg2rad(here: Here, x: SsaValue) -> SsaValue:
    return here.code.binary("fmul", x, here.number(math.pi / 180.0))


@emits("rad2deg")
def rad2deg(here: Here, x: SsaValue) -> SsaValue:
    return here.code.binary("fmul", x, here.number(180.0 / math.pi))


@emits("logaddexp")
def logaddexp(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """The larger plus log1p(exp(-difference)); equal operands, infinite ones too, have no difference to take."""
    correction = elementary(here, "log1p", elementary(here, "exp", _minus_distance(here, x, y)))
    return _larger_plus(here, x, y, here.number(math.log(2.0)), correction)


@emits("logaddexp2")
def logaddexp2(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code = here.code
    natural = elementary(here, "log1p", elementary(here, "exp2", _minus_distance(here, x, y)))
    return _larger_plus(here, x, y, here.number(1), code.binary("fmul", natural, here.number(1.0 / math.log(2.0))))


def _minus_distance(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code = here.code
    return code.unary("fneg", code.intrinsic("fabs", code.binary("fsub", x, y)))


def _larger_plus(here: Here, x: SsaValue, y: SsaValue, at_tie: SsaValue, correction: SsaValue) -> SsaValue:
    code = here.code
    larger = code.select(code.compare("ogt", x, y), x, y)
    apart = code.binary("fadd", larger, correction)
    return code.select(code.compare("oeq", x, y), code.binary("fadd", x, at_tie), apart)


@emits("zeta")
def zeta(here: Here, s: SsaValue, x: SsaValue) -> SsaValue:
    """Hurwitz's zeta function, the sum of (x + k) ** -s over k >= 0."""
    code = here.code
    operands = [code.convert("fpext", v, "double") for v in (s, x)]
    return code.convert("fptrunc", code.call("double", helpers.zeta(code.module), *operands), s.type)
