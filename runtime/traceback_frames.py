"""Tracebacks that show the user's own lines for errors raised by machine code.

    show(error, [Line("physics.py", 12, 4, 12, 17, "drift")])    ->    the error, as if line 12 of drift had raised it

A frame object is made for every line by running a tiny code object that carries the user's file, line, columns and
function name; the traceback is linked from such frames, the outermost first.
"""

from __future__ import annotations

import ast
import linecache
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .parsing import parse


@dataclass(frozen=True, slots=True)
class Line:
    """A location in a file, as in `ast`: lines from 1, columns from 0 in UTF-8 bytes; no function means: look it up."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str = ""


def show(
    error: BaseException, lines: Sequence[Line], below: types.TracebackType | None = None
) -> BaseException:
    """The error with a traceback of these lines, outermost first, and what is below; it may be raised as it is."""
    chain = below
    for line in reversed(lines):
        frame, instruction = _frame(line)
        chain = types.TracebackType(chain, frame, instruction, line.line)
    return error.with_traceback(chain)


def _frame(line: Line) -> tuple[types.FrameType, int]:
    captured: list[tuple[types.FrameType, int]] = []

    def capture() -> None:
        frame = sys._getframe(1)
        captured.append((frame, frame.f_lasti))

    eval(_code(line), {"capture": capture, "__name__": line.function, "__builtins__": {}})
    return captured[0]


@lru_cache(maxsize=1024)
def _code(line: Line) -> types.CodeType:
    """`capture()` at this location."""
    place = {
        "lineno": line.line,
        "col_offset": line.column,
        "end_lineno": line.end_line,
        "end_col_offset": line.end_column,
    }
    name = ast.Name("capture", ast.Load(), **place)
    tree = ast.Expression(ast.Call(name, [], [], **place))
    code = compile(tree, line.file, "eval")
    function = line.function or enclosing_function(line.file, line.line)
    # the first line stays: positions are stored relative to it
    return code.replace(co_name=function, co_qualname=function)


def enclosing_function(file: str, line: int) -> str:
    """The name of the innermost function around a line, as a traceback would print it."""
    try:
        tree = parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return "<compiled>"
    found = "<module>"
    for node in ast.walk(tree):  # outer before inner
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            if node.lineno <= line <= (node.end_lineno or node.lineno):
                found = getattr(node, "name", "<lambda>")
    return found
