"""Logistic regression, and its derivative to read
===============================================

In the derivative of the loss nothing is saved, no broadcast is undone, and it reads like code written by hand. The data
are drawn from a known line, and gradient descent finds it again.

``python samples/logistic.py [--picture FILE]``
"""

import sys

import numpy as np

from pellucid import grad, value_and_grad


def logistic_loss(w, b, features, labels):
    z = features @ w + b
    return np.mean(np.logaddexp(0.0, z) - labels * z) + 0.01 * np.sum(w**2)


def main():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(400, 3))
    labels = (features @ np.array([2.0, -1.0, 0.5]) + 0.3 > rng.logistic(size=400)).astype(np.float64)

    print(grad(logistic_loss, argnums=(0, 1)).source("reverse", np.zeros(3), 0.0, features, labels))

    step = value_and_grad(logistic_loss, argnums=(0, 1))
    w, b = np.zeros(3), 0.0
    for iteration in range(201):
        loss, (w_bar, b_bar) = step(w, b, features, labels)
        if iteration % 40 == 0:
            print(f"iteration {iteration:3d}   loss {float(loss):.6f}   largest slope {np.max(np.abs(w_bar)):.1e}")
        w, b = w - 1.0 * np.asarray(w_bar), b - 1.0 * float(b_bar)
    print(f"w = {np.round(w, 3)}, b = {b:.3f}")


def picture():
    """Observations of two features, and the line that separates them best."""
    from matplotlib import pyplot

    rng = np.random.default_rng(4)
    features = rng.normal(size=(300, 2))
    labels = (features @ np.array([2.0, -1.0]) + 0.5 > rng.logistic(size=300)).astype(np.float64)
    slope = grad(logistic_loss, argnums=(0, 1))
    w, b = np.zeros(2), 0.0
    for _ in range(200):
        w_bar, b_bar = slope(w, b, features, labels)
        w, b = w - np.asarray(w_bar), b - float(b_bar)

    figure, axes = pyplot.subplots(figsize=(5.2, 4.0), layout="constrained")
    axes.scatter(features[:, 0], features[:, 1], c=labels, cmap="coolwarm", s=12)
    axes.axline((0.0, -b / w[1]), slope=-w[0] / w[1], color="black")
    axes.set(xlabel="first feature", ylabel="second feature", xlim=(-3.0, 3.0), ylim=(-3.0, 3.0))
    return figure


if __name__ == "__main__":
    main()
    if sys.argv[1:2] == ["--picture"]:
        picture().savefig(sys.argv[2], dpi=120)
