"""Rows: functions that a library computes, on matrices in memory.

    solve    the x of `a @ x == b`:  f64[n, n], f64[n] -> f64[n];  f64[n, n], f64[n, k] -> f64[n, k]

Such a row names the routine that the loops stage calls (`forms.py`); the target says what that is in LAPACK.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import gast
import numpy as np

from .. import syntax
from ..types import Extent, Type, rank
from .cotangents import Atom, Atoms, Static, filled
from .kinds import library
from .raising import always
from .schema import TypeFault
from .type_rules import dims_of, in_floats, numeric, shaped

if TYPE_CHECKING:
    from ..builder import Builder


def solve_type(types: Sequence[Type]) -> Type:
    numeric("np.linalg.solve", types)
    a, b = types
    if rank(a) != 2 or rank(b) not in (1, 2):
        what = f"a matrix and a vector or matrix, not {a} and {b}"
        raise TypeFault("S002", f"`np.linalg.solve` takes {what}; take the matrices of a stack in a loop")
    rows, columns = dims_of(a)
    _same("np.linalg.solve takes a square matrix", rows, columns, a)
    _same("np.linalg.solve takes as many rows on the right", rows, dims_of(b)[0], b)
    return shaped(in_floats("np.linalg.solve", types), dims_of(b))


def _same(what: str, one: Extent, other: Extent, type_: Type) -> None:
    if isinstance(one, int) and isinstance(other, int) and one != other:
        raise TypeFault("S003", f"{what}, not {type_}: {one} is not {other}")


# --- cotangents: with x = a^-1 b, b_bar = a^-T x_bar and a_bar = -b_bar x^T ------------------------------------------


def right_side_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    a, _ = operands
    turned = builder.call("transpose", a, axes=(1, 0))
    return builder.call("solve", turned, filled(builder, out_bar, out), hint="adjoint")


def matrix_vjp(builder: Builder, operands: Atoms, static: Static, out: Atom, out_bar: Atom) -> Atom | None:
    adjoint = right_side_vjp(builder, operands, static, out, out_bar)
    if rank(builder.type_of(out)) == 2:
        turned = builder.call("transpose", out, axes=(1, 0))
        return builder.call("negative", builder.call("matmul", adjoint, turned))
    column = _with_axis(builder, adjoint, 1)
    return builder.call("negative", builder.call("multiply", column, _with_axis(builder, out, 0)))


def _with_axis(builder: Builder, vector: gast.expr | None, place: int) -> gast.Name:
    items = [syntax.slice_(), syntax.constant(None)]
    return builder.load(vector, items if place == 1 else items[::-1])  # type: ignore[arg-type]


library("solve", "a, b", is_light=False, raises=always, type=solve_type, meaning=np.linalg.solve, routine="gesv",
        vjp=[matrix_vjp, right_side_vjp], spelling="np.linalg.solve({a}, {b})", samples="systems",
        python=("numpy.linalg.solve",))  # fmt: skip
