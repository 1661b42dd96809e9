"""A neural ordinary differential equation
=======================================

A network says in which direction a point moves, and is trained so that its paths, by Runge and Kutta's method, follow
those of a predator and its prey (Lotka and Volterra). The gradient goes through all steps of the solver.

Source: R. Chen and others, Neural ordinary differential equations (2018), arXiv:1806.07366.

``python samples/neural_ode.py [--steps 1500] [--out FOLDER]``
"""

import argparse
import time
from pathlib import Path

import numpy as np

from pellucid import compile, nn, optim, random, value_and_grad

DT, LENGTH = 0.1, 40


def runge_kutta(slope, start, length):
    """States (length, ..., 2) of dy/dt = slope(y) at multiples of DT, by the method of fourth order."""
    path = np.empty((length, *start.shape), start.dtype)
    y = start
    for k in range(length):
        path[k] = y
        k1 = slope(y)
        k2 = slope(y + 0.5 * DT * k1)
        k3 = slope(y + 0.5 * DT * k2)
        k4 = slope(y + DT * k3)
        y = y + DT / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return path


def predator_and_prey(y):
    prey, predator = y[..., 0], y[..., 1]
    return np.stack([1.1 * prey - 0.8 * prey * predator, 0.6 * prey * predator - 0.9 * predator], axis=-1)


def loss(network, start, paths):
    return np.mean((runge_kutta(network, start, paths.shape[0]) - paths) ** 2)


optimizer = optim.chain(optim.clip_by_global_norm(1.0), optim.adam(optim.cosine_decay_schedule(1e-2, 1500, 0.05)))


@compile
def step(network, state, start, paths):
    value, slopes = value_and_grad(loss)(network, start, paths)
    updates, state = optimizer.update(slopes, state, network)
    return optim.apply_updates(network, updates), state, value


def save_picture(true, found, folder):
    """Paths that the network did not see, and the network's; gives the path of the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.4), layout="constrained")
    for k in range(true.shape[1]):
        axes.plot(true[:, k, 0], true[:, k, 1], color="0.6", linewidth=3, label="true" if k == 0 else None)
        axes.plot(found[:, k, 0], found[:, k, 1], color="C3", linewidth=1, label="network" if k == 0 else None)
    axes.set(xlabel="prey", ylabel="predators")
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "neural_ode.png"
    figure.savefig(path, dpi=120)
    return path


def main():
    options = argparse.ArgumentParser(description="Train a network to be the right side of a differential equation.")
    options.add_argument("--steps", type=int, default=1500)
    options.add_argument("--out", type=Path, default=Path("samples/output"), help="the folder for the picture")
    arguments = options.parse_args()

    key_of_start, key_of_network = random.split(random.key(0))
    start = np.asarray(random.uniform(key_of_start, (32, 2), minval=0.5, maxval=2.5))
    paths = runge_kutta(predator_and_prey, start, LENGTH)
    network = nn.MLP.create(key_of_network, (2, 32, 32, 2), activation=np.tanh, dtype=np.float64)
    state = optimizer.init(network)
    rng, started = np.random.default_rng(0), time.perf_counter()
    for k in range(1, arguments.steps + 1):
        begin = rng.integers(0, LENGTH - 10)  # a piece of each path: long ones are hard to begin with
        network, state, value = step(network, state, paths[begin], paths[begin : begin + 10])
        if k % max(arguments.steps // 10, 1) == 0:
            passed = time.perf_counter() - started
            print(f"step {k:4d} of {arguments.steps}   loss {float(value):.6f}   {passed:5.1f} s", flush=True)
    unseen = np.array([[1.0, 1.0], [2.0, 1.0], [1.5, 2.2]])
    true = runge_kutta(predator_and_prey, unseen, 2 * LENGTH)
    found = np.asarray(compile(runge_kutta)(network, unseen, 2 * LENGTH))
    print(f"paths that it has not seen are met within {np.sqrt(np.mean((found - true) ** 2)):.3f} (root mean square)")
    print(f"picture saved in {save_picture(true, found, arguments.out)}")


if __name__ == "__main__":
    main()
