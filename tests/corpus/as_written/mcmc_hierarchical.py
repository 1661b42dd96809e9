"""Metropolis-within-Gibbs for a normal hierarchical model with given draws.

Eight-schools type model (Gelman et al., *Bayesian Data Analysis*, ch. 5):
y_j ~ N(theta_j, s_j^2), theta_j ~ N(mu, tau^2), tau half-Cauchy.
"""
from typing import NamedTuple

import numpy as np


class Draws(NamedTuple):
    """Everything random, drawn by the caller."""
    mu: np.ndarray          # (n_iter,) normals
    theta: np.ndarray       # (n_iter, J) normals
    prop: np.ndarray        # (n_iter,) normals for the log-tau proposal
    unif: np.ndarray        # (n_iter,) uniforms

    @property
    def n_iter(self):
        return len(self.mu)


class State:
    def __init__(self, y, sigma):
        self.mu = np.mean(y)
        self.theta = y.copy()
        self.log_tau = np.log(np.std(y) + 0.1)
        self.accepted = 0


def log_post_tau(log_tau, mu, theta, scale):
    tau = np.exp(log_tau)
    log_prior = -np.log1p((tau / scale) ** 2) + log_tau      # Jacobian of log transform
    return log_prior - len(theta) * log_tau - 0.5 * np.sum(((theta - mu) / tau) ** 2)


def update_theta(state, y, sigma, z):
    tau2 = np.exp(2 * state.log_tau)
    prec = 1.0 / sigma ** 2 + 1.0 / tau2
    mean = (y / sigma ** 2 + state.mu / tau2) / prec
    state.theta = mean + z / np.sqrt(prec)


def update_mu(state, z):
    tau = np.exp(state.log_tau)
    J = len(state.theta)
    state.mu = state.theta.mean() + z * tau / np.sqrt(J)


def update_tau(state, step, z, u, scale):
    proposal = state.log_tau + step * z
    log_ratio = (log_post_tau(proposal, state.mu, state.theta, scale)
                 - log_post_tau(state.log_tau, state.mu, state.theta, scale))
    if np.log(u) < log_ratio:
        state.log_tau = proposal
        state.accepted += 1


def autocorrelation_time(chain):
    """Geyer's initial positive sequence estimate."""
    c = chain - chain.mean()
    n = len(c)
    var = c @ c / n
    if var == 0:
        return float(n)
    tau = 1.0
    for lag in range(1, n // 2):
        rho = (c[lag:] @ c[:-lag]) / (n * var)
        if rho < 0.05:
            break
        tau += 2.0 * rho
    return tau


def run_sampler(y, sigma, draws, step=0.6, burn=10, prior_scale=2.0):
    """Return posterior mean of mu, of tau, of theta, acceptance rate, ESS of mu."""
    if np.any(sigma <= 0):
        raise ValueError("standard errors must be positive")
    if y.shape != sigma.shape:
        raise ValueError(f"y {y.shape} and sigma {sigma.shape} do not match")
    if draws.n_iter <= burn:
        raise ValueError(f"{draws.n_iter} iterations do not exceed burn-in {burn}")
    state = State(y, sigma)
    trace = {"mu": [], "tau": [], "theta": []}
    for k, (z_mu, z_theta, z_prop, u) in enumerate(zip(*draws)):
        update_theta(state, y, sigma, z_theta)
        update_mu(state, z_mu)
        update_tau(state, step, z_prop, u, prior_scale)
        if k < burn:
            continue
        trace["mu"].append(state.mu)
        trace["tau"].append(np.exp(state.log_tau))
        trace["theta"].append(state.theta)
    chains = {k: np.array(v) for k, v in trace.items()}
    shrink = 1.0 - np.mean(sigma ** -2.0 / (sigma ** -2.0 + np.mean(chains["tau"]) ** -2.0))
    lo, hi = np.percentile(chains["mu"], [5, 95])
    return {
        "mu": chains["mu"].mean(),
        "mu_interval": np.array([lo, hi]),
        "tau": chains["tau"].mean(),
        "theta": chains["theta"].mean(axis=0),
        "shrinkage": shrink,
        "accept": state.accepted / draws.n_iter,
        "ess": len(chains["mu"]) / autocorrelation_time(chains["mu"]),
    }


ENTRY = "run_sampler"


def make_arguments(rng, n):
    sigma = rng.uniform(0.5, 1.5, size=n)
    y = rng.normal(1.0, 1.0, size=n) + sigma * rng.normal(size=n)
    n_iter = 60
    draws = Draws(rng.normal(size=n_iter), rng.normal(size=(n_iter, n)),
                  rng.normal(size=n_iter), rng.uniform(size=n_iter))
    return (y, sigma, draws, 0.6, 10, 2.0)


GRADIENT = ("y", "sigma")     # between accept/reject flips
ERRORS = [(lambda rng, n: (np.ones(n), np.zeros(n), make_arguments(rng, n)[2]), ValueError),
          (lambda rng, n: (np.ones(n), np.ones(n), make_arguments(rng, n)[2], 0.5, 100), ValueError)]
