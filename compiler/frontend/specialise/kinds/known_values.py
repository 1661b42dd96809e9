"""Python objects that are known now: numbers, strings, None, modules, classes, functions."""

from __future__ import annotations

import enum
import operator
from typing import Any

import gast
import numpy as np

from .... import types
from ....ops.complex_numbers import PARTS
from ....types import Scalar
from .. import protocol
from ..frame import Frame, NeedsStatic
from ..functional import Bound
from ..interpreter import attributes, evaluate
from ..library import numbers
from ..library.static_python import computed
from ..objects import sites
from ..protocol import Named, call_method, describe, is_unrolled, items, known, load, member, python_class, truth
from ..values import Leaf, Sequence, Static, String, Value, is_number
from ..world import outside
from . import built_strings, classes, container_methods, equality, keyed, numeric, own_operators, sets, slices, strings

CONTAINERS = (tuple, list, dict, str, bytes)


@known.of(Static)
def _(frame: Frame, value: Static, node: gast.AST, what: str = "this value") -> Any:
    """A NumPy number as a Python number."""
    return value.value.item() if isinstance(value.value, np.generic) else value.value


@is_unrolled.of(Static)
def _(frame: Frame, value: Static) -> bool:
    return isinstance(value.value, CONTAINERS)


@items.of(Static)
def _(frame: Frame, value: Static, node: gast.AST) -> list[Value]:
    if not isinstance(value.value, CONTAINERS):
        return items.otherwise(frame, value, node)
    return [outside.read(frame, part, "item", node) for part in value.value]


@truth.of(Static)
def _(frame: Frame, value: Static, node: gast.AST) -> Value:
    return Static(bool(value.value))


@python_class.of(Static)
def _(frame: Frame, value: Static) -> type:
    return type(value.value)


@describe.of(Static)
def _(frame: Frame, value: Static) -> str:
    found = frame.type_of(value)
    if found is not None:
        return str(found)
    return "None" if value.value is None else type(value.value).__name__


@load.of(Static)
def _(frame: Frame, base: Static, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    constant = base.value
    if slices.is_index_expression(constant):
        return slices.of_index_expression(frame, constant, items, node, hint)
    if not isinstance(constant, CONTAINERS):
        return load.otherwise(frame, base, items, node, hint)
    position = own_operators.index_of(frame, items, node)
    if isinstance(constant, bytes) and isinstance(position, Leaf):
        given: list[Value] = [Sequence(tuple(map(Static, constant))), position]
        return keyed.in_language(frame, "python_builtins:item_of_bytes", given, node, hint)
    if isinstance(constant, str) and isinstance(position, Leaf):
        return strings.item(frame, base, position, node)
    is_slice = isinstance(constant, str) and isinstance(items, gast.Slice)
    if isinstance(items, gast.Slice) and is_slice and sites.site_of(frame, node) in frame.task.learned.positions:
        return built_strings.sliced(frame, base, items, node)
    try:
        index = known(frame, position, node, "an index")
    except NeedsStatic as needed:
        if is_slice:
            needed.place = sites.site_of(frame, node)  # used if unrolling no loop makes it known
        raise
    return outside.read(frame, computed(frame, operator.getitem, node, constant, index), "item", node)


@protocol.attribute.of(Static)
def _(frame: Frame, base: Static, name: str, node: gast.AST, hint: str = "t") -> Value:
    value, found = base.value, frame.type_of(base)
    if value is None:
        protocol.present(frame, base, node, protocol.NO_ATTRIBUTE.format(name), "AttributeError")
    if found is not None and name in PARTS or isinstance(value, slice) and name in ("start", "stop", "step"):
        return Static(getattr(value, name))
    if isinstance(found, Scalar) and not found.weak:
        return attributes.array_attribute(frame, base, name, node, hint)
    if isinstance(value, type) and (method := classes.of_class(frame, value, name, node)) is not None:
        return method
    if isinstance(value, enum.Enum) or found is None and type(value) not in (str, bytes, frozenset):
        return outside.attribute(frame, value, name, node)
    return Bound(base, name)  # of a class whose methods are known


@call_method.of(Static)
def _(
    frame: Frame, receiver: Static, method: str, args: list[Value], named: Named, node: gast.AST, hint: str
) -> Value:
    if is_number(receiver):
        return _method_of_number(frame, receiver, method, args, named, node, hint)
    if isinstance(receiver.value, str) and built_strings.is_of_run(frame, method, args, named):
        return strings.with_strings(frame, receiver, method, args, named, node, hint)
    if not isinstance(receiver.value, str | bytes | frozenset):
        return call_method.otherwise(frame, receiver, method, args, named, node, hint)
    return strings.of_known(frame, receiver.value, method, args, named, node)


def _method_of_number(
    frame: Frame, receiver: Static, method: str, args: list[Value], named: Named, node: gast.AST, hint: str
) -> Value:
    if frame.type_of(receiver) in (types.INT, types.BOOL) and method in ("bit_length", "bit_count"):
        return numbers.of_bits(frame, receiver, method, node, hint)
    folded = numbers.method_of_known(frame, receiver, method, [*args, *named.values()], node)
    return numeric.method_of_type(frame, receiver, method, args, named, node, hint) if folded is None else folded


@member.of(Static)
def _(frame: Frame, container: Static, item: Value, node: gast.AST, hint: str = "t") -> Value:
    found = sets.contains(frame, item, container, node, hint)
    if found is not None:
        return found
    constant = container.value
    if isinstance(constant, str) and (isinstance(item, String) or strings.is_built(item)):
        return strings.part_of(frame, item, container, node)
    if isinstance(constant, bytes) and not isinstance(item, Static) and frame.is_integer(item):
        given: list[Value] = [Sequence(tuple(map(Static, constant))), item]
        return container_methods.in_language(frame, "is_byte_of", given, node, hint)
    if isinstance(constant, str | bytes):
        part = Static(known(frame, item, node, "this value"))
        return evaluate.fold(frame, operator.contains, node, container, part)
    return equality.is_any(frame, item, items(frame, container, node), node, hint)


@protocol.is_same.of(Static)
def _(frame: Frame, left: Static, right: Static, node: gast.AST, hint: str) -> Value:
    return Static(left.value is right.value)
