"""See the derivative of a loss: nothing is saved, no broadcast is undone, and it reads like code written by hand.

The data are drawn from a known line, and gradient descent finds it again.
"""

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


if __name__ == "__main__":
    main()
