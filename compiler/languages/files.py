"""Parse the file of a printed stage: functions, the types in their headers, exception classes.

    # loss (model.py:3), typed stage               Definition(tree, {"w": f64[n], "k": int}, (f64,), ...)
    # w: f64[n]   k: int   ->   f64         ->
    def loss(w, k): ...

Nothing of the file is run.  The types may as well be annotations, `def loss(w: "f64[n]") -> "f64"`, which count before
the header.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator, Mapping, Sequence

import gast

from .. import types
from ..diagnostics import Diagnostic, Span, StageError
from ..ops.forms import FORMS
from ..parsing import parsed_module
from ..records import dataclass
from ..types import Type
from .faults import fault, shown, span_of

SUPPORT = "pellucid.support"
MODULES = {"numpy": "np", "math": "math", "scipy": "scipy", "scipy.special": "scipy", "scipy.linalg": "scipy",
           "pellucid.support": "pellucid"}  # fmt: skip
_TYPE = r"(?:any\s+)?\w+(?:\[[^\[\]]*\])?|\[(?:any\s+)?\w+(?:\[[^\[\]]*\])?\]"
_NAMED = re.compile(rf"(\w+)\s*:\s*({_TYPE})\s*")
_RESULT = re.compile(rf"(?:(\w+)\s*:\s*)?({_TYPE})\s*")
EXAMPLE = "# x: f64[n]   k: int   ->   f64"


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """One function of a file: its tree, the types of its parameters and, where they are said, of its results."""

    tree: gast.FunctionDef
    parameters: Mapping[str, Type]
    results: tuple[Type, ...] | None
    notes: tuple[str, ...] = ()
    result_names: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return str(self.tree.name)


@dataclass(frozen=True, slots=True, eq=False)
class StageFile:
    """A parsed file; the first function is the entry.

    `helpers` says what the functions of `pellucid.support` are that the file calls otherwise, `exceptions` which class
    of Python's own an exception of the file comes from.
    """

    path: str
    text: str
    definitions: tuple[Definition, ...]
    helpers: Mapping[str, str]
    exceptions: Mapping[str, str]


def stage_of(text: str) -> str:
    """The language that a file is in, by what only one stage has and by its headings; empty if neither says."""
    if re.search(r"^@cuda\.jit$|^@host\b|^#.*, kernels stage$", text, re.MULTILINE):
        return "kernels"
    if re.search(rf"^from {re.escape(SUPPORT)} import|^\s+del \w|^#.*, loops stage$", text, re.MULTILINE):
        return "loops"
    return "typed" if re.search(r"^#.*, typed stage$", text, re.MULTILINE) else ""


def read_file(text: str, path: str, *, headers: bool = True) -> StageFile:
    """Raises StageError for what no printed stage has; without `headers` all types are annotations or left out."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    definitions: list[Definition] = []
    helpers: dict[str, str] = {}
    exceptions: dict[str, str] = {}
    for node in _parsed(text, path).body:
        match node:
            case gast.FunctionDef():
                definitions.append(_definition(node, text, path, headers))
            case gast.Import() | gast.ImportFrom():
                helpers.update(_imported(node, path))
            case gast.ClassDef(name=name, bases=[gast.Name(id=base)], body=[gast.Pass()]):
                exceptions[name] = base
            case gast.Expr(value=gast.Constant(value=str())):
                pass
            case _:
                message = f"`{shown(node)}` is no part of a printed stage"
                raise fault("L001", node, path, message, help=("imports, exception classes and functions are",))
    if not definitions:
        raise StageError(Diagnostic("L001", "the file holds no function", Span(path, 1, 0, 1, 1)))
    return StageFile(path, text, tuple(definitions), helpers, exceptions)


def _parsed(text: str, path: str) -> gast.Module:
    try:
        return parsed_module(text, path)
    except SyntaxError as wrong:
        line, column = wrong.lineno or 1, max(0, (wrong.offset or 1) - 1)
        span = Span(path, line, column, line, column + 1)
        raise StageError(Diagnostic("L001", f"this is not valid Python: {wrong.msg}", span)) from None


def _imported(node: gast.Import | gast.ImportFrom, path: str) -> Iterator[tuple[str, str]]:
    """(what the file says, what the language calls it) for functions of `pellucid.support`."""
    for alias in node.names:
        if isinstance(node, gast.Import):
            known, wanted = alias.name in MODULES, alias.asname or alias.name.split(".")[0]
            if not known or MODULES[alias.name] != wanted:
                help_ = ("a printed stage has `import numpy as np`, `import math` and `import scipy.special`",)
                raise fault("L001", node, path, f"`{shown(node)}` is no import of a printed stage", help=help_)
        elif node.module != SUPPORT or alias.name not in FORMS:
            message = f"`{alias.name}` of `{node.module}` is no function of a printed stage"
            raise fault("L001", node, path, message, help=(f"only functions of `{SUPPORT}` are imported by name",))
        elif alias.asname:
            yield alias.asname, alias.name


# --- one function --------------------------------------------------------------------------------------------------


def _definition(node: gast.FunctionDef, text: str, path: str, headers: bool) -> Definition:
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or arguments.defaults:
        raise fault("L001", node, path, "the parameters of a printed stage are plain names", help=(
            f"write `def {node.name}({', '.join(a.id for a in arguments.args)}):`",))  # fmt: skip
    for inner in gast.walk(node):
        if inner is not node and isinstance(inner, gast.FunctionDef):
            raise fault("L001", inner, path, "a function inside another one", help=("move it to the top of the file",))
    lines = _comments_above(node, text)
    first, given, results, names = _header(lines, [a.id for a in arguments.args], node, path)
    for argument in arguments.args:
        if argument.annotation is not None:
            given[argument.id] = _annotation(argument.annotation, path)[0]
    if headers:
        _require_types(node, given, path)
    if node.returns is not None:
        results, names = _annotation(node.returns, path), None
    return Definition(node, given, results, tuple(lines[:first]), names)


def read_signature(node: gast.FunctionDef, text: str, path: str) -> dict[str, Type]:
    """The types of a function without results by the comment above it, `# x: f64[n]   size: int`; raises StageError."""
    parameters = [a.id for a in node.args.args]
    _, given, _, _ = _header(_comments_above(node, text), parameters, node, path, needs_results=False)
    _require_types(node, given, path)
    return {name: given[name] for name in parameters}


def _require_types(node: gast.FunctionDef, given: Mapping[str, Type], path: str) -> None:
    missing = [a for a in node.args.args if a.id not in given]
    if missing:
        message = f"the type of `{missing[0].id}` is not said"
        place = span_of(missing[0], path)
        raise StageError(Diagnostic("L002", message, place, help=(f"write the types above the function: `{EXAMPLE}`",)))


def first_line(node: gast.FunctionDef) -> int:
    """The number of the line that a function begins at, with its decorators."""
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def _comments_above(node: gast.FunctionDef, text: str) -> list[str]:
    """The comment lines that end right above a function, without their signs."""
    lines = text.splitlines()
    found: list[str] = []
    for number in range(first_line(node) - 2, -1, -1):
        line = lines[number].strip()
        if not line.startswith("#"):
            break
        found.insert(0, line[1:].removeprefix(" "))
    return found


def _header(
    lines: Sequence[str], parameters: Sequence[str], node: gast.FunctionDef, path: str, needs_results: bool = True
) -> tuple[int, dict[str, Type], tuple[Type, ...] | None, tuple[str, ...] | None]:
    """(number of the first line with types, types of parameters, of results, their names) of a function's comment."""
    for first in range(len(lines) - 1, -1, -1):
        left, arrow, right = "   ".join(lines[first:]).partition("->")
        named = list(_NAMED.finditer(left))
        if (needs_results and not arrow) or (parameters and parameters[0] not in [m[1] for m in named]):
            continue
        if "".join(_NAMED.split(left)[::3]).strip() and not parameters:
            continue  # a note with an arrow in it
        line = first_line(node) - len(lines) + first
        place = Span(path, line, 0, line, len(lines[first]) + 2)
        given = {m[1]: _type(m[2], place) for m in named}
        for name in given.keys() - set(parameters):
            raise StageError(Diagnostic("L002", f"the header names `{name}`, which is no parameter", place))
        rest = "".join(_NAMED.split(left)[::3]).strip()
        if rest:
            message = f"`{rest}` in the header is not a parameter with its type"
            raise StageError(Diagnostic("L002", message, place, help=(f"write it as in `{EXAMPLE}`",)))
        found = list(_RESULT.finditer(right))
        return first, given, tuple(_type(m[2], place) for m in found), tuple(m[1] or "" for m in found)
    return len(lines), {}, None, None


def _annotation(node: gast.expr, path: str) -> tuple[Type, ...]:
    parts = node.elts if isinstance(node, gast.Tuple) else [node]
    found = []
    for part in parts:
        if not (isinstance(part, gast.Constant) and isinstance(part.value, str)):
            raise fault("L002", node, path, f"`{shown(node)}` is no type", help=('write types as text: "f64[n]"',))
        found.append(_type(part.value, span_of(part if hasattr(part, "lineno") else node, path)))
    return tuple(found)


def annotation_of(node: gast.expr, path: str) -> Type:
    """The type that is written after a name, as a string."""
    return _annotation(node, path)[0]


def _type(text: str, place: Span) -> Type:
    try:
        return types.parse(text)
    except ValueError as wrong:
        raise StageError(Diagnostic("L002", str(wrong), place)) from None
