"""Scalar emitters for functions of complex numbers, in double precision.

    exp((a, b))    ->    (exp(a) * cos(b), exp(a) * sin(b))
    log(z)         ->    clog of the C library

What is made of functions of real numbers is taken in vectors with them.  C99 says what the values are at the ends.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ...dtypes import FLOAT_WORD
from ...ops.schema import OPERATORS
from . import float_emitters
from .complex_emitters import OF_COMPLEX, both, by_real, doubles_of, narrowed, of_complex
from .here import EMITTERS, Here
from .operands import TRUE, SsaValue, float_

__all__ = ["OF_COMPLEX"]

LARGEST_EXPONENT = 709.0  # exp of it is a number


def _as_doubles(here: Here) -> Here:
    return replace(here, dtype=FLOAT_WORD, weak=False, other="")


@of_complex("exp")
def exp(here: Here, x: SsaValue) -> SsaValue:
    """exp(a) * (cos(b), sin(b)), which may be numbers where exp(a) is none; at the ends as in C99."""
    code, doubles = here.code, _as_doubles(here)
    (a, b), zero = code.parts(doubles_of(here, x)), float_(0.0)
    large = code.compare("ogt", a, float_(LARGEST_EXPONENT))
    less = code.binary("fsub", a, code.select(large, float_(LARGEST_EXPONENT), zero))
    size, back = EMITTERS["exp"](doubles, less), code.select(large, float_(math.exp(LARGEST_EXPONENT)), float_(1.0))
    cosine = code.binary("fmul", code.binary("fmul", EMITTERS["cos"](doubles, b), back), size)
    sine = code.binary("fmul", code.binary("fmul", EMITTERS["sin"](doubles, b), back), size)
    sine = code.select(code.compare("oeq", b, zero), b, sine)
    no_angle = code.binary("xor", float_emitters.is_finite(doubles, b), TRUE)
    at_end = both(here, no_angle, float_emitters.is_infinite(doubles, a))
    at_zero = both(here, at_end, code.compare("olt", a, zero))
    sine = code.select(at_zero, code.intrinsic("copysign", zero, b), sine)
    return narrowed(here, code.pair(code.select(at_end, size, cosine), sine))


@of_complex("sqrt")
def sqrt(here: Here, x: SsaValue) -> SsaValue:
    """The larger part is sqrt((|a| + |z|) / 2), the product of both |b| / 2; of what is large or small times a power
    of four that leaves room; at the ends as in C99.
    """
    code, doubles = here.code, _as_doubles(here)
    (a, b), zero = code.parts(doubles_of(here, x)), float_(0.0)
    sizes = [code.intrinsic("fabs", part) for part in (a, b)]
    large = code.compare("ogt", code.intrinsic("maxnum", *sizes), float_(2.0**1000))
    small = code.compare("olt", code.intrinsic("maxnum", *sizes), float_(2.0**-900))
    scale, back = (
        code.select(large, float_(down), code.select(small, float_(up), float_(1.0)))
        for down, up in ((2.0**-4, 2.0**200), (2.0**2, 2.0**-100))
    )
    first, second = (code.binary("fmul", size, scale) for size in sizes)
    twice = code.binary("fadd", first, EMITTERS["hypot"](doubles, first, second))
    more = code.intrinsic("sqrt", code.binary("fmul", twice, float_(0.5)))
    less = code.binary("fdiv", second, code.binary("fadd", more, more))
    more, less = code.binary("fmul", more, back), code.binary("fmul", less, back)
    right = code.compare("oge", a, zero)
    real, imaginary = code.select(right, more, less), code.select(right, less, more)
    nothing = code.compare("oeq", twice, zero)
    real, imaginary = code.select(nothing, zero, real), code.select(nothing, zero, imaginary)
    real = code.select(float_emitters.is_infinite(doubles, b), sizes[1], real)
    imaginary = code.select(float_emitters.is_infinite(doubles, b), sizes[1], imaginary)
    return narrowed(here, code.pair(real, code.intrinsic("copysign", imaginary, b)))


def _library(here: Here, name: str, *operands: SsaValue) -> SsaValue:
    code = here.code
    given = [part for x in operands for part in code.parts(doubles_of(here, x))]
    parameters = ", ".join("double" for _ in given)
    code.module.declare(name, f"declare {{double, double}} @{name}({parameters}) memory(none) nounwind willreturn")
    return narrowed(here, code.call("{double, double}", name, *given))


def _of_library(name: str, function: str) -> None:
    @of_complex(name)
    def emit(here: Here, x: SsaValue) -> SsaValue:
        return _library(here, function, x)


def _scaled(here: Here, x: SsaValue, factor: float) -> SsaValue:
    code = here.code
    return code.pair(*[code.binary("fmul", part, float_(factor, part.type)) for part in code.parts(x)])


@of_complex("log10")
def log10(here: Here, x: SsaValue) -> SsaValue:
    return _scaled(here, _library(here, "clog", x), 1.0 / math.log(10.0))


@of_complex("log2")
def log2(here: Here, x: SsaValue) -> SsaValue:
    return _scaled(here, _library(here, "clog", x), 1.0 / math.log(2.0))


@of_complex("exp2")
def exp2(here: Here, x: SsaValue) -> SsaValue:
    return exp(here, _scaled(here, x, math.log(2.0)))


@of_complex("log1p")
def log1p(here: Here, x: SsaValue) -> SsaValue:
    """The logarithm of the distance from -1, and the angle seen from there."""
    code, (a, b) = here.code, here.code.parts(x)
    moved = code.binary("fadd", a, float_(1.0, a.type))
    return code.pair(by_real(here, "log", by_real(here, "hypot", moved, b)), by_real(here, "arctan2", b, moved))


@of_complex("expm1")
def expm1(here: Here, x: SsaValue) -> SsaValue:
    """exp(a) cos(b) - 1 = (exp(a) - 1) cos(b) - 2 sin(b / 2)**2"""
    code, (a, b) = here.code, here.code.parts(x)
    half = by_real(here, "sin", code.binary("fmul", b, float_(0.5, b.type)))
    less = code.binary("fmul", code.binary("fmul", float_(2.0, b.type), half), half)
    real = code.binary("fsub", code.binary("fmul", by_real(here, "expm1", a), by_real(here, "cos", b)), less)
    return code.pair(real, code.binary("fmul", by_real(here, "exp", a), by_real(here, "sin", b)))


for _row in OPERATORS.values():
    if _row.of_complex.startswith("c "):
        _of_library(_row.name, _row.of_complex[2:])
