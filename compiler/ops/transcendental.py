"""Rows: exponentials, logarithms and trigonometry of floating numbers.

Partials are written with an eye on rounding: `out` is reused where that is exact, and squares that could overflow
or cancel are factored, as in `(1 - x) * (1 + x)`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..types import of_complex
from .cotangents import Atom, Atoms, Static
from .in_kernels import InKernels, called
from .kinds import elementwise
from .type_rules import from_numpy

if TYPE_CHECKING:
    from ..builder import Builder

LN_2, LN_10 = math.log(2.0), math.log(10.0)


def arcsinh_slope(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom:
    """Of real numbers without a square, which could overflow."""
    (x,) = operands
    size = "sqrt(1.0 + x * x)" if of_complex(builder.type_of(x)) else "hypot(x, 1.0)"
    return builder.quote(f"out_bar / {size}", x=x, out_bar=out_bar)


def in_kernels(name: str, of_complex: str) -> InKernels:
    """C's function of a float, a device function of a complex number."""
    pairs = f"complex_{name}({{x}})" if of_complex else ""
    return called(f"math.{name.replace('arc', 'a')}", pairs=pairs)


def real(
    name: str, partial: object, samples: str = "reals", aliases: tuple[str, ...] = (), work="function", cpu="llvm {}",
    of_complex="", cuda: InKernels | None = None,
) -> None:  # fmt: skip
    """A function of one floating number that NumPy has, of complex ones where it has that too; `math` has most, too."""
    ufunc = getattr(np, name)
    elementwise(name, "x", meaning=ufunc, type=from_numpy(ufunc), partials=[partial], samples=samples, work=work,
                of_complex=of_complex, cpu=cpu.format(name), cuda=cuda or in_kernels(name, of_complex),
                python=(f"numpy.{name}", *aliases))  # fmt: skip


real("sqrt", "0.5 / out", "positive", work="slow", of_complex="own")
real("cbrt", "1.0 / (3.0 * out * out)", "nonzero_reals", cpu="c cbrt", cuda=called("cbrt"))
real("exp", "out", of_complex="own")
real("exp2", f"{LN_2!r} * out", of_complex="own")
real("expm1", "exp(x)", cpu="c expm1", of_complex="own")
real("log", "1.0 / x", "positive", of_complex="c clog")
real("log2", f"{1.0 / LN_2!r} / x", "positive", of_complex="own")
real("log10", f"{1.0 / LN_10!r} / x", "positive", of_complex="own")
real("log1p", "1.0 / (1.0 + x)", "positive", cpu="c log1p", of_complex="own")
real("sin", "cos(x)", of_complex="c csin")
real("cos", "-sin(x)", of_complex="c ccos")
real("tan", "1.0 + out * out", cpu="c tan", of_complex="c ctan")
real("arcsin", "1.0 / sqrt((1.0 - x) * (1.0 + x))", "unit", ("numpy.asin",), cpu="c asin", of_complex="c casin")
real("arccos", "-1.0 / sqrt((1.0 - x) * (1.0 + x))", "unit", ("numpy.acos",), cpu="c acos", of_complex="c cacos")
real("arctan", "1.0 / (1.0 + x * x)", "reals", ("numpy.atan",), cpu="c atan", of_complex="c catan")
real("sinh", "cosh(x)", cpu="c sinh", of_complex="c csinh")
real("cosh", "sinh(x)", cpu="c cosh", of_complex="c ccosh")
real("tanh", "1.0 - out * out", cpu="c tanh", of_complex="c ctanh")
real("arcsinh", arcsinh_slope, "reals", ("numpy.asinh",), cpu="c asinh", of_complex="c casinh")
real("arccosh", "1.0 / (sqrt(x - 1.0) * sqrt(x + 1.0))", "above_one", ("numpy.acosh",), cpu="c acosh",
     of_complex="c cacosh")  # fmt: skip
real("arctanh", "1.0 / ((1.0 - x) * (1.0 + x))", "unit", ("numpy.atanh",), cpu="c atanh", of_complex="c catanh")

elementwise("arctan2", "y, x", meaning=np.arctan2, cpu="c atan2", type=from_numpy(np.arctan2), samples="real_pairs",
            cuda=called("math.atan2", "y, x"), python=("numpy.arctan2", "numpy.atan2"),
            partials=["x / hypot(x, y) / hypot(x, y)", "-y / hypot(x, y) / hypot(x, y)"])  # fmt: skip
# At the origin the slope is taken as zero: x / 1 there.
elementwise("hypot", "x, y", meaning=np.hypot, cpu="c hypot", type=from_numpy(np.hypot), samples="real_pairs",
            cuda=called("math.hypot", "x, y"),
            partials=["x / where(out == 0.0, 1.0, out)", "y / where(out == 0.0, 1.0, out)"])  # fmt: skip


def share(function: str, mine: str, other: str) -> str:
    """f(mine) / (f(mine) + f(other)) for an exponential f.

    From the difference of the operands, as that of an operand and an infinite result would be nan; and from the side on
    which that is negative: an exponential that overflows has no slope that is a number.
    """
    less = f"{function}(where({other} > {mine}, {mine} - {other}, {other} - {mine}))"
    return f"where({other} > {mine}, {less}, 1.0) / (1.0 + {less})"


elementwise("logaddexp", "x, y", meaning=np.logaddexp, type=from_numpy(np.logaddexp), samples="real_pairs",
            cuda=called("logaddexp", "x, y"), partials=[share("exp", "x", "y"), share("exp", "y", "x")])  # fmt: skip
elementwise("logaddexp2", "x, y", meaning=np.logaddexp2, type=from_numpy(np.logaddexp2), samples="real_pairs",
            cuda=called("logaddexp2", "x, y"), partials=[share("exp2", "x", "y"), share("exp2", "y", "x")])  # fmt: skip
