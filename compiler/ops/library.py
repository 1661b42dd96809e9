"""Rows: functions that a library computes, on matrices in memory.

    solve    the x of `a @ x == b`:  f64[n, n], f64[n] -> f64[n];  f64[n, n], f64[n, k] -> f64[n, k]

Such a row names the routine that the loops stage calls (`forms.py`); the target says what that is in LAPACK.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..types import Extent, Type, rank
from .kinds import library
from .raising import always
from .rules import in_language
from .schema import TypeFault
from .type_rules import dims_of, in_floats, numeric, shaped


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


library("solve", "a, b", is_light=False, raises=always, type=solve_type, meaning=np.linalg.solve, routine="gesv",
        vjp=[in_language("solve_matrix"), in_language("solve_right_side")],
        spelling="np.linalg.solve({a}, {b})", samples="systems",
        python=("numpy.linalg.solve",))  # fmt: skip
