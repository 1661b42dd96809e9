"""Questions about dtypes as values, that library functions ask while the specialiser walks through them.

    is_kind_of(np.float32, np.floating)    ->    True            of_all(f64[n], np.float32)    ->    dtype("float64")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import NUMPY_DTYPE, PYTHON_TYPE
from ..types import Array, Scalar
from . import type_rules
from .static import StaticFunction, element


def _dtype_of(value: object) -> Any:
    """NumPy's dtype of what stands for one: a dtype, an array, a number of NumPy's; Python's numbers stay."""
    if isinstance(value, Scalar | Array):
        return PYTHON_TYPE[value.dtype](0) if type_rules.is_weak(value) else NUMPY_DTYPE[value.dtype]
    return value


@StaticFunction
def dtypes_on_paths(value: object) -> tuple[str, ...]:
    """The dtype words that a number or array has in Python on one path or another; the specialiser knows of others."""
    return (str(element.ask(value)),)


@StaticFunction
def one_dtype(value: object) -> str:
    """The dtype word of an array of this number; the specialiser refuses a number with several on several paths."""
    return str(element.ask(value))


@StaticFunction
def is_kind_of(dtype: object, other: object) -> bool:
    return np.issubdtype(dtype, other)  # type: ignore[arg-type]


@StaticFunction
def is_of_kinds(dtype: object, kind: object) -> bool:
    return np.isdtype(dtype, kind)  # type: ignore[arg-type]


@StaticFunction
def promoted(one: object, other: object) -> np.dtype:
    return np.promote_types(one, other)  # type: ignore[arg-type]


@StaticFunction
def of_all(*values: object) -> np.dtype:
    return np.result_type(*map(_dtype_of, values))


@StaticFunction
def is_castable(value: object, to: object, casting: str) -> bool:
    return np.can_cast(_dtype_of(value), to, casting)  # type: ignore[arg-type]
