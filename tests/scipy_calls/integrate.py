"""Initial value problems: the ends of steps, times asked for, dense output and events."""

import numpy as np

HEAD = """
from scipy.integrate import solve_ivp


def driven(t, y, a):
    return [y[1], -a * y[0] + 0.1 * np.sin(t)]


def down(t, y, a):
    return y[0]


def low(t, y, a):
    return y[1] + 0.5


down.direction = -1
low.terminal = 2
"""
ARRAYS = {"a": np.float64(1.3), "y0": np.array([1.0, 0.3])}
RTOL, SLOPE_RTOL = 1e-9, 1e-6
CALLS = """
solve_ivp(driven, (0, 6.0), y0, args=(a,)).t
solve_ivp(driven, (0, 6.0), y0, args=(a,)).y
solve_ivp(driven, (0, 6.0), y0, args=(a,), rtol=1e-7, atol=[1e-8, 1e-6]).nfev
solve_ivp(driven, [6.0, 0.0], y0, method="RK23", args=(a,), max_step=0.3, first_step=0.01).t
solve_ivp(driven, (0, 6.0), y0, method="DOP853", t_eval=np.linspace(0.0, 6.0, 5), args=(a,)).y
solve_ivp(driven, (6.0, 0.0), y0, t_eval=np.linspace(6.0, 1.0, 5), args=(a,)).y
solve_ivp(driven, (0, 6.0), y0, args=(a,), dense_output=True).sol(np.array([0.0, 1.0, 2.5, 6.0]))
solve_ivp(driven, (0, 6.0), y0, args=(a,), method="DOP853", dense_output=True).sol(2.2)
solve_ivp(driven, (0, 15.0), y0, args=(a,), events=[down, low]).t_events
solve_ivp(driven, (0, 15.0), y0, args=(a,), events=[down, low]).y_events[0]
solve_ivp(driven, (0, 15.0), y0, args=(a,), events=low, t_eval=np.linspace(0.0, 15.0, 31)).t
solve_ivp(driven, (0, 15.0), y0, args=(a,), events=low).message
solve_ivp(driven, (0, 15.0), y0, args=(a,), events=low).status
solve_ivp(driven, (2.0, 2.0), y0, args=(a,)).y
"""
SMOOTH = """
solve_ivp(driven, (0, 3.0), y0, args=(a,), rtol=1e-10, atol=1e-10).y[:, -1]
solve_ivp(driven, (0, 1.0 + a), y0, args=(a,), rtol=1e-10, atol=1e-10).y[:, -1]
solve_ivp(driven, (0, 3.0), y0, method="DOP853", t_eval=np.linspace(0.0, 3.0, 4), args=(a,), rtol=1e-10, atol=1e-10).y
solve_ivp(driven, (0, 2.0), y0, args=(a,), rtol=1e-10, atol=1e-10, events=down).t_events[0][0]
"""
