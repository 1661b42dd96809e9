"""Rows: linear algebra, by way of the LAPACK that NumPy itself uses.

    gesv(x, a, b)          x so that a @ x == b, for a square matrix and a vector or the columns of a matrix
    trtrs(x, a, b)         the same for a triangle; what is on its other side is not read
    potrf(l, a)            the lower triangle with l @ l.T == a; what is above the diagonal of a is not read
    getrf(lu, pivots, a)   the triangles of a square whose rows are exchanged: i with pivots[i], one after the other
    geqrf(q, r, a)         orthonormal columns and an upper triangle with q @ r == a
    geqrf_complete(q, r, a)     the same with a square q; `geqrf_raw(h, tau, a)` as LAPACK gives it, by reflections
    syevd(w, v, a)         eigenvalues, ascending,
        and eigenvectors of a symmetric matrix: the triangle UPLO is read; of complex
                           numbers, of the matrix that is its own conjugate transpose, as for potrf
    syevd_values(w, a)     its eigenvalues alone
    geev(x, y, v, a)       eigenvalues x + i y of a real square, and eigenvectors: those of a pair are v[:, k] and its
                           conjugate, v[:, k] + i v[:, k + 1] for the first of the two
    geev_values(x, y, a)   its eigenvalues alone
    geev_of_complex(w, v, a)    eigenvalues and eigenvectors of a complex square; `geev_values_of_complex(w, a)`
    gesdd(u, s, vt, a)     u @ diag(s) @ vt == a
    gesdd_full(u, s, vt, a)     the same with squares u and vt
    gesdd_values(s, a)     its singular values alone

LAPACK reads columns and works in place: it gets matrices copied by columns, as NumPy passes them, so that pivots
and roundings are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from .routines import SQUARE, gufunc, routine

SOLVE = (gufunc("solve", "(m,m),(m,n)->(m,n)"), gufunc("solve1", "(m,m),(m)->(m)"))
UNLIKE = (
    "shapes of a ({known}, {known}) and b ({found}, {k}) are incompatible",
    "shapes of a ({known}, {known}) and b ({found},) are incompatible",
)
LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
OF_BOTH = ("float", "complex")
NOT_DECOMPOSED = ("LinAlgError", "SVD did not converge")
NO_CONVERGENCE = ("LinAlgError", "Eigenvalues did not converge")


def _of_scipy(module: str, name: str) -> Any:
    """A function of SciPy, which few programs need and which takes long to import."""
    return getattr(import_module(f"scipy.linalg{module}"), name)


def factored(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError(SQUARE[1])
    if not a.size:
        return a.copy(), np.arange(0)
    lu, pivots, _ = _of_scipy(".lapack", f"{LETTERS[a.dtype.char]}getrf")(a)
    return lu, pivots


def of_square(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors in real numbers, as LAPACK gives them."""
    w, v = np.linalg.eig(a)
    packed = np.array(v.real)
    for k in range(len(w)):
        if w[k].imag < 0.0:
            packed[:, k] = v[:, k - 1].imag
    return np.array(w.real), np.array(w.imag), packed


def solved_triangle(a: np.ndarray, b: np.ndarray, lower: bool) -> np.ndarray:
    solve: Callable[..., np.ndarray] = _of_scipy("", "solve_triangular")
    return solve(a, b, lower=lower, check_finite=False)


routine("gesv", "x(n, k?) <- a(n, n), b(n, k?)", meaning=np.linalg.solve, work="n * n * n / 3 + n * n * k",
        mismatch=SOLVE, error=("LinAlgError", "Singular matrix"), kinds=OF_BOTH, samples="systems", steps="""
            f = columns(a)
            s = columns(b)
            gesv(n, k, f, max(1, n), ints(n), s, max(1, n), info)
            x = s
        """, cuda="""
            f = columns(a)
            s = columns(b)
            p = ints(n)
            getrf(n, n, f, max(1, n), work, p, info)
            getrs('N', n, k, f, max(1, n), p, s, max(1, n), info)
            x = s
        """)  # fmt: skip
routine("trtrs", "x(n, k?) <- a(n, n), b(n, k?)", meaning=solved_triangle, static={"lower": False},
        work="n * n * k / 2", square=("ValueError", "expected square matrix"), mismatch=UNLIKE,
        error=("LinAlgError", "singular matrix: resolution failed at diagonal {}"), kinds=OF_BOTH,
        samples="triangles", steps="""
            f = columns(a)
            s = columns(b)
            trtrs('L' if lower else 'U', 'N', 'N', n, k, f, max(1, n), s, max(1, n), info)
            x = s
        """, cuda="""
            f = columns(a)
            s = columns(b)
            zero_on_diagonal(f)
            trsm('L', 'L' if lower else 'U', 'N', 'N', n, k, 1.0, f, max(1, n), s, max(1, n))
            x = s
        """)  # fmt: skip
routine("potrf", "l(n, n) <- a(n, n)", meaning=np.linalg.cholesky, work="n * n * n / 6", kinds=OF_BOTH,
        samples="positive_definite",
        error=("LinAlgError", "Matrix is not positive definite"), steps="""
            f = columns(a)
            potrf('L', n, f, max(1, n), info)
            l = lower(f)
        """, cuda="""
            f = columns(a)
            potrf('L', n, f, max(1, n), work, info)
            l = lower(f)
        """)  # fmt: skip
routine("getrf", "lu(n, n), int pivots(n) <- a(n, n)", meaning=factored, work="n * n * n / 3",
        kinds=OF_BOTH, samples="square_matrices", steps="""
            f = columns(a)
            p = ints(n)
            getrf(n, n, f, max(1, n), p, info)
            lu = f
            pivots = positions(p)
        """, cuda="""
            f = columns(a)
            p = ints(n)
            getrf(n, n, f, max(1, n), work, p, info)
            lu = f
            pivots = positions(p)
        """)  # fmt: skip
routine("geqrf", "q(m, k), r(k, n) <- a(m, n) with k = min(m, n)", meaning=np.linalg.qr, work="2 * m * n * k",
        kinds=OF_BOTH, samples="matrices", steps="""
            f = columns(a)
            t = floats(k)
            geqrf(m, n, f, max(1, m), t, work, lwork, info)
            r = upper(f)
            orgqr(m, k, k, f, max(1, m), t, work, lwork, info)
            q = f
        """, cuda="""
            f = columns(a)
            t = floats(k)
            geqrf(m, n, f, max(1, m), t, work, info)
            r = upper(f)
            orgqr(m, k, k, f, max(1, m), t, work, info)
            q = f[:, :k]
        """)  # fmt: skip
routine("geqrf_complete", "q(m, m), r(m, n) <- a(m, n) with k = min(m, n)", work="2 * m * m * n", kinds=OF_BOTH,
        meaning=lambda a: np.linalg.qr(a, "complete"), samples="matrices", steps="""
            f = columns(a)
            g = floats(m, m)
            t = floats(k)
            geqrf(m, n, f, max(1, m), t, work, lwork, info)
            r = upper(f)
            lacpy('A', m, k, f, max(1, m), g, max(1, m))
            orgqr(m, m, k, g, max(1, m), t, work, lwork, info)
            q = g
        """)  # fmt: skip
routine("geqrf_raw", "h(m, n), tau(k) <- a(m, n) with k = min(m, n)", work="2 * m * n * k", kinds=OF_BOTH,
        meaning=lambda a: (np.linalg.qr(a, "raw")[0].T, np.linalg.qr(a, "raw")[1]), samples="matrices", steps="""
            f = columns(a)
            geqrf(m, n, f, max(1, m), tau, work, lwork, info)
            h = f
        """)  # fmt: skip
routine("syevd", "real w(n), v(n, n) <- a(n, n)", meaning=np.linalg.eigh, static={"UPLO": "L"}, work="9 * n * n * n",
        kinds=OF_BOTH, samples="symmetric",
        error=NO_CONVERGENCE, steps="""
            f = columns(a)
            syevd('V', UPLO, n, f, max(1, n), w, work, lwork, rwork, lrwork, iwork, liwork, info)
            v = f
        """, cuda="""
            f = columns(a)
            syevd('V', UPLO, n, f, max(1, n), w, work, info)
            v = f
        """)  # fmt: skip
routine("gesdd", "u(m, k), real s(k), vt(k, n) <- a(m, n) with k = min(m, n)", work="8 * m * n * k", kinds=OF_BOTH,
        samples="matrices",
        meaning=lambda a: np.linalg.svd(a, full_matrices=False), error=NOT_DECOMPOSED,
        steps="""
            f = columns(a)
            left = floats(m, k)
            right = floats(k, n)
            gesdd('S', m, n, f, max(1, m), s, left, max(1, m), right, max(1, k), work, lwork,
                  rwork(k * (5 * k + 2 * max(m, n) + 7)), ints(8 * k), info)
            u = left
            vt = right
        """, cuda="""
            f = columns(a if m >= n else a.T)
            tall = max(m, n)
            left = floats(tall, k)
            right = floats(k, k)
            gesvd('S', 'S', tall, k, f, tall, s, left, tall, right, k, work, None, info)
            u = left if m >= n else right.T
            vt = right if m >= n else left.T
        """)  # fmt: skip
routine("gesdd_full", "u(m, m), real s(k), vt(n, n) <- a(m, n) with k = min(m, n)", work="8 * m * n * max(m, n)",
        kinds=OF_BOTH, samples="matrices", meaning=np.linalg.svd, error=NOT_DECOMPOSED,
        steps="""
            f = columns(a)
            left = floats(m, m)
            right = floats(n, n)
            laset('A', m, m, 0.0, 1.0, left, max(1, m))
            laset('A', n, n, 0.0, 1.0, right, max(1, n))
            gesdd('A', m, n, f, max(1, m), s, left, max(1, m), right, max(1, n), work, lwork,
                  rwork(k * (5 * k + 2 * max(m, n) + 7)), ints(8 * k), info)
            u = left
            vt = right
        """, cuda="""
            f = columns(a if m >= n else a.T)
            tall = max(m, n)
            left = floats(tall, tall)
            right = floats(k, k)
            gesvd('A', 'A', tall, k, f, tall, s, left, tall, right, k, work, None, info)
            u = left if m >= n else right.T
            vt = right if m >= n else left.T
        """)  # fmt: skip
routine("geev", "x(n), y(n), v(n, n) <- a(n, n)", meaning=of_square, work="25 * n * n * n",
        samples="apart_in_eigenvalues", error=NO_CONVERGENCE, steps="""
            f = columns(a)
            none = floats(1)
            right = floats(n, n)
            geev('N', 'V', n, f, max(1, n), x, y, none, 1, right, max(1, n), work, lwork, info)
            v = right
        """)  # fmt: skip
routine("geev_values", "x(n), y(n) <- a(n, n)", meaning=lambda a: of_square(a)[:2], work="10 * n * n * n",
        samples="apart_in_eigenvalues", error=NO_CONVERGENCE, steps="""
            f = columns(a)
            none = floats(1)
            geev('N', 'N', n, f, max(1, n), x, y, none, 1, none, 1, work, lwork, info)
        """)  # fmt: skip
routine("geev_of_complex", "w(n), v(n, n) <- a(n, n)", meaning=np.linalg.eig, work="25 * n * n * n", kinds=("complex",),
        samples="square_pairs", error=NO_CONVERGENCE, steps="""
            f = columns(a)
            none = floats(1)
            right = floats(n, n)
            geev('N', 'V', n, f, max(1, n), w, none, 1, right, max(1, n), work, lwork, rwork(2 * n), info)
            v = right
        """)  # fmt: skip
routine("geev_values_of_complex", "w(n) <- a(n, n)", meaning=np.linalg.eigvals, work="10 * n * n * n",
        kinds=("complex",), samples="square_pairs", error=NO_CONVERGENCE, steps="""
            f = columns(a)
            none = floats(1)
            geev('N', 'N', n, f, max(1, n), w, none, 1, none, 1, work, lwork, rwork(2 * n), info)
        """)  # fmt: skip
routine("syevd_values", "real w(n) <- a(n, n)", meaning=np.linalg.eigvalsh, static={"UPLO": "L"},
        work="2 * n * n * n", kinds=OF_BOTH, samples="symmetric",
        error=NO_CONVERGENCE, steps="""
            f = columns(a)
            syevd('N', UPLO, n, f, max(1, n), w, work, lwork, rwork, lrwork, iwork, liwork, info)
        """, cuda="""
            f = columns(a)
            syevd('N', UPLO, n, f, max(1, n), w, work, info)
        """)  # fmt: skip
routine("gesdd_values", "real s(k) <- a(m, n) with k = min(m, n)", work="4 * m * n * k", kinds=OF_BOTH,
        samples="matrices",
        meaning=lambda a: np.linalg.svd(a, compute_uv=False), error=NOT_DECOMPOSED, steps="""
            f = columns(a)
            none = floats(1)
            gesdd('N', m, n, f, max(1, m), s, none, 1, none, 1, work, lwork, rwork(7 * k), ints(8 * k), info)
        """, cuda="""
            f = columns(a if m >= n else a.T)
            tall = max(m, n)
            gesvd('N', 'N', tall, k, f, tall, s, None, tall, None, k, work, None, info)
        """)  # fmt: skip
