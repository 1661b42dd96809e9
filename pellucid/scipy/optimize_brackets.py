"""`scipy.optimize`: more roots of a function of one number, fixed points, and gradients by differences.

    ridder(f, a, b)          ->     the bracket shrinks to where an exponential through three points is zero
    fixed_point(f, x0)       ->     p1 = f(p);  p2 = f(p1);  p = p - (p1 - p)^2 / (p2 - 2 p1 + p)

Derivatives of a root or a fixed point are those of its equation.

Source: C. J. F. Ridders (1979), IEEE Transactions on Circuits and Systems 26; R. L. Burden and J. D. Faires, Numerical
Analysis (1985), section 2.5.
"""

import numpy as np

from ..lax import stop_gradient
from .implicit import root_of
from .optimize_roots import RTOL, opened, result, shrunk, with_args
from .optimize_scalar import surrounded


def ridder(f, a, b, args=(), xtol=2e-12, rtol=RTOL, maxiter=100, full_output=False, disp=True):
    """A root between `a` and `b`, where `f` has different signs, by Ridders' method."""
    of_one = with_args(f, args)
    x, iterations, calls, converged = by_exponentials(of_one, a, b, xtol, rtol, maxiter)
    return result(of_one, x, iterations, calls, converged, "ridder", full_output, disp)


def toms748(f, a, b, args=(), k=1, xtol=2e-12, rtol=RTOL, maxiter=100, full_output=False, disp=True):
    """A root between `a` and `b`, where `f` has different signs: by those of `brentq`, to the same tolerance."""
    if k < 1:
        raise ValueError(f"k too small ({k} < 1)")
    of_one = with_args(f, args)
    x, iterations, calls, converged = shrunk(of_one, a, b, xtol, rtol, maxiter, "brentq")
    return result(of_one, x, iterations, calls, converged, "toms748", full_output, disp)


def by_exponentials(f, a, b, xtol, rtol, maxiter):
    low, high, value_low, value_high, x, converged = opened(f, a, b, xtol, rtol)
    iterations, calls = 0, 2
    tolerance = xtol + rtol * min(abs(low), abs(high))
    while not converged and iterations < maxiter:
        iterations += 1
        half = 0.5 * (high - low)
        middle = low + half
        value_middle = stop_gradient(f(middle))
        sign = 1.0 if value_high - value_low > 0.0 else -1.0
        step = sign * half * value_middle / np.sqrt(value_middle * value_middle - value_low * value_high)
        x = middle - (1.0 if step > 0.0 else -1.0) * min(abs(step), abs(half) - 0.5 * tolerance)
        value = stop_gradient(f(x))
        calls += 2
        if np.signbit(value) != np.signbit(value_middle):
            low, value_low, high, value_high = x, value, middle, value_middle
        elif np.signbit(value) != np.signbit(value_low):
            high, value_high = x, value
        else:
            low, value_low = x, value
        tolerance = xtol + rtol * x
        converged = value == 0.0 or abs(high - low) < tolerance
    return x, iterations, calls, converged


def fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2"):
    """The x with func(x, *args) = x near `x0`, a number or an array of one dimension.

    method   "del2", Steffensen's with Aitken's extrapolation, or "iteration", which only applies the function

    Raises RuntimeError where `maxiter` steps are not enough.
    """
    if method not in ("del2", "iteration"):
        raise ValueError("`method` must be 'del2' or 'iteration'")
    further = args if isinstance(args, tuple) else (args,)
    f = lambda x: np.asarray(func(x, *further), np.float64)  # noqa: E731
    start = np.asarray(stop_gradient(x0), np.float64)
    x, is_found = start[()] if start.ndim == 0 else start, np.bool_(False)
    steps = 0
    while not is_found and steps < maxiter:
        steps += 1
        first = second = x
        for _ in range(1 if method == "iteration" else 2):
            first, second = second, stop_gradient(f(second))
        found = second
        if method == "del2":
            bend = second - 2.0 * first + x
            found = np.where(bend != 0.0, x - (first - x) ** 2 / np.where(bend != 0.0, bend, 1.0), second)
        error = np.where(x != 0.0, (found - x) / np.where(x != 0.0, x, 1.0), found)
        x = found
        is_found = np.all(np.abs(error) < xtol)
    if not is_found:
        raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {np.max(x)}")
    return root_of(lambda z: z - f(z), x)


def bracket(func, xa=0.0, xb=1.0, args=(), grow_limit=110.0, maxiter=1000):
    """(a, b, c, f(a), f(b), f(c), calls): three points downhill from two, of which the middle one is the lowest."""
    if grow_limit != 110.0 or maxiter != 1000:
        raise ValueError("`bracket` takes neither `grow_limit=` nor `maxiter=` here")
    f = with_args(func, args)
    a, b, c, _, calls = surrounded(f, stop_gradient(np.float64(xa)), stop_gradient(np.float64(xb)))
    places, values = np.array([a, b, c]), np.zeros(3)
    for k in range(3):
        values[k] = f(places[k])
    if values[1] > values[0] or values[1] > values[2]:
        raise RuntimeError("The algorithm terminated without finding a valid bracket.")
    return a, b, c, values[0], values[1], values[2], calls


def approx_fprime(xk, f, epsilon=1.4901161193847656e-08, *args):
    """The gradient of f(x, *args), of shape (n,), by forward differences; a Jacobian (m, n) where `f` gives m numbers.

    `pellucid.grad` and `jacfwd` give it exactly.
    """
    x = np.atleast_1d(np.asarray(xk, np.float64))
    steps = np.full(len(x), 1.0) * epsilon
    start = np.asarray(f(x, *args), np.float64)
    rows = np.zeros((len(x), *start.shape))
    for k in range(len(x)):
        moved = x * 1.0
        moved[k] = x[k] + steps[k]
        rows[k] = (np.asarray(f(moved, *args), np.float64) - start) / (moved[k] - x[k])
    return rows.T


def check_grad(func, grad, x0, *args, epsilon=1.4901161193847656e-08, direction="all", rng=None):
    """How far grad(x0, *args) is from the forward differences of func(x0, *args), as the length of a vector."""
    if direction != "all":
        raise ValueError("`check_grad` takes all directions here: leave out `direction=`")
    difference = np.asarray(grad(x0, *args), np.float64) - approx_fprime(x0, func, epsilon, *args)
    return np.sqrt(np.sum(difference * difference))
