"""The numbers and arrays in a container, in Python; compiled functions have them from the compiler.

    map_parts(np.sin, {"a": x, "b": (y, None)})     ->     {"a": np.sin(x), "b": (np.sin(y), None)}
    room_for(3, step, 0.0, x[0])                    ->     arrays for what `step` gives beside its carry, three times
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from .foreign import instance


def map_parts(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """The container with what the function makes of each part, and of those in the same place of others; None stays."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        return {key: map_parts(function, tree[key], *(other[key] for other in rest)) for key in tree}
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [f.name for f in dataclasses.fields(tree)]
        made = {n: map_parts(function, getattr(tree, n), *(getattr(other, n) for other in rest)) for n in names}
        return instance(type(tree), made)
    if isinstance(tree, tuple | list):
        items = [map_parts(function, *together) for together in zip(tree, *rest, strict=True)]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return function(tree, *rest)


def first_part(tree: Any) -> Any:
    """The first number or array in a container; None where there is none."""
    found: list[Any] = []
    map_parts(found.append, tree)
    return found[0] if found else None


def room_for(count: int, function: Callable[..., Any], carry: Any, item: Any) -> Any:
    """Arrays for `count` of what a function of (carry, item) gives beside the next carry; None where that is None."""
    carry, _ = function(carry, item)
    _, made = function(carry, item)  # the carry may begin as an int and be a float
    return map_parts(lambda part: np.empty((count, *np.shape(part)), np.asarray(part).dtype), made)


def open_function(function: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[()], tuple[()]]:
    """A function that takes what `function` sees from outside ahead of its arguments, and that: floats, and all else.

    In Python it goes on seeing it.
    """
    return (lambda floats, rest, *args: function(*args)), (), ()


def call_opened(*_: Any) -> None:
    """What `open_function` gives is made of, where it is compiled."""
    raise TypeError("only the compiler knows what this function sees")


def refuse(message: str) -> None:
    """Compiled, this is an error of the program, raised when it is compiled."""
    raise NotImplementedError(message)


def checkpointed(*_: Any, **options: Any) -> None:
    """What `pellucid.checkpoint` is inside a compiled function."""
    raise TypeError("only the compiler calls this")


def compiled_inside(*_: Any, **options: Any) -> None:
    """What `pellucid.compile` is inside a compiled function."""
    raise TypeError("only the compiler calls this")


def call_checkpointed(*_: Any) -> None:
    """The call of what it gives."""
    raise TypeError("only the compiler calls this")
