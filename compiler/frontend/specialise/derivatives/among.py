"""Tell derivatives along which axes the devices around them share values.

    (Gradient(0), Batch(..., axis_name="i", is_typed=True))    ->    (Gradient(0, along=("i",)), Batch(...))

A derivative that is taken inside a `shard_map` which looks what varies takes what all devices share for one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def among(transforms: Sequence[Any], axes: tuple[str, ...]) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """The transformations, each knowing the axes around it, and the axes around the function below them.

    axes  those around all of them
    """
    made: list[Any] = []
    for transform in reversed(transforms):
        made.append(transform.inside(axes))
        axes = tuple(dict.fromkeys((*axes, *transform.shares_along)))
    return tuple(made[::-1]), axes
