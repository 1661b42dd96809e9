"""The DETEST problems: `solve_ivp` as near to their solutions as SciPy's, and gradients against forward sensitivities.

Source: T. E. Hull, W. H. Enright, B. M. Fellen and A. E. Sedgwick, Comparing Numerical Methods for Ordinary
Differential Equations (1972), SIAM Journal on Numerical Analysis 9; W. H. Enright, T. E. Hull and B. Lindberg,
Comparing Numerical Methods for Stiff Systems of O.D.E.s (1975), BIT 15.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pellucid

pytestmark = pytest.mark.rotated(3)

# --- A: single equations; B: small systems; C: moderate systems; D: orbits; E: equations of higher order -------------


def a1(t, y):
    return [-y[0]]


def a2(t, y):
    return [-(y[0] ** 3) / 2.0]


def a3(t, y):
    return [y[0] * np.cos(t)]


def a4(t, y):
    return [y[0] / 4.0 * (1.0 - y[0] / 20.0)]


def a5(t, y):
    return [(y[0] - t) / (y[0] + t)]


def b1(t, y):
    return [2.0 * (y[0] - y[0] * y[1]), -(y[1] - y[0] * y[1])]


def b2(t, y):
    return [-y[0] + y[1], y[0] - 2.0 * y[1] + y[2], y[1] - y[2]]


def b3(t, y):
    return [-y[0], y[0] - y[1] ** 2, y[1] ** 2]


def b4(t, y):
    r = np.sqrt(y[0] ** 2 + y[1] ** 2)
    return [-y[1] - y[0] * y[2] / r, y[0] - y[1] * y[2] / r, y[0] / r]


def b5(t, y):
    return [y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]]


def c1(t, y):
    out = np.zeros(10)
    for k in range(10):
        out[k] = (y[k - 1] if k > 0 else 0.0) - (y[k] if k < 9 else 0.0)
    return out


def c2(t, y):
    out = np.zeros(10)
    for k in range(10):
        out[k] = (k * y[k - 1] if k > 0 else 0.0) - ((k + 1.0) * y[k] if k < 9 else 0.0)
    return out


def c3(t, y):
    out = np.zeros(10)
    for k in range(10):
        out[k] = -2.0 * y[k] + (y[k - 1] if k > 0 else 0.0) + (y[k + 1] if k < 9 else 0.0)
    return out


def c4(t, y):
    out = np.zeros(51)
    for k in range(51):
        out[k] = -2.0 * y[k] + (y[k - 1] if k > 0 else 0.0) + (y[k + 1] if k < 50 else 0.0)
    return out


def orbit(t, y):
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return [y[2], y[3], -y[0] / cube, -y[1] / cube]


def e1(t, y):
    return [y[1], -(y[1] / (t + 1.0) + (1.0 - 0.25 / (t + 1.0) ** 2) * y[0])]


def e2(t, y):
    return [y[1], (1.0 - y[0] ** 2) * y[1] - y[0]]


def e3(t, y):
    return [y[1], y[0] ** 3 / 6.0 - y[0] + 2.0 * np.sin(2.78535 * t)]


def e4(t, y):
    return [y[1], 0.032 - 0.4 * y[1] ** 2]


def e5(t, y):
    return [y[1], np.sqrt(1.0 + y[1] ** 2) / (25.0 - t)]


BESSEL = [0.6713967071418031, 0.09540051444747446]  # J_1/2(1) and its derivative
UNIT = [1.0] + [0.0] * 9
PROBLEMS = {
    "A1": (a1, [1.0]), "A2": (a2, [1.0]), "A3": (a3, [1.0]), "A4": (a4, [1.0]), "A5": (a5, [4.0]),
    "B1": (b1, [1.0, 3.0]), "B2": (b2, [2.0, 0.0, 1.0]), "B3": (b3, [1.0, 0.0, 0.0]), "B4": (b4, [3.0, 0.0, 0.0]),
    "B5": (b5, [0.0, 1.0, 1.0]), "C1": (c1, UNIT), "C2": (c2, UNIT), "C3": (c3, UNIT), "C4": (c4, UNIT + [0.0] * 41),
    **{
        f"D{k}": (orbit, [1.0 - e, 0.0, 0.0, np.sqrt((1.0 + e) / (1.0 - e))])
        for k, e in enumerate((0.1, 0.3, 0.5, 0.7, 0.9), 1)
    },
    "E1": (e1, BESSEL), "E2": (e2, [2.0, 0.0]), "E3": (e3, [0.0, 0.0]), "E4": (e4, [30.0, 0.0]),
    "E5": (e5, [0.0, 0.0]),
}  # fmt: skip


def error_at(solve, exact, tolerance, given):
    return np.max(np.abs(solve(*given, tolerance) - exact)) / np.max(np.abs(exact))


def ends(f, method, t_end):
    """The solution at the end, as a function of the start and the tolerance."""
    return lambda y0, tolerance: solve_ivp(f, (0.0, t_end), y0, method, rtol=tolerance, atol=tolerance).y[:, -1]


@pytest.mark.long
@pytest.mark.parametrize("name", PROBLEMS)
def test_errors_are_scipys(name):
    """The steps are the same, and so is the error, but where stability cuts steps (C2) and rounding decides which."""
    f, start = PROBLEMS[name]
    start = np.array(start)
    exact = solve_ivp(f, (0.0, 20.0), start, "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    theirs = ends(f, "RK45", 20.0)
    ours = pellucid.compile(theirs)
    for tolerance in (1e-4, 1e-7, 1e-10):
        wanted = error_at(theirs, exact, tolerance, (start,))
        found = error_at(ours, exact, tolerance, (start,))
        assert found <= max(1.01 * wanted + 1e-12, 2.0 * tolerance)


# --- stiff -----------------------------------------------------------------------------------------------------------


def sa1(t, y):
    return [-0.5 * y[0], -y[1], -100.0 * y[2], -90.0 * y[3]]


def sc1(t, y):
    return [-y[0] + y[1] ** 2 + y[2] ** 2 + y[3] ** 2, -10.0 * y[1] + 10.0 * (y[2] ** 2 + y[3] ** 2),
            -40.0 * y[2] + 40.0 * y[3] ** 2, -100.0 * y[3] + 2.0]  # fmt: skip


def sd1(t, y):
    return [0.2 * (y[1] - y[0]), 10.0 * y[0] - (60.0 - 0.125 * y[2]) * y[1] + 0.125 * y[2], 1.0 + 0.0 * y[2]]


def sd3(t, y):
    meeting, pair = 100.0 * y[0] * y[1], 1e4 * y[1] ** 2
    return [y[2] - meeting, y[2] + 2.0 * y[3] - meeting - 2.0 * pair, -y[2] + meeting, -y[3] + pair]


def se2(t, y):
    return [y[1], 5.0 * (1.0 - y[0] ** 2) * y[1] - y[0]]


STIFF = {
    "A1": (sa1, [1.0] * 4, 20.0), "C1": (sc1, [1.0] * 4, 20.0),
    "D1": (sd1, [0.0, 0.0, 0.0], 400.0), "D3": (sd3, [1.0, 1.0, 0.0, 0.0], 20.0), "E2": (se2, [2.0, 0.0], 1.0),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "method"),
    [*((name, "LSODA") for name in STIFF), ("A1", "Radau"), ("D1", "Radau"), ("C1", "BDF"), ("D3", "BDF")],
)
def test_errors_of_stiff_problems_are_as_scipys(name, method):
    """With LSODA's other methods and exact Jacobians the steps are others: errors are of the same size."""
    f, start, t_end = STIFF[name]
    start = np.array(start)
    exact = solve_ivp(f, (0.0, t_end), start, "Radau", rtol=1e-10, atol=1e-12).y[:, -1]
    theirs = ends(f, method, t_end)
    ours = pellucid.compile(theirs)
    for tolerance in (1e-4, 1e-7):
        wanted = error_at(theirs, exact, tolerance, (start,))
        found = error_at(ours, exact, tolerance, (start,))
        assert found <= 10.0 * max(wanted, tolerance)


# --- gradients -------------------------------------------------------------------------------------------------------


def competition(t, y, p):
    return np.array([p[0] * (y[0] - y[0] * y[1]), -p[1] * (y[1] - y[0] * y[1])])


def rotation(t, y, p):
    return np.array([y[1] * y[2], -p[0] * y[0] * y[2], -p[1] * y[0] * y[1]])


def pull(t, y, p):
    return np.array([y[1], p[0] * (1.0 - y[0] ** 2) * y[1] - p[1] * y[0]])


def jacobians(f, y, p):
    """By complex steps: exact to rounding."""
    h = 1e-30
    of_y = [np.imag(f(0.0, y + 1j * h * row, p)) / h for row in np.eye(len(y))]
    of_p = [np.imag(f(0.0, y + 0j, p + 1j * h * row)) / h for row in np.eye(len(p))]
    return np.array(of_y).T, np.array(of_p).T


@pytest.mark.long
@pytest.mark.parametrize(
    ("f", "start", "p"),
    [(competition, [1.0, 3.0], [2.0, 1.0]), (rotation, [0.0, 1.0, 1.0], [1.0, 0.51]), (pull, [2.0, 0.0], [1.0, 1.0])],
    ids=["B1", "B5", "E2"],
)
def test_gradients_are_forward_sensitivities(f, start, p):
    """s' = (df/dy) s + df/dp, solved by SciPy beside y."""
    start, p = np.array(start), np.array(p)
    n, m, t_end = len(start), len(p), 8.0

    def both(t, z):
        y, s = z[:n], z[n:].reshape(n, m)
        of_y, of_p = jacobians(f, y, p)
        return np.concatenate([f(t, y, p), np.ravel(of_y @ s + of_p)])

    initial = np.concatenate([start, np.zeros(n * m)])
    exact = solve_ivp(both, (0.0, t_end), initial, "DOP853", rtol=1e-12, atol=1e-13).y[n:, -1].reshape(n, m)
    weights = 1.0 + 0.3 * np.arange(n)

    def last(p, start, weights):
        found = solve_ivp(f, (0.0, t_end), start, args=(p,), rtol=1e-10, atol=1e-10, t_eval=[t_end])
        return weights @ found.y[:, -1]

    np.testing.assert_allclose(pellucid.grad(last)(p, start, weights), weights @ exact, rtol=1e-6, atol=1e-8)
