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
from .. import protocol
from ..frame import Frame
from ..interpreter import evaluate
from ..library.static_python import PYTHON_COMPARISONS, PYTHON_INFIX
from ..values import Static, Value, is_number
from . import classes, optional


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


@protocol.arithmetic.of(Static)
def _(frame: Frame, left: Static, right: Static, op: type, node: gast.AST, hint: str = "t") -> Value:
    are_numbers = is_number(left) and is_number(right)
    are_texts = isinstance(left.value, str | bytes) and isinstance(right.value, str | bytes | int)
    if are_numbers:
        evaluate.require_short(frame, op, left, right, node)
    if are_numbers or are_texts or op is gast.BitOr and classes.is_any_of(left.value, right.value):
        return evaluate.fold(frame, PYTHON_INFIX[op], node, left, right)
    return protocol.arithmetic.otherwise(frame, *optional.operands(frame, op, left, right, node), op, node, hint)


@protocol.compare.of(Static)
def _(frame: Frame, left: Static, right: Static, op: type, node: gast.AST, hint: str = "t") -> Value:
    return evaluate.fold(frame, PYTHON_COMPARISONS[op], node, left, right)
