"""Attention with several heads, and positions as rotations.

attend = MultiHeadAttention.create(key, 128, 4)
y = attend(x, causal=True)          (batch, time, 128) -> (batch, time, 128)
"""

import math

import numpy as np

from .. import random
from .activations import softmax
from .fields import layer, static
from .linear import Linear


def dot_product_attention(query, key, value, mask=None, causal=False):
    """softmax(query key^T / sqrt(features)) value.  Source: Vaswani et al. (2017), arXiv:1706.03762.

    query       (..., heads, queries, features)
    key, value  (..., heads, keys, features)
    mask        bools that broadcast with (..., heads, queries, keys): what may be attended to
    causal      whether a query attends to keys at its own place and before
    """
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[-1])
    if causal:
        earlier = np.arange(query.shape[-2])[:, None] >= np.arange(key.shape[-2])
        scores = np.where(earlier, scores, np.finfo(scores.dtype).min)
    if mask is not None:
        scores = np.where(mask, scores, np.finfo(scores.dtype).min)
    return softmax(scores) @ value


@layer
class MultiHeadAttention:
    """Attention with several heads: (..., queries, features) -> (..., queries, features).

    query, key, value, out  linear layers (features, features); features are heads times those of a head
    heads                   how many
    """

    query: Linear
    key: Linear
    value: Linear
    out: Linear
    heads: int = static()

    @classmethod
    def create(cls, key, features, heads, *, bias=True, dtype=np.float32, initializer=None):
        """A layer with random weights.  Raises ValueError where heads do not divide features."""
        if features % heads != 0:
            raise ValueError(f"{heads} heads do not divide {features} features")
        query, of_key, value, out = [
            Linear.create(k, features, features, bias=bias, dtype=dtype, initializer=initializer)
            for k in random.split(key, 4)
        ]
        return cls(query, of_key, value, out, heads)

    def __call__(self, x, context=None, *, mask=None, causal=False, rotary=None):
        """What x attends to in `context`, or in itself.

        context  (..., keys, features)
        mask     bools that broadcast with (..., heads, queries, keys): what may be attended to
        causal   whether a query attends to keys at its own place and before
        rotary   a `RotaryEmbedding` that turns queries and keys
        """
        context = x if context is None else context
        query, key = self.split(self.query(x)), self.split(self.key(context))
        if rotary is not None:
            query, key = rotary(query), rotary(key)
        seen = np.swapaxes(dot_product_attention(query, key, self.split(self.value(context)), mask, causal), -2, -3)
        return self.out(seen.reshape(x.shape))

    def split(self, x):
        """(..., time, features) -> (..., heads, time, features of a head)."""
        return np.swapaxes(x.reshape((*x.shape[:-1], self.heads, x.shape[-1] // self.heads)), -2, -3)


@layer
class RotaryEmbedding:
    """Pairs of features turned by angles that grow with the place.  Source: Su et al. (2021), arXiv:2104.09864.

    base  how much slower the last pair turns than the first
    """

    base: float = static(default=10000.0)

    def __call__(self, x, offset=0):
        """x (..., time, features) turned; feature k goes with k + features // 2.

        offset  the place of the first row
        """
        half = x.shape[-1] // 2
        speed = np.asarray(self.base, x.dtype) ** (-np.arange(half).astype(x.dtype) / half)
        angle = (offset + np.arange(x.shape[-2])).astype(x.dtype)[:, None] * speed
        cos, sin = np.cos(angle), np.sin(angle)
        first, second = x[..., :half], x[..., half:]
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
