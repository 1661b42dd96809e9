"""Displays, comprehensions and local functions: what an expression makes of the values of others.

    [v * 2.0 for v in (a, b) if known]    ->    a list of two items
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ...analysis import core_liveness
from . import classes, containers, evaluate, execute, iteration
from .frame import Frame
from .values import Closure, Mapping_, Value


def spread(frame: Frame, elements: list[gast.expr]) -> list[Value]:
    """The values of a display such as `(a, *rest)`."""
    result: list[Value] = []
    for element in elements:
        if isinstance(element, gast.Starred):
            spread_out = classes.iterable(frame, evaluate.evaluate(frame, element.value), element)
            result += iteration.static_items(frame, spread_out, element)
        else:
            result.append(evaluate.evaluate(frame, element))
    return result


def dictionary(frame: Frame, keys: list, values: list, node: gast.AST) -> Value:
    items: dict[Any, Value] = {}
    for key, value in zip(keys, values, strict=True):
        if key is None:
            spread_ = frame.held(evaluate.evaluate(frame, value))
            if not isinstance(spread_, Mapping_):
                frame.fault("T001", "`**` needs a dict", node)
            items.update(spread_.items)
        else:
            items[containers.key_of(frame, evaluate.evaluate(frame, key), node)] = evaluate.evaluate(frame, value)
    return containers.new_dict(frame, items)


def comprehension(frame: Frame, generators: list, make: Callable[[], Any]) -> list[Any]:
    """All elements of a comprehension over sequences whose length is known now."""
    if not generators:
        return [make()]
    first, *rest = generators
    own = list(core_liveness.targets(first.target))  # a comprehension's variables are its own, those of `:=` are not
    kept = {name: frame.variables.get(name) for name in own}
    result: list[Any] = []
    iterable = classes.iterable(frame, evaluate.evaluate(frame, first.iter), first.iter)
    for item in iteration.static_items(frame, iterable, first.iter):
        execute.bind(frame, first.target, item, first.iter)
        chosen = [evaluate.truth(frame, evaluate.evaluate(frame, test), test) for test in first.ifs]
        if all(evaluate.known(frame, c, first.iter, "the condition of a comprehension") for c in chosen):
            result += comprehension(frame, rest, make)
    for name, value in kept.items():
        frame.variables.pop(name, None)
        if value is not None:
            frame.variables[name] = value
    return result


def closure(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> Closure:
    defaults = tuple(evaluate.evaluate(frame, d) for d in node.args.defaults)
    keyword_defaults = tuple(None if d is None else evaluate.evaluate(frame, d) for d in node.args.kw_defaults)
    return Closure(node, frame, defaults, keyword_defaults)
