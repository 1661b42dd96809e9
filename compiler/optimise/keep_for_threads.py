"""Of the independent loops those stay `prange` that threads may take.

    for t in range(steps):                        for t in range(steps):
        for i in prange(n):                           for i in prange(n):
            for j in prange(m):           ->              for j in range(m):
                u[i, j] = v[i, j] * 0.5                       u[i, j] = v[i, j] * 0.5

Only the outermost one of a nest, and none that runs again and again for too little: one that was written out without
loops in it, two loops deep in others.  Takes and gives functions of the loops stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import gast

from .. import syntax
from ..analysis.integers.ranges import ranges
from ..analysis.memory.storage import storage_classes
from ..program import Function, hand_on
from .in_blocks import with_blocks
from .independent import PARALLEL, of_kind

Loops = tuple[gast.For | gast.While, ...]

OFTEN = 2  # from so many loops around it on, a loop is taken to run again and again


def keep_for_threads(function: Function) -> Function:
    """The function with `range` for the other `prange`; the same object where there are none."""
    body = _block(function.body, ())
    if body is None:
        return function
    made = function.with_(body=tuple(body))
    for analysis in (ranges, storage_classes):  # the kind of a loop is nothing to them, and indices are the same trees
        hand_on(analysis, function, made)
    return made


def _block(body: Sequence[gast.stmt], around: Loops) -> list[gast.stmt] | None:
    """The statements with `range` for what threads do not take; None where nothing changes."""
    made = [_statement(s, around) for s in body]
    return made if any(new is not old for new, old in zip(made, body)) else None


def _statement(node: gast.stmt, around: Loops) -> gast.stmt:
    changes: dict[str, object] = {}
    if _is_parallel(node) and (any(map(_is_parallel, around)) or _is_short(node, around)):
        changes["iter"] = of_kind("range", node.iter)
    inside = (*around, syntax.rebuild(node, **changes)) if isinstance(node, gast.For | gast.While) else around
    return with_blocks(node, lambda block: _block(block, inside), **changes)


def _is_parallel(node: gast.stmt) -> TypeGuard[gast.For]:
    return isinstance(node, gast.For) and syntax.operator_of(node.iter) == PARALLEL


def _is_short(loop: gast.For, around: Loops) -> bool:
    """Whether a loop is deep in others, holds none, and is no operation on whole arrays, which may be long.

    The nest of an operation stems from a line that has no loop, so that its statements are of the line of its loops.
    """
    inside = list(syntax.walk(loop.body))
    if len(around) < OFTEN or any(isinstance(s, gast.For | gast.While) for s in inside):
        return False
    is_operation = any(s.span == loop.span for s in inside) and around[-1].span != loop.span
    return not is_operation
