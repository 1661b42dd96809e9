"""A vision transformer (Dosovitskiy et al. 2021): patches, a class token, blocks that normalise first."""
from typing import NamedTuple

import numpy as np
from scipy.special import erf


class Block(NamedTuple):
    ln1_scale: np.ndarray
    ln1_bias: np.ndarray
    qkv: np.ndarray
    proj: np.ndarray
    ln2_scale: np.ndarray
    ln2_bias: np.ndarray
    fc1: np.ndarray
    fc2: np.ndarray


class ViT(NamedTuple):
    patch: np.ndarray
    cls: np.ndarray
    pos: np.ndarray
    blocks: list
    head: np.ndarray


def gelu(x):
    return 0.5 * x * (1.0 + erf(x / np.sqrt(2.0)))


def norm(x, scale, bias):
    x = x - np.mean(x, axis=-1, keepdims=True)
    return x / np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + 1e-6) * scale + bias


def patchify(images, size):
    b, h, w, c = images.shape
    x = images.reshape(b, h // size, size, w // size, size, c)
    x = np.swapaxes(x, 2, 3)
    return x.reshape(b, (h // size) * (w // size), size * size * c)


def attend(block, x, heads):
    b, n, d = x.shape
    qkv = (x @ block.qkv).reshape(b, n, 3, heads, d // heads)
    q, k, v = np.moveaxis(qkv, 2, 0)
    weights = np.einsum("bqhd,bkhd->bhqk", q, k) * (d // heads) ** -0.5
    weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    out = np.einsum("bhqk,bkhd->bqhd", weights, v)
    return out.reshape(b, n, d) @ block.proj


def forward(model, images, size=2, heads=2):
    x = patchify(images, size) @ model.patch
    cls = np.broadcast_to(model.cls, (x.shape[0], 1, x.shape[-1]))
    x = np.concatenate([cls, x], axis=1) + model.pos
    for block in model.blocks:
        x = x + attend(block, norm(x, block.ln1_scale, block.ln1_bias), heads)
        x = x + gelu(norm(x, block.ln2_scale, block.ln2_bias) @ block.fc1) @ block.fc2
    return x[:, 0] @ model.head


def loss(model, images, labels):
    logits = forward(model, images)
    m = logits.max(axis=1)
    lse = m + np.log(np.sum(np.exp(logits - m[:, None]), axis=1))
    picked = np.take_along_axis(logits, labels[:, None], axis=1).squeeze(1)
    return np.mean(lse - picked)


def make_arguments(rng):
    d, classes = 8, 5

    def w(*shape):
        return 0.3 * rng.normal(size=shape)

    def block():
        return Block(1 + w(d), w(d), w(d, 3 * d), w(d, d), 1 + w(d), w(d), w(d, 4 * d), w(4 * d, d))

    model = ViT(w(12, d), w(1, 1, d), w(5, d), [block(), block()], w(d, classes))
    return model, rng.normal(size=(3, 4, 4, 3)), rng.integers(0, classes, 3)
