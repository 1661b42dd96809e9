"""Initialisers under the names of `jax.nn.initializers`: functions of a key, a shape and a dtype, with its numbers.

    lecun_normal()(key, (784, 128))     ->     normal numbers of variance 1 / 784, cut at two standard deviations

The last two axes are those of inputs and outputs; axes before them are those of a window, as in a convolution.
"""

import math

import numpy as np

from .. import random


def zeros(key, shape, dtype=np.float32):
    """Zeros, whatever the key."""
    return np.zeros(shape, dtype)


def ones(key, shape, dtype=np.float32):
    """Ones, whatever the key."""
    return np.ones(shape, dtype)


def constant(value):
    """All equal to `value`."""
    return lambda key, shape, dtype=np.float32: np.full(shape, value, dtype)


def normal(stddev=1e-2):
    """Normal numbers with this standard deviation."""
    return lambda key, shape, dtype=np.float32: random.normal(key, shape, dtype) * np.asarray(stddev, dtype)


def uniform(scale=1e-2):
    """Numbers between 0 and `scale`."""
    return lambda key, shape, dtype=np.float32: random.uniform(key, shape, dtype) * np.asarray(scale, dtype)


def truncated_normal(stddev=1e-2, lower=-2.0, upper=2.0):
    """Normal numbers with this standard deviation, cut at `lower` and `upper` standard deviations.

    What is left has a smaller deviation, as in JAX.
    """

    def initialise(key, shape, dtype=np.float32):
        return random.truncated_normal(key, lower, upper, shape, dtype) * np.asarray(stddev, dtype)

    return initialise


def fans(shape):
    """The numbers of inputs and outputs of a weight (*size, inputs, outputs), each times the size of the window."""
    if len(shape) < 2:
        raise ValueError(f"inputs and outputs are the last two axes of a weight, and the shape is {shape}")
    window = math.prod(shape[:-2])
    return shape[-2] * window, shape[-1] * window


def variance_scaling(scale, mode, distribution):
    """Numbers of variance `scale / n`.  Source: Glorot and Bengio (2010); He et al. (2015), arXiv:1502.01852.

    mode          "fan_in", "fan_out" or "fan_avg": which number n is
    distribution  "truncated_normal", "normal" or "uniform"

    Raises ValueError for other words.
    """

    def initialise(key, shape, dtype=np.float32):
        fan_in, fan_out = fans(shape)
        counts = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        if mode not in counts:
            raise ValueError(f"mode is fan_in, fan_out or fan_avg, not {mode}")
        variance = scale / max(counts[mode], 1)
        if distribution == "truncated_normal":
            stddev = math.sqrt(variance) / 0.87962566103423978  # that of a normal number cut at two deviations
            return random.truncated_normal(key, -2, 2, shape, dtype) * np.asarray(stddev, dtype)
        if distribution == "normal":
            return random.normal(key, shape, dtype) * np.asarray(math.sqrt(variance), dtype)
        if distribution != "uniform":
            raise ValueError(f"distribution is truncated_normal, normal or uniform, not {distribution}")
        return random.uniform(key, shape, dtype, -1) * np.asarray(math.sqrt(3 * variance), dtype)

    return initialise


def lecun_normal():
    """Variance 1 / inputs: what keeps the variance of linear and `selu` layers."""
    return variance_scaling(1.0, "fan_in", "truncated_normal")


def lecun_uniform():
    """The same, uniform."""
    return variance_scaling(1.0, "fan_in", "uniform")


def glorot_normal():
    """Variance 2 / (inputs + outputs)."""
    return variance_scaling(1.0, "fan_avg", "truncated_normal")


def glorot_uniform():
    """The same, uniform."""
    return variance_scaling(1.0, "fan_avg", "uniform")


def he_normal():
    """Variance 2 / inputs: what keeps the variance of `relu` layers."""
    return variance_scaling(2.0, "fan_in", "truncated_normal")


def he_uniform():
    """The same, uniform."""
    return variance_scaling(2.0, "fan_in", "uniform")


xavier_normal, xavier_uniform = glorot_normal, glorot_uniform
kaiming_normal, kaiming_uniform = he_normal, he_uniform


def orthogonal(scale=1.0):
    """Matrices with orthonormal rows or columns, times `scale`: the last axis against all others.

    Source: Saxe et al. (2013), arXiv:1312.6120.
    """

    def initialise(key, shape, dtype=np.float32):
        outputs, others = shape[-1], math.prod(shape[:-1])
        high, low = max(outputs, others), min(outputs, others)
        q, r = np.linalg.qr(random.normal(key, (high, low), dtype))
        q = q * np.sign(np.diagonal(r))
        return scale * np.reshape(q if others >= outputs else q.T, shape)

    return initialise
