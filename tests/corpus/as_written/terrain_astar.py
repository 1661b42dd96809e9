"""Path planning on a height map: Perlin noise terrain from given gradients, A* with slope costs.

Perlin, "Improving noise", SIGGRAPH 2002 (fade polynomial); Hart, Nilsson & Raphael (1968).
"""
import heapq
from dataclasses import dataclass, field

import numpy as np

SQRT2 = 2 ** 0.5
MOVES = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def fade(t):
    return t ** 3 * (t * (t * 6 - 15) + 10)


def lerp(a, b, t):
    return a + t * (b - a)


def perlin(gradients, xs, ys):
    """Noise at all (y, x) of the two axes, gradients of shape (gy, gx, 2)."""
    x, y = np.meshgrid(xs, ys)
    x0 = np.floor(x).astype(int)
    y0 = np.floor(y).astype(int)
    fx, fy = x - x0, y - y0

    def corner(dy, dx):
        g = gradients[y0 + dy, x0 + dx]
        return g[..., 0] * (fx - dx) + g[..., 1] * (fy - dy)

    u, v = fade(fx), fade(fy)
    top = lerp(corner(0, 0), corner(0, 1), u)
    bottom = lerp(corner(1, 0), corner(1, 1), u)
    return lerp(top, bottom, v)


def fractal_terrain(gradients, size, octaves, persistence):
    cells = gradients.shape[0] - 1
    height = np.zeros((size, size))
    amplitude = 1.0
    for octave in range(octaves):
        reach = cells / 2 ** (octaves - 1 - octave)
        axis = np.linspace(0.0, reach, size, endpoint=False)
        height += amplitude * perlin(gradients, axis, axis)
        amplitude *= persistence
    return height


@dataclass(order=True)
class Entry:
    priority: float
    order: int
    cell: tuple = field(compare=False)


@dataclass(frozen=True)
class Rover:
    climb_cost: float = 4.0
    descent_cost: float = 1.5
    max_slope: float = 3.0

    def step_cost(self, h0, h1, run):
        """Energy of one move, or None where it is too steep."""
        rise = h1 - h0
        if abs(rise) / run > self.max_slope:
            return None
        factor = self.climb_cost if rise > 0 else self.descent_cost
        return np.sqrt(run ** 2 + rise ** 2) + factor * abs(rise)


def octile(a, b):
    dy, dx = abs(a[0] - b[0]), abs(a[1] - b[1])
    return max(dx, dy) + (SQRT2 - 1) * min(dx, dy)


def neighbours(cell, shape):
    i, j = cell
    for di, dj in MOVES:
        p, q = i + di, j + dj
        if 0 <= p < shape[0] and 0 <= q < shape[1]:
            yield (p, q), (SQRT2 if di and dj else 1.0)


def astar(height, start, goal, rover):
    frontier = [Entry(octile(start, goal), 0, start)]
    g = {start: 0.0}
    came_from = {}
    closed = set()
    counter = 1
    while frontier:
        current = heapq.heappop(frontier).cell
        if current == goal:
            path = [current]
            while current in came_from:
                current = came_from[current]
                path.append(current)
            return g[goal], path[::-1], len(closed)
        if current in closed:
            continue
        closed.add(current)
        for nxt, run in neighbours(current, height.shape):
            if nxt in closed:
                continue
            cost = rover.step_cost(height[current], height[nxt], run)
            if cost is None:
                continue
            candidate = g[current] + cost
            if candidate < g.get(nxt, np.inf):
                g[nxt] = candidate
                came_from[nxt] = current
                heapq.heappush(frontier, Entry(candidate + octile(nxt, goal), counter, nxt))
                counter += 1
    return None


def plan_route(gradients, size, rover, relief=1.0, octaves=2, persistence=0.5):
    """Cheapest corner-to-corner route; energy, cells, elevation profile, total climb."""
    if gradients.ndim != 3 or gradients.shape[2] != 2:
        raise ValueError(f"gradients must be (gy, gx, 2), got {gradients.shape}")
    if size < 2:
        raise ValueError(f"map of size {size}")
    height = relief * fractal_terrain(gradients, size, octaves, persistence)
    found = astar(height, (0, 0), (size - 1, size - 1), rover)
    if found is None:
        raise ValueError("no passable route")
    energy, path, expanded = found
    rows, cols = np.array(path).T
    profile = height[rows, cols]
    rise = np.diff(profile)
    return {
        "energy": energy,
        "path": np.array(path),
        "profile": profile,
        "climb": rise[rise > 0].sum(),
        "descent": -rise[rise < 0].sum(),
        "detour": energy / octile((0, 0), (size - 1, size - 1)),
        "expanded": expanded,
    }


ENTRY = "plan_route"


def make_arguments(rng, n):
    angles = rng.uniform(0, 2 * np.pi, size=(4, 4))
    gradients = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return (gradients, n + 2, Rover(), float(rng.uniform(0.8, 1.6)))


GRADIENT = ("gradients", "rover", "relief")
ERRORS = [
    (lambda rng, n: (rng.standard_normal((4, 4)), n + 2, Rover()), ValueError),
    (lambda rng, n: (rng.standard_normal((4, 4, 2)), n + 3, Rover(max_slope=1e-6)), ValueError),
]
