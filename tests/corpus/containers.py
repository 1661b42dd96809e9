"""Tuples, lists, dicts, records, functions as values, default and keyword arguments."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Line(NamedTuple):
    slope: float
    intercept: float


class Particle(NamedTuple):
    position: np.ndarray
    velocity: np.ndarray
    mass: float


@dataclass(frozen=True)
class Spring:
    stiffness: float
    rest_length: float = 1.0


@dataclass(frozen=True)
class Chain:
    spring: Spring
    particles: tuple


def fit_line(x, y):
    """A NamedTuple as the result."""
    dx = x - np.mean(x)
    slope = np.sum(dx * y) / np.sum(dx * dx)
    return Line(slope=slope, intercept=np.mean(y) - slope * np.mean(x))


def evaluate_line(line, x):
    """A NamedTuple as an argument, by name and by position."""
    slope, intercept = line
    return slope * x + intercept + 0.5 * line.slope + line[1]


def drift(particle, dt):
    """A record in, a record out."""
    position = particle.position + dt * particle.velocity
    return Particle(position, 0.99 * particle.velocity, particle.mass)


def momentum(particles):
    """A tuple of records, visited by a loop that is unrolled."""
    total = np.zeros(3)
    for particle in particles:
        total = total + particle.mass * particle.velocity
    return total


def spring_energy(chain):
    """Nested dataclasses."""
    energy = 0.0
    for first, second in zip(chain.particles[:-1], chain.particles[1:]):
        gap = second.position - first.position
        stretch = math.sqrt(gap @ gap) - chain.spring.rest_length
        energy += 0.5 * chain.spring.stiffness * stretch**2
    return energy


def stiffen(spring, a=2.0):
    """A dataclass as the result, with a default argument."""
    return Spring(spring.stiffness * a, rest_length=spring.rest_length / a)


def update_params(params, rate):
    """A dict of tuples, rebuilt with the same structure."""
    kernel, bias = params["hidden"]
    readout, offset = params["output"]
    shrink = 1.0 - rate
    return {"hidden": (shrink * kernel, bias - rate), "output": (shrink * readout, shrink * offset)}


def apply_layers(x, layers):
    """A list of (matrix, vector) pairs."""
    for i, (matrix, bias) in enumerate(layers):
        x = matrix @ x + bias
        if i < len(layers) - 1:
            x = np.maximum(x, 0.1 * x)
    return x


def split_and_join(x):
    """Tuples of arrays, nested unpacking and swapping."""
    n = len(x)
    (left, right), middle = (x[: n // 2], x[n // 2 :]), n // 2
    left, right = right, left
    return np.concatenate((left, right)), (np.sum(left), np.sum(right) + middle)


def weighted_terms(x, y, z):
    """A static loop over zip of tuples."""
    total = np.zeros(len(x))
    for weight, vector, function in zip((1.0, 0.5, 0.25), (x, y, z), (np.sin, np.cos, np.tanh)):
        total += weight * function(vector)
    return total


def reversed_composition(a):
    """Functions in a tuple, applied from the last to the first."""
    for function in reversed((math.sin, math.exp, math.sqrt)):
        a = function(a)
    return a


def comprehension_of_powers(a):
    """A list comprehension with a condition, summed and stacked."""
    powers = [a**i for i in range(6) if i != 3]
    return sum(powers), np.array(powers)


def dict_comprehension(x):
    """A dict made by a comprehension."""
    moments = {order: np.mean(x**order) for order in (1, 2, 3)}
    return {"mean": moments[1], "spread": moments[2] - moments[1] ** 2, "third": moments[3]}


def items_of_a_dict(x):
    """A static loop over the items of a dict."""
    shares = {"low": 0.2, "middle": 0.5, "high": 0.3}
    total = 0.0
    for place, (name, share) in enumerate(shares.items()):
        total += share * np.sum(x ** (place + 1))
        if name == "high":
            total *= 2.0
    return total


def _power_mean(x, order=2.0, *, shift=0.0):
    return np.mean((x + shift) ** order) ** (1.0 / order)


def keyword_arguments(p):
    """One helper, called in four ways."""
    return _power_mean(p), _power_mean(p, 3.0), _power_mean(p, shift=0.5), _power_mean(shift=1.0, order=1.5, x=p)


def default_arguments(x, a=1.5, mode="square", offset=None):
    """Defaults that are a number, a string and None."""
    if offset is None:
        offset = 0.25
    if mode == "square":
        return a * x * x + offset
    if mode == "cube":
        return a * x**3 + offset
    raise ValueError("mode is 'square' or 'cube'")


def closures(x, a, b):
    """Functions that remember where they were made."""

    def scaled(factor):
        return lambda value: factor * value + b

    twice, thrice = scaled(2.0 * a), scaled(3.0)
    return twice(x) + thrice(twice(x))


def _compose(first, second):
    return lambda value: second(first(value))


def function_arguments(x):
    """Functions passed to and returned from functions."""
    soften = _compose(np.tanh, lambda value: value - 0.5 * value**2)
    return _compose(soften, np.exp)(x)


def minimum_and_place(x):
    """A tuple of a float and an integer."""
    place, smallest = 0, x[0]
    for i in range(1, len(x)):
        if x[i] < smallest:
            place, smallest = i, x[i]
    return smallest, place


def state_machine(x):
    """A tuple carried round a loop."""
    state = (0.0, 1.0, 0)
    for value in x:
        level, gain, count = state
        if value > 0.0:
            state = (level + gain * value, 0.9 * gain, count + 1)
        else:
            state = (0.5 * level, gain + 0.1, count)
    return state[0] + state[1]


def record_in_a_loop(particle, dt, n_steps):
    """A record carried round a loop by a function that gives a new one."""
    for _ in range(n_steps):
        particle = drift(particle, dt)
    return particle


def list_of_results(x, a):
    """A local list of floats that grows by append."""
    partial = []
    for value in x:
        partial.append(a * value + (partial[-1] if len(partial) > 0 else 0.0))
    return partial[0] * partial[-1]


def min_max_of_tuple(a, b, c):
    """Python's reductions over a tuple."""
    values = (a, b * b, c + 0.3)
    return max(values) - min(values) + sum(values) + abs(a - b)


def mixed_leaves(record):
    """A dict with numbers, arrays, flags and text; some of it steers, some of it counts."""
    x = record["x"]
    if record["centred"]:
        x = x - np.mean(x)
    if record["norm"] == "one":
        return {"x": x / np.sum(np.abs(x)), "scale": record["scale"]}
    return {"x": x / np.sqrt(np.sum(x * x)), "scale": 2.0 * record["scale"]}


def _particle(rng):
    return Particle(rng.standard_normal(3), rng.standard_normal(3), float(rng.uniform(0.5, 2.0)))


def _spring(rng):
    return Spring(float(rng.uniform(0.5, 2.0)), float(rng.uniform(0.5, 1.5)))


def _record(rng, n):
    return {"x": rng.standard_normal(n), "scale": float(rng.uniform(0.5, 2.0)), "centred": True, "norm": "two"}


ARGUMENTS = {
    "evaluate_line": lambda rng, n: (Line(*rng.standard_normal(2).tolist()), rng.standard_normal(n)),
    "drift": lambda rng, n: (_particle(rng), 0.1),
    "momentum": lambda rng, n: (tuple(_particle(rng) for _ in range(3)),),
    "spring_energy": lambda rng, n: (Chain(_spring(rng), tuple(_particle(rng) for _ in range(3))),),
    "stiffen": lambda rng, n: (_spring(rng),),
    "apply_layers": lambda rng, n: (
        rng.standard_normal(n),
        [(rng.standard_normal((3, n)), rng.standard_normal(3)), (rng.standard_normal((2, 3)), rng.standard_normal(2))],
    ),
    "record_in_a_loop": lambda rng, n: (_particle(rng), 0.1, 4),
    "mixed_leaves": lambda rng, n: (_record(rng, n),),
}

MIN_SIZE = {"fit_line": 2, "mixed_leaves": 2}

NO_GRADIENT = {"minimum_and_place": "an integer beside the float"}
