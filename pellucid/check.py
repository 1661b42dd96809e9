"""`pellucid check`: the faults of every decorated function of a file, found without importing or running it.

    check_file("physics.py")   ->   [Diagnostic("P014", ...), Diagnostic("U012", ...)]

A function counts when a decorator of it resolves to `pellucid.compile`, by the file's own imports; functions that it
calls, in this file or in others, are compiled with it and are checked as well.
"""

from __future__ import annotations

import json as json_module
import os
import sys
import tokenize
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import field
from typing import Any

import gast

from .compiler.diagnostics import Diagnostic, Span, characters_before, render, shown_path, source_lines
from .compiler.frontend.purity.purity import CheckOptions, check_function, in_order
from .compiler.frontend.source.resolve import Resolve, resolve_chain
from .compiler.frontend.source.resolve_static import declared, function_resolver, module_resolver, parse_module
from .compiler.ops import python_names
from .compiler.records import dataclass
from .compiler.vocabulary import PYTHON_NAMES
from .deep import with_room

SUPPORTED = frozenset(python_names.BINDINGS) | PYTHON_NAMES
DECORATORS = ("pellucid.compile", "pellucid.Function")


@dataclass(slots=True)
class Report:
    """What the check of one file found."""

    path: str
    text: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    functions: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A function of the file, and the functions it is defined in, outermost first."""

    tree: gast.FunctionDef | gast.AsyncFunctionDef
    enclosing: tuple[gast.FunctionDef, ...]


def check_file(
    path: str, is_supported: Callable[[str], bool] = SUPPORTED.__contains__, known_names: Collection[str] = SUPPORTED
) -> list[Diagnostic]:
    """The faults of one file in source order.  Raises OSError when it cannot be read."""
    return check_text(read_text(path), path, is_supported, known_names).diagnostics


def read_text(path: str) -> str:
    """The text of a source file in its declared encoding; bytes that do not fit are replaced."""
    try:
        with tokenize.open(path) as stream:
            return stream.read()
    except (SyntaxError, UnicodeDecodeError):
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()


def check_text(
    text: str,
    path: str,
    is_supported: Callable[[str], bool] = SUPPORTED.__contains__,
    known_names: Collection[str] = SUPPORTED,
) -> Report:
    try:
        _require_compiles(text, path)
        return _check_text(text, path, is_supported, known_names)
    except (RecursionError, MemoryError) as error:
        return Report(path, text, [_syntax_fault(error, path)])


def _require_compiles(text: str, path: str) -> None:
    """RecursionError or MemoryError where CPython itself has no room for the file; nothing is run."""
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError):
        warnings.simplefilter("ignore")
        compile(text, path, "exec", dont_inherit=True)


@with_room
def _check_text(text: str, path: str, is_supported: Callable[[str], bool], known_names: Collection[str]) -> Report:
    report = Report(path, text)
    try:
        module = parse_module(text)
        outer = module_resolver(text, path)
    except (SyntaxError, ValueError) as error:
        report.diagnostics.append(_syntax_fault(error, path))
        return report
    known = {id(found.tree): found for found in _functions(module, ())}
    decorated = [found for found in known.values() if _is_decorated(found, outer, text, path)]
    judged: set[tuple[object, object]] = {(found.tree, ()) for found in decorated}
    for found in decorated:
        resolve = function_resolver(outer, found.enclosing, text, path)
        if isinstance(found.tree, gast.AsyncFunctionDef):
            report.diagnostics.append(_async_fault(found.tree, path))
            continue
        report.diagnostics += check_function(
            found.tree,
            file=path,
            text=text,
            options=_options(found.tree),
            resolve=resolve,
            is_supported=is_supported,
            known_names=known_names,
            judged=judged,
        )
    report.functions = len({tree for tree, _ in judged})
    own = [fault for fault in report.diagnostics if fault.span.file == path]
    elsewhere = [fault for fault in report.diagnostics if fault.span.file != path]
    report.diagnostics = [*in_order(own), *in_order(elsewhere)]
    return report


def _functions(node: gast.AST, enclosing: tuple[Any, ...]) -> Iterator[Found]:
    for child in gast.iter_child_nodes(node):
        if isinstance(child, gast.FunctionDef | gast.AsyncFunctionDef):
            yield Found(child, enclosing)
            yield from _functions(child, (*enclosing, child))
        else:
            yield from _functions(child, enclosing)


def _is_decorated(found: Found, outer: Resolve, text: str, path: str) -> bool:
    resolve = function_resolver(outer, found.enclosing, text, path) if found.tree.decorator_list else outer
    for decorator in found.tree.decorator_list:
        made = decorator.func if isinstance(decorator, gast.Call) else decorator
        resolved = resolve_chain(made, resolve, lambda _: False)
        if resolved is not None and resolved.name in DECORATORS:
            return True
    return False


def _options(tree: gast.FunctionDef) -> CheckOptions:
    return CheckOptions(declared(tree, "static"), declared(tree, "mutates"), declared(tree, "freeze"))


def _syntax_fault(error: BaseException, path: str) -> Diagnostic:
    if not isinstance(error, SyntaxError):
        reason = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        return Diagnostic(
            "U020", f"this file cannot be read as Python: {reason}", Span(path, 1, 0, 1, 1), "in this file"
        )
    line, text = error.lineno or 1, error.text or ""
    column = max((error.offset or 1) - 1, 0)
    end = (error.end_offset or 0) - 1 if error.end_lineno in (None, line) else -1
    start_byte = len(text[:column].encode("utf-8", "replace"))
    end_byte = len(text[:end].encode("utf-8", "replace")) if end > column else start_byte + 1
    span = Span(path, line, start_byte, line, end_byte)
    return Diagnostic("U020", f"this file is not valid Python: {error.msg}", span, "found here")


def _async_fault(tree: gast.AsyncFunctionDef, path: str) -> Diagnostic:
    span = Span(path, tree.lineno, tree.col_offset, tree.lineno, tree.col_offset + len("async def"))
    help_ = "write a plain `def`; a caller may run it in a thread"
    return Diagnostic("U003", "an `async` function is outside the language", span, "not supported", help=(help_,))


# --- the command ---------------------------------------------------------------------------------------------------


def main(
    paths: Iterable[str],
    json: bool = False,
    is_supported: Callable[[str], bool] = SUPPORTED.__contains__,
    known_names: Collection[str] = SUPPORTED,
) -> int:
    """Check files, and folders with all files below; 0 when all is well, 1 when there are faults, 2 when unreadable."""
    reports, status = [], 0
    for path in _expand(paths):
        try:
            reports.append(check_text(read_text(path), path, is_supported, known_names))
        except OSError as error:
            print(f"pellucid check: cannot read {path}: {error.strerror or error}", file=sys.stderr)
            status = 2
    if json:
        listed = [as_json(fault, _text_of(fault, report)) for report in reports for fault in report.diagnostics]
        print(json_module.dumps(listed, indent=2))
    else:
        for report in reports:
            for diagnostic in report.diagnostics:
                print(render(diagnostic, _text_of(diagnostic, report)), end="\n\n")
        print(_summary(reports))
    return status or int(any(report.diagnostics for report in reports))


def _text_of(diagnostic: Diagnostic, report: Report) -> str | None:
    """What was read of the file that a fault is in; of another file nothing was."""
    return report.text if diagnostic.span.file == report.path else None


def _expand(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, inner, files in os.walk(path):
            inner[:] = sorted(name for name in inner if not name.startswith((".", "__pycache__")))
            yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))


def _summary(reports: list[Report]) -> str:
    faults = sum(len(report.diagnostics) for report in reports)
    functions = sum(report.functions for report in reports)
    checked = f"checked {_count(functions, 'function')} in {_count(len(reports), 'file')}"
    return f"{checked}: {_count(faults, 'fault') if faults else 'no faults'}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def as_json(diagnostic: Diagnostic, text: str | None = None) -> dict[str, object]:
    """One fault for other programs: lines and columns count from 1, columns in characters, the end is exclusive."""
    span = diagnostic.span
    lines = source_lines(span.file, text)

    def column(line: int, byte: int) -> int:
        return characters_before(lines[line - 1] if 0 < line <= len(lines) else "", byte) + 1

    return {
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": shown_path(span.file),
        "line": span.line,
        "column": column(span.line, span.column),
        "end_line": span.end_line,
        "end_column": column(span.end_line, span.end_column),
        "help": list(diagnostic.help),
        "page": diagnostic.page,
    }
