"""Small convolutional network written with explicit loops: forward pass and loss.

conv -> leaky ReLU -> max pool -> conv -> tanh -> global average -> dense -> softmax
cross entropy with L2 weight decay (LeCun et al. 1998 in spirit).
"""
from typing import List, NamedTuple

import numpy as np


class ConvLayer(NamedTuple):
    kernels: np.ndarray     # (out, in, kh, kw)
    bias: np.ndarray

    @property
    def fan_in(self):
        return int(np.prod(self.kernels.shape[1:]))


class Dense(NamedTuple):
    W: np.ndarray
    b: np.ndarray


class Network(NamedTuple):
    conv1: ConvLayer
    conv2: ConvLayer
    head: Dense


def conv2d(image, layer, stride=1, pad=1):
    """Cross-correlation of a (channels, h, w) image with zero padding."""
    kernels, bias = layer
    n_out, n_in, kh, kw = kernels.shape
    c, h, w = image.shape
    if c != n_in:
        raise ValueError(f"layer expects {n_in} channels, image has {c}")
    padded = np.zeros((c, h + 2 * pad, w + 2 * pad))
    padded[:, pad:pad + h, pad:pad + w] = image
    oh = (h + 2 * pad - kh) // stride + 1
    ow = (w + 2 * pad - kw) // stride + 1
    out = np.zeros((n_out, oh, ow))
    for o in range(n_out):
        for i in range(oh):
            for j in range(ow):
                r, s = i * stride, j * stride
                patch = padded[:, r:r + kh, s:s + kw]
                out[o, i, j] = np.sum(patch * kernels[o]) + bias[o]
    return out


def max_pool(x, size=2):
    c, h, w = x.shape
    oh, ow = max(h // size, 1), max(w // size, 1)
    out = np.empty((c, oh, ow))
    for k in range(c):
        for i in range(oh):
            for j in range(ow):
                out[k, i, j] = x[k, i * size:(i + 1) * size, j * size:(j + 1) * size].max()
    return out


def leaky_relu(x, slope=0.1):
    return np.where(x > 0, x, slope * x)


def layer_norm(v, eps=1e-5):
    return (v - v.mean()) / np.sqrt(v.var() + eps)


def log_softmax(z):
    z = z - np.max(z)
    return z - np.log(np.sum(np.exp(z)))


def forward(net, image):
    h = leaky_relu(conv2d(image, net.conv1))
    h = max_pool(h)
    h = np.tanh(conv2d(h, net.conv2))
    features = np.array([channel.mean() for channel in h])
    logits = net.head.W @ layer_norm(features) + net.head.b
    return log_softmax(logits)


def l2_norm(net):
    total = 0.0
    for w in (net.conv1.kernels, net.conv2.kernels, net.head.W):
        total += np.sum(w ** 2)
    return total


def loss_and_scores(net: Network, images: np.ndarray, labels: List[int], decay=1e-3, smoothing=0.05):
    """Mean cross entropy with label smoothing; also accuracy and class probabilities."""
    n_classes = len(net.head.b)
    if images.ndim != 4:
        raise ValueError(f"images must be (batch, channels, h, w), got shape {images.shape}")
    if len(images) != len(labels):
        raise ValueError(f"{len(images)} images but {len(labels)} labels")
    bad = [l for l in labels if not 0 <= l < n_classes]
    if bad:
        raise ValueError(f"labels out of range: {bad}")

    loss, correct = 0.0, 0
    probs = []
    for image, label in zip(images, labels):
        logp = forward(net, image)
        target = np.full(n_classes, smoothing / n_classes)
        target[label] += 1.0 - smoothing
        loss -= target @ logp
        if np.argmax(logp) == label:
            correct += 1
        probs.append(np.exp(logp))
    batch = len(labels)
    return loss / batch + 0.5 * decay * l2_norm(net), correct / batch, np.array(probs)


ENTRY = "loss_and_scores"


def make_arguments(rng, n):
    def he(*shape):
        return rng.normal(size=shape) * np.sqrt(2.0 / np.prod(shape[1:]))

    net = Network(ConvLayer(he(2, 1, 3, 3), 0.1 * rng.normal(size=2)),
                  ConvLayer(he(3, 2, 3, 3), 0.1 * rng.normal(size=3)),
                  Dense(he(3, 3), np.zeros(3)))
    images = rng.normal(size=(2, 1, n, n))
    return (net, images, [int(k) for k in rng.integers(0, 3, size=2)], 1e-3)


GRADIENT = ("net", "images")
ERRORS = [(lambda rng, n: (make_arguments(rng, n)[0], rng.normal(size=(2, 1, n, n)), [0, 7]), ValueError),
          (lambda rng, n: (make_arguments(rng, n)[0], rng.normal(size=(2, 2, n, n)), [0, 1]), ValueError)]
