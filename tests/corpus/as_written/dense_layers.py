"""A network as a list of layer objects, trained by back propagation written by hand.

Nielsen, "Neural networks and deep learning", chapter 2.
"""
import numpy as np


class Layer:
    def __init__(self, w, b):
        self.w = w.copy()
        self.b = b.copy()
        self.dw = np.zeros_like(w)
        self.db = np.zeros_like(b)
        self.inputs = np.zeros(w.shape[1])
        self.out = np.zeros(w.shape[0])

    def forward(self, x):
        self.inputs = x
        self.out = np.tanh(self.w @ x + self.b)
        return self.out

    def backward(self, delta):
        delta = delta * (1 - self.out ** 2)
        self.dw += np.outer(delta, self.inputs)
        self.db += delta
        return self.w.T @ delta

    def step(self, rate):
        self.w -= rate * self.dw
        self.b -= rate * self.db
        self.dw[:] = 0.0
        self.db[:] = 0.0


def train(weights, biases, xs, ys, rate=0.1, epochs=4):
    """weights: (layers, n, n). Loss of each epoch."""
    if weights.shape[0] != biases.shape[0]:
        raise ValueError("a bias per layer")
    layers = []
    for w, b in zip(weights, biases):
        layers.append(Layer(w, b))
    losses = []
    for _ in range(epochs):
        loss = 0.0
        for x, y in zip(xs, ys):
            a = x
            for layer in layers:
                a = layer.forward(a)
            delta = a - y
            loss += 0.5 * np.sum(delta ** 2)
            for layer in reversed(layers):
                delta = layer.backward(delta)
        for layer in layers:
            layer.step(rate / len(xs))
        losses.append(loss)
    return losses[-1], np.array(losses), np.array([layer.w for layer in layers])


ENTRY = "train"


def make_arguments(rng, n):
    return (0.5 * rng.standard_normal((3, n, n)), np.zeros((3, n)), rng.standard_normal((4, n)),
            0.5 * rng.standard_normal((4, n)))


GRADIENT = ("weights", "biases", "xs", "ys", "rate")
ERRORS = [(lambda rng, n: (np.zeros((3, n, n)), np.zeros((2, n)), np.zeros((4, n)), np.zeros((4, n))), ValueError)]
