"""Implicit multistep steps for stiff problems: `BDF`, of the orders 1 to 5.

    y' = f(t, y)     ->     y_new = y_predicted + d,  where  c f(t_new, y_new) - psi - d = 0

The past is kept as backward differences at the present size of steps, which are changed with it.  As in `Radau`,
Newton's iterations have no derivative, and a step has those of its equation; they pass through the differences.

Source: L. F. Shampine and M. W. Reichelt, The MATLAB ODE Suite (1997), SIAM Journal on Scientific Computing 18.
"""

import dataclasses

import numpy as np

from ..lax import stop_gradient
from .implicit import root_of
from .integrate_explicit import first_slope, numbers, root_mean_square
from .integrate_implicit import FASTEST, SLOWEST, factored, newton_tolerance, solved_for, still, verdict

HIGHEST, MOST_ITERATIONS = 5, 4
KAPPA = np.array([0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0])
SUMS = np.append(0.0, np.cumsum(1.0 / np.arange(1, HIGHEST + 1)))
GAMMA, ALPHA = numbers(SUMS), numbers((1.0 - KAPPA) * SUMS)
ERRORS = numbers(KAPPA * SUMS + 1.0 / np.arange(1, HIGHEST + 2))


@dataclasses.dataclass
class Past:
    """What a step of `BDF` takes from those before it."""

    size: float  # to try next
    is_retry: bool
    order: int
    equal: int  # how many steps had this size
    differences: np.ndarray
    jacobian: np.ndarray
    is_asked: bool  # whether the Jacobian is made anew
    is_current: bool  # whether it is that of this step
    lower: np.ndarray  # factors of the matrix of Newton's iterations
    upper: np.ndarray
    rows: np.ndarray
    is_factored: bool
    jacobians: int
    factorings: int


def start(f, t, y, t_end, direction, is_fixed, rtol, atol, most, first_step):
    """(the state of the method, calls)."""
    if first_step is None:
        slope, size = first_slope(f, t, y, t_end, direction, 1, rtol, atol, most)
    else:
        slope, size = f(t, y), np.float64(first_step)
    return begun(y, slope, stop_gradient(size), direction, is_fixed), 2 if first_step is None else 1


def begun(y, slope, size, direction, is_fixed):
    """What is known before the first step."""
    n = len(y)
    differences = np.zeros((HIGHEST + 3, n))
    differences[0], differences[1] = y, slope * size * direction
    none = np.zeros((n, n))
    return Past(
        size, False, 1, 0, differences, none, True, is_fixed, none * 0.0, none * 1.0, np.zeros(n, np.int64), False,
        0 if is_fixed else 1, 0,
    )  # fmt: skip


def products(factor):
    """How differences of one size of steps follow from those of another, of shape (order + 1, order + 1)."""
    r = np.ones((HIGHEST + 1, HIGHEST + 1))
    for i in range(1, HIGHEST + 1):
        r[i, 0] = 0.0
        for j in range(1, HIGHEST + 1):
            r[i, j] = r[i - 1, j] * (i - 1.0 - factor * j) / i
    return r


def resized(differences, order, factor):
    """The differences of steps that are longer by a factor."""
    both = products(factor) @ np.array(UNIT_PRODUCTS)
    out = differences * 1.0
    for j in range(order + 1):
        total = both[0, j] * differences[0]
        for i in range(1, order + 1):
            total = total + both[i, j] * differences[i]
        out[j] = total
    return out


UNIT_PRODUCTS = numbers(products(1.0))


def iterated(f, t, predicted, c, psi, state, scale, tolerance):
    """Newton's iterations of a step: (whether they converged, how many, the change from what was predicted)."""
    y, d = predicted * 1.0, np.zeros_like(predicted)
    converged, is_over, size_before, count = np.bool_(False), np.bool_(False), np.float64(0.0), 0
    while not is_over and count < MOST_ITERATIONS:
        slope = f(t, y)
        if not np.all(np.isfinite(slope)):
            is_over = True
        else:
            change = solved_for(state.lower, state.upper, state.rows, c * slope - psi - d)
            size = root_mean_square(change / scale)
            is_over, converged, _ = verdict(count, MOST_ITERATIONS, size, size_before, tolerance)
            if not is_over:
                y, d = y + change, d + change
                size_before = size
                is_over = converged
        count += 1
    return converged, count, d


def attempt(f, jacobian, is_fixed, state, t, y, t_end, direction, rtol, atol, most):
    """One step: (1 taken, 0 refused or -1 given up, t and state after it, polynomial, calls); `state` changes."""
    now, end = stop_gradient(t), stop_gradient(t_end)
    least = 10.0 * abs(np.nextafter(now, direction * np.inf) - now)
    order = state.order
    if not state.is_retry:
        state.is_current = is_fixed
        if state.size > most or state.size < least:
            allowed = most if state.size > most else least
            state.differences = resized(state.differences, order, allowed / state.size)
            state.size, state.equal = allowed, 0
    t_new = t + stop_gradient(state.size * direction)
    if direction * (t_new - end) > 0.0:
        t_new = t_end
        state.differences = resized(state.differences, order, abs(t_end - t) / state.size)
        state.equal, state.is_factored = 0, False
    when = stop_gradient(t_new)
    state.size = abs(when - now)
    gamma, alpha, errors = np.array(GAMMA), np.array(ALPHA), np.array(ERRORS)
    predicted, psi = state.differences[0] * 1.0, np.zeros_like(y)
    for k in range(1, order + 1):
        predicted = predicted + state.differences[k]
        psi = psi + gamma[k] * state.differences[k]
    psi, c = psi / alpha[order], (t_new - t) / alpha[order]
    fixed, right, step = stop_gradient(predicted), stop_gradient(psi), stop_gradient(c)
    scale = atol + rtol * np.abs(fixed)
    d, count, calls = np.zeros_like(fixed), 0, 0
    converged, is_over = np.bool_(False), np.bool_(False)
    while not is_over:
        if state.is_asked:
            state.jacobian, state.is_asked = jacobian(now if state.factorings == 0 else when, fixed), False
        if not state.is_factored:
            state.lower, state.upper, state.rows = factored(np.eye(len(fixed)) - step * state.jacobian)
            state.is_factored = True
            state.factorings += 1
        converged, count, d = iterated(still(f), when, fixed, step, right, state, scale, newton_tolerance(rtol))
        calls += count
        is_over = converged or state.is_current
        if not is_over:
            state.is_asked, state.is_current, state.is_factored = True, True, False
            state.jacobians += 1
    y_new, polynomial, outcome = y, np.zeros((HIGHEST + 2, len(y))), 0
    if not converged:
        state.size, state.equal, state.is_factored, state.is_retry = 0.5 * state.size, 0, False, True
        state.differences = resized(state.differences, order, 0.5)
    else:
        safety = 0.9 * (2 * MOST_ITERATIONS + 1) / (2 * MOST_ITERATIONS + count)
        scale = atol + rtol * np.abs(fixed + d)
        error = root_mean_square(errors[order] * d / scale)
        if error > 1.0:
            factor = max(SLOWEST, safety * error ** (-1.0 / (order + 1)))
            state.differences = resized(state.differences, order, factor)
            state.size, state.equal, state.is_retry = state.size * factor, 0, True
        else:
            outcome = 1
            d = root_of(lambda d: c * f(t_new, predicted + d) - psi - d, d)
            y_new = predicted + d
            advance(state, d, scale, error, safety)
            polynomial[: HIGHEST + 1] = state.differences[: HIGHEST + 1]
            for k in range(state.order + 1, HIGHEST + 1):
                polynomial[k] = 0.0
            polynomial[HIGHEST + 1] = state.size * direction
    if outcome == 0 and state.size < least:
        outcome = -1
    return outcome, t_new, y_new, polynomial, calls


def advance(state, d, scale, error, safety):
    """The differences after a step, and where enough steps had this size the next order and size."""
    order = state.order
    differences = state.differences * 1.0
    differences[order + 2] = d - differences[order + 1]
    differences[order + 1] = d
    for k in range(order + 1):
        differences[order - k] += differences[order - k + 1]
    state.differences = differences
    state.equal += 1
    state.is_retry = False
    if state.equal >= order + 1:
        errors, fixed = np.array(ERRORS), stop_gradient(differences)
        norms = np.array([np.inf, error, np.inf])
        if order > 1:
            norms[0] = root_mean_square(errors[order - 1] * fixed[order] / scale)
        if order < HIGHEST:
            norms[2] = root_mean_square(errors[order + 1] * fixed[order + 2] / scale)
        factors = norms ** (-1.0 / np.arange(order, order + 3))
        best = np.argmax(factors)
        factor = min(FASTEST, safety * factors[best])
        state.order = order + best - 1
        state.size, state.equal, state.is_factored = state.size * factor, 0, False
        state.differences = resized(differences, state.order, factor)
