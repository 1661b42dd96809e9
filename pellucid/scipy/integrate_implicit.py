"""Implicit steps for stiff problems: `Radau`, with its Newton iterations, and what `BDF` shares with it.

    y' = f(t, y)     ->     z_i = h sum_j a_ij f(t + c_j h, y + z_j),  i = 1, 2, 3;  y + z_3

The equations of a step are solved by Newton's iterations whose Jacobian stands for many steps.  Nothing of that has a
derivative: the derivatives of a step are those that its equations give it, with the Jacobian at their solution.

Source: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II (1996), IV.8.  The coefficients are those of
SciPy's class.
"""

import dataclasses

import numpy as np
from scipy.integrate._ivp import radau

from ..compiler.ops import primitives as op
from ..forward_mode import jacfwd
from ..lax import stop_gradient
from .implicit import root_of
from .integrate_explicit import first_slope, numbers, root_mean_square
from .linalg import row_order, unit_lower

EPS = 2.220446049250313e-16
MOST_ITERATIONS, SLOWEST, FASTEST = 6, 0.2, 10.0
NODES, ERRORS = numbers(radau.C), numbers(radau.E)
REAL, PAIR = float(radau.MU_REAL), (float(radau.MU_COMPLEX.real), float(radau.MU_COMPLEX.imag))
TO_STATES, FROM_STATES = numbers(radau.T), numbers(radau.TI)
# The equations of the stages, z = h A k, have A^-1 = T diag(mu) T^-1, where mu are a real number and a complex pair.
INVERSE = numbers(radau.T @ np.array([[REAL, 0.0, 0.0], [0.0, PAIR[0], -PAIR[1]], [0.0, PAIR[1], PAIR[0]]]) @ radau.TI)
DENSE = numbers(radau.P.T)


def jacobian_of(f, jac, further, n):
    """The Jacobian as a function of t and y: the exact one of `f`, a user's, or a matrix that stands."""
    if jac is None:
        return lambda t, y: stop_gradient(jacfwd(lambda state: f(t, state))(y))
    if not callable(jac):
        matrix = np.asarray(jac, np.float64)
        if matrix.shape != (n, n):
            raise ValueError("`jac` is expected to have a row and a column for each component of `y0`.")
        return lambda t, y: stop_gradient(matrix)
    given = lambda t, y: stop_gradient(np.asarray(jac(t, y, *further), np.float64))  # noqa: E731
    return given


def still(f):
    """The function without derivatives."""
    return lambda t, y: stop_gradient(f(t, y))


def newton_tolerance(rtol):
    return max(10.0 * EPS / rtol, min(0.03, np.sqrt(rtol)))


def factored(matrix):
    """(lower factor, upper factor, order of rows): of what is solved for many right sides."""
    factors, pivots = op.lu_factor(matrix)
    return unit_lower(factors), factors, row_order(op.cast(pivots, dtype="i64"))


def solved_for(lower, upper, order, b):
    return op.solve_triangular(upper, op.solve_triangular(lower, b[order], lower=True), lower=False)


def verdict(k, most, size, size_before, tolerance):
    """Of a Newton iteration whose change has this size: (whether it diverges, whether that was enough, the rate)."""
    if k == 0:
        return False, size == 0.0, -1.0
    rate = size / size_before
    if rate >= 1.0 or rate ** (most - k) / (1.0 - rate) * size > tolerance:
        return True, False, rate
    return False, size == 0.0 or rate / (1.0 - rate) * size < tolerance, rate


@dataclasses.dataclass
class Stage:
    """What a step of `Radau` takes from those before it."""

    size: float  # to try next
    first: float  # tried first in this step
    size_before: float  # tried first in the step before, with its error; 0.0 where there is none
    error_before: float
    is_retry: bool
    was_inexact: bool  # whether the step was refused for its error
    jacobian: np.ndarray
    is_asked: bool  # whether the Jacobian is made anew
    is_current: bool  # whether it is that of where this step begins
    real: np.ndarray  # factors of the matrices for the real number and for the pair
    real_upper: np.ndarray
    real_order: np.ndarray
    pair: np.ndarray
    pair_upper: np.ndarray
    pair_order: np.ndarray
    is_factored: bool
    t_before: float  # where the step before began, its length or 0.0, its state and its polynomial
    h_before: float
    y_before: np.ndarray
    polynomial: np.ndarray
    jacobians: int
    factorings: int


def start(f, t, y, t_end, direction, is_fixed, rtol, atol, most, first_step):
    """(the state of the method, calls)."""
    n = len(y)
    t, y = stop_gradient(t), stop_gradient(y)
    size, calls = first_size(still(f), t, y, stop_gradient(t_end), direction, 3, rtol, atol, most, first_step)
    order, none = np.zeros(n, np.int64), np.zeros((n, n))
    zero = np.float64(0.0)
    return Stage(
        size, size, zero, zero, False, False, none, True, True, none * 1.0, none * 1.0, order, none * 0j, none * 0j,
        order * 1, False, t, zero, y * 1.0, np.zeros((3, n)), 0 if is_fixed else 1, 0,
    ), calls  # fmt: skip


def first_size(f, t, y, t_end, direction, order, rtol, atol, most, first_step):
    """(the size of the first step, calls)."""
    if first_step is None:
        return stop_gradient(first_slope(f, t, y, t_end, direction, order, rtol, atol, most)[1]), 2
    return stop_gradient(np.float64(first_step)), 1


def step_factor(size, size_before, error, error_before):
    """By which factor a size may change, from the errors of this step and the one before it."""
    if error == 0.0:
        return np.inf
    multiplier = 1.0
    if size_before > 0.0 and error_before > 0.0:
        multiplier = size / size_before * (error_before / error) ** 0.25
    return min(1.0, multiplier) * error**-0.25


def iterated(f, t, y, h, z, scale, tolerance, state):
    """Newton's iterations for the stages of a step: (whether they converged, how many, the stages, the last rate)."""
    to_states, from_states, nodes = np.array(TO_STATES), np.array(FROM_STATES), np.array(NODES)
    w = from_states @ z
    slopes, change = np.zeros_like(z), np.zeros_like(z)
    converged, is_over, count = np.bool_(False), np.bool_(False), 0
    rate, size_before = np.float64(-1.0), np.float64(0.0)
    mu = complex(PAIR[0], PAIR[1])
    while not is_over and count < MOST_ITERATIONS:
        for i in range(3):
            slopes[i] = f(t + nodes[i] * h, y + z[i])
        if not np.all(np.isfinite(slopes)):
            is_over = True
        else:
            turned = from_states @ slopes
            change[0] = solved_for(state.real, state.real_upper, state.real_order, turned[0] - REAL / h * w[0])
            right = turned[1] + 1j * turned[2] - mu / h * (w[1] + 1j * w[2])
            both = solved_for(state.pair, state.pair_upper, state.pair_order, right)
            change[1], change[2] = both.real, both.imag
            size = root_mean_square(np.ravel(change / scale))
            is_over, converged, rate = verdict(count, MOST_ITERATIONS, size, size_before, tolerance)
            if not is_over:
                w = w + change
                z = to_states @ w
                size_before = size
                is_over = converged
        count += 1
    return converged, count, z, rate


def guessed(state, t, y, h):
    """The stages as the polynomial of the step before has them."""
    z = np.zeros((3, len(y)))
    if state.h_before != 0.0:
        nodes = np.array(NODES)
        for i in range(3):
            x = (t + h * nodes[i] - state.t_before) / state.h_before
            p = state.polynomial
            z[i] = ((p[2] * x + p[1]) * x + p[0]) * x + state.y_before - y
    return z


def attempt(f, jacobian, is_fixed, state, t, y, t_end, direction, rtol, atol, most):
    """One step: (1 taken, 0 refused or -1 given up, t and state after it, polynomial, calls); `state` changes."""
    now, here, end = stop_gradient(t), stop_gradient(y), stop_gradient(t_end)
    least = 10.0 * abs(np.nextafter(now, direction * np.inf) - now)
    if not state.is_retry:
        state.first = state.size
        state.was_inexact = False
        if state.size > most or state.size < least:
            state.size = most if state.size > most else least
            state.size_before, state.error_before = 0.0, 0.0
    when = now + state.size * direction
    is_last = direction * (when - end) > 0.0
    h = (end if is_last else when) - now
    size = abs(h)
    scale = atol + np.abs(here) * rtol
    tolerance = newton_tolerance(rtol)
    guess = guessed(state, now, here, h)
    unit = np.eye(len(here))
    z, converged, is_over, rate, count, calls = guess, np.bool_(False), np.bool_(False), np.float64(-1.0), 0, 0
    while not is_over:
        if state.is_asked:
            state.jacobian, state.is_asked = jacobian(now, here), False
        if not state.is_factored:
            state.real, state.real_upper, state.real_order = factored(REAL / h * unit - state.jacobian)
            mu = complex(PAIR[0], PAIR[1])
            state.pair, state.pair_upper, state.pair_order = factored(mu / h * unit - state.jacobian)
            state.is_factored = True
            state.factorings += 2
        converged, count, z, rate = iterated(still(f), now, here, h, guess, scale, tolerance, state)
        calls += 3 * count
        is_over = converged or state.is_current
        if not is_over:
            state.is_asked, state.is_current, state.is_factored = True, True, False
            state.jacobians += 1
    t_new, y_new, polynomial, outcome = t, y, np.zeros((3, len(y))), 0
    if not converged:
        state.size, state.is_factored, state.is_retry = 0.5 * size, False, True
    else:
        known = np.array(ERRORS) @ z / h
        scale = atol + np.maximum(np.abs(here), np.abs(here + z[2])) * rtol
        error, norm = np.zeros_like(here), np.float64(2.0)
        for k in range(2):
            if k == 0 or state.was_inexact and norm > 1.0:
                right = still(f)(now, here + error) + known
                error = solved_for(state.real, state.real_upper, state.real_order, right)
                norm = root_mean_square(error / scale)
                calls += k
        safety = 0.9 * (2 * MOST_ITERATIONS + 1) / (2 * MOST_ITERATIONS + count)
        factor = step_factor(size, state.size_before, norm, state.error_before)
        if norm > 1.0:
            state.size = size * max(SLOWEST, safety * factor)
            state.is_factored, state.is_retry, state.was_inexact = False, True, True
        else:
            outcome = 1
            calls += 1
            factor = min(FASTEST, safety * factor)
            is_slow = not is_fixed and count > 2 and rate > 1e-3
            if not is_slow and factor < 1.2:
                factor = 1.0
            else:
                state.is_factored = False
            state.is_asked = is_slow
            state.is_current = is_slow or is_fixed
            state.jacobians += 1 if is_slow else 0
            state.size_before, state.error_before = state.first, norm
            state.size, state.is_retry = size * factor, False
            t_new = t_end if is_last else t + stop_gradient(when - now)
            z = solved(f, t, y, t_new - t, z)
            y_new, polynomial = y + z[2], np.array(DENSE) @ z
            state.t_before, state.h_before, state.y_before = now, h, here
            state.polynomial = stop_gradient(polynomial)
    if outcome == 0 and state.size < least:
        outcome = -1
    return outcome, t_new, y_new, polynomial, calls


def solved(f, t, y, h, z):
    """The stages with the derivatives that their equations give them."""
    n = len(y)
    inverse, nodes = np.array(INVERSE), np.array(NODES)

    def equations(flat):
        stages = np.reshape(flat, (3, n))
        slopes = np.zeros((3, n))
        for i in range(3):
            slopes[i] = f(t + nodes[i] * h, y + stages[i])
        return np.ravel(inverse @ stages - h * slopes)

    return np.reshape(root_of(equations, np.ravel(z)), (3, n))
