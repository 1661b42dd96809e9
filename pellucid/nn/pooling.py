"""Pooling over windows, with channels last, as in Flax.

max_pool(images, (2, 2))     (N, H, W, C) -> (N, H // 2, W // 2, C)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .convolution import padded, paddings, repeated, windows
from .fields import layer, static


def max_pool(x, size, strides=None, padding="VALID"):
    """The largest of each window; what is beyond the edge does not count.

    x        (N, *space, channels), with one to three dimensions in space
    size     of the window: a tuple, one for each dimension in space
    strides  how far the window moves: by its size, unless said
    padding  "VALID", "SAME", or before and after each dimension: an int, or pairs of ints
    """
    seen, axes = gathered(x, size, strides, padding, -np.inf)
    return np.max(seen, axis=axes)


def min_pool(x, size, strides=None, padding="VALID"):
    """The smallest of each window; arguments are those of `max_pool`."""
    seen, axes = gathered(x, size, strides, padding, np.inf)
    return np.min(seen, axis=axes)


def avg_pool(x, size, strides=None, padding="VALID"):
    """The mean of each window, for which zeros beyond the edge count; arguments are those of `max_pool`."""
    seen, axes = gathered(x, size, strides, padding, 0.0)
    return np.mean(seen, axis=axes)


def gathered(x, size, strides, padding, beyond):
    """What each window sees, (N, *places, *size, channels) or in another order, and the axes of a window."""
    rank = len(size)
    strides = tuple(size) if strides is None else repeated(strides, rank)
    if isinstance(padding, str) and padding.upper() == "VALID":
        if strides == tuple(size):
            return side_by_side(x, size)
    else:
        x = padded(x, paddings(padding, x.shape[1:-1], size, strides), beyond)
    return windows(x, size, strides, (1,) * rank), tuple(range(1 + rank, 1 + 2 * rank))


def side_by_side(x, size):
    """Windows that do not overlap: a reshape."""
    counts = [n // k for n, k in zip(x.shape[1:-1], size)]
    x = x[:, *[slice(None, c * k) for c, k in zip(counts, size)]]
    pairs = []
    for count, length in zip(counts, size):
        pairs += [count, length]
    return x.reshape((x.shape[0], *pairs, x.shape[-1])), tuple(range(2, 2 + 2 * len(size), 2))


@layer
class Pool:
    """One of the functions above as a layer of `Sequential`: `Pool(max_pool, (2, 2))`."""

    function: Callable[..., Any]
    size: tuple[int, ...] = static()
    strides: tuple[int, ...] | int | None = static(default=None)
    padding: str | int | tuple = static(default="VALID")

    def __call__(self, x):
        return self.function(x, self.size, self.strides, self.padding)
