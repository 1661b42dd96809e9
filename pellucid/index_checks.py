"""Which indices are checked when a program runs, told by the user's lines, and why the check could not be left out.

    line 7    out[k] = x[idx[k]]
                is checked when it runs: IndexError, the index of axis 0 of `x`, which is computed from values of `idx`

Takes a function of the loops stage and the one with its loops in versions; a check that a version does without is made
once, ahead of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from .compiler import syntax
from .compiler.analysis.integers.ranges import NATURAL, ranges
from .compiler.names import base_of
from .compiler.program import Function
from .compiler.types import Array

ALL_TURNS = "is checked when it runs"
AHEAD = "is checked once, before the loop"


def index_checks(function: Function, versions: Function) -> dict[int, list[str]]:
    """The checks of each line; of a function of the user's own file alone."""
    found: dict[int, dict[str, None]] = {}
    unproven = {key for key, proven in _accesses(versions) if proven}
    for (line, base, axis, reason), proven in _accesses(function):
        if not proven:
            when = AHEAD if (line, base, axis, reason) in unproven else ALL_TURNS
            text = f"{when}: IndexError, the index of axis {axis} of `{base}`, {reason}"
            found.setdefault(line, {})[text] = None
    return {line: list(texts) for line, texts in found.items()}


Key = tuple[int, str, int, str]


def _accesses(function: Function) -> Iterator[tuple[Key, bool]]:
    """Each index of an element that is read or stored: line, array, axis and why it is checked, and if it is proven."""
    known, made = ranges(function), _definitions(function)
    for statement in syntax.walk(function.body):
        span = getattr(statement, "span", None)
        if span is None or function.origin is None or span.file != function.origin.file:
            continue
        for node in syntax.own_nodes(statement):
            if not isinstance(node, gast.Subscript) or not isinstance(node.value, gast.Name):
                continue
            if not isinstance(function.types.get(node.value.id), Array):
                continue
            items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
            for axis, item in enumerate(items):
                proven = known.of(node, axis) not in (None, NATURAL)
                yield (span.line, node.value.id, axis, _reason(item, made)), proven


def _definitions(function: Function) -> dict[str, gast.expr]:
    """The value of each name that has one definition."""
    found: dict[str, list[gast.expr]] = {}
    for statement in syntax.walk(function.body):
        if isinstance(statement, gast.Assign):
            for name in syntax.names_bound(statement):
                found.setdefault(name, []).append(statement.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _reason(index: gast.expr, made: dict[str, gast.expr]) -> str:
    while isinstance(index, gast.Name) and index.id in made:
        index = made[index.id]
    loaded = [n.value.id for n in syntax.nodes_of(index) if isinstance(n, gast.Subscript) and _is_name(n.value)]
    if loaded:
        return f"which is computed from values of `{base_of(loaded[0])}`"
    return "which nothing keeps within its length"


def _is_name(node: gast.AST) -> bool:
    return isinstance(node, gast.Name)
