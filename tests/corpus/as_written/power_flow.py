"""AC power flow of a small grid: Newton-Raphson in polar form, line flows, losses, a contingency screening."""
from enum import Enum
from typing import NamedTuple

import numpy as np


class Bus(Enum):
    SLACK = 0
    PV = 1
    PQ = 2


class Line(NamedTuple):
    i: int
    j: int
    r: float
    x: float
    b: float = 0.0
    rating: float = 1.0


class Diverged(RuntimeError):
    def __init__(self, mismatch):
        super().__init__(f"power flow did not converge, mismatch {mismatch:.2e}")


def admittance(lines, n):
    """Real and imaginary part of the bus admittance matrix."""
    G, B = np.zeros((n, n)), np.zeros((n, n))
    for line in lines:
        z2 = line.r ** 2 + line.x ** 2
        g, b = line.r / z2, -line.x / z2
        i, j = line.i, line.j
        G[i, i] += g
        G[j, j] += g
        G[i, j] -= g
        G[j, i] -= g
        B[i, i] += b + line.b / 2
        B[j, j] += b + line.b / 2
        B[i, j] -= b
        B[j, i] -= b
    return G, B


def injections(G, B, v, theta):
    d = theta[:, None] - theta[None, :]
    vv = np.outer(v, v)
    P = np.sum(vv * (G * np.cos(d) + B * np.sin(d)), axis=1)
    Q = np.sum(vv * (G * np.sin(d) - B * np.cos(d)), axis=1)
    return P, Q


def jacobian(G, B, v, theta, P, Q):
    d = theta[:, None] - theta[None, :]
    S = G * np.sin(d) - B * np.cos(d)
    C = G * np.cos(d) + B * np.sin(d)
    H = np.outer(v, v) * S
    np.fill_diagonal(H, -Q - np.diag(B) * v ** 2)
    N = v[:, None] * C
    np.fill_diagonal(N, P / v + np.diag(G) * v)
    M = -np.outer(v, v) * C
    np.fill_diagonal(M, P - np.diag(G) * v ** 2)
    L = v[:, None] * S
    np.fill_diagonal(L, Q / v - np.diag(B) * v)
    return np.block([[H, N], [M, L]])


def power_flow(lines, kinds, p_set, q_set, v_set, tol=1e-9, max_iter=20):
    n = len(kinds)
    G, B = admittance(lines, n)
    pv_pq = [k for k, kind in enumerate(kinds) if kind is not Bus.SLACK]
    pq = [k for k, kind in enumerate(kinds) if kind is Bus.PQ]
    rows = np.array(pv_pq + [n + k for k in pq])
    v, theta = v_set.copy(), np.zeros(n)
    for iteration in range(max_iter):
        P, Q = injections(G, B, v, theta)
        mismatch = np.concatenate([p_set - P, q_set - Q])[rows]
        worst = np.abs(mismatch).max()
        if worst < tol:
            return v, theta, P, Q, iteration
        J = jacobian(G, B, v, theta, P, Q)
        step = np.zeros(2 * n)
        step[rows] = np.linalg.solve(J[rows][:, rows], mismatch)
        theta += step[:n]
        v += step[n:]
    raise Diverged(worst)


def line_flow(line, v, theta):
    z2 = line.r ** 2 + line.x ** 2
    g, b = line.r / z2, -line.x / z2
    d = theta[line.i] - theta[line.j]
    vi, vj = v[line.i], v[line.j]
    p = g * vi ** 2 - vi * vj * (g * np.cos(d) + b * np.sin(d))
    q = -(b + line.b / 2) * vi ** 2 - vi * vj * (g * np.sin(d) - b * np.cos(d))
    return np.hypot(p, q), p


def analyse_grid(lines, kinds, p_set, q_set, v_set):
    """Base case, losses, overloads, and the worst voltage when any line is out."""
    if sum(kind is Bus.SLACK for kind in kinds) != 1:
        raise ValueError("exactly one slack bus is needed")
    v, theta, P, Q, iterations = power_flow(lines, kinds, p_set, q_set, v_set)
    loading = np.array([line_flow(line, v, theta)[0] / line.rating for line in lines])
    overloaded = [k for k, x in enumerate(loading) if x > 1.0]
    lowest, culprit = v.min(), None
    for k in range(len(lines)):
        rest = [line for m, line in enumerate(lines) if m != k]
        try:
            v_out, *_ = power_flow(rest, kinds, p_set, q_set, v_set)
        except (Diverged, np.linalg.LinAlgError):
            continue
        if v_out.min() < lowest:
            lowest, culprit = v_out.min(), k
    return {"v": v, "theta": np.degrees(theta), "losses": P.sum(), "reactive": Q, "loading": loading,
            "n_overloaded": len(overloaded), "worst_voltage": lowest, "culprit": culprit, "iterations": iterations}


ENTRY = "analyse_grid"


def make_arguments(rng, n):
    lines = [Line(0, 1, 0.02, 0.06, 0.03), Line(0, 2, 0.08, 0.24, 0.025), Line(1, 2, 0.06, 0.18, 0.02),
             Line(1, 3, 0.06, 0.18, 0.02), Line(2, 3, 0.01, 0.03, 0.01, 0.4), Line(3, 4, 0.08, 0.24, 0.025)]
    kinds = (Bus.SLACK, Bus.PV, Bus.PQ, Bus.PQ, Bus.PQ)
    p = np.array([0.0, 0.4, -0.25, -0.3, -0.2]) * (1 + 0.05 * rng.random(5))
    q = np.array([0.0, 0.0, -0.1, -0.05, -0.08])
    return lines, kinds, p, q, np.array([1.06, 1.04, 1.0, 1.0, 1.0])


GRADIENT = ("p_set",)
ERRORS = [(lambda rng, n: ([Line(0, 1, 0.02, 0.06)], (Bus.PQ, Bus.PQ), np.zeros(2), np.zeros(2), np.ones(2)),
           ValueError),
          (lambda rng, n: ([Line(0, 1, 0.02, 0.06)], (Bus.SLACK, Bus.PQ), np.array([0.0, -50.0]), np.zeros(2),
                           np.ones(2)), Diverged)]
