"""The rewriting that a help describes, where the source leaves only one way to do it.

    s = (v for v in x)       ->   s = [v for v in x]

Takes a finding and the function that it is in, gives the finding with its edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import gast

from ...diagnostics import Diagnostic, Edit, Span
from ..source.resolve import NameSource

CODES = ("U004",)


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


def _shares_brackets(node: gast.GeneratorExp, parent: gast.AST) -> bool:
    """`g(v for v in x)`: the brackets are those of the call."""
    return isinstance(parent, gast.Call) and parent.end_col_offset == node.end_col_offset


def segment(node: gast.AST, text: str) -> str:
    """The source of a one-line expression or statement; empty for others."""
    if node.end_lineno != node.lineno:
        return ""
    line = text.split("\n")[node.lineno - 1]
    found = line.encode()[node.col_offset : node.end_col_offset].decode(errors="replace")
    return found if found.isprintable() else ""
