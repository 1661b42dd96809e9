"""Fit of the Lotka-Volterra predator-prey model to counts: RK4 integration + Gauss-Newton.

The parameters are fitted in log space so that rates stay positive; the Jacobian comes from
forward sensitivities by finite differences, the step is halved while the cost grows.
"""
import numpy as np

PARAM_NAMES = ("alpha", "beta", "delta", "gamma")


def rhs(state, params):
    prey, pred = state
    alpha, beta, delta, gamma = params
    return np.array([
        alpha * prey - beta * prey * pred,
        delta * prey * pred - gamma * pred,
    ])


def rk4_step(f, y, h):
    k1 = f(y)
    k2 = f(y + 0.5 * h * k1)
    k3 = f(y + 0.5 * h * k2)
    k4 = f(y + h * k3)
    return y + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)


def simulate(params, y0, times, substeps=4):
    """State at every time of `times`, starting at times[0] from y0."""
    f = lambda y: rhs(y, params)
    y = np.asarray(y0, dtype=float)
    trajectory = [y]
    for t0, t1 in zip(times[:-1], times[1:]):
        h = (t1 - t0) / substeps
        for _ in range(substeps):
            y = rk4_step(f, y, h)
        trajectory.append(y)
    return np.array(trajectory)


def residuals(log_params, y0, times, observed):
    model = simulate(np.exp(log_params), y0, times)
    return (np.log(model) - np.log(observed)).ravel()


def jacobian(fun, x, eps=1e-6):
    columns = []
    for i in range(len(x)):
        xp, xm = x.copy(), x.copy()
        xp[i] += eps
        xm[i] -= eps
        columns.append((fun(xp) - fun(xm)) / (2 * eps))
    return np.column_stack(columns)


def gauss_newton(fun, x0, tol=1e-9, max_iter=12):
    x = np.array(x0)
    r = fun(x)
    cost = 0.5 * r @ r
    history = [cost]
    n_iter = 0
    while n_iter < max_iter:
        J = jacobian(fun, x)
        step = np.linalg.solve(J.T @ J + 1e-10 * np.eye(len(x)), -J.T @ r)
        scale = 1.0
        while scale > 1e-3:
            trial = x + scale * step
            r_trial = fun(trial)
            cost_trial = 0.5 * r_trial @ r_trial
            if cost_trial < cost:
                break
            scale *= 0.5
        else:
            break
        decrease = cost - cost_trial
        x, r, cost = trial, r_trial, cost_trial
        history.append(cost)
        n_iter += 1
        if decrease < tol * (1.0 + cost):
            break
    return x, r, J, history


def fit_lotka_volterra(times, observed, guess, y0=None):
    """Returns the fitted cost, the parameters as a dict, their standard errors and the fit.

    times : (T,), increasing
    observed : (T, 2) positive prey and predator densities
    guess : dict with alpha, beta, delta, gamma
    """
    missing = [name for name in PARAM_NAMES if name not in guess]
    if missing:
        raise ValueError(f"guess lacks {', '.join(missing)}")
    if np.any(np.diff(times) <= 0):
        raise ValueError("times must increase")
    if observed.shape != (len(times), 2):
        raise ValueError(f"observed has shape {observed.shape}, expected {(len(times), 2)}")
    if (observed <= 0).any():
        raise ValueError("densities must be positive")
    if len(times) < 4:
        raise ValueError("not enough points for four parameters")

    if y0 is None:
        y0 = observed[0]
    x0 = np.log([guess[name] for name in PARAM_NAMES])
    fun = lambda x: residuals(x, y0, times, observed)
    x, r, J, history = gauss_newton(fun, x0)

    dof = max(r.size - x.size, 1)
    sigma2 = (r @ r) / dof
    cov = sigma2 * np.linalg.inv(J.T @ J + 1e-12 * np.eye(len(x)))
    params = np.exp(x)
    std = params * np.sqrt(np.diag(cov))       # delta method
    return (
        history[-1],
        dict(zip(PARAM_NAMES, params)),
        dict(zip(PARAM_NAMES, std)),
        simulate(params, y0, times),
        len(history) - 1,
    )


ENTRY = "fit_lotka_volterra"


def make_arguments(rng, n):
    times = np.linspace(0.0, 6.0, n + 3)
    true = np.array([1.0, 0.5, 0.3, 0.8])
    clean = simulate(true, np.array([2.0, 1.0]), times)
    observed = clean * np.exp(0.03 * rng.standard_normal(clean.shape))
    guess = {k: float(v) for k, v in zip(PARAM_NAMES, true * np.exp(0.1 * rng.standard_normal(4)))}
    return (times, observed, guess)


GRADIENT = ("observed",)
ERRORS = [
    (lambda rng, n: (np.linspace(0, 1, n + 3)[::-1], np.ones((n + 3, 2)), {k: 1.0 for k in PARAM_NAMES}), ValueError),
    (lambda rng, n: (np.linspace(0, 1, n + 3), np.ones((n + 3, 2)), {"alpha": 1.0}), ValueError),
]
