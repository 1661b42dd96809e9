"""What one iteration of a loop costs, in nanoseconds, from the lengths that hold when it is reached.

    for i in prange(n):                     ->     0.01 + dim(x, axis=1) * (0.03 load + 0.03 multiply + 0.08 store)
        for j in range(dim(x, axis=1)):
            y[i, j] = multiply(x[i, j], 2.0)

A guess that decides only whether threads are worth waking, never a result.  It supposes vector instructions and data
in the cache where nothing speaks against them, so that a mistake is more likely to keep a loop on one thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import gast

from ... import syntax
from ...analysis.def_use import expressions_of
from ...diagnostics import InternalError
from ...ops.forms import BUFFERS, IDLE
from ...ops.routines import ROUTINES, formula
from ...ops.schema import OPERATORS
from ...records import dataclass
from ...tuning import (
    ALLOCATION,
    FUNCTION,
    LOAD_BYTE,
    NOT_VECTORISED,
    OPERATION,
    PRODUCT,
    SLOW_OPERATION,
    SPECIAL_FUNCTION,
    STATEMENT,
    STORE_BYTE,
    UNKNOWN_TRIPS,
)
from ...types import Array, rank
from .abi import ITEM_BYTES
from .frame import ArrayPlace, Emission
from .here import wrapping
from .operands import SsaValue, float_, int_

Cost = float | SsaValue


NANOSECONDS = {
    "free": OPERATION, "light": OPERATION, "slow": SLOW_OPERATION, "function": FUNCTION, "special": SPECIAL_FUNCTION,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of one loop's iterations.  `changing` are the names that are not known before the loop.

    `lengths` says of some of them what they will be: lengths of arrays that the loop does not change.
    """

    frame: Emission
    changing: frozenset[str]
    lengths: Mapping[str, gast.expr] = field(default_factory=dict)

    def block(self, body: Sequence[gast.stmt]) -> Cost:
        return self.sum([self.statement(s) for s in body])

    def statement(self, node: gast.stmt) -> Cost:
        own = STATEMENT + sum([_expression(self.frame, part) for part in expressions_of(node)])
        match node:
            case gast.For():
                return self.sum([own, self.product(self.trips(node), self.block(node.body))])
            case gast.While():
                return self.product(UNKNOWN_TRIPS * NOT_VECTORISED, self.sum([own, self.block(node.body)]))
            case gast.If():
                return self.sum([own, self.block(node.body), self.block(node.orelse)])
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))]):
                return own + STORE_BYTE * _item_bytes(self.frame, base)
            case gast.Expr(value=call) | gast.Assign(value=call) if syntax.operator_of(call) in ROUTINES:
                return self.sum([own, self.library(call)])
        return own

    def library(self, call: gast.Call) -> Cost:
        """What a routine of a library does, from the lengths of its operands."""
        row = ROUTINES[str(syntax.operator_of(call))]
        lengths: dict[str, gast.expr] = {}
        for operand, array in zip(row.given, call.args, strict=True):
            for axis, name in enumerate(operand.lengths[: rank(self.frame.function.types[array.id])]):
                lengths.setdefault(name, syntax.call("dim", array, axis=axis))
        return self.product(PRODUCT, self.formula(formula(row.work), lengths))

    def formula(self, node: gast.expr, lengths: Mapping[str, gast.expr]) -> Cost:
        match node:
            case gast.Constant(value=value):
                return float(value)
            case gast.Name(id=name):
                length = self.known(lengths[name]) if name in lengths else int_(1)  # an axis that is missing
                return UNKNOWN_TRIPS if length is None else self.difference(length, int_(0))
            case gast.BinOp(left=left, op=gast.Div(), right=gast.Constant(value=divisor)):
                return self.product(1.0 / divisor, self.formula(left, lengths))
            case gast.BinOp(left=left, op=op, right=right):
                parts = [self.formula(left, lengths), self.formula(right, lengths)]
                return self.sum(parts) if isinstance(op, gast.Add) else self.product(*parts)
        raise InternalError("llvm", gast.dump(node), "not a formula of a library routine")

    # --- how often

    def trips(self, node: gast.For) -> Cost:
        """Iterations of an inner loop; a triangle counts half of its square."""
        parts = node.iter.args
        arguments = parts if len(parts) > 1 else [gast.Constant(0, None), *parts]
        start, stop = (self.known(a) for a in arguments[:2])
        step = arguments[2].value if len(arguments) > 2 and isinstance(arguments[2], gast.Constant) else 1
        if block_length(*arguments[:2]) and step:
            return block_length(*arguments[:2]) / abs(step)
        if (start is None and stop is None) or not step:
            return UNKNOWN_TRIPS
        zero = int_(0)
        whole = self.difference(stop or zero, start or zero)
        guessed = 0.5 if start is None or stop is None else 1.0
        return self.product(guessed / abs(step), self.absolute(whole))

    def known(self, node: gast.expr) -> SsaValue | None:
        """An int that is computable before the loop, by arithmetic that cannot fail and may wrap."""
        code = self.frame.code
        match node:
            case gast.Constant(value=int(value)):
                return int_(value)
            case gast.Name(id=id_) if id_ in self.lengths:
                return self.known(self.lengths[id_])
            case gast.Name(id=id_) if id_ not in self.changing:
                return self.frame.scalar(id_) if self.frame.is_long(id_) else None
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=base)]) if base not in self.changing:
                place = self.frame.places[base]
                axis = syntax.static_of(node)["axis"]
                return code.load("i64", place.dims[axis]) if isinstance(place, ArrayPlace) else None
            case gast.Call(func=gast.Name(id=operator), args=[left, right]):
                row = OPERATORS.get(operator)
                parts = [self.known(left), self.known(right)]
                if row is None or not (row.is_polynomial or row.reorders) or None in parts:
                    return None
                return wrapping(code, operator, *parts)  # type: ignore[arg-type]
        return None

    # --- numbers that may be known now or at run time

    def difference(self, left: SsaValue, right: SsaValue) -> Cost:
        if left.is_int and right.is_int:
            return float(int(left.text) - int(right.text))
        return self.frame.code.convert("sitofp", self.frame.code.binary("sub", left, right), "double")

    def absolute(self, value: Cost) -> Cost:
        return abs(value) if isinstance(value, float) else self.frame.code.intrinsic("fabs", value)

    def sum(self, parts: Sequence[Cost]) -> Cost:
        constant = sum((p for p in parts if isinstance(p, float)), 0.0)
        total: Cost = constant
        for part in parts:
            if isinstance(part, SsaValue):
                total = part if total == 0.0 else self._binary("fadd", part, total)
        return total

    def product(self, left: Cost, right: Cost) -> Cost:
        if isinstance(left, float) and isinstance(right, float):
            return left * right
        return self._binary("fmul", left, right)

    def _binary(self, operation: str, left: Cost, right: Cost) -> SsaValue:
        return self.frame.code.binary(operation, as_value(left), as_value(right))


def as_value(cost: Cost) -> SsaValue:
    return float_(cost) if isinstance(cost, float) else cost


def _expression(frame: Emission, node: gast.AST) -> float:
    kind = type(node)
    if kind is gast.Name or kind is gast.Constant:
        return 0.0
    if kind is gast.Call:
        inside = (*node.args, *(k.value for k in node.keywords))
        return _operation(str(syntax.operator_of(node))) + sum([_expression(frame, part) for part in inside])
    own = 0.0
    if kind is gast.Subscript and isinstance(node.ctx, gast.Load) and isinstance(node.value, gast.Name):
        own = LOAD_BYTE * _item_bytes(frame, node.value.id)
    return own + sum(_expression(frame, child) for child in syntax.children_of(node))


def _operation(operator: str) -> float:
    if operator in BUFFERS:
        return ALLOCATION
    if operator in IDLE:
        return OPERATION
    row = OPERATORS.get(operator)
    return FUNCTION if row is None else NANOSECONDS[row.work]


def block_length(start: gast.expr, stop: gast.expr) -> int:
    """128 where a loop runs from j to min(j + 128, n), else 0."""
    end = stop.args[0] if syntax.operator_of(stop) == "minimum" else None
    match end:
        case gast.Call(func=gast.Name(id="add"), args=[again, gast.Constant(value=int(length))]):
            return length if syntax.same(again, start) else 0
    return 0


def _item_bytes(frame: Emission, name: str) -> int:
    type_ = frame.function.types.get(name)
    return ITEM_BYTES[type_.dtype] if isinstance(type_, Array) else 8
