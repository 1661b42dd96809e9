"""Loop interchange: a sequential loop around independent ones goes inside of them, where these stay independent.

    for t in range(steps):                       for i in prange(dim(x, 0)):
        for i in prange(dim(x, 0)):       ->         for t in range(steps):
            x[i] = x[i] + sin(x[i])                      x[i] = x[i] + sin(x[i])

It is for targets that launch a nest: one launch in place of many.  The vectors of a CPU like neighbours inside, the
other way round.  Holds for perfect nests whose bounds are known ahead of both loops; leaves those with
`lanes` or `prange` loops further in, which a row of threads takes together.  Takes and gives functions of the loops
stage.
"""

from __future__ import annotations

from typing import TypeGuard

import gast

from .. import syntax
from ..analysis.lanes import is_lanes
from ..analysis.memory.accesses import elements_in
from ..ops.schema import row_of
from ..program import Function
from ..renaming import splice
from .independent import PARALLEL, Marker
from .stored_apart import over


def interchange(function: Function) -> Function:
    """The function with such loops exchanged; the same object where there are none."""

    def exchanged(node: gast.stmt) -> list[gast.stmt] | None:
        if _is_parallel(node) or isinstance(node, gast.For) and is_lanes(node):
            return [node]  # what is inside is the business of threads
        made = _exchanged(node)
        return [made] if made is not None and _is_independent(function, node, made) else None

    body = splice(function.body, exchanged)
    is_same = all(new is old for new, old in zip(body, function.body, strict=True))
    return function if is_same else function.with_(body=tuple(body))


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
    if any(assigned & set(syntax.names_read(b)) or elements_in(b) for b in bounds):
        return None
    return over(loops, [syntax.rebuild(node, body=[*ahead, *body])])


def _is_sum(node: gast.stmt) -> bool:
    """Whether a statement gives a name a sum of numbers, which raises nothing."""
    if not isinstance(node, gast.Assign) or not isinstance(node.targets[0], gast.Name):
        return False
    parts = [p for p in syntax.nodes_of(node.value) if isinstance(p, gast.Call)]
    rows = [row_of(syntax.operator_of(part)) for part in parts]
    return not elements_in(node.value) and all(row is not None and row.is_polynomial for row in rows)


def _is_parallel(node: gast.stmt) -> TypeGuard[gast.For]:
    return isinstance(node, gast.For) and syntax.operator_of(node.iter) == PARALLEL


def _is_independent(function: Function, old: gast.stmt, new: gast.For) -> bool:
    """Whether no iteration of the loops that are outside now needs another."""
    body = splice(function.body, lambda node: [new] if node is old else None)
    seen = Marker(function.with_(body=tuple(body)))
    loop: gast.stmt = new
    while _is_parallel(loop):
        if not seen.is_independent(loop):
            return False
        loop = loop.body[0]
    return True
