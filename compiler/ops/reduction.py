"""Rows: reductions along axes.

    sum(x, axis=1)    f32[n, m]  ->  f32[n]        sum(x)    i32[n]  ->  i64        (NumPy sums small ints in int64)

`axis` is None, an int or a tuple of ints; `argmax` and `argmin` take None or an int.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import gast
import numpy as np

from .. import syntax
from ..dtypes import BOOL_WORD, DTYPE, INT_WORD, is_complex, is_inexact, summed
from ..types import Array, Type, dtype_of
from .cotangents import Atom, Atoms, Static, shape_of
from .kinds import reduction
from .raising import if_empty
from .rules import in_language, series_in_language, tangent_in_language
from .schema import OPERATORS, TOGETHER, Fold, TypeFault, TypeRule
from .type_rules import dims_of, normal_axes, numeric, shaped

if TYPE_CHECKING:
    from ..builder import Builder


def reduces(name: str, dtype: Callable[[str], str], one_axis: bool = False, needs_elements: bool = False) -> TypeRule:
    """The shape without the reduced axes (1 there with keepdims), in the dtype that `dtype` gives."""

    def rule(types: Sequence[Type], axis: object = None, keepdims: bool = False) -> Type:
        numeric(name, types)
        dims = dims_of(types[0])
        if one_axis and isinstance(axis, tuple):
            raise TypeFault("R001", f"`{name}` takes one axis or None, not {axis}")
        axes = normal_axes(axis, len(dims))
        if needs_elements and any(dims[k] == 0 for k in axes):
            raise TypeFault("S003", f"`{name}` of no elements has no value: {types[0]} is empty along the axis")
        left = [1 if k in axes else d for k, d in enumerate(dims) if keepdims or k not in axes]
        return shaped(dtype(types[0].dtype), tuple(left))  # type: ignore[union-attr]

    return rule


def _same(dtype: str) -> str:
    return dtype


# --- cotangents ----------------------------------------------------------------------------------------------------


def spread(builder: Builder, value: gast.expr, x: gast.expr, static: Static) -> gast.expr:
    """A value with the reduced shape, made to broadcast against `x`: length 1 on the axes that are gone."""
    dims = dims_of(builder.type_of(x))
    if static["keepdims"] or not dims_of(builder.type_of(value)):
        return value
    axes = normal_axes(static["axis"], len(dims))
    items = [syntax.constant(None) if k in axes else syntax.slice_() for k in range(len(dims))]
    return builder.load(value, items)


def sum_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """Every element gets the cotangent of its sum; a single sum's stays the scalar it is."""
    (x,) = operands
    value = spread(builder, out_bar, x, static)
    if not isinstance(builder.type_of(value), Array):
        return value
    return builder.call("broadcast_to", value, shape=shape_of(builder, x))


def extreme_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    """The elements that attain the extreme share its cotangent evenly, as in JAX; all of it is nan where it is nan."""
    (x,) = operands
    attained, count = _attained(builder, x, static, out)
    share = builder.call("divide", out_bar, count, hint="share")
    rest = builder.call("where", builder.call("isnan", out), math.nan, 0.0)  # nothing equals an extreme that is nan
    rest = builder.call("cast", rest, hint="rest", dtype=dtype_of(builder.type_of(out)), weak=False)
    return builder.call("where", attained, spread(builder, share, x, static), spread(builder, rest, x, static))


def not_beaten(sign: str) -> Callable[..., Atom]:
    """Which elements are taken: all, where the extreme is nan."""

    def taken(builder: Builder, operands: Atoms, static: Static, out: Atom) -> Atom:
        (x,) = operands
        beaten = builder.call(sign, x, spread(builder, out, x, static), hint="beaten")
        return builder.call("logical_not", beaten, hint="taken")

    return taken


def extreme_jvp(builder: Builder, operands: Atoms, tangents: Atoms, static: Static, out: Atom) -> Atom:
    """The mean of the tangents of the elements that attain the extreme; nan where it is nan."""
    (x,), (x_dot,) = operands, tangents
    attained, count = _attained(builder, x, static, out)
    total = builder.call("sum", builder.call("where", attained, x_dot, 0.0), hint="total", **static)
    return builder.call("divide", total, count)


def _attained(builder: Builder, x: Atom, static: Static, out: Atom) -> tuple[Atom, Atom]:
    """Which elements attain the extreme, and how many they are."""
    attained = builder.call("equal", x, spread(builder, out, x, static), hint="attained")
    count = builder.call("sum", attained, hint="count", **static)
    return attained, builder.call("cast", count, hint="count", dtype=dtype_of(builder.type_of(out)), weak=False)


# --- values before the first element ------------------------------------------------------------------------------

def least(dtype: str) -> object:
    return DTYPE[dtype].least


def greatest(dtype: str) -> object:
    return DTYPE[dtype].greatest


# --- rows ----------------------------------------------------------------------------------------------------------

reduction("sum", type=reduces("sum", summed), meaning=np.sum, vjp=sum_vjp, linear=TOGETHER, samples="arrays",
          fold=Fold("add", lambda dtype: DTYPE[dtype].python_type(0), "total", compensated=True))  # fmt: skip
reduction("prod", type=reduces("prod", summed), meaning=np.prod, vjp=in_language("prod"), samples="arrays",
          jvp=tangent_in_language("prod"), series=series_in_language("prod_of_polynomials"),
          fold=Fold("multiply", lambda dtype: DTYPE[dtype].python_type(1), "product", keeps_order=True))  # fmt: skip
reduction("max", raises=if_empty, type=reduces("max", _same, needs_elements=True), meaning=np.max, vjp=extreme_vjp,
          jvp=extreme_jvp, fold=Fold("maximum", least, "best"), samples="arrays",
          taken=(not_beaten("less"),))  # fmt: skip
reduction("min", raises=if_empty, type=reduces("min", _same, needs_elements=True), meaning=np.min, vjp=extreme_vjp,
          jvp=extreme_jvp, fold=Fold("minimum", greatest, "best"), samples="arrays",
          taken=(not_beaten("greater"),))  # fmt: skip
reduction("any", type=reduces("any", lambda _: BOOL_WORD), meaning=np.any, vjp=None, samples="arrays",
          fold=Fold("logical_or", lambda dtype: False, "found"))  # fmt: skip
reduction("all", type=reduces("all", lambda _: BOOL_WORD), meaning=np.all, vjp=None, samples="arrays",
          fold=Fold("logical_and", lambda dtype: True, "holds"))  # fmt: skip
reduction("argmax", raises=if_empty, type=reduces("argmax", lambda _: INT_WORD, one_axis=True, needs_elements=True),
          fold=Fold("greater", least, "place"), meaning=np.argmax, vjp=None, samples="arrays")  # fmt: skip
reduction("argmin", raises=if_empty, type=reduces("argmin", lambda _: INT_WORD, one_axis=True, needs_elements=True),
          fold=Fold("less", greatest, "place"), meaning=np.argmin, vjp=None, samples="arrays")  # fmt: skip

REDUCED_BY = {row.fold.combine: row.name for row in OPERATORS.values() if row.fold is not None}
FOLDS = {row.fold.combine: row.fold for row in OPERATORS.values() if row.fold is not None}


def fold_by(operator: str | None, dtype: str) -> Fold | None:
    """The fold that takes elements of the dtype together by this operator, if it may do so in any order."""
    fold = FOLDS.get(str(operator))
    return None if fold is None or OPERATORS[fold.combine].is_comparison or _keeps_order(fold, dtype) else fold


def reduction_by(operator: str | None) -> str:
    """The reduction that takes elements together by this operator, which is what folds over threads are called by;
    empty where there is none: a comparison looks for a position, which is another kind of fold.
    """
    name = REDUCED_BY.get(str(operator), "")
    return "" if not name or OPERATORS[str(operator)].is_comparison else name


def _keeps_order(fold: Fold, dtype: str) -> bool:
    """Whether one order alone is NumPy's: of products of floats, and of extremes of what has no order of its own."""
    return fold.keeps_order and is_inexact(dtype) or OPERATORS[fold.combine].reorders == "zeros" and is_complex(dtype)
