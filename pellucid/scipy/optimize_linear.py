"""`scipy.optimize.linprog`: linear programmes, by the simplex method with bounds on variables.

    linprog(c, A_ub, b_ub, A_eq, b_eq)     ->     [A_ub I 0; A_eq 0 0] x = b;  a variable enters the basis where its
                                                  reduced cost says so, another one leaves it at its bound

A first phase makes the sum of what is missing zero.  The cost that falls fastest enters, and after many steps that
change nothing the first (Bland's rule), so that it ends.  In the last basis B x_B = b - N x_N is solved anew: from that
x and the dual values have their derivatives, which are those of a programme whose basis is unique.

Source: V. Chvatal, Linear Programming (1983), chapters 3, 8 and 10.
"""

import numpy as np
from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient

TOLERANCE = 1e-9
METHODS = ("highs", "highs-ds", "highs-ipm")


def linprog(
    c, A_ub=None, b_ub=None, A_eq=None, b_eq=None, bounds=(0, None), method="highs", callback=None, options=None,
    x0=None, integrality=None,
):  # fmt: skip
    """The x with the least c @ x, where A_ub @ x <= b_ub, A_eq @ x = b_eq and x is within its bounds.

    c         shape (n,); `A_ub` (m, n), `b_ub` (m,), `A_eq` (k, n), `b_eq` (k,)
    bounds    a pair (low, high) for all variables, or one for each, None for none; or an array of shape (n, 2)
    method    "highs", "highs-ds" or "highs-ipm", which mean the same here

    `res.x`, `res.fun`, `res.slack`, `res.con`, `res.status` (0 found, 1 too many steps, 2 infeasible, 3 unbounded), and
    of `res.ineqlin`, `res.eqlin`, `res.lower` and `res.upper` the `residual` and `marginals`: the derivatives of the
    least cost by b_ub, b_eq and the bounds.  Where `status` is not 0, all of them are nan.
    """
    if method not in METHODS:
        raise ValueError(f"Unknown solver '{method}': there are {METHODS}, which mean the same here")
    if callback is not None or x0 is not None:
        raise ValueError("`linprog` takes neither `callback=` nor `x0=` here")
    if integrality is not None:
        raise ValueError("`linprog` finds no integers here: call `scipy.optimize.milp` outside")
    costs = np.atleast_1d(np.asarray(c, np.float64))
    n = len(costs)
    upper_rows, upper_sides = rows_of(A_ub, b_ub, n, "A_ub", "b_ub")
    equal_rows, equal_sides = rows_of(A_eq, b_eq, n, "A_eq", "b_eq")
    low, high = limits(bounds, n)
    rows = np.concatenate([upper_rows, equal_rows])
    sides = np.concatenate([upper_sides, equal_sides])
    m, k = len(sides), len(upper_sides)
    most = 5000 if options is None else options.get("maxiter", 5000)
    status, x_found, signs, basis, is_basic, steps = simplex(
        stop_gradient(costs), stop_gradient(rows), stop_gradient(sides), k, stop_gradient(low), stop_gradient(high),
        most,
    )  # fmt: skip
    x, duals = vertex(costs, rows, sides, k, low, high, x_found, signs, basis, is_basic)
    if status != 0:
        x, duals = np.full(n, np.nan), np.full(m, np.nan)
    slack = upper_sides - upper_rows @ x
    reduced = costs - duals @ rows
    held = np.where(is_basic[:n], 0.0, reduced)
    at_low = np.logical_and(x_found[:n] <= stop_gradient(low), held >= 0.0)
    return dict_of_class(
        OptimizeResult, x=x, fun=costs @ x, slack=slack, con=equal_sides - equal_rows @ x, status=status,
        success=status == 0, message=message_of(status), nit=steps, crossover_nit=0,
        ineqlin=sensitivities(slack, duals[:k]), eqlin=sensitivities(equal_sides - equal_rows @ x, duals[k:]),
        lower=sensitivities(x - low, np.where(at_low, held, 0.0)),
        upper=sensitivities(high - x, np.where(at_low, 0.0, held)),
    )  # fmt: skip


def sensitivities(residual, marginals):
    return dict_of_class(OptimizeResult, residual=residual, marginals=marginals)


def message_of(status):
    if status == 0:
        return "Optimization terminated successfully. (HiGHS Status 7: Optimal)"
    if status == 1:
        return "Iteration limit reached."
    return "The problem is infeasible." if status == 2 else "The problem is unbounded."


def rows_of(matrix, sides, n, name, side):
    if matrix is None and sides is None:
        return np.zeros((0, n)), np.zeros(0)
    if matrix is None or sides is None:
        raise ValueError(f"`{name}` and `{side}` go together")
    matrix, sides = np.asarray(matrix, np.float64), np.atleast_1d(np.asarray(sides, np.float64))
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise ValueError(f"Invalid input for linprog: {name} must have exactly two dimensions, and a column for each c")
    if len(sides) != len(matrix):
        raise ValueError(f"Invalid input for linprog: {side} must have as many elements as {name} has rows")
    return matrix, sides


def limits(bounds, n):
    """The bounds as two vectors, of shape (n,); infinite where there is none."""
    if bounds is None:
        return np.zeros(n), np.full(n, np.inf)
    if isinstance(bounds, np.ndarray):
        return bounds[:, 0] * 1.0, bounds[:, 1] * 1.0
    if len(bounds) == 2 and not isinstance(bounds[0], tuple | list | np.ndarray):
        low, high = (-np.inf if bounds[0] is None else bounds[0]), (np.inf if bounds[1] is None else bounds[1])
        return np.full(n, 1.0) * low, np.full(n, 1.0) * high
    low = np.array([-np.inf if pair[0] is None else pair[0] for pair in bounds], np.float64)
    high = np.array([np.inf if pair[1] is None else pair[1] for pair in bounds], np.float64)
    if len(low) == 1:
        return np.full(n, 1.0) * low, np.full(n, 1.0) * high
    if len(low) != n:
        raise ValueError("Invalid input for linprog: `bounds` must have a pair for each variable")
    return low, high


def simplex(costs, rows, sides, k, low, high, most):
    """(status, values of all columns, the signs of artificial ones, the basis, which are in it, steps).

    Columns are the variables, a slack for each of the first `k` rows and an artificial variable for every row.
    """
    n, m = len(costs), len(sides)
    width = n + k + m
    start = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
    missing = sides - rows @ start
    is_slack = np.logical_and(np.arange(m) < k, missing >= 0.0)
    signs = np.where(missing >= 0.0, 1.0, -1.0)
    table = np.zeros((m, width))
    table[:, :n] = rows * signs[:, None]
    table[:, n : n + k] = np.eye(m)[:, :k] * signs[:, None]
    table[:, n + k :] = np.eye(m)
    basis = np.where(is_slack, n + np.arange(m), n + k + np.arange(m))
    is_basic = np.full(width, False)
    is_basic[basis] = True
    x = np.concatenate([start, np.zeros(k + m)])
    x[basis] = np.abs(missing)
    least = np.concatenate([low, np.zeros(k + m)])
    largest = np.concatenate([high, np.full(k, np.inf), np.where(is_slack, 0.0, np.inf)])
    price = np.concatenate([np.zeros(n + k), np.ones(m)])
    scale = 1.0 + np.max(np.abs(costs))
    status, steps, idle, is_first = -1, 0, 0, np.bool_(True)
    if np.any(low > high):
        status = 2
    while status == -1:
        reduced = price - price[basis] @ table
        may_rise = np.logical_and(reduced < -TOLERANCE * scale, x < largest)
        may_fall = np.logical_and(reduced > TOLERANCE * scale, x > least)
        gains = np.where(np.logical_and(np.logical_or(may_rise, may_fall), ~is_basic), np.abs(reduced), 0.0)
        entering = np.argmax(gains if idle < 20 + m else np.where(gains > 0.0, 1.0, 0.0))
        if gains[entering] <= 0.0:
            if is_first:
                is_first = np.bool_(False)
                if np.sum(x[n + k :]) > 1e-8 * (1.0 + np.sum(np.abs(sides))):
                    status = 2
                largest[n + k :] = 0.0
                price = np.concatenate([costs, np.zeros(k + m)])
            else:
                status = 0
        elif steps >= most:
            status = 1
        else:
            steps += 1
            sign = 1.0 if reduced[entering] < 0.0 else -1.0
            column = table[:, entering] * 1.0
            change = -sign * column
            now = x[basis]
            room = np.where(change < 0.0, now - least[basis], largest[basis] - now)
            moves = np.abs(change) > TOLERANCE
            shares = np.where(moves, np.maximum(room, 0.0) / np.where(moves, np.abs(change), 1.0), np.inf)
            step, own = np.inf, largest[entering] - least[entering]
            leaving = 0
            if m > 0:
                step = np.min(shares)
                is_near = shares <= step + TOLERANCE * (1.0 + step)
                weights = np.where(is_near, np.abs(change), 0.0)
                leaving = np.argmax(weights if idle < 20 + m else np.where(is_near, 1.0 / (1.0 + basis), 0.0))
                step = shares[leaving]
            if min(step, own) == np.inf:
                status = 3
            else:
                x[basis] = now + min(step, own) * change
                idle = idle + 1 if min(step, own) <= TOLERANCE else 0
                if own <= step:
                    x[entering] = largest[entering] if sign > 0.0 else least[entering]
                else:
                    x[entering] = x[entering] + sign * step
                    gone = basis[leaving]
                    x[gone] = least[gone] if change[leaving] < 0.0 else largest[gone]
                    is_basic[gone] = False
                    is_basic[entering] = True
                    row = table[leaving] / column[leaving]
                    table = table - np.outer(column, row)
                    table[leaving] = row
                    basis[leaving] = entering
    return status, x, signs, basis, is_basic, steps


def vertex(costs, rows, sides, k, low, high, found, signs, basis, is_basic):
    """(x, dual values) of a basis, from the equations that it stands for."""
    n, m = len(costs), len(sides)
    columns = np.concatenate([rows, np.eye(m)[:, :k], np.diag(signs)], axis=1)
    is_low, is_high = found[:n] <= stop_gradient(low), found[:n] >= stop_gradient(high)
    ends = np.where(is_basic[:n], 0.0, np.where(is_low, low, np.where(is_high, high, 0.0)))
    square = columns[:, basis]
    values = np.linalg.solve(square, sides - rows @ ends)
    duals = np.linalg.solve(square.T, np.concatenate([costs, np.zeros(k + m)])[basis])
    x = np.concatenate([ends, np.zeros(k + m)])
    x[basis] = values
    return x[:n], duals
