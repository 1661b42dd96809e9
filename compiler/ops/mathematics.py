"""Rows: the functions of Python's `math` module, and `round`: one number in, a Python number out, Python's errors.

    math_sqrt(x)     prints `math.sqrt(x)`; ValueError for negative x, where `sqrt` gives nan

Where the slope is infinite (`math.sqrt` at 0) the derivative divides by zero, which raises in Python as well.
"""

from __future__ import annotations

import math

from ..dtypes import BOOL_WORD, FLOAT_WORD, INT_WORD
from .kinds import elementwise
from .raising import always, on_python
from .transcendental import LN_2, LN_10, TWO_OVER_ROOT_PI
from .type_rules import python_only
from .works_in import WorksIn, as_python_floats, as_rounded, as_rounded_by_math


def of_math(
    name: str, operands: str, partials: list[object], samples: str, dtype: str = FLOAT_WORD, work: str = "function",
    works_in: WorksIn = as_python_floats,
) -> None:  # fmt: skip
    names = operands.split(", ")
    function = getattr(math, name)
    elementwise(f"math_{name}", operands, meaning=function, type=python_only(function, dtype), partials=partials,
                spelling=f"math.{name}({', '.join('{' + n + '}' for n in names)})", samples=f"{samples}_numbers",
                work=work, works_in=works_in, raises=always, python=(f"math.{name}",))  # fmt: skip


COPYSIGN = "vjp: where(x == 0.0, 0.0, where((x > 0.0) == (out > 0.0), out_bar, -out_bar))"
SAFE_OUT = "where(out == 0.0, 1.0, out)"
SQUARED = "math_hypot(x, y) / math_hypot(x, y)"

for _name, _partial, _samples in (
    ("cbrt", "1.0 / (3.0 * out * out)", "nonzero"),
    ("exp", "out", "real"),
    ("exp2", f"{LN_2!r} * out", "real"),
    ("expm1", "math_exp(x)", "real"),
    ("log", "1.0 / x", "positive"),
    ("log2", f"{1.0 / LN_2!r} / x", "positive"),
    ("log10", f"{1.0 / LN_10!r} / x", "positive"),
    ("log1p", "1.0 / (1.0 + x)", "positive"),
    ("sin", "math_cos(x)", "real"),
    ("cos", "-math_sin(x)", "real"),
    ("tan", "1.0 + out * out", "real"),
    ("asin", "1.0 / math_sqrt((1.0 - x) * (1.0 + x))", "unit"),
    ("acos", "-1.0 / math_sqrt((1.0 - x) * (1.0 + x))", "unit"),
    ("atan", "1.0 / (1.0 + x * x)", "real"),
    ("sinh", "math_cosh(x)", "real"),
    ("cosh", "math_sinh(x)", "real"),
    ("tanh", "1.0 - out * out", "real"),
    ("asinh", "1.0 / math_hypot(x, 1.0)", "real"),
    ("acosh", "1.0 / (math_sqrt(x - 1.0) * math_sqrt(x + 1.0))", "above_one"),
    ("atanh", "1.0 / ((1.0 - x) * (1.0 + x))", "unit"),
    ("erf", f"{TWO_OVER_ROOT_PI!r} * math_exp(-x * x)", "real"),
    ("erfc", f"-{TWO_OVER_ROOT_PI!r} * math_exp(-x * x)", "real"),
):
    of_math(_name, "x", [_partial], _samples)

of_math("sqrt", "x", ["0.5 / out"], "positive", work="slow")
of_math("fabs", "x", ["vjp: where(x > 0.0, out_bar, where(x < 0.0, -out_bar, 0.0))"], "nonzero", work="light")
of_math("radians", "x", [f"{math.pi / 180.0!r}"], "real", work="light")
of_math("degrees", "x", [f"{180.0 / math.pi!r}"], "real", work="light")
of_math("gamma", "x", ["out * digamma(x)"], "positive", work="special")
of_math("lgamma", "x", ["digamma(x)"], "positive", work="special")

of_math("atan2", "y, x", [f"x / {SQUARED}", f"-y / {SQUARED}"], "nonzero_pair")
of_math("hypot", "x, y", [f"x / {SAFE_OUT}", f"y / {SAFE_OUT}"], "nonzero_pair")
of_math("copysign", "x, y", [COPYSIGN, None], "nonzero_pair")
of_math("fmod", "x, y", ["1.0", "-(x - out) / y"], "nonzero_pair")
of_math("remainder", "x, y", ["1.0", "-(x - out) / y"], "nonzero_pair")

for _name in ("floor", "ceil", "trunc"):
    of_math(_name, "x", [None], "real", INT_WORD, work="light", works_in=as_rounded_by_math)
for _name in ("isnan", "isinf", "isfinite"):
    of_math(_name, "x", [None], "special", BOOL_WORD, work="light")

# math.pow is not `**`: it works in floats, and a negative base to a fraction is an error, never complex.
MATH_POW_BASE = "vjp: out_bar * (y * math_pow(x, where(y == 0.0, 1.0, y - 1.0)))"
of_math("pow", "x, y", [MATH_POW_BASE, "math_log(where(x == 0.0, 1.0, x)) * out"], "power")

elementwise("round_half_even", "x", raises=on_python, works_in=as_rounded, meaning=round, type=python_only(round,
            INT_WORD), partials=[None],
            spelling="round({x})", samples="real_numbers", python=())  # fmt: skip
