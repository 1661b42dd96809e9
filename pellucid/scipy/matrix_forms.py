"""Matrices brought into simple form by steps: Hessenberg's form, factors of symmetric matrices, functions by triangles.

    h, q = hessenberg(a, calc_q=True)    a = q h q^H, zero below the first subdiagonal
    l, d, perm = ldl(a)                  a = l d l^H, d with blocks of one or two rows, l[perm] a triangle
    funm(a, f)                           u f(t) u^H of the triangle t of a = u t u^H

Sources: G. Golub and C. Van Loan, Matrix Computations (2013), 7.4 and 9.1; J. Bunch and L. Kaufman, Some stable methods
for calculating inertia and solving symmetric linear systems (1977); B. Parlett, A recurrence among the elements of
functions of triangular matrices (1976).
"""

from math import sqrt

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.derivatives import adjoint
from ..numpy.elementary import conjugated, in_dtype
from ..numpy.manipulation import diagonal, transposed, tril, triu
from ..numpy.stacks import in_floats, matrices, over_stacks
from .linalg import square
from .matrix_functions import in_complex

GROWTH = (1.0 + sqrt(17.0)) / 8.0  # the least share of its column that serves as a pivot (Bunch and Kaufman)


def squares_of(x):
    return op.sum(op.real(x) ** 2 + op.imag(x) ** 2)


def outer(x, y):
    """x y^H of vectors"""
    return x[:, None] * conjugated(y)[None, :]


# --- Hessenberg's form -----------------------------------------------------------------------------------------------


def hessenberg(a, calc_q=False, overwrite_a=False, check_finite=True):
    """h, or (h, q): of a matrix, or of each matrix of a stack."""
    a = matrices(a)
    results = [(in_floats(a), a.shape[-2:])] * (2 if calc_q else 1)
    return over_stacks(lambda m: reflected(square(m, check_finite), calc_q), results, (a, 2))


def reflected(a, calc_q):
    """By a reflection for each column, whose first component has the sign opposite to the column's."""
    n = a.shape[0]
    h, q = op.copy(a), op.eye(shape=a.shape, dtype=static.element(a))
    for k in range(n - 1 if n > 2 else 0):  # the last one makes an element of a complex matrix real
        v = op.copy(h[k + 1 :, k])
        first = v[0]
        if squares_of(v[1:]) > 0.0 or op.imag(first) != 0.0:
            size = op.sqrt(squares_of(v))
            beta = size if op.real(first) < 0.0 else -size
            tau = (beta - first) / beta
            v = v / (first - beta)
            v[0] = 1.0
            h[k + 1 :] = h[k + 1 :] - op.conjugate(tau) * (v[:, None] * (conjugated(v) @ h[k + 1 :])[None, :])
            h[:, k + 1 :] = h[:, k + 1 :] - tau * outer(h[:, k + 1 :] @ v, v)
            h[k + 1, k] = beta
            h[k + 2 :, k] = 0.0
            if calc_q:
                q[:, k + 1 :] = q[:, k + 1 :] - tau * outer(q[:, k + 1 :] @ v, v)
    return (h, q) if calc_q else h


# --- factors of symmetric matrices -----------------------------------------------------------------------------------


def ldl(A, lower=True, hermitian=True, overwrite_a=False, check_finite=True):
    """(l, d, perm): of the matrix the one triangle is read; with `hermitian=False` a complex one is its own
    transpose.  l[perm] has ones on its diagonal."""
    a = matrices(A)
    word = in_floats(a)
    results = [(word, a.shape[-2:]), (word, a.shape[-2:]), ("i64", a.shape[-1:])]
    return over_stacks(lambda m: factors(square(m, check_finite), lower, hermitian), results, (a, 2))


def factors(a, lower, hermitian):
    turn = adjoint if hermitian else transposed
    whole = tril(a) + turn(tril(a, -1)) if lower else triu(a) + turn(triu(a, 1))
    if hermitian and static.is_complex(a):
        whole = op.where(op.eye(shape=a.shape, dtype="f64") > 0.0, op.real(whole), whole)
    if lower:
        left, d, order = bunch_kaufman(whole, True, hermitian)
    else:  # from the last row up: that of the matrix with all turned round
        left, d, order = bunch_kaufman(whole[::-1, ::-1], False, hermitian)
        left, d, order = left[::-1, ::-1], d[::-1, ::-1], (a.shape[0] - 1 - order)[::-1]
    out = op.empty(shape=a.shape, dtype=static.element(a))
    out[order] = left
    return out, d, order


def bunch_kaufman(whole, is_first, hermitian):
    """(l, d, order) with whole[order][:, order] = l d l^H; of equal pivots the first or the last."""
    n, word = whole.shape[0], static.element(whole)
    m = op.copy(whole)
    left, d = op.eye(shape=(n, n), dtype=word), op.zeros(shape=(n, n), dtype=word)
    order = op.arange(0, n, 1, shape=(n,), dtype="i64")
    k = 0
    while k < n:
        other, is_pair = pivot(op.absolute(op.stop_gradient(m)), k, is_first)
        width = 2 if is_pair else 1
        at, end = k + width - 1, k + width
        if other != at:
            m = exchanged(m, at, other)
            row = op.copy(left[at, :k])
            left[at, :k] = left[other, :k]
            left[other, :k] = row
            number = order[at]
            order[at] = order[other]
            order[other] = number
        d[k:end, k:end] = m[k:end, k:end]
        below = m[end:, k:end]
        across = adjoint(below) if hermitian else transposed(below)
        if is_pair:
            p, q, r, s = m[k, k], m[k, k + 1], m[k + 1, k], m[k + 1, k + 1]
            part = op.empty(shape=below.shape, dtype=word)
            scale = p * s - q * r
            part[:, 0] = (below[:, 0] * s - below[:, 1] * r) / scale
            part[:, 1] = (below[:, 1] * p - below[:, 0] * q) / scale
            left[end:, k:end] = part
            m[end:, end:] = m[end:, end:] - part @ across
        elif m[k, k] != 0.0:
            part = below / m[k, k]
            left[end:, k:end] = part
            m[end:, end:] = m[end:, end:] - part @ across
        k = end
    return left, d, order


def pivot(sizes, k, is_first):
    """(which row comes to the place, whether a block of two rows does)"""
    n = sizes.shape[0]
    if k == n - 1:
        return k, False
    row = largest(sizes[k + 1 :, k], is_first) + k + 1
    size, column = sizes[k, k], sizes[row, k]
    if size >= GROWTH * column:
        return k, False
    beside = op.copy(sizes[row, k:])
    beside[row - k] = 0.0
    across = op.max(beside)
    if size >= GROWTH * column * (column / across):
        return k, False
    return row, sizes[row, row] < GROWTH * across


def largest(x, is_first):
    return op.argmax(x) if is_first else x.shape[0] - 1 - op.argmax(x[::-1])


def exchanged(m, i, j):
    """With two rows and the same columns exchanged."""
    order = op.arange(0, m.shape[0], 1, shape=(m.shape[0],), dtype="i64")
    order[i], order[j] = j, i
    return m[order][:, order]


# --- functions -------------------------------------------------------------------------------------------------------


def funm(A, func, disp=True):
    """f(a) for a function of an array of complex numbers, the eigenvalues; where two of them meet the elements between
    are not divided, as in SciPy.  Of a real matrix the result is real, or refused."""
    a = matrices(A)
    return over_stacks(lambda m: of_triangle(square(m, False), func, disp), [(in_floats(a), a.shape[-2:])], (a, 2))


def of_triangle(a, func, disp):
    if not disp:
        static.refuse("U012", "scipy.linalg.funm has no estimate of errors here: leave `disp=` out")
    t, u = op.schur_of_complex(in_complex(a))
    n = t.shape[0]
    values = in_dtype(func(diagonal(t)), static.element(t))
    f = op.zeros(shape=(n, n), dtype=static.element(t))
    for i in range(n):
        f[i, i] = values[i]
    for j in range(1, n):
        for i in range(j - 1, -1, -1):
            above = t[i, j] * (f[j, j] - f[i, i])
            above = above + op.sum(t[i, i + 1 : j] * f[i + 1 : j, j]) - op.sum(f[i, i + 1 : j] * t[i + 1 : j, j])
            apart = t[j, j] - t[i, i]
            f[i, j] = above if apart == 0.0 else above / apart
    found = op.matmul(op.matmul(u, f), adjoint(u))
    if static.is_complex(a):
        return found
    size = op.max(op.absolute(op.real(found))) if n > 0 else 0.0
    if n > 0 and op.max(op.absolute(op.imag(found))) > 1e3 * static.limits(static.element(a)).eps * max(size, 1.0):
        raise ValueError("funm of a real matrix has a complex result here: pass a.astype(complex)")
    return op.real(found)
