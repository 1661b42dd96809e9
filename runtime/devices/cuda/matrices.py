"""Matrices as cuSOLVER wants them, column after column, and back: copies by cuBLAS, in the order of the stream.

    f = by_columns(n, m, dtype, number)   n x m, whose columns are contiguous
    copy_matrix(f, a)                     f = a, for all ways in which rows or columns are contiguous
    triangle(f, n, k, UPPER)              the triangle of the first columns of f, the rest 0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import driver
from .libraries import LETTERS, Library, library, number_of, on_device
from .products import PLAIN, readable_or_copied

LOWER, UPPER = 0, 1  # CUBLAS_FILL_MODE_LOWER and CUBLAS_FILL_MODE_UPPER


def blas() -> Library:
    found = library("cublas")
    assert found is not None, "cuSOLVER comes with cuBLAS"
    return found


def by_columns(rows: int, columns: int, dtype: Any) -> Any:
    """An uninitialised matrix, column after column."""
    return driver.extension().device_array((columns, rows), dtype).T


def lead(f: Any) -> int:
    """The step from a column to the next, in elements."""
    return max(int(f.strides[1] // f.itemsize), 1) if f.shape[1] > 1 else max(f.shape[0], 1)


def copy_array(to: Any, a: Any) -> None:
    """A vector or a matrix, whose rows or columns are contiguous where it is written."""
    if to.ndim == 1:
        _copy_vector(to, a)
    elif to.strides[1] == to.itemsize or to.shape[1] == 1:
        _copy_rows(to.T, a.T)
    else:
        _copy_rows(to, a)


def _copy_vector(to: Any, a: Any) -> None:
    letter, item = LETTERS[to.dtype], to.itemsize
    a = a if a.strides[0] > 0 and not a.strides[0] % item else a.copy()
    with on_device(to.number):
        handle = blas().handle(to.number)
        steps = a.strides[0] // item, to.strides[0] // item
        blas().call(f"cublas{letter}copy_v2", handle, to.size, a.ptr, steps[0], to.ptr, steps[1])


def _copy_rows(to: Any, a: Any) -> None:
    """Copy what the library sees as a matrix of columns, `to`, from one that lies in any way."""
    letter, (rows, columns) = LETTERS[to.dtype], to.shape
    a, way, step = readable_or_copied(a)
    turn = 1 if way == PLAIN else 0  # what has contiguous rows is, in columns, the transposed matrix
    one, zero = number_of(letter, 1.0), number_of(letter, 0.0)
    with on_device(to.number):
        blas().call(
            f"cublas{letter}geam", blas().handle(to.number), turn, turn, rows, columns, one, a.ptr, step, zero, a.ptr,
            step, to.ptr, lead(to),
        )  # fmt: skip


def triangle(f: Any, rows: int, columns: int, side: int) -> Any:
    """The part of f's first rows and columns on one side of the diagonal, with it, and 0 on the other side."""
    letter, n = LETTERS[f.dtype], min(rows, columns)
    made = by_columns(rows, columns, f.dtype)
    made.T.clear()
    packed = driver.extension().device_array(n * (n + 1) // 2, f.dtype)
    with on_device(f.number):
        handle = blas().handle(f.number)
        blas().call(f"cublas{letter}trttp", handle, side, n, f.ptr, lead(f), packed.ptr)
        blas().call(f"cublas{letter}tpttr", handle, side, n, packed.ptr, made.ptr, lead(made))
    if columns > n:
        copy_array(made[:, n:], f[:rows, n:columns])
    return made


def diagonal(a: Any) -> np.ndarray:
    """The diagonal of a square of columns, on the host; waits for it."""
    letter, n = LETTERS[a.dtype], a.shape[0]
    made = driver.extension().device_array(n, a.dtype)
    with on_device(a.number):
        blas().call(f"cublas{letter}copy_v2", blas().handle(a.number), n, a.ptr, lead(a) + 1, made.ptr, 1)
    return made
