"""What type checkers make of compiled functions: `make lint` runs mypy on this file, and nobody runs it."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import pellucid
from pellucid import Array, Function, compile, grad, value_and_grad

Vector = npt.NDArray[np.float64]


@compile
def scaled(x: Vector, factor: float) -> Vector:
    return x * factor


@compile(static=("axis",), parallel=False)
def summed(x: Vector, axis: int = 0) -> float:
    return float(np.sum(x, axis=axis))


def squared(x: float) -> float:
    return x * x


assert_type(scaled(np.ones(3), 2.0), Vector)
assert_type(summed(np.ones(3)), float)
assert_type(summed(np.ones(3), axis=0), float)
assert_type(grad(squared)(2.0), Any)
assert_type(grad(grad(squared))(2.0), Any)
assert_type(value_and_grad(squared)(2.0), tuple[float, Any])
assert_type(scaled.source("typed", np.ones(3), 2.0), str)
assert_type(pellucid.compile(squared, fastmath=True)(1.0), float)

held: Function[[float], float] = compile(squared)
numbers: npt.ArrayLike = Array([1.0, 2.0])
assert_type(np.sum(np.asarray(Array([1.0, 2.0]))), Any)

scaled("no array", 2.0)  # type: ignore[arg-type]
scaled(np.ones(3))  # type: ignore[call-arg]
summed(np.ones(3), axes=0)  # type: ignore[call-arg]
wrong: str = summed(np.ones(3))  # type: ignore[assignment]
