"""Stiff initial value problems by `Radau` and `BDF`: SciPy's steps, where the Jacobian is the same."""

import numpy as np

HEAD = """
from scipy.integrate import solve_ivp


def kinetics(t, y, k):  # Robertson's
    change = [-k * y[0] + 1e4 * y[1] * y[2], k * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]
    return np.array(change)


def kinetics_slope(t, y, k):
    return np.array(
        [[-k, 1e4 * y[2], 1e4 * y[1]], [k, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]], [0.0, 6e7 * y[1], 0.0]]
    )


def oscillator(t, y, m):  # van der Pol's
    return [y[1], m * (1.0 - y[0] ** 2) * y[1] - y[0]]


def decay(t, y, s):
    return [-s * y[0] + y[1] + np.sin(t), -0.5 * y[1]]


def crossing(t, y, s):
    return y[1] - 0.6


STANDING = [[-80.0, 1.0], [0.0, -0.5]]


def hires(t, y):  # High irradiance responses of plants: Hairer and Wanner, IV.10
    light = 280.0 * y[5] * y[7]
    return np.array(
        [
            -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
            -light + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6], light - 1.81 * y[6], 1.81 * y[6] - light,
        ]
    )  # fmt: skip


def steps(found):
    return found.t, found.y, found.nfev, found.njev, found.nlu


def work(found):
    return found.y[:, -1], found.nfev, found.njev, found.nlu, found.status
"""
ARRAYS = {"k": np.float64(0.04), "m": np.float64(1000.0), "s": np.float64(80.0), "y0": np.array([1.0, 0.0, 0.0])}
RTOL, SLOPE_RTOL = 1e-6, 1e-5
CALLS = """
steps(solve_ivp(kinetics, (0, 1e4), y0, "Radau", args=(k,), jac=kinetics_slope, rtol=1e-6, atol=1e-9))
work(solve_ivp(kinetics, (0, 1e4), y0, "BDF", args=(k,), jac=kinetics_slope, rtol=1e-6, atol=1e-9))
solve_ivp(oscillator, (0.0, 3000.0), [2.0, 0.0], "Radau", args=(m,), rtol=1e-8, atol=1e-8).y[0, -1]
solve_ivp(oscillator, (0.0, 500.0), [2.0, 0.0], "BDF", args=(m,), t_eval=[400.0, 500.0], rtol=1e-9, atol=1e-9).y[0]
solve_ivp(hires, (0.0, 321.8), [1.0, 0, 0, 0, 0, 0, 0, 0.0057 + 0 * k], "Radau", rtol=1e-9, atol=1e-11).y[:, -1]
solve_ivp(decay, (0, 2.0), [1.0, 1.0], "Radau", args=(s,), jac=STANDING, dense_output=True).sol([0.1, 1.0])
solve_ivp(decay, (0, 2.0), [1.0, 1.0], "BDF", args=(s,), jac=STANDING, dense_output=True).sol([0.1, 1.0])
steps(solve_ivp(decay, (0, 2.0), [1.0, 1.0], "BDF", args=(s,), jac=STANDING, max_step=0.1, first_step=0.01))
solve_ivp(decay, (0, 2.0), [1.0, 1.0], "Radau", args=(s,), events=crossing, rtol=1e-7, atol=1e-9).t_events[0]
solve_ivp(decay, (2.0, 1.9), [1.0, 1.0], "Radau", args=(s,), max_step=0.02, jac=STANDING).t
solve_ivp(decay, (2.0, 2.0), [1.0, 1.0], "BDF", args=(s,), dense_output=True).sol(2.0)
"""
SMOOTH = """
solve_ivp(decay, (0, s / 60.0), [1.0, s], "Radau", args=(s,), rtol=1e-9, atol=1e-11).y[:, -1]
solve_ivp(decay, (0, s / 60.0), [1.0, s], "BDF", args=(s,), rtol=1e-10, atol=1e-12).y[:, -1]
"""
