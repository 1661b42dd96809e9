"""The rewriting that a help speaks of, where the text leaves one way to do it.

    s = (v for v in x)       ->   s = [v for v in x]
    def f(x):                     import math
        import math          ->   def f(x):
        return math.sin(x)            return math.sin(x)

Takes a finding and the function that it is in, gives the finding with its edits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

import gast

from ....runtime.parsing import parse
from ...diagnostics import Diagnostic, Edit, Span
from ..source.resolve import NameSource

CODES = ("U004", "U006")


def with_fix(fault: Diagnostic, source: NameSource) -> Diagnostic:
    if fault.code not in CODES or fault.fix or not fault.help:
        return fault
    parents = {child: node for node in gast.walk(source.tree) for child in gast.iter_child_nodes(node)}
    for node in parents:
        if hasattr(node, "lineno") and Span.of(node, source.file) == fault.span:
            edits = tuple(_edits(node, parents, source))
            if edits:
                return replace(fault, fix=edits)
    return fault


def _edits(node: gast.AST, parents: dict[gast.AST, gast.AST], source: NameSource) -> Iterator[Edit]:
    parent = parents[node]
    match node:
        case gast.GeneratorExp() if not _shares_brackets(node, parent):
            span = Span.of(node, source.file)
            yield Edit(replace(span, end_line=span.line, end_column=span.column + 1), "[")
            yield Edit(replace(span, line=span.end_line, column=span.end_column - 1), "]")
        case gast.Import() | gast.ImportFrom():
            yield from _moved_to_the_top(node, parent, source)


def _shares_brackets(node: gast.GeneratorExp, parent: gast.AST) -> bool:
    """`g(v for v in x)`: the brackets are those of the call."""
    return isinstance(parent, gast.Call) and parent.end_col_offset == node.end_col_offset


def _moved_to_the_top(node: gast.stmt, parent: gast.AST, source: NameSource) -> Iterator[Edit]:
    """The import above the first statement of the module that is no docstring and no import of the future."""
    lines = source.text.split("\n")
    alone = lines[node.lineno - 1].strip() == lines[node.end_lineno - 1].strip() == segment(node, source.text)
    try:
        module = parse(source.text)
    except (SyntaxError, ValueError):
        return
    if not alone:
        return
    place = next((s for k, s in enumerate(module.body) if not _comes_first(s, k)), None)
    line = min([place.lineno, *(d.lineno for d in getattr(place, "decorator_list", ()))]) if place is not None else 1
    if line > node.lineno:
        return
    top = Span(source.file, line, 0, line, 0)
    yield Edit(top, segment(node, source.text) + "\n")
    is_only = any(block == [node] for _, block in gast.iter_fields(parent) if isinstance(block, list))
    if is_only:
        yield Edit(Span.of(node, source.file), "pass")
    else:
        yield Edit(Span(source.file, node.lineno, 0, node.lineno + 1, 0), "")


def _comes_first(statement: ast.stmt, position: int) -> bool:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and position == 0
    return is_text or isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def segment(node: gast.AST, text: str) -> str:
    """The text of a one-line expression or statement; empty for others."""
    if node.end_lineno != node.lineno:
        return ""
    line = text.split("\n")[node.lineno - 1]
    found = line.encode()[node.col_offset : node.end_col_offset].decode(errors="replace")
    return found if found.isprintable() else ""
