"""Generator expressions that have a name, or are passed on: an item is computed when it is asked for.

    enumerate(int(v) for v in x)          ->    enumerate(map(lambda v: int(v), x))

What takes all items where it stands, such as `sum`, sees a list of them (`comprehensions.py`).
"""

from __future__ import annotations

import gast

from ... import syntax
from . import classes, comprehensions, evaluate, iterators
from .frame import Frame
from .values import Closure, Static, Value

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


def of_filter(frame: Frame, node: gast.Call) -> gast.Call | None:
    """`next(filter(f, xs), ...)` as `next((v for v in xs if f(v)), ...)`; None for any other call of `next`."""
    match node.args:
        case [gast.Call(func=function, args=[keep, source], keywords=[]) as inner, *others]:
            is_plain = isinstance(keep, gast.Name | gast.Lambda | gast.Attribute | gast.Constant)
            if not is_plain or evaluate.evaluate(frame, function) != Static(filter):
                return None
        case _:
            return None
    if inner not in frame.task.of_items:
        item = syntax.name(ITEM)
        test: gast.expr = gast.Call(keep, [item], [])
        if isinstance(keep, gast.Constant):  # None: what is true
            test = item
        kept = gast.comprehension(gast.Name(ITEM, gast.Store(), None, None), source, [test], 0)
        made = gast.Call(node.func, [gast.GeneratorExp(syntax.name(ITEM), [kept]), *others], [])
        for part in gast.walk(made):
            if isinstance(part, gast.stmt | gast.expr) and not hasattr(part, "lineno"):
                gast.copy_location(part, node)
        frame.task.of_items[inner] = made
    found: gast.Call = frame.task.of_items[inner]
    return found


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
