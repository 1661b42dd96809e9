"""Control flow and derivatives in the spellings of `jax.lax`: functions that mean the plain statements."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar("Value")


def stop_gradient(x: Value) -> Value:
    """The value itself, through which no derivative passes.

    x   a number, an array, or a container of them
    """
    return x
