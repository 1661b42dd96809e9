"""Find the tree of a function in the file it was written in.

    function object  ->  Source(tree with the file's own line numbers, file, text)

The whole file is parsed once and the definition found by its position, so decorators, nesting and lambdas in the
middle of an expression need no guessing about indentation.  Only the function itself becomes a gast tree.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import types as python_types

import gast

from ..diagnostics import CompileError, Diagnostic, Span
from ..ops.python_names import LIBRARY
from ..records import dataclass

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


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
    is_own = (function.__module__ or "").startswith(LIBRARY)  # the language's own library does not change under it
    tree = _found(code, text, is_own)
    if tree is None:
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        missing = f"the file no longer holds `{function.__qualname__}` at line {code.co_firstlineno}"
        message = f"{missing}: it has changed since"
        raise CompileError(Diagnostic("R004", message, span, "not found here", help=("import it again",)))
    return Source(tree, code.co_filename, text, function.__name__)


_FILES: dict[tuple[str, int], ast.Module] = {}
_TREES: dict[tuple[str, int, python_types.CodeType], gast.FunctionDef | gast.Lambda | None] = {}


def _found(code: python_types.CodeType, text: str, is_own: bool) -> gast.FunctionDef | gast.Lambda | None:
    """The definition that a code object was made from; None where the file says something else by now.

    Only the statement around it is searched: other definitions cost no more than their parsing.
    """
    key = code.co_filename, hash(text)
    if (*key, code) not in _TREES:
        if is_own:
            node = _find(_parsed_alone(code, text).body, code)
        else:
            if key not in _FILES:
                _FILES[key] = ast.parse(text, filename=code.co_filename)
            node = _find([s for s in _FILES[key].body if _is_around(s, code)], code)
            node = None if node is None or is_stale(code, _FILES[key]) else node
        _TREES[*key, code] = None if node is None else gast.ast_to_gast(node)
    return _TREES[*key, code]


def _parsed_alone(code: python_types.CodeType, text: str) -> ast.Module:
    """The file without the statements before and behind a function of the library, whose body alone is indented."""
    lines = text.split("\n")
    before = code.co_firstlineno - 1
    start = next(k for k in range(before, len(lines)) if lines[k].startswith("def "))
    stop = next((k for k in range(start + 1, len(lines)) if lines[k][:1] not in ("", " ", ")")), len(lines))
    return ast.parse("\n" * before + "\n".join(lines[before:stop]), filename=code.co_filename)


def is_stale(code: python_types.CodeType, file: ast.Module) -> bool:
    """Whether the file says something else by now than what was imported."""
    if any(name.startswith("@py_") for name in (*code.co_names, *code.co_varnames)):
        return False  # a test runner has rewritten the asserts
    # the other definitions seldom change how this one is compiled, imports do
    short = [s for s in file.body if not isinstance(s, DEFINITIONS) or _is_around(s, code)]
    return not _gives(short, code) and not _gives(file.body, code)


def _is_around(statement: ast.stmt, code: python_types.CodeType) -> bool:
    line = code.co_firstlineno
    return first_line(statement) <= line <= (statement.end_lineno or line)


def _gives(statements: list[ast.stmt], code: python_types.CodeType) -> bool:
    """Whether the code is among what the statements of a file are compiled to."""
    flags = code.co_flags & FUTURE
    queue = [compile(ast.Module(statements, []), code.co_filename, "exec", flags=flags, dont_inherit=True)]
    while queue:
        inner = [c for c in queue.pop().co_consts if isinstance(c, python_types.CodeType)]
        queue += inner
        for one in inner:
            if (one.co_name, one.co_firstlineno) == (code.co_name, code.co_firstlineno) and _same_code(code, one):
                return True
    return False


def _same_code(left: python_types.CodeType, right: python_types.CodeType) -> bool:
    plain = [[c for c in code.co_consts if not isinstance(c, python_types.CodeType)] for code in (left, right)]
    return left.co_code == right.co_code and left.co_names == right.co_names and repr(plain[0]) == repr(plain[1])


def _find(around: list[ast.stmt], code: python_types.CodeType) -> ast.FunctionDef | ast.Lambda | None:
    wanted = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    found = [
        node
        for statement in around
        for node in ast.walk(statement)
        if isinstance(node, wanted) and first_line(node) == code.co_firstlineno and _matches(node, code)
    ]
    if wanted is ast.Lambda and len(found) > 1:
        # the instruction that returns stems from the whole body, so several lambdas on one line are told apart
        places = {(line, column, end_line, end_column) for line, end_line, column, end_column in code.co_positions()}
        found = [n for n in found if _place(n.body) in places]
    return found[0] if len(found) == 1 else None if wanted is ast.Lambda else next(iter(found), None)


def _place(node: ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _matches(node: ast.FunctionDef | ast.Lambda, code: python_types.CodeType) -> bool:
    if isinstance(node, ast.FunctionDef) and node.name != code.co_name:
        return False
    names = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    return names == code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def first_line(node: ast.stmt | ast.Lambda) -> int:
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
