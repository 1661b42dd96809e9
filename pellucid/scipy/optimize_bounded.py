"""`minimize(method="L-BFGS-B")`: minima within bounds, by a Hessian of few vectors.

    B = theta I - W M W^T      of the last pairs of steps s and changes y of the gradient;  W = [Y, theta S]
    a Cauchy point along the gradient bent at the bounds, then the minimum of the model in what is free there

Source: R. H. Byrd, P. Lu, J. Nocedal and C. Zhu, A Limited Memory Algorithm for Bound Constrained Optimization (1995),
SIAM Journal on Scientific Computing 16; J. L. Morales and J. Nocedal (2011), ACM Transactions on Mathematical Software
38.
"""

import numpy as np
from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient
from ..transformations import grad
from .implicit import root_of
from .optimize_search import along, searched


def ends(bounds, n):
    """The bounds as two vectors; infinite where there is none."""
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    if hasattr(bounds, "lb"):
        return np.full(n, 1.0) * bounds.lb, np.full(n, 1.0) * bounds.ub
    low = np.array([-np.inf if pair[0] is None else pair[0] for pair in bounds], np.float64)
    high = np.array([np.inf if pair[1] is None else pair[1] for pair in bounds], np.float64)
    return low, high


def within(f, both, x, bounds, tol, chosen):
    n = len(x)
    low_given, high_given = ends(bounds, n)
    if len(low_given) != n:
        raise ValueError("The number of bounds is not compatible with the length of `x0`.")
    low, high = stop_gradient(low_given), stop_gradient(high_given)
    if np.any(low > high):
        raise ValueError("An upper bound is less than the corresponding lower bound.")
    flat = chosen.get("ftol", 2.220446049250313e-09 if tol is None else tol)
    gtol = chosen.get("gtol", 1e-5 if tol is None else tol)
    most, memory, most_calls = chosen.get("maxiter", 15000), chosen.get("maxcor", 10), chosen.get("maxls", 20)
    found, gradient, steps, calls, status = descended(
        both, np.minimum(np.maximum(x, low), high), low, high, flat, gtol, most, memory, most_calls
    )
    at_low, at_high = np.logical_and(found <= low, low < high), found >= high
    slope_of = grad(f)

    def equations(z):
        """What is zero at the minimum: the slope where a variable is free, else its distance from the bound."""
        inside = np.where(at_low, low_given, np.where(at_high, high_given, 0.0))
        inside = np.where(np.logical_or(at_low, at_high), inside, 0.0)
        return np.where(np.logical_or(at_low, at_high), z - inside, slope_of(z))

    x = root_of(equations, found)
    return dict_of_class(
        OptimizeResult, fun=f(x), jac=gradient, nfev=calls, njev=calls, nit=steps, status=status,
        message=message_of(status), x=x, success=status == 0,
    )  # fmt: skip


def message_of(status):
    if status == 0:
        return "CONVERGENCE: within the tolerances"
    return "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT" if status == 1 else "ABNORMAL: "


def of_pairs(steps, changes, theta):
    """W and M of pairs in rows, of which those that are not there yet are zero."""
    products = steps @ changes.T
    below = np.tril(products, -1)
    diagonal = np.diag(products)
    squares = theta * (steps @ steps.T)
    is_there = diagonal > 0.0
    block = np.concatenate([
        np.concatenate([-np.diag(np.where(is_there, diagonal, 1.0)), below.T], axis=1),
        np.concatenate([below, squares + np.diag(np.where(is_there, 0.0, 1.0))], axis=1),
    ])  # fmt: skip
    return np.concatenate([changes, theta * steps]).T, np.linalg.inv(block)


def cauchy_point(x, gradient, low, high, theta, w, middle):
    """The first minimum of the model along the gradient bent at the bounds; and c = W^T (that - x)."""
    room = np.where(gradient < 0.0, x - high, x - low)
    times = np.where(gradient == 0.0, np.inf, room / np.where(gradient == 0.0, 1.0, gradient))
    direction = np.where(times > 0.0, -gradient, 0.0)
    p, c = w.T @ direction, np.zeros(w.shape[1])
    slope = -(direction @ direction)
    bend = -theta * slope - p @ (middle @ p)
    order = np.argsort(times, kind="stable")
    best = -slope / bend if slope != 0.0 else 0.0
    time = 0.0
    point = x
    k = 0
    while k < len(x) and times[order[k]] <= 0.0:
        k += 1
    while k < len(x) and best >= times[order[k]] - time:
        b = order[k]
        passed = times[b] - time
        g, row = gradient[b], w[b]
        end = high[b] if direction[b] > 0.0 else low[b]
        moved = end - x[b]
        point = np.where(np.arange(len(x)) == b, end, point)
        c = c + passed * p
        slope = slope + passed * bend + g * g + theta * g * moved - g * (row @ (middle @ c))
        bend = bend - theta * g * g - 2.0 * g * (row @ (middle @ p)) - g * g * (row @ (middle @ row))
        bend = max(bend, 2.220446049250313e-16)
        p = p + g * row
        direction = np.where(np.arange(len(x)) == b, 0.0, direction)
        best = -slope / bend
        time = times[b]
        k += 1
    best = max(best, 0.0)
    is_free = direction != 0.0
    return np.where(is_free, x + (time + best) * direction, point), c + best * p


def model_minimum(x, gradient, low, high, theta, w, middle, point, c):
    """The minimum of the model in the variables that are free at the Cauchy point, brought within the bounds."""
    is_free = np.logical_and(point > low, point < high)
    residual = np.where(is_free, gradient + theta * (point - x) - w @ (middle @ c), 0.0)
    free_rows = np.where(is_free[:, None], w, 0.0)
    v = middle @ (free_rows.T @ residual)
    inner = np.eye(len(v)) - middle @ (free_rows.T @ free_rows) / theta
    step = -residual / theta - free_rows @ np.linalg.solve(inner, v) / theta**2
    moved = np.minimum(np.maximum(point + step, low), high)
    if (moved - x) @ gradient <= 0.0:
        return moved
    room = np.where(step > 0.0, high - point, low - point)
    shares = np.where(step == 0.0, np.inf, room / np.where(step == 0.0, 1.0, step))
    return point + min(1.0, np.min(shares)) * step


def descended(both, x, low, high, flat, gtol, most, memory, most_calls):
    value, _, gradient = along(both, x, np.zeros_like(x))(0.0)
    n = len(x)
    pairs, changes = np.zeros((memory, n)), np.zeros((memory, n))
    theta = 1.0
    steps, calls, kept, status = 0, 1, 0, 3
    if np.max(np.abs(np.minimum(np.maximum(x - gradient, low), high) - x)) <= gtol:
        status = 0
    while status == 3:
        w, middle = of_pairs(pairs, changes, theta)
        point, c = cauchy_point(x, gradient, low, high, theta, w, middle)
        target = point
        if kept > 0:
            target = model_minimum(x, gradient, low, high, theta, w, middle, point, c)
        direction = target - x
        slope = gradient @ direction
        room = np.where(direction > 0.0, high - x, np.where(direction < 0.0, low - x, np.inf))
        longest = np.min(np.where(direction == 0.0, np.inf, room / np.where(direction == 0.0, 1.0, direction)))
        longest = 1.0 if steps == 0 and longest < 1.0 else min(1e10, max(1.0, longest))
        size = np.sqrt(direction @ direction)
        is_free = not np.any(low > -np.inf) and not np.any(high < np.inf)
        first = min(1.0 / size, longest) if steps == 0 and is_free else 1.0
        is_found, a, value_new, gradient_new, more = searched(
            along(both, x, direction), value, slope, gradient, first, 1e-3, 0.9, 0.1, 0.0, longest, most_calls
        )
        calls += more
        if slope >= 0.0 or not is_found and not value_new < value:
            if kept == 0:
                status = 2
            kept, theta = 0, 1.0
            pairs, changes = np.zeros((memory, n)), np.zeros((memory, n))
        else:
            steps += 1
            step, change = a * direction, gradient_new - gradient
            x = np.minimum(np.maximum(x + step, low), high)
            is_flat = value - value_new <= flat * max(max(abs(value), abs(value_new)), 1.0)
            value, gradient = value_new, gradient_new
            if is_flat or np.max(np.abs(np.minimum(np.maximum(x - gradient, low), high) - x)) <= gtol:
                status = 0
            elif steps >= most:
                status = 1
            product, square = step @ change, change @ change
            if product > 2.220446049250313e-16 * square:
                pairs, changes = np.concatenate([pairs[1:], step[None]]), np.concatenate([changes[1:], change[None]])
                theta = square / product
                kept += 1
    return x, gradient, steps, calls, status
