"""What a value is in the words of the compiler.

    dtype_of_value(np.ones(3))    ->    ("f64", False, 1)
    dtype_of_value(2.0)           ->    ("f64", True, 0)       Python's own number
    dtype_of_value("text")        ->    None
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compiler.dtypes import DTYPE_OF_NUMPY, PYTHON_TYPE

OF_PYTHON = {cls: word for word, cls in PYTHON_TYPE.items()}


def dtype_of_value(value: Any) -> tuple[str, bool, int] | None:
    """(dtype, whether it is Python's, number of dimensions), or None for what is neither a number nor an array."""
    if type(value) in OF_PYTHON:
        return OF_PYTHON[type(value)], True, 0
    if isinstance(value, np.ndarray | np.generic) and value.dtype in DTYPE_OF_NUMPY and value.dtype.isnative:
        return DTYPE_OF_NUMPY[value.dtype], False, value.ndim
    return None
