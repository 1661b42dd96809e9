"""Scalar emitters for complex numbers: pairs of floats, with the values that NumPy and Python give.

    multiply((a, b), (c, d))    ->    (a*c - b*d, a*d + b*c)
    absolute((a, b))            ->    hypot(a, b)

The real numbers of `float_emitters` do the work where a part is a function of parts.  What is written for NumPy's
numbers serves Python's, where `here.weak` says so, with Python's errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...ops.schema import OPERATORS
from . import float_emitters, helpers
from .here import EMITTERS, Here, emits, python_message
from .operands import FALSE, SsaValue, float_

OF_COMPLEX: dict[str, Callable[..., SsaValue]] = {}

DIVISION_BY_ZERO = python_message(lambda: 1j / (0j * len("1")))
TO_NEGATIVE = python_message(lambda: (0j * len("1")) ** -1j)
POWER_TOO_LARGE = python_message(lambda: (1e300 + 1j * len("1")) ** 3)
SIZE_TOO_LARGE = python_message(lambda: abs(complex(1.7e308, 1.7e308)))

Parts = tuple[SsaValue, SsaValue]


def of_complex(*names: str) -> Callable[[Callable[..., SsaValue]], Callable[..., SsaValue]]:
    """Register an emitter for complex numbers under operator names."""

    def register(emitter: Callable[..., SsaValue]) -> Callable[..., SsaValue]:
        for name in names:
            OF_COMPLEX[name] = emitter
        return emitter

    return register


def by_real(here: Here, name: str, *operands: SsaValue) -> SsaValue:
    """An operator of the parts, as of NumPy's floats."""
    return EMITTERS[name](here.of_parts(), *operands)


def doubles_of(here: Here, x: SsaValue) -> SsaValue:
    code = here.code
    return code.pair(*[code.convert("fpext", part, "double") for part in code.parts(x)])


def narrowed(here: Here, x: SsaValue) -> SsaValue:
    code, (kind, _) = here.code, (here.number(0).type[1:-1].split(", "))
    return code.pair(*[code.convert("fptrunc", part, kind) for part in code.parts(x)])


for _row in OPERATORS.values():
    if _row.of_complex and _row.cpu.startswith("scipy "):
        OF_COMPLEX[_row.name] = EMITTERS[_row.name]


# --- arithmetic ----------------------------------------------------------------------------------------------------


def _by_parts(name: str) -> None:
    @of_complex(name)
    def emit(here: Here, *operands: SsaValue) -> SsaValue:
        code = here.code
        return code.pair(*[by_real(here, name, *parts) for parts in zip(*map(code.parts, operands))])


@of_complex("positive", "stop_gradient", "given", "tangent_of", "with_tangent")
def positive(here: Here, x: SsaValue, *_: SsaValue) -> SsaValue:
    return x


@of_complex("multiply")
def multiply(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    code = here.code
    (a, b), (c, d) = code.parts(x), code.parts(y)
    real = code.binary("fsub", code.binary("fmul", a, c), code.binary("fmul", b, d))
    return code.pair(real, code.binary("fadd", code.binary("fmul", a, d), code.binary("fmul", b, c)))


@of_complex("square")
def square(here: Here, x: SsaValue) -> SsaValue:
    return multiply(here, x, x)


@of_complex("divide")
def divide(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """Smith's algorithm (1962): by the quotient of the smaller part of the divisor by the larger one, which cannot
    overflow.
    """
    code, (a, b), (c, d) = here.code, here.code.parts(x), here.code.parts(y)
    sizes = [code.intrinsic("fabs", part) for part in (c, d)]
    is_zero = both(here, *[code.compare("oeq", size, _zero(here)) for size in sizes])
    if here.weak and not here.nonzero:
        here.fail_if(is_zero, "ZeroDivisionError", DIVISION_BY_ZERO)
    wide = code.compare("oge", *sizes)
    large, small = code.select(wide, c, d), code.select(wide, d, c)
    first, second = code.select(wide, a, b), code.select(wide, b, a)
    ratio = code.binary("fdiv", small, large)
    divisor = code.binary("fadd", large, code.binary("fmul", small, ratio))
    real = code.binary("fadd", first, code.binary("fmul", second, ratio))
    forward, back = (
        code.binary("fsub", one, other) for one, other in _both_ways(second, code.binary("fmul", first, ratio))
    )
    imaginary = code.select(wide, forward, back)
    if here.weak:
        return code.pair(code.binary("fdiv", real, divisor), code.binary("fdiv", imaginary, divisor))
    scale = code.binary("fdiv", float_(1.0, divisor.type), divisor)
    made = code.pair(code.binary("fmul", real, scale), code.binary("fmul", imaginary, scale))
    by_zero = code.pair(code.binary("fdiv", a, sizes[0]), code.binary("fdiv", b, sizes[0]))
    return code.select(is_zero, by_zero, made)


def _both_ways(one: SsaValue, other: SsaValue) -> tuple[Parts, Parts]:
    return (one, other), (other, one)


@of_complex("reciprocal")
def reciprocal(here: Here, x: SsaValue) -> SsaValue:
    code, (a, b) = here.code, here.code.parts(x)
    one = float_(1.0, a.type)
    wide = code.compare("ole", code.intrinsic("fabs", b), code.intrinsic("fabs", a))
    large, small = code.select(wide, a, b), code.select(wide, b, a)
    ratio = code.binary("fdiv", small, large)
    divisor = code.binary("fadd", large, code.binary("fmul", small, ratio))
    real = code.binary("fdiv", code.select(wide, one, ratio), divisor)
    return code.pair(real, code.binary("fdiv", code.unary("fneg", code.select(wide, ratio, one)), divisor))


@of_complex("power", "float_power")
def power(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    """Up to exponents of 100, where they are whole, by products as in NumPy and in Python; else by the logarithm."""
    code = here.code
    if y == here.number(2) and not here.weak:
        return square(here, x)
    (a, b), (c, d) = code.parts(doubles_of(here, x)), code.parts(doubles_of(here, y))
    zero = float_(0.0)
    is_nothing = both(here, *[code.compare("oeq", part, zero) for part in (a, b)])
    no_exponent = both(here, *[code.compare("oeq", part, zero) for part in (c, d)])
    above = code.compare("ogt", c, zero)
    name = helpers.complex_power(code.module)
    low = both(here, code.compare("oge", c, float_(1.0)), code.compare("ole", c, float_(3.0)))
    direct = FALSE if here.weak else low  # NumPy multiplies the base itself for these powers; all others begin with 1
    result = code.call("{double, double}", name, a, b, c, d, direct)
    if here.weak:
        complex_ = code.binary("or", code.compare("olt", c, zero), code.compare("une", d, zero))
        pole = both(here, is_nothing, complex_)
        here.fail_if(pole, "ZeroDivisionError", TO_NEGATIVE)
        _fail_if_too_large(here, result, POWER_TOO_LARGE, a, b, c, d)
    nan = float_(math.nan)
    of_nothing = code.select(above, code.pair(zero, zero), code.pair(nan, nan))
    one = code.pair(float_(1.0), zero)
    return narrowed(here, code.select(no_exponent, one, code.select(is_nothing, of_nothing, result)))


def _fail_if_too_large(here: Here, result: SsaValue, message: str, *operands: SsaValue) -> None:
    """Python raises where a result of finite numbers is not one."""
    code, reals = here.code, here.of_parts()
    real, imaginary = (float_emitters.is_infinite(reals, part) for part in code.parts(result))
    finite = SsaValue("i1", "true")
    for part in operands:
        finite = code.binary("and", finite, float_emitters.is_finite(reals, part))
    here.fail_if(code.binary("and", finite, code.binary("or", real, imaginary)), "OverflowError", message)


# --- parts and sizes -------------------------------------------------------------------------------------------------


@emits("complex_of")
def complex_of(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.pair(x, y)


@emits("real", "conjugate")
def real_itself(here: Here, x: SsaValue) -> SsaValue:
    """The part of a real number, and its conjugate."""
    return x


@emits("imag")
def nothing_imaginary(here: Here, x: SsaValue) -> SsaValue:
    return here.number(0)


@of_complex("real")
def real_part(here: Here, x: SsaValue) -> SsaValue:
    return here.code.parts(x)[0]


@of_complex("imag")
def imaginary_part(here: Here, x: SsaValue) -> SsaValue:
    return here.code.parts(x)[1]


@of_complex("conjugate")
def conjugate(here: Here, x: SsaValue) -> SsaValue:
    a, b = here.code.parts(x)
    return here.code.pair(a, here.code.unary("fneg", b))


@of_complex("absolute")
def absolute(here: Here, x: SsaValue) -> SsaValue:
    a, b = here.code.parts(x)
    size = by_real(here, "hypot", a, b)
    if here.weak:
        reals = here.of_parts()
        finite = both(here, *[float_emitters.is_finite(reals, part) for part in (a, b)])
        too_large = both(here, finite, float_emitters.is_infinite(reals, size))
        here.fail_if(too_large, "OverflowError", SIZE_TOO_LARGE)
    return size


# --- questions and order: numbers are in the order of their real parts, then of the imaginary ones -------------------


def both(here: Here, one: SsaValue, other: SsaValue) -> SsaValue:
    return here.code.binary("and", one, other)


def _zero(here: Here) -> SsaValue:
    return here.of_parts().number(0)


def _question(name: str, together: str) -> None:
    @of_complex(name)
    def emit(here: Here, x: SsaValue) -> SsaValue:
        return here.code.binary(together, *[by_real(here, name, part) for part in here.code.parts(x)])


@of_complex("equal")
def equal(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    pairs = zip(here.code.parts(x), here.code.parts(y))
    return both(here, *[here.code.compare("oeq", *pair) for pair in pairs])


@of_complex("not_equal")
def not_equal(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.binary("xor", equal(here, x, y), SsaValue("i1", "true"))


def _ordered(name: str, strictly: str, last: str) -> None:
    @of_complex(name)
    def emit(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
        code, (a, b), (c, d) = here.code, here.code.parts(x), here.code.parts(y)
        apart = both(here, code.compare(strictly, a, c), code.compare("ord", b, d))
        level = both(here, code.compare("oeq", a, c), code.compare(last, b, d))
        return code.binary("or", apart, level)


def _extreme(name: str, order: str, doubtful: int) -> None:
    """The first where it is in order before the second; a nan wins, or loses where numbers are asked for."""

    @of_complex(name)
    def emit(here: Here, x: SsaValue, y: SsaValue) -> SsaValue:
        is_first = OF_COMPLEX[order](here, x, y)
        return here.code.select(here.code.binary("or", is_first, OF_COMPLEX["isnan"](here, (x, y)[doubtful])), x, y)


_extreme("maximum", "greater_equal", 0)
_extreme("minimum", "less_equal", 0)
_extreme("fmax", "greater_equal", 1)
_extreme("fmin", "less_equal", 1)


@of_complex("where")
def where(here: Here, condition: SsaValue, x: SsaValue, y: SsaValue) -> SsaValue:
    return here.code.select(condition, x, y)


# --- what rows say of themselves -------------------------------------------------------------------------------------

for _row in OPERATORS.values():
    if _row.of_complex == "parts":
        _by_parts(_row.name)
    elif _row.of_complex in ("either", "both"):
        _question(_row.name, "or" if _row.of_complex == "either" else "and")
    if _row.is_comparison and _row.name not in OF_COMPLEX:
        _sign = _row.meaning.__name__  # lt, le, ...: the names of LLVM's predicates
        _ordered(_row.name, f"o{_sign[0]}t", f"o{_sign}")
