"""Scalar expressions of the loops stage, as LLVM values.

    add(a[i], cast(k, dtype="f64"))     ->     load, sitofp, fadd
"""

from __future__ import annotations

from typing import Any

import gast

from ... import syntax
from ...analysis.expression_types import is_scalar_operator, joined, result_of, type_of, works_in
from ...analysis.folds import instead_of_nan
from ...diagnostics import InternalError
from ...dtypes import (
    BOOL_WORD,
    COMPLEX_WORD,
    DTYPE,
    INT_WORD,
    NUMPY_DTYPE,
    holds,
    is_bool,
    is_complex,
    is_exact,
    is_inexact,
)
from ...types import COMPLEX, FLOAT, ListOf, Scalar
from . import lists, memory_values
from .abi import REGISTER
from .arrays import load_element
from .complex_functions import OF_COMPLEX
from .conversions import cast, truth
from .emitters import EMITTERS
from .frame import Emission
from .here import INT_TOO_LARGE, Here
from .operands import FALSE, TRUE, SsaValue, float_


def scalar_type(frame: Emission, node: gast.expr) -> Scalar:
    types = frame.function.types
    type_ = types[node.id] if type(node) is gast.Name else type_of(node, types, frame.held)
    if not isinstance(type_, Scalar):
        raise InternalError("llvm", gast.dump(node), f"a scalar is needed here, not {type_}")
    return type_


def lower_as(frame: Emission, node: gast.expr, dtype: str) -> SsaValue:
    """The value of an expression in the register type of a dtype."""
    if isinstance(node, gast.Constant):
        return _constant(frame, node.value, dtype)
    return _lower_from(frame, node, scalar_type(frame, node), dtype)


def _lower_from(frame: Emission, node: gast.expr, source: Scalar, dtype: str) -> SsaValue:
    """The same for an expression of this type."""
    value = lower(frame, node)
    return value if source.dtype == dtype else convert(frame, value, source, Scalar(dtype), node)


def lower_int(frame: Emission, node: gast.expr) -> SsaValue:
    if isinstance(node, gast.Constant):
        return _constant(frame, node.value, INT_WORD)
    source = scalar_type(frame, node)
    # what an index cannot hold raises, as it does for an int of Python's
    return convert(frame, lower(frame, node), source, Scalar(INT_WORD, not is_exact(source.dtype, INT_WORD)), node)


def lower_test(frame: Emission, node: gast.expr) -> SsaValue:
    """The truth of an expression."""
    value = lower(frame, node)
    return truth(_here(frame, node, BOOL_WORD), value, scalar_type(frame, node).dtype)


def convert(
    frame: Emission, value: SsaValue, source: Scalar, target: Scalar, node: gast.expr | None = None
) -> SsaValue:
    if source.dtype == target.dtype:
        return value
    here = Here(
        frame.code, target.dtype, target.weak, _fits(frame, node), frame.fail_if,
        source=source.dtype, result=target.dtype, source_weak=source.weak,
    )  # fmt: skip
    return cast(here, value)


def lower(frame: Emission, node: Any) -> SsaValue:
    """The value of an expression in the register type of its own dtype."""
    kind = type(node)
    if kind is gast.Call:
        return _call(frame, node)
    if kind is gast.Name:
        return frame.scalar(node.id)
    match node:
        case gast.Constant(value=value):
            return _constant(frame, value, scalar_type(frame, node).dtype)
        case gast.Subscript(value=gast.Name(id=base)):
            if isinstance(frame.function.types[base], ListOf):
                return lists.load_scalar(frame, base, index_of_list(frame, node))
            return load_element(frame, node, [lower_int(frame, e) for e in _items(node)])
        case gast.IfExp():
            return _if_expression(frame, node)
        case gast.BoolOp():
            return _bool_operation(frame, node)
    raise InternalError("llvm", gast.dump(node), "not an expression of the loops stage")


def _items(node: gast.Subscript) -> list[gast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]


def index_of_list(frame: Emission, node: gast.Subscript) -> SsaValue:
    (item,) = _items(node)
    return lower_int(frame, item)


def _constant(frame: Emission, value: object, dtype: str) -> SsaValue:
    """A constant in a dtype; what does not fit raises where it is reached, as in NumPy."""
    if not isinstance(value, bool | int | float | complex):
        raise InternalError("llvm", repr(value), "not a scalar constant")
    if is_bool(dtype):
        return TRUE if value else FALSE
    if isinstance(value, complex):
        if is_complex(dtype):
            return memory_values.constant(dtype, value)
        return convert(frame, memory_values.constant(COMPLEX_WORD, value), COMPLEX, Scalar(dtype))
    if is_inexact(dtype):
        try:
            return memory_values.constant(dtype, float(value))
        except OverflowError:
            frame.fail("OverflowError", "int too large to convert to float", (), ())
            return memory_values.constant(dtype, 0)
    if isinstance(value, float):
        return convert(frame, float_(value), FLOAT, Scalar(dtype))
    if not holds(dtype, value):
        of_numpy = f"Python integer {value} out of bounds for {NUMPY_DTYPE[dtype]}"
        frame.fail("OverflowError", INT_TOO_LARGE if dtype == INT_WORD else of_numpy, (), ())
        return memory_values.constant(dtype, 0)
    return memory_values.constant(dtype, value)


# --- lazy forms ----------------------------------------------------------------------------------------------------


def _if_expression(frame: Emission, node: gast.IfExp) -> SsaValue:
    code = frame.code
    dtype = joined(scalar_type(frame, node.body), scalar_type(frame, node.orelse)).dtype
    result = code.variable(REGISTER[dtype], "choice")
    then, otherwise, done = code.label("then"), code.label("else"), code.label("chosen")
    code.branch(lower_test(frame, node.test), then, otherwise)
    for label, part in ((then, node.body), (otherwise, node.orelse)):
        code.start(label)
        code.store(lower_as(frame, part, dtype), result)
        code.jump(done)
    code.start(done)
    return code.load(REGISTER[dtype], result)


def _bool_operation(frame: Emission, node: gast.BoolOp) -> SsaValue:
    code = frame.code
    result, done = code.variable("i1", "lazy"), code.label("decided")
    for position, part in enumerate(node.values):
        value = lower_test(frame, part)
        code.store(value, result)
        if position + 1 < len(node.values):
            more = code.label("more")
            if isinstance(node.op, gast.And):
                code.branch(value, more, done)
            else:
                code.branch(value, done, more)
            code.start(more)
    code.start(done)
    return code.load("i1", result)


# --- calls ---------------------------------------------------------------------------------------------------------


def _fits(frame: Emission, node: gast.expr | None) -> bool:
    return node is not None and id(node) in frame.ranges.fits


def _here(frame: Emission, node: gast.expr, dtype: str, weak: bool = False, other: str = "") -> Here:
    nonzero = id(node) in frame.ranges.nonzero
    return Here(frame.code, dtype, weak, _fits(frame, node), frame.fail_if, other=other, nonzero=nonzero)


def _call(frame: Emission, node: gast.Call) -> SsaValue:
    operator = str(syntax.operator_of(node))
    match operator:
        case "dim":
            axis = int(syntax.static_of(node)["axis"])
            return frame.code.load("i64", frame.array(node.args[0].id).dims[axis])
        case "length":
            return lists.length(frame, node.args[0].id)
        case "pop":
            return lists.pop_scalar(frame, node.args[0].id)
        case "cast":
            source = scalar_type(frame, node.args[0])
            target = scalar_type(frame, node)
            if isinstance(node.args[0], gast.Constant) and source.weak and not target.weak:
                return _constant(frame, node.args[0].value, target.dtype)
            return convert(frame, lower(frame, node.args[0]), source, target, node)
    if not is_scalar_operator(operator) or operator not in EMITTERS and operator not in OF_COMPLEX:
        raise InternalError("llvm", gast.dump(node), f"`{operator}` has no emitter")
    sources = tuple(scalar_type(frame, a) for a in node.args)
    dtypes = works_in(operator, sources)
    operands = [
        _constant(frame, a.value, dtype) if type(a) is gast.Constant else _lower_from(frame, a, source, dtype)
        for a, source, dtype in zip(node.args, sources, dtypes, strict=True)
    ]
    dtype, result = dtypes[-1] if operator == "where" else dtypes[0], result_of(operator, sources)
    number = _instead_of_nan(node, dtype) if operator == "where" else ""
    if number:
        return frame.code.intrinsic(number, operands[2], operands[1])
    here = _here(frame, node, dtype, result.weak, other=dtypes[-1])
    emitter = OF_COMPLEX[operator] if is_complex(dtype) else EMITTERS[operator]
    return memory_values.rounded(frame.code, result.dtype, emitter(here, *operands))


def _instead_of_nan(node: gast.Call, dtype: str) -> str:
    """LLVM's own operation for `where(isnan(x), -inf, x)`, of which it would make a branch in a fold; else empty."""
    nothing = instead_of_nan(node)
    if nothing is None or is_complex(dtype) or DTYPE[dtype].storage != DTYPE[dtype].register:
        return ""
    return "maximumnum" if nothing < 0.0 else "minimumnum"
