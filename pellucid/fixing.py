"""Rewrite the text of a file as diagnostics say that have one way out: `pellucid check --fix`.

    y = np.tanhh(x)     ->     y = np.tanh(x)
"""

from __future__ import annotations

from collections.abc import Iterable

from .compiler.diagnostics import Diagnostic, Edit, Span


def fixes_in(diagnostics: Iterable[Diagnostic], file: str) -> list[Edit]:
    """The edits of a file; a fault whose edits meet those of another is left for the next time."""
    chosen: list[Edit] = []
    for diagnostic in diagnostics:
        edits = [edit for edit in diagnostic.fix if edit not in chosen]
        own = all(edit.span.file == file for edit in edits)
        if own and not any(_meet(edit.span, other.span) for edit in edits for other in chosen):
            chosen += edits
    return chosen


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with each stretch replaced; columns count UTF-8 bytes."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)
    data = text.encode()
    for edit in sorted(edits, key=lambda edit: (edit.span.line, edit.span.column), reverse=True):
        start = starts[edit.span.line - 1] + edit.span.column
        end = starts[edit.span.end_line - 1] + edit.span.end_column
        data = data[:start] + edit.text.encode() + data[end:]
    return data.decode()


def _meet(left: Span, right: Span) -> bool:
    first = (left.line, left.column), (left.end_line, left.end_column)
    second = (right.line, right.column), (right.end_line, right.end_column)
    return first[0] < second[1] and second[0] < first[1] or first[0] == second[0]
