"""Recurrent layers: a step takes the state and returns it, and a call goes through a sequence.

lstm = LSTM.create(key, 8, 32)
state, y = lstm.step(state, x)          x (..., 8), y (..., 32)
state, ys = lstm(xs)                    xs (..., time, 8), ys (..., time, 32)
"""

import numpy as np

from .. import random
from .activations import sigmoid
from .fields import layer
from .initializers import lecun_normal, orthogonal


def matrices(key, inputs, features, gates, dtype):
    """Random weights of inputs and of the state, for gates side by side."""
    of_inputs, of_state = random.split(key)
    start, turn = lecun_normal(), orthogonal()
    parts = [turn(k, (features, features), dtype) for k in random.split(of_state, gates)]
    return start(of_inputs, (inputs, gates * features), dtype), np.concatenate(parts, axis=1)


@layer
class LSTM:
    """A layer with a memory.  Source: Hochreiter and Schmidhuber (1997), doi:10.1162/neco.1997.9.8.1735.

    weight_x  (inputs, 4 features): input gate, forget gate, candidate, output gate
    weight_h  (features, 4 features)
    bias      (4 features,)
    """

    weight_x: np.ndarray
    weight_h: np.ndarray
    bias: np.ndarray

    @classmethod
    def create(cls, key, inputs, features, *, dtype=np.float32):
        """A layer with random weights, orthogonal ones of the state, and the bias 0."""
        return cls(*matrices(key, inputs, features, 4, dtype), np.zeros(4 * features, dtype))

    def start(self, x):
        """The state before the first of x (..., inputs): zeros, a pair of memory and output."""
        zeros = np.zeros((*x.shape[:-1], self.weight_h.shape[0]), self.weight_h.dtype)
        return zeros, zeros

    def step(self, state, x):
        """The state after x (..., inputs), and the output (..., features)."""
        c, h = state
        i, f, g, o = np.split(x @ self.weight_x + h @ self.weight_h + self.bias, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return (c, h), h

    def __call__(self, xs, state=None):
        """The state after the sequence, and the outputs: (..., time, inputs) -> (..., time, features)."""
        return through(self, xs, state)


@layer
class GRU:
    """A layer with gates.  Source: Cho et al. (2014), arXiv:1406.1078.

    weight_x  (inputs, 3 features): reset gate, update gate, candidate
    weight_h  (features, 3 features)
    bias      (3 features,)
    bias_n    (features,): of the state in the candidate, before the reset gate
    """

    weight_x: np.ndarray
    weight_h: np.ndarray
    bias: np.ndarray
    bias_n: np.ndarray

    @classmethod
    def create(cls, key, inputs, features, *, dtype=np.float32):
        """A layer with random weights, orthogonal ones of the state, and biases 0."""
        return cls(*matrices(key, inputs, features, 3, dtype), np.zeros(3 * features, dtype), np.zeros(features, dtype))

    def start(self, x):
        """The state before the first of x (..., inputs): zeros (..., features)."""
        return np.zeros((*x.shape[:-1], self.weight_h.shape[0]), self.weight_h.dtype)

    def step(self, state, x):
        """The state after x (..., inputs), and the output, which is the state."""
        of_x = np.split(x @ self.weight_x + self.bias, 3, axis=-1)
        of_h = np.split(state @ self.weight_h, 3, axis=-1)
        r, z = sigmoid(of_x[0] + of_h[0]), sigmoid(of_x[1] + of_h[1])
        n = np.tanh(of_x[2] + r * (of_h[2] + self.bias_n))
        state = (1.0 - z) * n + z * state
        return state, state

    def __call__(self, xs, state=None):
        """The state after the sequence, and the outputs: (..., time, inputs) -> (..., time, features)."""
        return through(self, xs, state)


def through(cell, xs, state):
    """The state after a sequence (..., time, inputs), and the outputs (..., time, features)."""
    if state is None:
        state = cell.start(xs[..., 0, :])
    ys = np.empty((*xs.shape[:-1], cell.weight_h.shape[0]), cell.weight_h.dtype)
    for t in range(xs.shape[-2]):
        state, ys[..., t, :] = cell.step(state, xs[..., t, :])
    return state, ys
