"""Print a program as a Python file that can be read, imported, run in CPython and debugged.

    t = multiply(w, x)           ->     # model.py:4    y = w * x + b
    y = add(t, b)                       y = w * x + b

A function at the typed or the loops stage has its temporaries folded, its operators spelled, and each group of
statements headed by the user's line; one at an earlier stage is plain Python already.  The text depends on nothing but
the program.  `render` also gives the map from printed lines to the user's, for tracebacks and debuggers.
"""

from __future__ import annotations

import cmath
import linecache
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gast

from ... import syntax
from ...analysis.made_names import temporaries_of
from ...diagnostics import Span
from ...names import Names
from ...program import Function, Program
from ...records import dataclass
from ...transform.coalesce import rename_freely
from ...types import Type
from .fold import fold
from .spell import HELPERS, Speller
from .unparse import Unparser, statement_text

WIDTH = 100
HEADING_WIDTH = 110
PLAIN_STAGES = frozenset({"source", "resolved", "core"})
IMPORTS = {"math": "import math", "np": "import numpy as np", "pellucid": "import pellucid.support"}


@dataclass(frozen=True, slots=True, eq=False)
class Printed:
    """The text of a file, where each of its lines (from 1) stems from in the user's source, and the first lines of the
    statements that carry a number and of functions.
    """

    text: str
    lines: Mapping[int, Span]
    numbers: Mapping[int, int]
    heads: Mapping[str, int]


def print_program(program: Program, *, header: bool = True, comments: bool = True) -> str:
    """The program as one Python file, the entry first."""
    return render(program, header=header, comments=comments).text


def print_function(
    function: Function, *, comments: bool = False, folded: bool = True, annotated: bool = False, width: int = WIDTH
) -> str:
    """One function alone; `annotated` writes the types of its parameters where tests can read them."""
    helpers = {name: name for name in HELPERS}
    _, tree = definition(function, helpers, folded, annotated, width)
    writer = Unparser(comments, width if folded else None)
    writer.dispatch(tree)
    return writer.text()


def print_core(tree: gast.AST) -> str:
    """An untyped tree as it stands, formatted, its statements headed by the user's lines where they have a span."""
    writer = Unparser(width=WIDTH)
    statements: list[Any] = tree.body if isinstance(tree, gast.Module) else [tree]
    writer.block([with_headings(s) for s in statements])
    return writer.text()


def render(program: Program, *, header: bool = True, comments: bool = True, width: int = WIDTH) -> Printed:
    """The program as one Python file with its line map."""
    functions = [program.main, *(f for name, f in program.functions.items() if name != program.entry)]
    helpers = helper_names(functions)
    definitions = [definition(f, helpers, True, False, width) for f in functions]
    writer = Unparser(comments, width)
    imports = import_lines([tree for _, tree in definitions], helpers) if header else []
    imports += own_exceptions(functions) if header else []
    for line in imports:
        writer.fill(line) if line else writer.blank()
    for position, (function, tree) in enumerate(definitions):
        if position or imports:
            writer.blank()
            writer.blank()
        if comments:
            for line in head_lines(function):
                writer.remark(line)
        writer.dispatch(tree)
    return Printed(writer.text(), dict(writer.lines), dict(writer.numbers), dict(writer.heads))


# --- one function --------------------------------------------------------------------------------------------------


def definition(
    function: Function, helpers: Mapping[str, str], folded: bool, annotated: bool, width: int
) -> tuple[Function, gast.FunctionDef]:
    """The function as it is shown, and as a plain tree with headings on its statements."""
    body: Sequence[gast.stmt] = function.body
    if function.stage not in PLAIN_STAGES:
        speller = Speller(function, helpers, annotated)
        if folded:

            def measure(statement: gast.stmt, depth: int) -> int:
                empty = {f: [gast.Pass()] for f in ("body", "orelse") if hasattr(statement, f)}
                text = statement_text(speller.statement(syntax.rebuild(statement, **empty)))
                return 4 * depth + len(text.split("\n", 1)[0])

            folded_body = fold(function, measure, width)
            function = rename_freely(function.with_(body=tuple(folded_body)))
            body, speller = function.body, Speller(function, helpers, annotated)
        body = speller.body(body)
    parameters = [_parameter(n, function.types.get(n) if annotated else None) for n in function.parameters]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    tree = gast.FunctionDef(function.name, arguments, [with_headings(s) for s in body], [], None, None, [])
    return function, tree


def _parameter(name: str, type_: Type | None) -> gast.Name:
    annotation = None if type_ is None else syntax.constant(str(type_))
    return gast.Name(name, gast.Param(), annotation, None)


def head_lines(function: Function) -> list[str]:
    """What stands above a function: its notes, and the types of its parameters and results."""
    origin = function.origin
    lines = list(function.notes) or [f"{origin.name} ({origin.place}), {function.stage} stage"]
    if function.types:
        given = [f"{name}: {function.types[name]}" for name in function.parameters]
        names = returned_names(function)
        results = [
            f"{name}: {type_}" if name else str(type_) for name, type_ in zip(names, function.results, strict=True)
        ]
        lines += wrap([*given, "->", *results])
    return lines


def returned_names(function: Function) -> list[str]:
    """The names of the results; empty for constants and for temporaries."""
    match function.body[-1] if function.body else None:
        case gast.Return(value=gast.Tuple(elts=elements)) if len(elements) == len(function.results):
            hidden = temporaries_of(function) | function.unnamed
            return [e.id if isinstance(e, gast.Name) and e.id not in hidden else "" for e in elements]
    return [""] * len(function.results)


def wrap(parts: Iterable[str]) -> list[str]:
    """Parts in lines of a readable width, three blanks between."""
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > HEADING_WIDTH:
            lines.append("  ")
        lines[-1] += ("   " if lines[-1].strip() else "") + part
    return lines


# --- the file ------------------------------------------------------------------------------------------------------


def helper_names(functions: Iterable[Function]) -> dict[str, str]:
    """What the functions of `pellucid.support` are called: their own names where no variable has them."""
    taken: set[str] = set()
    for function in functions:
        taken.update(function.types, function.parameters)
    names = Names(taken - set(HELPERS))
    return {h: h if h not in taken else names.fresh(f"{h}_1") for h in HELPERS}


def import_lines(definitions: Iterable[gast.FunctionDef], helpers: Mapping[str, str]) -> list[str]:
    """The imports that the functions need."""
    used = {n.id for d in definitions for n in syntax.nodes_of(d) if isinstance(n, gast.Name)}
    constants = [n.value for d in definitions for n in syntax.nodes_of(d) if isinstance(n, gast.Constant)]
    if any(isinstance(c, float | complex) and not cmath.isfinite(c) for c in constants):
        used.add("math")
    lines = [line for name, line in IMPORTS.items() if name in used]
    attributes = [n for d in definitions for n in syntax.nodes_of(d) if isinstance(n, gast.Attribute)]
    of_scipy = {a.attr for a in attributes if isinstance(a.value, gast.Name) and a.value.id == "scipy"}
    lines += [f"import scipy.{module}" for module in sorted(of_scipy)]
    wanted = [h if h == alias else f"{h} as {alias}" for h, alias in helpers.items() if alias in used]
    if wanted:
        lines += ["", f"from pellucid.support import {', '.join(wanted)}"]
    return lines


def own_exceptions(functions: Iterable[Function]) -> list[str]:
    """Stand-ins for exception classes of the user's: of the same name, from the same class of Python's own."""
    found: dict[str, str] = {}
    for function in functions:
        for statement in syntax.walk(function.body):
            base = getattr(statement, "base", None)
            if base is not None:
                found[statement.exc.func.id] = base
    return [line for name, base in sorted(found.items()) for line in ("", "", f"class {name}({base}): pass")]


# --- the user's lines ----------------------------------------------------------------------------------------------


def with_headings(statement: gast.stmt) -> gast.stmt:
    """The statement, and those in it, with the comment that names the user's line."""
    changes: dict[str, object] = {}
    span = getattr(statement, "span", None)
    if span is not None:
        changes["heading"] = heading(span)
    for field in ("body", "orelse"):
        if isinstance(getattr(statement, field, None), list):
            changes[field] = [with_headings(s) for s in getattr(statement, field)]
    return syntax.rebuild(statement, **changes) if changes else statement


def heading(span: Span) -> str:
    """`logistic.py:5    z = features @ w + b`; of a statement on several lines as much as fits on one."""
    place = f"{os.path.basename(span.file)}:{span.line}"
    text = ""
    for number in range(span.line, span.end_line + 1):
        text = f"{text} {linecache.getline(span.file, number).strip()}".strip()
        if sum(text.count(c) for c in "([{") <= sum(text.count(c) for c in ")]}") and not text.endswith("\\"):
            break  # the body of a compound statement is not shown
    if not text:
        return place
    room = HEADING_WIDTH - len(place) - 4
    return f"{place}    {text if len(text) <= room else text[: room - 4] + ' ...'}"
