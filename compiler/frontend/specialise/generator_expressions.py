"""Generator expressions that have a name, or are passed on: an item is computed when it is asked for.

    enumerate(int(v) for v in x)          ->    enumerate(map(lambda v: int(v), x))

What takes all items where it stands, such as `sum`, sees a list of them (`comprehensions.py`).
"""

from __future__ import annotations

import gast

from ... import syntax
from . import classes, comprehensions, evaluate, iterators
from .frame import Frame
from .values import Closure, Value

ITEM = "item"


def all_of(frame: Frame, node: gast.expr, hint: str = "items") -> Value:
    """The value of an expression of which all items are wanted at once."""
    if isinstance(node, gast.GeneratorExp):
        return comprehensions.listed(frame, node, hint)
    return evaluate.evaluate(frame, node, hint)


def lazily(frame: Frame, node: gast.GeneratorExp) -> Value:
    """An iterator over the items; the first iterable is evaluated now, as in Python."""
    if len(node.generators) > 1:
        frame.fault("U004", "a generator expression with several `for` is outside the language here", node,
                    "not supported", ("write a list comprehension: `[...]`",))  # fmt: skip
    (only,) = node.generators
    if only.ifs:
        frame.fault("U004", "a generator expression with `if` is outside the language here", node, "not supported",
                    ("write a list comprehension: `[...]`",))  # fmt: skip
    iterable = classes.iterator_of(frame, evaluate.evaluate(frame, only.iter), only.iter)
    return iterators.made(frame, "map", (_function(frame, node), iterators.taken_over(frame, iterable, node)))


def _function(frame: Frame, node: gast.GeneratorExp) -> Closure:
    """What is made of an item, as a function; the same tree whenever it is asked."""
    known = frame.task.of_items
    if node not in known:
        known[node] = _definition(node, node.generators[0].target, node.elt)
    return Closure(known[node], frame)


def _definition(node: gast.GeneratorExp, target: gast.expr, value: gast.expr) -> gast.FunctionDef:
    taken = gast.Assign([target], syntax.name(ITEM), None)
    parameter = gast.Name(ITEM, gast.Param(), None, None)
    arguments = gast.arguments([parameter], [], None, [], [], None, [])
    made = gast.FunctionDef("genexpr", arguments, [taken, gast.Return(value)], [], None, None, [])
    for part in gast.walk(made):
        if isinstance(part, gast.stmt | gast.expr) and not hasattr(part, "lineno"):
            gast.copy_location(part, node)
    return made
