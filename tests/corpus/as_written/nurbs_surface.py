"""NURBS curves and surfaces: Cox-de Boor recursion, derivatives, knot insertion, arc length, closest point by Newton.

Piegl & Tiller, "The NURBS Book".
"""
import bisect
import math
from functools import partial

import numpy as np

GAUSS = [(-0.7745966692414834, 5 / 9), (0.0, 8 / 9), (0.7745966692414834, 5 / 9)]


def open_uniform(n, degree):
    """Knots clamped at both ends."""
    if n <= degree:
        raise ValueError(f"degree {degree} needs more than {n} control points")
    inner = [i / (n - degree) for i in range(1, n - degree)]
    return [0.0] * (degree + 1) + inner + [1.0] * (degree + 1)


def basis(i, p, u, knots):
    """Cox-de Boor; 0/0 is 0, and the last interval is closed."""
    if p == 0:
        if knots[i] <= u < knots[i + 1]:
            return 1.0
        return 1.0 if u == knots[-1] and knots[i] < u == knots[i + 1] else 0.0
    value = 0.0
    left = knots[i + p] - knots[i]
    if left > 0:
        value += (u - knots[i]) / left * basis(i, p - 1, u, knots)
    right = knots[i + p + 1] - knots[i + 1]
    if right > 0:
        value += (knots[i + p + 1] - u) / right * basis(i + 1, p - 1, u, knots)
    return value


def find_span(u, degree, knots):
    if u >= knots[-degree - 1]:
        return len(knots) - degree - 2
    return bisect.bisect_right(knots, u) - 1


class Nurbs:
    def __init__(self, points, weights=None, degree=3, knots=None):
        self.points = np.asarray(points, dtype=float)
        self.weights = np.ones(len(points)) if weights is None else np.asarray(weights)
        if np.any(self.weights <= 0):
            raise ValueError("weights must be positive")
        self.degree = degree
        self.knots = knots or open_uniform(len(points), degree)

    def homogeneous(self):
        return np.column_stack([self.points * self.weights[:, None], self.weights])

    def __call__(self, u):
        """De Boor's algorithm in homogeneous coordinates."""
        p, U = self.degree, self.knots
        k = find_span(u, p, U)
        d = [self.homogeneous()[j] for j in range(k - p, k + 1)]
        for r in range(1, p + 1):
            for j in range(p, r - 1, -1):
                a = (u - U[j + k - p]) / (U[j + 1 + k - r] - U[j + k - p])
                d[j] = (1.0 - a) * d[j - 1] + a * d[j]
        *xyz, w = d[p]
        return np.array(xyz) / w

    def tangent(self, u, h=1e-5):
        lo, hi = max(u - h, 0.0), min(u + h, 1.0)
        return (self(hi) - self(lo)) / (hi - lo)

    def insert(self, u):
        """Boehm: one more control point, the same curve."""
        p, U = self.degree, self.knots
        k = find_span(u, p, U)
        Q = self.homogeneous()
        new = []
        for i in range(len(Q) + 1):
            if i <= k - p:
                new.append(Q[i])
            elif i > k:
                new.append(Q[i - 1])
            else:
                a = (u - U[i]) / (U[i + p] - U[i])
                new.append(a * Q[i] + (1 - a) * Q[i - 1])
        new = np.array(new)
        return Nurbs(new[:, :-1] / new[:, -1:], new[:, -1], p, U[:k + 1] + [u] + U[k + 1:])


def arc_length(curve, pieces=8):
    total = 0.0
    for i in range(pieces):
        a, b = i / pieces, (i + 1) / pieces
        for x, w in GAUSS:
            u = (a + b) / 2 + (b - a) / 2 * x
            total += w * (b - a) / 2 * np.linalg.norm(curve.tangent(u))
    return total


def closest(curve, target, samples=10, tol=1e-12):
    distance = lambda u: np.sum((curve(u) - target) ** 2)
    u = min((i / samples for i in range(samples + 1)), key=distance)
    step = 0.5 / samples
    while step > tol ** 0.5:
        moved = False
        for trial in (u - step, u + step):
            if 0.0 <= trial <= 1.0 and distance(trial) < distance(u):
                u, moved = trial, True
        if not moved:
            step /= 2
    return u, math.sqrt(distance(u))


def surface_point(grid, u, v, degree=2):
    rows, columns = len(grid), len(grid[0])
    U, V = open_uniform(rows, degree), open_uniform(columns, degree)
    N = partial(basis, p=degree, u=u, knots=U)
    M = partial(basis, p=degree, u=v, knots=V)
    return sum(N(i) * M(j) * grid[i][j] for i in range(rows) for j in range(columns))


def survey(points, weights, target, u0=0.35):
    """Polyline, length, parameter and distance of the closest point, error of knot insertion, centre of a surface."""
    curve = Nurbs(points, weights)
    line = np.array([curve(u) for u in np.linspace(0.0, 1.0, 7)])
    u, gap = closest(curve, target)
    finer = curve.insert(u0)
    error = max(float(np.abs(finer(t) - curve(t)).max()) for t in (0.1, u0, 0.8, 1.0))
    partition = sum(basis(i, 3, u0, curve.knots) for i in range(len(points)))
    grid = [[a + b for b in points[:3]] for a in points[:4]]
    return line, arc_length(curve), u, gap, error < 1e-12, partition, surface_point(grid, 0.4, 0.7)


ENTRY = "survey"


def make_arguments(rng, n):
    points = np.cumsum(rng.uniform(0.2, 1.0, size=(n + 2, 3)), axis=0)
    return points, rng.uniform(0.5, 2.0, size=n + 2), points[2] + 0.3


GRADIENT = ("points", "weights")
ERRORS = [(lambda rng, n: (np.ones((3, 3)), np.ones(3), np.zeros(3)), ValueError),
          (lambda rng, n: (np.ones((5, 3)), np.zeros(5), np.zeros(3)), ValueError)]
