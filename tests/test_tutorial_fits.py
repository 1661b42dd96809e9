"""Programs of tutorials around constraints, fits, linear programmes and `odeint`: SciPy's numbers."""

import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp
from scipy.optimize import (
    Bounds,
    LinearConstraint,
    NonlinearConstraint,
    curve_fit,
    fixed_point,
    least_squares,
    linprog,
    lsq_linear,
    minimize,
    nnls,
)

import pellucid

DRAW = np.random.default_rng(7)


def minimum_variance(mean, covariance, target):
    """The portfolio of least variance with a return, without short sales."""
    n = len(mean)
    constraints = (
        {"type": "eq", "fun": lambda w: np.sum(w) - 1},
        {"type": "ineq", "fun": lambda w: w @ mean - target},
    )
    found = minimize(
        lambda w: np.sqrt(w.T @ covariance @ w), np.ones(n) / n, method="SLSQP",
        bounds=tuple((0, 1) for _ in range(n)), constraints=constraints, options={"ftol": 1e-10},
    )  # fmt: skip
    return found.x


def largest_sharpe_ratio(mean, covariance, rate):
    def negative(w):
        return -(np.dot(w, mean) - rate) / np.sqrt(np.dot(w.T, np.dot(covariance, w)))

    start = np.full(len(mean), 1.0 / len(mean))
    found = minimize(
        negative, start, method="SLSQP", bounds=[(0.0, 0.5)] * 4, options={"ftol": 1e-12},
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
    )  # fmt: skip
    return found.x, -found.fun


def enzyme(substrate, velocity):
    """Michaelis and Menten's rates, with bounds; deviations of the parameters."""

    def rate(s, vmax, km):
        return vmax * s / (km + s)

    popt, pcov = curve_fit(rate, substrate, velocity, p0=[1.0, 1.0], bounds=(0, [10.0, 5.0]))
    return popt, np.sqrt(np.diag(pcov))


def gaussian_peak(x, counts):
    def peak(x, amplitude, centre, width, rest):
        return amplitude * np.exp(-((x - centre) ** 2) / (2 * width**2)) + rest

    popt, _ = curve_fit(
        peak, x, counts, p0=[counts.max(), x[np.argmax(counts)], 1.0, 0.0], sigma=np.sqrt(counts + 1.0),
        absolute_sigma=True,
    )  # fmt: skip
    return popt


def robust_line(x, y):
    def misfit(p, x, y):
        return p[0] + p[1] * x - y

    plain = least_squares(misfit, np.ones(2), args=(x, y))
    robust = least_squares(misfit, np.ones(2), loss="soft_l1", f_scale=0.1, args=(x, y))
    heavy = least_squares(misfit, np.ones(2), loss="cauchy", f_scale=0.1, args=(x, y))
    return plain.x, robust.x, heavy.x


def transport(costs, supply, demand):
    """From two plants to three markets."""
    m, n = costs.shape
    a_ub = np.zeros((m, m * n))
    a_eq = np.zeros((n, m * n))
    for i in range(m):
        a_ub[i, i * n : (i + 1) * n] = 1
    for j in range(n):
        a_eq[j, j::n] = 1
    res = linprog(costs.ravel(), A_ub=a_ub, b_ub=supply, A_eq=a_eq, b_eq=demand, method="highs")
    return res.x.reshape(m, n), res.fun, res.ineqlin.marginals


def diet(prices, nutrients, needs):
    res = linprog(prices, A_ub=-nutrients, b_ub=-needs, bounds=[(0, 3)] * 4)
    return res.x, res.fun, res.success


def zero_sum_game(payoff):
    """The strategy that loses least, whatever the other player does: the value is the last variable."""
    m, n = payoff.shape
    c = np.append(np.zeros(m), -1.0)
    a_ub = np.concatenate([-payoff.T, np.ones((n, 1))], axis=1)
    a_eq = np.append(np.ones(m), 0.0)[None, :]
    res = linprog(c, A_ub=a_ub, b_ub=np.zeros(n), A_eq=a_eq, b_eq=[1.0], bounds=[(0, None)] * 3 + [(None, None)])
    return res.x


def predators(t, a, b):
    def change(z, t, a, b, c, d):
        x, y = z
        return [a * x - b * x * y, -c * y + d * x * y]

    return odeint(change, [10.0, 5.0], t, args=(a, b, 1.5, 0.075))


def pendulum(t, b, c):
    def pend(y, t, b, c):
        theta, omega = y
        dydt = [omega, -b * omega - c * np.sin(theta)]
        return dydt

    return odeint(pend, [np.pi - 0.1, 0.0], t, args=(b, c))


def epidemic(t, infected):
    """The rates of an epidemic from its numbers, by curve_fit around odeint."""

    def deriv(y, t, beta, gamma):
        s, i, r = y
        return -beta * s * i, beta * s * i - gamma * i, gamma * i

    def curve(t, beta, gamma):
        return odeint(deriv, (0.99, 0.01, 0.0), t, args=(beta, gamma))[:, 1]

    popt, _ = curve_fit(curve, t, infected, p0=[0.5, 0.2], bounds=(0.0, 2.0))
    return popt


def lorenz(rho):
    sol = solve_ivp(
        lambda t, s: [10.0 * (s[1] - s[0]), s[0] * (rho - s[2]) - s[1], s[0] * s[1] - 8.0 / 3.0 * s[2]], (0.0, 3.0),
        [1.0, 1.0, 1.0], method="LSODA", t_eval=np.linspace(0.0, 3.0, 7), rtol=1e-9, atol=1e-9,
    )  # fmt: skip
    return sol.y


def mixture(spectra, measured):
    """How much of each substance there is."""
    amounts, rest = nnls(spectra, measured)
    within = lsq_linear(spectra, measured, bounds=(0, 0.5)).x
    return amounts, rest, within


def can(volume):
    """The least area of a cylinder that holds a volume."""
    area = lambda x: 2 * np.pi * x[0] ** 2 + 2 * np.pi * x[0] * x[1]  # noqa: E731
    holds = NonlinearConstraint(lambda x: np.pi * x[0] ** 2 * x[1], volume, np.inf)
    shape = LinearConstraint([[-3.0, 1.0]], -np.inf, 0.0)
    return minimize(area, [3.0, 5.0], method="SLSQP", bounds=Bounds([0.1, 0.1], [20, 20]), constraints=[holds, shape]).x


def friction_factor(reynolds, roughness):
    """Colebrook and White's, as a fixed point."""
    x = fixed_point(lambda x: -2.0 * np.log10(roughness / 3.7 + 2.51 * x / reynolds), 7.0)
    return 1.0 / x**2


LINE = np.linspace(0.0, 10.0, 15)
SPEEDS = np.array([0.02, 0.06, 0.11, 0.22, 0.56, 1.1])
SICK = np.array([0.01, 0.0294, 0.0764, 0.1593, 0.2377, 0.2532, 0.2152, 0.1607, 0.1117, 0.0744])
MEAN = np.array([0.12, 0.18, 0.10, 0.15])
ROOT = DRAW.normal(size=(4, 4))
COVARIANCE = 0.01 * (ROOT @ ROOT.T) + 0.02 * np.eye(4)
OUTLIERS = 0.5 + 2.0 * LINE + 0.1 * DRAW.normal(size=15) + np.where(np.arange(15) % 6 == 2, 8.0, 0.0)
PEAK = np.round(90.0 * np.exp(-((LINE - 4.2) ** 2) / 2.0) + 5.0)
PROGRAMS = [
    (minimum_variance, (MEAN, COVARIANCE, 0.14), 1e-4),
    (largest_sharpe_ratio, (MEAN, COVARIANCE, 0.02), 1e-4),
    (enzyme, (SPEEDS, np.array([0.61, 1.02, 1.31, 1.53, 1.92, 2.04])), 1e-4),
    (gaussian_peak, (LINE, PEAK), 1e-5),
    (robust_line, (LINE, OUTLIERS), 1e-4),
    (transport, (np.array([[8.0, 6, 10], [9, 12, 13]]), np.array([35.0, 50]), np.array([20.0, 30, 25])), 1e-8),
    (diet, (np.array([2.0, 3.5, 1.0, 8.0]), DRAW.uniform(1, 9, size=(3, 4)), np.array([12.0, 15, 9])), 1e-8),
    (zero_sum_game, (np.array([[0.0, -1, 2], [1, 0, -1], [-1, 1.5, 0]]),), 1e-8),
    (predators, (np.linspace(0.0, 15.0, 40), 1.0, 0.1), 1e-5),
    (pendulum, (np.linspace(0.0, 10.0, 30), 0.25, 5.0), 1e-5),
    (lorenz, (28.0,), 1e-5),
    (mixture, (DRAW.uniform(size=(8, 3)), DRAW.uniform(size=8)), 1e-8),
    (can, (355.0,), 1e-4),
    (friction_factor, (1e5, 2e-4), 1e-10),
]


def held(function, given, rtol):
    found, wanted = pellucid.compile(function)(*given), function(*given)
    if not isinstance(wanted, tuple):
        found, wanted = (found,), (wanted,)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * np.max(np.abs(other)))


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("function", "given", "rtol"), PROGRAMS, ids=[one[0].__name__ for one in PROGRAMS])
def test_programs_have_scipys_numbers(function, given, rtol):
    held(function, given, rtol)


@pytest.mark.long
def test_a_fit_around_odeint():
    """Both methods of LSODA, and their derivatives, four times: long to compile."""
    held(epidemic, (np.linspace(0.0, 18.0, 10), SICK), 1e-3)


def on_disc(a):
    return minimize(
        lambda x: (x[0] - a) ** 2 + (x[1] - 2.0) ** 2, [0.5, 0.5], tol=1e-10,
        constraints={"type": "ineq", "fun": lambda x: 1.0 - x @ x},
    ).x  # fmt: skip


def amounts(measured):
    return nnls(np.array([[1.0, 0.2], [0.3, 1.0], [0.5, 0.4]]), measured)[0]


def best(limits):
    return linprog(np.array([-1.0, -2.0]), np.array([[1.0, 1.0], [0.2, 1.0], [1.0, 0.1]]), limits).x


MEASURED = DRAW.uniform(-0.5, 1.0, size=(4, 3))


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    ("function", "examples"),
    [(on_disc, np.array([0.2, 1.0, 2.0])), (amounts, MEASURED), (best, np.abs(MEASURED))],
    ids=["minimize", "nnls", "linprog"],
)
def test_each_example_has_its_own_iterations(function, examples):
    wanted = [function(one) for one in examples]
    np.testing.assert_allclose(pellucid.vmap(function)(examples), wanted, rtol=1e-6, atol=1e-9)
