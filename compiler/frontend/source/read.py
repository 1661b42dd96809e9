"""Find the tree of a function in the file it was written in.

    function object  ->  SourceFile(tree with the file's own line numbers, file, text)

The definition is found by its position, so decorators, nesting and lambdas in the middle of an expression need no
guessing about indentation.  The lines around it are parsed alone if they compile to the very code of the function; else
the whole file is, once.  Only the function itself becomes a gast tree.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import linecache
import types as python_types
from collections.abc import Mapping

import gast

from ....runtime.parsing import parse
from ...diagnostics import CompileError, Diagnostic, Span, UnsupportedError
from ...ops.python_names import is_in_library
from ...program import Origin, Unnumbered
from ...records import dataclass
from . import typed_in
from .refused import REFUSED

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
STANDS_FOR = "__pellucid_stands_for__"


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """A function's tree: a FunctionDef or a Lambda, and the file around it."""

    tree: gast.FunctionDef | gast.Lambda
    file: str
    text: str
    name: str

    @property
    def line(self) -> int:
        return self.tree.lineno

    @property
    def origin(self) -> Origin:
        lines = self.text.split("\n")[self.line - 1 : self.tree.end_lineno]
        return Origin(self.file, self.name, self.line, "\n".join(lines))


def read(function: python_types.FunctionType) -> SourceFile:
    """The source of a Python function.  Raises CompileError R004 where it cannot be had."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text and (typed := _typed_in(function)) is not None:
        return typed
    if not text:
        message = f"the source of `{function.__qualname__}` cannot be read: {code.co_filename} is not a file"
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        hint = "define the function in a file or in a notebook, or put its source into `linecache.cache`"
        raise CompileError(Diagnostic("R004", message, span, "defined here", help=(hint,)))
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        refused, what, way_out = REFUSED[gast.AsyncFunctionDef]
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        message = f"{what} is outside the language"
        raise UnsupportedError(Diagnostic(refused, message, span, "not supported", help=(way_out,)))
    is_own = is_in_library(function.__module__)  # the library's own files do not change
    tree = _found(function, text, is_own)
    if tree is None:
        span = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
        missing = f"the file no longer holds `{function.__qualname__}` at line {code.co_firstlineno}"
        message = f"{missing}: it has changed since"
        raise CompileError(Diagnostic("R004", message, span, "not found here", help=("import it again",)))
    return SourceFile(tree, code.co_filename, text, function.__name__)


def _typed_in(function: python_types.FunctionType) -> SourceFile | None:
    """The source of what was passed to `python -c` or typed in at the prompt."""
    for file, text in typed_in.proposals(function.__code__):
        try:
            tree = _found(function, text, False)
        except (SyntaxError, ValueError):
            continue
        if tree is not None:
            typed_in.keep(file, text)
            return SourceFile(tree, file, text, function.__name__)
    return None


_FILES: dict[tuple[str, int], ast.Module] = {}
_TREES: dict[tuple[str, int, python_types.CodeType], gast.FunctionDef | gast.Lambda | None] = {}


def _found(function: python_types.FunctionType, text: str, is_own: bool) -> gast.FunctionDef | gast.Lambda | None:
    """The definition that a function was made from; None where the file says something else by now.

    The library's own functions are not compared: their files do not change while it runs.
    """
    code = function.__code__
    key = code.co_filename, hash(text)
    if (*key, code) not in _TREES:
        near = _parsed_alone(code, text)
        if near is not None and (is_own or _gives([*_imports(near, function.__globals__), *near.body], code)):
            node = _find(near.body, code)
        else:
            if key not in _FILES:
                _FILES[key] = parse(text, code.co_filename)
            node = _find([s for s in _FILES[key].body if _is_around(s, code)], code)
            node = None if node is None or is_stale(code, _FILES[key]) else node
        _TREES[*key, code] = None if node is None else gast.ast_to_gast(node)
    return _TREES[*key, code]


def _parsed_alone(code: python_types.CodeType, text: str) -> ast.Module | None:
    """The lines around a function, parsed without the rest of the file; None where they are not Python."""
    lines = text.split("\n")
    first = code.co_firstlineno - 1
    start = next((k for k in range(min(first, len(lines) - 1), -1, -1) if _begins(lines[k])), 0)
    heads = ("def ", "async def ", "class ") if code.co_firstlineno <= len(lines) and lines[first][:1] == "@" else ""
    head = next((k for k in range(first, len(lines)) if lines[k].startswith(heads)), first)  # after decorators
    stop = next((k for k in range(head + 1, len(lines)) if _begins(lines[k])), len(lines))
    try:
        return parse("\n" * start + "\n".join(lines[start:stop]), code.co_filename)
    except (SyntaxError, ValueError):
        return None


def _imports(near: ast.Module, variables: Mapping[str, object]) -> list[ast.stmt]:
    """Imports of the modules that some lines name: CPython calls imported names in another way than methods."""
    names = dict.fromkeys(node.id for node in ast.walk(near) if isinstance(node, ast.Name))
    found = [ast.alias(name) for name in names if isinstance(variables.get(name), python_types.ModuleType)]
    return [ast.fix_missing_locations(ast.Import(found))] if found else []


def _begins(line: str) -> bool:
    """Whether a line may begin a statement of its module: it is not indented, and closes no bracket."""
    return line[:1] not in ("", " ", "\t", ")", "]", "}", "#")


def is_stale(code: python_types.CodeType, file: ast.Module) -> bool:
    """Whether the file says something else by now than what was imported."""
    if any(name.startswith("@py_") for name in (*code.co_names, *code.co_varnames)):
        return False  # a test runner has rewritten the asserts
    # imports change how this function is compiled; the other definitions seldom do
    short = [s for s in file.body if not isinstance(s, DEFINITIONS) or _is_around(s, code)]
    return not _gives(short, code) and not _gives(file.body, code)


def _is_around(statement: ast.stmt, code: python_types.CodeType) -> bool:
    line = code.co_firstlineno
    return first_line(statement) <= line <= (statement.end_lineno or line)


def _gives(statements: list[ast.stmt], code: python_types.CodeType) -> bool:
    """Whether compiling the statements of a file gives this code, among other code."""
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
    plain = [[_shown(c) for c in code.co_consts if not isinstance(c, python_types.CodeType)] for code in (left, right)]
    return left.co_code == right.co_code and left.co_names == right.co_names and plain[0] == plain[1]


def _shown(constant: object) -> object:
    """What identifies a constant, so that 0 is not False; the order of a set differs from process to process."""
    if isinstance(constant, frozenset):
        return frozenset(map(_shown, constant))
    return tuple(map(_shown, constant)) if isinstance(constant, tuple) else repr(constant)


def _find(around: list[ast.stmt], code: python_types.CodeType) -> ast.FunctionDef | ast.Lambda | None:
    wanted = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    found = [
        node
        for statement in around
        for node in ast.walk(statement)
        if isinstance(node, wanted) and first_line(node) == code.co_firstlineno and _matches(node, code)
    ]
    if len(found) > 1:
        # the instruction that returns stems from the whole body, so it identifies one of several lambdas on a line
        places = {(line, column, end_line, end_column) for line, end_line, column, end_column in code.co_positions()}
        found = [n for n in found if not isinstance(n, ast.Lambda) or _place(n.body) in places]
    return found[0] if len(found) == 1 else None if wanted is ast.Lambda else next(iter(found), None)


def _place(node: ast.expr) -> tuple[int, int, int | None, int | None]:
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


# The last part of what stands before the colon of a compound statement.
HEADERS: dict[type[gast.AST], str] = {gast.If: "test", gast.While: "test", gast.For: "iter"}


def own_function(function: python_types.FunctionType) -> python_types.FunctionType:
    """The user's function that one of the library stands for (`shard_map` of it); any other function as it is."""
    found: python_types.FunctionType = getattr(function, STANDS_FOR, function)
    return found


def header_of(function: python_types.FunctionType) -> Span:
    """Where the user's function begins."""
    source = read(own_function(function))
    return span_of(source.tree, source.file)


def span_of(node: gast.AST, file: str) -> Span:
    """The location of a node; for a compound statement, that of its header."""
    last = HEADERS.get(type(node))
    end = node if last is None else getattr(node, last)
    line = getattr(node, "lineno", 1)
    column = getattr(node, "col_offset", 0)
    if isinstance(node, gast.FunctionDef):
        return Span(file, line, column, line, column + len("def ") + len(node.name))
    end_line = getattr(end, "end_lineno", None) or line
    return Span(file, line, column, end_line, getattr(end, "end_col_offset", None) or column)


def unnumbered(arguments: gast.arguments) -> Unnumbered:
    """The parameters that argument numbers do not count as one each: the starred and the keyword-only ones."""
    stars = (star.id for star in (arguments.vararg, arguments.kwarg) if star is not None)
    return Unnumbered(frozenset(stars), frozenset(only.id for only in arguments.kwonlyargs))
