"""Python's `complex`: a number from its parts, or from another number.

    complex(x, y)    ->    complex_of(x, y)          complex(k)    ->    a cast
"""

from __future__ import annotations

import gast

from .... import types
from ....dtypes import COMPLEX_WORD, FLOAT_WORD
from ....ops.complex_numbers import PARTS
from ..frame import Frame
from ..interpreter import evaluate
from ..values import Static, Value
from . import builtin_calls


def made(frame: Frame, args, kwargs, node, hint) -> Value:
    """`complex(x)`, `complex(x, y)`, which is x + i y for complex parts too."""
    given = [*args, *([kwargs["real"]] if "real" in kwargs else [])] or [Static(0)]
    given += [kwargs["imag"]] if "imag" in kwargs else []
    if all(isinstance(part, Static) for part in given):
        return evaluate.fold(frame, complex, node, *given)
    parts = [builtin_calls.as_scalar(frame, part, "complex", node) for part in given]
    if len(parts) == 1:
        return frame.emit("cast", parts[0], node=node, hint=hint, dtype=COMPLEX_WORD, weak=True)
    pairs = [_both_parts(frame, part, node) for part in parts]
    (real, more), (less, imaginary) = (pairs[0], pairs[1][::-1])
    real = real if less is None else frame.emit("subtract", real, less, node=node)
    imaginary = imaginary if more is None else frame.emit("add", more, imaginary, node=node)
    return frame.emit("complex_of", real, imaginary, node=node, hint=hint)


def _both_parts(frame: Frame, value: Value, node: gast.AST) -> tuple[Value, Value | None]:
    """The parts of a number as Python floats; None for the imaginary part of a real number."""
    found = frame.type_of(value)
    if found is None or not types.of_complex(found):
        return _as_float(frame, value, node), None
    real, imaginary = (_as_float(frame, frame.emit(name, value, node=node), node) for name in PARTS)
    return real, imaginary


def _as_float(frame: Frame, value: Value, node: gast.AST) -> Value:
    if isinstance(value, Static):
        return Static(float(value.value))
    return value if frame.type_of(value) == types.FLOAT else frame.emit(
        "cast", value, node=node, dtype=FLOAT_WORD, weak=True
    )
