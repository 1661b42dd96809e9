"""Gaussian process regression with hyperparameters by gradient ascent on the evidence.

Rasmussen & Williams, *Gaussian Processes for Machine Learning*, alg. 2.1 and eq. 5.9.
"""
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Kernel:
    log_amp: float
    log_scale: float
    log_noise: float

    @property
    def amp2(self):
        return np.exp(2 * self.log_amp)

    @property
    def scale(self):
        return np.exp(self.log_scale)

    @property
    def noise2(self):
        return np.exp(2 * self.log_noise)

    def __call__(self, A, B):
        return self.amp2 * np.exp(-0.5 * sqdist(A, B) / self.scale ** 2)

    def as_vector(self):
        return np.array([self.log_amp, self.log_scale, self.log_noise])

    def moved(self, step):
        a, s, n = self.as_vector() + step
        return replace(self, log_amp=a, log_scale=s, log_noise=n)


class Posterior(NamedTuple):
    log_evidence: float
    mean: np.ndarray
    std: np.ndarray
    hyper: np.ndarray


def sqdist(A, B):
    diff = A[:, None, :] - B[None, :, :]
    return np.einsum("ijk,ijk->ij", diff, diff)


def evidence(kernel, X, y, jitter=1e-8):
    n = len(y)
    K = kernel(X, X) + (kernel.noise2 + jitter) * np.eye(n)
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    lml = -0.5 * y @ alpha - np.log(np.diag(L)).sum() - 0.5 * n * np.log(2 * np.pi)
    return lml, L, alpha


def evidence_gradient(kernel, X, L, alpha):
    """d(log evidence)/d(log amp, log scale, log noise) via tr((aa' - K^-1) dK)/2."""
    n = len(alpha)
    Kf = kernel(X, X)
    D2 = sqdist(X, X)
    L_inv = np.linalg.solve(L, np.eye(n))
    W = np.outer(alpha, alpha) - L_inv.T @ L_inv
    dK = [2.0 * Kf,
          Kf * D2 / kernel.scale ** 2,
          2.0 * kernel.noise2 * np.eye(n)]
    return np.array([0.5 * np.sum(W * d) for d in dK])


def optimise(kernel, X, y, n_iter, rate):
    lml, L, alpha = evidence(kernel, X, y)
    for _ in range(n_iter):
        g = evidence_gradient(kernel, X, L, alpha)
        if np.linalg.norm(g) < 1e-6:
            break
        step = rate * g / (1.0 + np.linalg.norm(g))
        for _ in range(12):
            trial = kernel.moved(step)
            try:
                new = evidence(trial, X, y)
            except np.linalg.LinAlgError:
                step = 0.5 * step
                continue
            if new[0] > lml:
                kernel = trial
                lml, L, alpha = new
                break
            step = 0.5 * step
    return kernel, lml, L, alpha


def gp_fit_predict(X, y, X_new, kernel, n_iter=10, rate=0.3):
    """Standardise targets, tune the kernel, return the predictive mean and std."""
    X, X_new = np.atleast_2d(X), np.atleast_2d(X_new)
    if X.shape[0] != y.shape[0]:
        raise ValueError(f"{X.shape[0]} inputs for {y.shape[0]} targets")
    if X.shape[1] != X_new.shape[1]:
        raise ValueError(f"input dimension {X.shape[1]} differs from {X_new.shape[1]}")
    if len(y) < 2:
        raise ValueError("need two points or more")

    mu, sd = y.mean(), y.std() + 1e-12
    t = (y - mu) / sd
    kernel, lml, L, alpha = optimise(kernel, X, t, n_iter, rate)

    Ks = kernel(X_new, X)
    mean = Ks @ alpha
    v = np.linalg.solve(L, Ks.T)
    var = kernel.amp2 - np.sum(v ** 2, axis=0)
    std = np.sqrt(np.clip(var, 1e-12, None) + kernel.noise2)
    return Posterior(lml, mu + sd * mean, sd * std, kernel.as_vector())


ENTRY = "gp_fit_predict"


def make_arguments(rng, n):
    X = rng.uniform(-2, 2, size=(n + 1, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=n + 1)
    X_new = rng.uniform(-2, 2, size=(n, 2))
    return (X, y, X_new, Kernel(0.1, -0.2, -1.0), 6, 0.3)


GRADIENT = ("X", "y", "kernel")
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), np.ones(n + 1), rng.normal(size=(n, 2)), Kernel(0.0, 0.0, -1.0)),
           ValueError),
          (lambda rng, n: (rng.normal(size=(n, 2)), np.ones(n), rng.normal(size=(n, 3)), Kernel(0.0, 0.0, -1.0)),
           ValueError)]
