"""Handwritten digits by a convolutional network
=============================================

A model is a dataclass with layers for fields, and its forward pass is ``__call__``. The whole step (gradient, Adam, new
parameters) is one compiled function; statistics of batch normalisation and keys of dropout go in and come out.

``python samples/convnet.py [--epochs 12] [--out FOLDER]``
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from pellucid import compile, nn, optim, random, value_and_grad

HELD_OUT = 450
BATCH = 64


@dataclass
class Net:
    """Images (batch, 8, 8, 1) to logits (batch, 10)."""

    first: nn.Conv
    norm: nn.BatchNorm
    second: nn.Conv
    dropout: nn.Dropout
    out: nn.Linear

    def __call__(self, x, stats, key=None):
        x, stats = self.norm(self.first(x), stats, train=key is not None)
        x = nn.max_pool(nn.relu(x), (2, 2))
        x = nn.max_pool(nn.relu(self.second(x)), (2, 2))
        x = self.dropout(x.reshape((x.shape[0], 128)), key)
        return self.out(x), stats


def make_net(key):
    keys = random.split(key, 3)
    return Net(
        first=nn.Conv.create(keys[0], 1, 16, (3, 3)),
        norm=nn.BatchNorm.create(16, momentum=0.9),
        second=nn.Conv.create(keys[1], 16, 32, (3, 3)),
        dropout=nn.Dropout(0.2),
        out=nn.Linear.create(keys[2], 128, 10),
    )


optimizer = optim.adamw(3e-3)


def loss(net, stats, key, images, labels):
    logits, stats = net(images, stats, key)
    return np.mean(nn.softmax_cross_entropy_with_integer_labels(logits, labels)), stats


@compile
def step(net, stats, state, key, images, labels):
    """One step of training: new parameters, statistics, state of the optimiser and key, and the loss before."""
    key, own = random.split(key)
    (value, stats), slopes = value_and_grad(loss, has_aux=True)(net, stats, own, images, labels)
    updates, state = optimizer.update(slopes, state, net)
    return optim.apply_updates(net, updates), stats, state, key, value


@compile
def predict(net, stats, images):
    return np.argmax(net(images, stats)[0], axis=1)


def read_digits(rng):
    images, labels = load_digits(return_X_y=True)
    order = rng.permutation(len(labels))
    images = (images[order] / 16.0).astype(np.float32).reshape((-1, 8, 8, 1))
    labels = labels[order]
    return (images[HELD_OUT:], labels[HELD_OUT:]), (images[:HELD_OUT], labels[:HELD_OUT])


def save_picture(curve, images, labels, found, folder):
    """The loss of every step, and test digits with what they were taken for; gives the path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplot_mosaic("LLLLLL;LLLLLL;abcdef", figsize=(7.0, 5.0), layout="constrained")
    axes["L"].plot(curve, linewidth=0.8)
    axes["L"].set(xlabel="step", ylabel="cross-entropy", yscale="log")
    wrong = np.flatnonzero(found != labels)
    for name, k in zip("abcdef", [*wrong, *range(6)]):
        axes[name].imshow(images[k, :, :, 0], cmap="gray_r")
        axes[name].set_title(f"{labels[k]} taken for {found[k]}", fontsize=8)
        axes[name].axis("off")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "convnet.png"
    figure.savefig(path, dpi=120)
    return path


def main():
    options = argparse.ArgumentParser(description="Train a convolutional network on handwritten digits.")
    options.add_argument("--epochs", type=int, default=12)
    options.add_argument("--out", type=Path, default=Path("samples/output"), help="the folder for the picture")
    arguments = options.parse_args()

    rng = np.random.default_rng(7)
    (images, labels), (test_images, test_labels) = read_digits(rng)
    key, own = random.split(random.key(0))
    net, stats = make_net(own), nn.BatchStats.create(16)
    state = optimizer.init(net)

    started, curve = time.perf_counter(), []
    for epoch in range(1, arguments.epochs + 1):
        order = rng.permutation(len(labels))
        for first in range(0, len(order), BATCH):
            chosen = order[first : first + BATCH]
            net, stats, state, key, value = step(net, stats, state, key, images[chosen], labels[chosen])
            curve.append(value)
        found = np.asarray(predict(net, stats, test_images))
        print(
            f"epoch {epoch:2d} of {arguments.epochs}   loss {float(curve[-1]):.4f}   "
            f"test accuracy {np.mean(found == test_labels):.4f}   {time.perf_counter() - started:5.1f} s",
            flush=True,
        )
    path = save_picture([float(value) for value in curve], test_images, test_labels, found, arguments.out)
    print(f"picture saved in {path}")


if __name__ == "__main__":
    main()
