"""Python objects that are known now: numbers, strings, None, modules, classes, functions."""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from ..frame import Frame
from ..protocol import describe, is_unrolled, items, known, python_class, truth
from ..values import Static, Value
from ..world import outside

CONTAINERS = (tuple, list, dict, str, bytes)


@known.of(Static)
def _(frame: Frame, value: Static, node: gast.AST, what: str = "this value") -> Any:
    """A number of NumPy's as one of Python's."""
    return value.value.item() if isinstance(value.value, np.generic) else value.value


@is_unrolled.of(Static)
def _(frame: Frame, value: Static) -> bool:
    return isinstance(value.value, CONTAINERS)


@items.of(Static)
def _(frame: Frame, value: Static, node: gast.AST) -> list[Value]:
    if not isinstance(value.value, CONTAINERS):
        frame.needs_static(value, "the number of items", node)
    return [outside.read(frame, part, "item", node) for part in value.value]


@truth.of(Static)
def _(frame: Frame, value: Static, node: gast.AST) -> Value:
    return Static(bool(value.value))


@python_class.of(Static)
def _(frame: Frame, value: Static) -> type:
    return type(value.value)


@describe.of(Static)
def _(frame: Frame, value: Static) -> str:
    found = frame.type_of(value)
    if found is not None:
        return str(found)
    return "None" if value.value is None else type(value.value).__name__
