"""Expressions: walk the user's tree, compute what is known now, emit operators for the rest.

    z = features @ w + b     ->     t = matmul(features, w)
                                    z = add(t, b)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import gast
import numpy as np

from .... import syntax, types
from ....analysis.at_places import METHODS
from ....builder import PREFIX
from ....diagnostics import InternalError
from ....dtypes import FLOAT_WORD, INT_WORD, is_bool
from ....messages import escaped
from ....types import Array, Scalar
from .. import protocol
from ..describing import FUNCTIONS
from ..frame import Frame
from ..functions.environments import is_set
from ..kinds import formatted, generator_expressions, optional, own_operators, sets
from ..library import changed_copies
from ..library.static_python import PYTHON_PREFIX
from ..values import Conflict, Dropped, Leaf, OneOf, Static, Undefined, Value, is_number
from ..world import outside
from . import any_order, apply, choices, comprehensions, displays, execute, refusals

MOST_BITS = 2**20  # bits of an int that is computed when a program is compiled


def evaluate(frame: Frame, node: gast.expr, hint: str = "t") -> Value:
    """The value of an expression; `hint` names the result if one has to be emitted."""
    kind = type(node)
    if kind is gast.Name:
        return read_name(frame, node.id, node)
    if kind is gast.Constant:
        return Static(node.value)
    if kind is gast.BinOp:
        left, right = evaluate(frame, node.left), evaluate(frame, node.right)
        return binary(frame, type(node.op), left, right, node, hint)
    if type(node) is gast.Call:
        if type(node.func) is gast.Attribute and node.func.attr in METHODS:
            changed = changed_copies.called(frame, node, hint)
            if changed is not None:
                return changed
        return apply.call(frame, node, hint)
    match node:
        case gast.UnaryOp(op=op, operand=operand):
            return unary(frame, type(op), evaluate(frame, operand), node, hint)
        case gast.Compare(left=left, ops=ops, comparators=comparators):
            return choices.comparison(frame, left, ops, comparators, node, hint)
        case gast.BoolOp(op=op, values=values):
            return choices.boolean(frame, op, values, node, hint)
        case gast.IfExp(test=test, body=body, orelse=orelse):
            return choices.conditional(frame, test, body, orelse, node, hint)
        case gast.Subscript(value=base, slice=items):
            return protocol.load(frame, evaluate(frame, base), items, node, hint)
        case gast.Attribute(value=base, attr=attribute):
            return protocol.attribute(frame, evaluate(frame, base), attribute, node, hint)
        case gast.Tuple(elts=elements):
            return displays.tupled(frame, elements)
        case gast.List(elts=elements):
            return displays.listed(frame, elements)
        case gast.Set(elts=elements):
            return sets.new_set(frame, displays.spread(frame, elements), node)
        case gast.SetComp():
            return any_order.gone_over(frame, node, lambda: comprehensions.set_of_items(frame, node, hint))[0]
        case gast.Dict(keys=keys, values=values):
            return displays.dictionary(frame, keys, values, node)
        case gast.Lambda():
            return displays.closure(frame, node)
        case gast.ListComp():
            return comprehensions.listed(frame, node, hint)
        case gast.GeneratorExp():
            return generator_expressions.lazily(frame, node)
        case gast.DictComp():
            return comprehensions.dictionary(frame, node, hint)
        case gast.NamedExpr(target=target, value=value):
            made = evaluate(frame, value, target.id)
            execute.bind(frame, target, made, node)
            return made
        case gast.JoinedStr():
            return formatted.f_string(frame, node)
    refusals.refuse_construct(frame, node)


def static(frame: Frame, node: gast.expr, what: str = "this value") -> Any:
    """The Python value of an expression that must be known now."""
    return protocol.known(frame, evaluate(frame, node), node, what)


def read_name(frame: Frame, name: str, node: gast.AST) -> Value:
    found = frame.lookup(name)
    if found is None and name not in frame.local_names:
        return outside.variable(frame, name, node)
    if type(found) is Dropped:
        raise InternalError("specialise", name, "a variable is read that was taken for dead")
    if found is None or type(found) is Undefined:
        frame.fault("R002", f"`{name}` may be used before it has a value", node, "may be unbound here",
                    (f"give `{name}` a value before the branch or loop that sets it",))  # fmt: skip
    if type(found) is Conflict:
        if name in frame.made_names:
            message = f"this function returns {found.left} on one path and {found.right} on another"
            help_ = ("return values of one type on every path",)
            frame.fault("T003", message, frame.source.tree, "defined here", help_)
        message = f"`{name}` is {found.left} on one path and {found.right} on another"
        help_ = ("use two names, or make both the same type",)
        if not FUNCTIONS.isdisjoint((found.left, found.right)):
            help_ = ("call it in the branch or loop where it is made, and keep what it gives",)
        frame.fault("T002", message, node, "read here", help_)
    owner: Frame | None = frame
    while owner is not None and name not in owner.variables:
        owner = owner.outer
    flag = owner.variables.get(is_set(name)) if owner is not None else None
    if isinstance(flag, Leaf):
        check_bound(frame, name, flag, node, is_own=owner is frame)
        if owner is frame:  # the path of another function continues independently
            owner.variables[is_set(name)] = Static(True)
    return found


def check_bound(frame: Frame, name: str, flag: Leaf, node: gast.AST, is_own: bool) -> None:
    if is_own:
        error_class, kind, scope = "UnboundLocalError", "local", ""
    else:
        error_class, kind, scope = "NameError", "free", " in enclosing scope"
    message = f"cannot access {kind} variable '{name}' where it is not associated with a value{scope}"
    missing = frame.emit("logical_not", flag, node=node)
    error = syntax.raise_(error_class, message, span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(missing, node), [error]))


# --- operators -----------------------------------------------------------------------------------------------------


def binary(frame: Frame, op: type, left: Value, right: Value, node: gast.AST, hint: str = "t") -> Value:
    if op is gast.Mod and isinstance(left, Static) and isinstance(left.value, str) and not isinstance(right, Static):
        return formatted.by_known(frame, operator.mod, [left, right], node)
    return protocol.infix(frame, left, right, op, node, hint)


def require_short(frame: Frame, op: type, left: Static, right: Static, node: gast.AST) -> None:
    """Refuse to compute an int with so many bits that it would take seconds."""
    base, count = left.value, right.value
    grows = op is gast.Pow and abs(base) > 1 or op is gast.LShift and base != 0
    if not grows or type(base) is not int or type(count) is not int:
        return
    bits = count + base.bit_length() if op is gast.LShift else count * base.bit_length()
    if bits > MOST_BITS:
        frame.fault("T001", f"this integer has {bits} bits, which is too many to compute", node, "computed here",
                    ("`pow(base, exponent, modulus)` computes a remainder",))  # fmt: skip


def power(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """`x ** k`; Python's int ** negative int is a float."""
    base, exponent = frame.type_of(left), frame.type_of(right)
    whole = isinstance(exponent, Scalar) and exponent.weak and exponent.dtype == INT_WORD
    if whole and isinstance(base, Array) and is_bool(base.dtype):
        if not isinstance(right, Static):
            frame.fault("U015", "a power of a bool array is of a dtype that depends on the exponent", node,
                        "computed here", ("convert it first: `.astype(np.int64)`",))  # fmt: skip
        if right.value == 2:
            return frame.emit("square", left, node=node, hint=hint)
    if whole and isinstance(right, Static):
        if isinstance(base, Scalar) and base.weak and base.dtype == INT_WORD and right.value < 0:
            left = frame.emit("cast", left, node=node, dtype=FLOAT_WORD, weak=True)
    return frame.emit("power", left, right, node=node, hint=hint)


def fold(frame: Frame, function: Callable[..., Any], node: gast.AST, *values: Static) -> Static:
    """Arithmetic on numbers known now, Python's or NumPy's; an error is raised when the program reaches this point."""
    try:
        with np.errstate(all="ignore"):
            result = function(*(v.value for v in values))
    except (ZeroDivisionError, OverflowError, ValueError, TypeError) as error:
        text = escaped(str(error))
        frame.builder.append(syntax.raise_(type(error).__name__, text, span=frame.here(node)))
        return Static(math.nan)
    return Static(result)


def is_strong(frame: Frame, value: Value) -> bool:
    """Whether a value is NumPy's, so that its operators convert lists and tuples to arrays."""
    found = frame.type_of(value)
    return isinstance(found, Array) or isinstance(found, Scalar) and not found.weak


def unary(frame: Frame, op: type, value: Value, node: gast.AST, hint: str = "t") -> Value:
    if op is gast.Not:
        return choices.denial(frame, value, node, hint)
    value = optional.operand(frame, op, value, node)
    if isinstance(value, OneOf):
        return protocol.of_cases(frame, value, lambda case: unary(frame, op, case, node), node, hint)
    if (by_class := own_operators.unary(frame, op, value, node)) is not None:
        return by_class
    if is_number(value):
        return fold(frame, PYTHON_PREFIX[op], node, value)
    return frame.emit(PREFIX[op], value, node=node, hint=hint)


# --- attributes ----------------------------------------------------------------------------------------------------


def length_of(frame: Frame, base: Leaf, axis: int, node: gast.AST) -> Value:
    """`base.shape[axis]`, read only once per function if it is an argument's length."""
    extent = protocol.type_as(frame, base, types.Array).dims[axis]
    if isinstance(extent, int):
        return Static(extent)
    name, axis = frame.builder.lengths.get(extent, (base.name, axis))
    hint = length_name(extent)
    hint = "t" if hint in frame.local_names else hint  # the user's variable may stand for something else
    return frame.emit("dim", Leaf(name), node=node, hint=hint, axis=axis)


def lengths_of(frame: Frame, value: Value, node: gast.AST) -> Iterator[Value]:
    """`value.shape`, one length after the other; a number has none."""
    if frame.is_array(value):
        for axis in range(types.rank(frame.type_of(value))):
            yield length_of(frame, value, axis, node)


def length_name(extent: types.Extent) -> str:
    if not isinstance(extent, types.Dim) or extent.constant != 0 or len(extent.terms) != 1:
        return "t"
    symbol, factor = extent.terms[0]
    return "t" if factor != 1 else symbol if symbol.isidentifier() else "n"  # the length of a named axis has a space
