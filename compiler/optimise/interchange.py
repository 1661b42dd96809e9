"""A loop in order around independent ones goes inside of them, where no iteration of these then needs another.

    for t in range(steps):                       for i in prange(dim(x, 0)):
        for i in prange(dim(x, 0)):       ->         for t in range(steps):
            x[i] = x[i] + sin(x[i])                      x[i] = x[i] + sin(x[i])

It is for targets that launch a nest: one launch in the place of many.  The vectors of a CPU like neighbours inside, the
other way round.  Holds for perfect nests whose bounds are known ahead of both loops; leaves those with
`lanes` or `prange` loops further in, which a row of threads takes together.  Takes and gives functions of the loops
stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import gast

from .. import syntax
from ..analysis.lanes import is_lanes
from ..ops.schema import row_of
from ..program import Function
from ..renaming import with_blocks
from .independent import PARALLEL, Marker


def interchange(function: Function) -> Function:
    """The function with such loops exchanged; the same object where there are none."""
    if not any(_exchanged(s) for s in syntax.walk(function.body)):
        return function
    body = _block(function, function.body)
    return function if body is None else function.with_(body=tuple(body))


def _block(function: Function, body: Sequence[gast.stmt]) -> list[gast.stmt] | None:
    """The statements with loops exchanged; None where there is none."""
    changed = [_statement(function, s) for s in body]
    return changed if any(new is not old for new, old in zip(changed, body)) else None


def _statement(function: Function, node: gast.stmt) -> gast.stmt:
    if _is_parallel(node) or isinstance(node, gast.For) and is_lanes(node):
        return node  # what is inside is the business of threads
    made = _exchanged(node)
    if made is not None and _is_independent(function, node, made):
        return made
    return with_blocks(node, [_block(function, b) or list(b) for b in syntax.blocks_of(node)])


def _exchanged(node: gast.stmt) -> gast.For | None:
    """A loop in order that holds independent loops alone, inside of these; None for other statements."""
    if not isinstance(node, gast.For) or syntax.operator_of(node.iter) != "range" or not node.body:
        return None
    *ahead, last = node.body
    if not all(_is_sum(s) for s in ahead):
        return None
    loops: list[gast.For] = []
    body = [last]
    while len(body) == 1 and _is_parallel(body[0]):
        loops.append(body[0])
        body = body[0].body
    if not loops or any(_is_parallel(s) or isinstance(s, gast.For) and is_lanes(s) for s in syntax.walk(body)):
        return None
    assigned = {name for s in syntax.walk([node]) for name in syntax.names_bound(s)}
    bounds = [node.iter, *(loop.iter for loop in loops)]
    if any(assigned & set(syntax.names_read(b)) or _reads_elements(b) for b in bounds):
        return None
    made = syntax.rebuild(node, body=[*ahead, *body])
    for loop in reversed(loops):
        made = syntax.rebuild(loop, body=[made])
    return made


def _is_sum(node: gast.stmt) -> bool:
    """Whether a statement gives a name a sum of numbers, which raises nothing."""
    if not isinstance(node, gast.Assign) or not isinstance(node.targets[0], gast.Name):
        return False
    parts = [p for p in syntax.nodes_of(node.value) if isinstance(p, gast.Call)]
    rows = [row_of(syntax.operator_of(part)) for part in parts]
    return not _reads_elements(node.value) and all(row is not None and row.is_polynomial for row in rows)


def _is_parallel(node: gast.stmt) -> TypeGuard[gast.For]:
    return isinstance(node, gast.For) and syntax.operator_of(node.iter) == PARALLEL


def _reads_elements(tree: gast.expr) -> bool:
    return any(isinstance(part, gast.Subscript) for part in syntax.nodes_of(tree))


def _is_independent(function: Function, old: gast.stmt, new: gast.For) -> bool:
    """Whether no iteration of the loops that are outside now needs another."""

    def replaced(node: gast.stmt) -> gast.stmt:
        if node is old:
            return new
        return with_blocks(node, [[replaced(s) for s in block] for block in syntax.blocks_of(node)])

    seen = Marker(function.with_(body=tuple(replaced(s) for s in function.body)))
    loop: gast.stmt = new
    while _is_parallel(loop):
        if not seen.is_independent(loop):
            return False
        loop = loop.body[0]
    return True
