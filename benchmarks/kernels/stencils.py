"""Stencils, in place over time steps."""

import numpy as np

from .kernel import Kernel, uniform

STEPS = 20


def jacobi_1d(A, B):
    A, B = A.copy(), B.copy()
    for _ in range(STEPS):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return A


def jacobi_2d(A, B):
    A, B = A.copy(), B.copy()
    for _ in range(STEPS):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return A


def heat_3d(A, B):
    A, B = A.copy(), B.copy()
    for _ in range(STEPS):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1]
        )
    return A


def seidel_2d(A):
    A = A.copy()
    n = A.shape[0]
    for _ in range(STEPS):
        for i in range(1, n - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:]
            A[i, 1:-1] += A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return A


def fdtd_2d(ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return hz


def adi(u):
    """Alternating directions: in each step a tridiagonal system along the columns, then one along the rows."""
    u = u.copy()
    n = u.shape[0]
    a, b, d = -0.4, 1.8, -0.3
    c, e, f = a, 1.6, d
    v, p, q = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for _ in range(STEPS // 4):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (
                -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - f * u[j, 2:] - a * q[1:-1, j - 1]
            ) / (a * p[1:-1, j - 1] + b)  # fmt: skip
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -f / (d * p[1:-1, j - 1] + e)
            q[1:-1, j] = (
                -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - c * v[2:, j] - d * q[1:-1, j - 1]
            ) / (d * p[1:-1, j - 1] + e)  # fmt: skip
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return u


def _jacobi_1d(jax, jnp):
    def jacobi(A, B):
        def step(_, AB):
            A, B = AB
            B = B.at[1:-1].set(0.33333 * (A[:-2] + A[1:-1] + A[2:]))
            return A.at[1:-1].set(0.33333 * (B[:-2] + B[1:-1] + B[2:])), B

        return jax.lax.fori_loop(0, STEPS, step, (A, B))[0]

    return jacobi


def _jacobi_2d(jax, jnp):
    def smooth(A):
        return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])

    def jacobi(A, B):
        def step(_, AB):
            A, B = AB
            B = B.at[1:-1, 1:-1].set(smooth(A))
            return A.at[1:-1, 1:-1].set(smooth(B)), B

        return jax.lax.fori_loop(0, STEPS, step, (A, B))[0]

    return jacobi


def _heat_3d(jax, jnp):
    def smooth(A):
        middle = A[1:-1, 1:-1, 1:-1]
        return (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * middle + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * middle + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * middle + A[1:-1, 1:-1, :-2])
            + middle
        )

    def heat(A, B):
        def step(_, AB):
            A, B = AB
            B = B.at[1:-1, 1:-1, 1:-1].set(smooth(A))
            return A.at[1:-1, 1:-1, 1:-1].set(smooth(B)), B

        return jax.lax.fori_loop(0, STEPS, step, (A, B))[0]

    return heat


def _fdtd_2d(jax, jnp):
    def fdtd(ex, ey, hz, source):
        def step(fields, pulse):
            ex, ey, hz = fields
            ey = ey.at[0, :].set(pulse)
            ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
            ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
            hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
            return (ex, ey, hz), None

        return jax.lax.scan(step, (ex, ey, hz), source)[0][2]

    return fdtd


def _fields(size, random):
    return (*(random.random((size, size)) for _ in range(3)), random.random(STEPS))


KERNELS = [
    Kernel(jacobi_1d, uniform("n", "n"), 6, 100_000, 2, _jacobi_1d),
    Kernel(jacobi_2d, uniform("n, n", "n, n"), 5, 400, 2, _jacobi_2d),
    Kernel(heat_3d, uniform("n, n, n", "n, n, n"), 4, 50, 2, _heat_3d),
    Kernel(seidel_2d, uniform("n, n"), 5, 200),
    Kernel(fdtd_2d, _fields, 4, 300, 4, _fdtd_2d),
    Kernel(adi, uniform("n, n"), 5, 200),
]
