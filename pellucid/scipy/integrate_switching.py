"""`LSODA`: explicit steps, and implicit ones while the problem is stiff.

    "RK45"  ->  "BDF"     after 15 steps near the limit of stability, where h |k7 - k6| / |y7 - y6| > 2.5
    "BDF"   ->  "RK45"    after 10 steps that are short enough for it, where h |J| < 1

What LSODA does with multistep methods of both kinds is done with the methods that there are, to the same tolerances.

Source: L. R. Petzold, Automatic Selection of Methods for Solving Stiff and Nonstiff Systems of Ordinary Differential
Equations (1983), SIAM Journal on Scientific and Statistical Computing 4; E. Hairer and G. Wanner, Solving Ordinary
Differential Equations II (1996), IV.2.
"""

import dataclasses

import numpy as np

from ..lax import stop_gradient
from . import integrate_bdf, integrate_explicit
from .integrate_explicit import DENSE, STAGES, combined

STIFF_STEPS, EASY_STEPS, BETWEEN = 15, 10, 6
NEAR_LIMIT = 2.5  # the explicit method is stable to 3.3, around which its steps scatter


@dataclasses.dataclass
class Switching:
    """What a step takes from those before it."""

    is_stiff: bool
    slope: np.ndarray  # of an explicit step: at its start, its size, and whether it was refused
    size: float
    is_retry: bool
    past: integrate_bdf.Past
    signs: int  # how many steps said that the other method would do better
    others: int  # how many did not, since the last one that did


def start(f, t, y, t_end, direction, is_fixed, rtol, atol, most, first_step):
    """(the state of the method, calls)."""
    (slope, size, is_retry), calls = integrate_explicit.start(
        f, "RK45", t, y, t_end, direction, rtol, atol, most, first_step
    )
    past = integrate_bdf.begun(y, slope, size, direction, is_fixed)
    past.jacobians = 0
    return Switching(False, slope, size, is_retry, past, 0, 0), calls


def attempt(f, jacobian, is_fixed, state, t, y, t_end, direction, rtol, atol, most):
    """One step: (1 taken, 0 refused or -1 given up, t and state after it, polynomial, calls); `state` changes."""
    rows = np.zeros((integrate_bdf.HIGHEST + 3, len(y)))
    if state.is_stiff:
        outcome, t_new, y_new, polynomial, calls = integrate_bdf.attempt(
            f, jacobian, is_fixed, state.past, t, y, t_end, direction, rtol, atol, most
        )
        rows[0] = 1.0
        rows[1:] = polynomial
        if outcome == 1:
            norm = np.sqrt(np.sum(state.past.jacobian**2))
            count(state, abs(stop_gradient(t_new - t)) * norm < 1.0)
            if state.signs >= EASY_STEPS:
                state.slope, state.size, state.is_retry = f(t_new, y_new), state.past.size, False
                state.is_stiff, state.signs = False, 0
                calls += 1
    else:
        outcome, t_new, y_new, (state.slope, state.size, state.is_retry), slopes, calls = integrate_explicit.attempt(
            f, "RK45", (state.slope, state.size, state.is_retry), t, y, t_end, direction, rtol, atol, most
        )
        if outcome == 1:
            rows[1:5] = np.array(DENSE["RK45"]) @ slopes
            count(state, is_at_limit(y, y_new, slopes, t_new - t))
            if state.signs >= STIFF_STEPS:
                jacobians, factorings = state.past.jacobians, state.past.factorings
                state.past = integrate_bdf.begun(y_new, state.slope, state.size, direction, is_fixed)
                state.past.jacobians, state.past.factorings = state.past.jacobians + jacobians, factorings
                state.is_stiff, state.signs = True, 0
    return outcome, t_new, y_new, rows, calls


def count(state, is_sign):
    if is_sign:
        state.signs += 1
        state.others = 0
    else:
        state.others += 1
        if state.others == BETWEEN:
            state.signs = 0


def is_at_limit(y, y_new, slopes, h):
    """Whether the size of an explicit step is what its stability allows."""
    y, y_new, slopes, h = stop_gradient(y), stop_gradient(y_new), stop_gradient(slopes), stop_gradient(h)
    before = y + combined(np.array(STAGES["RK45"])[5], slopes, 5) * h
    change, moved = slopes[6] - slopes[5], y_new - before
    return abs(h) * np.sqrt(change @ change) > NEAR_LIMIT * np.sqrt(moved @ moved)
