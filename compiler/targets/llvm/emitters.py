"""Scalar emitters: arithmetic, extremes and choice, as NumPy and as Python compute them.  Importing it fills the table.

    here.dtype = "i64", strong     floor_divide(x, y)    ->    rounds down; 0 where y is 0; wraps
    here.dtype = "i64", weak       floor_divide(x, y)    ->    ZeroDivisionError where y is 0; OverflowError
"""

from __future__ import annotations

from ...dtypes import FLOAT_WORD
from . import conversions, float_emitters, helpers, logic_emitters, math_emitters  # noqa: F401  (they fill the same table)
from .conversions import truncate
from .here import EMITTERS, INT_TOO_LARGE, Here, emits, python_message
from .operands import FALSE, SsaValue, float_

__all__ = ["EMITTERS"]

NEGATIVE_POWER = "Integers to negative integer powers are not allowed."


def _zero() -> int:
    """A zero that the byte-code compiler does not see."""
    return len("")


DIVISION_BY_ZERO = python_message(lambda: 1 / _zero())
FLOOR_BY_ZERO = python_message(lambda: 1 // _zero())
MODULO_BY_ZERO = python_message(lambda: 1 % _zero())
FLOAT_BY_ZERO = python_message(lambda: 1.0 / float(_zero()))
FLOAT_FLOOR_BY_ZERO = python_message(lambda: 1.0 // float(_zero()))
FLOAT_MODULO_BY_ZERO = python_message(lambda: 1.0 % float(_zero()))


# --- sums and products ---------------------------------------------------------------------------------------------


def _checked(here: Here, name: str, x: SsaValue, y: SsaValue) -> SsaValue:
    """An int operation of Python, whose ints do not wrap."""
    if not here.weak:
        return here.code.binary(name, x, y)
    if here.idle:
        return here.code.binary(name + " nsw", x, y)
    result, wrapped = here.code.overflowing("s" + name, x, y)
    here.fail_if(wrapped, "OverflowError", INT_TOO_LARGE)
    return result


@emits("add")
def add(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    if here.is_bool:
        return here.code.binary("or", x, y)
    return here.code.binary("fadd", x, y) if here.is_float else _checked(here, "add", x, y)


@emits("subtract")
def subtract(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("fsub", x, y) if here.is_float else _checked(here, "sub", x, y)


@emits("multiply")
def multiply(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    if here.is_bool:
        return here.code.binary("and", x, y)
    return here.code.binary("fmul", x, y) if here.is_float else _checked(here, "mul", x, y)


@emits("negative")
def negative(here: Here, x: SsaValue) -> SsaValue:
    if here.is_float:
        return here.code.unary("fneg", x)
    return _checked(here, "sub", here.number(0), x)


@emits("positive", "stop_gradient", "drawn", "given", "tangent_of", "with_tangent")
def positive(here: Here, x: SsaValue, *_: SsaValue) -> SsaValue:
    return x


@emits("absolute")
def absolute(here: Here, x: SsaValue) -> SsaValue:
    if here.is_float:
        return here.code.intrinsic("fabs", x)
    if not here.is_signed:
        return x
    below = here.code.compare("slt", x, here.number(0))
    return here.code.select(below, _checked(here, "sub", here.number(0), x), x)


@emits("square")
def square(here: Here, x: SsaValue) -> SsaValue:
    return multiply(here, x, x)


@emits("sign")
def sign(here: Here, x: SsaValue) -> SsaValue:
    code, zero = here.code, here.number(0)
    if here.is_float:
        # a nan is in no order with zero and stays
        up, down, flat = (code.compare(p, x, zero) for p in ("ogt", "olt", "oeq"))
        rest = code.select(flat, zero, x)
        return code.select(up, here.number(1), code.select(down, here.number(-1), rest))
    if not here.is_signed:
        return code.convert("zext", code.compare("ne", x, zero), x.type)
    up, down = code.compare("sgt", x, zero), code.compare("slt", x, zero)
    return code.select(up, here.number(1), code.select(down, here.number(-1), zero))


@emits("reciprocal")
def reciprocal(here: Here, x: SsaValue) -> SsaValue:
    if here.is_float:
        return here.code.binary("fdiv", here.number(1), x)
    # NumPy divides in double and truncates: 1 and -1 stay, 0 becomes the least int, all else 0
    double = here.code.convert("sitofp" if here.is_signed else "uitofp", x, "double")
    exact = here.code.binary("fdiv", float_(1.0), double)
    return truncate(here, exact, FLOAT_WORD, here.dtype)


# --- division ------------------------------------------------------------------------------------------------------


@emits("divide")
def divide(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code = here.code
    if not here.is_float:
        if not here.nonzero:
            here.fail_if(code.compare("eq", y, here.number(0)), "ZeroDivisionError", DIVISION_BY_ZERO)
        if here.is_bool:
            x, y = code.convert("zext", x, "i64"), code.convert("zext", y, "i64")
        return code.call("double", helpers.quotient(code.module), x, y)
    if here.weak and not here.nonzero:
        here.fail_if(code.compare("oeq", y, here.number(0)), "ZeroDivisionError", FLOAT_BY_ZERO)
    return code.binary("fdiv", x, y)


def _int_division(here: Here, x: SsaValue, y: SsaValue, message: str) -> tuple[SsaValue, SsaValue, SsaValue]:
    """C's quotient and remainder by a divisor that is safe, and whether Python's are one apart from them."""
    code, zero = here.code, here.number(0)
    if not here.is_signed:
        divisor = code.select(code.compare("eq", y, zero), here.number(1), y)
        return code.binary("udiv", x, divisor), code.binary("urem", x, divisor), FALSE
    if here.weak and not here.nonzero:
        here.fail_if(code.compare("eq", y, zero), "ZeroDivisionError", message)
    is_zero, is_minus_one = code.compare("eq", y, zero), code.compare("eq", y, here.number(-1))
    unsafe = code.binary("or", is_zero, is_minus_one)
    divisor = code.select(unsafe, here.number(1), y)
    quotient_, rest = code.binary("sdiv", x, divisor), code.binary("srem", x, divisor)
    signs = code.compare("slt", code.binary("xor", rest, y), zero)
    off = code.binary("and", signs, code.compare("ne", rest, zero))
    return quotient_, rest, off


@emits("floor_divide")
def floor_divide(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code = here.code
    if here.is_float:
        if here.weak and not here.nonzero:
            here.fail_if(code.compare("oeq", y, here.number(0)), "ZeroDivisionError", FLOAT_FLOOR_BY_ZERO)
        return float_emitters.divmod_(here, x, y)[0]
    whole, _, off = _int_division(here, x, y, FLOOR_BY_ZERO)
    if not here.is_signed:
        return code.select(code.compare("eq", y, here.number(0)), here.number(0), whole)
    whole = code.binary("sub", whole, code.convert("zext", off, x.type))
    is_minus_one = code.compare("eq", y, here.number(-1))
    if here.weak and not here.idle:
        least = code.compare("eq", x, here.least())
        here.fail_if(code.binary("and", is_minus_one, least), "OverflowError", INT_TOO_LARGE)
    whole = code.select(is_minus_one, code.binary("sub", here.number(0), x), whole)
    return code.select(code.compare("eq", y, here.number(0)), here.number(0), whole)


@emits("remainder")
def remainder(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code = here.code
    if here.is_float:
        if here.weak and not here.nonzero:
            here.fail_if(code.compare("oeq", y, here.number(0)), "ZeroDivisionError", FLOAT_MODULO_BY_ZERO)
        return float_emitters.divmod_(here, x, y)[1]
    _, rest, off = _int_division(here, x, y, MODULO_BY_ZERO)
    rest = code.select(off, code.binary("add", rest, y), rest)
    # any int is a multiple of -1, and NumPy gives 0 for a divisor 0; both were replaced by a safe divisor
    return _zero_for_small(here, rest, y)


@emits("fmod")
def fmod(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    if here.is_float:
        return here.code.binary("frem", x, y)
    _, rest, _ = _int_division(here, x, y, MODULO_BY_ZERO)
    return _zero_for_small(here, rest, y)


def _zero_for_small(here: Here, rest: SsaValue, divisor: SsaValue) -> SsaValue:
    is_zero = here.code.compare("eq", divisor, here.number(0))
    if not here.is_signed:
        return here.code.select(is_zero, here.number(0), rest)
    is_minus_one = here.code.compare("eq", divisor, here.number(-1))
    return here.code.select(here.code.binary("or", is_zero, is_minus_one), here.number(0), rest)


@emits("power")
def power_(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    if here.is_float:
        return float_emitters.power(here, x, y)
    code = here.code
    if y.text == "2":
        return multiply(here, x, x)
    if here.is_signed:
        here.fail_if(code.compare("slt", y, here.number(0)), "ValueError", NEGATIVE_POWER)
    if not here.weak:
        return code.call(x.type, helpers.power(code.module, x.type), x, y)
    pair = code.call("{i64, i1}", helpers.checked_power(code.module), x, y)
    here.fail_if(code.value("i1", f"extractvalue {pair}, 1"), "OverflowError", INT_TOO_LARGE)
    return code.value("i64", f"extractvalue {pair}, 0")


# --- extremes and choice -------------------------------------------------------------------------------------------


@emits("maximum")
def maximum(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    if here.is_bool:
        return here.code.binary("or", x, y)
    if here.is_float:
        return float_emitters.extreme(here, "og", x, y)
    return here.code.select(here.code.compare("sge" if here.is_signed else "uge", x, y), x, y)


@emits("minimum")
def minimum(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    if here.is_bool:
        return here.code.binary("and", x, y)
    if here.is_float:
        return float_emitters.extreme(here, "ol", x, y)
    return here.code.select(here.code.compare("sle" if here.is_signed else "ule", x, y), x, y)


@emits("fmax")
def fmax(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return float_emitters.number_extreme(here, "oge", x, y) if here.is_float else maximum(here, x, y)


@emits("fmin")
def fmin(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return float_emitters.number_extreme(here, "ole", x, y) if here.is_float else minimum(here, x, y)


@emits("where")
def where(here: Here, condition: SsaValue, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.select(condition, x, y)
