"""Products of matrices and vectors, by loops over rows with slices and dots."""

import numpy as np

from .kernel import Kernel, uniform


def gemm(A, B, C):
    C = C.copy()
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[i, j] *= 1.2
            for k in range(A.shape[1]):
                C[i, j] += 1.5 * A[i, k] * B[k, j]
    return C


def two_products(A, B, C, D):
    D = D.copy()
    T = 1.5 * (A @ B)
    D *= 1.2
    D += T @ C
    return D


def three_products(A, B, C, D):
    E = A @ B
    F = C @ D
    return E @ F


def syrk(A, C):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, : i + 1] *= 1.2
        for k in range(A.shape[1]):
            C[i, : i + 1] += 1.5 * A[i, k] * A[: i + 1, k]
    return C


def syr2k(A, B, C):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, : i + 1] *= 1.2
        for k in range(A.shape[1]):
            C[i, : i + 1] += 1.5 * (A[: i + 1, k] * B[i, k] + B[: i + 1, k] * A[i, k])
    return C


def trmm(A, B):
    B = B.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
            B[i, j] *= 1.5
    return B


def symm(A, B, C):
    C = C.copy()
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += 1.5 * B[i, j] * A[i, :i]
            C[i, j] = 1.2 * C[i, j] + 1.5 * B[i, j] * A[i, i] + 1.5 * np.dot(B[:i, j], A[i, :i])
    return C


def atax(A, x):
    y = np.zeros(A.shape[1])
    for i in range(A.shape[0]):
        t = 0.0
        for j in range(A.shape[1]):
            t += A[i, j] * x[j]
        for j in range(A.shape[1]):
            y[j] += A[i, j] * t
    return y


def bicg(A, p, r):
    s = np.zeros(A.shape[1])
    q = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]
    return np.sum(s) * np.sum(q)


def mvt(A, x, y, u, v):
    x, y = x.copy(), y.copy()
    x += A @ u
    y += v @ A
    return np.sum(x) * np.sum(y)


def gesummv(A, B, x):
    return 1.5 * (A @ x) + 1.2 * (B @ x)


def gemver(A, a, b, c, d, y, z):
    A = A + np.outer(a, b) + np.outer(c, d)
    x = 1.2 * (y @ A) + z
    return 1.5 * (A @ x)


def doitgen(A, C):
    A = A.copy()
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            A[r, q, :] = A[r, q, :] @ C
    return A


def _gemm(jax, jnp):
    return lambda A, B, C: 1.2 * C + 1.5 * A @ B


def _syrk(jax, jnp):
    return lambda A, C: jnp.tril(1.2 * C + 1.5 * A @ A.T) + jnp.triu(C, 1)


def _syr2k(jax, jnp):
    return lambda A, B, C: jnp.tril(1.2 * C + 1.5 * (A @ B.T + B @ A.T)) + jnp.triu(C, 1)


def _trmm(jax, jnp):
    return lambda A, B: 1.5 * (B + jnp.tril(A, -1).T @ B)


def _symm(jax, jnp):
    def symm(A, B, C):
        S = jnp.tril(A) + jnp.tril(A, -1).T
        return 1.2 * C + 1.5 * S @ B

    return symm


def _two_products(jax, jnp):
    return lambda A, B, C, D: 1.2 * D + 1.5 * (A @ B) @ C


def _bicg(jax, jnp):
    return lambda A, p, r: jnp.sum(r @ A) * jnp.sum(A @ p)


def _mvt(jax, jnp):
    return lambda A, x, y, u, v: jnp.sum(x + A @ u) * jnp.sum(y + v @ A)


def _same(function):
    """Functions without stores mean the same to both."""

    def peer(jax, jnp):
        scope = {**function.__globals__, "np": jnp}
        return type(function)(function.__code__, scope)

    return peer


KERNELS = [
    Kernel(gemm, uniform("n, n", "n, n", "n, n"), 4, 200, 3, _gemm),
    Kernel(two_products, uniform(*["n, n"] * 4), 4, 400, 4, _two_products),
    Kernel(three_products, uniform(*["n, n"] * 4), 4, 400, 4, _same(three_products)),
    Kernel(syrk, uniform("n, n", "n, n"), 4, 200, 2, _syrk),
    Kernel(syr2k, uniform("n, n", "n, n", "n, n"), 4, 150, 3, _syr2k),
    Kernel(trmm, uniform("n, n", "n, n"), 4, 150, 2, _trmm),
    Kernel(symm, uniform("n, n", "n, n", "n, n"), 4, 120, 3, _symm),
    Kernel(atax, uniform("n, n", "n"), 4, 1000, 2, lambda jax, jnp: lambda A, x: (A @ x) @ A),
    Kernel(bicg, uniform("n, n", "n", "n"), 4, 1000, 3, _bicg),
    Kernel(mvt, uniform("n, n", "n", "n", "n", "n"), 4, 1000, 5, _mvt),
    Kernel(gesummv, uniform("n, n", "n, n", "n"), 4, 1000, 3, _same(gesummv)),
    Kernel(gemver, uniform("n, n", *["n"] * 6), 4, 1000, 7, _same(gemver)),
    Kernel(doitgen, uniform("n, n, n", "n, n"), 3, 60, 2, lambda jax, jnp: lambda A, C: A @ C),
]  # fmt: skip
