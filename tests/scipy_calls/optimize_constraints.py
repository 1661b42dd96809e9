"""Minima within constraints, linear programmes, and least squares within bounds and by losses."""

import numpy as np

HEAD = """
from scipy.integrate import odeint, solve_ivp
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, curve_fit, least_squares, linprog
from scipy.optimize import lsq_linear, minimize, nnls


def valley(x, a):
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (a - x[0]) ** 2


def solved(found):
    return found.x, found.fun, found.success, found.message


def weights(risk, returns, least):
    return minimize(
        lambda w: w @ risk @ w, np.full(3, 1.0 / 3.0), method="SLSQP", bounds=[(0.0, 0.7)] * 3, options={"ftol": 1e-12},
        constraints=[
            {"type": "eq", "fun": lambda w: np.sum(w) - 1.0},
            {"type": "ineq", "fun": lambda w, least: w @ returns - least, "args": (least,)},
        ],
    )


def decay(t, scale, rate, rest):
    return scale * np.exp(-rate * t) + rest


def programme(found):
    return (
        found.x, found.fun, found.status, found.slack, found.con, found.ineqlin.marginals, found.eqlin.marginals,
        found.lower.marginals, found.upper.marginals,
    )


def fit(found):
    return found.x, found.cost, found.active_mask, found.success


def swing(y, t, b):
    return [y[1], -b * y[1] - 5.0 * np.sin(y[0])]
"""
draw = np.random.default_rng(2)
t = np.linspace(0.0, 4.0, 12)
y = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.02 * np.sin(9.0 * t)
y[3] += 0.8
MORE = """
def rough(p, t, y):
    return decay(t, p[0], p[1], p[2]) - y


def stiff(t, y, m):
    return [y[1], m * (1.0 - y[0] ** 2) * y[1] - y[0]]
"""
HEAD = HEAD + MORE.rstrip() + "\n"
ARRAYS = {
    "a": np.float64(1.2), "t": t, "y": y, "A": draw.uniform(size=(6, 4)), "b": np.array([0.9, 0.1, 1.2, 0.7, 0.3, 0.8]),
    "M": np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.06]]), "m": np.array([0.08, 0.12, 0.1]),
    "least": np.float64(0.1), "c": np.array([-1.0, -2.5, -1.5, 0.3]),
}  # fmt: skip
RTOL, SLOPE_RTOL = 2e-5, 1e-4
CALLS = """
solved(weights(M, m, least))
weights(M, m, least).multipliers
minimize(valley, [0.5, 0.5], args=(a,), constraints={"type": "ineq", "fun": lambda x: 1.0 - x @ x}, tol=1e-10).x
minimize(valley, [0.5, 0], (a,), "SLSQP", bounds=Bounds([0, -0.5], [0.9, 2.0]), tol=1e-10).x
minimize(valley, [0.5, 0.1], (a,), constraints=LinearConstraint([[1, 2], [2, 1]], [-np.inf, 1], [1, 1]), tol=1e-10).x
minimize(valley, [0.5, 0.1], (a,), constraints=NonlinearConstraint(lambda x: x @ x, 0.3, 0.5), tol=1e-10).x
minimize(lambda x: x[0] * x[3] * np.sum(x[:3]) + x[2] * a, [1.0, 5, 5, 1], bounds=[(1, 5)] * 4, constraints=(
minimize(valley, [-1.2, 1.0], args=(a,), method="Powell").nfev
minimize(valley, [-1.2, 0.5], args=(a,), method="TNC", bounds=[(-2.0, 2.0), (None, 0.8)], tol=1e-8).x
programme(linprog(c, A, b))
programme(linprog(c, A[:3], b[:3], A[3:4], b[3:4], bounds=[(0, 1), (None, None), (-1, 0.1), (0, None)]))
linprog(c, A_eq=A[:1], b_eq=-b[:1]).status
linprog(c, bounds=(None, 1.0)).status
linprog(-c, A[:2], b[:2], bounds=(None, 1.0)).success
nnls(A, b)
fit(lsq_linear(A, b, (-0.1, 0.4)))
fit(lsq_linear(A, b, ([-np.inf, 0.0, 0.1, -1.0], [np.inf, 0.2, 0.3, 0.0]), method="bvls"))
fit(lsq_linear(A, b))
fit(least_squares(rough, [1.0, 1, 1], args=(t, y), bounds=(0, [2.2, np.inf, 9]), xtol=1e-12, ftol=1e-12))
least_squares(rough, [1.0, 1.0, 1.0], args=(t, y), loss="soft_l1", f_scale=0.1).nfev
least_squares(rough, [1.0, 1.0, 1.0], args=(t, y), loss="huber", f_scale=0.1, x_scale=[2, 1, 1]).cost
least_squares(rough, [1.0, 1.0, 1.0], args=(t, y), loss="cauchy", f_scale=0.1).nfev
least_squares(rough, [1.0, 1.0, 1.0], args=(t, y), loss="arctan", f_scale=0.5).cost
curve_fit(decay, t, y, bounds=(0.0, [3.0, 2.0, 1.0]))[0]
curve_fit(decay, t, y, bounds=([0, 0, 0.6], [3.0, 2.0, 1.0]), ftol=1e-14, xtol=1e-14)[1]
curve_fit(decay, t, y, [2.0, 1.0, 0.4], 0.1 + 0.1 * t, True, method="trf", loss="soft_l1", ftol=1e-13, xtol=1e-13)
odeint(swing, [3.0, 0.0], np.linspace(0.0, 5.0, 7), args=(a,))
odeint(lambda t, y: -a * y, 2.0, [0.0, 1.0, 2.0], tfirst=True, rtol=1e-10, atol=1e-12)
odeint(lambda y, t: -a * y, [1.0, 2.0], [0.0, 1.0, 1.0, 3.0])
linprog(c[:2], A[:, :2], b, bounds=[(0, None), (None, 2.0)]).x
solve_ivp(stiff, (0, 300.0), [2.0, 0.0], "LSODA", t_eval=[60.0], args=(90.0 * a,), rtol=1e-9, atol=1e-10).y
"""
CALLS = CALLS.replace(
    "constraints=(\n",
    "tol=1e-10, constraints=("
    '{"type": "eq", "fun": lambda x: x @ x - 40.0}, {"type": "ineq", "fun": lambda x: np.prod(x) - 25.0})).x\n',
)
SMOOTH = """
weights(M, m, least).x
minimize(valley, [0.5, 0.5], args=(a,), constraints={"type": "ineq", "fun": lambda x: a - x @ x}, tol=1e-13).x
linprog(c, A, b).x
linprog(c, A, b).ineqlin.marginals
linprog(c, A, b).fun
nnls(A, b)[0]
lsq_linear(A, b, (-0.1 * a, 0.4 * a)).x
"""
