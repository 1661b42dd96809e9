"""What shape of threads a nest of loops wants.

    for i in prange(n): ...scalars...                              Elements: a thread for each i
    for i in prange(n): for j in prange(m): ...                    Tiles: a thread for each (i, j)
    for i in prange(n): for j in lanes(m): total += x[i, j]        Rows: the threads of a row take its j together
    for j in prange(m): for i in lanes(n): total += x[i, j]        Columns: blocks of rows, then a thread for each j

A nest whose inner loops go along memory is better off as rows; one whose outer loop does, as elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeGuard

import gast

from ... import syntax
from ...analysis.lanes import goes_by_rows
from ...ops.schema import row_of
from ...program import Function, remembered
from ...records import dataclass

SHORT = 32  # a loop known to have fewer iterations is left to one thread
TOGETHER = frozenset({"prange", "lanes", "folding"})


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """A thread for each iteration of a loop."""

    loop: gast.For


@dataclass(frozen=True, slots=True, eq=False)
class Tiles:
    """A thread for each iteration of a perfect nest; those of the loop `along` are next to each other in memory."""

    loops: tuple[gast.For, ...]
    along: gast.For


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A row of threads for each iteration of a loop."""

    loop: gast.For


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A column of threads for each iteration of a loop: `inner` folds along the columns of arrays."""

    loop: gast.For
    inner: gast.For


def kind_of(node: gast.stmt | None) -> str:
    """`range`, `prange`, `lanes`, `folding` or `noalias`; empty for what is no loop over a range."""
    return str(syntax.operator_of(node.iter)) if isinstance(node, gast.For) else ""


def steps_by_one(node: gast.stmt) -> TypeGuard[gast.For]:
    """Whether it is a loop over a range whose step is 1."""
    return isinstance(node, gast.For) and isinstance(node.iter.args[2], gast.Constant) and node.iter.args[2].value == 1


def begins_with_zero(node: gast.For) -> bool:
    return isinstance(node.iter.args[0], gast.Constant) and node.iter.args[0].value == 0


def is_length(function: Function, node: gast.expr) -> bool:
    """Whether an int is the length of an array, a number or a sum of these, and so not negative."""
    if isinstance(node, gast.Name):
        return node.id in _lengths(function)
    row = row_of(syntax.operator_of(node))
    if isinstance(node, gast.Call) and row is not None and row.is_sum and row.sign > 0:
        return all(is_length(function, part) for part in node.args)
    return syntax.operator_of(node) == "dim" or isinstance(node, gast.Constant) and node.value >= 0


@remembered
def _lengths(function: Function) -> frozenset[str]:
    """The names that are bound once, to the length of an array."""
    bound = Counter(function.parameters)
    made: set[str] = set()
    for node in syntax.walk(function.body):
        bound.update(syntax.names_bound(node))
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if syntax.operator_of(value) == "dim":
                made.add(name)
    return frozenset(name for name in made if bound[name] == 1)


def is_together(node: gast.stmt) -> TypeGuard[gast.For]:
    """Whether threads may take the iterations of a loop together."""
    return kind_of(node) in TOGETHER and steps_by_one(node)


def bounds(node: gast.For) -> tuple[gast.expr, gast.expr]:
    """Where a loop begins, and where it stops."""
    return node.iter.args[0], node.iter.args[1]


def shape_of(loop: gast.For) -> Elements | Tiles | Rows | Columns | None:
    """The threads for a loop whose iterations are independent; None where no launch fits."""
    if not steps_by_one(loop):
        return None
    nest = perfect(loop)
    if len(nest) > 1:
        return Tiles(tuple(nest), _along(nest))
    inner = list(_row_loops(loop.body))
    if inner and goes_along(loop, inner):
        return Rows(loop)
    folds = [node for node in inner if kind_of(node) != "prange"]
    if len(inner) == 1 == len(folds) and folds[0] in loop.body and _is_straight(loop.body, folds[0]):
        if not {n for bound in bounds(folds[0]) for n in syntax.names_read(bound)} & _bound_in(loop):
            return Columns(loop, folds[0])
    return Elements(loop)


def _is_straight(body: Sequence[gast.stmt], fold: gast.For) -> bool:
    """Whether there is nothing but numbers and elements beside a fold, and in it."""
    return all(isinstance(node, gast.Assign) for node in (*fold.body, *(s for s in body if s is not fold)))


def _bound_in(loop: gast.For) -> set[str]:
    return {n for s in syntax.walk([loop]) for n in syntax.names_bound(s)}


def perfect(loop: gast.For) -> list[gast.For]:
    """The loop and the independent ones that are all there is in it, with bounds that no other of them changes."""
    nest, variables = [loop], {loop.target.id}
    while len(nest[-1].body) == 1:
        (inner,) = nest[-1].body
        if not steps_by_one(inner) or kind_of(inner) != "prange":
            break
        if variables & {n for bound in bounds(inner) for n in syntax.names_read(bound)}:
            break
        nest.append(inner)
        variables.add(inner.target.id)
    return nest


def _row_loops(body: Sequence[gast.stmt]) -> Iterator[gast.For]:
    """The loops that threads of a row could take together: the outermost ones of their kind."""
    for node in body:
        if is_together(node) and not is_short(node) and not goes_by_rows(node):
            yield node
        else:
            for block in syntax.blocks_of(node):
                yield from _row_loops(block)


def is_short(node: gast.For) -> bool:
    start, stop = bounds(node)
    if isinstance(start, gast.Constant) and isinstance(stop, gast.Constant):
        return bool(stop.value - start.value < SHORT)
    return False


def goes_along(loop: gast.For, inner: Sequence[gast.For]) -> bool:
    """Whether inner loops, more than the outer one, go along the last axis of arrays."""
    within = sum(_uses(node.body, {node.target.id}) for node in inner)
    return within > 0 and within >= _uses(loop.body, {loop.target.id})


def _uses(body: Sequence[gast.stmt], variables: set[str]) -> int:
    """How many elements are read and stored whose last index mentions one of these names."""
    found = 0
    for node in syntax.walk(body):
        for part in syntax.own_nodes(node):
            if isinstance(part, gast.Subscript):
                items = part.slice.elts if isinstance(part.slice, gast.Tuple) else [part.slice]
                found += bool(items and variables & set(syntax.names_read(items[-1])))
    return found


def _along(nest: Sequence[gast.For]) -> gast.For:
    """The loop of a nest along which most accesses are next to each other; the innermost where they are even."""
    return max(reversed(nest), key=lambda loop: _uses(nest[-1].body, {loop.target.id}))
