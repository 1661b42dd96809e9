"""Constants from outside; what can change is refused where the specialiser comes to read it.

    K = [1.0, 2.0]; K[0] * x     ->     P007, although `K` was a tuple when the function was decorated

At decoration `effects` judges the names that it sees then; what they stand for when the function is compiled, and
compiled again, is judged here.
"""

from __future__ import annotations

from typing import Any

import gast

from ...dtypes import DTYPE_OF_NUMPY
from ..source.resolve import INSTEAD_OF_OBJECT, article, instead_of_mutable, is_object, nature
from .frame import Frame
from .values import Static, Value


def require_constant(frame: Frame, value: Any, name: str, node: gast.AST) -> None:
    """What can change is refused here as it is at decoration, when perhaps it was something else."""
    kind, what = nature(value)
    if kind == "mutable":
        message = f"this function reads `{name}`, {article(what)} from outside that can change"
        frame.fault("P007", message, node, "read here", (instead_of_mutable(what, name),))
    if not kind and is_object(value):
        message = f"the compiler cannot see into `{name}`: it is {article(type(value).__name__)}"
        frame.fault("P008", message, node, "used here", (INSTEAD_OF_OBJECT,))


def strong_constant(frame: Frame, value: Any, node: gast.AST) -> Value:
    dtype = DTYPE_OF_NUMPY.get(value.dtype)
    if dtype is None:
        frame.fault("U015", f"dtype {value.dtype} is not supported", node, "of this dtype")
    return frame.emit("cast", Static(value.item()), node=node, dtype=dtype)
