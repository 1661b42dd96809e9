"""`pellucid check`: faults on the terminal, as JSON or as SARIF, and rewriting what has one way out.

    pellucid check physics.py                    the functions that are compiled in the file
    pellucid check physics.py:drift --fix        one function, whether it is compiled there or not
    pellucid check physics.py --declare          with what the messages propose to declare, in the decorators
    cat physics.py | pellucid check - --sarif    standard input, for other programs
"""

from __future__ import annotations

import json as json_module
import os
import sys
import tokenize
from collections.abc import Callable, Collection, Iterable, Iterator
from io import BytesIO

from .check import SUPPORTED, Finder, Report, check_bytes, decoded
from .check_sarif import sarif
from .compiler.diagnostics import Diagnostic, Edit, characters_before, render, shown_path, source_lines
from .declaring import declarations_in
from .fixing import apply_edits, fixes_in

STANDARD_INPUT = "-"


def main(
    arguments: Iterable[str],
    form: str = "text",
    every: bool = False,
    fix: bool = False,
    is_supported: Callable[[str], bool] = SUPPORTED.__contains__,
    known_names: Collection[str] = SUPPORTED,
    declare: bool = False,
) -> int:
    """Check files, and folders with all files below; 0 when all is well, 1 when there are faults, 2 when unreadable."""
    reports, status, fixed = [], 0, list[str]()
    for path, name in _expand(arguments):
        options = {"is_supported": is_supported, "known_names": known_names}
        try:
            data = _read(path)
        except OSError as error:
            print(f"pellucid check: cannot read {path}: {error.strerror or error}", file=sys.stderr)
            status = 2
            continue
        which = (lambda finder: finder.named(name)) if name else Finder.every if every else None  # noqa: B023
        shown = "<stdin>" if path == STANDARD_INPUT else path
        report = check_bytes(data, shown, which=which, **options)
        if name and not report.functions and not report.diagnostics:
            print(f"pellucid check: {path} has no function {name!r}", file=sys.stderr)
            status = 2
        while path != STANDARD_INPUT and (edits := _edits(report, path, fix, declare)):
            fixed += _told(edits, report)
            data = _rewritten(data, edits, path)
            report = check_bytes(data, shown, which=which, **options)
        reports.append(report)
    _tell(reports, form, fixed)
    return status or int(any(report.diagnostics for report in reports))


def _edits(report: Report, path: str, fix: bool, declare: bool) -> list[Edit]:
    """What is rewritten at once: what has one way out comes first."""
    edits = fixes_in(report.diagnostics, path) if fix else []
    return edits or (declarations_in(report.diagnostics, path, report.text) if declare else [])


def _told(edits: Iterable[Edit], report: Report) -> list[str]:
    """A line for each edit: where it is, and what took the place of what."""
    lines, found = report.text.split("\n"), []
    for edit in sorted(edits, key=lambda edit: (edit.span.line, edit.span.column)):
        span = edit.span
        line = lines[span.line - 1].encode()
        old = line[span.column : span.end_column].decode() if span.line == span.end_line else "..."
        what = f"`{old}` -> `{edit.text}`" if old else f"`{edit.text}` added"
        found.append(f"{shown_path(span.file)}:{span.line}: {what}")
    return found


def _tell(reports: list[Report], form: str, fixed: list[str]) -> None:
    if form == "json":
        listed = [as_json(fault, _text_of(fault, report)) for report in reports for fault in report.diagnostics]
        print(json_module.dumps(listed, indent=2))
    elif form == "sarif":
        listed = [as_json(fault, _text_of(fault, report)) for report in reports for fault in report.diagnostics]
        print(json_module.dumps(sarif(listed), indent=2))
    else:
        for report in reports:
            for diagnostic in report.diagnostics:
                print(render(diagnostic, _text_of(diagnostic, report)), end="\n\n")
        for line in fixed:
            print(line)
        print(f"{_count(len(fixed), 'place')} rewritten; " * bool(fixed) + _summary(reports))


def _read(path: str) -> bytes:
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    with open(path, "rb") as stream:
        return stream.read()


def _rewritten(data: bytes, edits: Iterable[Edit], path: str) -> bytes:
    """Write the file with these edits, in its encoding and with its ends of lines."""
    encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
    text = apply_edits(decoded(data), edits)
    made = (text.replace("\n", "\r\n") if b"\r\n" in data else text).encode(encoding)
    with open(path, "wb") as stream:
        stream.write(made)
    return made


def _text_of(diagnostic: Diagnostic, report: Report) -> str | None:
    """What was read of the file that a fault is in; of another file nothing was."""
    return report.text if diagnostic.span.file == report.path else None


def _expand(arguments: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Files, and the function of each that was named: `FILE.py:NAME`."""
    for argument in arguments:
        path, colon, name = argument.rpartition(":")
        if colon and path.endswith(".py") and not os.path.exists(argument):
            yield path, name
            continue
        if not os.path.isdir(argument):
            yield argument, ""
            continue
        for folder, inner, files in os.walk(argument):
            inner[:] = sorted(name for name in inner if not name.startswith((".", "__pycache__")))
            yield from ((os.path.join(folder, name), "") for name in sorted(files) if name.endswith(".py"))


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
