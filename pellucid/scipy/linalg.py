"""`scipy.linalg`: what `numpy.linalg` does under SciPy's names and defaults, and systems by factors that are kept.

    scipy.linalg.cholesky(a)                ->    adjoint(cholesky(adjoint(a))), the upper triangle
    c = scipy.linalg.cho_factor(a)
    scipy.linalg.cho_solve(c, b)            ->    solve_triangular(u, solve_triangular(adjoint(u), b))

`overwrite_a=` and its kin promise nothing and change nothing; what is not finite is refused as SciPy does it.
"""

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy import decompositions, linear_algebra
from ..numpy.derivatives import adjoint, conjugate, row_order, unit_lower
from ..numpy.elementary import in_dtype, number, operand
from ..numpy.joining import concatenate
from ..numpy.least_squares import lstsq as lstsq_of_numpy
from ..numpy.least_squares import rank_above
from ..numpy.linear_algebra import in_floats
from ..numpy.manipulation import diagonal, tril, triu
from ..numpy.manipulation import transposed as turned
from ..numpy.products import norm as norm_of_numpy

GENERAL = (None, "gen", "general", "banded", "tridiagonal")
POSITIVE = ("pos", "positive definite")


def matrix(a, check_finite=True):
    """A matrix of floats without nan and inf."""
    a = operand(a)
    if static.rank(a) != 2:
        fault = f"scipy.linalg takes one matrix here, not an array of {static.rank(a)} dimensions"
        static.refuse("S002", fault, "take the function of `np.linalg`, which has stacks, or `vmap` over the matrices")
    return finite(in_dtype(a, in_floats(a)), check_finite)


def finite(a, check_finite=True):
    a = operand(a)
    if check_finite and not op.all(op.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def square(a, check_finite=True):
    a = matrix(a, check_finite)
    if a.shape[0] != a.shape[1]:
        raise ValueError("expected square matrix")
    return a


def sides(a, b, check_finite=True):
    """A matrix and a right side in one dtype."""
    a, b = matrix(a, check_finite), finite(b, check_finite)
    word = static.of_functions(static.strict_common(a, b))
    return in_dtype(a, word), in_dtype(b, word)


def from_triangle(a, lower):
    """The matrix that is its own adjoint, of which one triangle is read."""
    if lower:
        return tril(a) + adjoint(tril(a, -1))
    return triu(a) + adjoint(triu(a, 1))


# --- systems ---------------------------------------------------------------------------------------------------------


def solve(
    a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False
):
    """The x with a x = b, or with its transpose; `assume_a` says what kind of matrix it is, and what of it is read."""
    a, b = sides(a, b, check_finite)
    if a.shape[0] != a.shape[1]:
        raise ValueError("Input a needs to be a square matrix.")
    if transposed:
        a = op.transpose(a, axes=(1, 0))
    if assume_a in POSITIVE:
        return cho_solve(cho_factor(a, lower != transposed, check_finite=False), b, check_finite=False)
    if assume_a in ("her", "hermitian"):
        return op.solve(from_triangle(a, lower != transposed), b)
    if assume_a in ("sym", "symmetric"):
        of_lower = tril(a) + op.transpose(tril(a, -1), axes=(1, 0))
        of_upper = triu(a) + op.transpose(triu(a, 1), axes=(1, 0))
        return op.solve(of_lower if lower != transposed else of_upper, b)
    if assume_a in ("upper triangular", "lower triangular"):
        return op.solve_triangular(a, b, lower=(assume_a == "lower triangular") != transposed)
    if assume_a == "diagonal":
        if op.any(diagonal(a) == 0.0):
            raise numpy.linalg.LinAlgError("A singular matrix detected")
        return b / diagonal(a) if static.rank(b) == 1 else b / diagonal(a)[:, None]
    if assume_a not in GENERAL:
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    return op.solve(a, b)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """The x with a x = b of a triangle: what is on the other side of the diagonal is not read."""
    a, b = sides(a, b, check_finite)
    if unit_diagonal:
        n = a.shape[0]
        a = op.where(op.eye(shape=(n, n), dtype="f64") > 0.0, 1.0, a)
    if trans in (0, "N"):
        return op.solve_triangular(a, b, lower=lower)
    if trans in (1, "T"):
        return op.solve_triangular(turned(a), b, lower=not lower)
    return op.solve_triangular(adjoint(a), b, lower=not lower)


def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    a = square(a, check_finite)
    n = a.shape[0]
    return solve(a, op.eye(shape=(n, n), dtype=static.element(a)), lower, check_finite=False, assume_a=assume_a)


def det(a, overwrite_a=False, check_finite=True):
    return linear_algebra.det(square(a, check_finite))


def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    """(x, sums of squares, rank, singular values); of a vector `b` the sum is an array of one element."""
    a, b = sides(a, b, check_finite)
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"Shape mismatch: a and b should have the same number of rows ({a.shape[0]} != {b.shape[0]}).")
    ratio = static.limits(static.element(a)).eps if cond is None else cond
    return lstsq_of_numpy(a, b, ratio)


def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """The pseudo-inverse: of the singular values above atol + rtol times the largest."""
    a = matrix(a, check_finite)
    u, s, vt = op.svd(a)
    largest = op.max(s) if s.shape[0] > 0 else op.cast(0.0, dtype=static.element(s))
    relative = max(a.shape[0], a.shape[1]) * static.limits(static.element(a)).eps if rtol is None else rtol
    counts = s > (0.0 if atol is None else atol) + relative * largest
    inverse = op.where(counts, 1.0 / op.where(counts, s, 1.0), 0.0)
    found = adjoint(vt) @ (inverse[:, None] * adjoint(u))
    return (found, op.sum(counts)) if return_rank else found


def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    return norm_of_numpy(finite(a, check_finite), ord, axis, keepdims)


# --- factors ---------------------------------------------------------------------------------------------------------


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """u with adjoint(u) u = a, or the lower triangle l with l adjoint(l) = a: of `a` the same triangle is read."""
    a = square(a, check_finite)
    return op.cholesky(a) if lower else adjoint(op.cholesky(adjoint(a)))


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """(the triangle with what the matrix has on the other side, `lower`)."""
    a = square(a, check_finite)
    if lower:
        return op.cholesky(a) + triu(a, 1), lower
    return adjoint(op.cholesky(adjoint(a))) + tril(a, -1), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    c, b = sides(c, b, check_finite)
    if c.shape[1] != b.shape[0]:
        raise ValueError(f"incompatible dimensions ({c.shape} and {b.shape})")
    if lower:
        return op.solve_triangular(adjoint(c), op.solve_triangular(c, b, lower=True), lower=False)
    return op.solve_triangular(c, op.solve_triangular(adjoint(c), b, lower=True), lower=False)


def lu_factor(a, overwrite_a=False, check_finite=True):
    """(both triangles in one matrix, which row each row was exchanged with)."""
    factors, pivots = op.lu_factor(square(a, check_finite))
    return factors, op.cast(pivots, dtype="i32")


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factors, pivots = lu_and_piv
    factors, b = sides(factors, b, check_finite)
    if factors.shape[0] != b.shape[0]:
        raise ValueError(f"Shapes of lu {factors.shape} and b {b.shape} are incompatible")
    order = row_order(op.cast(pivots, dtype="i64"))
    left = unit_lower(factors)
    if trans == 0:
        return op.solve_triangular(factors, op.solve_triangular(left, b[order], lower=True), lower=False)
    if trans == 2:
        factors, left = conjugate(factors), conjugate(left)
    inner = op.solve_triangular(turned(factors), b, lower=True)
    moved = op.solve_triangular(turned(left), inner, lower=False)
    out = op.empty(shape=moved.shape, dtype=static.element(moved))
    out[order] = moved
    return out


def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """(p, l, u) with a = p l u, or (p l, u); `p_indices`: the order instead of the matrix p."""
    a = matrix(a, check_finite)
    m, n = a.shape
    k = min(m, n)
    order = row_order(op.lu_factor(op.stop_gradient(square_around(a)))[1])[:m]
    moved = a[order]
    top = op.lu_factor(moved[:k, :k])[0]  # its rows are in the order of the pivots already
    below = op.solve_triangular(turned(triu(top)), turned(moved[k:, :k]), lower=True)
    left = concatenate((unit_lower(top), turned(below)), axis=0)
    beside = op.solve_triangular(unit_lower(top), moved[:k, k:], lower=True)
    upper = concatenate((triu(top), beside), axis=1)
    if permute_l:
        out = op.empty(shape=(m, k), dtype=static.element(a))
        out[order] = left
        return out, upper
    if p_indices:
        places = op.empty(shape=(m,), dtype="i32")
        places[order] = op.cast(op.arange(0, m, 1, shape=(m,), dtype="i64"), dtype="i32")
        return places, left, upper
    p = op.zeros(shape=(m, m), dtype=static.real_word(static.element(a)))
    p[order, op.arange(0, m, 1, shape=(m,), dtype="i64")] = 1.0
    return p, left, upper


def square_around(a):
    """The matrix with zeros beside it or below it."""
    m, n = a.shape
    size = max(m, n)
    out = op.zeros(shape=(size, size), dtype=static.element(a))
    out[:m, :n] = a
    return out


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """(q, r), or (r,) in the mode "r"; q has all columns unless the mode is "economic"."""
    if pivoting:
        static.refuse("U012", "scipy.linalg.qr(pivoting=True) is not supported: leave `pivoting=` out")
    a = matrix(a, check_finite)
    if mode == "economic":
        q, r = op.qr(a)
        return q, r
    if mode not in ("full", "r"):
        static.refuse("U012", f"scipy.linalg.qr in the mode {mode!r} is not supported: 'full' and 'economic' are")
    q, r = decompositions.qr(a, "complete")
    return (r,) if mode == "r" else (q, r)


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    a = matrix(a, check_finite)
    if not compute_uv:
        return op.svdvals(a)
    u, s, vt = decompositions.svd(a, full_matrices)
    return u, s, vt


def svdvals(a, overwrite_a=False, check_finite=True):
    return op.svdvals(matrix(a, check_finite))


def polar(a, side="right"):
    """(u, p) with a = u p, or with a = p u: u has orthonormal rows or columns, and p is positive."""
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    w, s, vt = op.svd(matrix(a))
    if side == "right":
        return w @ vt, (adjoint(vt) * s) @ vt
    return w @ vt, (w * s) @ adjoint(w)


def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """Orthonormal vectors that the matrix takes to zero, as columns."""
    a = matrix(A, check_finite)
    _, s, vt = decompositions.svd(a, True)
    ratio = max(a.shape[0], a.shape[1]) * static.limits(static.element(s)).eps if rcond is None else rcond
    return adjoint(vt[rank_above(s, ratio) :])


def orth(A, rcond=None):
    """Orthonormal columns that span what the columns of the matrix do."""
    a = matrix(A)
    u, s, _ = op.svd(a)
    ratio = max(a.shape[0], a.shape[1]) * static.limits(static.element(s)).eps if rcond is None else rcond
    return u[:, : rank_above(s, ratio)]


def subspace_angles(A, B):
    """The angles between what the columns of two matrices span, the largest first: by sines where they are small
    (Knyazev and Argentati 2002)."""
    left, right = orth(matrix(A)), orth(matrix(B))
    if left.shape[0] != right.shape[0]:
        raise ValueError(f"A and B must have the same number of rows, got {left.shape[0]} and {right.shape[0]}")
    product = adjoint(left) @ right
    cosines = svdvals(product)
    if left.shape[1] >= right.shape[1]:
        sines = svdvals(right - left @ product)
    else:
        sines = svdvals(left - right @ adjoint(product))
    angles = op.arccos(op.minimum(cosines[::-1], 1.0))
    return op.where(cosines**2 >= 0.5, op.arcsin(op.minimum(sines, 1.0)), angles)


# --- eigenvalues -----------------------------------------------------------------------------------------------------


def eigh(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):  # fmt: skip
    """Of a v = w b v, by the triangle of b; of the subset the values from the one index to the other."""
    if type != 1 or subset_by_value is not None:
        static.refuse("U012", "scipy.linalg.eigh has no `type=` and no `subset_by_value=` here: leave them out")
    a = from_triangle(square(a, check_finite), lower)
    if b is not None:
        factor = op.cholesky(from_triangle(square(b, check_finite), lower))
        a = op.solve_triangular(factor, adjoint(op.solve_triangular(factor, a, lower=True)), lower=True)
    first, last = (0, a.shape[0] - 1) if subset_by_index is None else subset_by_index
    if eigvals_only:
        return op.eigvalsh(a, UPLO="L")[first : last + 1]
    w, v = op.eigh(a, UPLO="L")
    if b is not None:
        v = op.solve_triangular(adjoint(factor), v, lower=False)
    return w[first : last + 1], v[:, first : last + 1]


def eigvalsh(
    a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
    subset_by_value=None, driver=None,
):  # fmt: skip
    return eigh(a, b, lower=lower, eigvals_only=True, type=type, check_finite=check_finite,
                subset_by_index=subset_by_index, subset_by_value=subset_by_value)  # fmt: skip


def eig(
    a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True,
    homogeneous_eigvals=False,
):  # fmt: skip
    """(eigenvalues, vectors) of a v = w b v; complex always.  Left ones, with u^H a = w u^H b, are the columns of
    (b v)^-H in unit length; of each the largest component is real."""
    if homogeneous_eigvals:
        static.refuse("U012", "scipy.linalg.eig has no `homogeneous_eigvals=` here: leave it out")
    a = square(a, check_finite)
    if b is not None:
        b = square(b, check_finite)
    if not left and not right:
        return eigvals(a, b)
    w, v = linear_algebra.eig(a if b is None else op.solve(b, a))
    if not left:
        return w, v
    n = v.shape[0]
    u = adjoint(op.solve(v if b is None else b @ v, op.eye(shape=(n, n), dtype=static.element(v))))
    u = u / op.sqrt(op.sum(op.real(u) ** 2 + op.imag(u) ** 2, axis=0))
    for k in range(n):
        largest = u[op.argmax(op.absolute(op.stop_gradient(u[:, k]))), k]
        u[:, k] = u[:, k] * (op.conjugate(largest) / op.absolute(largest))
    return (w, u, v) if right else (w, u)


def eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    if homogeneous_eigvals:
        static.refuse("U012", "scipy.linalg.eigvals has no `homogeneous_eigvals=` here: leave it out")
    a = square(a, check_finite)
    return linear_algebra.eigvals(a if b is None else op.solve(square(b, check_finite), a))


def issymmetric(a, atol=None, rtol=None):
    """Whether the matrix is its transpose, to a tolerance."""
    a = operand(a)
    difference = op.absolute(a - turned(a))
    if atol is None and rtol is None:
        return number(op.all(difference == 0))
    absolute, relative = 0.0 if atol is None else atol, 1e-5 if rtol is None else rtol
    return number(op.all(difference <= absolute + relative * op.absolute(turned(a))))
