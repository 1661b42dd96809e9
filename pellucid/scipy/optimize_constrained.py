"""`minimize(method="SLSQP")`: minima within bounds and constraints, by quadratic programmes.

    f(x), low <= c(x) <= high     ->     d = the least  g d + d B d / 2  with  low <= c + J d <= high;  x = x + a d
                                         B, of the Lagrangian, by damped changes of its gradient

The programme of a step is a problem of least distance, which is one of least squares in its multipliers.  Where its
constraints contradict each other, as far from a solution they may, what is missing is paid for by its square.  The
first `a` is 1, and it shrinks until f and what violates the constraints, weighted, are less.

Derivatives follow from the equations of Karush, Kuhn and Tucker, the constraints that hold x standing as they are.

Source: D. Kraft, A Software Package for Sequential Quadratic Programming (1988); M. J. D. Powell, A Fast Algorithm for
Nonlinearly Constrained Optimization Calculations (1978); C. L. Lawson and R. J. Hanson (1974), chapter 23.
"""

import numpy as np
from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient
from ..transformations import grad
from .implicit import root_of
from .optimize_boxes import within_box
from .optimize_constraints import limits_of, several, values_of
from .optimize_least_squares import with_jacobian

SOFT = 1e-4


def constrained(f, both, x0, low_given, high_given, constraints, accuracy, most):
    """The result of `minimize` with these bounds, each of shape (n,)."""
    listed = several(constraints)
    values = values_of(listed)
    low, high = stop_gradient(low_given), stop_gradient(high_given)
    if np.any(low > high):
        raise ValueError("An upper bound is less than the corresponding lower bound.")
    least_given, largest_given = limits_of(listed, x0)
    least, largest = stop_gradient(least_given), stop_gradient(largest_given)
    n = len(x0)
    found, weights, pushes, gradient, steps, calls, status = descended(
        both, with_jacobian(values, None), np.minimum(np.maximum(x0, low), high), low, high, least, largest, accuracy,
        most,
    )  # fmt: skip
    is_held, is_at_end = weights != 0.0, pushes != 0.0
    targets = np.where(is_held, np.where(weights > 0.0, least_given, largest_given), 0.0)
    ends = np.where(is_at_end, np.where(pushes > 0.0, low_given, high_given), 0.0)

    def equations(z):
        """What is zero at the minimum: slope of the Lagrangian and active constraints, or else their weights."""
        x, force = z[:n], z[n:]
        slope = grad(lambda w: f(w) - force @ values(w))(x)
        missing = np.where(is_held, values(x) - targets, force)
        return np.concatenate([np.where(is_at_end, x - ends, slope), missing])

    solution = root_of(equations, np.concatenate([found, weights]))
    x = solution[:n]
    return dict_of_class(
        OptimizeResult, x=x, fun=f(x), jac=gradient, nit=steps, nfev=calls, njev=calls, status=status,
        message=message_of(status), success=status == 0, multipliers=solution[n:],
    )  # fmt: skip


def message_of(status):
    if status == 0:
        return "Optimization terminated successfully"
    if status == 4:
        return "Inequality constraints incompatible"
    return "Iteration limit reached" if status == 9 else "Positive directional derivative for linesearch"


def quadratic(hessian, gradient, jacobian, least, largest, low, high):
    """(the step d with the least g d + d B d / 2 within limits, weights of constraints and bounds, is it soft).

    least <= J d <= largest, low <= d <= high.  A weight is positive where the lower limit holds d, else negative.
    """
    n, m = len(gradient), len(least)
    lower = np.linalg.cholesky(hessian)
    shift = np.linalg.solve(lower, gradient)
    above = np.concatenate([jacobian, np.eye(n)])
    rows = np.linalg.solve(lower, above.T).T
    rows = np.concatenate([rows, -rows])
    limits = np.concatenate([least, low, -largest, -high])
    is_there = np.isfinite(limits)
    distances = np.where(is_there, limits, 0.0) + rows @ shift
    unit = np.max(np.abs(distances))
    unit = 1.0 if unit == 0.0 else unit
    is_equal = np.concatenate([least == largest, low == high, np.full(m + n, False)])
    is_there = np.logical_and(is_there, ~np.concatenate([np.full(m + n, False), least == largest, low == high]))
    largest_weight = np.where(is_there, np.inf, 0.0)
    least_weight = np.where(is_equal, -np.inf, 0.0)
    may_give = np.concatenate([np.ones(m), np.zeros(n), np.ones(m), np.zeros(n)])
    target = np.zeros(n + 1 + 2 * (m + n))
    target[n] = 1.0
    is_soft, is_over = np.bool_(False), np.bool_(False)
    weights, rest = np.zeros(2 * (m + n)), 1.0
    while not is_over:
        matrix = np.concatenate([rows.T, distances[None] / unit, np.diag(may_give) * (SOFT if is_soft else 0.0)])
        weights, _, _, _ = within_box(
            matrix, target, least_weight, largest_weight, np.zeros(2 * (m + n)), is_equal * 1 > 0, 20 * (m + n) + 20
        )
        rest = 1.0 - distances @ weights / unit
        is_over = is_soft or rest > 1e-10
        is_soft = np.bool_(not is_over) or is_soft
    weights = weights * (unit / rest)
    step = np.linalg.solve(lower.T, rows.T @ weights - shift)
    both = weights[: m + n] - weights[m + n :]
    return step, both[:m], both[m:], is_soft


def descended(both, constraint, x, low, high, least, largest, accuracy, most):
    """(x, weights of constraints, of bounds, gradient, steps, calls, status); one evaluation in each iteration."""
    n, m = len(x), len(least)
    hessian, trial, step = np.eye(n), x, np.zeros(n)
    value, gradient, jacobian, here = np.float64(0.0), np.zeros(n), np.zeros((m, n)), np.zeros(m)
    weights, pushes, prices = np.zeros(m), np.zeros(n), np.zeros(m)
    violation, descent, share = np.zeros(m), np.float64(0.0), np.float64(1.0)
    steps, calls, resets, status = 0, 0, 0, -1
    while status == -1:
        value_new, gradient_new = both(trial)
        value_new, gradient_new = stop_gradient(value_new * 1.0), stop_gradient(np.asarray(gradient_new))
        here_new, jacobian_new = stop_gradient(constraint(trial))
        calls += 1
        violation_new = np.maximum(np.maximum(least - here_new, here_new - largest), 0.0)
        rise = value_new - value + prices @ (violation_new - violation)
        is_taken = calls == 1 or rise <= 0.1 * share * descent or rise <= 0.0 and share < 1e-6
        is_asked, is_over = is_taken, np.bool_(False)
        if is_taken:
            moved = trial - x
            change = gradient_new - gradient - (jacobian_new - jacobian).T @ weights
            if calls > 1:
                is_near = abs(value_new - value) < accuracy or np.sqrt(moved @ moved) < accuracy
                is_over = is_near and np.sum(violation_new) < accuracy
                bent = hessian @ moved
                size, product = moved @ bent, moved @ change
                if size > 0.0:
                    part = 1.0 if product >= 0.2 * size else 0.8 * size / (size - product)
                    change = part * change + (1.0 - part) * bent
                    hessian = hessian + np.outer(change, change) / (moved @ change) - np.outer(bent, bent) / size
            x, value, gradient = trial, value_new, gradient_new
            here, jacobian, violation = here_new, jacobian_new, violation_new
        elif share > 1e-8:
            shrunk = 0.5 * share * descent / (share * descent - rise)
            share = share * (0.5 if not abs(rise) < np.inf else min(0.5, max(0.1, shrunk)))
        elif resets < 5:
            resets += 1
            hessian = np.eye(n)
            is_asked = np.bool_(True)
        else:
            status = 8
        if is_asked:
            step, weights, pushes, is_soft = quadratic(
                hessian, gradient, jacobian, least - here, largest - here, low - x, high - x
            )
            sizes = np.abs(weights)
            prices = np.maximum(sizes, 0.5 * (prices + sizes))
            descent = gradient @ step - prices @ violation
            missing = np.sum(violation)
            is_near = abs(gradient @ step) + sizes @ violation < accuracy and missing < accuracy
            if is_over or is_near:
                status = 0
            elif is_soft and np.sqrt(step @ step) < 1e-8:
                status = 4
            elif steps >= most:
                status = 9
            steps += 1
            share = np.float64(1.0)
        trial = np.minimum(np.maximum(x + share * step, low), high)
    return x, weights, pushes, gradient, steps, calls, status
