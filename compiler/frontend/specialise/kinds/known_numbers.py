"""NumPy numbers that are known when a function is compiled: static arguments, values from outside, defaults.

    C = np.float32(0.1);  C * x       ->    t = cast(0.1, dtype="f32"); multiply(t, x)
    K = np.int64(2);      x[K], C * K ->    x[2], and a number of NumPy's that is computed now

They keep their dtype, and results computed of them are known as well; a count, index or axis has no dtype.
"""

from __future__ import annotations

import gast
import numpy as np

from .... import types
from ....dtypes import DTYPE_OF_NUMPY, INT_WORD
from ..frame import Frame
from ..values import Static, Value


def plain(value: Value) -> Value:
    """A known number as a Python number."""
    return Static(value.value.item()) if isinstance(value, Static) and isinstance(value.value, np.generic) else value


def as_int(frame: Frame, value: Value, node: gast.AST) -> Value:
    """An integer as a Python int."""
    found = frame.type_of(value := plain(value))
    return value if found == types.INT else frame.emit("cast", value, node=node, dtype=INT_WORD, weak=True)


def require_dtype(frame: Frame, value: Value, node: gast.AST) -> None:
    """Refuse a NumPy number whose dtype is not in the language."""
    number = value.value if isinstance(value, Static) else None
    if isinstance(number, np.bool_ | np.number) and number.dtype not in DTYPE_OF_NUMPY:
        frame.fault("U015", f"dtype {number.dtype} is not supported", node, "of this dtype")
