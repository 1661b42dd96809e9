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
    """Random weights of inputs and of the state, for so many gates."""
    of_inputs, of_state = random.split(key)
    weight = lecun_normal()(of_inputs, (inputs, gates * features), dtype)
    parts = [orthogonal()(k, (features, features), dtype) for k in random.split(of_state, gates)]
    return weight.reshape((inputs, gates, features)), np.stack(parts, axis=1)


@layer
class LSTM:
    """A layer with a memory.  Source: Hochreiter and Schmidhuber (1997), doi:10.1162/neco.1997.9.8.1735.

    weight_x  (inputs, 4, features): input gate, forget gate, candidate, output gate
    weight_h  (features, 4, features)
    bias      (4, features)
    """

    weight_x: np.ndarray
    weight_h: np.ndarray
    bias: np.ndarray

    @classmethod
    def create(cls, key, inputs, features, *, dtype=np.float32):
        """A layer with random weights, orthogonal ones of the state, and the bias 0."""
        weight_x, weight_h = matrices(key, inputs, features, 4, dtype)
        return cls(weight_x, weight_h, np.zeros((4, features), dtype))

    def start(self, x):
        """The state before the first of x (..., inputs): zeros, a pair of memory and output."""
        zeros = np.zeros((*x.shape[:-1], self.weight_x.shape[-1]), self.weight_x.dtype)
        return zeros, zeros

    def advance(self, state, of_x):
        """The state and the output after what comes of an input."""
        c, h = state
        gates = of_x + times(h, self.weight_h)
        c = sigmoid(gates[..., 1, :]) * c + sigmoid(gates[..., 0, :]) * np.tanh(gates[..., 2, :])
        h = sigmoid(gates[..., 3, :]) * np.tanh(c)
        return (c, h), h

    def step(self, state, x):
        """The state after x (..., inputs), and the output (..., features)."""
        return self.advance(state, times(x, self.weight_x) + self.bias)

    def __call__(self, xs, state=None):
        """The state after the sequence, and the outputs: (..., time, inputs) -> (..., time, features)."""
        return through(self, xs, state)


@layer
class GRU:
    """A layer with gates.  Source: Cho et al. (2014), arXiv:1406.1078.

    weight_x  (inputs, 3, features): reset gate, update gate, candidate
    weight_h  (features, 3, features)
    bias      (3, features)
    bias_n    (features,): of the state in the candidate, before the reset gate
    """

    weight_x: np.ndarray
    weight_h: np.ndarray
    bias: np.ndarray
    bias_n: np.ndarray

    @classmethod
    def create(cls, key, inputs, features, *, dtype=np.float32):
        """A layer with random weights, orthogonal ones of the state, and biases 0."""
        weight_x, weight_h = matrices(key, inputs, features, 3, dtype)
        return cls(weight_x, weight_h, np.zeros((3, features), dtype), np.zeros(features, dtype))

    def start(self, x):
        """The state before the first of x (..., inputs): zeros (..., features)."""
        return np.zeros((*x.shape[:-1], self.weight_x.shape[-1]), self.weight_x.dtype)

    def advance(self, state, of_x):
        """The state and the output after what comes of an input."""
        of_h = times(state, self.weight_h)
        r, z = sigmoid(of_x[..., 0, :] + of_h[..., 0, :]), sigmoid(of_x[..., 1, :] + of_h[..., 1, :])
        candidate = np.tanh(of_x[..., 2, :] + r * (of_h[..., 2, :] + self.bias_n))
        state = candidate + z * (state - candidate)
        return state, state

    def step(self, state, x):
        """The state after x (..., inputs), and the output, which is the state."""
        return self.advance(state, times(x, self.weight_x) + self.bias)

    def __call__(self, xs, state=None):
        """The state after the sequence, and the outputs: (..., time, inputs) -> (..., time, features)."""
        return through(self, xs, state)


def times(x, weight):
    """The products of x (..., inputs) with the weights of each gate: (..., gates, features)."""
    inputs, gates, features = weight.shape
    return (x @ weight.reshape((inputs, gates * features))).reshape((*x.shape[:-1], gates, features))


def through(cell, xs, state):
    """The state after a sequence (..., time, inputs), and the outputs (..., time, features)."""
    if state is None:
        state = cell.start(xs[..., 0, :])
    of_xs = times(xs, cell.weight_x) + cell.bias
    ys = np.empty((*xs.shape[:-1], cell.weight_x.shape[-1]), of_xs.dtype)
    for t in range(xs.shape[-2]):
        state, ys[..., t, :] = cell.advance(state, of_xs[..., t, :, :])
    return state, ys
