"""Compiled functions in pickles: by their name where that leads back to them, else by value.

    pickle.dumps(physics.drift)       ->   the name, as for Python's functions
    pickle.dumps(grad(drift))         ->   drift, and what is asked of it
    pickle.dumps(f) of `__main__`, a notebook, a lambda    ->   code, source, and the variables that it reads

By value goes what another process cannot import: multiprocessing started by spawn, joblib and Dask run their own
`__main__`.  A function that is already there under its name, with the same code, is taken instead.
"""

from __future__ import annotations

import builtins
import functools
import linecache
import marshal
import sys
import types
from dataclasses import replace
from typing import Any

from .compiler.request import Request

MAIN = ("__main__", "__mp_main__")


def reduced(function: Any, cls: type) -> Any:
    """What `__reduce__` of a compiled function gives; `cls` makes one of a request."""
    request: Request = function.__pellucid__
    if _is_importable(function.__module__) and found_at(function.__module__, function.__qualname__) is function:
        return function.__qualname__
    python = request.python
    known = found_at(python.__module__, python.__qualname__) if _is_importable(python.__module__) else None
    sent: Any = by_value(python)
    if known is python or getattr(getattr(known, "__pellucid__", None), "python", None) is python:
        sent = known
    return restored, (cls, sent, replace(request, python=None), function.__module__, function.__qualname__)


def restored(cls: type, sent: Any, request: Request, module: str, qualname: str) -> Any:
    """The function as it was; the one that goes by its name, where that is the same.

    It may refer to itself, and then the variables that it reads come later: it is judged when it is first called.
    """
    python = sent.function if isinstance(sent, ByValue) else sent
    python = getattr(getattr(python, "__pellucid__", None), "python", python)
    there = found_at(module, qualname)
    same: Any = getattr(there, "__pellucid__", None)
    if isinstance(there, cls) and same.python.__code__ == python.__code__ and _options(same) == _options(request):
        return there
    return cls(replace(request, python=python), judge=False)


def _options(request: Request) -> list[Any]:
    return [getattr(request, name) for name in Request.__slots__ if name not in ("python", "frozen")]


def found_at(module: str | None, qualname: str) -> Any:
    """What goes by a name in a module of this process."""
    try:
        return functools.reduce(getattr, qualname.split("."), sys.modules[module or ""])
    except (KeyError, AttributeError):
        return None


def _is_importable(module: str | None) -> bool:
    return module is not None and module not in MAIN and getattr(sys.modules.get(module), "__spec__", None) is not None


# --- Python functions by value -------------------------------------------------------------------------------------


class ByValue:
    """A Python function as a pickle carries it: its code, its source, and the globals that it and its lambdas name."""

    def __init__(self, function: Any = None) -> None:
        self.function = function

    def __reduce_ex__(self, protocol: Any) -> Any:
        function = self.function
        code = marshal.dumps(function.__code__)
        names = (function.__name__, function.__qualname__, function.__module__)
        head = (code, *names, function.__defaults__, function.__kwdefaults__)
        file = function.__code__.co_filename
        cells = [carried(_content(cell)) for cell in function.__closure__ or ()]
        state = {
            "globals": {name: carried(value) for name, value in _read(function).items()},
            "cells": cells,
            "source": (file, "".join(linecache.getlines(file, function.__globals__))),
        }
        return made, head, state

    def __setstate__(self, state: dict[str, Any]) -> None:
        function, (file, text) = self.function, state["source"]
        function.__globals__.update({name: uncarried(value) for name, value in state["globals"].items()})
        for cell, value in zip(function.__closure__ or (), state["cells"], strict=True):
            if not isinstance(value, Empty):
                cell.cell_contents = uncarried(value)
        if text and not linecache.getlines(file):
            linecache.cache[file] = (len(text), None, text.splitlines(True), file)


class Empty:
    """A variable of a closure that has no value yet."""


def made(code: bytes, name: str, qualname: str, module: str, defaults: Any, by_keyword: Any) -> ByValue:
    """The function without what it refers to, which may be itself."""
    found = marshal.loads(code)
    cells = tuple(types.CellType() for _ in found.co_freevars)
    function = types.FunctionType(found, {"__name__": module, "__builtins__": builtins}, name, defaults, cells)
    function.__qualname__, function.__kwdefaults__ = qualname, by_keyword
    return ByValue(function)


class Module:
    """A module by its name."""

    def __init__(self, name: str) -> None:
        self.name = name


def carried(value: Any) -> Any:
    """A value that a function reads, as a pickle can carry it."""
    if isinstance(value, types.ModuleType):
        return Module(value.__name__)
    if isinstance(value, types.FunctionType) and not _goes_by_name(value):
        return by_value(value)
    return value


def uncarried(value: Any) -> Any:
    if isinstance(value, Module):
        __import__(value.name)
        return sys.modules[value.name]
    return value.function if isinstance(value, ByValue) else value


def by_value(function: types.FunctionType) -> ByValue:
    """One wrapper for one function: a pickle says the same object once, also where functions refer to each other."""
    found: ByValue = vars(function).setdefault("__pellucid_by_value__", ByValue(function))
    return found


def _goes_by_name(function: types.FunctionType) -> bool:
    return _is_importable(function.__module__) and found_at(function.__module__, function.__qualname__) is function


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return Empty()


def _read(function: types.FunctionType) -> dict[str, Any]:
    """The globals that a function and what is defined in it name."""
    names: set[str] = set()
    queue = [function.__code__]
    while queue:
        code = queue.pop()
        names.update(code.co_names)
        queue += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}
