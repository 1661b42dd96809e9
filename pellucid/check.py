"""The faults of the functions of a file, found without importing or running it.

    check_file("physics.py")   ->   [Diagnostic("P014", ...), Diagnostic("U012", ...)]

A function counts when it is compiled somewhere in the file, by a decorator or a call that stands for `pellucid.compile`
or `pellucid.grad` by the file's own imports; functions that it calls, in this file or in others, are compiled with it
and are checked as well.
"""

from __future__ import annotations

import io
import tokenize
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import field
from typing import Any

import gast

from .check_roots import Finder, Root
from .compiler.diagnostics import Diagnostic, Span
from .compiler.frontend.purity.purity import check_function, in_order
from .compiler.frontend.source.resolve_static import module_resolver, parse_module
from .compiler.ops import python_names
from .compiler.records import dataclass
from .compiler.vocabulary import PYTHON_NAMES, Vocabulary
from .deep import with_room

SUPPORTED = frozenset(python_names.BINDINGS) | PYTHON_NAMES
Which = Callable[[Finder], Iterator[Root]]


@dataclass(slots=True)
class Report:
    """What the check of one file found."""

    path: str
    text: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    functions: int = 0


def check_file(
    path: str, is_supported: Callable[[str], bool] = SUPPORTED.__contains__, known_names: Collection[str] = SUPPORTED
) -> list[Diagnostic]:
    """The faults of one file in source order.  Raises OSError when it cannot be read."""
    with open(path, "rb") as stream:
        return check_bytes(stream.read(), path, is_supported=is_supported, known_names=known_names).diagnostics


def check_bytes(data: bytes, path: str, **options: Any) -> Report:
    """The faults of the bytes of a file, which are read as CPython reads them."""
    try:
        return check_text(decoded(data), path, **options)
    except (SyntaxError, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, SyntaxError) else f"(unicode error) {error}"
        fault = Diagnostic("U020", f"this file is not valid Python: {reason}", Span(path, 1, 0, 1, 1), "in this file")
        return Report(path, data.decode("utf-8", "replace"), [fault])


def decoded(data: bytes) -> str:
    """The text in the encoding that it declares.  Raises SyntaxError or UnicodeDecodeError, as CPython would."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


def check_text(
    text: str,
    path: str,
    is_supported: Callable[[str], bool] = SUPPORTED.__contains__,
    known_names: Collection[str] = SUPPORTED,
    which: Which | None = None,
) -> Report:
    """The faults of a text; `which` chooses functions other than those that are compiled in it."""
    try:
        _require_compiles(text, path)
        return _check_text(text, path, Vocabulary(is_supported, known_names), which or Finder.compiled)
    except (RecursionError, MemoryError) as error:
        return Report(path, text, [_syntax_fault(error, path)])


def _require_compiles(text: str, path: str) -> None:
    """RecursionError or MemoryError where CPython itself has no room for the file; nothing is run."""
    with warnings.catch_warnings(), suppress(SyntaxError, ValueError):
        warnings.simplefilter("ignore")
        compile(text, path, "exec", dont_inherit=True)


@with_room
def _check_text(text: str, path: str, vocabulary: Vocabulary, which: Which) -> Report:
    report = Report(path, text)
    try:
        finder = Finder(parse_module(text), module_resolver(text, path), text, path)
    except (SyntaxError, ValueError) as error:
        report.diagnostics.append(_syntax_fault(error, path))
        return report
    roots = {id(root.source.tree): root for root in reversed(list(which(finder)))}  # the decorated one of two first
    judged: set[tuple[object, object]] = {(root.source.tree, ()) for root in roots.values()}
    for root in reversed(roots.values()):
        source = root.source
        if isinstance(source.tree, gast.AsyncFunctionDef):
            report.diagnostics.append(_async_fault(source.tree, path))
            continue
        report.diagnostics += check_function(
            source.tree,
            file=source.file,
            text=source.text,
            options=root.options,
            resolve=source.resolve,
            is_supported=vocabulary.is_supported,
            known_names=vocabulary.names,
            judged=judged,
        )
    report.functions = len({tree for tree, _ in judged})
    own = [fault for fault in report.diagnostics if fault.span.file == path]
    elsewhere = [fault for fault in report.diagnostics if fault.span.file != path]
    report.diagnostics = [*in_order(own), *in_order(elsewhere)]
    return report


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
