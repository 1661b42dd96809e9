"""Normalisation and dropout.

norm = LayerNorm.create(128)                 scale and bias (128,)
y = norm(x)

y, stats = batch_norm(x, stats, train=True)       running means and variances are given and returned
y = dropout(x, key)                               so is the key: without one nothing is dropped
"""

import math

import numpy as np

from .. import random
from .fields import layer, static


@layer
class LayerNorm:
    """(x - mean) / sqrt(variance + eps) * scale + bias over the last axis.  Source: Ba et al. (2016), arXiv:1607.06450.

    scale, bias  (features,), or None
    """

    scale: np.ndarray | None
    bias: np.ndarray | None
    eps: float = static(default=1e-6)

    @classmethod
    def create(cls, features, *, scale=True, bias=True, eps=1e-6, dtype=np.float32):
        """A layer with scale 1 and bias 0, of those that are wanted."""
        return cls(np.ones(features, dtype) if scale else None, np.zeros(features, dtype) if bias else None, eps)

    def __call__(self, x):
        return scaled(normalised(x, -1, self.eps), self.scale, self.bias)


def normalised(x, axes, eps):
    """x with mean 0 and variance 1 along axes."""
    centred = x - np.mean(x, axis=axes, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)


def scaled(x, scale, bias):
    """x * scale + bias, of those that there are."""
    y = x if scale is None else x * scale
    return y if bias is None else y + bias


@layer
class RMSNorm:
    """x / sqrt(mean(x**2) + eps) * scale over the last axis.  Source: Zhang and Sennrich (2019), arXiv:1910.07467.

    scale  (features,), or None
    """

    scale: np.ndarray | None
    eps: float = static(default=1e-6)

    @classmethod
    def create(cls, features, *, scale=True, eps=1e-6, dtype=np.float32):
        """A layer with scale 1, if it is wanted."""
        return cls(np.ones(features, dtype) if scale else None, eps)

    def __call__(self, x):
        return scaled(x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self.eps), self.scale, None)


@layer
class GroupNorm:
    """`LayerNorm` over each group of channels and all places: (N, *space, channels).

    scale, bias  (channels,), or None
    groups       how many; Source: Wu and He (2018), arXiv:1803.08494
    """

    scale: np.ndarray | None
    bias: np.ndarray | None
    groups: int = static(default=32)
    eps: float = static(default=1e-6)

    @classmethod
    def create(cls, channels, groups=32, *, scale=True, bias=True, eps=1e-6, dtype=np.float32):
        """A layer with scale 1 and bias 0.  Raises ValueError where the groups do not divide the channels."""
        if channels % groups != 0:
            raise ValueError(f"{groups} groups do not divide {channels} channels")
        return cls(
            np.ones(channels, dtype) if scale else None, np.zeros(channels, dtype) if bias else None, groups, eps
        )

    def __call__(self, x):
        apart = x.reshape((x.shape[0], math.prod(x.shape[1:-1]), self.groups, x.shape[-1] // self.groups))
        return scaled(normalised(apart, (1, 3), self.eps).reshape(x.shape), self.scale, self.bias)


@layer
class BatchStats:
    """What `BatchNorm` has seen: running mean and variance, (features,)."""

    mean: np.ndarray
    var: np.ndarray

    @classmethod
    def create(cls, features, *, dtype=np.float32):
        """Mean 0 and variance 1."""
        return cls(np.zeros(features, dtype), np.ones(features, dtype))


@layer
class BatchNorm:
    """Mean 0 and variance 1 of each feature over a batch.  Source: Ioffe and Szegedy (2015), arXiv:1502.03167.

    scale, bias  (features,), or None
    momentum     what of the running statistics stays at each step
    """

    scale: np.ndarray | None
    bias: np.ndarray | None
    momentum: float = static(default=0.99)
    eps: float = static(default=1e-5)

    @classmethod
    def create(cls, features, *, momentum=0.99, scale=True, bias=True, eps=1e-5, dtype=np.float32):
        """A layer with scale 1 and bias 0; its statistics begin with `BatchStats.create(features)`."""
        return cls(
            np.ones(features, dtype) if scale else None, np.zeros(features, dtype) if bias else None, momentum, eps
        )

    def __call__(self, x, stats, train=False):
        """The result and the statistics: of this batch where `train`, else the running ones, which stay as they are."""
        if train:
            axes = tuple(range(x.ndim - 1))
            mean = np.mean(x, axis=axes)
            var = np.mean(x * x, axis=axes) - mean * mean
            keep = self.momentum
            stats = BatchStats(keep * stats.mean + (1 - keep) * mean, keep * stats.var + (1 - keep) * var)
        else:
            mean, var = stats.mean, stats.var
        return scaled((x - mean) / np.sqrt(var + self.eps), self.scale, self.bias), stats


@layer
class Dropout:
    """Zeros for the part `rate` of all elements, and the others scaled so that their mean stays.

    Source: Srivastava et al. (2014), Journal of Machine Learning Research 15.
    """

    rate: float = static()

    def __call__(self, x, key=None):
        """x with elements dropped by the key; x itself where that is None."""
        if key is None or self.rate == 0.0:
            return x
        kept = random.bernoulli(key, 1.0 - self.rate, x.shape)
        return np.where(kept, x / (1.0 - self.rate), 0)
