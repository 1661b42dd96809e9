"""EM for a multivariate Gaussian mixture (Dempster, Laird & Rubin 1977; Bishop, PRML ch. 9)."""
from dataclasses import dataclass
from typing import List

import numpy as np
from numpy.linalg import cholesky, eigvalsh, solve


@dataclass(frozen=True)
class Component:
    weight: float
    mean: np.ndarray
    cov: np.ndarray

    def log_density(self, X):
        d = len(self.mean)
        L = cholesky(self.cov)
        z = solve(L, (X - self.mean).T)
        maha = np.sum(z * z, axis=0)
        logdet = 2.0 * np.sum(np.log(np.diag(L)))
        return -0.5 * (d * np.log(2 * np.pi) + logdet + maha)

    @property
    def spread(self):
        return float(np.sqrt(np.trace(self.cov)))


def logsumexp(a, axis):
    top = a.max(axis=axis, keepdims=True)
    return np.squeeze(top, axis=axis) + np.log(np.sum(np.exp(a - top), axis=axis))


def e_step(components: List[Component], X):
    joint = np.stack([np.log(c.weight) + c.log_density(X) for c in components], axis=1)
    evidence = logsumexp(joint, axis=1)
    resp = np.exp(joint - evidence[:, None])
    return resp, evidence.sum()


def m_step(X, resp, reg):
    n, d = X.shape
    comps = []
    for k in range(resp.shape[1]):
        r = resp[:, k]
        nk = r.sum() + 1e-10
        mean = r @ X / nk
        xc = X - mean
        cov = (r[:, None] * xc).T @ xc / nk + reg * np.eye(d)
        comps.append(Component(weight=nk / n, mean=mean, cov=cov))
    return comps


def initial_components(X, centers, reg):
    """Hard-assign each point to its nearest centre for the starting responsibilities."""
    d2 = np.sum((X[:, None, :] - centers[None, :, :]) ** 2, axis=2)
    resp = np.exp(-0.5 * (d2 - d2.min(axis=1, keepdims=True)))
    resp /= resp.sum(axis=1, keepdims=True)
    return m_step(X, resp, reg)


def bic(loglik, n_comp, d, n):
    n_params = n_comp * (d + d * (d + 1) // 2) + n_comp - 1
    return -2.0 * loglik + n_params * np.log(n)


def fit_mixture(X, centers, reg=0.05, tol=1e-8, max_iter=60):
    """Return (log-likelihood, weights, means, covariances, responsibilities, bic, history)."""
    if X.ndim != 2:
        raise ValueError(f"X must be 2-d, got {X.ndim}-d")
    n, d = X.shape
    if centers.shape[1] != d:
        raise ValueError(f"centres have dimension {centers.shape[1]}, data {d}")
    k = len(centers)
    if k > n:
        raise ValueError(f"more components ({k}) than points ({n})")

    comps = initial_components(X, centers, reg)
    history = []
    previous = -np.inf
    while len(history) < max_iter:
        resp, ll = e_step(comps, X)
        history.append(ll)
        if abs(ll - previous) < tol * (1.0 + abs(ll)):
            break
        previous = ll
        comps = m_step(X, resp, reg)

    # order components along the first axis so the answer is label-free
    comps.sort(key=lambda c: c.mean[0])
    resp, ll = e_step(comps, X)
    labels = resp.argmax(axis=1)
    for c in comps:
        assert eigvalsh(c.cov).min() > 0, "covariance lost definiteness"
    return {"loglik": ll,
            "weights": np.array([c.weight for c in comps]),
            "means": np.array([c.mean for c in comps]),
            "covs": np.array([c.cov for c in comps]),
            "labels": labels,
            "bic": bic(ll, k, d, n),
            "entropy": -np.sum(resp * np.log(resp + 1e-300)),
            "history": np.array(history)}


ENTRY = "fit_mixture"


def make_arguments(rng, n):
    a = rng.normal(loc=-1.5, size=(2 * n, 2))
    b = rng.normal(loc=1.5, scale=0.7, size=(n + 2, 2))
    return (np.concatenate([a, b]), np.array([[-1.0, -1.0], [1.0, 1.2]]), 0.05, 1e-8, 40)


GRADIENT = ("X", "reg")
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), rng.normal(size=(2, 3))), ValueError),
          (lambda rng, n: (rng.normal(size=n), rng.normal(size=(2, 3))), ValueError)]
