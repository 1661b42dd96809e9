"""Factorisations, solutions of triangular systems and recurrences, in place with slices and dots."""

import numpy as np

from .kernel import Kernel, uniform


def lu(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


def ludcmp(A, b):
    A = A.copy()
    n = A.shape[0]
    x, y = np.zeros(n), np.zeros(n)
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


def cholesky(A):
    A = A.copy()
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return A


def trisolv(L, b):
    x = np.zeros(L.shape[0])
    for i in range(L.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def durbin(r):
    y = np.zeros(r.shape[0])
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(r[:k][::-1], y[:k])) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


def gramschmidt(A):
    A = A.copy()
    Q = np.zeros(A.shape)
    R = np.zeros((A.shape[1], A.shape[1]))
    for k in range(A.shape[1]):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(Q) + np.sum(R)


def vertical_advection(u, w, dt):
    """The Thomas algorithm along the last axis, for all columns at once."""
    n = u.shape[2]
    c, d = np.zeros(u.shape), np.zeros(u.shape)
    x = np.zeros(u.shape)
    for k in range(n):
        below = -0.25 * w[:, :, k] if k > 0 else 0.0 * w[:, :, k]
        above = 0.25 * w[:, :, k + 1] if k < n - 1 else 0.0 * w[:, :, k]
        middle = dt - below - above
        right = dt * u[:, :, k]
        if k > 0:
            right = right - below * (u[:, :, k - 1] - u[:, :, k])
            divided = 1.0 / (middle - below * c[:, :, k - 1])
            c[:, :, k] = above * divided
            d[:, :, k] = (right - below * d[:, :, k - 1]) * divided
        else:
            c[:, :, k] = above / middle
            d[:, :, k] = right / middle
    x[:, :, n - 1] = d[:, :, n - 1]
    for k in range(n - 2, -1, -1):
        x[:, :, k] = d[:, :, k] - c[:, :, k] * x[:, :, k + 1]
    return x


def deriche(image, alpha):
    """Deriche's recursive smoothing along rows, then along columns."""
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(-2.0 * alpha))
    a1, a2 = k, k * np.exp(-alpha) * (alpha - 1.0)
    a3, a4 = k * np.exp(-alpha) * (alpha + 1.0), -k * np.exp(-2.0 * alpha)
    b1, b2 = 2.0 ** (-alpha), -np.exp(-2.0 * alpha)
    w, h = image.shape
    ahead, back = np.zeros((w, h)), np.zeros((w, h))
    ahead[:, 0] = a1 * image[:, 0]
    ahead[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * ahead[:, 0]
    for j in range(2, h):
        ahead[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * ahead[:, j - 1] + b2 * ahead[:, j - 2]
    back[:, h - 2] = a3 * image[:, h - 1]
    for j in range(h - 3, -1, -1):
        back[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * back[:, j + 1] + b2 * back[:, j + 2]
    rows = ahead + back
    ahead, back = np.zeros((w, h)), np.zeros((w, h))
    ahead[0, :] = a1 * rows[0, :]
    ahead[1, :] = a1 * rows[1, :] + a2 * rows[0, :] + b1 * ahead[0, :]
    for i in range(2, w):
        ahead[i, :] = a1 * rows[i, :] + a2 * rows[i - 1, :] + b1 * ahead[i - 1, :] + b2 * ahead[i - 2, :]
    back[w - 2, :] = a3 * rows[w - 1, :]
    for i in range(w - 3, -1, -1):
        back[i, :] = a3 * rows[i + 1, :] + a4 * rows[i + 2, :] + b1 * back[i + 1, :] + b2 * back[i + 2, :]
    return ahead + back


def floyd_warshall(paths):
    paths = paths.copy()
    for k in range(paths.shape[0]):
        for i in range(paths.shape[0]):
            for j in range(paths.shape[0]):
                paths[i, j] = min(paths[i, j], paths[i, k] + paths[k, j])
    return paths


def nussinov(sequence):
    """The most pairs of bases that fit in a fold: table[i, j] counts those of sequence[i : j + 1]."""
    n = sequence.shape[0]
    table = np.zeros((n, n), dtype=np.int64)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            pair = 1 if sequence[i] + sequence[j] == 3 else 0
            inside = table[i + 1, j - 1] if i < j - 1 else 0
            best = max(best, inside + pair if i < j - 1 else inside)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table


def _dominant(size, random):
    return (random.random((size, size)) + size * np.eye(size),)


def _positive(size, random):
    A = random.random((size, size))
    return (A @ A.T + size * np.eye(size),)


def _system(size, random):
    return (*_dominant(size, random), random.random(size))


def _correlation(size, random):
    return (0.5 ** np.arange(1.0, size + 1.0) * (1.0 + 0.1 * random.random(size)),)


def _columns(size, random):
    u, w = random.random((size, size, size)), random.random((size, size, size + 1))
    return u, w, 3.0


def _sequence(size, random):
    return (random.integers(0, 4, size),)


def _lu(jax, jnp):
    def lu(A):
        def step(k, A):
            rows = jnp.arange(A.shape[0])
            column = jnp.where(rows > k, A[:, k] / A[k, k], 0.0)
            row = jnp.where(rows > k, A[k, :], 0.0)
            A = A - jnp.outer(column, row)
            return A.at[:, k].set(jnp.where(rows > k, column, A[:, k]))

        return jax.lax.fori_loop(0, A.shape[0], step, A)

    return lu


def _cholesky(jax, jnp):
    return lambda A: jnp.tril(jnp.linalg.cholesky(A, symmetrize_input=False)) + jnp.triu(A, 1)


def _trisolv(jax, jnp):
    return lambda L, b: jax.scipy.linalg.solve_triangular(L, b, lower=True)


def _ludcmp(jax, jnp):
    return lambda A, b: jnp.linalg.solve(A, b)


def _floyd_warshall(jax, jnp):
    def paths(A):
        return jax.lax.fori_loop(0, A.shape[0], lambda k, A: jnp.minimum(A, A[:, k, None] + A[None, k, :]), A)

    return paths


KERNELS = [
    Kernel(lu, _dominant, 5, 300, 1, _lu),
    Kernel(ludcmp, _system, 5, 300, 2, _ludcmp),
    Kernel(cholesky, _positive, 5, 300, 1, _cholesky),
    Kernel(trisolv, _system, 5, 1500, 2, _trisolv),
    Kernel(durbin, _correlation, 6, 1000),
    Kernel(gramschmidt, uniform("2n, n"), 3, 100),
    Kernel(vertical_advection, _columns, 4, 60, 2),
    Kernel(deriche, lambda n, random: (random.random((n, n)), 0.25), 6, 800),
    Kernel(floyd_warshall, uniform("n, n"), 5, 200, 0, _floyd_warshall),
    Kernel(nussinov, _sequence, 8, 200, 0),
]
