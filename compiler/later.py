"""Modules that few programs need, imported when one of their names is first used.

    lists, views = later(__package__, "lists", "views")    ->    lists.append_array(...) imports `lists`

Type checkers are told of the modules themselves, in a block `if TYPE_CHECKING:` beside.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module: has what that has."""

    __slots__ = ("_module",)

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._module), name)


def later(package: str | None, *names: str) -> tuple[Any, ...]:
    """The modules of a package by these names."""
    return tuple(Later(f"{package}.{name}") for name in names)
