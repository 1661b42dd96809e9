"""Displays and local functions: what an expression makes of the values of others.

    (a, *pair)    ->    a tuple of three items
"""

from __future__ import annotations

from typing import Any

import gast

from . import classes, containers, evaluate, generator_expressions, iteration
from .frame import Frame
from .values import Closure, Mapping_, Value


def spread(frame: Frame, elements: list[gast.expr]) -> list[Value]:
    """The values of a display such as `(a, *rest)`."""
    result: list[Value] = []
    for element in elements:
        if isinstance(element, gast.Starred):
            spread_out = classes.iterable(frame, generator_expressions.all_of(frame, element.value), element)
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


def closure(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> Closure:
    defaults = tuple(evaluate.evaluate(frame, d) for d in node.args.defaults)
    keyword_defaults = tuple(None if d is None else evaluate.evaluate(frame, d) for d in node.args.kw_defaults)
    return Closure(node, frame, defaults, keyword_defaults)
