"""L-systems: words rewritten by rules and drawn by a turtle with a stack; bounding box, length and fractal dimension.

Prusinkiewicz & Lindenmayer, "The Algorithmic Beauty of Plants" (1990).
"""
import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Plant:
    axiom: str
    rules: dict
    angle: float
    shrink: float = 0.8


def rewrite(word, rules, times):
    for _ in range(times):
        word = "".join(rules.get(symbol, symbol) for symbol in word)
    return word


def draw(word, angle, step, shrink):
    """Segments (x0, y0, x1, y1) of the drawing; brackets push and pop the state."""
    x = y = 0.0
    heading = math.pi / 2
    stack = []
    segments = []
    for symbol in word:
        if symbol == "F":
            nx = x + step * math.cos(heading)
            ny = y + step * math.sin(heading)
            segments.append((x, y, nx, ny))
            x, y = nx, ny
        elif symbol == "+":
            heading += angle
        elif symbol == "-":
            heading -= angle
        elif symbol == "[":
            stack.append((x, y, heading, step))
            step *= shrink
        elif symbol == "]":
            if not stack:
                raise ValueError("a bracket is closed that was not opened")
            x, y, heading, step = stack.pop()
    if stack:
        raise ValueError(f"{len(stack)} brackets are left open")
    return segments


def bounding_box(segments):
    points = np.array(segments).reshape(-1, 2)
    return points.min(axis=0), points.max(axis=0)


def box_count(segments, low, size, cells):
    """How many cells of a grid the drawing visits, by the middle of each segment."""
    visited = set()
    for x0, y0, x1, y1 in segments:
        i = int((0.5 * (x0 + x1) - low[0]) / size * cells)
        j = int((0.5 * (y0 + y1) - low[1]) / size * cells)
        visited.add((i, j))
    return len(visited)


def dimension(segments, low, high):
    """Slope of log N against log of the number of cells."""
    size = max(high[0] - low[0], high[1] - low[1]) + 1e-9
    counts = [(c, box_count(segments, low, size, c)) for c in (2, 4, 8, 16)]
    logs = np.log(np.array(counts, dtype=float))
    return np.polyfit(logs[:, 0], logs[:, 1], 1)[0]


def grow(plant, generations, step=1.0, wind=0.0):
    """Total length and shape of a plant after some generations."""
    if generations < 1:
        raise ValueError("a plant needs at least one generation")
    if set("FX") & set(plant.rules) == set():
        raise KeyError("no rule for a symbol that grows")
    word = rewrite(plant.axiom, plant.rules, generations)
    segments = draw(word, plant.angle + wind, step, plant.shrink)
    low, high = bounding_box(segments)
    length = sum(math.hypot(x1 - x0, y1 - y0) for x0, y0, x1, y1 in segments)
    deepest = depth = 0
    for symbol in word:
        depth += (symbol == "[") - (symbol == "]")
        deepest = max(deepest, depth)
    return {
        "length": length,
        "height": high[1] - low[1],
        "word": len(word),
        "deepest": deepest,
        "branches": word.count("["),
        "dimension": dimension(segments, low, high),
        "first": word[:12],
    }


ENTRY = "grow"


def make_arguments(rng, n):
    plant = Plant("X", {"X": "F[+X][-X]FX", "F": "FF"}, float(rng.uniform(0.3, 0.6)))
    return (plant, 2 + n // 5, 1.0, 0.02)


GRADIENT = ("step", "wind")
ERRORS = [
    (lambda rng, n: (Plant("X", {"X": "F]X"}, 0.4), 2), ValueError),
    (lambda rng, n: (Plant("X", {"X": "FX"}, 0.4), 0), ValueError),
]
