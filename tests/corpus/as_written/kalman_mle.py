"""Local linear trend model: Kalman filter likelihood, maximised by BFGS on log-variances.

Model (Durbin & Koopman, *Time Series Analysis by State Space Methods*, ch. 3):
    y_t = Z a_t + eps_t,  a_{t+1} = T a_t + eta_t.
"""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

LOG_2PI = np.log(2.0 * np.pi)


@dataclass(frozen=True)
class StateSpace:
    T: np.ndarray
    Z: np.ndarray
    Q: np.ndarray
    h: float            # observation variance

    @property
    def dim(self):
        return self.T.shape[0]


class FitResult(NamedTuple):
    loglik: float
    variances: np.ndarray
    level: np.ndarray
    slope: np.ndarray
    n_iter: int


def build_model(theta):
    """theta = log standard deviations of (irregular, level, slope)."""
    s_eps, s_lvl, s_slp = np.exp(2.0 * theta)
    T = np.array([[1.0, 1.0], [0.0, 1.0]])
    Z = np.array([1.0, 0.0])
    return StateSpace(T=T, Z=Z, Q=np.diag([s_lvl, s_slp]), h=s_eps)


def kalman_filter(model, y, a0, P0):
    """One pass; returns log-likelihood and the filtered states."""
    T, Z = model.T, model.Z
    a, P = a0.copy(), P0.copy()
    ll = 0.0
    states = []
    for obs in y:
        # update
        v = obs - Z @ a
        PZ = P @ Z
        F = Z @ PZ + model.h
        K = PZ / F
        a = a + K * v
        P = P - np.outer(K, PZ)
        states.append(a)
        ll += -0.5 * (LOG_2PI + np.log(F) + v * v / F)
        # predict
        a = T @ a
        P = T @ P @ T.T + model.Q
        P = 0.5 * (P + P.T)
    return ll, np.array(states)


def numerical_gradient(f, x, h=1e-5):
    g = np.zeros_like(x)
    for i in range(len(x)):
        e = np.zeros_like(x)
        e[i] = h
        g[i] = (f(x + e) - f(x - e)) / (2 * h)
    return g


def bfgs(f, x0, max_iter=15, gtol=1e-6):
    """Plain BFGS with Armijo backtracking (Nocedal & Wright, alg. 6.1)."""
    x = np.array(x0, dtype=float)
    H = np.eye(len(x))
    fx, g = f(x), numerical_gradient(f, x)
    it = 0
    while it < max_iter:
        if np.max(np.abs(g)) < gtol:
            break
        p = -H @ g
        if p @ g >= 0:                 # lost descent, restart
            H = np.eye(len(x))
            p = -g
        step = min(1.0, 1.0 / np.max(np.abs(p)))
        for _ in range(30):
            x_new = x + step * p
            f_new = f(x_new)
            if f_new <= fx + 1e-4 * step * (g @ p):
                break
            step *= 0.5
        else:
            break
        g_new = numerical_gradient(f, x_new)
        s, d = x_new - x, g_new - g
        sd = s @ d
        if sd > 1e-12:
            rho = 1.0 / sd
            I = np.eye(len(x))
            H = (I - rho * np.outer(s, d)) @ H @ (I - rho * np.outer(d, s)) + rho * np.outer(s, s)
        x, fx, g = x_new, f_new, g_new
        it += 1
    return x, fx, it


def fit_local_trend(y, theta0, prior_var=10.0, ridge=0.05, max_iter=15):
    """Penalised ML fit of a local linear trend; the small ridge keeps log-sds bounded."""
    y = np.asarray(y, dtype=float)
    if y.ndim != 1 or y.size < 3:
        raise ValueError(f"need a 1-d series of at least 3 points, got shape {y.shape}")
    if prior_var <= 0:
        raise ValueError(f"prior_var must be positive: {prior_var}")
    a0 = np.array([y[0], 0.0])
    P0 = prior_var * np.eye(2)

    def objective(theta):
        ll, _ = kalman_filter(build_model(theta), y, a0, P0)
        return -ll + ridge * np.sum((theta - theta0) ** 2)

    theta, _, n_iter = bfgs(objective, theta0, max_iter=max_iter)
    ll, states = kalman_filter(build_model(theta), y, a0, P0)
    level, slope = states.T
    return FitResult(ll, np.exp(2 * theta), level, slope, n_iter)


ENTRY = "fit_local_trend"


def make_arguments(rng, n):
    y = 1.0 + 0.3 * np.arange(n + 2) + rng.normal(scale=0.5, size=n + 2)
    return (y, np.array([-0.7, -1.0, -2.0]), 10.0)


GRADIENT = ("y", "prior_var")
ERRORS = [(lambda rng, n: (rng.normal(size=2), np.zeros(3)), ValueError),
          (lambda rng, n: (rng.normal(size=n), np.zeros(3), -1.0), ValueError)]
