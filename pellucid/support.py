"""The few functions that printed stages need and NumPy does not have.

A file that `pellucid emit` prints imports them from here, so that it runs in plain CPython with the results of the
compiled code.
"""

from __future__ import annotations

import numpy as np

__all__ = ["dot", "gemm", "gemv", "gesv", "lanes", "prange"]

prange = range
"""A loop whose iterations are independent; in CPython they run in order."""

lanes = range
"""A loop whose sums `total += term` and extremes `best = np.maximum(best, term)` may be taken in any order.

Compiled code takes several terms at once, one in each lane of a vector, long sums on several threads, and adds the sums
of blocks with compensation; in CPython terms come one after the other, and rounding may take more of a long sum.
"""


def gemm(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """`out[...] = a @ b` for matrices of one dtype; `out` overlaps neither."""
    np.matmul(a, b, out=out)


def gemv(out: np.ndarray, a: np.ndarray, x: np.ndarray) -> None:
    """`out[...] = a @ x` for a matrix and a vector of one dtype."""
    np.matmul(a, x, out=out)


def dot(a: np.ndarray, b: np.ndarray) -> np.generic:
    """The sum of the products of two vectors of one length."""
    return np.dot(a, b)


def gesv(out: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    """`out[...] = np.linalg.solve(a, b)` for a square matrix and a vector or matrix of one dtype.

    Raises LinAlgError where the matrix is not square, or singular, and ValueError where the lengths do not go together.
    """
    out[...] = np.linalg.solve(a, b)
