"""The condition of a loop as one expression, which is evaluated before every iteration.

    while k < n and x[k] > 0.0:     ->     while less(k, n) and greater(x[k], 0.0):

A condition that needs statements of its own, or has side effects, cannot be such an expression (`NotNested`).
"""

from __future__ import annotations

import gast

from .... import syntax
from ....ops.schema import OPERATORS, row_of
from ....syntax import operator_of
from ....types import Array, Scalar
from ..frame import Frame, Stopped
from ..kinds import optional
from . import choices


class NotNested(Exception):
    """A loop's condition needs statements of its own, or has side effects."""


def nested_test(frame: Frame, node: gast.expr) -> gast.expr:
    """A loop's condition as one lazy expression of scalar operators; raises NotNested where that is impossible."""
    match node:
        case gast.BoolOp(op=op, values=values):
            return nested_sides(frame, op, values)
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            inner = nested_test(frame, operand)
            if isinstance(inner, gast.Constant):
                return syntax.constant(not inner.value)
            return syntax.call("logical_not", inner)
        case gast.Compare(ops=ops, comparators=[*middle, _]) if middle and all(map(syntax.is_atom, middle)):
            sides = [node.left, *node.comparators]
            steps = [gast.Compare(a, [op], [b]) for a, op, b in zip(sides, ops, sides[1:], strict=False)]
            return gast.BoolOp(gast.And(), [nested_test(frame, gast.copy_location(step, node)) for step in steps])
    changes, variables = len(frame.heap.changes), dict(frame.variables)
    with frame.captured(is_users=True) as emitted, frame.block() as block:
        try:
            value = choices.condition(frame, node)
        except Stopped:
            raise NotNested from None
        if block is not None and block.nests:
            raise NotNested
    if len(frame.heap.changes) != changes or frame.variables != variables:
        raise NotNested
    return fold_statements(frame, emitted, frame.atom(value, node))


def nested_sides(frame: Frame, op: gast.boolop, values: list[gast.expr]) -> gast.expr:
    """`a and b`, each side with what the ones before it imply; known sides are left out, and a deciding one ends it."""
    kept = dict(frame.variables)
    ends, sides = isinstance(op, gast.Or), []
    for value in values:
        inner = nested_test(frame, value)
        if not isinstance(inner, gast.Constant):
            sides.append(inner)
        elif bool(inner.value) == ends:
            sides.append(inner)
            break
        frame.variables.update(optional.known_from(frame, value, not ends))
    frame.variables = kept
    return gast.BoolOp(op, sides) if len(sides) > 1 else sides[0] if sides else syntax.constant(not ends)


def fold_statements(frame: Frame, emitted: list[gast.stmt], result: gast.expr) -> gast.expr:
    """Substitute scalar temporaries into the expression that uses them."""
    known: dict[str, gast.expr] = {}
    uses: dict[str, int] = {}
    for made in emitted:
        for name in syntax.names_read(made):
            uses[name] = uses.get(name, 0) + 1
    for made in emitted:
        simple = isinstance(made, gast.Assign) and isinstance(made.targets[0], gast.Name)
        if not simple or not isinstance(frame.builder.types[made.targets[0].id], Scalar):
            raise NotNested
        if uses.get(made.targets[0].id, 0) > 1 and operator_of(made.value) not in ("dim", None):
            raise NotNested
        if any(isinstance(frame.builder.types.get(n), Array) for n in _operands(made.value)):
            raise NotNested
        if operator_of(made.value) not in (None, "length", *OPERATORS):
            raise NotNested  # a call of a function is a statement
        row = row_of(operator_of(made.value))
        if row is not None and row.kind == "collective":
            raise NotNested  # an operation over all examples is a statement
        known[made.targets[0].id] = syntax.map_names(made.value, lambda n: known.get(n, n))
    return syntax.map_names(result, lambda n: known.get(n, n))


def _operands(node: gast.expr) -> list[str]:
    """The operands of an operator by name, except the base of an element load and the array of `dim`."""
    if isinstance(node, gast.Subscript):
        return list(syntax.names_read(node.slice))
    if operator_of(node) in ("dim", "length"):
        return []
    return list(syntax.names_read(node))
