"""Elastic net path by cyclic coordinate descent with active sets.

Friedman, Hastie & Tibshirani (2010), *J. Stat. Software* 33: objective
1/(2n)||y - b0 - Xb||^2 + lam (alpha |b|_1 + (1-alpha)/2 |b|_2^2).
"""
from collections import namedtuple

import numpy as np

PathPoint = namedtuple("PathPoint", "lam objective beta n_sweeps")


def soft_threshold(z, gamma):
    if z > gamma:
        return z - gamma
    if z < -gamma:
        return z + gamma
    return 0.0


def standardise(X, y):
    mu, sd = X.mean(axis=0), X.std(axis=0)
    sd = np.where(sd < 1e-12, 1.0, sd)
    return (X - mu) / sd, y - y.mean(), mu, sd


class ElasticNet:
    def __init__(self, X, y, alpha):
        self.X, self.y, self.mu, self.sd = standardise(X, y)
        self.y_mean = y.mean()
        self.alpha = alpha
        self.n, self.p = X.shape

    @property
    def lam_max(self):
        """Smallest lambda with all coefficients zero."""
        return np.max(np.abs(self.X.T @ self.y)) / self.n / max(self.alpha, 1e-3)

    def objective(self, beta, lam):
        r = self.y - self.X @ beta
        penalty = self.alpha * np.abs(beta).sum() + 0.5 * (1 - self.alpha) * beta @ beta
        return 0.5 * r @ r / self.n + lam * penalty

    def sweep(self, beta, resid, lam, coords):
        """One pass in place; returns the largest change."""
        biggest = 0.0
        for j in coords:
            xj = self.X[:, j]
            old = beta[j]
            norm = xj @ xj / self.n
            if norm == 0.0:
                continue
            rho = xj @ resid / self.n + norm * old
            new = soft_threshold(rho, lam * self.alpha) / (norm + lam * (1 - self.alpha))
            if new != old:
                resid -= (new - old) * xj
                beta[j] = new
                biggest = max(biggest, abs(new - old))
        return biggest

    def solve(self, lam, beta0, tol=1e-10, max_sweeps=500):
        beta = beta0.copy()
        resid = self.y - self.X @ beta
        sweeps = 0
        while sweeps < max_sweeps:
            change = self.sweep(beta, resid, lam, range(self.p))
            sweeps += 1
            if change < tol:
                break
            active = np.flatnonzero(beta)
            while sweeps < max_sweeps and len(active):
                sweeps += 1
                if self.sweep(beta, resid, lam, active) < tol:
                    break
        return PathPoint(lam, self.objective(beta, lam), beta, sweeps)

    def unscale(self, beta):
        coef = beta / self.sd
        return self.y_mean - self.mu @ coef, coef


def elastic_net_path(X, y, alpha=0.8, n_lambdas=8, ratio=0.05):
    """Warm-started path; returns best GCV objective first, coefficients and the path."""
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    if X.ndim != 2 or X.shape[0] != y.shape[0]:
        raise ValueError(f"bad shapes X {X.shape}, y {y.shape}")
    if X.shape[0] < 3:
        raise ValueError("need at least three observations")
    net = ElasticNet(X, y, alpha)
    lam_hi = net.lam_max
    lambdas = lam_hi * np.logspace(0, np.log10(ratio), n_lambdas)
    beta = np.zeros(net.p)
    path = []
    for lam in lambdas:
        point = net.solve(lam, beta)
        path.append(point)
        beta = point.beta

    def gcv(pt):
        r = net.y - net.X @ pt.beta
        df = np.count_nonzero(pt.beta)
        return (r @ r / net.n) / max(1.0 - df / (net.n + 1.0), 0.05) ** 2

    scores = np.array([gcv(pt) for pt in path])
    best = path[int(np.argmin(scores))]
    intercept, coef = net.unscale(best.beta)
    return {"objective": best.objective,
            "lam": best.lam,
            "intercept": intercept,
            "coef": coef,
            "gcv": scores,
            "path": np.array([pt.beta for pt in path]),
            "sizes": [int(np.count_nonzero(pt.beta)) for pt in path]}


ENTRY = "elastic_net_path"


def make_arguments(rng, n):
    m = 2 * n + 4
    X = rng.normal(size=(m, n))
    truth = np.where(np.arange(n) % 3 == 0, 1.5, 0.0)
    y = X @ truth + 0.5 * rng.normal(size=m) + 1.0
    return (X, y, 0.8, 6, 0.05)


GRADIENT = ("X", "y", "alpha")
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), np.ones(n), 1.5), ValueError),
          (lambda rng, n: (rng.normal(size=(n, 2)), np.ones(n + 2)), ValueError)]
