"""Rows: arithmetic, rounding, extremes and choice.

Where Python and NumPy write the same sign, the row means both: on Python scalars it is Python's arithmetic (division by
zero raises, results stay weak), on everything else NumPy's.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from .. import syntax
from ..types import dtype_of, is_floating, of_complex
from . import intervals
from .cotangents import Atom, Atoms, Static
from .in_kernels import InKernels, as_named, called, signed
from .kinds import elementwise, infix, prefix
from .raising import by_zero, on_python_or_ints
from .schema import TOGETHER, Precedence
from .type_rules import from_numpy, is_weak, python_float, python_number, python_or, python_size, where_dtype
from .works_in import as_choice, as_quotient, as_sized

if TYPE_CHECKING:
    from ..builder import Builder

infix("add", "+", Precedence.SUM, of_complex="parts", meaning=operator.add, samples="pairs",
      is_polynomial=True, is_exact=True, natural=all, interval=intervals.added, reorders="rounding",
      cuda=signed("{x} + {y}", truths="{x} | {y}", pairs="{x} + {y}", checked="checked_add({x}, {y}, {failed})"),
      type=python_or(python_number, np.add), partials=["1.0", "1.0"])  # fmt: skip
infix("subtract", "-", Precedence.SUM, of_complex="parts", meaning=operator.sub, samples="pairs",
      is_polynomial=True, is_exact=True, interval=intervals.subtracted,
      cuda=signed("{x} - {y}", pairs="{x} - {y}", checked="checked_subtract({x}, {y}, {failed})"),
      type=python_or(python_number, np.subtract, "; `^` is the difference of booleans"),
      partials=["1.0", "-1.0"])  # fmt: skip
infix("multiply", "*", Precedence.TERM, of_complex="own", meaning=operator.mul, samples="pairs",
      is_polynomial=True, is_exact=True, natural=all, interval=intervals.multiplied,
      cuda=signed("{x} * {y}", truths="{x} & {y}", pairs="{x} * {y}",
                  checked="checked_multiply({x}, {y}, {failed})"),
      type=python_or(python_number, np.multiply), partials=["y", "x"])  # fmt: skip


def divisor_slope(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    """-out_bar / y * out, which divides what the slope by x is; of 1.0 / y without a second division."""
    x, y = operands
    if isinstance(x, gast.Constant) and x.value == 1:
        return builder.quote("-out_bar * (out * out)", out=out, out_bar=out_bar)
    return builder.quote("-(out_bar / y * out)", out=out, out_bar=out_bar, y=y)


infix("divide", "/", Precedence.TERM, work="slow", raises=by_zero, works_in=as_quotient, meaning=operator.truediv,
      samples="quotients", is_exact=True, undoes="multiply", of_complex="own",
      cuda=signed("{x} / {y}", checked="checked_divide({x}, {y}, {failed})", pairs="complex_divide({x}, {y})",
                  checked_pairs="checked_complex_divide({x}, {y}, {failed})", pythons="complex_quotient({x}, {y})"),
      type=python_or(python_float, np.divide), python=("numpy.divide", "numpy.true_divide"),
      partials=["vjp: out_bar / y", divisor_slope])  # fmt: skip
def divided(name: str) -> InKernels:
    """Device functions of their own for ints, whose division by zero is silent."""
    return called(name, "x, y", ints=f"{name}_integer({{x}}, {{y}})",
                  checked=f"checked_{name}({{x}}, {{y}}, {{failed}})",
                  checked_ints=f"checked_{name}_integer({{x}}, {{y}}, {{failed}})")  # fmt: skip


infix("floor_divide", "//", Precedence.TERM, work="slow", raises=by_zero, meaning=operator.floordiv,
      samples="quotients", natural=all, interval=intervals.divided, cuda=divided("floor_divide"),
      type=python_or(python_number, np.floor_divide), partials=[None, None])  # fmt: skip
infix("remainder", "%", Precedence.TERM, work="slow", raises=by_zero, meaning=operator.mod, samples="quotients",
      interval=intervals.remainder, cuda=divided("remainder"),
      type=python_or(python_number, np.remainder), python=("numpy.remainder", "numpy.mod"),
      partials=["1.0", "-(x // y)"], jumps=True)  # fmt: skip


def power_of_base(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """y * x ** (y - 1), and zero where x and y are zero (as in JAX).

    Elsewhere nothing is changed where y is zero: the next derivatives, x ** -1 among them, are of this one.
    """
    x, y = operands
    if not isinstance(y, gast.Constant):
        one = syntax.constant(1.0 if is_floating(builder.type_of(y)) else 1)
        exponent = "where(logical_and(x == 0, y == 0), one, y - one)"
        base = numpys(builder, x)
        return builder.quote(f"out_bar * (y * base ** {exponent})", x=x, y=y, base=base, one=one, out_bar=out_bar)
    match y.value:
        case 0:
            return None
        case 1:
            return out_bar
        case 2:
            return builder.quote("out_bar * (2.0 * x)", x=x, out_bar=out_bar)
    factor = syntax.constant(y.value if isinstance(y.value, complex) else float(y.value))
    less = syntax.constant(y.value - 1)
    base = numpys(builder, x) if isinstance(y.value, float) and 0.0 < y.value < 1.0 else x
    return builder.quote("out_bar * (factor * base ** less)", base=base, factor=factor, less=less, out_bar=out_bar)


def numpys(builder: Builder, x: Atom) -> Atom:
    """A Python float as NumPy's: zero to a negative power is infinite there, and no error."""
    type_ = builder.type_of(x)
    if not is_weak(type_) or not is_floating(type_) or of_complex(type_):
        return x
    return builder.call("cast", x, dtype=dtype_of(type_), weak=False)


def power_of_exponent(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """log(x) * x ** y, with 1 for x = 0 under the logarithm (as in JAX): there the power is constant for y > 0."""
    x, y = operands
    if of_complex(builder.type_of(out)) and not of_complex(builder.type_of(x)):  # a negative number has a logarithm
        result = builder.type_of(out)
        x = builder.call("cast", x, dtype=dtype_of(result), weak=is_weak(result))
    is_pythons = is_weak(builder.type_of(x)) and is_weak(builder.type_of(y)) and not of_complex(builder.type_of(x))
    log = "math_log" if is_pythons else "log"
    template = f"out_bar * ({log}(where(x == 0, one, x)) * out)"
    one = syntax.constant(1.0 if is_floating(builder.type_of(x)) else 1)
    return builder.quote(template, x=x, one=one, out=out, out_bar=out_bar)


# Python's int ** negative int is a float: the type cannot depend on a value, so compiled code raises ValueError there.
infix("power", "**", Precedence.POWER, work="function", raises=on_python_or_ints, meaning=operator.pow,
      samples="powers", of_complex="own",
      cuda=InKernels("{x} ** {y}", ints="power_integer({x}, {y})", pairs="complex_power({x}, {y})",
                     checked="checked_power({x}, {y}, {failed})",
                     checked_ints="checked_power_integer({x}, {y}, {failed})",
                     checked_pairs="checked_complex_power({x}, {y}, {failed})"),
      type=python_or(python_number, np.power), python=("numpy.power", "numpy.pow"),
      partials=[power_of_base, power_of_exponent])  # fmt: skip

prefix("negative", "-", meaning=operator.neg, samples="numbers", partials=["-1.0"],
       is_polynomial=True, is_exact=True, interval=intervals.negated, of_complex="parts",
       cuda=signed("-{x}", pairs="-{x}"),
       type=python_or(python_number, np.negative, "; `~` and np.logical_not negate booleans"))  # fmt: skip
prefix("positive", "+", work="free", meaning=operator.pos, samples="numbers", partials=["1.0"],
       is_polynomial=True, is_exact=True, natural=all, interval=intervals.unchanged, of_complex="own",
       cuda=signed("+{x}", pairs="{x}"), type=python_or(python_number, np.positive))  # fmt: skip


def absolute_slope(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """sign(x), zero at zero; on a Python float without leaving Python's floats."""
    (x,) = operands
    if of_complex(builder.type_of(x)):
        return builder.quote("out_bar * (conjugate(x) / where(out == 0.0, 1.0, out))", x=x, out=out, out_bar=out_bar)
    if is_weak(builder.type_of(x)):
        return builder.quote("where(x > 0.0, out_bar, where(x < 0.0, -out_bar, 0.0))", x=x, out_bar=out_bar)
    return builder.quote("out_bar * sign(x)", x=x, out_bar=out_bar)


def absolute_jvp(builder: Builder, operands: Atoms, tangents: Atoms, static: Static, out: Atom) -> Atom | None:
    """Of a complex number the real part alone counts: the size changes along its direction."""
    (x,), (x_dot,) = operands, tangents
    if not of_complex(builder.type_of(x)):
        return absolute_slope(builder, operands, static, out, x_dot)
    along = "real(x_dot * (conjugate(x) / where(out == 0.0, 1.0, out)))"
    return builder.quote(along, x=x, out=out, x_dot=x_dot)


elementwise("absolute", "x", work="light", meaning=abs, spelling="np.abs({x})", scalar_spelling="abs({x})",
            samples="numbers", is_exact=True, interval=intervals.absolute, of_complex="own", works_in=as_sized,
            cuda=called("abs", pairs="complex_absolute({x})", pythons="checked_complex_absolute({x}, {failed})"),
            type=python_or(python_size, np.absolute), partials=[absolute_slope], jvp=absolute_jvp,
            python=("numpy.absolute", "numpy.abs"))  # fmt: skip
elementwise("sign", "x", work="light", meaning=np.sign, samples="numbers", type=from_numpy(np.sign), partials=[None],
            cuda=called("sign"), python=())  # fmt: skip
elementwise("square", "x", work="light", meaning=np.square, samples="numbers", type=from_numpy(np.square),
            of_complex="own", cuda=called("square", pairs="square({x})"), partials=["2.0 * x"])  # fmt: skip
elementwise("reciprocal", "x", work="slow", meaning=np.reciprocal, samples="nonzero", type=from_numpy(np.reciprocal),
            of_complex="own", cuda=called("reciprocal", ints=None, pairs="complex_reciprocal({x})"),
            partials=["-(out * out)"])  # fmt: skip
elementwise("copysign", "x, y", work="light", meaning=np.copysign, samples="real_pairs", type=from_numpy(np.copysign),
            cuda=called("math.copysign", "x, y"), partials=["sign(x) * copysign(1.0, y)", None])  # fmt: skip
elementwise("heaviside", "x, y", work="light", meaning=np.heaviside, samples="real_pairs",
            type=from_numpy(np.heaviside), cuda=called("heaviside", "x, y"),
            partials=[None, "vjp: where(x == 0.0, out_bar, 0.0)"])  # fmt: skip
elementwise("nextafter", "x, y", meaning=np.nextafter, samples="real_pairs", type=from_numpy(np.nextafter),
            cpu="c nextafter", cuda=called("math.nextafter", "x, y", halves=False),
            partials=["1.0", None], jumps=True)  # fmt: skip
elementwise("fmod", "x, y", work="slow", meaning=np.fmod, samples="quotients", type=from_numpy(np.fmod),
            cuda=called("math.fmod", "x, y", ints="fmod_integer({x}, {y})"),
            partials=["1.0", "-trunc(x / y)"], jumps=True)  # fmt: skip
elementwise("float_power", "x, y", meaning=np.float_power, samples="powers", type=from_numpy(np.float_power),
            of_complex="own", cuda=InKernels("{x} ** {y}", pairs="complex_power({x}, {y})"),
            partials=[power_of_base, power_of_exponent])  # fmt: skip
elementwise("deg2rad", "x", work="light", meaning=np.deg2rad, samples="reals", type=from_numpy(np.deg2rad),
            cuda=called("math.radians"), partials=[f"{np.pi / 180.0!r}"],
            python=("numpy.deg2rad", "numpy.radians"))  # fmt: skip
elementwise("rad2deg", "x", work="light", meaning=np.rad2deg, samples="reals", type=from_numpy(np.rad2deg),
            cuda=called("math.degrees"), partials=[f"{180.0 / np.pi!r}"],
            python=("numpy.rad2deg", "numpy.degrees"))  # fmt: skip

# --- rounding: locally constant ------------------------------------------------------------------------------------

for _round in (np.floor, np.ceil, np.trunc, np.rint):
    elementwise(_round.__name__, "x", work="light", meaning=_round, samples="reals", type=from_numpy(_round),
                of_complex="parts" if "D->D" in _round.types else "", cpu=f"llvm {_round.__name__}",
                cuda=as_named(_round.__name__, ints="{x}", pairs="complex_rint({x})" if _round is np.rint else ""),
                partials=[None])  # fmt: skip

# --- extremes: a tie shares its cotangent evenly, as in JAX --------------------------------------------------------

WINS = "where({0} {2} {1}, out_bar, where({0} == {1}, 0.5 * out_bar, 0.0))"
WINS_OR_ALONE = "where(logical_or({0} {2} {1}, isnan({1})), out_bar, where({0} == {1}, 0.5 * out_bar, 0.0))"

NOT_BEATEN = "logical_not({1} {2} {0})"  # nor is what is nan
NOT_BEATEN_BY_NUMBERS = "logical_or({0} {2}= {1}, isnan({1}))"


def extreme(function: np.ufunc, sign: str, share: str, taken: str, **row: Any) -> None:
    elementwise(function.__name__, "x, y", work="light", meaning=function, samples="pairs", type=from_numpy(function),
                of_complex="own",
                cuda=called(function.__name__, "x, y", truths="{x} | {y}" if sign == ">" else "{x} & {y}",
                            pairs=f"complex_{function.__name__}({{x}}, {{y}})"),
                partials=["vjp: " + share.format(*names, sign) for names in ("xy", "yx")],
                taken=tuple(taken.format(*names, sign) for names in ("xy", "yx")), **row)  # fmt: skip


extreme(np.maximum, ">", WINS, NOT_BEATEN, is_exact=True, natural=any, interval=intervals.greatest, reorders="zeros")
extreme(np.minimum, "<", WINS, NOT_BEATEN, is_exact=True, natural=all, interval=intervals.least, reorders="zeros")
extreme(np.fmax, ">", WINS_OR_ALONE, NOT_BEATEN_BY_NUMBERS)
extreme(np.fmin, "<", WINS_OR_ALONE, NOT_BEATEN_BY_NUMBERS)

# --- choice --------------------------------------------------------------------------------------------------------


def choose(c, x, y):
    """NumPy's where; of Python scalars a conditional expression, in the one type that both fit."""
    if any(isinstance(value, np.ndarray) for value in (c, x, y)):
        return np.where(c, x, y)
    if isinstance(x, np.generic) or isinstance(y, np.generic):
        return np.where(c, x, y)[()]
    wider = max(type(x), type(y), key=(bool, int, float, complex).index)
    return wider(x if c else y)


elementwise("where", "c, x, y", work="light", works_in=as_choice, meaning=choose, samples="choices",
            scalar_spelling="({x} if {c} else {y})", type=where_dtype, python=(), lazy=(1, 2), linear=TOGETHER,
            interval=intervals.chosen, of_complex="own",
            cuda=InKernels("{x} if {c} else {y}", truths="{x} if {c} else {y}", pairs="{x} if {c} else {y}"),
            taken=(None, "c", "logical_not(c)"),
            partials=[None, "vjp: where(c, out_bar, 0.0)", "vjp: where(c, 0.0, out_bar)"])  # fmt: skip
