"""Modules that few programs need, imported when one of their names is first used.

    lists, views = later(__package__, "lists", "views")    ->    lists.append_array(...) imports `lists`
    import_all()                                           ->    they are there: for a thread that has nothing to do

Type checkers are told of the modules themselves, in a block `if TYPE_CHECKING:` beside.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_ANNOUNCED: set[str] = set()


class Later:
    """Stands for a module: has what that has."""

    __slots__ = ("_module",)

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._module), name)


def later(package: str | None, *names: str) -> tuple[Any, ...]:
    """The modules of a package by these names."""
    _ANNOUNCED.update(f"{package}.{name}" for name in names)
    return tuple(Later(f"{package}.{name}") for name in names)


def import_all() -> None:
    """Import the modules that are stood for."""
    for name in sorted(_ANNOUNCED):
        import_module(name)
