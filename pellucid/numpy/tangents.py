"""Derivatives of operators, as functions in the language: the tangents of the results.

    def f(*operands, out, *tangents, **static)     what the tangents of the operands make of `out = operator(...)`

A tangent that is zero is None.  (Giles 2008, "Collected matrix derivative results for forward and reverse mode".)
"""

import math

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .derivatives import (
    adjoint,
    cofactors,
    eigenvectors,
    factors,
    free_columns,
    lower_with_half,
    of_lower_half,
    other_factors,
    over_gaps,
    quotient,
    row_order,
    unit_lower,
    without_imaginary_diagonal,
)
from .manipulation import diag, expand_dims, moveaxis, transposed, tril, triu
from .matrix_slopes import derivative_of_logarithm, product_of_band


def prod(x, out, x_dot, axis, keepdims):
    """The sum of the tangents, each times the other elements."""
    axes = static.axes_of(axis, static.rank(x))
    if not axes:
        return x_dot
    out_dot = op.sum(x_dot * other_factors(x, axes), axis=axis, keepdims=keepdims)
    return out_dot


def prod_of_polynomials(x, terms, axis, keepdims):
    """The highest coefficient of the product of polynomials with the coefficients (x, *terms)."""
    axes = static.axes_of(axis, static.rank(x))
    if not axes:
        return terms[-1]
    rows = [factors(moveaxis(part, axes, static.first_axes(axes)), axes) for part in (x, *terms)]
    lead, word = rows[0].shape[1:], static.element(x)
    zero = op.zeros(shape=lead, dtype=word) if lead else op.cast(0.0, dtype=word)
    product = [zero + 1.0, *(zero for _ in terms)]
    for k in range(len(rows[0])):
        product = [coefficient(product, rows, k, order) for order, _ in enumerate(rows)]
    highest = product[-1]
    return expand_dims(highest, axes) if keepdims else highest


def coefficient(product, rows, k, order):
    """Of the product times the polynomial of the elements k."""
    found = product[order] * rows[0][k]
    for lower, row in zip(product[:order], rows[order:0:-1]):
        found = found + lower * row[k]
    return found


def solve(a, b, x, a_dot, b_dot):
    """With a x = b: a x_dot = b_dot - a_dot x."""
    x_dot = op.solve(a, moved_side(a_dot, b_dot, x))
    return x_dot


def factors_of(a, f, pivots, a_dot):
    """The slope of what stands for a matrix is that of the matrix."""
    return a_dot, None


def solve_by_factors(f, pivots, b, x, a_dot, pivots_dot, b_dot, transposed):
    """With a x = b: a x_dot = b_dot - a_dot x."""
    if transposed and a_dot is not None:
        a_dot = op.transpose(a_dot, axes=(1, 0))
    x_dot = op.solve_by_factors(f, pivots, moved_side(a_dot, b_dot, x), transposed=transposed)
    return x_dot


def solve_triangular(a, b, x, a_dot, b_dot, lower):
    """The same, of a matrix of which one triangle is read."""
    if a_dot is not None:
        a_dot = tril(a_dot) if lower else triu(a_dot)
    x_dot = op.solve_triangular(a, moved_side(a_dot, b_dot, x), lower=lower)
    return x_dot


def moved_side(a_dot, b_dot, x):
    """b_dot - a_dot x, where one of the tangents may be zero."""
    if a_dot is None:
        return b_dot
    moved = op.matmul(a_dot, x)
    return -moved if b_dot is None else b_dot - moved


def from_lower(a):
    """The matrix, its own adjoint, that a matrix is taken for of which the lower triangle is read."""
    return of_lower_half(a)


def from_side(a, UPLO):
    return from_lower(a if UPLO == "L" else adjoint(a))


def cholesky(a, lower, a_dot):
    """l_dot = l phi(l^-1 a_dot l^-T), where phi takes the lower triangle and half of the diagonal."""
    left = op.solve_triangular(lower, from_lower(a_dot), lower=True)
    inner = op.solve_triangular(lower, adjoint(left), lower=True)
    l_dot = op.matmul(lower, lower_with_half(inner))
    return l_dot


def lu_factor(a, lu, pivots, a_dot):
    """With p a = l u and m = l^-1 p a_dot u^-1: l_dot = l tril(m, -1), u_dot = triu(m) u."""
    left, right = unit_lower(lu), triu(lu)
    order = row_order(pivots)
    inner = op.solve_triangular(left, a_dot[order], lower=True)
    m = transposed(op.solve_triangular(transposed(right), transposed(inner), lower=True))
    lu_dot = op.matmul(left, tril(m, -1)) + op.matmul(triu(m), right)
    return lu_dot, None


def qr(a, q, r, a_dot):
    """With x = a_dot r^-1, and w skew with the lower triangle of q^T x: q_dot = x - q (q^T x - w), and
    r_dot = (q^T x - w) r."""
    if a.shape[0] < a.shape[1]:
        raise NotImplementedError("the factors of a matrix of more columns than rows have no derivative here")
    x = transposed(op.solve_triangular(transposed(r), transposed(a_dot), lower=True))
    turn = op.matmul(adjoint(q), x)
    below = tril(turn, -1)
    upper = without_imaginary_diagonal(turn - below + adjoint(below))
    q_dot = x - op.matmul(q, upper)
    r_dot = triu(op.matmul(upper, r))
    return q_dot, r_dot


def eigh(a, w, v, a_dot, UPLO):
    """With m = v^T a_dot v: w_dot = diag(m), v_dot = v (m / gaps) with the gaps w_j - w_i, and no diagonal."""
    m = op.matmul(adjoint(v), op.matmul(from_side(a_dot, UPLO), v))
    v_dot = op.matmul(v, over_gaps(m, w))
    return real_part(diag(m)), v_dot


def real_part(x):
    return op.real(x) if static.is_complex(x) else x


def determinant(value, a, out, value_dot, a_dot):
    """The sum of the tangents, each times its cofactor."""
    out_dot = op.sum(cofactors(a) * a_dot)
    return out_dot


def eigvalsh(a, w, a_dot, UPLO):
    v = op.eigh(a, UPLO=UPLO)[1]
    w_dot = diag(op.matmul(adjoint(v), op.matmul(from_side(a_dot, UPLO), v)))
    return real_part(w_dot)


def parts_of_eigvals(a, x, y, a_dot):
    """The diagonal of v^-1 a_dot v."""
    v = eigenvectors(*op.parts_of_eig(a)[1:])
    w_dot = diag(op.solve(v, op.matmul(op.cast(a_dot, dtype="c128"), v)))
    return op.real(w_dot), op.imag(w_dot)


def eigvals_of_complex(a, w, a_dot):
    v = op.eig_of_complex(a)[1]
    return diag(op.solve(v, op.matmul(a_dot, v)))


def eig_of_complex(a, w, v, a_dot):
    static.refuse("G003", "eigenvectors of a matrix that is not symmetric have no derivative here",
                  "take the eigenvalues alone: np.linalg.eigvals")  # fmt: skip


def parts_of_eig(a, x, y, v, a_dot):
    static.refuse("G003", "eigenvectors of a matrix that is not symmetric have no derivative here",
                  "take the eigenvalues alone: np.linalg.eigvals")  # fmt: skip


def svd(a, u, s, vt, a_dot):
    """With d = u^T a_dot v: s_dot = diag(d); u and v turn by d s + s d^T and s d + d^T s over the gaps of s * s, and
    into what they do not span."""
    along = op.matmul(a_dot, adjoint(vt))
    across = op.matmul(adjoint(a_dot), u)
    d = op.matmul(adjoint(u), along)
    u_turn = over_gaps(d * s[None, :] + s[:, None] * adjoint(d), s * s)
    if static.is_complex(d):
        u_turn = u_turn + 1j * diag(quotient(op.imag(diag(d)), s))
    v_turn = over_gaps(s[:, None] * d + adjoint(d) * s[None, :], s * s)
    u_dot = op.matmul(u, u_turn) + quotient(along - op.matmul(u, d), s[None, :])
    v_dot = op.matmul(adjoint(vt), v_turn) + quotient(across - op.matmul(adjoint(vt), adjoint(d)), s[None, :])
    return u_dot, real_part(diag(d)), adjoint(v_dot)


def svd_full(a, u, s, vt, a_dot):
    k = len(s)
    u_dot, s_dot, vt_dot = svd(a, u[:, :k], s, vt[:k], a_dot)
    return with_others(u, k, u_dot), s_dot, transposed(with_others(transposed(vt), k, transposed(vt_dot)))


def qr_complete(a, q, r, a_dot):
    k = min(a.shape[0], a.shape[1])
    q_dot, r_dot = qr(a, q[:, :k], r[:k], a_dot)
    below = op.zeros(shape=(q.shape[1] - k, r.shape[1]), dtype=static.element(r))
    return with_others(q, k, q_dot), op.concatenate(r_dot, below, axis=0)


def with_others(q, k, first_dot):
    """The tangents of the first k columns and of those orthogonal to them, -q1 q1_dot^T q2; nan where that is not all
    that these follow from."""
    first, other = q[:, :k], q[:, k:]
    other_dot = -op.matmul(first, op.matmul(adjoint(first_dot), other))
    unknown = op.cast(0.0 if other.shape[1] <= free_columns(q) else math.nan, dtype=static.real_word(static.element(q)))
    return op.concatenate(first_dot, other_dot + unknown, axis=1)


def qr_raw(a, h, tau, a_dot):
    static.refuse("G003", "np.linalg.qr in the mode 'raw' has no derivative here", "use mode='reduced'")


def svdvals(a, s, a_dot):
    u, _, vt = op.svd(a)
    s_dot = diag(op.matmul(adjoint(u), op.matmul(a_dot, adjoint(vt))))
    return real_part(s_dot)


def extreme_of_examples(x, out, x_dot, axis_name):
    """The mean of the tangents of the examples that attain the extreme."""
    attained = x == out
    count = op.psum(op.cast(attained, dtype=static.element(x)), axis_name=axis_name)
    out_dot = op.psum(op.where(attained, x_dot, 0.0), axis_name=axis_name) / count
    return out_dot


def sylvester(a, b, q, x, a_dot, b_dot, q_dot):
    """With a x + x b = q: a x_dot + x_dot b = q_dot - a_dot x - x b_dot."""
    right = moved_side(a_dot, q_dot, x)
    if b_dot is not None:
        right = -op.matmul(x, b_dot) if right is None else right - op.matmul(x, b_dot)
    x_dot = op.sylvester(a, b, right)
    return x_dot


def solve_banded(below, ab, b, x, below_dot, ab_dot, b_dot):
    """With a x = b: a x_dot = b_dot - a_dot x."""
    right = b_dot
    if ab_dot is not None:
        moved = product_of_band(below, ab_dot, x)
        right = -moved if b_dot is None else b_dot - moved
    x_dot = op.solve_banded(below, ab, right)
    return x_dot


def log_determinant(value, a, out, value_dot, a_dot):
    """The trace of a^-1 a_dot."""
    out_dot = op.sum(diag(op.solve(a, a_dot)))
    return out_dot


def matrix_logarithm(value, a, out, value_dot, a_dot):
    out_dot = derivative_of_logarithm(a, a_dot)
    return out_dot


def sort_rows(a, out, a_dot):
    """Those of the elements, in their order."""
    places, out_dot = op.order_rows(a), op.empty(shape=a.shape, dtype=static.element(a_dot))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            out_dot[i, k] = a_dot[i, places[i, k]]
    return out_dot
