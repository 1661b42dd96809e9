"""A hidden Markov model with Gaussian emissions: forward-backward in logarithms, Baum-Welch, Viterbi.

Rabiner, A tutorial on hidden Markov models, Proc. IEEE 77 (1989).
"""
import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm


class GaussianHMM:
    def __init__(self, startprob, transmat, means, stds):
        self.log_start = np.log(startprob)
        self.log_trans = np.log(transmat)
        self.means = means
        self.stds = stds

    def emissions(self, x):
        return norm.logpdf(x[:, None], self.means, self.stds)

    def forward(self, log_b):
        log_alpha = np.empty_like(log_b)
        log_alpha[0] = self.log_start + log_b[0]
        for t in range(1, len(log_b)):
            log_alpha[t] = logsumexp(log_alpha[t - 1][:, None] + self.log_trans, axis=0) + log_b[t]
        return log_alpha

    def backward(self, log_b):
        log_beta = np.zeros_like(log_b)
        for t in range(len(log_b) - 2, -1, -1):
            log_beta[t] = logsumexp(self.log_trans + log_b[t + 1] + log_beta[t + 1], axis=1)
        return log_beta

    def em_step(self, x):
        log_b = self.emissions(x)
        log_alpha, log_beta = self.forward(log_b), self.backward(log_b)
        loglik = logsumexp(log_alpha[-1])
        log_gamma = log_alpha + log_beta - loglik
        log_xi = (log_alpha[:-1, :, None] + self.log_trans + log_b[1:, None, :] + log_beta[1:, None, :] - loglik)
        gamma = np.exp(log_gamma)
        self.log_start = log_gamma[0]
        self.log_trans = logsumexp(log_xi, axis=0) - logsumexp(log_gamma[:-1], axis=0)[:, None]
        weight = gamma.sum(axis=0)
        self.means = (gamma * x[:, None]).sum(axis=0) / weight
        self.stds = np.sqrt((gamma * (x[:, None] - self.means) ** 2).sum(axis=0) / weight + 1e-3)
        return loglik

    def viterbi(self, x):
        log_b = self.emissions(x)
        T, K = log_b.shape
        delta = self.log_start + log_b[0]
        psi = np.zeros((T, K), dtype=int)
        for t in range(1, T):
            scores = delta[:, None] + self.log_trans
            psi[t] = np.argmax(scores, axis=0)
            delta = scores[psi[t], np.arange(K)] + log_b[t]
        path = np.zeros(T, dtype=int)
        path[-1] = np.argmax(delta)
        for t in range(T - 2, -1, -1):
            path[t] = psi[t + 1, path[t + 1]]
        return path, np.max(delta)


def fit(x, startprob, transmat, means, stds, n_iter=6, tol=1e-8):
    model = GaussianHMM(startprob, transmat, means, stds)
    history = []
    for i in range(n_iter):
        history.append(model.em_step(x))
        if i > 0 and history[-1] - history[-2] < tol:
            break
    path, score = model.viterbi(x)
    return history[-1], model.means, model.stds, np.exp(model.log_trans), path, score


ENTRY = "fit"


def make_arguments(rng, n):
    states = np.repeat(rng.integers(0, 2, size=3 * n), 3)
    x = np.where(states == 0, -1.0, 1.5) + 0.6 * rng.normal(size=9 * n)
    return x, np.array([0.6, 0.4]), np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([-0.5, 0.8]), np.array([1.0, 1.1]), 4


GRADIENT = ("x", "means")
ERRORS = []
