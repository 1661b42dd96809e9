"""Displays and local functions: what an expression makes of the values of others.

    (a, *pair)    ->    a tuple of three items
"""

from __future__ import annotations

import gast

from . import classes, dict_methods, evaluate, iteration, keyed
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
    if None in keys:
        return _with_others(frame, keys, values, node)
    pairs = [(evaluate.evaluate(frame, key), evaluate.evaluate(frame, value)) for key, value in zip(keys, values)]
    return keyed.dict_of_pairs(frame, pairs, node)


def _with_others(frame: Frame, keys: list, values: list, node: gast.AST) -> Value:
    """`{"a": 1, **more}`."""
    made = keyed.new_dict(frame, {}, node)
    for key, value in zip(keys, values, strict=True):
        if key is not None:
            dict_methods.put(frame, made, evaluate.evaluate(frame, key), evaluate.evaluate(frame, value), node)
            continue
        other = evaluate.evaluate(frame, value)
        if not isinstance(frame.held(other), Mapping_) and keyed.dict_of(frame, other) is None:
            frame.fault("T001", "`**` needs a dict", node)
        dict_methods.put_all(frame, made, other, node)
    return made


def closure(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> Closure:
    defaults = tuple(evaluate.evaluate(frame, d) for d in node.args.defaults)
    keyword_defaults = tuple(None if d is None else evaluate.evaluate(frame, d) for d in node.args.kw_defaults)
    return Closure(node, frame, defaults, keyword_defaults)
