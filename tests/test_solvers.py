"""Programs around SciPy's solvers, as they are written: SciPy's numbers, and the derivatives of what is found."""

import numpy as np
import pytest
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import (
    OptimizeResult,
    brentq,
    curve_fit,
    least_squares,
    linprog,
    minimize,
    minimize_scalar,
    newton,
)

import pellucid

# --- programs --------------------------------------------------------------------------------------------------------


def predators(rate, start):
    def change(t, z, death):
        prey, hunters = z
        return [rate * prey - 0.7 * prey * hunters, -death * hunters + 0.5 * prey * hunters]

    return solve_ivp(change, (0.0, 8.0), start, args=(1.1,), t_eval=np.linspace(0.0, 8.0, 9), rtol=1e-9, atol=1e-9).y


def bounces(height):
    def fall(t, y):
        return [y[1], -9.81]

    def ground(t, y):
        return y[0]

    ground.terminal = True
    ground.direction = -1
    times = []
    y = np.array([height, 0.0])
    t = 0.0
    for _ in range(3):
        sol = solve_ivp(fall, (t, t + 10.0), y, events=ground, rtol=1e-8)
        t = sol.t[-1]
        times.append(t)
        y = np.array([1e-9, -0.8 * sol.y[1, -1]])
    return np.array(times)


def shot(length):
    """The speed with which a pendulum reaches its top at time 1."""

    def miss(speed):
        fall = lambda t, y: [y[1], -9.81 / length * np.sin(y[0])]  # noqa: E731
        sol = solve_ivp(fall, (0.0, 1.0), [0.0, speed], t_eval=np.array([1.0]), rtol=1e-9, atol=1e-9)
        return sol.y[0, -1] - np.pi

    return brentq(miss, 1.0, 20.0)


def portfolio(aversion):
    returns = np.array([0.08, 0.12, 0.10])
    risk = np.array([[0.04, 0.01, 0.00], [0.01, 0.09, 0.02], [0.00, 0.02, 0.06]])

    def loss(w):
        return aversion * (w @ risk @ w) - w @ returns + 10.0 * (np.sum(w) - 1.0) ** 2

    return minimize(loss, np.full(3, 0.33), method="L-BFGS-B", bounds=[(0.0, 0.4)] * 3, tol=1e-13).x


def anomaly(eccentricity, mean):
    return newton(
        lambda e: e - eccentricity * np.sin(e) - mean, mean, fprime=lambda e: 1.0 - eccentricity * np.cos(e), tol=1e-13
    )


def mass(width, end):
    return quad(lambda x: np.exp(-0.5 * (x / width) ** 2), -np.inf, end, epsabs=1e-12, epsrel=1e-12)[0]


def classified(weight):
    x = np.array([[1.0, 0.2], [1.0, 1.4], [1.0, -0.7], [1.0, 2.1], [1.0, 0.4], [1.0, -1.3]])
    labels = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0])

    def loss(w):
        z = x @ w
        return np.sum(np.logaddexp(0.0, z) - labels * z) + 0.5 * weight * np.sum(w**2)

    return minimize(loss, np.zeros(2), method="Newton-CG", tol=1e-10).x


def fitted(scale):
    t = np.linspace(0.0, 3.0, 12)
    y = scale * np.exp(-0.9 * t) + 0.02 * np.cos(7.0 * t)
    return curve_fit(lambda t, a, k: a * np.exp(-k * t), t, y, p0=[1.0, 1.0], xtol=1e-13, ftol=1e-13)[0]


def valley(side):
    return minimize(lambda x: 100.0 * (x[1] - x[0] ** 2) ** 2 + (side - x[0]) ** 2, [-1.2, 1.0], tol=1e-9).x


def farthest(slope):
    return minimize_scalar(lambda x: np.exp(-x) + slope * x * x, bracket=(0.0, 1.0)).x


START = np.array([1.0, 0.8])
PROGRAMS = [
    (predators, (1.5, START), 1e-9), (bounces, (2.0,), 1e-6), (shot, (1.2,), 1e-8), (portfolio, (1.7,), 1e-5),
    (anomaly, (0.3, np.array([0.4, 1.9, 3.0])), 1e-12), (mass, (0.8, 0.5), 1e-9), (fitted, (2.3,), 1e-6),
    (valley, (1.1,), 1e-4), (farthest, (0.6,), 1e-6),
]  # fmt: skip
IDS = [function.__name__ for function, _, _ in PROGRAMS]


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("function", "given", "rtol"), PROGRAMS, ids=IDS)
def test_programs_have_scipys_numbers(function, given, rtol):
    np.testing.assert_allclose(pellucid.compile(function)(*given), function(*given), rtol=rtol)


SLOPES = [one for one in PROGRAMS if one[0] is not bounces] + [(classified, (0.5,), 1e-6)]


@pytest.mark.long
@pytest.mark.parametrize(("function", "given", "_"), SLOPES, ids=[one[0].__name__ for one in SLOPES])
def test_derivatives_of_programs_are_slopes(function, given, _):
    """By differences of the compiled program along its first argument, in both modes."""
    found = pellucid.compile(function)
    first, *rest = given
    h = 1e-4
    sides = [np.asarray(found(first + k * h, *rest)) for k in (-2, -1, 1, 2)]
    wanted = (8.0 * (sides[2] - sides[1]) - (sides[3] - sides[0])) / (12.0 * h)
    tangents = (1.0, *(np.zeros_like(one) if isinstance(one, np.ndarray) else 0.0 for one in rest))
    rtol = 1e-3 if function is farthest else 2e-5  # minima by values alone are found to half of the digits
    np.testing.assert_allclose(pellucid.jvp(function, given, tangents)[1], wanted, rtol=rtol, atol=1e-6)
    weights = 1.0 + 0.3 * np.arange(np.size(wanted)).reshape(np.shape(wanted))
    if function is shot:
        return  # reverse mode through a root of a whole solution takes a minute to compile

    def weighted(*values):
        made = np.ravel(function(*values))
        return np.sum((1.0 + 0.3 * np.arange(made.size)) * made)

    bar = pellucid.grad(weighted)(*given)
    np.testing.assert_allclose(bar, np.sum(weights * wanted), rtol=rtol, atol=1e-6)


def test_gradients_are_forward_sensitivities():
    """Of a linear oscillator, whose sensitivities are solutions of their own equations."""

    def last(stiffness):
        spring = lambda t, y: [y[1], -stiffness * y[0]]  # noqa: E731
        return solve_ivp(spring, (0.0, 4.0), [1.0, 0.0], rtol=1e-11, atol=1e-11).y[0, -1]

    root = np.sqrt(1.7)
    wanted = -np.sin(4.0 * root) * 4.0 / (2.0 * root)
    assert pellucid.grad(last)(1.7) == pytest.approx(wanted, rel=1e-8)


def test_solutions_of_many_at_once():
    def last(start):
        return solve_ivp(lambda t, y: [y[1], -np.sin(y[0])], (0.0, 3.0), start, t_eval=np.array([1.0, 3.0])).y

    starts = np.array([[1.0, 0.0], [0.0, 2.5], [2.0, 1.0]])
    np.testing.assert_allclose(pellucid.vmap(last)(starts), [last(start) for start in starts], rtol=1e-10)
    roots = pellucid.vmap(lambda a: brentq(lambda x: x**3 + a * x - 2.0, 0.0, 3.0))(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(roots, [1.0, 0.770917, 0.596072], rtol=1e-6)


@pytest.mark.long
def test_stiff_solutions_of_many_at_once():
    def last(s):
        change = lambda t, y: [-s * y[0] + y[1], -0.5 * y[1]]  # noqa: E731
        return solve_ivp(change, (0.0, 1.0), [1.0, 1.0], "Radau", t_eval=[0.5, 1.0]).y

    rates = np.array([3.0, 50.0, 700.0])
    np.testing.assert_allclose(pellucid.vmap(last)(rates), [last(s) for s in rates], rtol=1e-10)


def test_second_derivatives_of_a_root():
    def root(a):
        return brentq(lambda x: x**3 + a * x - 2.0, 0.0, 3.0)

    h = 1e-4
    slope = pellucid.grad(root)
    assert pellucid.grad(slope)(1.3) == pytest.approx((slope(1.3 + h) - slope(1.3 - h)) / (2.0 * h), rel=1e-6)


# --- certified regressions -------------------------------------------------------------------------------------------

MISRA = (
    [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0],
    [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78],
    lambda x, b: b[0] * (1.0 - np.exp(-b[1] * x)),
    [[500.0, 0.0001], [250.0, 0.0005]],
    [2.3894212918e02, 5.5015643181e-04],
)
DAN_WOOD = (
    [1.309, 1.471, 1.490, 1.565, 1.611, 1.680],
    [2.138, 3.421, 3.597, 4.340, 4.882, 5.660],
    lambda x, b: b[0] * x ** b[1],
    [[1.0, 5.0], [0.7, 4.0]],
    [7.6886226176e-01, 3.8604055871e00],
)
MGH09 = (
    [4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625],
    [0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246],
    lambda x, b: b[0] * (x**2 + x * b[1]) / (x**2 + x * b[2] + b[3]),
    [[0.25, 0.39, 0.415, 0.39]],
    [1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01],
)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("method", ["lm", "trf"])
@pytest.mark.parametrize("data", [MISRA, DAN_WOOD, MGH09], ids=["Misra1a", "DanWood", "MGH09"])
def test_nists_certified_regressions(data, method):
    x, y, model, starts, certified = data

    def fit(x, y, start):
        residuals = lambda b: model(x, b) - y  # noqa: E731
        return least_squares(residuals, start, method=method, x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=0.0).x

    compiled = pellucid.compile(fit)
    for start in starts:
        found = compiled(np.array(x), np.array(y), np.array(start))
        np.testing.assert_allclose(found, certified, rtol=1e-6)


# --- results ---------------------------------------------------------------------------------------------------------


class Settings(dict):
    __getattr__ = dict.__getitem__


def test_results_are_of_scipys_classes():
    found = pellucid.compile(lambda x: solve_ivp(lambda t, y: -y, (0.0, x), [1.0], dense_output=True))(2.0)
    assert type(found).__name__ == "OdeResult"
    assert found.success and found["status"] == 0
    assert found.sol(1.0)[0] == pytest.approx(np.exp(-1.0), rel=1e-2)
    assert type(pellucid.compile(lambda x: OptimizeResult(x=x, fun=x * 2.0))(1.0)) is OptimizeResult


def test_dicts_whose_items_are_attributes():
    assert pellucid.compile(lambda s: s.rate * s.scale)(Settings(rate=2.0, scale=3.0)) == 6.0
    made = pellucid.compile(lambda x: Settings(rate=x, scale=Settings(low=x + 1.0)))(1.0)
    assert type(made) is Settings and made.scale.low == 2.0
    with pytest.raises(pellucid.UnsupportedError, match="has no attribute `speed` here"):
        pellucid.compile(lambda s: s.speed)(Settings(rate=2.0))


REFUSED = [
    (lambda x: solve_ivp(lambda t, y: y, (0.0, 1.0), [x], method="Euler").y, "`method` must be one of"),
    (lambda x: solve_ivp(lambda t, y: y, (0.0, 1.0), [x], jac=[[1.0]]).y, "no meaning for RK45"),
    (lambda x: solve_ivp(lambda t, y: y, (0.0, 1.0), [x], "BDF", jac=[1.0]).y, "a row and a column for each"),
    (lambda x: brentq(lambda z: z * z + x, 0.0, 1.0), "must have different signs"),
    (lambda x: minimize(lambda z: z @ z, [x], method="BFGS", constraints=({"type": "eq"},)).x, 'for method="SLSQP"'),
    (lambda x: minimize(lambda z: z @ z, [x], callback=print).x, "takes no `callback=` here"),
    (lambda x: linprog([x], integrality=[1]).x, "finds no integers here"),
    (lambda x: odeint(lambda y, t: y, x, [0.0, 1.0], full_output=True)[0], "gives no full_output here"),
    (lambda x: least_squares(lambda z: z - x, 0.0, bounds=(1.0, 2.0)).x, "outside of provided bounds"),
    (lambda x: least_squares(lambda z: z - x, 0.0, loss="square").x, "`loss` must be one of"),
    (lambda x: solve_ivp(lambda t, y: y, (0.0, 1.0), [x], t_eval=np.array([2.0])).y, "not within `t_span`"),
]


@pytest.mark.parametrize(
    ("function", "message"), REFUSED, ids=[message for _, message in REFUSED],
)
def test_what_is_refused_says_so(function, message):
    with pytest.raises((ValueError, pellucid.CompileError), match=message):
        pellucid.compile(function)(1.0)


def test_attributes_of_functions_are_assigned_before_they_are_kept():
    def kept(x):
        def hit(t):
            return t * x

        several = [hit]
        hit.terminal = True
        return several[0](1.0)

    with pytest.raises(pellucid.PurityError, match="a function that is also kept elsewhere"):
        pellucid.compile(kept)(1.0)
