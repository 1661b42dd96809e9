"""Rows: the functions of Python's `math` module, and `round`: one number in, a Python number out, Python's errors.

    math_sqrt(x)     prints `math.sqrt(x)`; ValueError for negative x, where `sqrt` gives nan

Where the slope is infinite (`math.sqrt` at 0) the derivative divides by zero, which raises in Python as well.
"""

from __future__ import annotations

import math

from ..dtypes import BOOL_WORD, FLOAT_WORD, INT_WORD
from .kinds import elementwise
from .raising import Domain, always, on_python
from .special_functions import TWO_OVER_ROOT_PI
from .transcendental import LN_2, LN_10
from .type_rules import python_only
from .works_in import WorksIn, as_python_floats, as_rounded, as_rounded_by_math


def of_math(
    name: str, operands: str, partials: list[object], samples: str, dtype: str = FLOAT_WORD, work: str = "function",
    works_in: WorksIn = as_python_floats, domain: Domain | None = None, jumps: bool = False,
) -> None:  # fmt: skip
    names = operands.split(", ")
    function = getattr(math, name)
    elementwise(f"math_{name}", operands, meaning=function, type=python_only(function, dtype), partials=partials,
                spelling=f"math.{name}({', '.join('{' + n + '}' for n in names)})", samples=f"{samples}_numbers",
                work=work, works_in=works_in, raises=always, domain=domain, jumps=jumps,
                python=(f"math.{name}",))  # fmt: skip


COPYSIGN = "vjp: where(x == 0.0, 0.0, where((x > 0.0) == (out > 0.0), out_bar, -out_bar))"
SAFE_OUT = "where(out == 0.0, 1.0, out)"
SQUARED = "math_hypot(x, y) / math_hypot(x, y)"

def of_one(name: str, partial: str, samples: str, domain: Domain, work: str = "function") -> None:
    of_math(name, "x", [partial], samples, domain=domain, work=work)


of_one("cbrt", "1.0 / (3.0 * out * out)", "nonzero", Domain("cbrt"))
of_one("exp", "out", "real", Domain("exp", too_large=1000.0))
of_one("exp2", f"{LN_2!r} * out", "real", Domain("exp2", too_large=10000.0))
of_one("expm1", "math_exp(x)", "real", Domain("expm1", too_large=1000.0))
of_one("log", "1.0 / x", "positive", Domain("log", outside=-1.0, pole=0.0))
of_one("log2", f"{1.0 / LN_2!r} / x", "positive", Domain("log2", outside=-1.0, pole=0.0))
of_one("log10", f"{1.0 / LN_10!r} / x", "positive", Domain("log10", outside=-1.0, pole=0.0))
of_one("log1p", "1.0 / (1.0 + x)", "positive", Domain("log1p", outside=-2.0, pole=-1.0))
of_one("sin", "math_cos(x)", "real", Domain("sin", outside=math.inf))
of_one("cos", "-math_sin(x)", "real", Domain("cos", outside=math.inf))
of_one("tan", "1.0 + out * out", "real", Domain("tan", outside=math.inf))
of_one("asin", "1.0 / math_sqrt((1.0 - x) * (1.0 + x))", "unit", Domain("arcsin", outside=2.0))
of_one("acos", "-1.0 / math_sqrt((1.0 - x) * (1.0 + x))", "unit", Domain("arccos", outside=2.0))
of_one("atan", "1.0 / (1.0 + x * x)", "real", Domain("arctan"))
of_one("sinh", "math_cosh(x)", "real", Domain("sinh", too_large=1000.0))
of_one("cosh", "math_sinh(x)", "real", Domain("cosh", too_large=1000.0))
of_one("tanh", "1.0 - out * out", "real", Domain("tanh"))
of_one("asinh", "1.0 / math_hypot(x, 1.0)", "real", Domain("arcsinh"))
of_one("acosh", "1.0 / (math_sqrt(x - 1.0) * math_sqrt(x + 1.0))", "above_one", Domain("arccosh", outside=0.5))
of_one("atanh", "1.0 / ((1.0 - x) * (1.0 + x))", "unit", Domain("arctanh", outside=2.0, pole=1.0))
of_one("erf", f"{TWO_OVER_ROOT_PI!r} * math_exp(-x * x)", "real", Domain("erf"))
of_one("erfc", f"-{TWO_OVER_ROOT_PI!r} * math_exp(-x * x)", "real", Domain("erfc"))
of_one("sqrt", "0.5 / out", "positive", Domain("sqrt", outside=-1.0), work="slow")
of_one("fabs", "vjp: where(x > 0.0, out_bar, where(x < 0.0, -out_bar, 0.0))", "nonzero",
       Domain("absolute"), work="light")  # fmt: skip
of_one("radians", f"{math.pi / 180.0!r}", "real", Domain("deg2rad"), work="light")
of_one("degrees", f"{180.0 / math.pi!r}", "real", Domain("rad2deg"), work="light")
of_one("gamma", "out * digamma(x)", "positive",
       Domain("gamma", outside=-1.0, too_large=1000.0, pole=0.0), work="special")  # fmt: skip
of_one("lgamma", "digamma(x)", "positive", Domain("gammaln", outside=-1.0, too_large=1e+308, pole=0.0), work="special")

of_math("atan2", "y, x", [f"x / {SQUARED}", f"-y / {SQUARED}"], "nonzero_pair", domain=Domain("arctan2"))
of_math("hypot", "x, y", [f"x / {SAFE_OUT}", f"y / {SAFE_OUT}"], "nonzero_pair", domain=Domain("hypot"))
of_math("copysign", "x, y", [COPYSIGN, None], "nonzero_pair", domain=Domain("copysign"))
of_math("fmod", "x, y", ["1.0", "-(x - out) / y"], "nonzero_pair", jumps=True)
of_math("remainder", "x, y", ["1.0", "-(x - out) / y"], "nonzero_pair", jumps=True)

for _name in ("floor", "ceil", "trunc"):
    of_math(_name, "x", [None], "real", INT_WORD, work="light", works_in=as_rounded_by_math)
for _name in ("isnan", "isinf", "isfinite"):
    of_math(_name, "x", [None], "special", BOOL_WORD, work="light")

# math.pow is not `**`: it works in floats, and a negative base to a fraction is an error, never complex.
MATH_POW_BASE = "vjp: out_bar * (y * math_pow(x, where(logical_and(x == 0.0, y == 0.0), 1.0, y - 1.0)))"
of_math("pow", "x, y", [MATH_POW_BASE, "math_log(where(x == 0.0, 1.0, x)) * out"], "power")

elementwise("round_half_even", "x", raises=on_python, works_in=as_rounded, meaning=round, type=python_only(round,
            INT_WORD), partials=[None],
            spelling="round({x})", samples="real_numbers", python=())  # fmt: skip
