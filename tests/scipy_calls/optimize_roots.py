"""Roots of a function of one number, with parameters that the function sees and in `args`."""

import numpy as np

HEAD = """
from scipy.optimize import approx_fprime, bisect, bracket, brenth, brentq, check_grad, fixed_point, newton, ridder
from scipy.optimize import root_scalar, toms748


def cubic(x, a, b):
    return x**3 + a * x - b


def cubic_slope(x, a, b):
    return 3.0 * x**2 + a


def cubic_bend(x, a, b):
    return 6.0 * x
"""
ARRAYS = {"a": np.float64(1.3), "b": np.float64(2.6), "m": np.array([0.3, 1.1, 2.9, 4.0]), "e": np.float64(0.4)}
CALLS = """
brentq(cubic, 0.0, 3.0, args=(a, b))
brentq(lambda x: np.cos(x) - a * x, 0.0, 2.0)
brentq(cubic, 0.0, 3.0, (a, b), full_output=True)[1].iterations
brentq(cubic, 0.0, 3.0, (a, b), full_output=True)[1].function_calls
brentq(lambda x: x - 1.0, 1.0, 2.0)
brenth(cubic, 0.0, 3.0, args=(a, b))
brenth(cubic, 0.0, 3.0, (a, b), full_output=True)[1].function_calls
bisect(cubic, 0.0, 3.0, args=(a, b))
bisect(cubic, 0.0, 3.0, args=(a, b), full_output=True)[1].iterations
newton(cubic, 1.0, args=(a, b))
newton(cubic, 1.0, args=(a, b), x1=2.0, full_output=True)[1].function_calls
newton(cubic, 1.0, fprime=cubic_slope, args=(a, b))
newton(cubic, 1.0, cubic_slope, (a, b), full_output=True)[1].iterations
newton(cubic, 1.0, fprime=cubic_slope, args=(a, b), fprime2=cubic_bend, full_output=True)[1].function_calls
newton(lambda E: E - e * np.sin(E) - m, m, fprime=lambda E: 1.0 - e * np.cos(E))
root_scalar(cubic, args=(a, b), bracket=[0.0, 3.0]).root
root_scalar(cubic, args=(a, b), bracket=[0.0, 3.0], method="bisect").iterations
root_scalar(cubic, args=(a, b), x0=1.0, fprime=cubic_slope).root
root_scalar(cubic, args=(a, b), x0=1.0, x1=1.5, method="secant").function_calls
root_scalar(cubic, args=(a, b), x0=1.0, x1=1.5, method="secant").converged
ridder(cubic, 0.0, 3.0, args=(a, b))
ridder(cubic, 0.0, 3.0, args=(a, b), full_output=True)[1].function_calls
toms748(cubic, 0.0, 3.0, args=(a, b))
fixed_point(lambda x: np.sqrt(a / (x + b)), 1.2)
fixed_point(lambda x: np.sqrt(m / (x + b)), m, xtol=1e-10)
fixed_point(lambda x: np.sqrt(a / (x + b)), 1.2, xtol=1e-10, method="iteration")
bracket(lambda x: 10.0 * x * x + 3.0 * x + a, 0.1)
bracket(lambda x: np.cosh(x - b), -2.0, -1.5)
approx_fprime(m, lambda x, c: np.sum(x**3) * c, 1e-7, 2.0)
approx_fprime(m, lambda x: x[1:] * x[0])
check_grad(lambda x: np.sum(x**3), lambda x: 3.0 * x**2 + 1.0, m)
"""
SMOOTH = """
brentq(cubic, 0.0, 3.0, args=(a, b))
brentq(lambda x: np.cos(x) - a * x * x, 0.0, 2.0)
brenth(cubic, 0.0, 3.0, args=(a, b))
bisect(cubic, 0.0, 3.0, args=(a, b))
newton(cubic, 1.0, fprime=cubic_slope, args=(a, b), tol=1e-13)
newton(cubic, 1.0, args=(a, b), tol=1e-13)
newton(lambda E: E - e * np.sin(E) - m, m, fprime=lambda E: 1.0 - e * np.cos(E), tol=1e-13)
root_scalar(cubic, args=(a, b), bracket=[0.0, 3.0]).root
ridder(cubic, 0.0, 3.0, args=(a, b))
toms748(cubic, 0.0, 3.0, args=(a, b))
fixed_point(lambda x: np.sqrt(m / (x + b)), m, xtol=1e-14)
"""
