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
TOO_SMALL = "Required step size is less than spacing between numbers."


def rows(table):
    """The coefficients of every stage, without the zeros on and above the diagonal."""
    return tuple(tuple(map(float, row[:k])) for k, row in enumerate(np.asarray(table)))


def columns(table):
    return tuple(tuple(map(float, column)) for column in np.asarray(table).T)


class Tableau:
    """The coefficients of a method; `order` is that of its error estimate."""

    def __init__(self, method):
        self.order = method.error_estimator_order
        self.stages = rows(method.A)
        self.nodes = tuple(map(float, method.C))
        self.weights = tuple(map(float, method.B))


TABLEAUS = {"RK23": Tableau(RK23), "RK45": Tableau(RK45), "DOP853": Tableau(DOP853)}
STAGES = {name: one.stages for name, one in TABLEAUS.items()}
NODES = {name: one.nodes for name, one in TABLEAUS.items()}
WEIGHTS = {name: one.weights for name, one in TABLEAUS.items()}
ORDERS = {name: one.order for name, one in TABLEAUS.items()}
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


def dense(f, method, t, y, h, stages, after):
    """The coefficients of the polynomial between the ends of a step, one row for each power."""
    if method != "DOP853":
        return np.stack([combined(column, stages) for column in DENSE[method]])
    slopes = [*stages]
    for coefficients, node in zip(MORE_STAGES, MORE_NODES):
        slopes.append(f(t + node * h, y + combined(coefficients, slopes) * h))
    change, first, last = after - y, stages[0], stages[12]
    rows = [change, h * first - change, 2.0 * change - h * (last + first)]
    return np.stack(rows + [h * combined(row, slopes) for row in DENSE_8])


def between(method, t, h, y, polynomial, when):
    """The state at a time between the ends of a step."""
    x = (when - t) / h
    count = len(polynomial)
    if method == "DOP853":
        value = np.zeros_like(y)
        for k in range(count):
            value = (value + polynomial[count - 1 - k]) * (x if k % 2 == 0 else 1.0 - x)
        return y + value
    value = polynomial[count - 1] * x
    for k in range(1, count):
        value = (value + polynomial[count - 1 - k]) * x
    return y + h * value
