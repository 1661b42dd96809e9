"""Two-phase simplex method on a dense tableau, with Bland's rule and shadow prices.

Chvatal, "Linear Programming" (1983), ch. 2-5.
maximise c x  subject to  A x <= b, x >= 0 (b may be negative).
"""
from typing import NamedTuple

import numpy as np

EPS = 1e-9
MAX_PIVOTS = 500


class Infeasible(ValueError):
    pass


class Unbounded(ValueError):
    pass


class Solution(NamedTuple):
    value: float
    x: np.ndarray
    duals: np.ndarray
    slack: np.ndarray
    basis: list
    pivots: int


def pivot(T, basis, row, col):
    T[row] /= T[row, col]
    for r in range(T.shape[0]):
        if r != row:
            T[r] -= T[r, col] * T[row]
    basis[row] = col


def entering(objective_row, n_columns):
    """Bland: the first column with a negative reduced cost."""
    for j in range(n_columns):
        if objective_row[j] < -EPS:
            return j
    return None


def leaving(T, basis, col):
    """Minimum ratio, ties by the smallest basic index."""
    best = None
    for i in range(T.shape[0] - 1):
        if T[i, col] > EPS:
            ratio = T[i, -1] / T[i, col]
            key = (ratio, basis[i], i)
            if best is None or key < best:
                best = key
    return None if best is None else best[2]


def run_simplex(T, basis, n_columns):
    pivots = 0
    while pivots < MAX_PIVOTS:
        col = entering(T[-1], n_columns)
        if col is None:
            return pivots
        row = leaving(T, basis, col)
        if row is None:
            raise Unbounded(f"column {col} can grow without limit")
        pivot(T, basis, row, col)
        pivots += 1
    raise RuntimeError("too many pivots")


def phase_one(A, b):
    """Feasible tableau (without objective) by artificial variables where b < 0."""
    m, n = A.shape
    sign = np.where(b < 0, -1.0, 1.0)
    negative = np.flatnonzero(b < 0)
    k = len(negative)
    T = np.zeros((m + 1, n + m + k + 1))
    T[:m, :n] = sign[:, None] * A
    T[:m, n:n + m] = np.diag(sign)
    T[:m, -1] = sign * b
    basis = [n + i for i in range(m)]
    for t, i in enumerate(negative):
        T[i, n + m + t] = 1.0
        basis[i] = n + m + t
    if k == 0:
        return T, basis, 0
    T[-1, n + m:n + m + k] = 1.0
    for i in negative:
        T[-1] -= T[i]
    pivots = run_simplex(T, basis, n + m + k)
    if T[-1, -1] < -1e-7:
        raise Infeasible(f"constraints violated by {-T[-1, -1]:.3g} at best")
    for i, var in enumerate(basis):
        if var >= n + m:                       # degenerate artificial: pivot it out
            candidates = np.flatnonzero(np.abs(T[i, :n + m]) > EPS)
            if candidates.size:
                pivot(T, basis, i, int(candidates[0]))
    T = np.delete(T, np.s_[n + m:n + m + k], axis=1)
    return T, basis, pivots


def solve_lp(c, A, b):
    c, A, b = (np.array(z, dtype=float) for z in (c, A, b))
    m, n = A.shape
    if c.shape != (n,) or b.shape != (m,):
        raise ValueError(f"A is {A.shape}, but c has {c.size} and b has {b.size} entries")

    T, basis, first = phase_one(A, b)
    T[-1] = 0.0
    T[-1, :n] = -c
    for i, var in enumerate(basis):
        if abs(T[-1, var]) > 0:
            T[-1] -= T[-1, var] * T[i]
    second = run_simplex(T, basis, n + m)

    full = np.zeros(n + m)
    for i, var in enumerate(basis):
        if var < n + m:
            full[var] = T[i, -1]
    x, slack = full[:n], full[n:]
    duals = T[-1, n:n + m].copy()
    assert np.all(A @ x <= b + 1e-6)
    return Solution(c @ x, x, duals, slack, basis, first + second)


ENTRY = "solve_lp"


def make_arguments(rng, n):
    A = np.vstack([rng.uniform(0.1, 2.0, size=(n, n)), -np.ones((1, n))])
    b = np.concatenate([rng.uniform(1.0, 5.0, size=n), [-0.1]])
    return (rng.uniform(0.5, 2.0, size=n), A, b)


GRADIENT = ("c", "A", "b")
ERRORS = [
    (lambda rng, n: (np.ones(n), np.ones((n, n + 1)), np.ones(n)), ValueError),
    (lambda rng, n: (np.ones(n), np.ones((2, n)), np.array([1.0, -1.0])), Infeasible),
]
