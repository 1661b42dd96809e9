"""A cantilever of Euler-Bernoulli elements: static load, natural frequencies, Newmark's method with a sparse factor.

Petyt, *Introduction to Finite Element Vibration Analysis*, ch. 3.
"""
import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu


def element(E, I, rho, A, L):
    k = E * I / L**3 * np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                                 [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]])
    m = rho * A * L / 420 * np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2],
                                      [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]])
    return k, m


def assemble(heights, E, rho, width, length):
    n = len(heights)
    K = np.zeros((2 * n + 2, 2 * n + 2))
    M = np.zeros_like(K)
    for e, h in enumerate(heights):
        k, m = element(E, width * h**3 / 12, rho, width * h, length / n)
        dofs = np.arange(2 * e, 2 * e + 4)
        K[np.ix_(dofs, dofs)] += k
        M[np.ix_(dofs, dofs)] += m
    return K[2:, 2:], M[2:, 2:]


def newmark(K, M, f, dt, steps, beta=0.25, gamma=0.5):
    C = 0.002 * K
    lu = splu(csc_matrix(M + gamma * dt * C + beta * dt**2 * K))
    u, v = np.zeros(len(f)), np.zeros(len(f))
    a = np.linalg.solve(M, f)
    history = []
    for _ in range(steps):
        u = u + dt * v + dt**2 * (0.5 - beta) * a
        v = v + dt * (1 - gamma) * a
        a = lu.solve(f - C @ v - K @ u)
        u = u + beta * dt**2 * a
        v = v + gamma * dt * a
        history.append(u[-2])
    return np.array(history)


def analyse(heights, E, rho, width, length, dt, steps):
    K, M = assemble(heights, E, rho, width, length)
    f = np.zeros(len(K))
    f[-2] = -1.0
    u = np.linalg.solve(K, f)
    omega2, modes = eigh(K, M)
    frequencies = np.sqrt(omega2[:3]) / (2 * np.pi)
    return f @ u, frequencies, newmark(K, M, f, dt, steps), np.abs(modes[:, 0])


ENTRY = "analyse"


def make_arguments(rng, n):
    return 0.1 + 0.02 * rng.random(n + 1), 100.0, 1.0, 0.2, 1.0, 0.05, 6


GRADIENT = ("heights", "E")
ERRORS = []
