"""What is measured: functions in plain NumPy, their arguments, and how the peers take them.

Every function is what a user would write.  Numba compiles it as it stands where it can; JAX gets it with `np` exchanged
for `jax.numpy` where it is functional, or not at all.  A derivative of ours is held against JAX's, and where there is
none against one written by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Workload:
    """One row of the table.

    gradient  the derivative by these arguments is measured, not the function
    by_hand   what NumPy runs instead, where the function itself is not what it should be measured with
    numba     the function is within Numba's language
    jax       the function is functional, so that it means the same with jax.numpy
    """

    name: str
    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    gradient: int | tuple[int, ...] | None = None
    by_hand: Callable[..., Any] | None = None
    numba: bool = True
    jax: bool = True


def chain(x, y):
    return np.sqrt(x * x + y * y) * 0.5 + np.abs(x - y) / (1.0 + x * x)


def selu(x, alpha, scale):
    return scale * np.where(x > 0.0, x, alpha * np.exp(x) - alpha)


def total(x):
    return np.sum(x)


def softmax(x):
    shifted = np.exp(x - np.max(x, axis=1, keepdims=True))
    return shifted / np.sum(shifted, axis=1, keepdims=True)


def product(a, b):
    return a @ b


def jacobi(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u


def lennard_jones(positions):
    """Energy of all pairs, in reduced units."""
    n = positions.shape[0]
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = positions[i, 0] - positions[j, 0]
            dy = positions[i, 1] - positions[j, 1]
            dz = positions[i, 2] - positions[j, 2]
            inverse = 1.0 / (dx * dx + dy * dy + dz * dz)
            sixth = inverse * inverse * inverse
            energy += 4.0 * (sixth * sixth - sixth)
    return energy


def lennard_jones_arrays(positions):
    """The same energy as NumPy users write it, with all pairs at once."""
    i, j = np.triu_indices(positions.shape[0], 1)
    sixth = np.sum((positions[i] - positions[j]) ** 2, axis=1) ** -3
    return 4.0 * np.sum(sixth * sixth - sixth)


def lennard_jones_slope(positions):
    """The derivative of the energy, worked out on paper and written with arrays."""
    apart = positions[:, None, :] - positions[None, :, :]
    square = np.sum(apart**2, axis=2)
    np.fill_diagonal(square, 1.0)
    sixth = square**-3
    factor = 4.0 * (-12.0 * sixth * sixth + 6.0 * sixth) / square
    np.fill_diagonal(factor, 0.0)
    return np.sum(factor[:, :, None] * apart, axis=1)


def kepler(mean_anomaly, eccentricity):
    e = mean_anomaly
    delta = 1.0
    while abs(delta) > 1e-13:
        delta = (e - eccentricity * math.sin(e) - mean_anomaly) / (1.0 - eccentricity * math.cos(e))
        e = e - delta
    return e


def digits_loss(w, b, images, targets):
    scores = images @ w + b
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    fit = np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(targets * shifted, axis=1))
    return fit + 1e-4 * np.sum(w**2)


def digits_slope(w, b, images, targets):
    """The derivative of the loss by `w` and `b`, worked out on paper."""
    probabilities = softmax(images @ w + b)
    apart = (probabilities - targets) / images.shape[0]
    return images.T @ apart + 2e-4 * w, np.sum(apart, axis=0)


def lattice(rng, side=5):
    """Particles near the points of a cube, so that none come too close."""
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)
    return grid * 1.1 + 0.05 * rng.standard_normal(grid.shape)


def batch_of_digits(rng):
    images, labels = rng.random((64, 64)), rng.integers(0, 10, 64)
    return 0.1 * rng.standard_normal((64, 10)), np.zeros(10), images, np.eye(10)[labels]


WORKLOADS = (
    Workload("elementwise chain, 10^6", chain, lambda rng: (rng.standard_normal(10**6), rng.standard_normal(10**6))),
    Workload("selu, float32 1000 x 1000", selu,
             lambda rng: (rng.standard_normal((1000, 1000)).astype(np.float32), 1.6732632, 1.0507009)),
    Workload("sum, 10^6", total, lambda rng: (rng.standard_normal(10**6),)),
    Workload("softmax, 1000 x 100", softmax, lambda rng: (rng.standard_normal((1000, 100)),), numba=False),
    Workload("matmul, 300 x 300", product,
             lambda rng: (rng.standard_normal((300, 300)), rng.standard_normal((300, 300)))),
    Workload("jacobi, 200 x 200, 20 steps", jacobi, lambda rng: (rng.standard_normal((200, 200)), 20), jax=False),
    Workload("Lennard-Jones energy, 125 particles", lennard_jones, lambda rng: (lattice(rng),),
             by_hand=lennard_jones_arrays, jax=False),
    Workload("Lennard-Jones gradient, 125 particles", lennard_jones, lambda rng: (lattice(rng),), gradient=0,
             by_hand=lennard_jones_slope, numba=False, jax=False),
    Workload("Kepler's equation", kepler, lambda rng: (1.2, 0.6), jax=False),
    Workload("gradient of a digits step, 64 x 64", digits_loss, batch_of_digits, gradient=(0, 1),
             by_hand=digits_slope, numba=False),
)  # fmt: skip
