"""The twelve programs that a GPU is measured with: each as its user writes it, its twin over arrays, and its arguments.

The twin takes NumPy, CuPy or jax.numpy as `xp`: NumPy's says what is right, the others are peers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


# --- as users write them -------------------------------------------------------------------------------------------


def poly(x):
    return x + x**2 + x**3


def black_scholes(spot, strike, years, rate, volatility):
    value = np.empty(spot.shape[0])
    for i in range(spot.shape[0]):
        spread = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread
        d2 = d1 - spread
        likely = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        paid = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        value[i] = spot[i] * likely - strike[i] * math.exp(-rate * years[i]) * paid
    return value


def cross_entropy(logits, labels):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    logp = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(labels * logp, axis=1))


def network(w1, b1, w2, b2, x, y):
    hidden = np.tanh(x @ w1 + b1)
    return np.mean((hidden @ w2 + b2 - y) ** 2)


def jacobi(a, steps):
    u = a.copy()
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1])
        u = v
    return u


def mandelbrot(re, im, limit):
    turns = np.empty(re.shape[0], dtype=np.int64)
    for i in range(re.shape[0]):
        x, y, k = 0.0, 0.0, 0
        while x * x + y * y <= 4.0 and k < limit:
            x, y = x * x - y * y + re[i], 2.0 * x * y + im[i]
            k += 1
        turns[i] = k
    return turns


def newton(mean, eccentricity):
    """Kepler's equation, E - e sin E = M, point by point."""
    found = np.empty(mean.shape[0])
    for i in range(mean.shape[0]):
        anomaly, change, turns = mean[i], 1.0, 0
        while abs(change) > 1e-12 and turns < 50:
            change = (anomaly - eccentricity * math.sin(anomaly) - mean[i]) / (1.0 - eccentricity * math.cos(anomaly))
            anomaly = anomaly - change
            turns += 1
        found[i] = anomaly
    return found


def columns(x):
    return x.mean(axis=0), x.std(axis=0)


def distances(points):
    return np.sqrt(np.sum((points[:, None, :] - points[None, :, :]) ** 2, axis=2))


def histogram(places, weights, bins):
    out = np.zeros(bins)
    for i in range(places.shape[0]):
        out[places[i]] += weights[i]
    return out


def scan(x):
    return np.cumsum(x)


def bodies(points, mass):
    pull = np.zeros(points.shape)
    for i in range(points.shape[0]):
        ax, ay, az = 0.0, 0.0, 0.0
        for j in range(points.shape[0]):
            dx = points[j, 0] - points[i, 0]
            dy = points[j, 1] - points[i, 1]
            dz = points[j, 2] - points[i, 2]
            square = dx * dx + dy * dy + dz * dz + 1e-3
            weight = mass[j] / (square * math.sqrt(square))
            ax += dx * weight
            ay += dy * weight
            az += dz * weight
        pull[i, 0] = ax
        pull[i, 1] = ay
        pull[i, 2] = az
    return pull


# --- numbers, for gradients ------------------------------------------------------------------------------------------


def poly_total(x):
    return np.sum(poly(x))


def black_scholes_total(spot, strike, years, rate, volatility):
    return np.sum(black_scholes(spot, strike, years, rate, volatility))


def histogram_squares(places, weights, bins):
    return np.sum(histogram(places, weights, bins) ** 2)


def scan_squares(x):
    return np.sum(scan(x) ** 2)


def columns_total(x):
    mean, spread = columns(x)
    return np.sum(mean * spread)


# --- over arrays -----------------------------------------------------------------------------------------------------


def erf_of(xp: Any) -> Callable[[Any], Any]:
    if xp.__name__ == "numpy":
        return np.vectorize(math.erf, otypes=[np.float64])
    if xp.__name__ == "cupy":
        from cupyx.scipy.special import erf
    else:
        from jax.scipy.special import erf
    found: Callable[[Any], Any] = erf
    return found


def black_scholes_twin(xp: Any) -> Callable[..., Any]:
    erf = erf_of(xp)

    def black_scholes(spot, strike, years, rate, volatility):
        spread = volatility * xp.sqrt(years)
        d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
        likely = 0.5 * (1.0 + erf(d1 / math.sqrt(2.0)))
        paid = 0.5 * (1.0 + erf((d1 - spread) / math.sqrt(2.0)))
        return spot * likely - strike * xp.exp(-rate * years) * paid

    return black_scholes


def mandelbrot_twin(xp: Any) -> Callable[..., Any]:
    def mandelbrot(re, im, limit):
        x, y, turns = xp.zeros_like(re), xp.zeros_like(im), xp.zeros(re.shape, xp.int64)
        for _ in range(limit):
            inside = x * x + y * y <= 4.0
            turns += inside
            # what has left stays where it is, so that nothing overflows
            x, y = xp.where(inside, x * x - y * y + re, x), xp.where(inside, 2.0 * x * y + im, y)
        return turns

    return mandelbrot


def newton_twin(xp: Any) -> Callable[..., Any]:
    def newton(mean, eccentricity):
        anomaly = mean.copy()
        for _ in range(50):
            step = (anomaly - eccentricity * xp.sin(anomaly) - mean) / (1.0 - eccentricity * xp.cos(anomaly))
            anomaly = anomaly - step
            if not bool(xp.any(xp.abs(step) > 1e-12)):
                break
        return anomaly

    return newton


def histogram_twin(xp: Any) -> Callable[..., Any]:
    def histogram(places, weights, bins):
        out = xp.zeros(bins)
        xp.add.at(out, places, weights)
        return out

    return histogram


def bodies_twin(xp: Any) -> Callable[..., Any]:
    def bodies(points, mass):
        apart = points[None, :, :] - points[:, None, :]
        square = xp.sum(apart * apart, axis=2) + 1e-3
        weight = mass[None, :] / (square * xp.sqrt(square))
        return xp.sum(apart * weight[:, :, None], axis=1)

    return bodies


# --- the table -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Program:
    """A program: with what it is called, and what else says or does the same.

    make      size, random numbers  ->  arguments
    twin      over the arrays of a library; None where the program itself is one
    loss      the number that is differentiated, and `slopes` the arguments by which; None: there is no gradient
    large     the size that it is timed with, and `sizes` those that it is held to NumPy with
    whole     arguments that are no arrays, which JAX compiles in
    """

    name: str
    function: Callable[..., Any]
    make: Callable[[Any, np.random.Generator], Arguments]
    large: Any
    sizes: Sequence[Any]
    loss: Callable[..., Any] | None = None
    slopes: tuple[int, ...] = (0,)
    twin: Callable[[Any], Callable[..., Any]] | None = None
    whole: tuple[int, ...] = ()

    @property
    def is_loss(self) -> bool:
        """Whether the program is a number itself, and is timed with its gradient."""
        return self.loss is self.function

    def over(self, xp: Any) -> Callable[..., Any]:
        """The program over the arrays of a library."""
        if self.twin is not None:
            return self.twin(xp)
        function = self.function
        names = {**function.__globals__, "np": xp}
        return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


LENGTHS = (0, 1, 33, 1000, 65_537)
SHAPES = ((1, 1), (33, 40), (1000, 515), (3, 5000), (100_000, 3))


def spots(size: int, random: np.random.Generator) -> Arguments:
    return random.uniform(50, 150, size), random.uniform(50, 150, size), random.uniform(0.1, 2, size), 0.03, 0.25


def logits(shape: tuple[int, int], random: np.random.Generator) -> Arguments:
    labels = random.random(shape)
    return 4.0 * random.random(shape), labels / labels.sum(axis=1, keepdims=True)


def layers(sizes: tuple[int, int, int], random: np.random.Generator) -> Arguments:
    rows, width, out = sizes
    shapes = (width, width), (width,), (width, out), (out,), (rows, width), (rows, out)
    return tuple(random.normal(size=shape) / math.sqrt(max(shape[0], 1)) for shape in shapes)


def weighted(size: int, random: np.random.Generator) -> Arguments:
    return random.integers(0, 1000, size), random.random(size), 1000


PROGRAMS = (
    Program("poly f32", poly, lambda n, r: (r.random(n, dtype=np.float32),), 100_000_000, (*LENGTHS, *SHAPES),
            loss=poly_total),
    Program("Black-Scholes", black_scholes, spots, 20_000_000, LENGTHS, black_scholes_total, (0, 2),
            twin=black_scholes_twin),
    Program("cross-entropy", cross_entropy, logits, (8192, 4096), SHAPES, loss=cross_entropy),
    Program("network", network, layers, (65_536, 256, 16), ((1, 1, 1), (33, 40, 3), (1000, 64, 16)), network,
            (0, 1, 2, 3)),
    Program("Jacobi", jacobi, lambda n, r: (r.random(n), 20), (4096, 4096), ((3, 3), (33, 40), (1000, 515), (3, 5000)),
            whole=(1,)),
    Program("Mandelbrot", mandelbrot, lambda n, r: (r.uniform(-2, 1, n), r.uniform(-1, 1, n), 200), 4_000_000,
            LENGTHS, twin=mandelbrot_twin, whole=(2,)),
    Program("Newton", newton, lambda n, r: (r.uniform(0, 6, n), 0.6), 10_000_000, LENGTHS, twin=newton_twin),
    Program("columns", columns, lambda n, r: (r.random(n),), (100_000, 500), SHAPES[1:], loss=columns_total),
    Program("distances", distances, lambda n, r: (r.random((n, 3)),), 8192, (0, 1, 33, 1000)),
    Program("histogram", histogram, weighted, 10_000_000, LENGTHS, histogram_squares, (1,), twin=histogram_twin,
            whole=(2,)),
    Program("scan", scan, lambda n, r: (r.random(n),), 100_000_000, LENGTHS, loss=scan_squares),
    Program("bodies", bodies, lambda n, r: (r.random((n, 3)), r.random(n)), 8192, (0, 1, 33, 1000), twin=bodies_twin),
)  # fmt: skip
