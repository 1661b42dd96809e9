"""The methods of `solve_ivp` under one signature.

    attempt(problem, "Radau", state, t, y)     ->     integrate_implicit.attempt(f, jacobian, ..., state, t, y, ...)
"""

import numpy as np

from . import integrate_bdf, integrate_explicit, integrate_implicit, integrate_switching

EXPLICIT, IMPLICIT = ("RK23", "RK45", "DOP853"), ("Radau", "BDF", "LSODA")


def start(problem, method, t, y, t_end, direction, first_step):
    """(the state of the method, calls)."""
    f, _, is_fixed, rtol, atol, most = problem
    if method in EXPLICIT:
        return integrate_explicit.start(f, method, t, y, t_end, direction, rtol, atol, most, first_step)
    if method == "Radau":
        return integrate_implicit.start(f, t, y, t_end, direction, is_fixed, rtol, atol, most, first_step)
    if method == "LSODA":
        return integrate_switching.start(f, t, y, t_end, direction, is_fixed, rtol, atol, most, first_step)
    return integrate_bdf.start(f, t, y, t_end, direction, is_fixed, rtol, atol, most, first_step)


def attempt(problem, method, state, t, y, t_end, direction):
    """One step: (1 taken, 0 refused or -1 given up, t, y and state after it, what `dense` takes, calls)."""
    f, jacobian, is_fixed, rtol, atol, most = problem
    if method in EXPLICIT:
        return integrate_explicit.attempt(f, method, state, t, y, t_end, direction, rtol, atol, most)
    if method == "Radau":
        outcome, t_new, y_new, polynomial, calls = integrate_implicit.attempt(
            f, jacobian, is_fixed, state, t, y, t_end, direction, rtol, atol, most
        )
        return outcome, t_new, y_new, state, polynomial, calls
    if method == "LSODA":
        outcome, t_new, y_new, polynomial, calls = integrate_switching.attempt(
            f, jacobian, is_fixed, state, t, y, t_end, direction, rtol, atol, most
        )
        return outcome, t_new, y_new, state, polynomial, calls
    outcome, t_new, y_new, polynomial, calls = integrate_bdf.attempt(
        f, jacobian, is_fixed, state, t, y, t_end, direction, rtol, atol, most
    )
    return outcome, t_new, y_new, state, polynomial, calls


def dense(problem, method, t, y, h, found, after):
    """The coefficients of the polynomial between the ends of a step, a row for each; and how often it called."""
    if method in EXPLICIT:
        return integrate_explicit.dense(problem[0], method, t, y, h, found, after)
    return found, 0


def at_rest(method, y):
    """The polynomial of a step in which nothing changes."""
    if method == "BDF":
        rows = np.zeros((integrate_bdf.HIGHEST + 2, len(y)))
        rows[0], rows[integrate_bdf.HIGHEST + 1] = y, 1.0
        return rows
    if method == "LSODA":
        return np.zeros((integrate_bdf.HIGHEST + 3, len(y)))
    return np.zeros((3 if method == "Radau" else integrate_explicit.powers(method), len(y)))


def work_of(method, state):
    """(Jacobians, factorisations)."""
    if method == "LSODA":
        return state.past.jacobians, state.past.factorings
    return (0, 0) if method in EXPLICIT else (state.jacobians, state.factorings)
