"""The arrays that can be on the stack: small, of constant lengths, used element by element alone.

    x = empty(shape=(16,), dtype="f64")        it is allocated in the frame of the function: nothing else
    for l in lanes(16): x[l] = c[l] * 2.0      holds it, views it, or is given it
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import gast

from .. import syntax
from ..dtypes import DTYPE
from ..ops.forms import BUFFERS
from ..program import Function, remembered
from ..tuning import STACK_BYTES, STACK_TOTAL
from ..types import Array, Type


@remembered
def small_arrays(function: Function) -> frozenset[str]:
    """Such arrays of a function, as many as fit into a frame of reasonable size."""
    body = list(syntax.walk(function.body))
    made = {s.targets[0].id for s in body if isinstance(s, gast.Assign) and _makes_array(s.value)}
    sizes = {name: _bytes(function.types[name]) for name in sorted(made - set(function.parameters))}
    small = {name: size for name, size in sizes.items() if size <= STACK_BYTES}
    if not small:
        return frozenset()
    bound = Counter(name for s in body for name in syntax.names_bound(s))
    whole = {name for s in body if not isinstance(s, gast.Delete) for name in _seen_whole(s)}
    found, total = set(), 0.0
    for name, size in small.items():
        if bound[name] == 1 and name not in whole and total + size <= STACK_TOTAL:
            found.add(name)
            total += size
    return frozenset(found)


def _makes_array(value: gast.expr) -> bool:
    """Whether this is a new array whose lengths are numbers."""
    if not isinstance(value, gast.Call) or syntax.operator_of(value) not in BUFFERS:
        return False
    shape = syntax.static_of(value)["shape"]
    return all(isinstance(length, int) for length in (shape if isinstance(shape, tuple) else [shape]))


def _bytes(type_: Type) -> float:
    extents = type_.dims if isinstance(type_, Array) else (math.inf,)
    lengths = [extent if isinstance(extent, int) else math.inf for extent in extents]
    return math.prod(lengths) * (DTYPE[type_.dtype].item_bytes if isinstance(type_, Array) else 1)


def _seen_whole(statement: gast.stmt) -> Iterator[str]:
    """The names in a statement that stand for more than an element or a length."""
    nodes = syntax.own_nodes(statement)
    parts = {id(name) for node in nodes if (name := _array_of(node)) is not None}
    for node in nodes:
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Store) and id(node) not in parts:
            yield node.id


def _array_of(node: gast.AST) -> gast.expr | None:
    """The array of an element access or a length."""
    match node:
        case gast.Subscript(value=base, slice=items):
            axes = items.elts if isinstance(items, gast.Tuple) else [items]
            return None if any(map(_makes_view, axes)) else base
        case gast.Call(func=gast.Name(id="dim"), args=[base]):
            return base
    return None


def _makes_view(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) or (isinstance(item, gast.Constant) and item.value is None)
