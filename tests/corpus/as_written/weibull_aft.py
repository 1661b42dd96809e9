"""Accelerated failure times with right censoring: Kaplan-Meier, and a Weibull regression by maximum likelihood.

Kalbfleisch & Prentice, *The Statistical Analysis of Failure Time Data*, ch. 3.
"""
import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm


def kaplan_meier(durations, events):
    times, inverse = np.unique(durations, return_inverse=True)
    deaths = np.bincount(inverse, weights=events)
    leaving = np.bincount(inverse)
    at_risk = len(durations) - np.concatenate([[0], np.cumsum(leaving)[:-1]])
    survival = np.cumprod(1.0 - deaths / at_risk)
    greenwood = np.cumsum(deaths / (at_risk * np.maximum(at_risk - deaths, 1)))
    return times, survival, survival * np.sqrt(greenwood)


def log_likelihood(params, X, durations, events):
    beta, log_sigma = params[:-1], params[-1]
    sigma = np.exp(log_sigma)
    z = (np.log(durations) - X @ beta) / sigma
    log_f = z - np.exp(z) - log_sigma - np.log(durations)
    log_s = -np.exp(z)
    return np.sum(np.where(events == 1, log_f, log_s))


def fit_aft(X, durations, events):
    if np.any(durations <= 0):
        raise ValueError("durations must be positive")
    X = np.column_stack([np.ones(len(X)), X])
    x0 = np.zeros(X.shape[1] + 1)
    x0[0] = np.log(durations).mean()
    result = minimize(lambda p: -log_likelihood(p, X, durations, events), x0, method="BFGS", options={"gtol": 1e-6})
    spread = np.exp(result.x[-1]) / np.sqrt(np.sum(X**2, axis=0))
    p_value = 2 * norm.sf(np.abs(result.x[:-1] / spread))
    times, survival, std = kaplan_meier(durations, events)
    median = np.exp(X @ result.x[:-1]) * np.log(2) ** np.exp(result.x[-1])
    return -result.fun, result.x, median, survival, times, std, p_value < 0.05


ENTRY = "fit_aft"


def make_arguments(rng, n):
    X = rng.normal(size=(10 * n, 2))
    t = np.exp(1.0 + 0.5 * X[:, 0] + 0.4 * np.log(rng.exponential(size=10 * n)))
    c = rng.exponential(6.0, size=10 * n)
    return X, np.minimum(t, c), (t <= c).astype(float)


TOLERANCE = 1e-5  # SciPy takes differences for the gradient
GRADIENT = ("X",)
ERRORS = [(lambda rng, n: (rng.normal(size=(n, 2)), np.zeros(n), np.ones(n)), ValueError)]
