"""Reductions over all elements, along one axis.

    s = sum(x * y)            ->    size = n * m
    of f64[n, m], in C order        x_flat = reshape(x, (size,)); y_flat = ...         one long axis, no short rows
                                    s = sum(x_flat * y_flat)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ... import syntax
from ...builder import affine_result
from ...types import INT, Array, Extent, symbol
from .arithmetic import product
from .lowering import Lowering
from .nest import materialise
from .nodes import Apply, Fill, Length, Node, Stored, is_heavy, rank


def flattened(low: Lowering, node: Node) -> Node | None:
    """The elements of a node in one row, if they stand in C order; None if not."""
    if rank(node) < 2 or not _is_in_order(low, node, node.lengths):
        return None
    name = low.assign(low.fresh("size"), product(n.clamped for n in node.lengths), INT)
    length = Length(_number_of_elements(low, node.lengths), syntax.name(name))
    return _flat(low, node, length, {})


def _number_of_elements(low: Lowering, lengths: Sequence[Length]) -> Extent:
    """The product of the lengths where it is a number or a multiple of one of them, else a length of its own."""
    number = math.prod(n.extent for n in lengths if isinstance(n.extent, int))
    others = [n.extent for n in lengths if not isinstance(n.extent, int)]
    if number == 0 or not others:
        return number
    found = affine_result("multiply", number, others[0]) if len(others) == 1 else None
    return symbol(low.symbols.fresh("elements")) if found is None else found


def _is_in_order(low: Lowering, node: Node, lengths: tuple[Length, ...]) -> bool:
    node = low.resolve(node)
    same = rank(node) == len(lengths) and all(low.same(a.extent, b.extent) for a, b in zip(node.lengths, lengths))
    match node:
        case Stored():
            return same and node.type.layout == "C"
        case Fill():
            return rank(node) == 0 or same
        case Apply(operands=operands):
            return same and not node.can_raise and all(_is_in_order(low, o, lengths) for o in operands)
    return False


def _flat(low: Lowering, node: Node, length: Length, known: dict[Node, Node]) -> Node:
    node = low.resolve(node)
    if node in known:
        return known[node]
    if isinstance(node, Apply) and is_heavy(node, low.resolve) and low.uses[node] > 1:
        node = materialise(low, node)
    match node:
        case Stored():
            made: Node = _row(low, node, length)
        case Apply(operands=operands):
            parts = tuple(_flat(low, o, length, known) for o in operands)
            made = Apply(node.operator, parts, node.static, node.type, (length,), node.span, node.inlined)
        case Fill(value=value) if rank(node):
            made = Fill(value, (length,))
        case _:
            made = node
    known[node] = made
    return made


def _row(low: Lowering, node: Stored, length: Length) -> Stored:
    """A view of a C array as one row."""
    tree = syntax.call("reshape", node.name, shape=syntax.tuple_([length.tree]))
    name = low.assign(low.fresh(f"{node.name}_flat"), tree, Array(node.dtype, (length.extent,)))
    low.origin[name] = node.name
    return low.stored(name, (length,))
