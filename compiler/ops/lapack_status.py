"""Rows: whether a routine of linear algebra comes to its end, for programs that go another way where it does not.

    gesv_fails(a)      1.0 where `gesv` says that the matrix is singular, else 0.0
    potrf_fails(a)     the same of `potrf`, where it is not positive definite; and so on for the other routines

Each makes the call of the routine itself, so that the two never say different things.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .lapack import OF_BOTH, solved_triangle
from .routines import SQUARE, routine


def fails(function: Callable[..., object]) -> Callable[..., np.float64]:
    """What `number(info)` is in CPython; a matrix that is not square is another error."""

    def told(a: np.ndarray, **static: object) -> np.float64:
        if function is not np.linalg.svd and a.shape[0] != a.shape[1]:
            raise np.linalg.LinAlgError(SQUARE[1])
        try:
            function(a, **static)
        except np.linalg.LinAlgError:
            return np.float64(1.0)
        return np.float64(0.0)

    return told


def _solve(a: np.ndarray) -> object:
    return np.linalg.solve(a, np.zeros(len(a)))


def _solve_triangle(a: np.ndarray) -> object:
    return solved_triangle(a, np.zeros(len(a)), True)


routine("gesv_fails", "real failed() <- a(n, n)", meaning=fails(_solve), work="n * n * n / 3",
        kinds=OF_BOTH, samples="square_matrices", steps="""
            f = columns(a)
            s = floats(n)
            gesv(n, 1, f, max(1, n), ints(n), s, max(1, n), info)
            failed = number(info)
        """, cuda="""
            f = columns(a)
            getrf(n, n, f, max(1, n), work, ints(n), info)
            failed = number(info)
        """)  # fmt: skip
routine("trtrs_fails", "real failed() <- a(n, n)", meaning=fails(_solve_triangle), work="n * n",
        kinds=OF_BOTH, samples="lower_triangles", steps="""
            f = columns(a)
            s = floats(n)
            trtrs('L', 'N', 'N', n, 1, f, max(1, n), s, max(1, n), info)
            failed = number(info)
        """, cuda="""
            zero_on_diagonal(columns(a))
            failed = number(info)
        """)  # fmt: skip
routine("potrf_fails", "real failed() <- a(n, n)", meaning=fails(np.linalg.cholesky), work="n * n * n / 6",
        kinds=OF_BOTH, samples="positive_definite", steps="""
            f = columns(a)
            potrf('L', n, f, max(1, n), info)
            failed = number(info)
        """, cuda="""
            f = columns(a)
            potrf('L', n, f, max(1, n), work, info)
            failed = number(info)
        """)  # fmt: skip
routine("syevd_fails", "real failed() <- a(n, n)", meaning=fails(np.linalg.eigh), static={"UPLO": "L"},
        work="9 * n * n * n",
        kinds=OF_BOTH, samples="symmetric", steps="""
            f = columns(a)
            w = reals(n)
            syevd('V', UPLO, n, f, max(1, n), w, work, lwork, rwork, lrwork, iwork, liwork, info)
            failed = number(info)
        """)  # fmt: skip
routine("gesdd_fails", "real failed() <- a(m, n) with k = min(m, n)", meaning=fails(np.linalg.svd),
        work="8 * m * n * k",
        kinds=OF_BOTH, samples="matrices", steps="""
            f = columns(a)
            s = reals(k)
            left = floats(m, k)
            right = floats(k, n)
            gesdd('S', m, n, f, max(1, m), s, left, max(1, m), right, max(1, k), work, lwork,
                  rwork(k * (5 * k + 2 * max(m, n) + 7)), ints(8 * k), info)
            failed = number(info)
        """)  # fmt: skip
