"""What messages call a value: `f64[n]`, `list`, `float or None`, the name of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...types import ListOf
from .values import Mapping_, OneOf, Optional, Static, Value

if TYPE_CHECKING:
    from .frame import Frame


FUNCTION = "function"
KEEPING = "a function that keeps values"  # which are no variables of the place that is looked at
FUNCTIONS = frozenset({FUNCTION, KEEPING, "method", "ufunc"})  # what they are called in messages


def describe(frame: Frame, value: Value) -> str:
    """What messages call a value."""
    value = frame.held(value)
    found = frame.type_of(value)
    if isinstance(found, ListOf):
        return "list"
    if found is not None:
        return str(found)
    if isinstance(value, Static) and value.value is None:
        return "None"
    if isinstance(value, Optional):
        return f"{frame.describe(value.inner)} or None"
    if isinstance(value, OneOf):
        return " or ".join(dict.fromkeys(frame.describe(case) for case in value.cases))
    if isinstance(value, Static):
        return type(value.value).__name__
    cls = value.like[0] if isinstance(value, Mapping_) and value.like is not None else getattr(value, "cls", dict)
    cls = getattr(getattr(cls, "python", cls), "__name__", "")
    words = {
        "Table": "list", "Mapping_": cls, "Record": cls, "Bound": "method", "Closure": FUNCTION,
        "Derived": FUNCTION, "Partial": FUNCTION, "Text": "str",
    }  # fmt: skip
    kind = getattr(value, "kind", words.get(name := type(value).__name__, name.lower()))
    return kind.__name__ if isinstance(kind, type) else kind


def too_large(number: int) -> str:
    """What is said of an int: Python writes none of thousands of digits."""
    shown = str(number) if number.bit_length() < 1000 else f"of {number.bit_length()} bits"
    return f"the integer {shown} does not fit into 64 bits"
