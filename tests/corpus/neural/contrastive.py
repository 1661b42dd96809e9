"""Two views of a batch (Chen et al. 2020): cross-entropy of pairs, embedded by a mixture of experts."""
import numpy as np


def top_experts(gates, k):
    chosen = np.argsort(-gates, axis=1)[:, :k]
    mask = np.zeros(gates.shape, dtype=bool)
    np.put_along_axis(mask, chosen, True, axis=1)
    kept = np.where(mask, gates, -np.inf)
    e = np.exp(kept - kept.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), mask


def embed(params, x, k=2):
    weights, mask = top_experts(x @ params["gate"], k)
    outs = np.stack([np.maximum(x @ w1, 0) @ w2 for w1, w2 in params["experts"]], axis=1)
    load = mask.mean(axis=0)
    balance = gates_balance(weights, load)
    return (weights[..., None] * outs).sum(axis=1), balance


def gates_balance(weights, load):
    return len(load) * np.sum(load * weights.mean(axis=0))


def nt_xent(z1, z2, temperature=0.5):
    z = np.vstack([z1, z2])
    z = z / np.linalg.norm(z, axis=1, keepdims=True)
    n = z1.shape[0]
    sim = z @ z.T / temperature
    np.fill_diagonal(sim, -1e9)
    labels = np.r_[np.arange(n, 2 * n), np.arange(n)]
    m = sim.max(axis=1, keepdims=True)
    lse = (m + np.log(np.exp(sim - m).sum(axis=1, keepdims=True)))[:, 0]
    return np.mean(lse - sim[np.arange(2 * n), labels])


def loss(params, x1, x2):
    (z1, b1), (z2, b2) = embed(params, x1), embed(params, x2)
    return nt_xent(z1, z2) + 0.01 * (b1 + b2)


def make_arguments(rng):
    def w(*shape):
        return rng.normal(size=shape) * 0.5

    params = {"gate": w(5, 4), "experts": [(w(5, 6), w(6, 3)) for _ in range(4)]}
    return params, rng.normal(size=(4, 5)), rng.normal(size=(4, 5))
