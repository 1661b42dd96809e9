"""The tree of a function, from the file in which it stands, with the lines it has there."""

from __future__ import annotations

import ast
import functools
import linecache
from types import FunctionType
from typing import Any

from ..parsing import parse


@functools.lru_cache(maxsize=64)
def _definitions(text: str, file: str) -> dict[int, ast.FunctionDef]:
    """The functions of a module by the line on which they begin, which is that of their first decorator."""
    found = {}
    for node in ast.walk(parse(text, file)):
        if isinstance(node, ast.FunctionDef):
            found[min([node.lineno, *(mark.lineno for mark in node.decorator_list)])] = node
    return found


def text_of(function: FunctionType) -> str:
    """The text of the file in which a function stands; nothing if there is none."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    return "".join(linecache.getlines(file, function.__globals__))


def definition_of(function: FunctionType, text: str) -> ast.FunctionDef:
    """What to rewrite for a function of that text; OSError if it is not there."""
    file, line = function.__code__.co_filename, function.__code__.co_firstlineno
    if not text:
        raise OSError(f"{function.__name__} runs in lockstep by its source, and there is no file {file}")
    found = _definitions(text, file).get(line)
    if found is None or found.name != function.__name__:
        raise OSError(f"{file} has changed: {function.__name__} is not on line {line}")
    return found


def load(text: str, file: str) -> dict[str, Any]:
    """The names of a kernels file that is given as text; `file` is what messages and tracebacks call it."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"__name__": file, "__file__": file}
    exec(compile(parse(text, file), file, "exec"), scope)
    return scope
