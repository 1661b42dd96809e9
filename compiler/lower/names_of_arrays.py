"""What the name of an array or a scalar means after an assignment, and when it must have a buffer of its own.

    y = sin(x)                 ->    nothing: `y` means the node
    y = x; y[0] = 1.0          ->    y is x's variable: in the language they are one array
    y = copy(x); y[0] = 1.0    ->    y = empty(...), filled from x: it is overwritten, and x must not change
    u = y  at a merge          ->    u = y, a variable for one array or another

Copies stay undone as long as neither side is ever overwritten.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..names import base_of
from ..program import Decision
from ..tuning import LARGEST_GRAPH
from ..types import Array
from .lowering import Lowering
from .nest import Nest, materialise, realise
from .nodes import Apply, Node, ScalarTree, Select, Stored, graph_size, is_heavy, names_read
from .operands import solid
from .remarks import not_stored


def assign(low: Lowering, name: str, result: Node | ScalarTree) -> None:
    """`name = result`, where a rule has made the result."""
    type_ = low.function.types[name]
    if isinstance(type_, Array) and not isinstance(result, ScalarTree):
        return assign_array(low, name, result)
    if not isinstance(result, ScalarTree):
        nest = Nest(low)
        nest.prepare((result, []))
        result = nest.value(result, [])
        nest.finish()
    if isinstance(result.tree, gast.Name) and result.tree.id == name:
        return None  # the rule has accumulated in the variable itself
    if not type_.weak:  # type: ignore[union-attr]
        result = solid(result)
    low.assign(name, result.tree, type_)
    return None


def assign_array(low: Lowering, name: str, node: Node, is_copy: bool = False) -> None:
    """The array name means the node; it gets a buffer of its own if its elements are overwritten.

    `is_copy` says that the language makes a copy here, which may stay undone while neither side is overwritten.
    """
    node = low.resolve(node)
    if is_copy:
        node = detached(low, name, node)
    if name in low.facts.merged:
        return merge_array(low, name, node)
    if name in low.facts.overwritten and not isinstance(node, Stored):
        if is_heavy(node, low.resolve) and low.uses[node] > 0:
            realise(low, node)
        node = own_copy(low, node, name)
    low.name_node(name, node)
    if graph_size(node, LARGEST_GRAPH, low.resolve, low.sizes) >= LARGEST_GRAPH:
        realise(low, node)
    return None


def detached(low: Lowering, name: str, node: Node) -> Node:
    """What stands for a copy: the same node, unless that shares elements with a variable that changes."""
    if isinstance(node, Stored) and (low.is_overwritten(name) or low.is_overwritten(node.name)):
        return own_copy(low, node, name if name not in low.facts.merged else low.fresh(name))
    if isinstance(node, Select) and node.recipe is not None:
        return dataclasses.replace(node, recipe=None)
    return node


def own_copy(low: Lowering, node: Node, name: str) -> Stored:
    """A private buffer."""
    node = low.resolve(node)
    before = dict(low.realised)
    made = materialise(low, node, name)
    if node not in before:
        low.realised.pop(node, None)
    return made


def escaping(low: Lowering, name: str, node: Node, contiguous: bool) -> Stored:
    """The variable whose array also becomes another's: what changes there must not change what a copy stands for."""
    node = low.resolve(node)
    if low.is_overwritten(name) and not (isinstance(node, Stored) and low.is_kin(name, node.name)):
        return own_copy(low, node, low.fresh(name))
    return realise(low, node, contiguous)


def merge_array(low: Lowering, name: str, node: Node) -> None:
    """A variable that holds one array or another gets this one."""
    type_ = low.function.types[name]
    if not isinstance(type_, Array):
        raise InternalError("loops", name, "an array is assigned here")
    low.forget_lengths(name)
    is_fresh = not isinstance(node, Stored) and low.uses[node] <= 0
    wants_copy = type_.layout == "C" or getattr(node, "recipe", None) is None or low.is_overwritten(name)
    if is_fresh and wants_copy and name not in names_read(node, low.resolve):
        own_copy(low, node, name)
    else:
        source = escaping(low, name, node, contiguous=type_.layout == "C")
        if source.name != name:
            low.emit(syntax.assign(name, syntax.name(source.name)))
    low.types[name] = type_
    low.nodes[name] = low.stored(name)


def assign_opaque(low: Lowering, name: str, value: gast.expr) -> None:
    """A value that comes from outside the function's own arrays: an element of a list, a new list."""
    type_ = low.function.types[name]
    if name in low.facts.merged and isinstance(type_, Array):
        made = low.assign(low.fresh(name), value, type_)
        return merge_array(low, name, low.stored(made))
    low.assign(name, value, type_)
    if isinstance(type_, Array):
        low.name_node(name, low.stored(name))
    return None


def decisions(low: Lowering) -> Iterator[Decision]:
    """What became of the user's arrays: for `explain`."""
    for node, name in low.hints.items():
        if not isinstance(node, Apply) or name in low.function.temporaries or base_of(name) == "t":
            continue
        place = f"`{name}`" if node.span is None else f"`{name}` at line {node.span.line}"
        if node not in low.kept:
            yield not_stored(place, "its elements are computed where they are read")
        elif node in low.reasons:
            yield Decision("loops", f"{place} is stored: {low.reasons[node]}", name, place)
