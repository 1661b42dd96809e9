"""Find the tree of a function in the file it was written in.

    function object  ->  Source(tree with the file's own line numbers, file, text)

The whole file is parsed once and the definition found by its position, so decorators, nesting and lambdas in the
middle of an expression need no guessing about indentation.
"""

from __future__ import annotations

import linecache
import types as python_types
from dataclasses import dataclass

import gast

from ..diagnostics import CompileError, Diagnostic, Span


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A function's tree: a FunctionDef or a Lambda, and the file around it."""

    tree: gast.FunctionDef | gast.Lambda
    file: str
    text: str
    name: str

    @property
    def line(self) -> int:
        return self.tree.lineno


_FILES: dict[tuple[str, int], gast.Module] = {}


def read(function: python_types.FunctionType) -> Source:
    """The source of a Python function.  Raises CompileError R004 where it cannot be had."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        message = f"the source of `{function.__qualname__}` cannot be read: {code.co_filename} is not a file"
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        hint = "define the function in a file, or in a notebook cell"
        raise CompileError(Diagnostic("R004", message, span, "defined here", help=(hint,)))
    module = parse_file(code.co_filename, text)
    tree = _find(module, code)
    if tree is None or is_stale(code, text):
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        missing = f"the file no longer holds `{function.__qualname__}` at line {code.co_firstlineno}"
        message = f"{missing}: it has changed since"
        raise CompileError(Diagnostic("R004", message, span, "not found here", help=("import it again",)))
    return Source(tree, code.co_filename, text, function.__name__)


_CODES: dict[tuple[str, int], dict[tuple[str, int], list[python_types.CodeType]]] = {}


def is_stale(code: python_types.CodeType, text: str) -> bool:
    """Whether the file says something else by now than what was imported."""
    if any(name.startswith("@py_") for name in (*code.co_names, *code.co_varnames)):
        return False  # a test runner has rewritten the asserts
    key = (code.co_filename, hash(text))
    if key not in _CODES:
        found: dict[tuple[str, int], list[python_types.CodeType]] = {}
        queue = [compile(text, code.co_filename, "exec", dont_inherit=True)]
        while queue:
            inner = [c for c in queue.pop().co_consts if isinstance(c, python_types.CodeType)]
            queue += inner
            for one in inner:
                found.setdefault((one.co_name, one.co_firstlineno), []).append(one)
        _CODES[key] = found
    present = _CODES[key].get((code.co_name, code.co_firstlineno), [])
    return not any(_same_code(code, other) for other in present)


def _same_code(left: python_types.CodeType, right: python_types.CodeType) -> bool:
    plain = [[c for c in code.co_consts if not isinstance(c, python_types.CodeType)] for code in (left, right)]
    return left.co_code == right.co_code and left.co_names == right.co_names and repr(plain[0]) == repr(plain[1])


def parse_file(file: str, text: str) -> gast.Module:
    key = (file, hash(text))
    if key not in _FILES:
        _FILES[key] = gast.parse(text, filename=file)
    return _FILES[key]


def _find(module: gast.Module, code: python_types.CodeType) -> gast.FunctionDef | gast.Lambda | None:
    wanted = gast.Lambda if code.co_name == "<lambda>" else gast.FunctionDef
    found = [
        node
        for node in gast.walk(module)
        if isinstance(node, wanted) and first_line(node) == code.co_firstlineno and _matches(node, code)
    ]
    if wanted is gast.Lambda and len(found) > 1:
        # the instruction that returns stems from the whole body, so several lambdas on one line are told apart
        places = {(line, column, end_line, end_column) for line, end_line, column, end_column in code.co_positions()}
        found = [n for n in found if _place(n.body) in places]
    return found[0] if len(found) == 1 else None if wanted is gast.Lambda else next(iter(found), None)


def _place(node: gast.AST) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _matches(node: gast.AST, code: python_types.CodeType) -> bool:
    if isinstance(node, gast.FunctionDef) and node.name != code.co_name:
        return False
    names = tuple(a.id for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    return names == code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def first_line(node: gast.AST) -> int:
    """The line CPython calls the first of a function: that of its first decorator, if any."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def span_of(node: gast.AST, file: str) -> Span:
    """Where a node stands; of a compound statement, its header."""
    last = {gast.If: "test", gast.While: "test", gast.For: "iter"}.get(type(node))
    end = node if last is None else getattr(node, last)
    line = getattr(node, "lineno", 1)
    column = getattr(node, "col_offset", 0)
    if isinstance(node, gast.FunctionDef):
        return Span(file, line, column, line, column + len("def ") + len(node.name))
    end_line = getattr(end, "end_lineno", None) or line
    return Span(file, line, column, end_line, getattr(end, "end_col_offset", None) or column)
