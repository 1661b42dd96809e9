"""Generalised linear models by iteratively reweighted least squares (Newton / Fisher scoring).

McCullagh & Nelder, *Generalized Linear Models*, ch. 2.  Poisson (log link),
binomial (logit link) and gamma (log link) families.
"""
import math
from dataclasses import dataclass
from typing import Callable

import numpy as np


@dataclass(frozen=True)
class Family:
    name: str
    link: Callable
    inverse: Callable
    dmu_deta: Callable
    variance: Callable
    unit_deviance: Callable


def _xlogy(x, y):
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, x * np.log(safe / y), 0.0)


def _sigmoid(eta):
    return 1.0 / (1.0 + np.exp(-np.clip(eta, -30, 30)))


FAMILIES = {
    "poisson": Family("poisson", np.log, np.exp, np.exp, lambda mu: mu,
                      lambda y, mu: 2.0 * (_xlogy(y, mu) - (y - mu))),
    "binomial": Family("binomial", lambda mu: np.log(mu / (1 - mu)), _sigmoid,
                       lambda eta: _sigmoid(eta) * (1 - _sigmoid(eta)),
                       lambda mu: mu * (1 - mu),
                       lambda y, mu: 2.0 * (_xlogy(y, mu) + _xlogy(1 - y, 1 - mu))),
    "gamma": Family("gamma", np.log, np.exp, np.exp, lambda mu: mu ** 2,
                    lambda y, mu: 2.0 * (-np.log(y / mu) + (y - mu) / mu)),
}


def check_response(family, y):
    if family.name == "poisson" and np.any(y < 0):
        raise ValueError("poisson response must be non-negative")
    if family.name == "binomial" and (np.any(y < 0) or np.any(y > 1)):
        raise ValueError("binomial response must lie in [0, 1]")
    if family.name == "gamma" and np.any(y <= 0):
        raise ValueError("gamma response must be positive")


def starting_mean(family, y):
    if family.name == "binomial":
        return (y + 0.5) / 2.0
    return np.maximum(y, 0.1) * 0.5 + 0.5 * y.mean() + 0.05


def fit_glm(X, y, family="poisson", offset=None, penalty=1e-3, tol=1e-10, max_iter=50):
    """Return dict with deviance, coef, std errors, z values, leverages and AIC-like score."""
    if family not in FAMILIES:
        raise ValueError(f"unknown family {family!r}; choose from {sorted(FAMILIES)}")
    fam = FAMILIES[family]
    n, p = X.shape
    if len(y) != n:
        raise ValueError(f"X has {n} rows but y has {len(y)}")
    check_response(fam, y)
    if offset is None:
        offset = np.zeros(n)

    # add an intercept, do not penalise it
    A = np.column_stack([np.ones(n), X])
    pen = penalty * np.diag([0.0] + [1.0] * p)

    eta = fam.link(starting_mean(fam, y))
    beta = np.zeros(p + 1)
    dev_old = math.inf
    for it in range(1, max_iter + 1):
        mu = fam.inverse(eta)
        d = fam.dmu_deta(eta)
        w = d ** 2 / fam.variance(mu)
        z = eta - offset + (y - mu) / d           # working response
        AtW = A.T * w
        info = AtW @ A + pen
        beta_new = np.linalg.solve(info, AtW @ z)
        eta = A @ beta_new + offset
        dev = fam.unit_deviance(y, fam.inverse(eta)).sum()
        # step halving when the deviance blows up
        halvings = 0
        while it > 1 and dev > dev_old + 1e-6 * (1 + abs(dev_old)) and halvings < 10:
            beta_new = 0.5 * (beta + beta_new)
            eta = A @ beta_new + offset
            dev = fam.unit_deviance(y, fam.inverse(eta)).sum()
            halvings += 1
        change = np.max(np.abs(beta_new - beta))
        beta = beta_new
        if change < tol * (1 + np.max(np.abs(beta))):
            break
        dev_old = dev

    mu = fam.inverse(eta)
    w = fam.dmu_deta(eta) ** 2 / fam.variance(mu)
    cov = np.linalg.inv((A.T * w) @ A + pen)
    hat = w * np.einsum("ij,jk,ik->i", A, cov, A)
    dof = max(n - hat.sum(), 1.0)
    pearson = np.sum((y - mu) ** 2 / fam.variance(mu))
    phi = pearson / dof if fam.name == "gamma" else 1.0
    se = np.sqrt(phi * np.diag(cov))
    return {"deviance": dev, "coef": beta, "se": se, "z": beta / se,
            "leverage": hat, "aic": dev + 2.0 * hat.sum(), "iterations": it}


ENTRY = "fit_glm"


def make_arguments(rng, n):
    m, p = 3 * n + 5, min(n, 4)
    X = rng.normal(size=(m, p))
    rate = np.exp(0.5 + 0.4 * X @ np.linspace(-1, 1, p))
    y = rng.poisson(rate).astype(float)
    return (X, y, "poisson", 0.1 * rng.normal(size=m), 0.05)


GRADIENT = ("X", "offset", "penalty")
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), np.ones(n), "weibull"), ValueError),
          (lambda rng, n: (rng.normal(size=(n, 2)), np.ones(n + 1)), ValueError),
          (lambda rng, n: (rng.normal(size=(n, 2)), -np.ones(n)), ValueError)]
