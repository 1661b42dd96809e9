"""The type of a nested scalar expression of the loops stage, and the dtypes in which an operator works.

    type_of(add(a[i], cast(k, dtype="f64")), types)    ->    f64
    signature("less", (f64, float))                    ->    operands f64, f64; result bool_

A result is weak only where every operand is weak and the operator is one that Python has itself.  Where operands
differ in dtype they are converted as NumPy promotes them, a weak one to the dtype of the strong one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..records import dataclass
from ..types import BOOL, FLOAT, INT, KIND, ListOf, Scalar, Type, as_float, promote

ARITHMETIC = frozenset("add subtract multiply floor_divide remainder power negative positive absolute".split())
BITWISE = frozenset("bitwise_and bitwise_or bitwise_xor invert left_shift right_shift".split())
COMPARISON = frozenset("equal not_equal less less_equal greater greater_equal".split())
LOGICAL = frozenset("logical_and logical_or logical_not logical_xor".split())
PREDICATE = frozenset("isnan isinf isfinite signbit".split())
SAME_DTYPE = frozenset(
    "sign square reciprocal floor ceil trunc fmod maximum minimum fmax fmin clip".split()
)
FLOATING = frozenset(
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh"
    " arctanh arctan2 hypot rint logaddexp logaddexp2 copysign heaviside deg2rad rad2deg erf erfc gamma gammaln"
    " digamma zeta nextafter fabs".split()
)
TO_INT = frozenset("math_floor math_ceil math_trunc round_half_even".split())
MATH_TO_BOOL = frozenset("math_isnan math_isinf math_isfinite".split())
# Operators that Python has: with weak operands their result is a Python number, of everything else a NumPy one.
PYTHON = ARITHMETIC | BITWISE | COMPARISON | frozenset("divide where logical_and logical_or logical_not".split())
OPERATORS = (
    ARITHMETIC | BITWISE | COMPARISON | LOGICAL | PREDICATE | SAME_DTYPE | FLOATING
    | frozenset("dim length cast pop divide float_power where round_half_even".split())
)  # fmt: skip


Held = dict[int, tuple[gast.expr, Type]]


@dataclass(frozen=True, slots=True)
class Signature:
    """Operands are converted to these dtypes; `weak` says that the operation is Python's, with its errors."""

    operands: tuple[str, ...]
    result: Scalar
    weak: bool


def type_of(node: gast.expr, types: Mapping[str, Type], held: Held | None = None) -> Type:
    """The type of an expression; `held` keeps those of its parts for the next question."""
    kind = type(node)
    if kind is gast.Name:
        return types[node.id]
    if kind is gast.Constant:
        return type_of_constant(node.value)
    if kind is gast.Subscript and isinstance(node.value, gast.Name):
        container = types[node.value.id]
        return container.element if isinstance(container, ListOf) else Scalar(container.dtype)
    found = None if held is None else held.get(id(node))
    if found is not None:
        return found[1]
    result = _type_of_compound(node, types, held)
    if held is not None:
        held[id(node)] = node, result  # with the tree itself, so that its id stays its own
    return result


def _type_of_compound(node: gast.expr, types: Mapping[str, Type], held: Held | None) -> Type:
    match node:
        case gast.Call():
            return _type_of_call(node, types, held)
        case gast.IfExp(body=body, orelse=orelse):
            return joined(type_of(body, types, held), type_of(orelse, types, held))
        case gast.BoolOp(values=values):
            return Scalar("bool", all(_scalar(type_of(v, types, held)).weak for v in values))
    raise InternalError("expression types", gast.dump(node), "not an expression of the loops stage")


def is_scalar_operator(name: str) -> bool:
    """Whether calls of this name are scalar expressions, rather than calls of a function or statements."""
    return name in OPERATORS or name.startswith("math_")


def type_of_constant(value: object) -> Scalar:
    match value:
        case bool():
            return BOOL
        case int():
            return INT
        case float():
            return FLOAT
    raise InternalError("expression types", repr(value), "a constant without a type")


def joined(left: Type, right: Type) -> Scalar:
    """The type of a value that is one of two."""
    dtype, weak = promote(_scalar(left), _scalar(right))
    return Scalar(dtype, weak)


def _scalar(type_: Type) -> Scalar:
    if not isinstance(type_, Scalar):
        raise InternalError("expression types", str(type_), "a scalar is needed here")
    return type_


def _type_of_call(node: gast.Call, types: Mapping[str, Type], held: Held | None) -> Type:
    operator = syntax.operator_of(node)
    if operator in ("dim", "length"):
        return INT
    if operator == "cast":
        static = syntax.static_of(node)
        return Scalar(str(static["dtype"]), bool(static.get("weak", False)))
    if operator == "pop":
        return types[node.args[0].id].element  # type: ignore[union-attr]
    operands = tuple([_scalar(type_of(a, types, held)) for a in node.args])
    return _signature(str(operator), operands).result


def is_mixed(operands: Sequence[Scalar]) -> bool:
    """Whether a Python int and a Python float meet."""
    return all(o.weak for o in operands) and {o.dtype for o in operands} == {"i64", "f64"}


def signature(operator: str, operands: Sequence[Scalar]) -> Signature:
    """The dtypes in which an operator works on operands of these types."""
    return _signature(operator, tuple(operands))


@cache
def _signature(operator: str, operands: tuple[Scalar, ...]) -> Signature:
    count = len(operands)
    if operator in TO_INT:
        # an int is rounded already, and may not fit a float; of NumPy's numbers Python makes a float first
        is_whole = KIND[operands[0].dtype] < 2 and (operands[0].weak or operator == "round_half_even")
        return Signature(("i64" if is_whole else "f64",), INT, True)
    if operator.startswith("math_"):
        result = BOOL if operator in MATH_TO_BOOL else FLOAT
        return Signature(("f64",) * count, result, True)
    if operator == "where":
        result = joined(operands[1], operands[2])
        return Signature(("bool", result.dtype, result.dtype), result, result.weak)
    if operator in LOGICAL:
        weak = operator in PYTHON and all(o.weak for o in operands)
        return Signature(("bool",) * count, Scalar("bool", weak), weak)
    dtype, weak = promote(*operands)
    weak = weak and operator in PYTHON
    if operator in PREDICATE:
        return Signature((as_float(dtype),) * count, Scalar("bool"), False)
    if operator in COMPARISON:
        # Python compares an int with a float by their values, where a conversion could lose digits
        dtypes = tuple(o.dtype for o in operands) if is_mixed(operands) else (dtype,) * count
        return Signature(dtypes, Scalar("bool", weak), weak)
    return _numeric(operator, dtype, weak, count)


def _numeric(operator: str, dtype: str, weak: bool, count: int) -> Signature:
    if operator == "divide":
        # Python divides ints exactly, so that they must not be rounded to floats before
        works_in = "i64" if weak and KIND[dtype] < 2 else as_float(dtype)
        return Signature((works_in,) * count, Scalar(as_float(dtype), weak), weak)
    if operator == "float_power":
        return Signature(("f64",) * count, Scalar("f64"), False)
    if operator in FLOATING:
        dtype = as_float(dtype)
    elif weak and dtype == "bool" and (operator in ARITHMETIC or operator in ("invert", "left_shift", "right_shift")):
        dtype = "i64"  # Python's bools are ints to arithmetic
    elif operator not in ARITHMETIC | BITWISE | SAME_DTYPE:
        raise InternalError("expression types", operator, "not an operator of the loops stage")
    return Signature((dtype,) * count, Scalar(dtype, weak), weak)
