"""Index arrays into rows without elements: no element is read or stored, so that no access checks the indices.

    x[k]    of shape (3, m)    ->    if dim(x, axis=1) == 0:
                                         for i in range(dim(k, axis=0)):
                                             if k[i] < -3 or k[i] >= 3: raise IndexError(...)
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..dtypes import INT_WORD
from .arithmetic import ZERO
from .guards import any_of
from .lowering import Lowering
from .nest import Nest, flush
from .nodes import At, Length, Node, Pick, Through

OUTSIDE = "index {{}} is out of bounds for axis {} with size {{}}"


def require_inside(low: Lowering, source: Node, picks: Sequence[Pick], rows: Sequence[Length]) -> None:
    """Check every index where a row, which has these lengths, may be empty."""
    tests: list[gast.expr] = [syntax.call("equal", n.clamped, ZERO) for n in rows if not isinstance(n.extent, int)]
    if any(n.extent == 0 for n in rows):
        tests = [syntax.constant(True)]
    if not tests:
        return
    flush(low)
    with low.block() as body:
        for axis, pick in enumerate(picks):
            if isinstance(pick, Through | At):
                _check(low, pick, axis, source.lengths[axis])
    low.emit(syntax.if_(any_of(tests), body))


def _check(low: Lowering, pick: Through | At, axis: int, length: Length) -> None:
    nest = Nest(low)
    if isinstance(pick, At):
        place = pick.tree
    else:
        index = nest.nest(pick.indices.lengths, "range")
        nest.prepare((pick.indices, index))
        place = nest.value(pick.indices, index).tree
        if pick.indices.dtype != INT_WORD:
            place = syntax.call("cast", place, dtype=INT_WORD)
    size = length.clamped
    least = syntax.constant(-size.value) if isinstance(size, gast.Constant) else syntax.call("negative", size)
    outside = [syntax.call("less", place, least), syntax.call("greater_equal", place, size)]
    raised = syntax.at(syntax.raise_("IndexError", OUTSIDE.format(axis), place, size), low.span, low.inlined)
    nest.add(syntax.at(syntax.if_(any_of(outside), [raised]), low.span, low.inlined))
    nest.finish()
