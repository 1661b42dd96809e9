"""What messages call a value: `f64[n]`, `list`, `float or None`, the name of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .values import Optional, Static, Value

if TYPE_CHECKING:
    from .frame import Frame


def describe(frame: Frame, value: Value) -> str:
    """What messages call a value."""
    value = frame.held(value)
    found = frame.type_of(value)
    if found is not None:
        return str(found)
    if isinstance(value, Static) and value.value is None:
        return "None"
    if isinstance(value, Optional):
        return f"{frame.describe(value.inner)} or None"
    if isinstance(value, Static):
        return type(value.value).__name__
    words = {"Rows": "list", "Mapping_": "dict", "Record": getattr(getattr(value, "cls", None), "__name__", "")}
    kind = getattr(value, "kind", None)
    return kind.__name__ if isinstance(kind, type) else words.get(name := type(value).__name__, name.lower())
