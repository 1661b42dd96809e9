"""Proximal policy optimisation (Schulman et al. 2017): advantages backwards in time, clipped ratios, entropy."""
from typing import NamedTuple

import numpy as np


class Batch(NamedTuple):
    obs: np.ndarray
    actions: np.ndarray
    logp: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    values: np.ndarray
    last_value: np.ndarray


def gae(rewards, values, dones, last_value, gamma=0.99, lam=0.95):
    T = len(rewards)
    advantages = np.zeros_like(rewards)
    last = 0.0
    for t in reversed(range(T)):
        nonterminal = 1.0 - dones[t]
        next_value = last_value if t == T - 1 else values[t + 1]
        delta = rewards[t] + gamma * next_value * nonterminal - values[t]
        advantages[t] = last = delta + gamma * lam * nonterminal * last
    return advantages, advantages + values


def policy(params, obs):
    h = np.tanh(obs @ params["w1"] + params["b1"])
    h = np.tanh(h @ params["w2"] + params["b2"])
    return h @ params["pi"], (h @ params["v"])[..., 0]


def log_softmax(x):
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def loss(params, batch, clip=0.2, vf_coef=0.5, ent_coef=0.01):
    adv, returns = gae(batch.rewards, batch.values, batch.dones, batch.last_value)
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    logits, values = policy(params, batch.obs)
    logp_all = log_softmax(logits)
    T, N = batch.actions.shape
    logp = logp_all[np.arange(T)[:, None], np.arange(N), batch.actions]
    ratio = np.exp(logp - batch.logp)
    pg_loss = np.maximum(-adv * ratio, -adv * np.clip(ratio, 1 - clip, 1 + clip)).mean()
    v_clipped = batch.values + np.clip(values - batch.values, -clip, clip)
    v_loss = 0.5 * np.maximum((values - returns) ** 2, (v_clipped - returns) ** 2).mean()
    entropy = -(np.exp(logp_all) * logp_all).sum(-1).mean()
    return pg_loss + vf_coef * v_loss - ent_coef * entropy


def make_arguments(rng):
    T, N, n_obs, n_act = 6, 3, 4, 3

    def w(*shape):
        return 0.5 * rng.normal(size=shape)

    params = {"w1": w(n_obs, 8), "b1": w(8), "w2": w(8, 8), "b2": w(8), "pi": w(8, n_act), "v": w(8, 1)}
    batch = Batch(rng.normal(size=(T, N, n_obs)), rng.integers(0, n_act, (T, N)), -rng.random((T, N)) - 0.5,
                  rng.normal(size=(T, N)), (rng.random((T, N)) < 0.2).astype(float), rng.normal(size=(T, N)),
                  rng.normal(size=N))
    return params, batch
