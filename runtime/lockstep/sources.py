"""The tree of a function, from the file in which it stands, with the lines it has there."""

from __future__ import annotations

import ast
import functools
import linecache
from types import FunctionType

from ..parsing import parse


@functools.lru_cache(maxsize=64)
def _definitions(text: str, file: str) -> dict[int, ast.FunctionDef]:
    """The functions of a text by the line on which they begin, which is that of their first decorator."""
    found = {}
    for node in ast.walk(parse(text, file)):
        if isinstance(node, ast.FunctionDef):
            found[min([node.lineno, *(mark.lineno for mark in node.decorator_list)])] = node
    return found


def definition_of(function: FunctionType) -> ast.FunctionDef:
    """What to rewrite for a function; OSError if its file is not there or has changed since."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise OSError(f"{function.__name__} runs in lockstep by its source, and there is no file {code.co_filename}")
    found = _definitions("".join(lines), code.co_filename).get(code.co_firstlineno)
    if found is None or found.name != function.__name__:
        raise OSError(f"{code.co_filename} has changed: {function.__name__} is not on line {code.co_firstlineno}")
    return found
