"""A bootstrap particle filter with systematic resampling for a stochastic volatility model.

Gordon, Salmond & Smith (1993); Kitagawa (1996).
"""
import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm


def systematic_resample(weights, u):
    """Indices of the survivors for one uniform number."""
    N = len(weights)
    positions = (np.arange(N) + u) / N
    cumulative_sum = np.cumsum(weights)
    cumulative_sum[-1] = 1.0
    indexes = np.zeros(N, dtype=int)
    i, j = 0, 0
    while i < N:
        if positions[i] < cumulative_sum[j]:
            indexes[i] = j
            i += 1
        else:
            j += 1
    return indexes


def effective_size(weights):
    return 1.0 / np.sum(np.square(weights))


def particle_filter(params, y, N, seed):
    """The log-likelihood, and the filtered mean of the log-volatility."""
    mu, phi, sigma = params
    rng = np.random.default_rng(seed)
    x = mu + sigma / np.sqrt(1 - phi**2) * rng.standard_normal(N)
    log_w = np.full(N, -np.log(N))
    loglik = 0.0
    means = []
    for t in range(len(y)):
        if t > 0:
            x = mu + phi * (x - mu) + sigma * rng.standard_normal(N)
        log_g = norm.logpdf(y[t], scale=np.exp(x / 2))
        step = logsumexp(log_w + log_g)
        loglik += step
        log_w = log_w + log_g - step
        w = np.exp(log_w)
        means.append(np.sum(w * x))
        u = rng.random()
        if effective_size(w) < N / 2:
            x = x[systematic_resample(w, u)]
            log_w = np.full(N, -np.log(N))
    return loglik, np.array(means)


ENTRY = "particle_filter"


def make_arguments(rng, n):
    h = np.zeros(5 * n)
    for t in range(1, 5 * n):
        h[t] = 0.9 * h[t - 1] + 0.3 * rng.normal()
    return np.array([-0.1, 0.9, 0.3]), np.exp(h / 2) * rng.normal(size=5 * n), 20, 7


GRADIENT = ("params",)
ERRORS = []
