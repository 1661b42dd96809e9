"""Finite- and infinite-horizon LQR for a chain of masses, by the Riccati recursion.

Anderson & Moore, *Optimal Control: Linear Quadratic Methods*.  The plant is n
masses joined by springs and dampers, discretised by the bilinear (Tustin) rule.
"""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.linalg import solve


@dataclass(frozen=True)
class Chain:
    n: int
    mass: float = 1.0
    stiffness: float = 2.0
    damping: float = 0.1

    def continuous(self):
        """(A, B) of x' = A x + B u, with a force on the first and the last mass."""
        n = self.n
        L = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
        A = np.zeros((2 * n, 2 * n))
        A[:n, n:] = np.eye(n)
        A[n:, :n] = -self.stiffness / self.mass * L
        A[n:, n:] = -self.damping / self.mass * L
        B = np.zeros((2 * n, 2))
        B[n, 0] = 1.0 / self.mass
        B[-1, 1] = -1.0 / self.mass
        return A, B


class Plant(NamedTuple):
    A: np.ndarray
    B: np.ndarray


class Weights(NamedTuple):
    position: float
    velocity: float
    effort: float


def tustin(A, B, dt):
    I = np.eye(A.shape[0])
    M = I - 0.5 * dt * A
    return Plant(solve(M, I + 0.5 * dt * A), solve(M, dt * B))


def riccati_step(P, plant, Q, R):
    A, B = plant
    S = R + B.T @ P @ B
    K = solve(S, B.T @ P @ A)
    P_next = Q + A.T @ P @ (A - B @ K)
    return 0.5 * (P_next + P_next.T), K


def solve_dare(plant, Q, R, tol=1e-9, max_iter=2000):
    P = Q.copy()
    for it in range(max_iter):
        P_new, K = riccati_step(P, plant, Q, R)
        delta = np.linalg.norm(P_new - P) / np.linalg.norm(P_new)
        P = P_new
        if delta < tol:
            return P, K, it + 1
    raise RuntimeError(f"Riccati iteration did not converge, last change {delta:.2e}")


def rollout(plant, gains, x0, limit=None):
    """Simulate x+ = A x - B K x, optionally saturating the input."""
    A, B = plant
    xs, us = [x0], []
    x = x0
    for K in gains:
        u = -K @ x
        if limit is not None:
            u = np.clip(u, -limit, limit)
        x = A @ x + B @ u
        xs.append(x)
        us.append(u)
    return np.array(xs), np.array(us)


def cost(xs, us, Q, R, P_final):
    stage = sum(x @ Q @ x + u @ R @ u for x, u in zip(xs[:-1], us))
    return stage + xs[-1] @ P_final @ xs[-1]


def design(chain, weights, x0, dt=0.2, horizon=30, u_max=None):
    """Return (closed-loop cost, finite-horizon cost, stationary gain, states, spectral radius)."""
    if chain.n < 1:
        raise ValueError("chain needs at least one mass")
    if x0.shape != (2 * chain.n,):
        raise ValueError(f"x0 must have length {2 * chain.n}, got {x0.shape}")
    if weights.effort <= 0:
        raise ValueError(f"effort weight must be positive, got {weights.effort}")
    plant = tustin(*chain.continuous(), dt)
    n = chain.n
    Q = np.diag(np.concatenate([np.full(n, weights.position), np.full(n, weights.velocity)]))
    R = weights.effort * np.eye(2)

    P_inf, K_inf, iters = solve_dare(plant, Q, R)
    xs, us = rollout(plant, [K_inf] * horizon, x0, u_max)
    J = cost(xs, us, Q, R, P_inf)

    # finite horizon, zero terminal weight
    P = np.zeros_like(Q)
    gains = []
    for _ in range(horizon):
        P, K = riccati_step(P, plant, Q, R)
        gains.append(K)
    gains.reverse()
    J_finite = x0 @ P @ x0

    closed = plant.A - plant.B @ K_inf
    radius = np.max(np.abs(np.linalg.eigvals(closed)))
    return {"cost": J, "finite_cost": J_finite, "optimal": x0 @ P_inf @ x0,
            "gain": K_inf, "states": xs, "peak_input": np.max(np.abs(us)),
            "spectral_radius": radius, "first_gain": gains[0]}


ENTRY = "design"


def make_arguments(rng, n):
    chain = Chain(n=min(n, 6), mass=1.2, stiffness=1.5, damping=0.2)
    return (chain, Weights(2.0, 0.5, 0.3), rng.normal(size=2 * chain.n), 0.25, 25, 1.0)


GRADIENT = ("chain", "weights", "x0")
ERRORS = [(lambda rng, n: (Chain(n), Weights(1.0, 1.0, 1.0), np.ones(n)), ValueError),
          (lambda rng, n: (Chain(n), Weights(1.0, 1.0, 0.0), np.ones(2 * n)), ValueError)]
