"""`scipy.optimize.minimize`: minima of functions of a vector.

    minimize(f, x0)     ->     g = grad(f)(x);  p = -H g;  x = x + a p, where `a` satisfies Wolfe's conditions

Where no `jac=` is given the gradient is the exact one, where SciPy takes differences: the iterations are SciPy's with
`jac=` the exact gradient.  Derivatives of `res.x` follow from grad f(x, p) = 0 at the minimum (for bounds, in the
variables that are at none), and not from the iterations, as in jaxopt and optimistix; `res.hess_inv`, `res.jac` and
what counts calls have none.

Source: J. Nocedal and S. Wright, Numerical Optimization (2006), chapters 5 to 7 and 9; for Nelder-Mead, J. C. Lagarias
et al. (1998), SIAM Journal on Optimization 9.
"""

import numpy as np

from ..compiler.ops import static
from ..forward_mode import jvp
from ..lax import stop_gradient
from ..transformations import grad, value_and_grad
from .optimize_bounded import ends, within
from .optimize_constrained import constrained
from .optimize_powell import by_directions
from .optimize_search import along, first_trial, searched
from .optimize_simplex import by_simplex
from .results import result

METHODS = ("BFGS", "CG", "L-BFGS-B", "Nelder-Mead", "Newton-CG", "Powell", "SLSQP", "TNC", "trust-constr")


def minimize(
    fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(), tol=None,
    callback=None, options=None,
):  # fmt: skip
    """A minimum of fun(x, *args) near `x0`, a vector.

    method    "BFGS", "CG", "L-BFGS-B", "Newton-CG", "Nelder-Mead", "Powell" or "SLSQP"; "TNC" is L-BFGS-B,
              "trust-constr" is SLSQP to 1e-10; without one BFGS, L-BFGS-B with `bounds`, or SLSQP with `constraints`
    jac       a function that gives the gradient, or True where `fun` gives (value, gradient)
    bounds    pairs (low, high), of which either may be None, or a `Bounds`; of L-BFGS-B and SLSQP
    constraints   a dict {"type": "eq" or "ineq", "fun": g, "args": ()}, a `LinearConstraint`, a
              `NonlinearConstraint`, or several of these
    options   a dict known when it is compiled: `gtol`, `ftol`, `maxiter`, `maxcor`, `maxls`, `xatol`, `fatol`
    """
    if callback is not None:
        static.refuse("U012", "`minimize` takes no `callback=` here")
    if hess is not None or hessp is not None:
        static.refuse("U012", "`minimize` makes Hessians of `fun` itself: leave out `hess=` and `hessp=`")
    is_constrained = not (isinstance(constraints, list | tuple) and len(constraints) == 0)
    if method is None:
        method = "SLSQP" if is_constrained else "BFGS" if bounds is None else "L-BFGS-B"
    if method not in METHODS:
        raise ValueError(f"Unknown solver {method}: there are {METHODS}")
    if is_constrained and method not in ("SLSQP", "trust-constr"):
        raise ValueError(f'`constraints=` are for method="SLSQP", not {method}')
    if bounds is not None and method not in ("L-BFGS-B", "TNC", "SLSQP", "trust-constr"):
        raise ValueError(f'`bounds=` are for method="L-BFGS-B" or "SLSQP", not {method}')
    further = args if isinstance(args, tuple) else (args,)
    chosen = {} if options is None else options
    if jac is True:
        f = lambda x: fun(x, *further)[0] * 1.0  # noqa: E731
    else:
        f = lambda x: fun(x, *further) * 1.0  # noqa: E731
    start = np.atleast_1d(np.asarray(stop_gradient(x0), np.float64))
    if method == "Nelder-Mead":
        return by_simplex(f, start, tol, chosen)
    if method == "Powell":
        return by_directions(f, start, tol, chosen)
    both = value_and_grad(f)
    if jac is True:
        both = lambda x: fun(x, *further)  # noqa: E731
    elif callable(jac):
        both = lambda x: (f(x), jac(x, *further))  # noqa: E731
    if method in ("SLSQP", "trust-constr"):
        accuracy = chosen.get("ftol", (1e-6 if method == "SLSQP" else 1e-10) if tol is None else tol)
        low, high = ends(bounds, len(start))
        if len(low) != len(start):
            raise ValueError("The number of bounds is not compatible with the length of `x0`.")
        most = chosen.get("maxiter", 100 if method == "SLSQP" else 1000)
        return constrained(f, both, start, low, high, constraints, accuracy, most)
    if method in ("L-BFGS-B", "TNC"):
        return within(f, both, start, bounds, tol, chosen)
    gtol = chosen.get("gtol", 1e-5 if tol is None else tol)
    most = chosen.get("maxiter", 200 * len(start))
    if method == "Newton-CG":
        xtol = chosen.get("xtol", 1e-5 if tol is None else tol)
        x, gradient, steps, calls, status = by_newton(f, both, start, xtol, most)
        return result(f, x, gradient, steps, calls, status, None)
    if method == "CG":
        x, gradient, steps, calls, status = by_conjugates(both, start, gtol, most)
        return result(f, x, gradient, steps, calls, status, None)
    x, gradient, steps, calls, status, inverse = by_bfgs(both, start, gtol, most)
    return result(f, x, gradient, steps, calls, status, inverse)


def by_bfgs(both, x, gtol, most):
    value, _, gradient = along(both, x, np.zeros_like(x))(0.0)
    n = len(x)
    inverse = np.eye(n)
    value_before = value + np.sqrt(gradient @ gradient) / 2.0
    steps, calls, status = 0, 1, 0
    while status == 0 and np.max(np.abs(gradient)) > gtol and steps < most:
        direction = -(inverse @ gradient)
        slope = gradient @ direction
        first = first_trial(value, value_before, slope)
        is_found, a, value_new, gradient_new, more = searched(
            along(both, x, direction), value, slope, gradient, first, 1e-4, 0.9, 1e-14, 1e-100, 1e100, 100
        )
        calls += more
        if not is_found:
            status = 2
        else:
            steps += 1
            step, change = a * direction, gradient_new - gradient
            x, gradient = x + step, gradient_new
            value_before, value = value, value_new
            product = change @ step
            rho = 1000.0 if product == 0.0 else 1.0 / product
            left = np.eye(n) - rho * np.outer(step, change)
            inverse = left @ inverse @ left.T + rho * np.outer(step, step)
    if status == 0 and np.max(np.abs(gradient)) > gtol:
        status = 1
    return x, gradient, steps, calls, status, inverse


def by_conjugates(both, x, gtol, most):
    """Polak and Ribiere's directions, never with a negative factor; along the slope where they do not descend."""
    value, _, gradient = along(both, x, np.zeros_like(x))(0.0)
    direction = -gradient
    value_before = value + np.sqrt(gradient @ gradient) / 2.0
    steps, calls, status = 0, 1, 0
    while status == 0 and np.max(np.abs(gradient)) > gtol and steps < most:
        slope = gradient @ direction
        first = first_trial(value, value_before, slope)
        is_found, a, value_new, gradient_new, more = searched(
            along(both, x, direction), value, slope, gradient, first, 1e-4, 0.4, 1e-14, 1e-100, 1e100, 100
        )
        calls += more
        if not is_found:
            status = 2
        else:
            steps += 1
            factor = max(0.0, (gradient_new - gradient) @ gradient_new / (gradient @ gradient))
            x = x + a * direction
            direction = -gradient_new + factor * direction
            gradient = gradient_new
            if direction @ gradient > -0.01 * (gradient @ gradient):  # SciPy searches on for a better step
                direction = -gradient
            value_before, value = value, value_new
    if status == 0 and np.max(np.abs(gradient)) > gtol:
        status = 1
    return x, gradient, steps, calls, status


def by_newton(f, both, x, xtol, most):
    """Newton's steps, each by conjugate gradients until its residual is small or the curvature negative."""
    value, _, gradient = along(both, x, np.zeros_like(x))(0.0)
    value_before = value + np.sqrt(gradient @ gradient) / 2.0
    steps, calls, status = 0, 1, 0
    update = np.inf
    slope_of = grad(f)
    while status == 0 and update > len(x) * xtol and steps < most:
        size = np.sum(np.abs(gradient))
        enough = min(0.5, np.sqrt(size)) * size
        direction, residual, conjugate = np.zeros_like(x), gradient, -gradient
        square, inner, is_over = gradient @ gradient, 0, False
        while not is_over and np.sum(np.abs(residual)) > enough and inner < 20 * len(x):
            product = stop_gradient(jvp(slope_of, (x,), (conjugate,))[1])
            curvature = conjugate @ product
            if curvature <= 3.0 * 2.220446049250313e-16:
                is_over = True
                if curvature < 0.0 and inner == 0:
                    direction = square / curvature * gradient
            else:
                a = square / curvature
                direction, residual = direction + a * conjugate, residual + a * product
                square_new = residual @ residual
                conjugate = -residual + square_new / square * conjugate
                square = square_new
                inner += 1
        slope = gradient @ direction
        if size == 0.0:
            update = 0.0
        else:
            is_found, a, value_new, gradient_new, more = searched(
                along(both, x, direction), value, slope, gradient, first_trial(value, value_before, slope),
                1e-4, 0.9, 1e-14, 1e-100, 1e100, 100,
            )  # fmt: skip
            calls += more
            if not is_found:
                status = 2
            else:
                steps += 1
                x, gradient = x + a * direction, gradient_new
                update = np.sum(np.abs(a * direction))
                value_before, value = value, value_new
    if status == 0 and update > len(x) * xtol:
        status = 1
    return x, gradient, steps, calls, status
