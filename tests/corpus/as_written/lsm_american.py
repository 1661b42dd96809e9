"""Longstaff-Schwartz Monte Carlo for American basket puts, normals supplied by the caller.

Longstaff & Schwartz (2001): regress continuation values on polynomials of the
in-the-money paths; a martingale-type lower bound comes with pathwise deltas.
"""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Basket:
    spots: np.ndarray
    vols: np.ndarray
    weights: np.ndarray
    correlation: float
    rate: float

    @property
    def dim(self):
        return len(self.spots)

    def factor(self):
        """Cholesky factor of the constant-correlation matrix."""
        d = self.dim
        C = np.full((d, d), self.correlation)
        np.fill_diagonal(C, 1.0)
        return np.linalg.cholesky(C)

    def paths(self, normals, dt):
        """(steps + 1, paths, assets) array of geometric Brownian motion."""
        shocks = normals @ self.factor().T
        drift = (self.rate - 0.5 * self.vols ** 2) * dt
        log_inc = drift + self.vols * np.sqrt(dt) * shocks
        log_s = np.cumsum(log_inc, axis=0)
        start = np.zeros((1,) + log_s.shape[1:])
        return self.spots * np.exp(np.concatenate([start, log_s]))


def laguerre_basis(x, degree=3):
    """Weighted Laguerre polynomials, plus a constant."""
    w = np.exp(-0.5 * x)
    columns = [np.ones_like(x), w]
    prev, cur = np.ones_like(x), 1.0 - x
    for k in range(1, degree):
        columns.append(w * cur)
        prev, cur = cur, ((2 * k + 1 - x) * cur - k * prev) / (k + 1)
    return np.stack(columns, axis=1)


def regress(A, y, ridge):
    G = A.T @ A
    G += ridge * np.trace(G) / len(G) * np.eye(len(G))
    return np.linalg.solve(G, A.T @ y)


def exercise_policy(index, strike, dt, rate, ridge):
    """Walk backwards; returns stopping step for every path and the regression coefficients."""
    n_steps, n_paths = index.shape[0] - 1, index.shape[1]
    disc = np.exp(-rate * dt)
    payoff = np.maximum(strike - index, 0.0)
    stop = np.full(n_paths, n_steps)
    cash = payoff[-1].copy()
    coefs = {}
    for k in range(n_steps - 1, 0, -1):
        cash = cash * disc
        itm = payoff[k] > 0
        if itm.sum() < 5:
            continue
        A = laguerre_basis(index[k, itm] / strike)
        beta = regress(A, cash[itm], ridge)
        coefs[k] = beta
        continuation = A @ beta
        exercise_now = payoff[k, itm] > continuation
        rows = np.flatnonzero(itm)[exercise_now]
        cash[rows] = payoff[k, rows]
        stop[rows] = k
    return stop, coefs


def price_basket_put(basket, strike, maturity, normals, ridge=1e-8):
    """Return dict(price, stderr, deltas, european, early fraction, exercise histogram)."""
    if normals.ndim != 3:
        raise ValueError(f"normals must be (steps, paths, assets), got {normals.shape}")
    n_steps, n_paths, d = normals.shape
    if d != basket.dim:
        raise ValueError(f"{d} columns of normals for {basket.dim} assets")
    if not np.isclose(basket.weights.sum(), 1.0, atol=1e-2):
        raise ValueError(f"weights must sum to one, got {basket.weights.sum():.4f}")
    if strike <= 0 or maturity <= 0:
        raise ValueError("strike and maturity must be positive")
    dt = maturity / n_steps

    normals = np.concatenate([normals, -normals], axis=1)        # antithetic
    S = basket.paths(normals, dt)
    index = np.einsum("tpa,a->tp", S, basket.weights)
    stop, coefs = exercise_policy(index, strike, dt, basket.rate, ridge)

    columns = np.arange(index.shape[1])
    at_stop = index[stop, columns]
    discount = np.exp(-basket.rate * dt * stop)
    pv = discount * np.maximum(strike - at_stop, 0.0)
    price = pv.mean()
    pair_means = 0.5 * (pv[:n_paths] + pv[n_paths:])
    stderr = pair_means.std(ddof=1) / np.sqrt(n_paths) if n_paths > 1 else 0.0

    # immediate exercise beats waiting?
    now = max(strike - basket.weights @ basket.spots, 0.0)
    exercised_now = now > price
    if exercised_now:
        price = now

    alive = at_stop < strike
    growth = S[stop, columns] / basket.spots
    deltas = -np.mean((discount * alive)[:, None] * growth, axis=0) * basket.weights
    euro = np.exp(-basket.rate * maturity) * np.maximum(strike - index[-1], 0.0).mean()
    counts = np.bincount(stop[alive], minlength=n_steps + 1)
    return {"price": price, "stderr": stderr, "deltas": deltas, "european": euro,
            "early_fraction": np.mean(stop < n_steps), "histogram": counts,
            "n_regressions": len(coefs)}


ENTRY = "price_basket_put"


def make_arguments(rng, n):
    d = min(n, 3)
    basket = Basket(spots=np.full(d, 100.0) + rng.normal(size=d), vols=rng.uniform(0.2, 0.35, size=d),
                    weights=np.full(d, 1.0 / d), correlation=0.4, rate=0.05)
    return (basket, 102.0, 1.0, rng.normal(size=(2 * n, 60, d)))


GRADIENT = ("basket", "strike", "maturity")     # policy held fixed between flips
ERRORS = [(lambda rng, n: (make_arguments(rng, n)[0], 100.0, 1.0, rng.normal(size=(n, 10))), ValueError),
          (lambda rng, n: (make_arguments(rng, n)[0], -5.0, 1.0, make_arguments(rng, n)[3]), ValueError)]
