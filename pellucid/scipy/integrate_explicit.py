"""Explicit Runge-Kutta steps with an error estimate: `RK23`, `RK45` and `DOP853`.

    y' = f(t, y)     ->     k1 = f(t, y);  k2 = f(t + c2 h, y + h a21 k1);  ...;  y + h (b1 k1 + b2 k2 + ...)

A step is tried with the size that the errors before it ask for, and again with a smaller one where its error is too
large.  Sizes are chosen without derivatives: what is differentiated is the steps that were taken.

Source: E. Hairer, S. Norsett and G. Wanner, Solving Ordinary Differential Equations I (1993), II.4, II.5, II.6 and
II.10.  The coefficients are those of SciPy's classes.
"""

import numpy as np
from scipy.integrate import DOP853, RK23, RK45

from ..lax import stop_gradient

SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 10.0


def numbers(table):
    """A table as tuples, which functions see as constants."""
    return tuple(map(numbers, table)) if np.ndim(table) else float(table)


def whole(table, width):
    """Rows of a table with zeros after them."""
    return np.concatenate([table, np.zeros((len(table), width - table.shape[1]))], axis=1)


def stages(one):
    """The coefficients of all slopes of a step; those of the last give the state after the step."""
    count = one.n_stages
    return np.concatenate([whole(one.A[:count, :count], count + 1), whole(one.B[None], count + 1)])


TABLEAUS = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}
NODES = {name: numbers(np.append(one.C[: one.n_stages], 1.0)) for name, one in TABLEAUS.items()}
STAGES = {name: numbers(stages(one)) for name, one in TABLEAUS.items()}
ORDERS = {name: one.error_estimator_order for name, one in TABLEAUS.items()}
ERRORS = {"RK23": numbers([RK23.E]), "RK45": numbers([RK45.E]), "DOP853": numbers([DOP853.E5, DOP853.E3])}
DENSE = {"RK23": numbers(RK23.P.T), "RK45": numbers(RK45.P.T), "DOP853": numbers(DOP853.D)}
MORE_NODES, MORE_STAGES = numbers(DOP853.C_EXTRA), numbers(whole(DOP853.A_EXTRA, 16))


def combined(weights, slopes, count):
    """The sum of the first slopes times their weights."""
    total = weights[0] * slopes[0]
    for k in range(1, count):
        total += weights[k] * slopes[k]
    return total


def root_mean_square(x):
    return np.sqrt(np.sum(x * x) / x.size)


def first_slope(f, t, y, t_end, direction, order, rtol, atol, most):
    """(the slope, the size of the first step), of two evaluations."""
    interval = abs(t_end - t)
    scale = atol + np.abs(y) * rtol
    slope, size, when, state = y, np.float64(1e-6), t, y
    curvature, change = np.float64(0.0), np.float64(0.0)
    for k in range(2):
        found = f(when, state)
        if k == 0:
            slope = found
            height, change = root_mean_square(y / scale), root_mean_square(slope / scale)
            if height >= 1e-5 and change >= 1e-5:
                size = 0.01 * height / change
            size = min(size, interval)
            when, state = t + size * direction, y + size * direction * slope
        else:
            curvature = root_mean_square((found - slope) / scale) / size
    if change <= 1e-15 and curvature <= 1e-15:
        larger = max(1e-6, size * 1e-3)
    else:
        larger = (0.01 / max(change, curvature)) ** (1.0 / (order + 1))
    return slope, min(min(100.0 * size, larger), min(interval, most))


def error_norm(method, slopes, h, scale):
    """How large the estimated error of a step is, where 1 is what the tolerances allow."""
    weights = np.array(ERRORS[method])
    if method != "DOP853":
        return root_mean_square(combined(weights[0], slopes, len(slopes)) * h / scale)
    fifth, third = combined(weights[0], slopes, len(slopes)) / scale, combined(weights[1], slopes, len(slopes)) / scale
    square_5, square_3 = np.sum(fifth * fifth), np.sum(third * third)
    if square_5 == 0.0 and square_3 == 0.0:
        return 0.0
    return abs(h) * square_5 / np.sqrt((square_5 + 0.01 * square_3) * scale.size)


def slopes_of(f, method, t, y, slope, h):
    """All slopes of a step, of shape (stages + 1, n), and the state after it, where the last slope is."""
    nodes, coefficients = np.array(NODES[method]), np.array(STAGES[method])
    slopes = np.zeros((len(nodes), len(y)))
    slopes[0] = slope
    state = y
    for k in range(1, len(nodes)):
        state = y + combined(coefficients[k], slopes, k) * h
        slopes[k] = f(t + nodes[k] * h, state)
    return slopes, state


def start(f, method, t, y, t_end, direction, rtol, atol, most, first_step):
    """The state of the method: the slope, the size to try next, whether a step was refused; and how often it called."""
    if first_step is None:
        slope, size = first_slope(f, t, y, t_end, direction, ORDERS[method], rtol, atol, most)
        return (slope, stop_gradient(size), False), 2
    return (f(t, y), stop_gradient(first_step * 1.0), False), 1


def attempt(f, method, state, t, y, t_end, direction, rtol, atol, most):
    """One step: (1 taken, 0 refused or -1 given up, t, y and state after it, slopes for `dense`, calls)."""
    slope, size, is_retry = state
    least = 10.0 * abs(np.nextafter(t, direction * np.inf) - t)
    if not is_retry:
        size = max(least, min(size, most))
    t_new = t + stop_gradient(size * direction)
    if direction * (t_new - t_end) > 0.0:
        t_new = t_end
    h = t_new - t
    slopes, y_new = slopes_of(f, method, t, y, slope, h)
    scale = atol + np.maximum(np.abs(y), np.abs(y_new)) * rtol
    error = stop_gradient(error_norm(method, slopes, h, scale))
    size = stop_gradient(abs(h))
    exponent = -1.0 / (ORDERS[method] + 1)
    if error < 1.0:
        factor = FASTEST if error == 0.0 else min(FASTEST, SAFETY * error**exponent)
        size = size * (min(1.0, factor) if is_retry else factor)
        slope, is_retry, outcome = slopes[-1], False, 1
    else:
        size = size * max(SLOWEST, SAFETY * error**exponent)
        is_retry, outcome = True, (0 if size >= least else -1)
    return outcome, t_new, y_new, (slope, size, is_retry), slopes, len(slopes) - 1


def dense(f, method, t, y, h, slopes, after):
    """The coefficients of the polynomial between the ends of a step, a row for each power; and how often it called."""
    if method != "DOP853":
        return np.array(DENSE[method]) @ slopes, 0
    nodes, coefficients, count = np.array(MORE_NODES), np.array(MORE_STAGES), len(slopes)
    more = np.zeros((count + len(MORE_NODES), len(y)))
    more[:count] = slopes
    for k in range(len(MORE_NODES)):
        more[count + k] = f(t + nodes[k] * h, y + combined(coefficients[k], more, count + k) * h)
    change, first, last = after - y, slopes[0], slopes[count - 1]
    rows = np.zeros((powers(method), len(y)))
    rows[0], rows[1], rows[2] = change, h * first - change, 2.0 * change - h * (last + first)
    rows[3:] = h * (np.array(DENSE[method]) @ more)
    return rows, len(MORE_NODES)


def powers(method):
    """How many rows that has."""
    return len(DENSE[method]) + (3 if method == "DOP853" else 0)
