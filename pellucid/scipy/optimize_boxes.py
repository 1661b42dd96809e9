"""Linear least squares within bounds: `nnls`, `lsq_linear`, and the steps of what is built on them.

    nnls(A, b)[0]                 ->     the x >= 0 with the least |A x - b|
    lsq_linear(A, b, (l, u)).x    ->     the same with l <= x <= u

Variables between their bounds are solved for, and one that its bound keeps from falling is let go, until there is none.
Derivatives are those of A^T (A x - b) = 0 in the variables between their bounds.

Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems (1974), chapter 23; P. B. Stark and R. L. Parker,
Bounded-Variable Least-Squares (1995), Computational Statistics 10.
"""

import numpy as np
from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient
from .implicit import root_of

EPS = 2.220446049250313e-16


def within_box(matrix, b, low, high, x, is_inside, most):
    """From a feasible x: (the x with the least |matrix x - b|, which are between their bounds, steps, whether it is).

    `is_inside` says which variables are solved for at first.
    """
    needs_step, is_over = np.any(is_inside), np.bool_(False)
    sizes = 10.0 * EPS * np.sqrt(np.sum(matrix * matrix, axis=0) * (b @ b))
    is_barred = np.full(len(x), False)
    entering, slope, steps = np.int64(-1), np.float64(0.0), 0
    while not is_over and steps < most:
        if not needs_step:
            slopes = matrix.T @ (b - matrix @ x)
            may_move = np.logical_or(np.logical_and(slopes > 0.0, x < high), np.logical_and(slopes < 0.0, x > low))
            is_kept = np.logical_or(is_inside, is_barred)
            gains = np.where(np.logical_and(may_move, ~is_kept), np.abs(slopes) - sizes, 0.0)
            entering = np.argmax(gains)
            slope = slopes[entering]
            is_over = gains[entering] <= 0.0
            if not is_over:
                is_inside[entering] = True
        if not is_over:
            steps += 1
            chosen = np.nonzero(is_inside)[0]
            target = x * 1.0
            target[chosen] = np.linalg.lstsq(matrix[:, chosen], b - matrix @ np.where(is_inside, 0.0, x), rcond=None)[0]
            change = target - x
            if not needs_step and change[entering] * slope <= 0.0:
                is_inside[entering] = False
                is_barred[entering] = True
            else:
                is_beyond = np.logical_or(target < low, target > high)
                needs_step = np.any(is_beyond)
                if needs_step:
                    ends = np.where(target < low, low, high)
                    shares = np.where(is_beyond, (ends - x) / np.where(is_beyond, change, 1.0), np.inf)
                    share = np.min(shares)
                    is_at_end = np.logical_and(is_beyond, shares <= share)
                    x = np.where(is_at_end, ends, x + share * change)
                    is_inside = np.logical_and(is_inside, ~is_at_end)
                    needs_step = np.any(is_inside)
                else:
                    x = target
                    is_barred = np.full(len(x), False)
    return x, is_inside, steps, is_over


def with_slopes(matrix, b, low, high, found, is_inside):
    """What was found, with the derivatives of its equations."""
    ends = np.where(is_inside, 0.0, np.where(found >= stop_gradient(high), high, low))

    def equations(z):
        return np.where(is_inside, matrix.T @ (matrix @ z - b), z - ends)

    return root_of(equations, found)


def nnls(A, b, *, maxiter=None, atol=None):
    """(the x >= 0 with the least |A x - b|, that norm).

    Raises RuntimeError where `maxiter` steps, 3 n without it, are not enough.
    """
    matrix, b = np.asarray(A, np.float64), np.asarray(b, np.float64)
    if matrix.ndim != 2:
        raise ValueError("Expected a 2-D array")
    if b.ndim != 1:
        raise ValueError("Expected a 1-D array")
    if len(b) != len(matrix):
        raise ValueError("Incompatible dimensions")
    n = matrix.shape[1]
    low, high = np.zeros(n), np.full(n, np.inf)
    found, is_inside, _, is_found = within_box(
        stop_gradient(matrix), stop_gradient(b), low, high, np.zeros(n), np.full(n, False),
        3 * n if maxiter is None else maxiter,
    )  # fmt: skip
    if not is_found:
        raise RuntimeError("Maximum number of iterations reached.")
    x = with_slopes(matrix, b, low, high, found, is_inside)
    return x, np.sqrt(np.sum((matrix @ x - b) ** 2))


def ends_of(bounds, n):
    """Two vectors of bounds: of a pair of numbers or arrays, or of what has `lb` and `ub`."""
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    if hasattr(bounds, "lb"):
        return np.full(n, 1.0) * np.asarray(bounds.lb, np.float64), np.full(n, 1.0) * np.asarray(bounds.ub, np.float64)
    if len(bounds) != 2:
        raise ValueError("`bounds` must contain 2 elements.")
    return np.full(n, 1.0) * np.asarray(bounds[0], np.float64), np.full(n, 1.0) * np.asarray(bounds[1], np.float64)


def active_mask(x, low, high, is_inside):
    return np.where(is_inside, 0, np.where(x <= low, -1, np.where(x >= high, 1, 0)))


def lsq_linear(
    A, b, bounds=None, method="trf", tol=1e-10, lsq_solver=None, lsmr_tol=None, max_iter=None, verbose=0, *,
    lsmr_maxiter=None,
):  # fmt: skip
    """The x with the least |A x - b|^2 / 2 within bounds, of shape (n,); `res.x`, `res.cost`, `res.active_mask`.

    bounds    (low, high), numbers or arrays, or a `Bounds`
    method    "trf" or "bvls", which mean the same here: the minimum is exact
    """
    if method not in ("trf", "bvls"):
        raise ValueError("`method` must be 'trf' or 'bvls'")
    matrix, b = np.asarray(A, np.float64), np.asarray(b, np.float64)
    if matrix.ndim != 2:
        raise ValueError("`A` must have at most 2 dimensions.")
    if b.ndim != 1 or len(b) != len(matrix):
        raise ValueError("Inconsistent shapes between `A` and `b`.")
    n = matrix.shape[1]
    low_given, high_given = ends_of(bounds, n)
    low, high = stop_gradient(low_given), stop_gradient(high_given)
    if np.any(low >= high):
        raise ValueError("Each lower bound must be strictly less than each upper bound.")
    start = np.where(np.isfinite(low), np.where(np.isfinite(high), 0.5 * (low + high), low + 1.0), 0.0)
    start = np.where(np.logical_and(~np.isfinite(low), np.isfinite(high)), high - 1.0, start)
    found, is_inside, steps, is_found = within_box(
        stop_gradient(matrix), stop_gradient(b), low, high, start, np.full(n, True),
        10 * n if max_iter is None else max_iter,
    )  # fmt: skip
    x = with_slopes(matrix, b, low_given, high_given, found, is_inside)
    residual = matrix @ x - b
    gradient = matrix.T @ residual
    status = 1 if is_found else 0
    return dict_of_class(
        OptimizeResult, x=x, fun=residual, cost=0.5 * np.sum(residual * residual), nit=steps, status=status,
        optimality=np.max(np.abs(np.where(is_inside, gradient, 0.0))), success=status > 0,
        active_mask=active_mask(found, low, high, is_inside) * (1.0 if bounds is None or method == "bvls" else 1),
        message="The first-order optimality measure is less than `tol`." if is_found else
        "The maximum number of iterations is exceeded.",
    )  # fmt: skip
