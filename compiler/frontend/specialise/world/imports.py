"""`import` inside a function: its names stand for modules and for what these hold, as outside.

    from math import tau      ->    tau is 6.283..., with a guard on the module's attribute
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from typing import NoReturn

import gast

from ....syntax import imported_as
from ..frame import Frame
from ..values import Value
from . import outside


def bound(frame: Frame, node: gast.Import | gast.ImportFrom) -> Iterator[tuple[str, Value]]:
    """The names that an import binds, and what they stand for."""
    for alias in node.names:
        value = _module(frame, alias, node) if isinstance(node, gast.Import) else _member(frame, alias.name, node)
        yield imported_as(alias), value


def _module(frame: Frame, alias: gast.alias, node: gast.Import) -> Value:
    """`import a.b` binds `a`."""
    module = _loaded(frame, alias.name, node)
    if alias.asname is None:
        module = _loaded(frame, alias.name.partition(".")[0], node)
    return outside.read(frame, module, alias.name, node)


def _member(frame: Frame, name: str, node: gast.ImportFrom) -> Value:
    path = "." * (node.level or 0) + (node.module or "")
    module = _loaded(frame, path, node)
    if hasattr(module, name):
        return outside.attribute(frame, module, name, node)
    inner = f"{path}.{name}" if node.module else path + name
    if not hasattr(module, "__path__") or importlib.util.find_spec(inner, _package(frame)) is None:
        _refuse(frame, f"cannot import name '{name}' from '{path}'", node)
    return outside.read(frame, _loaded(frame, inner, node), name, node)


def _loaded(frame: Frame, name: str, node: gast.AST) -> object:
    if name.startswith(".") and not _package(frame):
        _refuse(frame, "attempted relative import with no known parent package", node)
    try:
        return importlib.import_module(name, _package(frame))
    except ImportError as wrong:
        _refuse(frame, str(wrong), node)


def _package(frame: Frame) -> str | None:
    """The package that relative imports of the function start from."""
    found: str | None = frame.namespace.function.__globals__.get("__package__")
    return found


def _refuse(frame: Frame, why: str, node: gast.AST) -> NoReturn:
    frame.fault("U006", f"this import fails: {why}", node, "imported here", ("import what is installed",))
