"""What numbers do in kernels where CPython's functions do something else.

`math.exp` of a float32 is a float32 in numba, and a Python float in CPython; `math.log(-1.0)` is nan there, and an
error here; `np.int64(x)` cuts off what does not fit, and is an error here; `complex` of two float32 is a complex64.
Kernels get NumPy's functions in place of `math`'s, casts in place of NumPy's integer types, and NumPy's complex
numbers.  NumPy's warnings are off while they run.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

# Functions of `math` by their name in NumPy, where it is another one.
RENAMED = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh",
}  # fmt: skip
SAME = """cbrt ceil copysign cos cosh degrees exp exp2 expm1 fabs floor fmod frexp hypot isfinite isinf isnan ldexp log
    log10 log1p log2 modf nextafter radians sin sinh sqrt tan tanh trunc""".split()
# Functions that NumPy does not have: CPython's, in float64, with its errors as the numbers of IEEE 754.
OF_PYTHON = "erf erfc gamma lgamma remainder".split()


def floating(x: Any) -> Any:
    """An integer as the float64 that numba makes of it; a float in its own dtype."""
    return np.float64(x) if not isinstance(x, np.inexact) else x


def of_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        return function(*map(floating, arguments))

    return call


def power(x: Any, y: Any) -> Any:
    """C's pow; of single numbers NumPy takes the root where y is 0.5, which is nan of -inf."""
    return np.power(np.array([floating(x)]), np.array([floating(y)]))[0]


def with_integer(function: Callable[..., Any]) -> Callable[..., Any]:
    """The second argument of `ldexp` is a whole number."""
    return lambda x, exponent: function(floating(x), int(exponent))


def of_python(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        found = [floating(x) for x in arguments]
        try:
            result = function(*map(float, found))
        except OverflowError:
            result = math.inf
        except ValueError:
            result = at_pole(function, *found)
        return np.result_type(*found).type(result)

    return call


def at_pole(function: Callable[..., Any], x: Any, *_: Any) -> float:
    """Where CPython refuses: lgamma is infinite, gamma has no sign but beside 0."""
    if function is math.gamma and x == 0:
        return math.copysign(math.inf, x)
    return math.inf if function is math.lgamma else math.nan


@functools.cache
def functions() -> dict[int, Callable[..., Any]]:
    """What kernels call in place of a function of `math`, by the identity of that function."""
    found: dict[int, Callable[..., Any]] = {}
    for name in [*SAME, *RENAMED]:
        if hasattr(math, name):
            found[id(getattr(math, name))] = of_numpy(getattr(np, RENAMED.get(name, name)))
    found[id(math.pow)] = power
    found[id(math.ldexp)] = with_integer(np.ldexp)
    found.update((id(getattr(math, name)), of_python(getattr(math, name))) for name in OF_PYTHON)
    return found


def cast_to(dtype: type[np.integer[Any]]) -> Callable[[Any], Any]:
    """The conversion to an integer type, which keeps the lower bits of what does not fit."""
    bits = np.dtype(dtype).itemsize * 8

    def cast(x: Any) -> Any:
        if type(x) is dtype:
            return x
        if isinstance(x, np.generic):
            return x.astype(dtype)
        if isinstance(x, int):
            return wrapped(x, bits, dtype)
        return np.float64(x).astype(dtype)

    return cast


def wrapped(x: int, bits: int, dtype: type) -> Any:
    """A Python integer modulo 2**bits: numba counts it in 64 bits, which wrap."""
    x &= (1 << bits) - 1
    if x >> (bits - 1) and issubclass(dtype, np.signedinteger):
        x -= 1 << bits
    return dtype(x)


def complex_of(real: Any, imaginary: Any) -> Any:
    """A complex number of two parts: of float32 a complex64, to numba, of all others a complex128."""
    dtype = np.complex64 if type(real) is type(imaginary) is np.float32 else np.complex128
    return dtype(complex(real, imaginary))


def instead_of(value: object) -> Callable[..., Any] | None:
    """What a kernel calls where the printed file calls `value`; None where it is that itself."""
    if value is complex:
        return complex_of
    if isinstance(value, type) and issubclass(value, np.integer):
        return cast_to(value)
    return functions().get(id(value)) if callable(value) and getattr(value, "__module__", None) == "math" else None
