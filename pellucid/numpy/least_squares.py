"""Least squares, inverses of matrices that have none, and powers: what singular values are used for.

    np.linalg.lstsq(a, b)    ->    solve_triangular(r, q.T @ b) where the columns are independent,
                                   else the shortest of all solutions, by singular values
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .creation import eye
from .decompositions import by_eigenvectors, svd
from .derivatives import adjoint
from .elementary import in_dtype, operand
from .linear_algebra import inv
from .manipulation import total
from .products import norm, squared_size
from .stacks import in_floats, matrices, over_stacks, squares


def lstsq(a, b, rcond=None):
    """(x, the sums of squares that are left, the rank of a, the singular values of a)."""
    a, b = operand(a), operand(b)
    word = static.of_functions(static.strict_common(a, b))
    a, b = in_dtype(matrix(a), word), in_dtype(b, word)
    if static.rank(b) not in (1, 2):
        static.refuse("S002", "np.linalg.lstsq takes one or two dimensions on the right")
    m, n = a.shape
    if b.shape[0] != m:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    s = op.svdvals(a)
    rank = rank_above(s, machine(a, rcond))
    if rank == n and m >= n:
        q, r = op.qr(a)
        x = op.solve_triangular(r, adjoint(q) @ b)
    else:
        x = shortest(a, b, rank)
    return x, left_over(a, b, x, rank), op.cast(rank, dtype="i32"), s


def matrix(a):
    if static.rank(a) != 2:
        static.refuse("S002", f"{static.rank(a)}-dimensional array given. Array must be two-dimensional")
    return a


def machine(a, rcond):
    """The ratio to the largest one below which a singular value counts as zero."""
    eps = static.limits(static.element(a)).eps
    if rcond is None:
        return eps * max(a.shape[0], a.shape[1])
    return rcond if rcond >= 0 else eps


def rank_above(s, ratio):
    rank = 0
    for k in range(s.shape[0]):
        if s[k] > ratio * s[0]:
            rank += 1
    return rank


def shortest(a, b, rank):
    """The solution with the smallest norm, of the directions that count."""
    u, s, vt = op.svd(a)
    return adjoint(vt[:rank]) @ scaled(adjoint(u[:, :rank]) @ b, s[:rank])


def scaled(rows, by):
    return rows / by if static.rank(rows) == 1 else rows / by[:, None]


def left_over(a, b, x, rank):
    """The sum of squares of each column that no solution reaches; nothing where there may be several."""
    m, n = a.shape
    count = 1 if static.rank(b) == 1 else b.shape[1]
    out = op.zeros(shape=(count if rank == n and m > n else 0,), dtype=static.real_word(static.element(a)))
    if rank == n and m > n:
        out[:] = op.sum(squared_size(b - a @ x), axis=0)
    return out


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """The pseudo-inverse: of the directions that count."""
    a = squares(a) if hermitian else matrices(a)
    ratio = operand(1e-15 if rcond is None and rtol is None else rtol if rcond is None else rcond)
    made = [(in_floats(a), (a.shape[-1], a.shape[-2]))]
    return over_stacks(inverse_of_adjoint if hermitian else pseudo_inverse, made, (a, 2), (ratio, 0))


def pseudo_inverse(a, ratio):
    u, s, vt = op.svd(a)
    return inverse_of_factors(u, s, vt, ratio)


def inverse_of_adjoint(a, ratio):
    """The same of a matrix that is its own adjoint."""
    u, s, vt = by_eigenvectors(a)
    return inverse_of_factors(u, s, vt, ratio)


def inverse_of_factors(u, s, vt, ratio):
    counts = s > ratio * largest_of(s)
    inverse = op.where(counts, 1.0 / op.where(counts, s, 1.0), 0.0)
    return adjoint(vt) @ (inverse[:, None] * adjoint(u))


def largest_of(s):
    return s[0] if s.shape[0] > 0 else op.cast(0.0, dtype=static.element(s))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many singular values are not nearly zero; of a vector whether it is not zero."""
    a = operand(A)
    if static.rank(a) < 2:
        return op.cast(op.any(a != 0), dtype="i64", weak=True)
    s = svd(a, compute_uv=False, hermitian=hermitian)
    eps = static.limits(static.element(s)).eps
    ratio = operand(max(a.shape[-2], a.shape[-1]) * eps if rtol is None else rtol)
    if tol is not None:
        return over_stacks(count_above, [("i64", ())], (s, 1), (operand(tol), 0))
    return over_stacks(count_above_ratio, [("i64", ())], (s, 1), (ratio, 0))


def count_above_ratio(s, ratio):
    return count_above(s, largest_of(s) * ratio)


def count_above(s, bound):
    return op.sum(s > bound)


def cond(x, p=None):
    """How much a matrix enlarges errors: the ratio of its largest to its smallest singular value, or of norms."""
    a = matrices(x)
    if total(a.shape) == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if not static.is_static(p) or p not in (None, 2, -2):
        a = squares(a)
    return over_stacks(lambda one: cond_of_one(one, p), [(static.real_word(in_floats(a)), ())], (a, 2))


def cond_of_one(a, p):
    if p is None or p == 2 or p == -2:
        s = op.svdvals(a)
        found = s[-1] / s[0] if p == -2 else s[0] / s[-1]
    else:
        found = op.cast(np.inf, dtype=static.real_word(in_floats(a)))
        if op.solve_fails(in_dtype(a, in_floats(a))) == 0.0:
            found = norm(a, p) * norm(inv(a), p)
    if op.isnan(found) and not op.any(op.isnan(a)):
        found = op.cast(np.inf, dtype=static.element(found))
    return found


def matrix_power(a, n):
    """The product of a matrix with itself, n times; of its inverse where n is negative."""
    a = matrices(a)
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if static.is_static(n) and n == 0:
        return identity_like(a)
    if not static.is_static(n) and static.kind(a) != "float":
        static.refuse("U012", "the dtype of a power of a matrix of ints depends on the exponent: use floats")
    left, square = n, a
    if n < 0:
        left, square = -n, inv(a)
    if left == 3:
        return square @ square @ square  # NumPy's order of the factors
    while left > 0 and left % 2 == 0:
        square = square @ square
        left = left // 2
    out = square if left > 0 else identity_like(square)
    while left > 1:
        square = square @ square
        left = left // 2
        if left % 2 == 1:
            out = out @ square
    return out


def identity_like(a):
    """The identity for each matrix of a stack."""
    one = eye(a.shape[-1], dtype=static.element(a))
    return one if static.rank(a) == 2 else op.copy(op.broadcast_to(one, shape=a.shape))
