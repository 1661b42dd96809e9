"""Scalar emitters: conversion between dtypes, as NumPy's `astype` or as Python's `int`, `float` and `bool`.

    f64 -> i64, strong    truncates; what does not fit becomes what NumPy's processor instruction gives
    f64 -> i64, weak      ValueError for nan, OverflowError for what does not fit
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...dtypes import (
    DTYPE,
    INT_WORD,
    NUMPY_DTYPE,
    is_bool,
    is_complex,
    is_exact,
    is_inexact,
    is_signed,
    part_of,
)
from . import half, memory_values
from .abi import BITS, INT64_MIN, REGISTER, STORED
from .here import INT_TOO_LARGE, Here, emits, python_message
from .operands import FALSE, SsaValue, float_, int_

NAN_TO_INT = python_message(lambda: int(float("nan")))
INFINITY_TO_INT = python_message(lambda: int(float("inf")))


def _saturates() -> bool:
    """Whether NumPy gives the largest int for a float that is too large (ARM), rather than the least (x86)."""
    with np.errstate(invalid="ignore"):
        return bool(np.array([1e300]).astype(np.int64)[0] > 0)


SATURATES = _saturates()


def truth(here: Here, x: SsaValue, dtype: str) -> SsaValue:
    """Whether a value counts as true: nan does."""
    if is_bool(dtype):
        return x
    if is_complex(dtype):
        return here.code.binary("or", *[truth(here, part, part_of(dtype)) for part in here.code.parts(x)])
    if is_inexact(dtype):
        return here.code.compare("une", x, SsaValue(x.type, "0.0"))
    return here.code.compare("ne", x, SsaValue(x.type, "0"))


@emits("cast")
def cast(here: Here, x: SsaValue) -> SsaValue:
    """From `here.source` to `here.result`; NumPy's `astype`, or Python's conversions where either side is weak."""
    source, result = here.source, here.result
    if source == result:
        return x
    if is_bool(result):
        return truth(here, x, source)
    if is_complex(result):
        return _as_complex(here, x)
    if is_complex(source):  # the imaginary part is left, as NumPy leaves it
        return cast(replace(here, source=part_of(source)), here.code.parts(x)[0])
    if is_inexact(result):
        return _as_float(here, x)
    if is_bool(source):
        return here.code.convert("zext", x, REGISTER[result])
    if not is_inexact(source):
        return _as_int(here, x, source, here.weak or here.source_weak)
    if here.source_weak and result != INT_WORD:  # by way of Python's int, which NumPy then finds too large or not
        return _as_int(here, truncate(here, x, source, INT_WORD), INT_WORD, True)
    return truncate(here, x, source, result)


def _as_complex(here: Here, x: SsaValue) -> SsaValue:
    """Both parts in the floats of the result; a real number has no imaginary part."""
    part = part_of(here.result)
    if not is_complex(here.source):
        real = cast(replace(here, result=part), x)
        return here.code.pair(real, memory_values.constant(part, 0))
    inner = replace(here, source=part_of(here.source), result=part)
    return here.code.pair(*[cast(inner, value) for value in here.code.parts(x)])


def _as_float(here: Here, x: SsaValue) -> SsaValue:
    code, source, result = here.code, here.source, here.result
    to = REGISTER[result]
    if is_inexact(source):
        if BITS[source] > 2 * BITS[result]:
            x = half.from_double(code, x)
        return memory_values.rounded(code, result, code.convert("fpext" if to == "double" else "fptrunc", x, to))
    operation = "sitofp" if is_signed(source) else "uitofp"
    if here.source_weak and STORED[result] != to:  # Python's ints become floats of Python's first
        return memory_values.rounded(code, result, half.from_double(code, code.convert(operation, x, "double")))
    return memory_values.rounded(code, result, code.convert(operation, x, to))


def _as_int(here: Here, x: SsaValue, source: str, python: bool) -> SsaValue:
    """The lowest bits, or more of them; what does not fit raises where one of the two is an int of Python's."""
    code, result = here.code, here.result
    wider = BITS[result] > BITS[source]
    made = code.convert(_extension(source) if wider else "trunc", x, REGISTER[result])
    if not python or here.idle or is_exact(source, result):
        return made
    outside = code.compare("slt", x, SsaValue(x.type, "0")) if is_signed(source) != is_signed(result) else FALSE
    if BITS[result] < BITS[source]:
        back = code.convert(_extension(result), made, x.type)
        outside = code.binary("or", outside, code.compare("ne", back, x))
    if here.source_weak:
        here.fail_if(outside, "OverflowError", f"Python integer {{}} out of bounds for {NUMPY_DTYPE[result]}", x)
    else:
        here.fail_if(outside, "OverflowError", INT_TOO_LARGE)
    return made


def _extension(dtype: str) -> str:
    return "sext" if is_signed(dtype) else "zext"


def truncate(here: Here, x: SsaValue, source: str, result: str) -> SsaValue:
    """A float as an int: Python raises for what does not fit, NumPy gives what the processor does.

    Processors have conversions to 32 and 64 bits, of which narrower ints are the lowest.  x86 has signed ones alone.
    """
    code, to = here.code, REGISTER[result]
    wide = code.convert("fpext", x, "double")
    if SATURATES:
        kind, between = "s" if is_signed(result) else "u", f"i{max(32, BITS[result])}"
        name = f"llvm.fpto{kind}i.sat.{between}.f64"
        code.module.declare(name, f"declare {between} @{name}(double)")
        _require_fit(here, wide, _fits(here, wide, result))
        return code.convert("trunc", code.call(between, name, wide), to)
    if is_signed(result) or BITS[result] < 64:
        bits = max(32, BITS[result] if is_signed(result) else 2 * BITS[result])
        fits = _fits(here, wide, f"i{bits}")
        _require_fit(here, wide, fits)
        return code.convert("trunc", _signed(here, wide, fits, bits), to)
    half_way = float_(2.0**63)
    upper = code.compare("oge", wide, half_way)
    lower = code.select(upper, code.binary("fsub", wide, half_way), wide)
    made = _signed(here, lower, _fits(here, lower, INT_WORD), 64)
    return code.binary("xor", made, code.select(upper, int_(INT64_MIN), int_(0)))


def _signed(here: Here, x: SsaValue, fits: SsaValue, bits: int) -> SsaValue:
    """What x86 gives: the least int for what does not fit."""
    return here.code.select(fits, here.code.convert("fptosi", x, f"i{bits}"), int_(-(2 ** (bits - 1)), f"i{bits}"))


def _fits(here: Here, x: SsaValue, dtype: str) -> SsaValue:
    """Whether a double is an int of this dtype once its fraction is cut off."""
    code, row = here.code, DTYPE[dtype]
    least, above = float(row.least), float(int(row.greatest) + 1)
    low = code.compare("ogt" if row.bits < 64 else "oge", x, float_(least - (row.bits < 64)))
    return code.binary("and", low, code.compare("olt", x, float_(above)))


def _require_fit(here: Here, x: SsaValue, fits: SsaValue) -> None:
    code = here.code
    if here.weak or here.source_weak:
        here.fail_if(code.compare("uno", x, x), "ValueError", NAN_TO_INT)
        size = code.intrinsic("fabs", x)
        here.fail_if(code.compare("oeq", size, float_(float("inf"))), "OverflowError", INFINITY_TO_INT)
        here.fail_if(code.binary("xor", fits, SsaValue("i1", "true")), "OverflowError", INT_TOO_LARGE)
