"""Model predictive control of a double integrator with bounded input: the horizon condensed, L-BFGS-B in each step.

Rawlings, Mayne & Diehl, *Model Predictive Control*, ch. 1; the terminal cost is that of the Riccati equation.
"""
import numpy as np
from scipy.linalg import block_diag, solve_discrete_are
from scipy.optimize import minimize


def condensed(A, B, N):
    """x = F x0 + G u over the horizon."""
    n, m = B.shape
    powers = [np.eye(n)]
    for _ in range(N):
        powers.append(A @ powers[-1])
    F = np.vstack(powers[1:])
    G = np.zeros((N * n, N * m))
    for i in range(N):
        for j in range(i + 1):
            G[i * n:(i + 1) * n, j * m:(j + 1) * m] = powers[i - j] @ B
    return F, G


def simulate(A, B, Q, R, x0, N, steps, u_max):
    P = solve_discrete_are(A, B, Q, R)
    F, G = condensed(A, B, N)
    Qbar = block_diag(np.kron(np.eye(N - 1), Q), P)
    Rbar = np.kron(np.eye(N), R)
    H = G.T @ Qbar @ G + Rbar
    x, u_warm = x0, np.zeros(N * B.shape[1])
    total, inputs = 0.0, []
    for _ in range(steps):
        g = G.T @ Qbar @ F @ x
        result = minimize(lambda u: (0.5 * u @ H @ u + g @ u, H @ u + g), u_warm, jac=True, method="L-BFGS-B",
                          bounds=[(-u_max, u_max)] * N, options={"ftol": 1e-15, "gtol": 1e-10})
        u = result.x[:1]
        total += x @ Q @ x + u @ R @ u
        x = A @ x + B @ u
        u_warm = np.append(result.x[1:], 0.0)
        inputs.append(u[0])
    return total + x @ P @ x, x, np.array(inputs)


ENTRY = "simulate"


def make_arguments(rng, n):
    dt = 0.3
    return (np.array([[1.0, dt], [0.0, 1.0]]), np.array([[dt**2 / 2], [dt]]), np.eye(2), 0.1 * np.eye(1),
            np.array([1.5, 0.3]) + 0.1 * rng.normal(size=2), 4, n, 1.0)


GRADIENT = ("x0",)
ERRORS = []
