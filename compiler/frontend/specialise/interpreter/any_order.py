"""Comprehensions over sets whose result is the same in every order: what consumes them does not depend on it.

    {grid[p] for p in peers}; sorted(v * v for v in seen); any(v > limit for v in seen)

Refused where the order shows: in a sum of floats, and where an item that is computed changes something that the next
one may read.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from .... import syntax
from ....types import Scalar
from ..frame import Frame
from ..kinds import sets
from ..values import Static, Value

TAKERS = (sorted, sum, min, max, any, all, len, set, frozenset)


def given(frame: Frame, function: Value, node: gast.Call, call: Callable[[], Value]) -> Value:
    """A call whose only argument may be a comprehension over sets."""
    taken = function.value if isinstance(function, Static) and callable(function.value) else None
    inside = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not isinstance(inside, gast.GeneratorExp | gast.ListComp) or not any(taken is taker for taker in TAKERS):
        return call()
    made, is_of_set = gone_over(frame, inside, call)
    found = frame.type_of(made)
    if is_of_set and taken is sum and not (isinstance(found, Scalar) and found.dtype.startswith(("i", "u", "b"))):
        sets.refuse_sum(frame, node)
    return made


def gone_over(frame: Frame, node: gast.expr, run: Callable[[], Value]) -> tuple[Value, bool]:
    """The value of a comprehension, and whether it iterated over a set."""
    sources = [generator.iter for generator in node.generators]
    for source in sources:
        source.any_order, source.was_set = True, False
    has_changed = changes_from_here(frame)
    try:
        made = run()
    finally:
        for source in sources:
            source.any_order = False
    is_of_set = any(source.was_set for source in sources)
    if is_of_set and (has_changed() or any(isinstance(part, gast.NamedExpr) for part in gast.walk(node))):
        sets.refuse_order(frame, node)
    return made, is_of_set


def changes_from_here(frame: Frame) -> Callable[[], bool]:
    """A function that says later whether an object or array that exists now has changed."""
    mark, count, changes = frame.builder.mark(), frame.heap.count, len(frame.heap.changes)
    known = frozenset(frame.builder.types)

    def has_changed() -> bool:
        if any(number <= count for number in frame.heap.changes[changes:]):
            return True
        return any(_stores_into(s, known) for s in syntax.walk(frame.builder.since(mark)))

    return has_changed


def _stores_into(statement: gast.stmt, known: frozenset[str]) -> bool:
    """Whether it changes an array that existed before."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))]):
            return name in known
        case gast.Expr(value=gast.Call(args=[gast.Name(id=name), *_])):
            return name in known
    return False
