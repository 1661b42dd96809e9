"""Nelder and Mead's minimum without slopes: a simplex that is reflected, expanded, contracted and shrunk.

    the worst of n + 1 points is replaced by one on the other side of the mean of the rest, or else all move to the best
"""

import numpy as np

from ..lax import stop_gradient
from .results import result


def ordered(points, values):
    order = np.argsort(values, kind="stable")
    return points[order], values[order]


def by_simplex(f, x, tol, chosen):
    n = len(x)
    near, level = chosen.get("xatol", 1e-4 if tol is None else tol), chosen.get("fatol", 1e-4 if tol is None else tol)
    most = chosen.get("maxiter", 200 * n)
    points, values = np.zeros((n + 1, n)), np.zeros(n + 1)
    for k in range(n + 1):
        points[k] = x
        if k > 0:
            points[k, k - 1] = 1.05 * x[k - 1] if x[k - 1] != 0.0 else 0.00025
        values[k] = stop_gradient(f(points[k]))
    points, values = ordered(points, values)
    steps, calls = 0, n + 1
    is_over = False
    while not is_over and steps < most and calls < 200 * n:
        is_over = np.max(np.abs(points[1:] - points[0])) <= near and np.max(np.abs(values[0] - values[1:])) <= level
        if not is_over:
            steps += 1
            mean, worst = np.sum(points[:-1], axis=0) / n, points[n]
            point = 2.0 * mean - worst
            value = stop_gradient(f(point))
            calls += 1
            is_taken = True
            if value < values[0] or value >= values[n - 1]:
                if value < values[0]:
                    second, limit = 3.0 * mean - 2.0 * worst, value
                elif value < values[n]:
                    second, limit = 1.5 * mean - 0.5 * worst, value
                else:
                    second, limit = 0.5 * mean + 0.5 * worst, values[n]
                value_2 = stop_gradient(f(second))
                calls += 1
                is_better = value_2 < limit or value_2 == limit and value >= values[n - 1] and value < values[n]
                is_taken = is_better or value < values[0]
                if is_better:
                    point, value = second, value_2
            if is_taken:
                points[n] = point
                values[n] = value
            else:
                for k in range(1, n + 1):
                    points[k] = points[0] + 0.5 * (points[k] - points[0])
                    values[k] = stop_gradient(f(points[k]))
                calls += n
            points, values = ordered(points, values)
    return result(f, points[0], None, steps, calls, 0 if is_over else 1, None)
