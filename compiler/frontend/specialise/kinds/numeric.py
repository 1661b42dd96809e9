"""Numbers and arrays that are known at run time only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from .... import syntax, types
from ....builder import COMPARISONS
from ....dtypes import NUMPY_DTYPE, PYTHON_TYPE, is_bool
from ....types import Array, Scalar
from .. import protocol
from ..frame import Frame
from ..interpreter import attributes, evaluate, refusals, subscript
from ..library import library, numbers
from ..library.static_python import PYTHON_COMPARISONS, PYTHON_INFIX
from ..protocol import (
    OPERATOR_OF,
    Named,
    call_method,
    describe,
    has_known_length,
    item,
    items,
    known,
    length,
    load,
    member,
    of_dynamic_length,
    python_class,
    truth,
    type_as,
)
from ..values import Leaf, Static, Value, is_number
from . import arrays, classes, optional, strings

PYTHON_OF: dict[Any, Callable[..., Any]] = {**PYTHON_INFIX, **PYTHON_COMPARISONS}


@known.of(Scalar)
def _(frame: Frame, value: Leaf, node: gast.AST, what: str = "this value") -> Any:
    """The length of an axis, where that is known."""
    extent = frame.builder.extents.get(value.name)
    return extent if isinstance(extent, int) else known.otherwise(frame, value, node, what)


@truth.of(Scalar)
def _(frame: Frame, value: Leaf, node: gast.AST) -> Value:
    found = type_as(frame, value, Scalar)
    if is_bool(found.dtype):
        return value
    return frame.emit("not_equal", value, Static(0.0 if types.is_floating(found) else 0), node=node)


@python_class.of(Scalar)
def _(frame: Frame, value: Leaf) -> type:
    found = type_as(frame, value, Scalar)
    return PYTHON_TYPE[found.dtype] if found.weak else NUMPY_DTYPE[found.dtype].type


@describe.of(Scalar, Array)
def _(frame: Frame, value: Leaf) -> str:
    return str(frame.type_of(value))


@protocol.infix.of(Static)
def _(frame: Frame, left: Static, right: Static, op: type, node: gast.AST, hint: str = "t") -> Value:
    are_numbers = is_number(left) and is_number(right)
    are_strings = isinstance(left.value, str | bytes) and isinstance(right.value, str | bytes | int)
    if are_numbers:
        evaluate.require_short(frame, op, left, right, node)
    are_types = op is gast.BitOr and classes.is_any_of(left.value, right.value)
    if op in COMPARISONS or are_numbers or are_strings or are_types:
        return evaluate.fold(frame, PYTHON_OF[op], node, left, right)
    return protocol.infix.otherwise(frame, *optional.operands(frame, op, left, right, node), op, node, hint)


@protocol.infix.of(Scalar, Array, beside=(Scalar, Array, Static))
def _(frame: Frame, left: Value, right: Value, op: type, node: gast.AST, hint: str = "t") -> Value:
    if frame.type_of(left) is None or frame.type_of(right) is None:
        return strings.infix(frame, *optional.operands(frame, op, left, right, node), op, node, hint)
    if op is gast.Pow:
        return evaluate.power(frame, left, right, node, hint)
    return frame.emit(OPERATOR_OF[op], left, right, node=node, hint=hint)


# --- arrays ----------------------------------------------------------------------------------------------------------


@has_known_length.of(Array)
def _(frame: Frame, value: Leaf) -> bool:
    dims = type_as(frame, value, Array).dims
    return bool(dims) and isinstance(dims[0], int)


@of_dynamic_length.of(Array)
def _(frame: Frame, value: Leaf) -> Value | None:
    dims = type_as(frame, value, Array).dims
    return value if dims and not isinstance(dims[0], int) else None


@items.of(Array)
def _(frame: Frame, value: Leaf, node: gast.AST) -> list[Value]:
    dims = type_as(frame, value, Array).dims
    if not dims or not isinstance(dims[0], int):
        return items.otherwise(frame, value, node)
    return [item(frame, value, Static(place), node) for place in range(dims[0])]


@length.of(Array)
def _(frame: Frame, value: Leaf, node: gast.AST) -> Value:
    if not type_as(frame, value, Array).dims:
        return length.otherwise(frame, value, node)
    return evaluate.length_of(frame, value, 0, node)


@item.of(Array)
def _(frame: Frame, value: Leaf, position: Value, node: gast.AST) -> Value:
    rest = [syntax.slice_() for _ in range(type_as(frame, value, Array).ndim - 1)]
    return subscript.element(frame, value, [frame.atom(position, node), *rest], node)


@truth.of(Array)
def _(frame: Frame, value: Leaf, node: gast.AST) -> Value:
    found = type_as(frame, value, Array)
    if not all(extent == 1 for extent in found.dims):
        message = f"the truth value of an array with more than one element is ambiguous ({found})"
        frame.fault("T001", message, node, "used as a condition", ("use .any() or .all()",))
    alone = frame.emit("reshape", value, node=node, shape=()) if found.ndim else value
    return truth(frame, subscript.element(frame, alone, [], node), node)


@python_class.of(Array)
def _(frame: Frame, value: Leaf) -> type:
    return np.ndarray


@load.of(Array)
def _(frame: Frame, base: Leaf, items: gast.expr, node: gast.AST, hint: str = "t") -> Value:
    return subscript.load_of_array(frame, base, items, node, hint)


@call_method.of(Scalar, Array)
def _(
    frame: Frame, receiver: Leaf, method: str, args: list[Value], named: Named, node: gast.AST, hint: str
) -> Value:
    found = frame.type_of(receiver)
    if found in (types.INT, types.BOOL) and method in ("bit_length", "bit_count"):
        return numbers.of_bits(frame, receiver, method, node, hint)
    return method_of_type(frame, receiver, method, args, named, node, hint)


def method_of_type(
    frame: Frame, receiver: Leaf | Static, method: str, args: list[Value], named: Named, node: gast.AST, hint: str
) -> Value:
    """A method of arrays and NumPy numbers."""
    if method == "tolist" and not args:
        return arrays.to_list(frame, receiver, node)
    if (found := frame.type_of(receiver)) is not None:
        attributes.require_attribute(frame, found, method, node)
    binding = library.method(method)
    if binding is None:
        refusals.refuse_method(frame, "arrays have", method, node)
    return library.call(frame, binding, [receiver, *args], named, node, hint)


@member.of(Array)
def _(frame: Frame, container: Leaf, item: Value, node: gast.AST, hint: str = "t") -> Value:
    return arrays.contains(frame, container, item, node, hint)
