"""How operators are written in kernels, where that is not as in NumPy: a column of the operator table.

    exp           math.exp({x})            one function of C for a float of either size
    floor_divide  floor_divide({x}, {y})   a device function of `runtime/kernels/device.py`

Numba and NumPy give other dtypes for many operators; what a spelling gives is said by `RESULT`, and the speller casts.
A row that is neither here nor an operator of Python's is computed on the host.
"""

from __future__ import annotations

from collections.abc import Mapping

_OF_MATH = (
    "sqrt exp expm1 log log2 log10 log1p sin cos tan sinh cosh tanh hypot copysign fmod erf erfc "
    "isnan isinf isfinite floor ceil trunc nextafter exp2"
).split()  # fmt: skip
_INVERSE = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_OF_DEVICE = (
    "sign square reciprocal heaviside rint maximum minimum fmax fmin logaddexp logaddexp2 signbit cbrt"
).split()  # fmt: skip
_TWO = (
    "hypot",
    "copysign",
    "fmod",
    "heaviside",
    "nextafter",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logaddexp",
    "logaddexp2",
)


def _call(function: str, name: str) -> str:
    return f"{function}({{x}}, {{y}})" if name in _TWO else f"{function}({{x}})"


SPELLINGS: Mapping[str, str] = {
    **{name: _call(f"math.{name}", name) for name in _OF_MATH},
    **{name: _call(name, name) for name in _OF_DEVICE},
    **{f"arc{name}": f"math.a{name}({{x}})" for name in _INVERSE},
    "arctan2": "math.atan2({y}, {x})",
    "gamma": "math.gamma({x})",
    "gammaln": "math.lgamma({x})",
    "floor_divide": "floor_divide({x}, {y})",
    "remainder": "remainder({x}, {y})",
    "math_fabs": "abs({x})",
    "logical_xor": "{x} != {y}",
    "stop_gradient": "{x}",
    "conjugate": "{x}",
    "real": "{x}",
    "deg2rad": "math.radians({x})",
    "rad2deg": "math.degrees({x})",
    "math_radians": "math.radians({x})",
    "math_degrees": "math.degrees({x})",
}

# What is written so that it notes what CPython raises: the fault word is the last argument.
CHECKED: Mapping[str, str] = {
    "add": "checked_add({x}, {y}, {failed})",
    "subtract": "checked_subtract({x}, {y}, {failed})",
    "multiply": "checked_multiply({x}, {y}, {failed})",
    "divide": "checked_divide({x}, {y}, {failed})",
    "floor_divide": "checked_floor_divide({x}, {y}, {failed})",
    "remainder": "checked_remainder({x}, {y}, {failed})",
}
