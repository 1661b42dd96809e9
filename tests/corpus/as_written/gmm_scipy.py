"""A mixture of Gaussians by EM, started by k-means, with the information criterion for the number of components.

Bishop, *Pattern Recognition and Machine Learning*, section 9.2.
"""
import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.special import logsumexp
from scipy.stats import multivariate_normal


def log_responsibilities(X, weights, means, covariances):
    log_prob = np.array([np.log(w) + multivariate_normal.logpdf(X, mean=m, cov=S)
                         for w, m, S in zip(weights, means, covariances)])
    norm = logsumexp(log_prob, axis=0)
    return log_prob - norm, norm


def m_step(X, resp, reg=1e-3):
    Nk = resp.sum(axis=1)
    means = resp @ X / Nk[:, None]
    covariances = []
    for r, m, n in zip(resp, means, Nk):
        D = X - m
        covariances.append((r[:, None] * D).T @ D / n + reg * np.eye(X.shape[1]))
    return Nk / len(X), means, np.array(covariances)


def fit(X, start, n_iter=10, tol=1e-6):
    k, d = start.shape
    centroids, labels = kmeans2(X, start, iter=5, minit="matrix")
    resp = np.zeros((k, len(X)))
    resp[labels, np.arange(len(X))] = 1.0
    weights, means, covariances = m_step(X, 0.9 * resp + 0.1 / k)
    previous = -np.inf
    for _ in range(n_iter):
        log_resp, norm = log_responsibilities(X, weights, means, covariances)
        weights, means, covariances = m_step(X, np.exp(log_resp))
        loglik = norm.sum()
        if loglik - previous < tol:
            break
        previous = loglik
    order = np.argsort(means[:, 0])
    n_params = k * (d + d * (d + 1) / 2) + k - 1
    return loglik, n_params * np.log(len(X)) - 2 * loglik, weights[order], means[order], covariances[order]


ENTRY = "fit"


def make_arguments(rng, n):
    centres = np.array([[-2.0, 0.0], [2.0, 1.0]])
    X = np.concatenate([c + rng.normal(size=(5 * n, 2)) for c in centres])
    return X, X[[0, -1]].copy(), 6


GRADIENT = ("X",)
ERRORS = []
