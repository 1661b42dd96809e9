"""Generator expressions that have a name, or are passed on: an item is computed on demand.

    enumerate(int(v) for v in x)          ->    enumerate(map(lambda v: int(v), x))

A consumer of all items, such as `sum`, gets a list of them (`comprehensions.py`).
"""

from __future__ import annotations

import gast

from .... import syntax
from ...source.located import located
from ..frame import Frame
from ..functional import Closure
from ..interpreter import comprehensions, displays, evaluate
from ..iterables import Map
from ..values import Value
from . import classes, generators, iterators

ITEM = "item (value)"  # not a valid name in Python, as the expression reads the variables around it


def all_of(frame: Frame, node: gast.expr, hint: str = "items") -> Value:
    """The value of an expression whose items are all consumed at once."""
    if isinstance(node, gast.GeneratorExp):
        return comprehensions.listed(frame, node, hint)
    return evaluate.evaluate(frame, node, hint)


def lazily(frame: Frame, node: gast.GeneratorExp) -> Value:
    """An iterator over the items; the first iterable is evaluated now, as in Python."""
    first, *others = node.generators
    iterable = classes.iterator_of(frame, evaluate.evaluate(frame, first.iter), first.iter)
    iterable = iterators.taken_over(frame, iterable, node)
    if others or first.ifs:
        tree = _generator(frame, node)
        return generators.of_tree(frame, tree, {ITEM: iterable}, displays.seen_from(frame, tree), "generator")
    return iterators.made(frame, Map, (_function(frame, node), iterable))


def _generator(frame: Frame, node: gast.GeneratorExp) -> gast.FunctionDef:
    """The generator function that yields the items, over what the first `for` iterates over."""
    known = frame.task.of_items
    if node not in known:
        loop = comprehensions.nested(node, [gast.Expr(gast.Yield(node.elt))], None)
        loop.iter = gast.copy_location(syntax.name(ITEM), node)
        known[node] = _with_parameter(node, [loop])
    return known[node]


def _function(frame: Frame, node: gast.GeneratorExp) -> Closure:
    """The element as a function of an item; the tree is the same at every call."""
    known = frame.task.of_items
    if node not in known:
        known[node] = _definition(node, node.generators[0].target, node.elt)
    return Closure(known[node], displays.seen_from(frame, known[node]))


def _definition(node: gast.GeneratorExp, target: gast.expr, value: gast.expr) -> gast.FunctionDef:
    taken = gast.Assign([target], syntax.name(ITEM), None)
    return _with_parameter(node, [taken, gast.Return(value)])


def _with_parameter(node: gast.GeneratorExp, body: list[gast.stmt]) -> gast.FunctionDef:
    parameter = gast.Name(ITEM, gast.Param(), None, None)
    arguments = gast.arguments([parameter], [], None, [], [], None, [])
    return located(gast.FunctionDef("genexpr", arguments, body, [], None, None, []), node)
