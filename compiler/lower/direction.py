"""The direction in which a slice can be stored in place although the value reads other elements of the same array.

    a[1:] = a[:-1] * 0.5              every element is read by the one after it:      from the end to the front
    a[:-1] = a[1:] - a[:-1]           by itself and the one before it:                 from the front to the end
    a[1:-1] = a[2:] + a[:-2]          by both: neither way; the value is computed first

An element must have been read by all when it is stored.  How far away the reads are, loop by loop, tells the way; along
loops in which nothing is read elsewhere the iterations stay independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from .arithmetic import minus
from .lowering import Lowering
from .nest import Nest
from .nodes import TRANSCENDENTAL_WORK, Length, Node, Stored, arrays_read, nodes_below, work_of
from .survey import survey

Index = list[gast.expr]
FORWARD, BACKWARD = 1, -1


def way_to_store(
    low: Lowering, base: Stored, written: Index, value: Node, at: Index, marks: Sequence[gast.expr]
) -> tuple[int, int] | None:
    """The direction, and how many outer loops stay independent; None where no direction is right or it does not pay.

    `marks` are the indices of the loops, `written` the target that is stored, `at` where the value is asked for.
    """
    if [n for n in arrays_read(value, low.resolve) if low.may_share(base.name, n)] != [base.name]:
        return None
    axes = [_axis_of(mark, written) for mark in marks]
    found = survey([(value, at)], low.resolve)
    reads = [i for n, known in found.indices.items() if isinstance(n, Stored) and n.name == base.name
             for i in known.values()]  # fmt: skip
    distances = [_distance(read, written, axes) for read in reads]
    if None in axes or None in distances:
        return None
    moved = [d for d in distances if d is not None and any(d)]
    independent = min((next(k for k, step in enumerate(d) if step) for d in moved), default=len(marks))
    ways = {FORWARD if next(filter(None, d)) > 0 else BACKWARD for d in moved}
    is_costly = any(work_of(n) >= TRANSCENDENTAL_WORK for n in nodes_below(value, low.resolve))
    if len(ways) != 1 or (is_costly and independent == 0):
        return None  # a costly value is worth the memory: it can be computed by all cores
    return ways.pop(), independent


def _axis_of(mark: gast.expr, written: Index) -> int | None:
    """The axis along which a loop walks, one by one."""
    name = mark.id if isinstance(mark, gast.Name) else None
    axes = [k for k, tree in enumerate(written) if name in syntax.names_read(tree)]
    if name is None or len(axes) != 1 or name in syntax.names_read(minus(written[axes[0]], mark)):
        return None
    return axes[0]


def _distance(read: Sequence[gast.expr], written: Index, axes: Sequence[int | None]) -> tuple[int, ...] | None:
    """How far ahead of the stored element the one that is read stands, by loop."""
    steps = [minus(a, b) for a, b in zip(read, written, strict=True)]
    if not all(isinstance(step, gast.Constant) for step in steps):
        return None
    if any(step.value for k, step in enumerate(steps) if k not in axes):
        return ()  # another row altogether
    return tuple(steps[k].value for k in axes if k is not None)


def loops_in_order(nest: Nest, lengths: Sequence[Length], way: int, independent: int) -> Index:
    """Loops along all axes: independent ones as they are, the others in one direction."""
    index: Index = []
    for position, length in enumerate(lengths):
        if way == FORWARD or position < independent or length.is_one:
            kind = "prange" if position == 0 < independent and not nest.loops else "range"
            index.append(nest.loop(length, kind))
            continue
        last = minus(length.tree, 1)
        variable = nest.count(last, syntax.constant(-1), syntax.constant(-1))
        nest.axes.append(variable.id)
        index.append(variable)
    return index


def marks_of(lengths: Sequence[Length], zero: gast.expr) -> Index:
    """Stand-ins for the indices of loops that are not open yet."""
    return [zero if n.is_one else syntax.name(f"<{k}>") for k, n in enumerate(lengths)]

