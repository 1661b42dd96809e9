"""Which functions of the user's can reach themselves.

    def even(n): return n == 0 or odd(n - 1)
    def odd(n): return n != 0 and even(n - 1)         is_recursive(task, even)     ->     True
"""

from __future__ import annotations

import types as python_types
from typing import Any

from .....runtime.guards import look_up
from ..frame import Task


def is_recursive(task: Task, function: python_types.FunctionType) -> bool:
    """Whether a function can reach itself through the functions its names stand for now."""
    if id(function) not in task.recursive:  # the source holds the function, so that its id stays unique
        task.recursive[id(function)] = _reaches(function, function.__code__, set())
    return task.recursive[id(function)]


def _reaches(function: Any, goal: Any, seen: set[int]) -> bool:
    function = getattr(getattr(function, "__pellucid__", None), "python", function)
    if not isinstance(function, python_types.FunctionType) or id(function) in seen:
        return False
    seen.add(id(function))
    for name in [*_names_of(function.__code__), *function.__code__.co_freevars]:
        other = look_up("cell" if name in function.__code__.co_freevars else "global", function, name)
        other = getattr(getattr(other, "__pellucid__", None), "python", other)
        if getattr(other, "__code__", None) is goal or _reaches(other, goal, seen):
            return True
    return False


def _names_of(code: python_types.CodeType) -> list[str]:
    """Names of globals, with those of inner functions; what inner ones capture from it is not a global."""
    inner = [n for c in code.co_consts if isinstance(c, python_types.CodeType) for n in _names_of(c)]
    return [*code.co_names, *inner]
