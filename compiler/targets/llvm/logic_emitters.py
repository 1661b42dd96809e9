"""Scalar emitters: comparison, logic and bits.

    left_shift(x, 70)     NumPy: 0      Python: OverflowError, unless x is 0
    right_shift(-1, 70)   both: -1
"""

from __future__ import annotations

from ...dtypes import is_signed
from ...ops.schema import OPERATORS
from .abi import BITS
from .here import INT_TOO_LARGE, Here, emits, python_message
from .operands import FALSE, TRUE, SsaValue, float_, int_

NEGATIVE_SHIFT = python_message(lambda: 1 << -len("1"))

# --- comparison and logic ------------------------------------------------------------------------------------------

TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _ints(sign: str, signed: bool = True) -> str:
    """LLVM's predicate for ints; as an i1 a true is -1, so that bools are compared as numbers without sign."""
    return sign if sign in ("eq", "ne") else ("s" if signed else "u") + sign


def _floats(sign: str) -> str:
    return "une" if sign == "ne" else "o" + sign


def _comparison(name: str, sign: str) -> None:
    @emits(name)
    def compare(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
        if x.type != y.type:
            return _by_value(here, sign, x, y)
        if not here.is_float and here.is_signed != is_signed(here.other or here.dtype):
            return _by_sign(here, sign, x, y)
        return here.code.compare(_floats(sign) if here.is_float else _ints(sign, here.is_signed), x, y)


def _by_sign(here: Here, sign: str, x: SsaValue, y: SsaValue) -> SsaValue:
    """An int with a sign against one without, of as many bits: what is below zero is below the other."""
    if not here.is_signed:
        x, y, sign = y, x, TURNED.get(sign, sign)
    below = here.code.compare("slt", x, int_(0, x.type))
    exact = here.code.compare(_ints(sign, False), x, y)
    if sign in ("lt", "le", "ne"):
        return here.code.binary("or", below, exact)
    return here.code.binary("and", _not(here, below), exact)


def _by_value(here: Here, sign: str, x: SsaValue, y: SsaValue) -> SsaValue:
    """A Python int against a Python float: by the float next to the int, and where that is equal, by ints."""
    if x.type == "double":
        return _by_value(here, TURNED.get(sign, sign), y, x)
    code = here.code
    near = code.convert("sitofp", x, "double")
    rough = code.compare(_floats(sign), near, y)
    if here.idle:
        return rough
    level, beyond = code.compare("oeq", near, y), code.compare("oeq", y, float_(2.0**63))
    whole = code.convert("fptosi", code.select(code.binary("and", level, _not(here, beyond)), y, float_(0.0)), "i64")
    exact = code.compare(_ints(sign), x, whole)
    # every int is below 2.0**63
    exact = code.select(beyond, TRUE if sign in ("lt", "le", "ne") else FALSE, exact)
    return code.select(level, exact, rough)


def _not(here: Here, x: SsaValue) -> SsaValue:
    return here.code.binary("xor", x, TRUE)


for _row in OPERATORS.values():
    if _row.is_comparison:
        _comparison(_row.name, _row.meaning.__name__)  # lt, le, ...: LLVM's names are Python's


@emits("logical_and")
def logical_and(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("and", x, y)


@emits("logical_or")
def logical_or(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("or", x, y)


@emits("logical_xor")
def logical_xor(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("xor", x, y)


@emits("logical_not")
def logical_not(here: Here, x: SsaValue) -> SsaValue:
    return here.code.binary("xor", x, SsaValue("i1", "true"))


# --- bits ----------------------------------------------------------------------------------------------------------


@emits("bitwise_and")
def bitwise_and(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("and", x, y)


@emits("bitwise_or")
def bitwise_or(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("or", x, y)


@emits("bitwise_xor")
def bitwise_xor(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("xor", x, y)


@emits("invert")
def invert(here: Here, x: SsaValue) -> SsaValue:
    return here.code.binary("xor", x, SsaValue(x.type, "true" if here.is_bool else "-1"))


@emits("left_shift")
def left_shift(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code, width = here.code, here.number(BITS[here.dtype])
    if here.weak:
        here.fail_if(code.compare("slt", y, here.number(0)), "ValueError", NEGATIVE_SHIFT)
    inside = code.compare("ult", y, width)
    count = code.select(inside, y, here.number(0))
    shifted = code.binary("shl", x, count)
    if here.weak and not here.idle:
        lost = code.compare("ne", code.binary("ashr", shifted, count), x)
        some = code.compare("ne", x, here.number(0))
        outside = code.binary("and", code.binary("xor", inside, SsaValue("i1", "true")), some)
        here.fail_if(code.binary("or", lost, outside), "OverflowError", INT_TOO_LARGE)
    return code.select(inside, shifted, here.number(0))


@emits("right_shift")
def right_shift(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code, width = here.code, here.number(BITS[here.dtype])
    if here.weak:
        here.fail_if(code.compare("slt", y, here.number(0)), "ValueError", NEGATIVE_SHIFT)
    if not here.is_signed:
        inside = code.compare("ult", y, width)
        return code.select(inside, code.binary("lshr", x, code.select(inside, y, here.number(0))), here.number(0))
    # a count outside the width shifts all but the sign out
    count = code.select(code.compare("ult", y, width), y, here.number(BITS[here.dtype] - 1))
    return code.binary("ashr", x, count)
