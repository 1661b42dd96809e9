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


def rows(table):
    """The coefficients of every stage, without the zeros on and above the diagonal."""
    return tuple(tuple(map(float, row[:k])) for k, row in enumerate(np.asarray(table)))


def columns(table):
    return tuple(tuple(map(float, column)) for column in np.asarray(table).T)


TABLEAUS = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}
STAGES = {name: rows(one.A) for name, one in TABLEAUS.items()}
NODES = {name: tuple(map(float, one.C)) for name, one in TABLEAUS.items()}
WEIGHTS = {name: tuple(map(float, one.B)) for name, one in TABLEAUS.items()}
ORDERS = {name: one.error_estimator_order for name, one in TABLEAUS.items()}
ERRORS = {"RK23": tuple(map(float, RK23.E)), "RK45": tuple(map(float, RK45.E))}
ERRORS_3, ERRORS_5 = tuple(map(float, DOP853.E3)), tuple(map(float, DOP853.E5))
DENSE = {"RK23": columns(RK23.P), "RK45": columns(RK45.P)}
MORE_STAGES = tuple(tuple(map(float, row[: 13 + k])) for k, row in enumerate(DOP853.A_EXTRA))
MORE_NODES = tuple(map(float, DOP853.C_EXTRA))
DENSE_8 = tuple(tuple(map(float, row)) for row in DOP853.D)


def combined(weights, stages):
    """The sum of stages times weights, without those whose weight is 0."""
    total = None
    for weight, stage in zip(weights, stages):
        if weight != 0.0:
            total = weight * stage if total is None else total + weight * stage
    return total


def root_mean_square(x):
    return np.sqrt(np.sum(x * x) / x.size)


def first_size(f, t, y, slope, t_end, direction, order, rtol, atol, most):
    """The size of the first step, of one more evaluation."""
    interval = abs(t_end - t)
    scale = atol + np.abs(y) * rtol
    state, change = root_mean_square(y / scale), root_mean_square(slope / scale)
    size = 1e-6
    if state >= 1e-5 and change >= 1e-5:
        size = 0.01 * state / change
    size = min(size, interval)
    after = f(t + size * direction, y + size * direction * slope)
    curvature = root_mean_square((after - slope) / scale) / size
    if change <= 1e-15 and curvature <= 1e-15:
        larger = max(1e-6, size * 1e-3)
    else:
        larger = (0.01 / max(change, curvature)) ** (1.0 / (order + 1))
    return min(min(100.0 * size, larger), min(interval, most))


def error_norm(method, stages, h, scale):
    """How large the estimated error of a step is, where 1 is what the tolerances allow."""
    if method != "DOP853":
        return root_mean_square(combined(ERRORS[method], stages) * h / scale)
    fifth, third = combined(ERRORS_5, stages) / scale, combined(ERRORS_3, stages) / scale
    square_5, square_3 = np.sum(fifth * fifth), np.sum(third * third)
    if square_5 == 0.0 and square_3 == 0.0:
        return 0.0
    return abs(h) * square_5 / np.sqrt((square_5 + 0.01 * square_3) * scale.size)


def stages_of(f, method, t, y, slope, h):
    """All slopes of a step and the state after it; the last slope is the one there."""
    stages = [slope]
    for coefficients, node in zip(STAGES[method][1:], NODES[method][1:]):
        stages.append(f(t + node * h, y + combined(coefficients, stages) * h))
    after = y + h * combined(WEIGHTS[method], stages)
    stages.append(f(t + h, after))
    return stages, after


def start(f, method, t, y, t_end, direction, rtol, atol, most, first_step):
    """The state of the method: the slope, the size to try next, whether a step was refused; and how often it called."""
    slope = f(t, y)
    if first_step is None:
        size = stop_gradient(first_size(f, t, y, slope, t_end, direction, ORDERS[method], rtol, atol, most))
        return (slope, size, False), 2
    return (slope, stop_gradient(first_step * 1.0), False), 1


def attempt(f, method, state, t, y, t_end, direction, rtol, atol, most):
    """One step: (1 taken, 0 refused or -1 given up, t, y and state after it, stages for `dense`, calls)."""
    slope, size, is_retry = state
    least = 10.0 * abs(np.nextafter(t, direction * np.inf) - t)
    if not is_retry:
        size = max(least, min(size, most))
    t_new = t + stop_gradient(size * direction)
    if direction * (t_new - t_end) > 0.0:
        t_new = t_end
    h = t_new - t
    stages, y_new = stages_of(f, method, t, y, slope, h)
    scale = atol + np.maximum(np.abs(y), np.abs(y_new)) * rtol
    error = stop_gradient(error_norm(method, stages, h, scale))
    size = stop_gradient(abs(h))
    exponent = -1.0 / (ORDERS[method] + 1)
    if error < 1.0:
        factor = FASTEST if error == 0.0 else min(FASTEST, SAFETY * error**exponent)
        size = size * (min(1.0, factor) if is_retry else factor)
        slope, is_retry, outcome = stages[-1], False, 1
    else:
        size = size * max(SLOWEST, SAFETY * error**exponent)
        is_retry, outcome = True, (0 if size >= least else -1)
    return outcome, t_new, y_new, (slope, size, is_retry), stages, len(stages) - 1


def dense(f, method, t, y, h, stages, after):
    """The coefficients of the polynomial between the ends of a step, a row for each power; and how often it called."""
    if method != "DOP853":
        return np.stack([combined(column, stages) for column in DENSE[method]]), 0
    slopes = [*stages]
    for coefficients, node in zip(MORE_STAGES, MORE_NODES):
        slopes.append(f(t + node * h, y + combined(coefficients, slopes) * h))
    change, first, last = after - y, stages[0], stages[12]
    rows = [change, h * first - change, 2.0 * change - h * (last + first)]
    return np.stack(rows + [h * combined(row, slopes) for row in DENSE_8]), len(MORE_NODES)


def powers(method):
    """How many rows that has."""
    return len(DENSE_8) + 3 if method == "DOP853" else len(DENSE[method])
