"""Minima of functions of a vector, with parameters that the function sees and in `args`."""

import numpy as np

HEAD = """
from scipy.optimize import OptimizeResult, curve_fit, fsolve, least_squares, minimize, minimize_scalar, root


def valley(x, a, b):
    return np.sum(b * (x[1:] - x[:-1] ** 2) ** 2 + (a - x[:-1]) ** 2)


def bowl(x, a, b):
    return (x[0] - a) ** 2 + np.cosh(x[1] - x[0] * b) + 0.1 * x[1] ** 4


def decay(t, scale, rate, rest):
    return scale * np.exp(-rate * t) + rest
"""
t = np.linspace(0.0, 4.0, 9)
y = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.02 * np.sin(9.0 * t)
ARRAYS = {"a": np.float64(1.3), "b": np.float64(2.0), "t": t, "y": y}
RTOL = 2e-5
CALLS = """
minimize(bowl, [0.3, 0.2], args=(a, b)).x
minimize(bowl, [0.3, 0.2], args=(a, b)).nit
minimize(bowl, [0.3, 0.2], args=(a, b)).success
minimize(bowl, [0.3, 0.2], args=(a, b)).message
minimize(bowl, [0.3, 0.2], args=(a, b)).fun
minimize(valley, [-1.2, 1.0, 0.5], args=(a, b), method="BFGS").nit
minimize(valley, [-1.2, 1.0, 0.5], args=(a, b), method="L-BFGS-B").x
minimize(valley, [-1.2, 1.0, 0.5], args=(a, b), method="L-BFGS-B").nit
minimize(bowl, [0.3, 0.2], args=(a, b), bounds=[(0.0, 1.0), (None, 1.5)]).x
minimize(bowl, [0.3, 0.2], args=(a, b), method="Nelder-Mead").x
minimize(bowl, [0.3, 0.2], args=(a, b), method="Nelder-Mead").nfev
minimize(bowl, [0.3, 0.2], args=(a, b), method="CG", options={"gtol": 1e-6}).x
minimize(lambda x: np.sum((x - a) ** 4 + x**2), np.array([0.1, 3.0]), method="BFGS").x
OptimizeResult(x=t, fun=a).fun
minimize_scalar(lambda x: np.cosh(x - a) + 0.1 * x**4).x
minimize_scalar(lambda x: np.cosh(x - a) + 0.1 * x**4).nfev
minimize_scalar(lambda x: np.cosh(x - a) + 0.1 * x**4, bounds=(0.0, 3.0), method="bounded").x
minimize_scalar(lambda x: np.cosh(x - a) + 0.1 * x**4, bounds=(0.0, 3.0), method="bounded").nfev
fsolve(lambda x: [x[0] * np.cos(x[1]) - a * 2.0, x[1] * x[0] - x[1] - b * 2.5], [1.0, 1.0])
root(lambda x: [x[0] * np.cos(x[1]) - a * 2.0, x[1] * x[0] - x[1] - b * 2.5], [1.0, 1.0]).x
root(lambda x: [x[0] * np.cos(x[1]) - a * 2.0, x[1] * x[0] - x[1] - b * 2.5], [1.0, 1.0]).success
least_squares(lambda x: np.array([10.0 * (x[1] - x[0] ** 2), a - x[0]]), [-1.2, 1.0]).x
least_squares(lambda x: np.array([10.0 * (x[1] - x[0] ** 2), a - x[0]]), [-1.2, 1.0]).nfev
least_squares(lambda p: decay(t, p[0], p[1], p[2]) - y, [1.0, 1.0, 1.0], method="lm").cost
curve_fit(decay, t, y, p0=[1.0, 1.0, 1.0])
curve_fit(decay, t, y)
curve_fit(lambda t, a, k: a * np.exp(-k * t), t, y)[0]
curve_fit(decay, t, y, p0=[1.0, 1.0, 1.0], sigma=0.1 + 0.1 * t, absolute_sigma=True)
"""
SMOOTH = ""  # by differences of the compiled functions, in `test_solvers.py`: SciPy's own gradients are too rough
