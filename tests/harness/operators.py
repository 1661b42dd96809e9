"""Cases made from the operator table, and a way to run typed statements in CPython.

    for case in operator_cases(): ...      every row on every sample it names
    run(body, {"x": value})                executes typed statements by their operators' meanings
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from pellucid.compiler import syntax, types
from pellucid.compiler.builder import Builder
from pellucid.compiler.dtypes import DTYPE_OF_NUMPY
from pellucid.compiler.names import Names
from pellucid.compiler.ops import OPERATORS, array_samples, samples  # noqa: F401
from pellucid.compiler.ops.schema import Operator
from pellucid.compiler.types import Array, Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class OperatorCase:
    """One row on one sample."""

    row: Operator
    number: int
    sample: samples.Sample

    def __str__(self) -> str:
        return f"{self.row.name}-{self.number}"

    @property
    def operands(self) -> tuple[Any, ...]:
        return self.sample.operands

    @property
    def static(self) -> dict[str, Any]:
        return {**self.row.static, **self.sample.static}

    def reference(self, *operands: Any) -> Any:
        """What NumPy or Python gives; on other operands when they are given."""
        with np.errstate(all="ignore"):
            return self.row.meaning(*(operands or self.operands), **self.static)

    @property
    def is_accepted(self) -> bool:
        """Whether Python itself gives an answer for this sample."""
        try:
            self.reference()
        except (TypeError, ValueError, ArithmeticError):
            return False
        return True


def operator_cases(*kinds: str) -> Iterator[OperatorCase]:
    """Every row of one result on every sample of its set that Python has an answer for; all kinds, or those named."""
    for row in OPERATORS.values():
        if kinds and row.kind not in kinds or row.results > 1:
            continue
        for number, sample in enumerate(samples.SAMPLES[row.samples]):
            case = OperatorCase(row, number, sample)
            if case.is_accepted:
                yield case


OF_EACH_KIND = "digamma zeta beta jv kn hyp1f1 airy_ai expn".split()


def is_one_of_many(name):
    """Whether a row is one of the many of `scipy.special` that are all alike, a few of which are always tried."""
    return OPERATORS[name].cpu.startswith("scipy ") and name not in OF_EACH_KIND


# --- types of values -----------------------------------------------------------------------------------------------


def type_of_value(value: Any, symbolic: bool = False) -> Scalar | Array:
    """The type of a value; with symbols, a length other than 1 is a symbol named after it."""
    match value:
        case bool():
            return types.BOOL
        case int():
            return types.INT
        case float() if not isinstance(value, np.generic):
            return types.FLOAT
        case complex() if not isinstance(value, np.generic):
            return types.COMPLEX
        case np.generic():
            return Scalar(DTYPE_OF_NUMPY[value.dtype])
    dims = tuple(types.symbol(f"n{d}") if symbolic and d != 1 else d for d in value.shape)
    return Array(DTYPE_OF_NUMPY[value.dtype], dims, "C" if value.flags.c_contiguous else "A")


def static_types(case: OperatorCase, symbolic: bool) -> dict[str, Any]:
    """The static keywords as type rules take them: shapes as extents."""
    static = dict(case.static)
    if symbolic and "shape" in static:
        static["shape"] = tuple(types.symbol(f"n{d}") if d != 1 else d for d in static["shape"])
    return static


def mismatch(value: Any, type_: Any, lengths: dict[str, int] | None = None) -> str:
    """What does not agree between a value and a type; empty where all does.

    `lengths` gives the values of symbols; one that is not in it takes the value it first stands for.
    """
    lengths = {} if lengths is None else lengths
    found = type_of_value(value)
    if isinstance(type_, Scalar) and isinstance(found, Array) and found.ndim == 0:
        found = Scalar(found.dtype)  # NumPy gives some of these as arrays without dimensions
    if isinstance(found, Scalar) or isinstance(type_, Scalar):
        return "" if found == type_ else f"value of type {found}, inferred {type_}"
    if found.dtype != type_.dtype or found.ndim != type_.ndim:
        return f"value of type {found}, inferred {type_}"
    for length, extent in zip(value.shape, type_.dims):
        if length_of(extent, lengths, length) != length:
            return f"value of type {found}, inferred {type_} with {lengths}"
    return ""


def length_of(extent: Any, lengths: dict[str, int], fallback: int) -> int:
    if isinstance(extent, int):
        return extent
    match extent:
        case types.Dim(terms=((name, 1),), constant=0):
            lengths.setdefault(name, fallback)
    return max(0, extent.constant + sum(factor * lengths[name] for name, factor in extent.terms))


def symbol_lengths(values: dict[str, Any]) -> dict[str, int]:
    """The meaning of the symbols that `type_of_value` made."""
    return {f"n{d}": d for value in values.values() for d in np.shape(value)}


# --- running typed statements --------------------------------------------------------------------------------------


def builder_for(values: dict[str, Any], symbolic: bool = False) -> Builder:
    """A builder that knows these names with the types of their values."""
    return Builder(Names(values), {name: type_of_value(v, symbolic) for name, v in values.items()})


def run(body: list[gast.stmt], values: dict[str, Any], check: Any = None) -> dict[str, Any]:
    """Execute typed statements; `check(name, value)` sees every assignment."""
    for statement in body:
        _execute(statement, values, check)
    return values


def _execute(statement: gast.stmt, values: dict[str, Any], check: Any) -> None:
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            values[name] = evaluate(value, values)
            if check:
                check(name, values[name])
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
            for place, result in zip(places, evaluate(value, values), strict=True):
                values[place.id] = result
                if check:
                    check(place.id, result)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name), slice=items)], value=value):
            values[name][_items(items, values)] = evaluate(value, values)
        case gast.For(target=gast.Name(id=name), iter=gast.Call(args=bounds), body=body):
            for value in range(*(evaluate(b, values) for b in bounds)):
                values[name] = value
                run(body, values, check)
        case gast.If(test=test, body=body, orelse=orelse):
            run(body if evaluate(test, values) else orelse, values, check)
        case _:
            raise AssertionError(gast.dump(statement))


def evaluate(node: gast.expr, values: dict[str, Any]) -> Any:
    """A typed or loops expression by the meanings of its operators."""
    match node:
        case gast.Constant(value=value):
            return value
        case gast.Name(id=name):
            return values[name]
        case gast.Tuple(elts=elements):
            return tuple(evaluate(e, values) for e in elements)
        case gast.IfExp(test=test, body=body, orelse=orelse):
            return evaluate(body if evaluate(test, values) else orelse, values)
        case gast.Subscript(value=gast.Name(id=name), slice=items):
            return values[name][_items(items, values)]
        case gast.Call(func=gast.Name(id=operator), args=args, keywords=keywords):
            static = {k.arg: evaluate(k.value, values) for k in keywords}
            with np.errstate(all="ignore"):
                return OPERATORS[operator].meaning(*(evaluate(a, values) for a in args), **static)
    raise AssertionError(gast.dump(node))


def _items(items: gast.expr, values: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        slice(*(None if p is None else evaluate(p, values) for p in (e.lower, e.upper, e.step)))
        if isinstance(e, gast.Slice)
        else evaluate(e, values)
        for e in items.elts
    )



def operand_atoms(case: OperatorCase) -> tuple[dict[str, Any], list[gast.expr]]:
    """Names for the operands of a case."""
    values = {f"x{k}": operand for k, operand in enumerate(case.operands)}
    return values, [syntax.name(name) for name in values]
