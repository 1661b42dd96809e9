"""Expressions: walk the user's tree, compute what is known now, emit operators for the rest.

    z = features @ w + b     ->     t = matmul(features, w)
                                    z = add(t, b)
"""

from __future__ import annotations

import builtins
import math
import operator
import types as python_types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from .. import syntax, types
from ..builder import INFIX, PREFIX
from ..later import later
from ..types import Array, Scalar
from . import apply, choices, execute, iteration, library
from .frame import Frame
from .values import (
    Bound,
    Closure,
    Conflict,
    Leaf,
    Mapping_,
    Record,
    Sequence,
    Static,
    Undefined,
    Value,
    from_python,
    is_number,
)

if TYPE_CHECKING:
    from . import subscript
else:
    (subscript,) = later(__package__, "subscript")

PYTHON_INFIX: dict[type, Callable[[Any, Any], Any]] = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul, gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv, gast.Mod: operator.mod, gast.Pow: operator.pow, gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_, gast.BitXor: operator.xor, gast.LShift: operator.lshift, gast.RShift: operator.rshift,
    gast.MatMult: operator.matmul,
}  # fmt: skip
PYTHON_PREFIX = {gast.USub: operator.neg, gast.UAdd: operator.pos, gast.Invert: operator.invert}
ARRAY_ATTRIBUTES = ("shape", "ndim", "size", "dtype", "T")


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
    if kind is gast.Call:
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
            return subscript.load(frame, evaluate(frame, base), items, node, hint)
        case gast.Attribute(value=base, attr=attribute):
            return attribute_of(frame, evaluate(frame, base), attribute, node, hint)
        case gast.Tuple(elts=elements):
            return Sequence(tuple(spread(frame, elements)))
        case gast.List(elts=elements):
            return Sequence(tuple(spread(frame, elements)), list)
        case gast.Dict(keys=keys, values=values):
            return dictionary(frame, keys, values, node)
        case gast.Lambda():
            return closure(frame, node)
        case gast.ListComp(elt=element, generators=generators):
            return Sequence(tuple(comprehension(frame, generators, lambda: evaluate(frame, element))), list)
        case gast.GeneratorExp(elt=element, generators=generators):
            return Sequence(tuple(comprehension(frame, generators, lambda: evaluate(frame, element))))
        case gast.DictComp(key=key, value=value, generators=generators):
            pair = comprehension(frame, generators, lambda: (static(frame, key), evaluate(frame, value)))
            return Mapping_(tuple(dict(pair).items()))
        case gast.NamedExpr(target=target, value=value):
            frame.variables[target.id] = made = evaluate(frame, value, target.id)
            return made
        case gast.JoinedStr():
            return Static("...")
    frame.fault("U018", f"`{type(node).__name__}` is not in the language", node)


def spread(frame: Frame, elements: list[gast.expr]) -> list[Value]:
    """The values of a display such as `(a, *rest)`."""
    result: list[Value] = []
    for element in elements:
        if isinstance(element, gast.Starred):
            result += iteration.static_items(frame, evaluate(frame, element.value), element)
        else:
            result.append(evaluate(frame, element))
    return result


def static(frame: Frame, node: gast.expr, what: str = "this value") -> Any:
    """The Python value of an expression that must be known now."""
    return known(frame, evaluate(frame, node), node, what)


def known(frame: Frame, value: Value, node: gast.AST, what: str = "this value") -> Any:
    match value:
        case Static(value=found):
            return found
        case Sequence(items=items, kind=kind):
            return kind(known(frame, v, node, what) for v in items)
        case Leaf(name=name) if isinstance(frame.builder.extents.get(name), int):
            return frame.builder.extents[name]
    frame.needs_static(value, what, node)


def read_name(frame: Frame, name: str, node: gast.AST) -> Value:
    found = frame.lookup(name)
    if found is None and name not in frame.local_names:
        return global_value(frame, name, node)
    if found is None or type(found) is Undefined:
        frame.fault("R002", f"`{name}` may be used before it has a value", node, "may be unbound here",
                    (f"give `{name}` a value before the branch or loop that sets it",))  # fmt: skip
    if type(found) is Conflict:
        if name in frame.made_names:
            message = f"this function returns {found.left} on one path and {found.right} on another"
            help_ = ("return values of one type on every path",)
            frame.fault("T003", message, frame.source.tree, "defined here", help_)
        message = f"`{name}` is {found.left} on one path and {found.right} on another"
        frame.fault("T002", message, node, "read here", ("use two names, or make both the same type",))
    flag = frame.lookup(is_set(name))
    if isinstance(flag, Leaf):
        check_bound(frame, name, flag, node)
    return found


def is_set(name: str) -> str:
    """The hidden variable that says whether `name` has a value, where that is only known at run time."""
    return f"{name} is set"


def check_bound(frame: Frame, name: str, flag: Leaf, node: gast.AST) -> None:
    message = f"cannot access local variable '{name}' where it is not associated with a value"
    missing = frame.emit("logical_not", flag, node=node)
    error = syntax.raise_("UnboundLocalError", message, span=frame.here(node))
    frame.builder.append(syntax.if_(frame.atom(missing, node), [error]))
    owner: Frame | None = frame
    while owner is not None and name not in owner.variables:
        owner = owner.outer
    if owner is not None:
        owner.variables[is_set(name)] = Static(True)


def global_value(frame: Frame, name: str, node: gast.AST) -> Value:
    if name in frame.task.frozen:
        return frame.task.frozen[name]
    if name in frame.namespace:
        return outside(frame, frame.namespace[name], name, node)
    if hasattr(builtins, name):
        return Static(getattr(builtins, name))
    frame.fault("P009", f"name `{name}` is not defined", node, "not defined")


def outside(frame: Frame, value: Any, name: str, node: gast.AST) -> Value:
    """A Python object from outside the function: constants are taken in, arrays must be passed or frozen."""
    if isinstance(value, python_types.ModuleType):
        return Static(value)
    if isinstance(value, np.ndarray) or type(value).__name__ == "Array" and hasattr(value, "__array__"):
        message = f"`{name}` is an array outside the function, which may change"
        hint = f'pass it as an argument, or bake in its present value: @compile(freeze=("{name}",))'
        frame.fault("P007", message, node, "read here", (hint,))

    if library.binding_of(value) is not None:
        return Static(value)

    def convert(part: object) -> Value | None:
        if isinstance(part, np.bool_ | np.integer | np.floating):
            return strong_constant(frame, part, node)
        return None

    return from_python(value, convert)


def strong_constant(frame: Frame, value: Any, node: gast.AST) -> Value:
    dtype = types.DTYPE_OF_NUMPY.get(value.dtype)
    if dtype is None:
        frame.fault("U015", f"dtype {value.dtype} is not supported", node, "of this dtype")
    return frame.emit("cast", Static(value.item()), node=node, dtype=dtype)


# --- operators -----------------------------------------------------------------------------------------------------


def binary(frame: Frame, op: type, left: Value, right: Value, node: gast.AST, hint: str = "t") -> Value:
    if is_number(left) and is_number(right):
        return fold(frame, PYTHON_INFIX[op], node, left, right)
    if isinstance(left, Sequence) or isinstance(right, Sequence):
        return sequence_arithmetic(frame, op, left, right, node, hint)
    if isinstance(left, Static) and isinstance(right, Static):
        if isinstance(left.value, str) and isinstance(right.value, str | int):
            return Static(PYTHON_INFIX[op](left.value, right.value))
    if op is gast.Pow:
        return power(frame, left, right, node, hint)
    return frame.emit(INFIX[op], left, right, node=node, hint=hint)


def power(frame: Frame, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """`x ** k`; Python's int ** negative int is a float."""
    base, exponent = frame.type_of(left), frame.type_of(right)
    if isinstance(base, Array) and base.dtype == "bool":
        frame.fault("U015", "a power of a bool array is of dtype int8, which is not supported", node, "computed here",
                    ("convert it first: `.astype(np.int64)`",))  # fmt: skip
    whole = isinstance(exponent, Scalar) and exponent.weak and exponent.dtype == "i64"
    if whole and isinstance(right, Static):
        if isinstance(base, Scalar) and base.weak and base.dtype == "i64" and right.value < 0:
            left = frame.emit("cast", left, node=node, dtype="f64", weak=True)
    return frame.emit("power", left, right, node=node, hint=hint)


def fold(frame: Frame, function: Callable[..., Any], node: gast.AST, *values: Value) -> Value:
    """Python's own arithmetic on numbers known now; an error it raises is raised when the program gets here."""
    try:
        result = function(*(v.value for v in values))  # type: ignore[union-attr]
    except (ZeroDivisionError, OverflowError, ValueError, TypeError) as error:
        frame.builder.append(syntax.raise_(type(error).__name__, str(error), span=frame.here(node)))
        return Static(math.nan)
    if isinstance(result, complex):
        frame.fault("U017", "a negative number to a fractional power is complex", node)
    return Static(result)


def sequence_arithmetic(frame: Frame, op: type, left: Value, right: Value, node: gast.AST, hint: str) -> Value:
    """`+` joins tuples and lists, `* n` repeats them; with an array they are arrays."""
    if isinstance(left, Sequence) and isinstance(right, Sequence) and op is gast.Add and left.kind is right.kind:
        return Sequence(left.items + right.items, left.kind)
    if op is gast.Mult:
        sequence, count = (left, right) if isinstance(left, Sequence) else (right, left)
        if isinstance(sequence, Sequence) and not frame.is_array(count):
            return Sequence(sequence.items * known(frame, count, node, "the length of a list"), sequence.kind)
    if frame.is_array(left) or frame.is_array(right):
        sides = [apply.as_array(frame, v, node) if isinstance(v, Sequence) else v for v in (left, right)]
        return binary(frame, op, sides[0], sides[1], node, hint)
    symbol = op.__name__
    frame.fault("T001", f"{symbol} of a {frame.describe(left)} and a {frame.describe(right)}", node)


def unary(frame: Frame, op: type, value: Value, node: gast.AST, hint: str = "t") -> Value:
    if op is gast.Not:
        return negation(frame, value, node, hint)
    if is_number(value):
        return fold(frame, PYTHON_PREFIX[op], node, value)
    return frame.emit(PREFIX[op], value, node=node, hint=hint)


def negation(frame: Frame, value: Value, node: gast.AST, hint: str = "t") -> Value:
    decided = truth(frame, value, node)
    if isinstance(decided, Static):
        return Static(not decided.value)
    return frame.emit("logical_not", decided, node=node, hint=hint)


def truth(frame: Frame, value: Value, node: gast.AST) -> Value:
    """`bool(value)`: a static bool, or a leaf of dtype bool."""
    match value:
        case Static(value=found):
            return Static(bool(found))
        case Sequence(items=items) | Mapping_(items=items):
            return Static(bool(items))
        case Record() | Closure() | Bound():
            return Static(True)
    found = frame.type_of(value)
    if isinstance(found, types.ListOf):
        count = frame.emit("length", value, node=node)
        return frame.emit("greater", count, Static(0), node=node)
    if isinstance(found, Array):
        if found.ndim and not all(d == 1 for d in found.dims):
            message = f"the truth value of an array with more than one element is ambiguous ({found})"
            frame.fault("T001", message, node, "used as a condition", ("use .any() or .all()",))
        value = frame.emit("reshape", value, node=node, shape=()) if found.ndim else value
        value = subscript.element(frame, value, [], node)
        found = frame.type_of(value)
    if found is None:
        frame.fault("T001", f"a {frame.describe(value)} cannot be used as a condition", node)
    if found.dtype == "bool":
        return value
    return frame.emit("not_equal", value, Static(0.0 if types.is_floating(found) else 0), node=node)


# --- attributes, displays, comprehensions --------------------------------------------------------------------------


def attribute_of(frame: Frame, base: Value, attribute: str, node: gast.AST, hint: str) -> Value:
    found = frame.type_of(base)
    if isinstance(found, Array | Scalar) and isinstance(base, Leaf):
        return array_attribute(frame, base, found, attribute, node, hint)
    match base:
        case Record():
            part = base.get(attribute)
            if part is not None:
                return part
            return Bound(base, attribute)
        case Static(value=value) if not is_number(base) and not isinstance(value, str):
            if not hasattr(value, attribute):
                frame.fault("P009", f"`{getattr(value, '__name__', value)}` has no attribute `{attribute}`", node)
            return outside(frame, getattr(value, attribute), attribute, node)
    return Bound(base, attribute)


def array_attribute(
    frame: Frame, base: Leaf, found: Array | Scalar, attribute: str, node: gast.AST, hint: str
) -> Value:
    ndim = types.rank(found)
    match attribute:
        case "shape":
            return Sequence(tuple(length_of(frame, base, axis, node) for axis in range(ndim)))
        case "ndim":
            return Static(ndim)
        case "dtype":
            return Static(types.NUMPY_DTYPE[found.dtype])
        case "size":
            result: Value = Static(1)
            for axis in range(ndim):
                result = binary(frame, gast.Mult, result, length_of(frame, base, axis, node), node)
            return result
        case "T":
            if ndim < 2:
                return base
            return frame.emit("transpose", base, node=node, hint=hint, axes=tuple(range(ndim))[::-1])
        case "mT" if ndim > 1:
            return library.call(frame, library.method(attribute), [base], {}, node, hint)
        case "real":
            return base
    if library.method(attribute) is None:
        what = "an array" if ndim else "a scalar"
        frame.fault("U013", f"{what} ({found}) has no attribute `{attribute}` here", node, "looked up here")
    return Bound(base, attribute)


def length_of(frame: Frame, base: Leaf, axis: int, node: gast.AST) -> Value:
    """`base.shape[axis]`, read once per function where it is an argument's length."""
    extent = frame.builder.types[base.name].dims[axis]
    if isinstance(extent, int):
        return Static(extent)
    name, axis = frame.builder.lengths.get(extent, (base.name, axis))
    return frame.emit("dim", Leaf(name), node=node, hint=length_name(extent), axis=axis)


def length_name(extent: types.Extent) -> str:
    if not isinstance(extent, types.Dim) or extent.constant != 0 or len(extent.terms) != 1:
        return "t"
    symbol, factor = extent.terms[0]
    return symbol if factor == 1 else "t"


def dictionary(frame: Frame, keys: list, values: list, node: gast.AST) -> Value:
    items: dict[Any, Value] = {}
    for key, value in zip(keys, values, strict=True):
        if key is None:
            spread_ = evaluate(frame, value)
            if not isinstance(spread_, Mapping_):
                frame.fault("T001", "`**` needs a dict", node)
            items.update(spread_.items)
        else:
            items[static(frame, key, "a dict key")] = evaluate(frame, value)
    return Mapping_(tuple(items.items()))


def comprehension(frame: Frame, generators: list, make: Callable[[], Any]) -> list[Any]:
    """All elements of a comprehension over sequences whose length is known now."""
    if not generators:
        return [make()]
    first, *rest = generators
    kept = dict(frame.variables)
    result: list[Any] = []
    for item in iteration.static_items(frame, evaluate(frame, first.iter), first.iter):
        execute.bind(frame, first.target, item, first.iter)
        chosen = [truth(frame, evaluate(frame, test), test) for test in first.ifs]
        if all(known(frame, c, first.iter, "the condition of a comprehension") for c in chosen):
            result += comprehension(frame, rest, make)
    frame.variables = kept
    return result


def closure(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> Closure:
    defaults = tuple(evaluate(frame, d) for d in node.args.defaults)
    keyword_defaults = tuple(None if d is None else evaluate(frame, d) for d in node.args.kw_defaults)
    return Closure(node, frame, defaults, keyword_defaults)

