"""Discrete-observation hidden Markov model: likelihood, smoothing, decoding and one EM step.

Scaled recursions after L. R. Rabiner, "A tutorial on hidden Markov models and selected
applications in speech recognition", Proc. IEEE 77 (1989).
"""
from typing import NamedTuple

import numpy as np

EPS = 1e-300


class HMM(NamedTuple):
    pi: np.ndarray   # (K,) initial distribution
    A: np.ndarray    # (K, K) transitions, rows sum to one
    B: np.ndarray    # (K, M) emissions, rows sum to one

    @property
    def n_states(self):
        return self.A.shape[0]

    @property
    def n_symbols(self):
        return self.B.shape[1]


class HMMResult(NamedTuple):
    log_likelihood: float
    gamma: np.ndarray
    path: np.ndarray
    path_log_prob: float
    updated: HMM


def validate(model, obs):
    K = model.n_states
    if model.A.shape != (K, K) or model.pi.shape != (K,) or model.B.shape[0] != K:
        raise ValueError(f"inconsistent shapes: pi {model.pi.shape}, A {model.A.shape}, B {model.B.shape}")
    if len(obs) < 2:
        raise ValueError("need at least two observations")
    if obs.min() < 0 or obs.max() >= model.n_symbols:
        raise ValueError(f"observations must be in [0, {model.n_symbols}), got max {obs.max()}")


def forward(model, obs):
    """Scaled forward pass; returns alpha-hat (T, K) and the scale factors c (T,)."""
    pi, A, B = model
    T = len(obs)
    alpha = np.zeros((T, model.n_states))
    c = np.zeros(T)
    alpha[0] = pi * B[:, obs[0]]
    c[0] = alpha[0].sum()
    alpha[0] /= c[0]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * B[:, obs[t]]
        c[t] = alpha[t].sum()
        alpha[t] /= c[t]
    return alpha, c


def backward(model, obs, c):
    _, A, B = model
    T = len(obs)
    beta = np.ones((T, model.n_states))
    for t in range(T - 2, -1, -1):
        beta[t] = A @ (B[:, obs[t + 1]] * beta[t + 1]) / c[t + 1]
    return beta


def viterbi(model, obs):
    """Most likely state path, in the log domain, with back pointers."""
    log_A = np.log(model.A + EPS)
    log_B = np.log(model.B + EPS)
    T, K = len(obs), model.n_states
    delta = np.log(model.pi + EPS) + log_B[:, obs[0]]
    psi = np.zeros((T, K), dtype=int)
    for t in range(1, T):
        scores = delta[:, None] + log_A
        psi[t] = scores.argmax(axis=0)
        delta = scores.max(axis=0) + log_B[:, obs[t]]
    path = np.zeros(T, dtype=int)
    path[-1] = np.argmax(delta)
    for t in range(T - 1, 0, -1):
        path[t - 1] = psi[t, path[t]]
    return path, delta.max()


def baum_welch_step(model, obs, alpha, beta, c):
    """Expected counts and re-normalisation."""
    pi, A, B = model
    T, K = alpha.shape
    gamma = alpha * beta
    xi_sum = np.zeros((K, K))
    for t in range(T - 1):
        emit = B[:, obs[t + 1]] * beta[t + 1] / c[t + 1]
        xi_sum += alpha[t][:, None] * A * emit[None, :]
    new_A = xi_sum / xi_sum.sum(axis=1, keepdims=True)
    new_B = np.zeros_like(B)
    for t, o in enumerate(obs):
        new_B[:, o] += gamma[t]
    new_B /= new_B.sum(axis=1)[:, None]
    return gamma, HMM(pi=gamma[0] / gamma[0].sum(), A=new_A, B=new_B)


def analyse_sequence(model, obs):
    """Log likelihood, posterior marginals, Viterbi path and the model after one EM iteration."""
    obs = np.asarray(obs)
    validate(model, obs)
    alpha, c = forward(model, obs)
    beta = backward(model, obs, c)
    loglik = np.sum(np.log(c))
    gamma, updated = baum_welch_step(model, obs, alpha, beta, c)
    path, log_prob = viterbi(model, obs)
    assert np.allclose(gamma.sum(axis=1), 1.0)
    return HMMResult(loglik, gamma, path, log_prob, updated)


ENTRY = "analyse_sequence"


def _model(rng, K=3, M=4):
    return HMM(rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), size=K), rng.dirichlet(np.ones(M), size=K))


def make_arguments(rng, n):
    return (_model(rng), rng.integers(0, 4, size=4 * n))


GRADIENT = ("model",)
ERRORS = [
    (lambda rng, n: (_model(rng), np.full(5, 9)), ValueError),
    (lambda rng, n: (_model(rng), np.array([1])), ValueError),
]
