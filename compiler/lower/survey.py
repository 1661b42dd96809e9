"""What a nest is about to evaluate: which nodes, at which indices, how often.

    y * y + y[0] over i    ->    y at (i) twice, y at (0) once; three edges lead to y

Only counted, nothing is written: from the counts the nest decides what to keep in a buffer and what in a local.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field

import gast

from .. import syntax
from ..records import dataclass
from .arithmetic import ZERO, minus, plus, text_of
from .nodes import Along, Apply, At, Index, Node, Resolve, Select, Through

Key = tuple[Node, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """`counts` by node and index, `edges` by node, `indices` at which a node is asked for, `order` operands first.

    `consumers` are what nodes are operands of; of several the last.
    """

    counts: Counter[Key] = field(default_factory=Counter)
    edges: Counter[Node] = field(default_factory=Counter)
    indices: dict[Node, dict[tuple[str, ...], Index]] = field(default_factory=dict)
    order: list[Node] = field(default_factory=list)
    consumers: dict[Node, Node] = field(default_factory=dict)


def survey(roots: Iterable[tuple[Node, Index]], resolve: Resolve) -> Survey:
    found = Survey()
    for node, index in roots:
        found.edges[resolve(node)] += 1
        _visit(resolve(node), index, resolve, found)
    return found


def key_of(node: Node, index: Index) -> Key:
    return node, tuple(map(text_of, index))


def _visit(node: Node, index: Index, resolve: Resolve, found: Survey) -> None:
    key = key_of(node, index)
    found.counts[key] += 1
    if found.counts[key] > 1:
        return
    is_new = node not in found.indices
    found.indices.setdefault(node, {})[key[1]] = index
    for operand, at in _operands_at(node, index):
        operand = resolve(operand)
        found.edges[operand] += is_new
        found.consumers[operand] = node
        _visit(operand, at, resolve, found)
    if is_new:
        found.order.append(node)


def _operands_at(node: Node, index: Index) -> list[tuple[Node, Index]]:
    if isinstance(node, Apply):
        return [(operand, aligned(operand, index)) for operand in node.operands]
    if not isinstance(node, Select):
        return []
    through = [(p.indices, through_index(p, index)) for p in node.picks if isinstance(p, Through)]
    # an index that is read from an array is known by where it is read
    places = iter([syntax.name(f"<{text_of(syntax.tuple_(at))} of {id(n)}>") for n, at in through])
    return [*through, (node.source, source_index(node, index, lambda pick: next(places)))]


def aligned(node: Node, index: Index) -> Index:
    """The index of a broadcast operand: the last axes, and 0 along an axis of at most one element."""
    lengths = node.lengths
    if not lengths:
        return []
    tail = index[len(index) - len(lengths) :] if len(lengths) < len(index) else index
    if not any(length.is_single for length in lengths):
        return tail
    return [ZERO if length.is_single else tree for length, tree in zip(node.lengths, tail, strict=True)]


def through_index(pick: Through, index: Index) -> Index:
    return aligned(pick.indices, list(index)[: pick.last])


def source_index(node: Select, index: Index, element) -> list[gast.expr]:
    """Where in its source an element of a selection stands; `element` tells an index that is read from an array."""
    result: list[gast.expr] = []
    for pick in node.picks:
        match pick:
            case Along(axis=axis, offset=offset, step=1):
                result.append(plus(index[axis], offset))
            case Along(axis=axis, offset=offset):
                result.append(minus(offset, index[axis]))
            case At(tree=tree):
                result.append(tree)
            case Through():
                result.append(element(pick))
    return result


def is_identity(index: Sequence[gast.expr], variables: Sequence[str]) -> bool:
    """Whether an index runs through every loop variable once, apart from axes of length 1."""
    names = [tree.id for tree in index if isinstance(tree, gast.Name)]
    others = [tree for tree in index if not isinstance(tree, gast.Name)]
    return sorted(names) == sorted(variables) and all(text_of(tree) == text_of(ZERO) for tree in others)
