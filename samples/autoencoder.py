"""A variational autoencoder of handwritten digits
===============================================

One network says for an image where in a plane it lies, and how sure that is; another draws the image of a point. Both
are trained at once, through the random point between them. The picture shows what is drawn over the plane.

Source: D. Kingma and M. Welling, Auto-encoding variational Bayes (2013), arXiv:1312.6114.

``python samples/autoencoder.py [--epochs 60] [--out FOLDER]``
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from pellucid import compile, nn, optim, random, value_and_grad

BATCH = 128


@dataclass
class Autoencoder:
    """Images (batch, 64) to means and logarithms of deviations of points in a plane, and back to logits of pixels."""

    encoder: nn.MLP
    decoder: nn.MLP

    def __call__(self, images, key):
        found = self.encoder(images)
        mean, log_deviation = found[:, :2], found[:, 2:]
        points = mean + np.exp(log_deviation) * random.normal(key, mean.shape, np.float32)
        return self.decoder(points), mean, log_deviation


def loss(model, images, key):
    """The bound on -log(probability) of an image, in nats: of its pixels, and of how far its point is from normal."""
    logits, mean, log_deviation = model(images, key)
    pixels = np.sum(nn.sigmoid_binary_cross_entropy(logits, images), axis=1)
    distance = 0.5 * np.sum(mean**2 + np.exp(2.0 * log_deviation) - 1.0 - 2.0 * log_deviation, axis=1)
    return np.mean(pixels + distance)


optimizer = optim.adam(2e-3)


@compile
def step(model, state, key, images):
    key, own = random.split(key)
    value, slopes = value_and_grad(loss)(model, images, own)
    updates, state = optimizer.update(slopes, state, model)
    return optim.apply_updates(model, updates), state, key, value


def save_picture(model, folder):
    """What is drawn at 12 by 12 points of the plane; gives the path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    side = np.linspace(-2.0, 2.0, 12, dtype=np.float32)
    points = np.stack(np.meshgrid(side, side[::-1]), axis=-1).reshape((144, 2))
    drawn = np.asarray(compile(lambda decoder, points: nn.sigmoid(decoder(points)))(model.decoder, points))
    sheet = drawn.reshape((12, 12, 8, 8)).transpose((0, 2, 1, 3)).reshape((96, 96))
    figure, axes = pyplot.subplots(figsize=(5.0, 5.0), layout="constrained")
    axes.imshow(sheet, cmap="gray_r", extent=(-2.2, 2.2, -2.2, 2.2))
    axes.set(xlabel="first number", ylabel="second number")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "autoencoder.png"
    figure.savefig(path, dpi=120)
    return path


def main():
    options = argparse.ArgumentParser(description="Train a variational autoencoder on handwritten digits.")
    options.add_argument("--epochs", type=int, default=60)
    options.add_argument("--out", type=Path, default=Path("samples/output"), help="the folder for the picture")
    arguments = options.parse_args()

    images = (load_digits().data / 16.0).astype(np.float32)
    key, of_encoder, of_decoder = random.split(random.key(0), 3)
    model = Autoencoder(
        encoder=nn.MLP.create(of_encoder, (64, 128, 4), activation=np.tanh),
        decoder=nn.MLP.create(of_decoder, (2, 128, 64), activation=np.tanh),
    )
    state, rng, started = optimizer.init(model), np.random.default_rng(0), time.perf_counter()
    for epoch in range(1, arguments.epochs + 1):
        order, total = rng.permutation(len(images)), 0.0
        for first in range(0, len(order) - BATCH + 1, BATCH):
            model, state, key, value = step(model, state, key, images[order[first : first + BATCH]])
            total += float(value)
        if epoch % max(arguments.epochs // 10, 1) == 0:
            mean, passed = total / (len(order) // BATCH), time.perf_counter() - started
            print(f"epoch {epoch:3d} of {arguments.epochs}   loss {mean:.3f}   {passed:5.1f} s", flush=True)
    print(f"picture saved in {save_picture(model, arguments.out)}")


if __name__ == "__main__":
    main()
