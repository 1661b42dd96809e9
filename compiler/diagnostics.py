"""What the compiler tells the user: spans, diagnostics, the error classes, and the one renderer.

    Diagnostic("P014", "this function changes its argument `v`", span, "assigned here", ...)     ->

    error[P014]: this function changes its argument `v`
     --> physics.py:2:5
      |
    2 |     v[0] = 0.0
      |     ^^^^ assigned here
      = help: work on a copy (`v = v.copy()`)
      = more: pellucid error P014

Every code has a title in `CODES` and a page in `docs/errors/`, which `pellucid error CODE` prints.  Imports nothing
from the rest of the compiler.
"""

from __future__ import annotations

import linecache
import os
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from .records import dataclass

CODES = {
    # what a function may not do
    "P001": "writes a global variable",
    "P002": "writes a variable of an enclosing function",
    "P003": "writes an attribute",
    "P004": "reads or writes files, the terminal or a log",
    "P005": "draws random numbers",
    "P006": "depends on the time or the machine",
    "P007": "reads a global that can change",
    "P008": "calls a function that cannot be seen",
    "P009": "uses a name that is not defined",
    "P010": "changes a global array or container",
    "P011": "changes an argument of an enclosing function",
    "P012": "inspects or runs program text",
    "P013": "has a default value that can change",
    "P014": "changes its argument",
    "P015": "changes its argument through another name",
    "P016": "changes something that cannot be traced",
    "P017": "option of compile names nothing",
    # what the language does not have
    "U001": "exception handling",
    "U002": "with statement",
    "U003": "async and await",
    "U004": "generators",
    "U005": "class definition inside a function",
    "U006": "import of a name that is assigned too",
    "U007": "order of a set",
    "U008": "string of a value that is only known at run time",
    "U009": "match statement",
    "U012": "library function that is not supported",
    "U013": "method that is not supported",
    "U014": "builtin that is not supported",
    "U015": "dtype that is not supported",
    "U016": "decorator inside a function",
    "U017": "complex numbers",
    "U018": "syntax outside the language",
    "U020": "not valid Python",
    # types
    "T001": "operand types not supported by the operation",
    "T002": "name has two incompatible types where branches join",
    "T003": "returns differ in type",
    "T004": "wrong number of arguments or unknown argument",
    "T005": "unsupported type of argument",
    # shapes
    "S001": "shapes do not broadcast",
    "S002": "wrong rank or axis",
    "S003": "shapes do not fit",
    # static values and names
    "R001": "value must be static",
    "R002": "name may be unbound",
    "R003": "array changed while a view of it is still used",
    "R004": "source cannot be read",
    # derivatives
    "G001": "argument is not differentiable",
    "G002": "result is not a float scalar",
    "G003": "operator has no derivative",
    "G004": "construct cannot be differentiated correctly",
    "G005": "tangents do not fit their primals",
    "G006": "rule for a derivative does not fit its function",
    "G007": "cotangent does not fit the result",
    # many examples at once
    "B001": "axes or numbers of examples do not fit",
    "B002": "results of the examples do not fit into one array",
    "B003": "construct has no form for many examples",
    "B004": "unbound axis name",
    # random numbers
    "K001": "random key used twice",
    # the machine that it runs on
    "D001": "no GPU to run on",
    "D002": "tool for kernels is not installed",
    # the text of a stage
    "L001": "not of the language of the stage",
    "L002": "types of an edited stage",
    "L003": "edited stage does not fit its types",
    "L004": "edited stage means something else in Python",
}

TAB = 4
LONGEST_CHAIN = 6  # calls that lead to a fault and are shown with it
WIDEST = 160  # columns of source that are shown of one line
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a file: lines from 1; columns from 0 in UTF-8 bytes, as in `ast`; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def of(cls, node: Any, file: str) -> Span:
        """The span of an ast or gast node."""
        end_line = getattr(node, "end_lineno", None) or node.lineno
        end_column = getattr(node, "end_col_offset", None) or node.col_offset + 1
        return cls(file, node.lineno, node.col_offset, end_line, end_column)

    @property
    def place(self) -> str:
        return f"{shown_path(self.file)}:{self.line}:{self.column + 1}"


@dataclass(frozen=True, slots=True)
class Label:
    """A second location that explains the first: underlined with dashes."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Text that takes the place of a stretch of a file."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: what (`message`), where (`span`, underlined with `label`), why (`labels`), and ways out (`help`).

    `subject` is the name that it speaks of, where other findings may be about the same.  `fix` rewrites the text as
    the help says, where there is one way to do so.  `declares` is the option of `compile` that takes the subject,
    where that is a way out.
    """

    code: str
    message: str
    span: Span
    label: str = ""
    labels: tuple[Label, ...] = ()
    help: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    subject: str = ""
    fix: tuple[Edit, ...] = ()
    declares: str = ""

    @property
    def page(self) -> str:
        """The command that prints the page of the code, wherever Pellucid is installed."""
        return f"pellucid error {self.code}"


# --- errors --------------------------------------------------------------------------------------------------------


class PellucidError(Exception):
    """Everything that Pellucid raises on its own account."""


class CompileError(PellucidError):
    """The function cannot be compiled; `diagnostics` says why, all at once.

    `source_text` is the text of the file the diagnostics point into, for files that cannot be read back.
    """

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic], source_text: str | None = None) -> None:
        self.diagnostics = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        self.source_text = source_text
        super().__init__(self.diagnostics, source_text)

    def __str__(self) -> str:
        rendered = (render(diagnostic, self.source_text) for diagnostic in self.diagnostics)
        return "\n" + "\n\n".join(rendered)


class PurityError(CompileError):
    """The function is not pure (codes P)."""


class UnsupportedError(CompileError):
    """The function uses something outside the language (codes U)."""


class TypeMismatchError(CompileError, TypeError):
    """Types do not fit (codes T)."""


class ShapeMismatchError(CompileError, ValueError):
    """Shapes do not fit (codes S)."""


class GradientError(CompileError, TypeError):
    """The function cannot be differentiated as asked (codes G)."""


class BatchError(CompileError, ValueError, TypeError):
    """The function cannot be mapped over examples as asked (codes B)."""


class AxisNameError(BatchError, NameError):
    """A collective is called outside of a `vmap` with the name of its axis (code B004)."""


class DeviceError(CompileError, RuntimeError):
    """There is nothing here that the function can run on as asked (codes D)."""


class StaticArgumentError(CompileError):
    """A value that decides structure is not known at compile time (code R001)."""


class StageError(CompileError):
    """The text of a stage cannot be read back (codes L)."""


class InternalError(PellucidError):
    """A fault of Pellucid itself: the step it happened in, the smallest statement that shows it, and its location."""

    def __init__(self, step: str, statement_text: str, reason: str = "", place: str = "") -> None:
        self.step, self.statement_text, self.reason, self.place = step, statement_text, reason, place
        super().__init__(step, statement_text, reason, place)

    def __str__(self) -> str:
        because = f": {self.reason}" if self.reason else ""
        where = [f"  --> {self.place}"] if self.place else []
        statement = ["    " + line for line in self.statement_text.strip().splitlines()]
        asked = "please report it with " + ("the statement above" if statement else "the traceback")
        told = f"This is a fault of Pellucid, not of your function; {asked}."
        return "\n".join([f"the step `{self.step}` failed{because}", *where, *statement, told])


def error_class(diagnostics: Iterable[Diagnostic]) -> type[CompileError]:
    """The class that says most about these faults: the first one's kind, as all of them are shown anyway."""
    kinds = {
        "P": PurityError,
        "U": UnsupportedError,
        "T": TypeMismatchError,
        "S": ShapeMismatchError,
        "G": GradientError,
        "D": DeviceError,
        "L": StageError,
    }
    first = next(iter(diagnostics))
    return StaticArgumentError if first.code == "R001" else kinds.get(first.code[0], CompileError)


# --- the renderer --------------------------------------------------------------------------------------------------


def render(diagnostic: Diagnostic, source_text: str | None = None) -> str:
    """The diagnostic as a string; lines come from `source_text` (for the file of the main span) or from the files."""
    main = diagnostic.span
    marks = [(main, diagnostic.label, "^"), *((label.span, label.text, "-") for label in diagnostic.labels)]
    width = len(str(max(span.line for span, _, _ in marks)))
    margin = " " * width
    out = [f"error[{diagnostic.code}]: {diagnostic.message}"]
    for file in dict.fromkeys(span.file for span, _, _ in marks):
        here = [mark for mark in marks if mark[0].file == file]
        lines = source_lines(file, source_text if file == main.file else None)
        out += _section(here, lines, width, "-->" if file == main.file else ":::")
    out += [f"{margin} = note: {note}" for note in diagnostic.notes]
    out += [f"{margin} = help: {text}" for text in diagnostic.help]
    out.append(f"{margin} = more: {diagnostic.page}")
    return "\n".join(out)


def _section(marks: Sequence[tuple[Span, str, str]], lines: Sequence[str], width: int, arrow: str) -> list[str]:
    """The part of a message that shows one file: its location, then every marked line once, in order."""
    first = marks[0][0]
    column = characters_before(_line(lines, first.line), first.column) + 1
    margin = " " * width
    out = [f"{margin}{arrow} {shown_path(first.file)}:{first.line}:{column}"]
    readable = [mark for mark in marks if mark[0].line <= len(lines)]
    out += [f"{margin} |"] if readable else [f"{margin} = note: {text}" for _, text, _ in marks if text]
    for number in sorted({span.line for span, _, _ in readable}):
        on_line = [mark for mark in readable if mark[0].line == number]
        line = _line(lines, number)
        cut = _cut(line, on_line[0][0])
        out.append(f"{number:>{width}} | {cut.show(expand(line))}".rstrip())
        for span, text, stroke in on_line:
            out.append(f"{margin} | {cut.show(_underline(line, span, stroke), blank=' ')} {text}".rstrip())
    return out


@dataclass(frozen=True, slots=True)
class _Cut:
    """The part of a very long line that is shown: columns from `start` to `end`."""

    start: int
    end: int

    def show(self, text: str, blank: str = ".") -> str:
        if not self.start and len(text) <= self.end:
            return text
        before = blank * 3 if self.start else ""
        return before + text[self.start : self.end] + (blank * 3 if len(text) > self.end else "").rstrip()


def _cut(line: str, span: Span) -> _Cut:
    """All of a line of ordinary length; of a longer one the part around the main mark."""
    start = len(expand(_head(line, span.column)))
    if len(line) <= WIDEST:
        return _Cut(0, WIDEST * TAB)
    first = max(0, start - WIDEST // 3)
    return _Cut(first, first + WIDEST)


def _underline(line: str, span: Span, stroke: str) -> str:
    """Strokes below the span, to the end of its first line where it goes on below."""
    start = display_width(_head(line, span.column))
    last = line.rstrip() if span.end_line > span.line else _head(line, span.end_column)
    return " " * start + stroke * max(1, display_width(last) - start)


def source_lines(file: str, source_text: str | None = None) -> list[str]:
    """The lines of a file as Python counts them: a form feed does not end one."""
    if source_text is not None:
        return source_text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.rstrip("\r\n") for line in linecache.getlines(file)]


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _head(line: str, column: int) -> str:
    """The part of a line before a column, which counts UTF-8 bytes."""
    return line.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")


def characters_before(line: str, column: int) -> int:
    """How many characters stand before a column that counts UTF-8 bytes."""
    return len(_head(line, column)) if line else column


def expand(line: str) -> str:
    """The line as it may be shown: tabs as `TAB` blanks; nothing that moves the cursor or changes direction."""
    blanks = line.replace("\t", " " * TAB)
    if blanks.isprintable():
        return blanks
    return "".join("\N{REPLACEMENT CHARACTER}" if c in TURNING else " " if _is_control(c) else c for c in blanks)


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def display_width(text: str) -> int:
    """Columns of a terminal that a string takes: wide characters two, combining marks and joiners none."""
    return sum(_width(c) for c in expand(text))


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shown_path(file: str) -> str:
    """A path as the user would type it: relative when the file lies below the working directory."""
    if not os.path.isabs(file):
        return file
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):  # another drive, or a working directory that is gone
        return file
    return file if relative.startswith(os.pardir) else relative
