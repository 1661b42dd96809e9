"""Linear layers, embeddings, and layers one after the other.

hidden = Linear.create(key, 784, 128)       weight (784, 128), bias (128,)
relu(hidden(x))                             relu(x @ weight + bias)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import random
from .activations import relu
from .fields import layer
from .initializers import lecun_normal


@layer
class Linear:
    """x @ weight + bias: (..., inputs) -> (..., outputs).

    weight  (inputs, outputs)
    bias    (outputs,), or None
    """

    weight: np.ndarray
    bias: np.ndarray | None = None

    @classmethod
    def create(cls, key, inputs, outputs, *, bias=True, dtype=np.float32, initializer=None):
        """A layer with random weights, by `lecun_normal` unless another initialiser is given, and the bias 0."""
        weight = (initializer or lecun_normal())(key, (inputs, outputs), dtype)
        return cls(weight, np.zeros(outputs, dtype) if bias else None)

    def __call__(self, x):
        y = x @ self.weight
        return y if self.bias is None else y + self.bias


@layer
class Embedding:
    """Rows of a table: ints (...) -> (..., features).

    table  (count, features)
    """

    table: np.ndarray

    @classmethod
    def create(cls, key, count, features, *, dtype=np.float32):
        """A table of normal numbers of variance 1 / features."""
        return cls(random.normal(key, (count, features), dtype) * np.asarray(features**-0.5, dtype))

    def __call__(self, numbers):
        return self.table[numbers]

    def attend(self, x):
        """The product of x (..., features) with every row: (..., count), as logits with tied weights are."""
        return x @ self.table.T


@layer
class Sequential:
    """Layers and functions of one argument, each called with the result of the one before."""

    layers: list

    def __call__(self, x):
        for one in self.layers:
            x = one(x)
        return x


@layer
class MLP:
    """Linear layers with an activation between them: (..., sizes[0]) -> (..., sizes[-1])."""

    layers: list
    activation: Callable[[Any], Any] = relu

    @classmethod
    def create(cls, key, sizes, *, activation=relu, dtype=np.float32, initializer=None):
        """Layers between the sizes, which are at least two."""
        keys = random.split(key, len(sizes) - 1)
        pairs = zip(keys, sizes[:-1], sizes[1:])
        return cls([Linear.create(k, i, o, dtype=dtype, initializer=initializer) for k, i, o in pairs], activation)

    def __call__(self, x):
        for one in self.layers[:-1]:
            x = self.activation(one(x))
        return self.layers[-1](x)
