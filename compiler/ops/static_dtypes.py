"""Questions about dtypes as values, and about how elements lie, that library functions ask while they are walked.

    is_kind_of(np.float32, np.floating)    ->    True            of_all(f64[n], np.float32)    ->    dtype("float64")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import NUMPY_DTYPE, PYTHON_TYPE
from ..types import Array, Scalar
from . import type_rules
from .schema import TypeFault
from .static import StaticFunction, element, type_of


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


@StaticFunction
def smallest(value: object) -> np.dtype:
    """The smallest dtype that holds a number that is known now; that of an array."""
    if isinstance(value, Scalar):
        raise TypeFault("R001", "the smallest dtype of a number that is only known at run time depends on it")
    return np.min_scalar_type(_dtype_of(value)) if not isinstance(value, Array) else NUMPY_DTYPE[value.dtype]


@StaticFunction
def in_common(*values: object) -> type:
    """The type of floats that arrays have in common: of ints float64."""
    return np.common_type(*(np.empty(0, NUMPY_DTYPE[element.ask(value)]) for value in values))  # type: ignore[index]


@StaticFunction
def lies_in_rows(value: object) -> bool:
    """Whether the elements of an array are known to lie row by row in memory."""
    return getattr(type_of(value), "layout", "C") == "C"


@StaticFunction
def bytes_in(word: str) -> int:
    """The size of an element."""
    return NUMPY_DTYPE[word].itemsize


@StaticFunction
def unsigned(word: str) -> str:
    """The dtype word of ints without a sign of the size of an element."""
    return f"u{8 * NUMPY_DTYPE[word].itemsize}"


@StaticFunction
def unsigned_of(size: int) -> str:
    """The same of so many bytes."""
    return f"u{8 * size}"


@StaticFunction
def name_of(word: str) -> str:
    """NumPy's name of a dtype."""
    return NUMPY_DTYPE[word].name
