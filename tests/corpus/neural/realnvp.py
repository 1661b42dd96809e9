"""A normalising flow of affine couplings (Dinh et al. 2017), its density and its inverse."""
import numpy as np


def mlp(params, x):
    *hidden, last = params
    for w, b in hidden:
        x = np.tanh(x @ w + b)
    return x @ last[0] + last[1]


def coupling(params, x, flip):
    d = x.shape[-1] // 2
    x1, x2 = (x[..., d:], x[..., :d]) if flip else (x[..., :d], x[..., d:])
    s, t = np.split(mlp(params, x1), 2, axis=-1)
    s = np.tanh(s)
    y2 = x2 * np.exp(s) + t
    y = np.concatenate((y2, x1) if flip else (x1, y2), axis=-1)
    return y, s.sum(axis=-1)


def inverse_coupling(params, y, flip):
    d = y.shape[-1] // 2
    y1, y2 = (y[..., d:], y[..., :d]) if flip else (y[..., :d], y[..., d:])
    s, t = np.split(mlp(params, y1), 2, axis=-1)
    x2 = (y2 - t) * np.exp(-np.tanh(s))
    return np.concatenate((x2, y1) if flip else (y1, x2), axis=-1)


def log_prob(flow, x):
    log_det = np.zeros(x.shape[0])
    for i, params in enumerate(flow):
        x, ld = coupling(params, x, flip=bool(i % 2))
        log_det += ld
    base = -0.5 * (x**2).sum(-1) - 0.5 * x.shape[-1] * np.log(2 * np.pi)
    return base + log_det


def generate(flow, z):
    for i in range(len(flow) - 1, -1, -1):
        z = inverse_coupling(flow[i], z, i % 2 == 1)
    return z


def loss(flow, x, z):
    made = generate(flow, z)
    return -log_prob(flow, x).mean() + 0.1 * np.mean(made**2)


def make_arguments(rng):
    def net():
        sizes = (2, 8, 4)
        return [(rng.normal(size=(m, n)) * 0.5, rng.normal(size=n) * 0.1) for m, n in zip(sizes, sizes[1:])]

    return [net() for _ in range(4)], rng.normal(size=(5, 4)), rng.normal(size=(3, 4))
