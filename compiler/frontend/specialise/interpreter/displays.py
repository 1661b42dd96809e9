"""Displays and local functions: values made of the values of other expressions.

    (a, *pair)    ->    a tuple of three items
"""

from __future__ import annotations

import gast

from .. import protocol
from ..frame import Frame
from ..functional import Closure
from ..functions.local_functions import free_names
from ..kinds import (
    classes,
    container_methods,
    containers,
    dict_methods,
    generator_expressions,
    keyed,
    tuples,
)
from ..values import Mapping_, Sequence, Value
from . import evaluate


def spread(frame: Frame, elements: list[gast.expr]) -> list[Value]:
    """The values of a display such as `(a, *rest)`."""
    result: list[Value] = []
    for element in elements:
        if isinstance(element, gast.Starred):
            spread_out = classes.iterable(frame, generator_expressions.all_of(frame, element.value), element)
            result += protocol.items(frame, spread_out, element)
        else:
            result.append(evaluate.evaluate(frame, element))
    return result


def tupled(frame: Frame, elements: list[gast.expr]) -> Value:
    """The tuple of a display such as `(*path, node)`."""
    if not any(isinstance(element, gast.Starred) for element in elements):
        return Sequence(tuple(spread(frame, elements)))
    made: Value = Sequence(())
    for element in elements:
        if isinstance(element, gast.Starred):
            part = tuples.made(frame, generator_expressions.all_of(frame, element.value), element)
        else:
            part = Sequence((evaluate.evaluate(frame, element),))
        made = tuples.joined(frame, made, part, element)
    return made


def listed(frame: Frame, elements: list[gast.expr]) -> Value:
    """The list of a display such as `[*values, 0.0]`; one that grows where their number is known only at run time."""
    if not any(isinstance(element, gast.Starred) for element in elements):
        return containers.new_list(frame, spread(frame, elements))
    made = containers.new_list(frame, ())
    for element in elements:
        if isinstance(element, gast.Starred):
            values = generator_expressions.all_of(frame, element.value)
            container_methods.extend(frame, made, element, values)
        else:
            container_methods.append(frame, made, element, evaluate.evaluate(frame, element))
    return made


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
        dict_methods.put_all(frame, other, made, node)
    return made


def closure(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> Closure:
    defaults = tuple(evaluate.evaluate(frame, d) for d in node.args.defaults)
    keyword_defaults = tuple(None if d is None else evaluate.evaluate(frame, d) for d in node.args.kw_defaults)
    return Closure(node, seen_from(frame, node), defaults, keyword_defaults)


def seen_from(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> Frame:
    """The frame whose variables a function sees: that of a surrounding comprehension, if it mentions its variables."""
    names, scope = set(free_names(node)), frame.scope
    while scope is not None and scope is not frame:
        if not names.isdisjoint(scope.variables):
            return frame.scope or frame
        scope = scope.outer
    return frame
