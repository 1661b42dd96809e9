"""Derivatives of operators, as functions in the language: the cotangent of one operand.

    def f(*operands, out, out_bar, **static)     what `out = operator(*operands, **static)` makes of `out_bar`
"""

import math

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .manipulation import diag, diagonal, expand_dims, moveaxis, reshape, swap_last, total, transposed, tril, triu


def prod(x, out, out_bar, axis, keepdims):
    """Every element gets the cotangent of its product times the other elements."""
    axes = static.axes_of(axis, static.rank(x))
    if not axes:
        return out_bar
    spread = out_bar if keepdims or static.rank(out_bar) == 0 else expand_dims(out_bar, axes)
    x_bar = spread * other_factors(x, axes)
    return x_bar


def factors(moved, axes):
    """What is multiplied, along one axis in front, of an array whose axes are in front."""
    lead = moved.shape[len(axes) :]
    return moved if len(axes) == 1 else reshape(moved, (total(moved.shape[: len(axes)]), *lead))


def other_factors(x, axes):
    """For each element the product of the others, by running products from both ends: right with zeros, and at every
    order."""
    moved = moveaxis(x, axes, static.first_axes(axes))
    lead = moved.shape[len(axes) :]
    rows = factors(moved, axes)
    word = static.element(x)
    before = op.empty(shape=rows.shape, dtype=word)
    behind = op.empty(shape=rows.shape, dtype=word)
    one = op.ones(shape=lead, dtype=word) if lead else op.cast(1.0, dtype=word)
    product = one
    for k in range(len(rows)):
        before[k] = product
        product = product * rows[k]
    product = one
    for k in range(len(rows) - 1, -1, -1):
        behind[k] = product
        product = product * rows[k]
    others = before * behind if len(axes) == 1 else reshape(before * behind, moved.shape)
    return moveaxis(others, static.first_axes(axes), axes)


def solve_matrix(a, b, out, out_bar):
    """With x = a^-1 b: a_bar = -(a^-T x_bar) x^T."""
    adjoint = op.solve(op.transpose(a, axes=(1, 0)), out_bar)
    if static.rank(b) == 1:
        a_bar = -adjoint[:, None] * out
    else:
        a_bar = -op.matmul(adjoint, op.transpose(out, axes=(1, 0)))
    return a_bar


def solve_right_side(a, b, out, out_bar):
    """With x = a^-1 b: b_bar = a^-T x_bar."""
    return op.solve(op.transpose(a, axes=(1, 0)), out_bar)


# --- factors of matrices (Giles 2008, "Collected matrix derivative results for forward and reverse mode") -------------


def adjoint(a):
    """The conjugate of the transpose; of a real matrix the transpose."""
    return swap_last(conjugate(a))


def conjugate(a):
    return op.conjugate(a) if static.is_complex(a) else a


def barred(a_bar):
    """The other convention for a cotangent, in which it is the direction of ascent; None stays."""
    return None if a_bar is None else conjugate(a_bar)


def without_imaginary_diagonal(m):
    """The diagonal of a matrix that is its own adjoint is real."""
    if not static.is_complex(m):
        return m
    n = m.shape[0]
    return op.where(op.eye(shape=(n, n), dtype="f64") > 0.0, op.real(m), m)


def of_lower(s):
    """The cotangent of a matrix that is taken for its own adjoint, and of which the lower triangle is read."""
    return conjugate(without_imaginary_diagonal(tril(s) + tril(adjoint(s), -1)))


def triangle(a, b, out, out_bar, lower):
    adjoint = op.solve_triangular(transposed(a), out_bar, lower=not lower)
    product = -adjoint[:, None] * out if static.rank(b) == 1 else -op.matmul(adjoint, transposed(out))
    a_bar = tril(product) if lower else triu(product)
    return a_bar


def triangle_right_side(a, b, out, out_bar, lower):
    return op.solve_triangular(transposed(a), out_bar, lower=not lower)


def cholesky(a, out, out_bar):
    """With a = l l^T: s = l^-T phi(l^T l_bar) l^-1, where phi takes the lower triangle and half of the diagonal."""
    half = lower_with_half(op.matmul(adjoint(out), tril(conjugate(out_bar))))
    left = op.solve_triangular(adjoint(out), half, lower=False)
    s = adjoint(op.solve_triangular(adjoint(out), adjoint(left), lower=False))
    a_bar = 0.5 * of_lower(s + adjoint(s))
    return a_bar


def lower_with_half(m):
    """The lower triangle, with half of the diagonal's real part."""
    n = len(m)
    return without_imaginary_diagonal(op.where(op.eye(shape=(n, n), dtype="f64") > 0.0, 0.5 * m, tril(m)))


def lu_factor(a, lu, pivots, lu_bar, pivots_bar):
    """With p a = l u: p a_bar = l^-T (tril(l^T l_bar, -1) + triu(u_bar u^T)) u^-T."""
    n = len(lu)
    left_factor = unit_lower(lu)
    u = triu(lu)
    below = op.matmul(transposed(left_factor), tril(lu_bar, -1))
    inner = tril(below, -1) + triu(op.matmul(triu(lu_bar), transposed(u)))
    left = op.solve_triangular(transposed(left_factor), inner, lower=False)
    moved = transposed(op.solve_triangular(u, transposed(left), lower=False))
    order = row_order(pivots)
    a_bar = op.empty(shape=(n, n), dtype=static.element(lu))
    for i in range(n):
        a_bar[order[i]] = moved[i]
    return a_bar


def unit_lower(lu):
    """The left factor."""
    n = len(lu)
    return tril(lu, -1) + op.eye(shape=(n, n), dtype=static.element(lu))


def row_order(pivots):
    """Which row of the matrix each row of the factors belongs to."""
    n = len(pivots)
    order = op.arange(0, n, 1, shape=(n,), dtype="i64")
    for i in range(n):
        here = order[i]
        order[i] = order[pivots[i]]
        order[pivots[i]] = here
    return order


def qr(a, q, r, q_bar, r_bar):
    """With m = r r_bar^T - q_bar^T q: a_bar = (q_bar + q copyltu(m)) r^-T, for as many rows as columns or more."""
    if a.shape[0] < a.shape[1]:
        raise NotImplementedError("the factors of a matrix of more columns than rows have no derivative here")
    q_bar, r_bar = barred(q_bar), barred(r_bar)
    inner = op.zeros(shape=r.shape, dtype=static.element(r))
    if r_bar is not None:
        inner = inner + op.matmul(r, adjoint(triu(r_bar)))
    if q_bar is not None:
        inner = inner - op.matmul(adjoint(q_bar), q)
    sides = op.matmul(q, of_lower_half(inner))
    if q_bar is not None:
        sides = sides + q_bar
    a_bar = transposed(op.solve_triangular(r, transposed(conjugate(sides)), lower=False))
    return a_bar


def of_lower_half(m):
    """The matrix with the lower triangle of `m` that is its own adjoint."""
    return without_imaginary_diagonal(tril(m) + adjoint(tril(m, -1)))


def eigh(a, w, v, w_bar, v_bar, UPLO):
    """a_bar = v (diag(w_bar) + (v^T v_bar) / gaps) v^T with the gaps w_j - w_i; of the quotient no diagonal."""
    inner = op.zeros(shape=a.shape, dtype=static.element(v))
    if v_bar is not None:
        inner = inner + over_gaps(op.matmul(adjoint(v), conjugate(v_bar)), w)
    if w_bar is not None:
        inner = inner + diag(w_bar)
    s = op.matmul(op.matmul(v, inner), adjoint(v))
    a_bar = 0.5 * of_lower(s + adjoint(s))
    return a_bar if UPLO == "L" else adjoint(a_bar)


def over_gaps(m, w):
    """m_ij / (w_j - w_i), zero on the diagonal and for pairs between which nothing iterations."""
    same = op.eye(shape=(len(w), len(w)), dtype=static.element(w))
    return quotient((1.0 - same) * m, w[None, :] - w[:, None] + same)


def quotient(above, below):
    """Zero where both are zero: nothing there asks for the slope that the quotient would be of.

    A pair of equal values of which something is above has no derivative that is known here, and is infinite.
    """
    is_zero = op.logical_and(above == 0.0, below == 0.0)
    return op.where(is_zero, 0.0, above / op.where(is_zero, 1.0, below))


def svd(a, u, s, vt, u_bar, s_bar, vt_bar):
    """a_bar = u (diag(s_bar) + (f * skew(u^T u_bar)) s + s (f * skew(v^T v_bar))) v^T, and what u and v do not span;
    of complex numbers with adjoints, and the phases of the columns of u."""
    u_bar, vt_bar = barred(u_bar), barred(vt_bar)
    inner = op.zeros(shape=(len(s), len(s)), dtype=static.element(u))
    if s_bar is not None:
        inner = inner + diag(s_bar)
    a_bar = op.zeros(shape=a.shape, dtype=static.element(u))
    if u_bar is not None:
        turn = op.matmul(adjoint(u), u_bar)
        inner = inner + over_gaps(turn - adjoint(turn), s * s) * s[None, :]
        if static.is_complex(turn):
            inner = inner + 1j * diag(quotient(op.imag(diag(turn)), s))
        a_bar = a_bar + op.matmul(quotient(u_bar - op.matmul(u, turn), s[None, :]), vt)
    if vt_bar is not None:
        turn = op.matmul(vt, adjoint(vt_bar))
        inner = inner + s[:, None] * over_gaps(turn - adjoint(turn), s * s)
        a_bar = a_bar + op.matmul(u, quotient(vt_bar - op.matmul(adjoint(turn), vt), s[:, None]))
    a_bar = conjugate(a_bar + op.matmul(op.matmul(u, inner), vt))
    return a_bar


def svd_full(a, u, s, vt, u_bar, s_bar, vt_bar):
    """The same of squares u and vt: their other columns and rows are what the first do not reach."""
    k = len(s)
    if u_bar is not None:
        u_bar = reached(u, k, u_bar)
    if vt_bar is not None:
        vt_bar = transposed(reached(transposed(vt), k, transposed(vt_bar)))
    return svd(a, u[:, :k], s, vt[:k], u_bar, s_bar, vt_bar)


def qr_complete(a, q, r, q_bar, r_bar):
    """The same of a square q, whose other columns are what the first do not reach."""
    k = min(a.shape[0], a.shape[1])
    if q_bar is not None:
        q_bar = reached(q, k, q_bar)
    return qr(a, q[:, :k], r[:k], q_bar, None if r_bar is None else r_bar[:k])


def reached(q, k, q_bar):
    """The cotangent of the first k columns where the others are orthogonal to them: -q2 q2_bar^T q1 more.

    A single other column of real numbers follows from the first; of several, their span alone does.
    """
    first, other = q[:, :k], q[:, k:]
    first_bar, other_bar = conjugate(q_bar[:, :k]), conjugate(q_bar[:, k:])
    if other.shape[1] > free_columns(q) and op.any(other_bar != 0.0):
        raise NotImplementedError("the columns that a matrix does not reach have no derivative here, as their span")
    return conjugate(first_bar - op.matmul(other, op.matmul(adjoint(other_bar), first)))


def free_columns(q):
    """How many columns follow from those that are orthogonal to them."""
    return 0 if static.is_complex(q) else 1


def qr_raw(a, h, tau, h_bar, tau_bar):
    static.refuse("G003", "np.linalg.qr in the mode 'raw' has no derivative here", "use mode='reduced'")


def determinant(value, a, out, out_bar):
    """The cofactors, times the cotangent."""
    return out_bar * cofactors(a)


def cofactors(a):
    """With a = u diag(s) vt: det(u vt) u diag(products of the other s) vt, of complex numbers conjugated.

    Whatever the rank of the matrix is; but singular vectors do not say what the next derivatives are: those are nan.
    """
    u, s, vt = op.svd(op.stop_gradient(a))
    rotated, pivots = op.lu_factor(op.matmul(u, vt))
    turns = op.sum(op.cast(pivots != op.arange(0, len(s), 1, shape=(len(s),), dtype="i64"), dtype="i64"))
    phase = op.where(turns % 2 == 0, 1.0, -1.0) * op.prod(diagonal(rotated))
    found = op.matmul(conjugate(u), other_factors(s, (0,))[:, None] * conjugate(vt))
    unknown = op.sqrt(0.0 * op.sum(a))
    return op.cast(phase * found + unknown, dtype=static.element(a))


def eigvalsh(a, w, w_bar, UPLO):
    values, v = op.eigh(a, UPLO=UPLO)
    return eigh(a, values, v, w_bar, None, UPLO)


def parts_of_eigvals(a, x, y, x_bar, y_bar):
    """With w = x + i y and a = v diag(w) v^-1: a_bar = v^-T diag(w_bar) v^T."""
    n = len(a)
    w_bar = op.zeros(shape=(n,), dtype="c128")
    if x_bar is not None:
        w_bar = w_bar + x_bar
    if y_bar is not None:
        w_bar = w_bar - 1j * y_bar
    v = eigenvectors(*op.parts_of_eig(a)[1:])
    a_bar = op.real(op.solve(transposed(v), w_bar[:, None] * transposed(v)))
    return a_bar


def eigvals_of_complex(a, w, w_bar):
    v = op.eig_of_complex(a)[1]
    return op.solve(transposed(v), w_bar[:, None] * transposed(v))


def eig_of_complex(a, w, v, w_bar, v_bar):
    if v_bar is not None:
        static.refuse("G003", "eigenvectors of a matrix that is not symmetric have no derivative here",
                      "take the eigenvalues alone: np.linalg.eigvals")  # fmt: skip
    return op.solve(transposed(v), w_bar[:, None] * transposed(v))


def eigenvectors(y, packed):
    """The complex eigenvectors of a real matrix; each of a pair has one of the two columns for its imaginary part."""
    v = op.cast(packed, dtype="c128")
    for k in range(len(y)):
        if y[k] > 0.0:
            v[:, k] = packed[:, k] + 1j * packed[:, k + 1]
            v[:, k + 1] = packed[:, k] - 1j * packed[:, k + 1]
    return v


def parts_of_eig(a, x, y, v, x_bar, y_bar, v_bar):
    static.refuse("G003", "eigenvectors of a matrix that is not symmetric have no derivative here",
                  "take the eigenvalues alone: np.linalg.eigvals")  # fmt: skip


def svdvals(a, s, s_bar):
    u, values, vt = op.svd(a)
    return svd(a, u, values, vt, None, s_bar, None)


# --- sorts ---------------------------------------------------------------------------------------------------------


def sort_rows(a, out, out_bar):
    """To where the elements came from."""
    places, a_bar = op.order_rows(a), op.zeros(shape=a.shape, dtype=static.element(out_bar))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            a_bar[i, places[i, k]] = out_bar[i, k]
    return a_bar


# --- Fourier transforms --------------------------------------------------------------------------------------------


def fft(a, out, out_bar):
    """The matrix of the transform is its own transpose."""
    return op.fft(out_bar)


def ifft(a, out, out_bar):
    return op.ifft(out_bar)


def rfft(a, out, out_bar, shape):
    """The real part of the transform, filled up with zeros, of the cotangent: half of each number stands in either
    half of a row."""
    return op.irfft(op.conjugate(out_bar * shares(out_bar, a.shape[1], 0.5)), shape=a.shape)


def irfft(a, out, out_bar, shape):
    """Each number that a row has twice gets what comes from both places."""
    moved = op.rfft(out_bar, shape=a.shape)
    return op.conjugate(moved * shares(a, out.shape[1], 2.0))


def shares(half, length, share):
    """For each number of half a row: 1 where the row has it once, at its start and in its middle, else `share`."""
    places = op.arange(0, half.shape[1], 1, shape=(half.shape[1],), dtype="i64")
    is_single = op.logical_or(places == 0, 2 * places == length)
    return op.cast(op.where(is_single, 1.0, share), dtype=static.real_word(static.element(half)))


def extreme_of_examples(x, out, out_bar, axis_name):
    """The examples that attain the extreme share the sum of the cotangents evenly; all of it is nan where it is nan."""
    attained = x == out
    word = static.element(x)
    count = op.psum(op.cast(attained, dtype=word), axis_name=axis_name)
    share = op.psum(out_bar, axis_name=axis_name) / count
    rest = op.cast(op.where(op.isnan(out), math.nan, 0.0), dtype=word)  # nothing equals an extreme that is nan
    x_bar = op.where(attained, share, rest)
    return x_bar


def shared_extreme(x, out, out_bar, axis_name):
    """The same of a result that is one value for all devices, with one cotangent."""
    attained = x == out
    word = static.element(x)
    share = out_bar / op.psum_shared(op.cast(attained, dtype=word), axis_name=axis_name)
    rest = op.cast(op.where(op.isnan(out), math.nan, 0.0), dtype=word)
    x_bar = op.where(attained, share, rest)
    return x_bar
