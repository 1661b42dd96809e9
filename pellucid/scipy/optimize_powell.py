"""Powell's minimum without slopes: along n directions in turn, of which the last sum of steps replaces the best.

    for d in directions: x = x + a d, where f is least;  then d = x - (x before)

Source: M. J. D. Powell, An Efficient Method for Finding the Minimum of a Function of Several Variables Without
Calculating Derivatives (1964), Computer Journal 7.
"""

import numpy as np

from ..lax import stop_gradient
from .optimize_scalar import narrowed, surrounded
from .results import result


def by_directions(f, x, tol, chosen):
    n = len(x)
    near, level = chosen.get("xtol", 1e-4 if tol is None else tol), chosen.get("ftol", 1e-4 if tol is None else tol)
    most, most_calls = chosen.get("maxiter", 1000 * n), chosen.get("maxfev", 1000 * n)
    directions, value = np.eye(n), stop_gradient(f(x)) * 1.0
    x_before, value_before, largest, best = x, value, np.float64(0.0), 0
    steps, calls, place, status = 0, 1, 0, -1
    while status == -1:
        is_searched, direction = True, directions[place % n] * 1.0
        if place == n:
            steps += 1
            if 2.0 * (value_before - value) <= level * (abs(value_before) + abs(value)) + 1e-20:
                status = 0
            elif steps >= most or calls >= most_calls:
                status = 1
            direction = x - x_before
            is_searched = False
            if status == -1:
                x_before = x
                beyond = stop_gradient(f(x + direction)) * 1.0
                calls += 1
                if value_before > beyond:
                    bend = 2.0 * (value_before + beyond - 2.0 * value) * (value_before - value - largest) ** 2
                    is_searched = bend < largest * (value_before - beyond) ** 2
        start = value
        if is_searched and np.any(direction != 0.0):
            of_one = lambda a, x=x, d=direction: f(x + a * d)  # noqa: E731
            a, b, c, low, more = surrounded(of_one, np.float64(0.0), np.float64(1.0))
            share, further, _, _ = narrowed(of_one, min(a, c), max(a, c), b, low, near * 100.0, 1e-11, 500)
            direction = share * direction
            x = x + direction
            value = stop_gradient(f(x)) * 1.0
            calls += more + further
            if place == n:
                directions[best] = directions[n - 1]
                directions[n - 1] = direction
        if place < n and start - value > largest:
            largest, best = start - value, place
        place += 1
        if place > n:
            place, largest, best, value_before = 0, np.float64(0.0), 0, value
    return result(f, x, None, steps, calls, status, None)
