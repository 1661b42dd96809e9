"""Constraints of `minimize` as one vector of functions with limits.

    {"type": "ineq", "fun": g}, LinearConstraint(A, 0.0, b)     ->     low <= [g(x), A @ x] <= high

`LinearConstraint`, `NonlinearConstraint` and `Bounds` made in compiled functions hold what SciPy's hold; SciPy's
own, as arguments, are read as these.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Limits:
    lb: object
    ub: object

    @classmethod
    def of_python(cls, given):
        """SciPy's `Bounds`."""
        return Bounds(given.lb, given.ub)


@dataclasses.dataclass(frozen=True)
class Rows:
    A: object
    lb: object
    ub: object

    @classmethod
    def of_python(cls, given):
        """SciPy's `LinearConstraint`; a sparse matrix is made dense."""
        matrix = given.A.toarray() if hasattr(given.A, "toarray") else given.A
        return LinearConstraint(matrix, given.lb, given.ub, bool(np.any(given.keep_feasible)))


@dataclasses.dataclass(frozen=True)
class Limited:
    fun: object
    lb: object
    ub: object

    @classmethod
    def of_python(cls, given):
        """SciPy's `NonlinearConstraint`."""
        return NonlinearConstraint(given.fun, given.lb, given.ub, keep_feasible=bool(np.any(given.keep_feasible)))


def Bounds(lb=-np.inf, ub=np.inf, keep_feasible=False):
    """lb <= x <= ub, where both are numbers or arrays.  `keep_feasible` is what every method here does."""
    return Limits(np.asarray(lb, np.float64), np.asarray(ub, np.float64))


def LinearConstraint(A, lb=-np.inf, ub=np.inf, keep_feasible=False):
    """lb <= A @ x <= ub."""
    if not isinstance(keep_feasible, bool) or keep_feasible:
        raise ValueError("constraints are not kept on the way here: leave out `keep_feasible=`")
    return Rows(np.asarray(A, np.float64), np.asarray(lb, np.float64), np.asarray(ub, np.float64))


def NonlinearConstraint(fun, lb, ub, jac=None, hess=None, keep_feasible=False, finite_diff_rel_step=None):
    """lb <= fun(x) <= ub.  Derivatives are exact: `jac` and `hess` are not called."""
    if not isinstance(keep_feasible, bool) or keep_feasible:
        raise ValueError("constraints are not kept on the way here: leave out `keep_feasible=`")
    return Limited(fun, np.asarray(lb, np.float64), np.asarray(ub, np.float64))


def several(constraints):
    """Constraints as a list, dicts of equations first."""
    found = list(constraints) if isinstance(constraints, list | tuple) else [constraints]
    return [one for one in found if is_equation(one)] + [one for one in found if not is_equation(one)]


def is_equation(one):
    return isinstance(one, dict) and one["type"].lower() == "eq"


def value_of(one, x):
    """The vector of a constraint at x."""
    if isinstance(one, dict):
        further = one.get("args", ())
        return np.atleast_1d(one["fun"](x, *(further if isinstance(further, tuple) else (further,)))) * 1.0
    if hasattr(one, "fun"):
        return np.atleast_1d(one.fun(x)) * 1.0
    return np.atleast_1d(np.asarray(one.A, np.float64) @ x)


def values_of(constraints):
    """x -> the values of all constraints, of shape (m,)."""
    return lambda x: np.concatenate([np.zeros(0), *[value_of(one, x) for one in constraints]])


def limits_of(constraints, x):
    """The limits of the values, which all have at x, each of shape (m,)."""
    lows, highs = [np.zeros(0)], [np.zeros(0)]
    for one in constraints:
        none = np.zeros(len(value_of(one, x)))
        if isinstance(one, dict):
            kind = one["type"].lower()
            if kind not in ("eq", "ineq"):
                raise ValueError(f"Unknown constraint type '{kind}'.")
            lows.append(none)
            highs.append(none if kind == "eq" else none + np.inf)
        else:
            lows.append(none + one.lb)
            highs.append(none + one.ub)
    return np.concatenate(lows), np.concatenate(highs)
