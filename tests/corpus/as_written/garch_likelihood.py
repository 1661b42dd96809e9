"""GJR-GARCH(1,1) with Student-t errors: likelihood, Nelder-Mead fit and VaR forecast.

Glosten, Jagannathan & Runkle (1993); Nelder & Mead (1965).
"""
from math import lgamma
from typing import NamedTuple

import numpy as np


class Garch(NamedTuple):
    mu: float
    omega: float
    alpha: float
    gamma: float
    beta: float
    nu: float

    @property
    def persistence(self):
        return self.alpha + 0.5 * self.gamma + self.beta

    @property
    def long_run_variance(self):
        return self.omega / (1.0 - self.persistence)

    def is_stationary(self):
        return self.persistence < 1 and min(self.omega, self.alpha, self.beta) > 0 and self.nu > 2


def conditional_variance(p, returns):
    e = returns - p.mu
    h = np.empty(len(returns))
    h[0] = np.var(returns)
    for t in range(1, len(returns)):
        shock = e[t - 1] ** 2
        leverage = p.gamma * shock if e[t - 1] < 0 else 0.0
        h[t] = p.omega + p.alpha * shock + leverage + p.beta * h[t - 1]
    return e, h


def student_loglik(e, h, nu):
    """Standardised t density, variance h."""
    n = len(e)
    const = lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * np.log(np.pi * (nu - 2))
    return n * const - 0.5 * np.sum(np.log(h) + (nu + 1) * np.log1p(e ** 2 / (h * (nu - 2))))


def unpack(raw, nu):
    """Unconstrained vector -> parameters (softmax keeps persistence below one)."""
    mu, log_omega, a, g, b = raw
    e = np.exp(np.array([a, g, b]) - max(a, g, b, 0.0))
    slack = np.exp(-max(a, g, b, 0.0))
    shares = e / (e.sum() + slack)
    return Garch(mu, np.exp(log_omega), shares[0], 2 * shares[1], shares[2], nu)


def nelder_mead(f, x0, scale=0.3, max_iter=60, tol=1e-8):
    n = len(x0)
    simplex = [np.array(x0, dtype=float)]
    for i in range(n):
        v = simplex[0].copy()
        v[i] += scale
        simplex.append(v)
    values = [f(v) for v in simplex]
    for _ in range(max_iter):
        order = np.argsort(values)
        simplex = [simplex[i] for i in order]
        values = [values[i] for i in order]
        if values[-1] - values[0] < tol:
            break
        centroid = np.mean(simplex[:-1], axis=0)
        xr = centroid + (centroid - simplex[-1])
        fr = f(xr)
        if fr < values[0]:
            xe = centroid + 2.0 * (centroid - simplex[-1])
            fe = f(xe)
            simplex[-1], values[-1] = (xe, fe) if fe < fr else (xr, fr)
        elif fr < values[-2]:
            simplex[-1], values[-1] = xr, fr
        else:
            xc = centroid + 0.5 * (simplex[-1] - centroid)
            fc = f(xc)
            if fc < values[-1]:
                simplex[-1], values[-1] = xc, fc
            else:                       # shrink
                best = simplex[0]
                simplex = [best] + [best + 0.5 * (v - best) for v in simplex[1:]]
                values = [values[0]] + [f(v) for v in simplex[1:]]
    k = int(np.argmin(values))
    return simplex[k], values[k]


def forecast_variance(p, e_last, h_last, horizon):
    lev = p.gamma if e_last < 0 else 0.0
    h = p.omega + (p.alpha + lev) * e_last ** 2 + p.beta * h_last
    path = [h]
    for _ in range(horizon - 1):
        path.append(p.omega + p.persistence * path[-1])
    return np.array(path)


def garch_report(returns, params, horizon=5, fit=False, tail=2.33):
    """Likelihood at `params` (or at the fitted values), variances, standardised residuals, VaR."""
    returns = np.asarray(returns, dtype=float)
    if returns.size < 4:
        raise ValueError(f"series too short: {returns.size}")
    p = Garch(**params) if isinstance(params, dict) else params
    if not p.is_stationary():
        raise ValueError(f"parameters outside the stationary region (persistence {p.persistence:.3f})")
    if fit:
        start = np.array([p.mu, np.log(p.omega), 0.0, -1.0, 1.5])

        def negative(raw):
            q = unpack(raw, p.nu)
            return -student_loglik(*conditional_variance(q, returns), q.nu)

        best, _ = nelder_mead(negative, start)
        p = unpack(best, p.nu)

    e, h = conditional_variance(p, returns)
    ll = student_loglik(e, h, p.nu)
    z = e / np.sqrt(h)
    zc = z ** 2 - np.mean(z ** 2)
    arch_lag1 = np.sum(zc[1:] * zc[:-1]) / np.sum(zc ** 2)
    path = forecast_variance(p, e[-1], h[-1], horizon)
    var = -(p.mu * horizon - tail * np.sqrt(path.sum()))
    return {"loglik": ll, "variance": h, "z": z, "arch_lag1": arch_lag1, "forecast": path,
            "value_at_risk": var, "long_run": p.long_run_variance, "params": tuple(p)}


ENTRY = "garch_report"


def make_arguments(rng, n):
    r = 1.1 * rng.normal(size=6 * n) * np.exp(0.3 * np.sin(np.arange(6 * n) / 5))
    params = {"mu": 0.03, "omega": 0.08, "alpha": 0.06, "gamma": 0.08, "beta": 0.8, "nu": 7.0}
    return (r, params, 5, n % 2 == 1)


GRADIENT = ("returns", "params")
ERRORS = [(lambda rng, n: (rng.normal(size=20), Garch(0.0, 0.1, 0.3, 0.2, 0.8, 6.0)), ValueError),
          (lambda rng, n: (rng.normal(size=2), Garch(0.0, 0.1, 0.05, 0.05, 0.8, 6.0)), ValueError)]
