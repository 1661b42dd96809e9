"""A diffusion model of points in the plane (Ho et al. 2020): the loss of the noise, and ancestral sampling."""
import numpy as np

STEPS = 20
betas = np.linspace(1e-4, 0.2, STEPS)
alphas = 1.0 - betas
alphas_cumprod = np.cumprod(alphas)


def time_embedding(t, dim=8):
    half = dim // 2
    freqs = np.exp(-np.log(1000.0) * np.arange(half) / (half - 1))
    args = t[:, None] * freqs[None]
    return np.concatenate([np.sin(args), np.cos(args)], axis=-1)


def silu(x):
    return x / (1 + np.exp(-x))


def predict_noise(params, x, t):
    h = np.hstack((x, time_embedding(t)))
    for W, b in params[:-1]:
        h = silu(h @ W + b)
    W, b = params[-1]
    return h @ W + b


def q_sample(x0, t, noise, schedule):
    a = schedule[t][:, None]
    return np.sqrt(a) * x0 + np.sqrt(1 - a) * noise


def sample(params, start, noises, schedule):
    alphas_, betas_, bars = schedule
    x = start
    trajectory = []
    for t in reversed(range(STEPS)):
        eps = predict_noise(params, x, np.full(len(x), float(t)))
        mean = (x - betas_[t] / np.sqrt(1 - bars[t]) * eps) / np.sqrt(alphas_[t])
        x = mean + (np.sqrt(betas_[t]) * noises[t] if t > 0 else 0.0)
        if t % 10 == 0:
            trajectory.append(x)
    return np.stack(trajectory)


def loss(params, x0, t, noise, noises, schedule):
    xt = q_sample(x0, t, noise, schedule[2])
    simple = np.mean((predict_noise(params, xt, t.astype(float)) - noise) ** 2)
    path = sample(params, noise, noises, schedule)
    return simple + 0.01 * np.mean(path[-1] ** 2) + 0.001 * np.sum(path[0])


def make_arguments(rng):
    sizes = [2 + 8, 16, 16, 2]
    params = [(rng.normal(size=(m, n)) * np.sqrt(1 / m), np.zeros(n)) for m, n in zip(sizes[:-1], sizes[1:])]
    n = 6
    schedule = (alphas, betas, alphas_cumprod)
    return (params, rng.normal(size=(n, 2)), rng.integers(0, STEPS, n), rng.normal(size=(n, 2)),
            rng.normal(size=(STEPS, n, 2)), schedule)
