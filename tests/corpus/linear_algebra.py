"""Factorisations, solvers and eigenvalues by loops and slices."""

import math

import numpy as np


def matrix_vector_product(M, x):
    out = np.zeros(M.shape[0])
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            out[i] += M[i, j] * x[j]
    return out


def matrix_product(A, B):
    """The textbook triple loop."""
    n = len(A)
    C = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += A[i, k] * B[k, j]
            C[i, j] = total
    return C


def forward_substitution(L, x):
    """Solve L y = x with L lower triangular."""
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = (x[i] - L[i, :i] @ y[:i]) / L[i, i]
    return y


def back_substitution(U, x):
    """Solve U y = x with U upper triangular."""
    n = len(x)
    y = x.copy()
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            y[i] -= U[i, j] * y[j]
        y[i] /= U[i, i]
    return y


def lu_in_place(D):
    """Both factors in one matrix, without pivoting."""
    LU = D.copy()
    for k in range(len(LU)):
        LU[k + 1 :, k] /= LU[k, k]
        LU[k + 1 :, k + 1 :] -= np.outer(LU[k + 1 :, k], LU[k, k + 1 :])
    return LU


def solve_with_pivoting(A, x):
    """Gaussian elimination, the largest pivot first."""
    n = len(x)
    A, y = A.copy(), x.copy()
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            y[k], y[pivot] = y[pivot], y[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            y[i] -= factor * y[k]
    for i in range(n - 1, -1, -1):
        y[i] = (y[i] - np.dot(A[i, i + 1 :], y[i + 1 :])) / A[i, i]
    return y


def cholesky_by_elements(S):
    """The lower factor, one element at a time."""
    n = S.shape[0]
    L = np.zeros_like(S)
    for i in range(n):
        for j in range(i + 1):
            total = S[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                L[i, i] = math.sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    return L


def cholesky_by_columns(S):
    """The lower factor, one column at a time."""
    L = np.zeros(S.shape)
    for j in range(len(S)):
        column = S[j:, j] - L[j:, :j] @ L[j, :j]
        L[j:, j] = column / np.sqrt(column[0])
    return L


def log_determinant(S):
    """By the diagonal of the Cholesky factor."""
    L = cholesky_by_columns(S)
    total = 0.0
    for i in range(len(S)):
        total += np.log(L[i, i])
    return 2.0 * total


def gram_schmidt(D):
    """Orthonormal columns Q and upper triangular R with D = Q R."""
    n = len(D)
    Q, R = np.zeros((n, n)), np.zeros((n, n))
    for j in range(n):
        column = D[:, j].copy()
        for i in range(j):
            R[i, j] = Q[:, i] @ column
            column -= R[i, j] * Q[:, i]
        R[j, j] = np.sqrt(column @ column)
        Q[:, j] = column / R[j, j]
    return Q, R


def householder_triangle(M):
    """The R of a QR factorisation by reflections."""
    R = M.copy()
    rows, columns = R.shape
    for k in range(columns):
        v = R[k:, k].copy()
        v[0] += math.copysign(math.sqrt(np.sum(v * v)), v[0])
        scale = 2.0 / np.sum(v * v)
        R[k:, k:] = R[k:, k:] - scale * np.outer(v, v @ R[k:, k:])
    return R[:columns]


def determinant(D):
    """Product of the pivots."""
    work = D.copy()
    product = 1.0
    for k in range(len(work)):
        product *= work[k, k]
        for i in range(k + 1, len(work)):
            work[i] -= work[i, k] / work[k, k] * work[k]
    return product


def gauss_jordan_inverse(D):
    n = len(D)
    work, inverse = D.copy(), np.eye(n)
    for k in range(n):
        pivot = work[k, k]
        work[k, :] /= pivot
        inverse[k, :] /= pivot
        for i in range(n):
            if i != k:
                factor = work[i, k]
                work[i] -= factor * work[k]
                inverse[i] -= factor * inverse[k]
    return inverse


def power_iteration(S, n_steps):
    """Rayleigh quotient and vector after some multiplications."""
    vector = np.ones(len(S)) / math.sqrt(len(S))
    value = 0.0
    for _ in range(n_steps):
        image = S @ vector
        value = vector @ image
        vector = image / np.sqrt(image @ image)
    return value, vector


def jacobi_eigenvalues(S, n_sweeps=2):
    """Diagonal after sweeps of plane rotations."""
    A = S.copy()
    n = len(A)
    for _ in range(n_sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(A[p, q]) < 1e-8:
                    continue
                ratio = (A[q, q] - A[p, p]) / (2.0 * A[p, q])
                t = np.sign(ratio) / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    A[k, p], A[k, q] = c * A[k, p] - s * A[k, q], s * A[k, p] + c * A[k, q]
                for k in range(n):
                    A[p, k], A[q, k] = c * A[p, k] - s * A[q, k], s * A[p, k] + c * A[q, k]
    values = np.zeros(n)
    for i in range(n):
        values[i] = A[i, i]
    return values


def gauss_seidel(D, x, n_steps):
    """Solve D y = x, each new component used at once."""
    y = np.zeros_like(x)
    for _ in range(n_steps):
        for i in range(len(x)):
            rest = D[i, :i] @ y[:i] + D[i, i + 1 :] @ y[i + 1 :]
            y[i] = (x[i] - rest) / D[i, i]
    return y


def jacobi_iteration(D, x, tolerance=1e-12):
    """Solve D y = x, all components at once, until the largest change is small."""
    n = len(x)
    diagonal = D[np.arange(n), np.arange(n)]
    y = x / diagonal
    for _ in range(200):
        following = (x - D @ y + diagonal * y) / diagonal
        change = np.max(np.abs(following - y))
        y = following
        if change < tolerance:
            break
    return y


def conjugate_gradient(S, x, n_steps):
    """Some steps of the conjugate gradient method for S y = x, short of the exact solution."""
    y = np.zeros(len(x))
    residual = x.copy()
    direction = x.copy()
    for _ in range(min(n_steps, len(x) - 1)):
        image = S @ direction
        before = residual @ residual
        step = before / (direction @ image)
        y = y + step * direction
        residual = residual - step * image
        direction = residual + (residual @ residual) / before * direction
    return y


def rayleigh_quotient(S, x):
    """The eigenvalue that x would have."""
    return (x @ S @ x) / (x @ x)


def thomas(lower, diagonal, upper, right):
    """Solve a tridiagonal system in linear time."""
    n = len(diagonal)
    factor, y = np.zeros(n), np.zeros(n)
    factor[0], y[0] = upper[0] / diagonal[0], right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * factor[i - 1]
        factor[i] = upper[i] / pivot
        y[i] = (right[i] - lower[i] * y[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        y[i] -= factor[i] * y[i + 1]
    return y


def matrix_exponential(A, n_terms=12):
    """Taylor series of exp(A / 4), squared twice."""
    scaled = A / 4.0
    total = np.eye(len(A))
    term = np.eye(len(A))
    for i in range(1, n_terms):
        term = term @ scaled / i
        total = total + term
    squared = total @ total
    return squared @ squared


def matrix_power(A, count):
    """A to a whole power by repeated squaring."""
    result, base = np.eye(len(A)), A
    while count > 0:
        if count % 2 == 1:
            result = result @ base
        base = base @ base
        count //= 2
    return result


def matrix_norms(M):
    size = np.abs(M)
    return {
        "frobenius": np.sqrt(np.sum(M * M)),
        "one": np.max(np.sum(size, axis=0)),
        "infinity": np.max(np.sum(size, axis=1)),
    }


def kronecker_product(A, B):
    n, m = len(A), len(B)
    return (A[:, None, :, None] * B[None, :, None, :]).reshape(n * m, n * m)


def symmetric_update(S, x, alpha):
    """Sherman-Morrison: the change of an inverse S under a rank-one update."""
    image = S @ x
    return S - alpha * np.outer(image, image) / (1.0 + alpha * x @ image)


def _dominant_shuffled(rng, n):
    D = rng.uniform(-1.0, 1.0, (n, n)) + np.diag(n + rng.uniform(0.5, 1.5, n))
    return D[rng.permutation(n)], rng.standard_normal(n)


def _tridiagonal(rng, n):
    lower, upper = rng.uniform(-1.0, 1.0, (2, n))
    return lower, rng.uniform(2.5, 4.0, n), upper, rng.standard_normal(n)


ARGUMENTS = {"solve_with_pivoting": _dominant_shuffled, "thomas": _tridiagonal}

MIN_SIZE = {"conjugate_gradient": 2}

NO_GRADIENT = {}
