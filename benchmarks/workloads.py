"""What is measured: functions in plain NumPy, their arguments, how the peers take them, and the bar each is held to.

Every function is what a user would write.  Numba compiles it as it stands where it can; JAX gets it with `np` exchanged
for `jax.numpy` where it is functional, a version in its own words where it is not (`peers.py`), or takes no part.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import examples
import masks
import numpy as np
import objectives
import random_numbers
import sparse_derivatives
from workload import COPY, Bar, Workload

# --- elementwise ---------------------------------------------------------------------------------------------------


def polynomial(x):
    return x + x * x + x * x * x


def sine_rounds(x):
    for _ in range(10):
        x = 0.5 * x + 0.1 * np.sin(x)
    return x


def exp_rounds(x):
    for _ in range(10):
        x = 0.5 * x + 0.1 * np.exp(x)
    return x


def log_rounds(x):
    for _ in range(10):
        x = 0.5 * x + 0.1 * np.log(x)
    return x


def tanh_rounds(x):
    for _ in range(10):
        x = 0.5 * x + 0.1 * np.tanh(x)
    return x


def selu(x, alpha=1.6732632, scale=1.0507009):
    return scale * np.where(x > 0.0, x, alpha * np.exp(x) - alpha)


# --- reductions ----------------------------------------------------------------------------------------------------


def row_sums(x):
    return np.sum(x, axis=-1)


def row_means(x):
    return np.mean(x, axis=-1)


def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def total(x):
    return np.sum(x)


def product(x):
    return x @ x


# --- loops ---------------------------------------------------------------------------------------------------------


def jacobi(u, steps):
    """Heat on a plate whose edges are held: every step on a local copy."""
    u = u.copy()
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u = v
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


def floyd_warshall(distances):
    """The lengths of the shortest ways between all pairs of places."""
    d = distances.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return d


def lu(matrix):
    """Both triangles of the decomposition without pivots, in one matrix."""
    a = matrix.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def mandelbrot(side, limit):
    """How many steps each point of a square takes to leave the disc of radius 2."""
    counts = np.zeros((side, side), np.int64)
    for i in range(side):
        for j in range(side):
            x0 = -2.0 + 2.5 * j / side
            y0 = -1.25 + 2.5 * i / side
            x = 0.0
            y = 0.0
            count = 0
            while count < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                count += 1
            counts[i, j] = count
    return counts


# --- learning ------------------------------------------------------------------------------------------------------


class Layer(NamedTuple):
    """An affine map: weights (inputs, outputs) and bias (outputs,)."""

    weights: Any
    bias: Any


def digits_loss(layers, images, targets):
    """Cross-entropy of a network of two layers, and a penalty on its weights."""
    hidden, output = layers
    scores = np.tanh(images @ hidden.weights + hidden.bias) @ output.weights + output.bias
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    fit = np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(targets * shifted, axis=1))
    return fit + 1e-4 * (np.sum(hidden.weights**2) + np.sum(output.weights**2))


def digits_slope(layers, images, targets):
    """The loss and its derivative by the layers, worked out on paper."""
    hidden, output = layers
    raised = np.tanh(images @ hidden.weights + hidden.bias)
    scores = raised @ output.weights + output.bias
    apart = (softmax(scores) - targets) / images.shape[0]
    before = (apart @ output.weights.T) * (1.0 - raised * raised)
    slopes = (
        Layer(images.T @ before + 2e-4 * hidden.weights, np.sum(before, axis=0)),
        Layer(raised.T @ apart + 2e-4 * output.weights, np.sum(apart, axis=0)),
    )
    return digits_loss(layers, images, targets), slopes


# --- small calls ---------------------------------------------------------------------------------------------------


def scalar(x, y):
    return x * y + 1.0


def small_arrays(a, b, c):
    return a * b + c


def kepler(mean_anomaly, eccentricity):
    """Kepler's equation by Newton's method."""
    e = mean_anomaly
    delta = 1.0
    while abs(delta) > 1e-13:
        delta = (e - eccentricity * math.sin(e) - mean_anomaly) / (1.0 - eccentricity * math.cos(e))
        e = e - delta
    return e


# --- arguments -----------------------------------------------------------------------------------------------------


def normal(*shape, dtype=np.float64):
    return lambda rng: (rng.standard_normal(shape).astype(dtype),)


def between(low, high, *shape, dtype=np.float64):
    return lambda rng: (rng.uniform(low, high, shape).astype(dtype),)


def lattice(rng, side=8, count=500):
    """Particles near the points of a cube, so that none come too close."""
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)[:count]
    return (grid * 1.1 + 0.05 * rng.standard_normal(grid.shape),)


def well_conditioned(rng, n=300):
    return (rng.standard_normal((n, n)) + n * np.eye(n),)


def batch_of_digits(rng, hidden=64, batch=256):
    images, labels = rng.random((batch, 64)), rng.integers(0, 10, batch)
    layers = (
        Layer(0.1 * rng.standard_normal((64, hidden)), np.zeros(hidden)),
        Layer(0.1 * rng.standard_normal((hidden, 10)), np.zeros(10)),
    )
    return layers, images, np.eye(10)[labels]


def twice(x):
    """Reads it, and writes as much."""
    return 2 * x.nbytes


def once(x):
    return x.nbytes


FLOAT32, FLOAT64 = np.float32, np.float64
NUMPY_JAX, NUMBA_JAX = ("numpy", "jax"), ("numba", "jax")


def reduction_rows():
    rows = []
    for name, function, moves in (("sum", row_sums, once), ("mean", row_means, once), ("softmax", softmax, twice)):
        for dtype in (FLOAT32, FLOAT64):
            title = f"{name} over rows, {np.dtype(dtype).name} 2000 x 2000"
            arguments = normal(2000, 2000, dtype=dtype)
            rows.append(Workload(title, function, arguments, numba=False, moves=moves, bars=(Bar(0.9, NUMPY_JAX),)))
    return rows


def objective_rows():
    """The value of each objective of ADBench, and its gradient by all of its parameters."""
    rows = []
    for title, name, function, arguments, bar in objectives.ROWS:
        _, _, argnums = objectives.adbench.OBJECTIVES[title.split(",")[0]]
        rows.append(Workload(title, function, arguments, numba=False, jax=name))
        rows.append(Workload(f"gradient of {title}", function, arguments, transform="grad", argnums=argnums,
                             by_hand=None, numba=False, jax=name, bars=(Bar(bar, ("jax",)),)))  # fmt: skip
    return rows


def sparse_rows():
    """Derivatives of few elements, as arrays of scipy.sparse."""
    return (
        Workload("sparse Hessian of Rosenbrock's function, n = 1000", sparse_derivatives.rosenbrock,
                 sparse_derivatives.a_point, transform="sparse_hessian", by_hand=None, numba=False,
                 bars=(Bar(0.05, ("jax",)),)),
        Workload("sparse Jacobian of bundle adjustment, 31 843 observations", sparse_derivatives.bundle_residuals,
                 objectives.adbench.bundle_arguments, transform="sparse_jacobian", argnums=(0, 1, 2), by_hand=None,
                 numba=False, jax="bundle_blocks", bars=(Bar(0.3, ("jax",)),)),
    )  # fmt: skip


def random_rows():
    """Random numbers by a key, and by a generator that is begun by a seed."""
    jax = {"by_hand": None, "numba": False, "bars": (Bar(0.5, ("jax",)),)}
    key, drawn = random_numbers.a_key, random_numbers
    return (
        Workload("uniform of 10 million float32", drawn.uniform, key, jax="uniform by a key", **jax),
        Workload("normal of 10 million float32", drawn.normal, key, jax="normal by a key", **jax),
        Workload("split of a key into a million", drawn.split, key, jax="split of a key", **jax),
        Workload("default_rng(seed).normal of 10 million", drawn.normal_by_generator, lambda rng: (7,), numba=False,
                 jax=False, bars=(Bar(0.8, ("numpy",)),)),
    )  # fmt: skip


def masked_rows():
    """Selection by masks, and what goes with it."""
    peers = {"jax": False, "bars": (Bar(1.1, ("numpy", "numba")),)}
    return (
        Workload("x[x > 0], a million", masks.select, masks.numbers, **peers),
        Workload("nonzero of a million bools", masks.places, masks.truths, **peers),
        Workload("x[x > 0].mean(), a million", masks.masked_mean, masks.numbers, **peers),
        Workload("means over rings by masks, 400 000", masks.azimint, masks.rings, **peers),
        Workload("histogram of a million in 100 bins", masks.histogram, masks.numbers, **peers),
        Workload("pad by reflection, 1000 x 1000", masks.reflected, masks.picture, numba=False, jax=False,
                 bars=(Bar(1.1, ("numpy",)),)),
        Workload("crc16 of 16 000 bytes", masks.crc16, masks.message, by_hand=None, **peers),
    )  # fmt: skip


def mapped_rows():
    """Functions of one example, mapped over many."""

    def row(title, function, arguments, in_axes, bars, **more):
        return Workload(f"vmap: {title}", function, arguments, in_axes=in_axes, bars=bars, **{"by_hand": None, **more})

    jax = (Bar(0.4, ("jax",)),)
    product = (Bar(1.05, ("numpy",)), Bar(0.7, ("jax",)))
    lanes = (Bar(0.3, ("jax",)), Bar(0.5, ("numba",)))
    return (
        row("matrix-vector, 1000 x 1000, 256 examples", examples.matrix_vector, examples.a_matrix_and_vectors,
            examples.SHARED_MATRIX, product, by_hand=lambda w, x: x @ w.T, numba=False),
        row("two-layer network, 256 digits", examples.network_loss, examples.a_network_and_digits, examples.NETWORK,
            (Bar(0.7, ("jax",)),), numba=False),
        row("its gradient at each digit", examples.network_loss, examples.a_network_and_digits, examples.NETWORK,
            (Bar(0.7, ("jax",)),), numba=False, transform="grad"),
        row("Thomas solve, n = 200, 10000 systems", examples.thomas, examples.systems, examples.SYSTEMS, jax,
            numba=False, jax="thomas"),
        row("Kalman filter, 4 x 4, 1000 steps, 64 series", examples.kalman, examples.series, examples.SERIES, jax,
            numba=False, jax="kalman"),
        row("Newton's while, 10000 numbers", examples.newton, examples.numbers, (0,), lanes, numba="newton",
            jax="newton"),
        row("Mandelbrot per point, 160000 points", examples.escape, examples.points, (0, 0), lanes, numba="escape",
            jax="escape"),
        row("adaptive Runge-Kutta, 10000 initial values", examples.oscillator, examples.starts, (0, 0), lanes,
            numba="oscillator", jax="oscillator"),
    )  # fmt: skip


WORKLOADS = (
    Workload("x + x*x + x*x*x, float32 10000 x 10000", polynomial, normal(10000, 10000, dtype=FLOAT32), moves=twice,
             bars=(Bar(0.45, ("jax",)), Bar(1.25, (COPY,)))),
    Workload("ten rounds of sin, float32 1000 x 1000", sine_rounds, normal(1000, 1000, dtype=FLOAT32), moves=twice,
             bars=(Bar(0.25, ("jax",)),)),
    Workload("ten rounds of exp, float64 1000 x 1000", exp_rounds, between(0.0, 1.0, 1000, 1000), moves=twice,
             bars=(Bar(0.6, ("jax",)),)),
    Workload("ten rounds of log, float64 1000 x 1000", log_rounds, between(2000.0, 4000.0, 1000, 1000), moves=twice,
             bars=(Bar(0.6, ("jax",)),)),
    Workload("ten rounds of tanh, float64 1000 x 1000", tanh_rounds, normal(1000, 1000), moves=twice,
             bars=(Bar(0.6, ("jax",)),)),
    Workload("selu, 4 million float32", selu, normal(4_000_000, dtype=FLOAT32), moves=twice,
             bars=(Bar(0.9, ("jax",)),)),
    *reduction_rows(),
    Workload("sum of all, float64 1000000", total, normal(1_000_000), moves=once),
    Workload("x @ x, float32 2000 x 2000", product, normal(2000, 2000, dtype=FLOAT32), flops=(2 * 2000.0**3, "f32"),
             bars=(Bar(1.05, ("numpy",)),)),
    Workload("Jacobi on local copies, 250 x 250, 100 steps", jacobi, lambda rng: (rng.random((250, 250)), 100),
             jax="jacobi", bars=(Bar(0.8, NUMBA_JAX),)),
    Workload("Lennard-Jones energy, 500 particles", lennard_jones, lattice, by_hand=lennard_jones_arrays, jax=False,
             bars=(Bar(1.0, ("numba",)),)),
    Workload("Lennard-Jones gradient, 500 particles", lennard_jones, lattice, transform="grad",
             by_hand=lennard_jones_slope, numba=False, jax=False,
             bars=(Bar(3.5, ("Lennard-Jones energy, 500 particles",)),)),
    Workload("Floyd-Warshall, 256 places", floyd_warshall, between(0.0, 1.0, 256, 256), by_hand=None, jax=False,
             bars=(Bar(1.0, ("numba",)),)),
    Workload("LU by loops, 300 x 300", lu, well_conditioned, by_hand=None, jax=False, bars=(Bar(1.0, ("numba",)),)),
    Workload("Mandelbrot, 400 x 400, 200 steps", mandelbrot, lambda rng: (400, 200), by_hand=None, jax=False,
             bars=(Bar(1.0, ("numba",)),)),
    Workload("digits network, value_and_grad, batch 256", digits_loss, batch_of_digits, transform="value_and_grad",
             by_hand=digits_slope, numba=False, bars=(Bar(0.9, ("jax",)),)),
    *objective_rows(),
    *sparse_rows(),
    *mapped_rows(),
    *masked_rows(),
    *random_rows(),
    Workload("Kepler's equation, one call", kepler, lambda rng: (1.2, 0.6), jax=False),
    Workload("a call with two floats", scalar, lambda rng: (1.5, 2.5), bars=(Bar(0.4e-6),)),
    Workload("a call with three arrays of 4", small_arrays, lambda rng: tuple(rng.random((3, 4))), bars=(Bar(1e-6),)),
)  # fmt: skip
