"""Handwritten digits by two models in plain NumPy
===============================================

Both are trained with gradients that Pellucid derives. The images are the 1797 digits of 8 by 8 pixels that come with
scikit-learn. The first model is multinomial logistic regression, the second a network of two layers. Both are trained
by stochastic gradient descent with momentum; the last batch of every epoch is shorter than the others, and one
compilation serves both lengths.

``python samples/digits.py [--out FOLDER]``
"""

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import optree
from sklearn.datasets import load_digits

from pellucid import Array, grad, value_and_grad

HELD_OUT = 450
BATCH = 64
CLASSES = 10


class Layer(NamedTuple):
    """An affine map: weights (inputs, outputs) and bias (outputs,)."""

    weights: np.ndarray | Array
    bias: np.ndarray | Array


class Digits(NamedTuple):
    """Images (count, 64) with pixels from 0 to 1, and their labels as rows of one 1.0 among zeros (count, 10)."""

    images: np.ndarray
    targets: np.ndarray


# The models: plain NumPy, and nothing here knows of derivatives.


def cross_entropy(scores, targets):
    """The mean of -log(probability of the right class), where probabilities are softmax of `scores` by rows."""
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(targets * shifted, axis=1))


def softmax_loss(layer, images, targets):
    scores = images @ layer.weights + layer.bias
    return cross_entropy(scores, targets) + 1e-4 * np.sum(layer.weights**2)


def network_scores(layers, images):
    hidden, output = layers
    return np.tanh(images @ hidden.weights + hidden.bias) @ output.weights + output.bias


def network_loss(layers, images, targets):
    penalty = 0.0
    for layer in layers:
        penalty += np.sum(layer.weights**2)
    return cross_entropy(network_scores(layers, images), targets) + 1e-4 * penalty


def read_digits(rng):
    """Digits to train with and digits to test with, in random order."""
    images, labels = load_digits(return_X_y=True)
    order = rng.permutation(len(labels))
    images, targets = images[order] / 16.0, np.eye(CLASSES)[labels[order]]
    return Digits(images[HELD_OUT:], targets[HELD_OUT:]), Digits(images[:HELD_OUT], targets[:HELD_OUT])


def random_layer(rng, inputs, outputs):
    return Layer(rng.normal(size=(inputs, outputs)) / np.sqrt(inputs), np.zeros(outputs))


def accuracy(scores, targets):
    return float(np.mean(np.argmax(scores, axis=1) == np.argmax(targets, axis=1)))


def train(name, loss_and_slope, scores, parameters, digits, test, rng, *, epochs, rate, momentum=0.9):
    """Parameters after training, and the mean loss of every epoch; progress is printed on the way."""
    velocity = optree.tree_map(np.zeros_like, parameters)
    curve = []
    started = time.perf_counter()
    for epoch in range(1, epochs + 1):
        order = rng.permutation(len(digits.images))
        total = 0.0
        for first in range(0, len(order), BATCH):
            chosen = order[first : first + BATCH]
            loss, slope = loss_and_slope(parameters, digits.images[chosen], digits.targets[chosen])
            velocity = optree.tree_map(lambda v, s: momentum * v - rate * np.asarray(s), velocity, slope)
            parameters = optree.tree_map(np.add, parameters, velocity)
            total += float(loss) * len(chosen)
        curve.append(total / len(order))
        if epoch == 1 or epoch % (epochs // 6) == 0:
            found = accuracy(scores(parameters, test.images), test.targets)
            print(
                f"{name}: epoch {epoch:3d} of {epochs}   loss {curve[-1]:.4f}   test accuracy {found:.4f}   "
                f"{time.perf_counter() - started:5.1f} s",
                flush=True,
            )
    return parameters, curve


def save_plot(curves, folder):
    """Draw the loss of every epoch and save it as digits_loss.png; gives the path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    for name, curve in curves.items():
        axes.plot(range(1, len(curve) + 1), curve, label=name)
    axes.set(xlabel="epoch", ylabel="mean cross-entropy and penalty", yscale="log")
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "digits_loss.png"
    figure.savefig(path, dpi=120)
    return path


def main():
    options = argparse.ArgumentParser(description="Train two models on handwritten digits.")
    options.add_argument("--out", type=Path, default=Path("samples/output"), help="the folder for the plot")
    arguments = options.parse_args()

    rng = np.random.default_rng(7)
    digits, test = read_digits(rng)
    print(f"{len(digits.images)} digits to train with, {len(test.images)} to test with")

    layer, softmax_curve = train(
        "logistic regression",
        value_and_grad(softmax_loss),
        lambda layer, images: images @ layer.weights + layer.bias,
        random_layer(rng, 64, CLASSES),
        digits,
        test,
        rng,
        epochs=60,
        rate=0.05,
    )
    layers, network_curve = train(
        "two-layer network",
        value_and_grad(network_loss),
        network_scores,
        [random_layer(rng, 64, 48), random_layer(rng, 48, CLASSES)],
        digits,
        test,
        rng,
        epochs=60,
        rate=0.1,
    )

    softmax_accuracy = accuracy(test.images @ layer.weights + layer.bias, test.targets)
    network_accuracy = accuracy(network_scores(layers, test.images), test.targets)
    path = save_plot({"logistic regression": softmax_curve, "two-layer network": network_curve}, arguments.out)

    print("\nThe derivative of the first model's loss, as Pellucid wrote it:\n")
    print(grad(softmax_loss).source("reverse", layer, digits.images, digits.targets))
    print(f"logistic regression: test accuracy {softmax_accuracy:.4f}")
    print(f"two-layer network: test accuracy {network_accuracy:.4f}")
    print(f"loss curves saved in {path}")


if __name__ == "__main__":
    main()
