"""Slopes of the rows that SciPy's compiled functions compute, by every operand, against mpmath; and what is refused."""

import mpmath
import numpy as np
import pytest
from scipy import special

import pellucid
from pellucid import grad, jvp
from pellucid.compiler.ops import OPERATORS
from pellucid.compiler.ops.special_functions import Refused
from tests.harness.operators import OperatorCase
from tests.harness.special_twins import INVERSES, REFUSED, TWINS
from tests.test_operators import emitted_cotangent

ROWS = [row for row in OPERATORS.values() if row.cpu.startswith("scipy ")]
OFTEN = "gammainc betainc kv ellipk erfcx rgamma boxcox i1".split()
APPROXIMATE = {"hyp2f1": 1e-8, "struve": 1e-8, "hyperu": 1e-8}
pytestmark = pytest.mark.filterwarnings("ignore:non-integer arg n:DeprecationWarning")


def given(value):
    return value if isinstance(value, int) else np.float64(value)


def wanted(twin, point, position):
    with mpmath.workdps(40):
        values = [mpmath.mpf(v) for v in point]
        order = tuple(int(k == position) for k in range(len(point)))
        return float(mpmath.re(mpmath.diff(twin, tuple(values), order) if len(point) > 1
                               else mpmath.diff(twin, values[0])))  # fmt: skip


def positions(row, point):
    """The operands that have a slope here: an order is an int, and has none."""
    for k, rule in enumerate(row.partials):
        if rule is not None and not isinstance(rule, Refused) and not isinstance(point[k], int):
            yield k


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.long] * (n not in OFTEN)) for n in TWINS])
def test_slopes_are_those_of_mpmath(name):
    row, (twin, points) = OPERATORS[name], TWINS[name]
    for point in points:
        point = point if isinstance(point, tuple) else (point,)
        case = OperatorCase(row, 0, type("Sample", (), {"operands": tuple(map(given, point)), "static": {}})())
        for k in positions(row, point):
            found, _ = emitted_cotangent(case, k, np.float64(1.0), symbolic=False)
            want = wanted(twin, point, k)
            rtol = APPROXIMATE.get(name, 2e-10)
            assert np.isclose(found, want, rtol=rtol, atol=1e-13), (name, point, k, float(found), want)


def test_every_row_has_a_twin_or_is_an_inverse():
    smooth = {row.name for row in ROWS if any(rule is not None for rule in row.partials)}
    assert smooth - {"gamma", "gammaln", "digamma"} <= {*TWINS, *INVERSES, *REFUSED}


# --- compiled: reverse, forward, second order, batches ---------------------------------------------------------------


def gamma_total(a, x):
    return np.sum(special.gammainc(a, x))


def beta_total(a, b, x):
    return np.sum(special.betainc(a, b, x))


def matern(nu, r):
    """Of the covariance that Gaussian processes take, with a learned smoothness."""
    scaled = np.sqrt(2.0 * nu) * r
    return np.sum(2.0 ** (1.0 - nu) / special.gamma(nu) * scaled**nu * special.kv(nu, scaled))


def twin_of_matern(nu, r):
    scaled = mpmath.sqrt(2 * nu) * r
    return 2 ** (1 - nu) / mpmath.gamma(nu) * scaled**nu * mpmath.besselk(nu, scaled)


A, B = np.array([0.3, 2.5, 40.0]), np.array([1.7, 0.6, 30.0])
X, U = np.array([0.5, 4.0, 37.0]), np.array([0.2, 0.7, 0.6])
PROGRAMS = [
    (gamma_total, TWINS["gammainc"][0], (A, X)),
    (beta_total, TWINS["betainc"][0], (A, B, U)),
    (matern, twin_of_matern, (A + 0.2, X)),
]


@pytest.mark.parametrize(("function", "twin", "at"), PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
def test_compiled_slopes(function, twin, at):
    """Reverse; forward; and the second derivative by the parameter and the bound."""
    bars = grad(function, tuple(range(len(at))))(*at)
    for k, bar in enumerate(bars):
        want = [wanted(twin, point, k) for point in zip(*at)]
        np.testing.assert_allclose(bar, want, rtol=1e-9)
        along = tuple(np.ones_like(x) if j == k else np.zeros_like(x) for j, x in enumerate(at))
        np.testing.assert_allclose(jvp(function, at, along)[1], np.sum(want), rtol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(("function", "twin", "at"), PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
def test_second_slopes_by_parameters(function, twin, at):
    last = len(at) - 1

    def slope(*given):
        return np.sum(grad(function)(*given))

    bars = grad(slope, (0, last))(*at)
    for places, bar in zip(((2,), (1, 1)), bars):
        order = (2, *[0] * last) if places == (2,) else (1, *[0] * (last - 1), 1)
        with mpmath.workdps(40):
            want = [float(mpmath.diff(twin, tuple(map(mpmath.mpf, point)), order)) for point in zip(*at)]
        np.testing.assert_allclose(bar, want, rtol=1e-7)


def test_batches_and_single_precision():
    table = np.stack([X, X + 0.5])
    found = pellucid.vmap(special.gammainc, (None, 0))(A, table)
    np.testing.assert_array_equal(found, special.gammainc(A, table))
    a, x = A.astype(np.float32), X.astype(np.float32)
    bar = grad(gamma_total)(a, x)
    assert bar.dtype == np.float32
    np.testing.assert_allclose(bar, grad(gamma_total)(A, X), rtol=1e-5)


def by_order(v, x):
    return np.sum(special.jv(v, x))


def test_a_slope_without_a_formula_is_refused_by_name():
    x = np.array([1.0, 2.0])
    assert np.allclose(grad(by_order, 1)(1.5, x), special.jvp(1.5, x))
    with pytest.raises(pellucid.PellucidError, match="`jv` has no derivative here with respect to its argument `v`"):
        grad(by_order)(np.float64(1.5), x)


def by_degree(x, n):
    return special.eval_legendre(n, x) + special.kn(n, 1.0 + x)


def test_orders_that_are_ints_have_none():
    assert np.isclose(grad(by_degree)(0.3, 3), 0.5 * (15 * 0.09 - 3) + special.kvp(3, 1.3))
