"""`scipy.optimize`: roots of a function of one number, by brackets and by slopes.

    brentq(f, a, b)                ->     the bracket shrinks by inverse interpolation, or else by half
    newton(f, x0, fprime=df)       ->     x = x - f(x) / df(x), until it moves by less than the tolerance

The numbers are those that SciPy's iterations give.  Derivatives follow from f(x, p) = 0, whatever the way to the root:
dx/dp = -(df/dp) / (df/dx), by `args` and by all that the function sees.

Source: R. P. Brent, Algorithms for Minimization Without Derivatives (1973), chapter 4.
"""

import numpy as np
from scipy.optimize import RootResults

from ..compiler.ops import static
from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient
from .implicit import root_of, roots_of

RTOL = 8.881784197001252e-16


def result(f, x, iterations, calls, converged, method, full_output, disp):
    """The root with its derivatives, alone or with SciPy's record of it; nan where it has not converged."""
    if disp and not converged:
        raise RuntimeError(f"Failed to converge after {iterations} iterations.")
    x = root_of(f, x, converged)
    if not full_output:
        return x
    return x, record(x, iterations, calls, converged, method, disp)


def record(x, iterations, calls, converged, method, disp):
    flag = "converged" if disp or converged else "convergence error"
    return dict_of_class(
        RootResults, root=x, iterations=iterations, function_calls=calls, converged=converged, flag=flag, method=method
    )


def with_args(f, args):
    return lambda x: f(x, *(args if isinstance(args, tuple) else (args,))) * 1.0


def brentq(f, a, b, args=(), xtol=2e-12, rtol=RTOL, maxiter=100, full_output=False, disp=True):
    """A root between `a` and `b`, where `f` has different signs."""
    of_one = with_args(f, args)
    x, iterations, calls, converged = shrunk(of_one, a, b, xtol, rtol, maxiter, "brentq")
    return result(of_one, x, iterations, calls, converged, "brentq", full_output, disp)


def brenth(f, a, b, args=(), xtol=2e-12, rtol=RTOL, maxiter=100, full_output=False, disp=True):
    """The same, with hyperbolic extrapolation."""
    of_one = with_args(f, args)
    x, iterations, calls, converged = shrunk(of_one, a, b, xtol, rtol, maxiter, "brenth")
    return result(of_one, x, iterations, calls, converged, "brenth", full_output, disp)


def require_positive(xtol, rtol):
    if xtol <= 0:
        raise ValueError(f"xtol too small ({xtol:g} <= 0)")
    if rtol < RTOL:
        raise ValueError(f"rtol too small ({rtol:g} < 8.88178e-16)")


def at_both(f, a, b):
    """The values at two places, of one copy of the function."""
    places, values = np.array([a, b]), np.zeros(2)
    for k in range(2):
        values[k] = stop_gradient(f(places[k]))
    return values[0], values[1]


def opened(f, a, b, xtol, rtol):
    """Both ends of a bracket, their values, and an end that is a root already, if `is_root`; else the last one."""
    require_positive(xtol, rtol)
    low, high = stop_gradient(np.float64(a)), stop_gradient(np.float64(b))
    value_low, value_high = at_both(f, low, high)
    x, is_root = high, False
    if value_low == 0.0:
        x, is_root = low, True
    elif value_high == 0.0:
        is_root = True
    elif (value_low < 0.0) == (value_high < 0.0):
        raise ValueError("f(a) and f(b) must have different signs")
    return low, high, value_low, value_high, x, is_root


def shrunk(f, a, b, xtol, rtol, maxiter, method):
    """The end `x` of a bracket with the smaller value, and `far`, its other end; `before` is the last `x`."""
    before, _, value_before, value, x, converged = opened(f, a, b, xtol, rtol)
    far, value_far, last_step, step = 0.0 * x, 0.0 * value, 0.0 * x, 0.0 * x
    iterations, calls = 0, 2
    while not converged and iterations < maxiter:
        iterations += 1
        if value_before != 0.0 and value != 0.0 and (value_before < 0.0) != (value < 0.0):
            far, value_far = before, value_before
            last_step = step = x - before
        if abs(value_far) < abs(value):
            before, x, far = x, far, x
            value_before, value, value_far = value, value_far, value
        tolerance = (xtol + rtol * abs(x)) / 2.0
        half = (far - x) / 2.0
        if value == 0.0 or abs(half) < tolerance:
            converged = True
        else:
            is_short = False
            if abs(last_step) > tolerance and abs(value) < abs(value_before):
                if before == far:
                    trial = -value * (x - before) / (value - value_before)
                else:
                    slope_before = (value_before - value) / (before - x)
                    slope_far = (value_far - value) / (far - x)
                    if method == "brentq":
                        numerator = value_far * slope_far - value_before * slope_before
                        denominator = slope_far * slope_before * (value_far - value_before)
                    else:
                        numerator = value_far - value_before
                        denominator = value_far * slope_before - value_before * slope_far
                    trial = -value * numerator / denominator
                is_short = 2.0 * abs(trial) < min(abs(last_step), 3.0 * abs(half) - tolerance)
                if is_short:
                    last_step, step = step, trial
            if not is_short:
                last_step = step = half
            before, value_before = x, value
            if abs(step) > tolerance:
                x = x + step
            else:
                x = x + (tolerance if half > 0.0 else -tolerance)
            value = stop_gradient(f(x))
            calls += 1
    return x, iterations, calls, converged


def bisect(f, a, b, args=(), xtol=2e-12, rtol=RTOL, maxiter=100, full_output=False, disp=True):
    """A root between `a` and `b`, where `f` has different signs, by halves."""
    of_one = with_args(f, args)
    x, iterations, calls, converged = halved(of_one, a, b, xtol, rtol, maxiter)
    return result(of_one, x, iterations, calls, converged, "bisect", full_output, disp)


def halved(f, a, b, xtol, rtol, maxiter):
    require_positive(xtol, rtol)
    left, width = stop_gradient(a * 1.0), stop_gradient(b * 1.0 - a * 1.0)
    x = left + width
    value_left, value = at_both(f, left, x)
    iterations, calls = 0, 2
    converged = False
    if value_left == 0.0:
        x, converged = left, True
    elif value == 0.0:
        converged = True
    elif (value_left < 0.0) == (value < 0.0):
        raise ValueError("f(a) and f(b) must have different signs")
    while not converged and iterations < maxiter:
        iterations += 1
        width = width * 0.5
        x = left + width
        value = stop_gradient(f(x))
        calls += 1
        if value == 0.0 or (value < 0.0) == (value_left < 0.0):
            left = x
        converged = value == 0.0 or abs(width) < xtol + rtol * abs(x)
    return x, iterations, calls, converged


def newton(
    func, x0, fprime=None, args=(), tol=1.48e-8, maxiter=50, fprime2=None, x1=None, rtol=0.0, full_output=False,
    disp=True,
):  # fmt: skip
    """A root near `x0`: by Newton's steps with `fprime`, Halley's with `fprime2` as well, else by the secant.

    An array `x0` gives the root near each of its elements; the function takes them one by one.
    """
    if tol <= 0:
        raise ValueError(f"tol too small ({tol:g} <= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    f = with_args(func, args)
    if np.ndim(x0) > 0:
        return newton_of_all(f, np.asarray(x0) * 1.0, fprime, args, tol, maxiter, fprime2, full_output, disp)
    start = stop_gradient(x0 * 1.0)
    if fprime is None:
        x, iterations, calls, converged = by_secant(f, start, x1, tol, rtol, maxiter)
        method = "secant"
    else:
        slope = with_args(fprime, args)
        bend = None if fprime2 is None else with_args(fprime2, args)
        x, iterations, calls, converged = by_slopes(f, start, slope, bend, tol, rtol, maxiter)
        method = "newton" if fprime2 is None else "halley"
    if disp and not converged:
        raise RuntimeError(f"Failed to converge after {iterations} iterations, value is {x}.")
    return result(f, x, iterations, calls, converged, method, full_output, disp)


def is_near(x, y, rtol, atol):
    return abs(x - y) <= atol + rtol * abs(y)


def by_slopes(f, x, slope, bend, tol, rtol, maxiter):
    iterations, calls = 0, 0
    converged, flat = False, False
    while not converged and not flat and iterations < maxiter:
        value = stop_gradient(f(x))
        calls += 1
        if value == 0.0:
            converged = True
        else:
            iterations += 1
            rise = stop_gradient(slope(x))
            calls += 1
            if rise == 0.0:
                flat = True
            else:
                step = value / rise
                if bend is not None:
                    calls += 1
                    correction = step * stop_gradient(bend(x)) / rise / 2.0
                    if abs(correction) < 1.0:
                        step = step / (1.0 - correction)
                converged = is_near(x - step, x, rtol, tol)
                x = x - step
    return x, iterations, calls, converged


def by_secant(f, x0, x1, tol, rtol, maxiter):
    if x1 is None:
        x = x0 * (1.0 + 1e-4)
        x = x + (1e-4 if x >= 0.0 else -1e-4)
    else:
        x = stop_gradient(x1 * 1.0)
        if x == x0:
            raise ValueError("x1 and x0 must be different")
    before = x0
    value_before, value = at_both(f, before, x)
    calls, iterations = 2, 0
    if abs(value) < abs(value_before):
        before, x, value_before, value = x, before, value, value_before
    found = x
    converged, level = False, False
    while not converged and not level and iterations < maxiter:
        iterations += 1
        if value == value_before:
            found = (x + before) / 2.0
            level, converged = x != before, x == before
        else:
            if abs(value) > abs(value_before):
                ratio = value_before / value
                found = (before - ratio * x) / (1.0 - ratio)
            else:
                ratio = value / value_before
                found = (x - ratio * before) / (1.0 - ratio)
            converged = is_near(found, x, rtol, tol)
            if not converged:
                before, value_before = x, value
                x = found
                value = stop_gradient(f(x))
                calls += 1
    return found, iterations, calls, converged


def newton_of_all(f, x, fprime, args, tol, maxiter, fprime2, full_output, disp):
    """Newton's steps for all elements at once, until every one of them moves by less than the tolerance."""
    if fprime is None:
        static.refuse("U012", "`newton` takes `fprime=` where x0 is an array")
    if full_output:
        static.refuse("U012", "`newton` does not give full_output where x0 is an array: call it without")
    slope = with_args(fprime, args)
    x = stop_gradient(x)
    moves = np.full(x.shape, True)
    iterations = 0
    while np.any(moves) and iterations < maxiter:
        iterations += 1
        value, rise = stop_gradient(f(x)), stop_gradient(slope(x))
        is_flat = rise == 0.0
        step = np.where(is_flat, 0.0, value / np.where(is_flat, 1.0, rise))
        if fprime2 is not None:
            bend = stop_gradient(with_args(fprime2, args)(x))
            correction = 0.5 * step * bend / np.where(is_flat, 1.0, rise)
            step = np.where(np.abs(correction) < 1.0, step / (1.0 - correction), step)
        x = x - step
        moves = np.logical_or(np.logical_and(is_flat, value != 0.0), np.abs(step) >= tol)
        if not np.any(value):
            moves = np.full(x.shape, False)
    if disp and np.any(moves):
        raise RuntimeError(f"some failed to converge after {iterations} iterations")
    return roots_of(f, x, np.logical_not(moves))


def root_scalar(
    f, args=(), method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None, xtol=None, rtol=None,
    maxiter=None, options=None,
):  # fmt: skip
    """A root by the method that is named, or by the first that what is given suffices for; `r.root`.

    Where `r.converged` is False, the derivative of `r.root` is nan.
    """
    f = with_args(f, args)
    if method is None:
        if bracket is not None:
            method = "brentq"
        elif x0 is not None and fprime is not None:
            method = "newton" if fprime2 is None else "halley"
        elif x0 is not None:
            method = "secant"
        else:
            raise ValueError("Unable to select a solver as neither bracket nor starting point provided.")
    most = 100 if maxiter is None else maxiter
    if method in ("brentq", "brenth", "bisect"):
        if bracket is None:
            raise ValueError(f"Bracket needed for {method}")
        low, high = bracket[0], bracket[1]
        near, apart = (2e-12 if xtol is None else xtol), (RTOL if rtol is None else rtol)
        if method == "bisect":
            x, iterations, calls, converged = halved(f, low, high, near, apart, most)
        else:
            x, iterations, calls, converged = shrunk(f, low, high, near, apart, most, method)
    elif method in ("newton", "halley", "secant"):
        near, apart = (1.48e-8 if xtol is None else xtol), (0.0 if rtol is None else rtol)
        most = 50 if maxiter is None else maxiter
        start = stop_gradient(x0 * 1.0)
        if method == "secant":
            x, iterations, calls, converged = by_secant(f, start, x1, near, apart, most)
        else:
            if fprime is None:
                raise ValueError("fprime must be specified for newton")
            if method == "halley" and fprime2 is None:
                raise ValueError("fprime2 must be specified for halley")
            slope = with_args(fprime, args)
            bend = with_args(fprime2, args) if method == "halley" else None
            x, iterations, calls, converged = by_slopes(f, start, slope, bend, near, apart, most)
    else:
        raise ValueError(f"Unknown solver {method}")
    return record(root_of(f, x, converged), iterations, calls, converged, method, False)
