"""What a `Function` asks of the compiler, apart from its arguments.

    grad(loss, argnums=(0, 1))    ->    Request(loss, transforms=(Gradient((0, 1)),))
"""

from __future__ import annotations

import os
from dataclasses import field
from types import FunctionType
from typing import Any

from ..runtime.frozen import Freeze, Frozen
from .records import dataclass


@dataclass(frozen=True, slots=True)
class Gradient:
    """A request to differentiate with respect to the arguments at these places."""

    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
    with_value: bool = False


def wants_line_tables() -> bool:
    """Whether the environment asks for them in all functions."""
    return os.environ.get("PELLUCID_LINE_TABLES", "0") not in ("", "0")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A Python function and the options it is compiled with.

    `frozen` keeps the values of what `freeze` names; derivatives of the function share them.
    """

    python: Any
    static: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    freeze: Freeze = ()
    fastmath: bool = False
    parallel: bool = True
    line_tables: bool = field(default_factory=wants_line_tables)
    transforms: tuple[Gradient, ...] = ()
    frozen: Frozen = field(default_factory=Frozen)


def namespace_of(function: FunctionType) -> dict[str, Any]:
    """The globals of a function and, over them, the variables it closes over."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held = {}
    for name, cell in cells:
        try:
            held[name] = cell.cell_contents
        except ValueError:
            continue
    return {**function.__globals__, **held}
