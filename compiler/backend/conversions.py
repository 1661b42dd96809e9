"""Scalar emitters: conversion between dtypes, as NumPy's `astype` or as Python's `int`, `float` and `bool`.

    f64 -> i64, strong    truncates; what does not fit becomes what NumPy's processor instruction gives
    f64 -> i64, weak      ValueError for nan, OverflowError for what does not fit
"""

from __future__ import annotations

import numpy as np

from ..dtypes import is_bool, is_inexact
from .abi import BITS, INT64_MIN, REGISTER
from .here import INT_TOO_LARGE, Here, emits, python_message
from .text import Value, float_, int_

NAN_TO_INT = python_message(lambda: int(float("nan")))
INFINITY_TO_INT = python_message(lambda: int(float("inf")))


def _saturates() -> bool:
    """Whether NumPy gives the largest int for a float that is too large (ARM), rather than the least (x86)."""
    with np.errstate(invalid="ignore"):
        return bool(np.array([1e300]).astype(np.int64)[0] > 0)


SATURATES = _saturates()


def truth(here: Here, x: Value, dtype: str) -> Value:
    """Whether a value counts as true: nan does."""
    if is_bool(dtype):
        return x
    if is_inexact(dtype):
        return here.code.compare("une", x, Value(x.type, "0.0"))
    return here.code.compare("ne", x, Value(x.type, "0"))


@emits("cast")
def cast(here: Here, x: Value) -> Value:
    """From `here.source` to `here.result`; NumPy's `astype`, or Python's conversions where either side is weak."""
    source, result, code = here.source, here.result, here.code
    to = REGISTER[result]
    if source == result:
        return x
    if is_bool(result):
        return truth(here, x, source)
    if is_bool(source):
        return code.convert("uitofp" if is_inexact(result) else "zext", x, to)
    if is_inexact(source) and is_inexact(result):
        return code.convert("fpext" if BITS[result] > BITS[source] else "fptrunc", x, to)
    if is_inexact(result):
        return code.convert("sitofp", x, to)
    if is_inexact(source):
        return truncate(here, x, source, result)
    if result == "i64":
        return code.convert("sext", x, to)
    narrow = code.convert("trunc", x, to)
    if here.source_weak and not here.idle:
        fits = code.compare("eq", code.convert("sext", narrow, "i64"), x)
        outside = code.binary("xor", fits, Value("i1", "true"))
        here.fail_if(outside, "OverflowError", "Python integer {} out of bounds for int32", x)
    return narrow


def truncate(here: Here, x: Value, source: str, result: str) -> Value:
    """A float as an int: Python raises for what does not fit, NumPy gives what the processor does."""
    code, to = here.code, REGISTER[result]
    bits = BITS[result]
    wide = code.convert("fpext", x, "double")
    low = code.compare("ogt" if bits == 32 else "oge", wide, float_(-(2.0 ** (bits - 1)) - (bits == 32)))
    high = code.compare("olt", wide, float_(2.0 ** (bits - 1)))
    fits = code.binary("and", low, high)
    if here.weak or here.source_weak:
        here.fail_if(code.compare("uno", wide, wide), "ValueError", NAN_TO_INT)
        size = code.intrinsic("fabs", wide)
        here.fail_if(code.compare("oeq", size, float_(float("inf"))), "OverflowError", INFINITY_TO_INT)
        here.fail_if(code.binary("xor", fits, Value("i1", "true")), "OverflowError", INT_TOO_LARGE)
    if SATURATES:
        name = f"llvm.fptosi.sat.{to}.f64"
        code.module.declare(name, f"declare {to} @{name}(double)")
        return code.call(to, name, wide)
    least = int_(INT64_MIN if bits == 64 else -(2**31), to)
    return code.select(fits, code.convert("fptosi", wide, to), least)
