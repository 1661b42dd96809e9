"""The order of axes in which what a node is made of stands in memory.

    d.T[i, j]              reads d[j, i]:            j outside, i inside
    d.T[i, j] + x[i]       x has one order alone:    the same
    d.T[i, j] * d[i, j]    no order is that of all:  as they are counted

Arrays are taken to stand as their indices are written, the last one inside.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from .arithmetic import ZERO
from .direction import marks_of
from .nodes import Node, Resolve, Stored, rank
from .survey import survey


def memory_order(node: Node, resolve: Resolve) -> tuple[int, ...]:
    """The axes of a node, the outermost in memory first; in their own order where the arrays it reads disagree."""
    counted = tuple(range(rank(node)))
    moving = [k for k in counted if not node.lengths[k].is_one]
    if len(moving) < 2:
        return counted
    marks = marks_of(node.lengths, ZERO)
    axis_of = {mark.id: k for k, mark in enumerate(marks) if isinstance(mark, gast.Name)}
    found = survey([(node, marks)], resolve)
    places = [at for n, known in found.indices.items() if isinstance(n, Stored) for at in known.values()]
    orders = {_order(at, axis_of) for at in places}
    whole = {order for order in orders if order is None or len(order) == len(moving)}
    if len(whole) != 1 or None in whole:
        return counted
    (order,) = whole
    assert order is not None
    inside = iter(order)
    return tuple(next(inside) if k in moving else k for k in counted)


def _order(index: Sequence[gast.expr], axis_of: dict[str, int]) -> tuple[int, ...] | None:
    """The axes as an index mentions them; None where one stands in two places, or two in one."""
    mentioned: list[int] = []
    for tree in index:
        axes = {axis_of[name] for name in syntax.names_read(tree) if name in axis_of}
        if len(axes) > 1 or not axes.isdisjoint(mentioned):
            return None
        mentioned += axes
    return tuple(mentioned)
