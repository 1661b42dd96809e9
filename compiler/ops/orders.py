"""Rows: the rows of a matrix in increasing order, nan last, by the sorts of NumPy itself.

    sort_into(y, a)     every row sorted
    order_into(p, a)    the places in which its elements then stand, equals as they are
"""

from __future__ import annotations

import numpy as np

from .routines import routine

EVERY_KIND = ("float", "int", "complex")


def sorted_rows(a: np.ndarray) -> np.ndarray:
    return np.sort(a, axis=-1)


def order_of_rows(a: np.ndarray) -> np.ndarray:
    return np.argsort(a, axis=-1, kind="stable")


routine("sort_into", "y(m, n) <- a(m, n)", meaning=sorted_rows, work="m * n * 20", kinds=EVERY_KIND, keeps_dtype=True,
        samples="unordered_rows", steps="sort(a, y)")  # fmt: skip
routine("order_into", "int p(m, n) <- a(m, n)", meaning=order_of_rows, work="m * n * 60", kinds=EVERY_KIND,
        keeps_dtype=True, samples="unordered_rows", steps="order(a, p)")  # fmt: skip
