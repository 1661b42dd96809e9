"""Rows: linear algebra, by way of the LAPACK that NumPy itself uses.

    gesv(x, a, b)          x so that a @ x == b, for a square matrix and a vector or the columns of a matrix
    trtrs(x, a, b)         the same for a triangle; what is on its other side is not read
    potrf(l, a)            the lower triangle with l @ l.T == a; what is above the diagonal of a is not read
    getrf(lu, pivots, a)   the triangles of a square whose rows are exchanged: i with pivots[i], one after the other
    getrf_kept(factors, pivots, a)    the same to solve with: in LAPACK's own order, which makes it the transpose
    getrs(x, factors, pivots, b)      x so that a @ x == b, or a.T @ x == b, by these
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
    gees(t, u, a)          u @ t @ u.T == a with orthonormal u and t upper triangular but for 2 x 2 blocks, those of
                           pairs of eigenvalues; `gees_of_complex(t, u, a)`, where t is a triangle
    trsyl(x, a, b, q)      the x with a @ x + x @ b == q
    gbsv(x, below, ab, b)  x so that a @ x == b, where a[i, j] is ab[l + u + i - j, j] within l diagonals below its own
                           and u above it: l is the length of `below`, ab has 2 l + u + 1 rows, the first l not read
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
OF_SECOND = tuple(words.replace("{operand}", "1") for words in SOLVE)
UNLIKE = (
    "shapes of a ({known}, {known}) and b ({found}, {k}) are incompatible",
    "shapes of a ({known}, {known}) and b ({found},) are incompatible",
)
UNEQUAL = "matrices of {known} and {found} rows or columns do not go together"
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


def factored_by_columns(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lu, pivots = factored(a)
    if not np.all(np.diagonal(lu)):
        raise np.linalg.LinAlgError("Singular matrix")
    return np.ascontiguousarray(lu.T), pivots


def solved_by_factors(f: np.ndarray, pivots: np.ndarray, b: np.ndarray, transposed: bool = False) -> np.ndarray:
    if f.shape[0] != f.shape[1]:
        raise np.linalg.LinAlgError(SQUARE[1])
    if not b.size or len(f) != len(b):
        np.linalg.solve(np.eye(len(f)), b)  # says what does not fit
        return b.copy()
    found: np.ndarray = _of_scipy("", "lu_solve")((f.T, pivots), b, trans=int(transposed), check_finite=False)
    return found


def of_square(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors in real numbers, as LAPACK gives them."""
    w, v = np.linalg.eig(a)
    packed = np.array(v.real)
    for k in range(len(w)):
        if w[k].imag < 0.0:
            packed[:, k] = v[:, k - 1].imag
    return np.array(w.real), np.array(w.imag), packed


def schur(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found: tuple[np.ndarray, np.ndarray] = _of_scipy("", "schur")(a, check_finite=False)
    return found


def solved_sylvester(a: np.ndarray, b: np.ndarray, q: np.ndarray) -> np.ndarray:
    if a.shape[0] != a.shape[1] or b.shape[0] != b.shape[1]:
        raise ValueError("expected square matrix")
    if (a.shape[0], b.shape[0]) != q.shape:
        known, found = (len(a), len(q)) if len(a) != len(q) else (len(b), q.shape[1])
        raise ValueError(UNEQUAL.format(known=known, found=found))
    solve: Callable[..., np.ndarray] = _of_scipy("", "solve_sylvester")
    return solve(a, b, q) if q.size else q.copy()


def solved_band(below: np.ndarray, ab: np.ndarray, b: np.ndarray) -> np.ndarray:
    solve: Callable[..., np.ndarray] = _of_scipy("", "solve_banded")
    return solve((len(below), len(ab) - 2 * len(below) - 1), ab[len(below) :], b, check_finite=False)


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
routine("getrf_kept", "factors(n, n), int pivots(n) <- a(n, n)", meaning=factored_by_columns, work="n * n * n / 3",
        error=("LinAlgError", "Singular matrix"), kinds=OF_BOTH, samples="square_matrices", steps="""
            factors = columns(a)
            p = ints(n)
            getrf(n, n, factors, max(1, n), p, info)
            pivots = positions(p)
        """, cuda="""
            c = columns(a)
            p = ints(n)
            getrf(n, n, c, max(1, n), work, p, info)
            factors = c.T
            pivots = positions(p)
        """)  # fmt: skip
routine("getrs", "x(n, k?) <- factors(n, n), int pivots(n), b(n, k?)", meaning=solved_by_factors, work="n * n * k",
        static={"transposed": False}, kinds=OF_BOTH, keeps_dtype=True, samples="factors", mismatch=OF_SECOND, steps="""
            r = stored_rows(factors)
            s = columns(b)
            if not transposed: exchange_rows(s, pivots)
            trtrs('U' if transposed else 'L', 'T' if transposed else 'N', 'N' if transposed else 'U', n, k, r, lead(r),
                  s, max(1, n), info)
            trtrs('L' if transposed else 'U', 'T' if transposed else 'N', 'U' if transposed else 'N', n, k, r, lead(r),
                  s, max(1, n), info)
            if transposed: exchange_rows_back(s, pivots)
            x = s
        """, cuda="""
            c = columns(factors.T)
            s = columns(b)
            getrs('T' if transposed else 'N', n, k, c, max(1, n), counted(pivots), s, max(1, n), info)
            x = s
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
routine("gees", "t(n, n), u(n, n) <- a(n, n)", meaning=schur, work="25 * n * n * n",
        samples="apart_in_eigenvalues", square=("ValueError", "expected square matrix"), error=NO_CONVERGENCE, steps="""
            f = columns(a)
            vectors = floats(n, n)
            real = floats(n)
            imaginary = floats(n)
            gees('V', 'N', ints(1), n, f, max(1, n), ints(1), real, imaginary, vectors, max(1, n), work, lwork, ints(n),
                 info)
            t = f
            u = vectors
        """)  # fmt: skip
routine("gees_of_complex", "t(n, n), u(n, n) <- a(n, n)", meaning=schur, work="25 * n * n * n",
        kinds=("complex",), square=("ValueError", "expected square matrix"), samples="square_pairs",
        error=NO_CONVERGENCE, steps="""
            f = columns(a)
            vectors = floats(n, n)
            w = floats(n)
            gees('V', 'N', ints(1), n, f, max(1, n), ints(1), w, vectors, max(1, n), work, lwork, rwork(n), ints(n),
                 info)
            t = f
            u = vectors
        """)  # fmt: skip
routine("trsyl", "x(m, n) <- a(m, m), b(n, n), q(m, n)", meaning=solved_sylvester, work="25 * (m * m * m + n * n * n)",
        kinds=("complex",), samples="sylvester", square=("ValueError", "expected square matrix"), mismatch=(UNEQUAL,),
        steps="""
            r = columns(a)
            u = floats(m, m)
            w = floats(m + n)
            gees('V', 'N', ints(1), m, r, max(1, m), ints(1), w, u, max(1, m), work, lwork, rwork(m), ints(m), info)
            s = columns(b)
            v = floats(n, n)
            gees('V', 'N', ints(1), n, s, max(1, n), ints(1), w, v, max(1, n), work, lwork, rwork(n), ints(n), info)
            f = columns(q)
            t = floats(m, n)
            gemm('C', 'N', m, n, m, 1.0, u, max(1, m), f, max(1, m), 0.0, t, max(1, m))
            gemm('N', 'N', m, n, n, 1.0, t, max(1, m), v, max(1, n), 0.0, f, max(1, m))
            scale = ints(2)
            trsyl('N', 'N', 1, m, n, r, max(1, m), s, max(1, n), f, max(1, m), scale, info)
            gemm('N', 'N', m, n, m, scale, u, max(1, m), f, max(1, m), 0.0, t, max(1, m))
            gemm('N', 'C', m, n, n, 1.0, t, max(1, m), v, max(1, n), 0.0, f, max(1, m))
            x = f
        """)  # fmt: skip
routine("gbsv", "x(n, k?) <- below(l), ab(r, n), b(n, k?)", meaning=solved_band, work="n * k * r", kinds=OF_BOTH,
        samples="bands", error=("LinAlgError", "singular matrix"),
        mismatch=("shapes of ab and b are not compatible.",) * 2, steps="""
            f = columns(ab)
            s = columns(b)
            gbsv(n, l, r - 2 * l - 1, k, f, max(1, r), ints(n), s, max(1, n), info)
            x = s
        """)  # fmt: skip
