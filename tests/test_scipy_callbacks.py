"""What compiled functions give is taken by SciPy as it is: values, gradients, Jacobians, Hessians and products."""

import io

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import scipy.stats

from pellucid import Array, compile, grad, hessian, hvp, jacfwd, value_and_grad
from pellucid.runtime import native_part

START, LEAST = np.array([1.3, 0.7, 0.8]), np.ones(3)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0)


def residuals(x):
    return np.concatenate([10.0 * (x[1:] - x[:-1] ** 2), 1 - x])


def stationary(x):
    return np.array([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]])


def decay(t, y):
    return np.array([-0.5 * y[0], 0.5 * y[0] - 0.1 * y[1]])


def curve(t, a, b):
    return a * np.exp(-b * t)


VALUE, SLOPE, BOTH, CURVATURE = compile(rosenbrock), grad(rosenbrock), value_and_grad(rosenbrock), hessian(rosenbrock)
FIRST_ORDER = ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr"]
SECOND_ORDER = ["Newton-CG", "trust-ncg", "trust-exact", "trust-krylov", "trust-constr"]
BOUNDED = ["L-BFGS-B", "TNC", "SLSQP", "trust-constr", "Nelder-Mead", "Powell", "COBYQA"]


@pytest.mark.parametrize("method", FIRST_ORDER)
def test_optimisers_take_values_and_gradients(method):
    for found in (
        scipy.optimize.minimize(VALUE, START, jac=SLOPE, method=method),
        scipy.optimize.minimize(BOTH, START, jac=True, method=method),
    ):
        assert np.allclose(found.x, LEAST, atol=1e-2)


@pytest.mark.parametrize("method", SECOND_ORDER)
def test_optimisers_take_hessians_and_their_products(method):
    found = [scipy.optimize.minimize(VALUE, START, jac=SLOPE, hess=CURVATURE, method=method)]
    if method != "trust-exact":
        product = compile(lambda x, v: hvp(rosenbrock, (x,), (1.0 * v,)))
        found.append(scipy.optimize.minimize(VALUE, START, jac=SLOPE, hessp=product, method=method))
    for one in found:
        assert np.allclose(one.x, LEAST, atol=1e-2)


@pytest.mark.parametrize("method", BOUNDED)
def test_optimisers_take_bounds_and_constraints(method):
    slopes = {} if method in ("Nelder-Mead", "Powell", "COBYQA") else {"jac": SLOPE}
    found = scipy.optimize.minimize(VALUE, START, method=method, bounds=[(0.0, 2.0)] * 3, **slopes)
    assert np.allclose(found.x, LEAST, atol=2e-2)
    if method in ("SLSQP", "trust-constr"):
        circle = compile(lambda x: x @ x)
        rule = {"type": "ineq", "fun": compile(lambda x: 2.0 - x @ x), "jac": grad(lambda x: 2.0 - x @ x)}
        found = scipy.optimize.minimize(VALUE, START, method=method, constraints=rule, jac=SLOPE)
        assert circle(found.x) < 2.0 + 1e-4


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares_takes_residuals_and_jacobians(method):
    found = scipy.optimize.least_squares(compile(residuals), START, jac=jacfwd(residuals), method=method)
    assert np.allclose(found.x, LEAST)


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov"])
def test_root_finders_take_functions_and_jacobians(method):
    slopes = {} if method == "krylov" else {"jac": jacfwd(stationary)}
    found = scipy.optimize.root(compile(stationary), np.array([0.5, 0.4]), method=method, **slopes)
    assert np.allclose(stationary(found.x), 0.0, atol=1e-5)


def test_scalar_root_finders_take_derivatives():
    def cube(x):
        return x**3 - 2.0

    value, slope, second = compile(cube), grad(cube), grad(grad(cube))
    for found in (
        scipy.optimize.brentq(value, 0.0, 2.0),
        scipy.optimize.newton(value, 1.0, fprime=slope, fprime2=second),
        scipy.optimize.root_scalar(value, x0=1.0, fprime=slope, fprime2=second, method="halley").root,
        scipy.optimize.minimize_scalar(compile(lambda x: (x**3 - 2.0) ** 2), bounds=(0.5, 2.0), method="bounded").x,
    ):
        assert found == pytest.approx(2.0 ** (1 / 3), abs=1e-4)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_integrators_take_right_hand_sides_and_jacobians(method):
    slopes = (
        {"jac": compile(lambda t, y: jacfwd(decay, argnums=1)(t, y))} if method in ("Radau", "BDF", "LSODA") else {}
    )
    found = scipy.integrate.solve_ivp(compile(decay), (0.0, 2.0), [1.0, 0.0], method=method, rtol=1e-6, **slopes)
    assert found.y[0, -1] == pytest.approx(np.exp(-1.0), rel=1e-4)


def test_quadrature_and_fitting_take_functions():
    assert scipy.integrate.quad(compile(lambda x: np.exp(-x * x)), 0.0, 1.0)[0] == pytest.approx(0.746824132812427)
    assert scipy.integrate.odeint(compile(lambda y, t: -0.5 * y), 1.0, [0.0, 2.0])[1, 0] == pytest.approx(np.exp(-1.0))
    times = np.linspace(0.0, 3.0, 20)
    slopes = compile(lambda t, a, b: np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], axis=1))
    found, _ = scipy.optimize.curve_fit(compile(curve), times, 2.0 * np.exp(-0.7 * times), p0=[1.0, 1.0], jac=slopes)
    assert np.allclose(found, [2.0, 0.7])


@pytest.mark.parametrize("solver", ["cg", "bicgstab", "minres", "lsqr"])
def test_iterative_solvers_take_products(solver):
    product = compile(lambda v: 2.0 * v + 0.1 * np.sum(v))
    operator = scipy.sparse.linalg.LinearOperator((3, 3), matvec=product, rmatvec=product, dtype=float)
    found = getattr(scipy.sparse.linalg, solver)(operator, START)[0]
    assert np.allclose(2.0 * found + 0.1 * np.sum(found), START, atol=1e-4)


def test_a_solver_that_writes_into_what_it_is_given_takes_a_copy():
    product = compile(lambda v: 2.0 * v + 0.1 * np.sum(v))
    operator = scipy.sparse.linalg.LinearOperator((3, 3), matvec=lambda v: np.array(product(v)), dtype=float)
    found = scipy.sparse.linalg.gmres(operator, START)[0]
    assert np.allclose(2.0 * found + 0.1 * np.sum(found), START, atol=1e-4)


# --- functions that take an Array ------------------------------------------------------------------------------------

SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
LINE = np.linspace(0.1, 2.0, 12)
TAKING = {
    "asarray": (np.asarray, SQUARE),
    "asanyarray": (np.asanyarray, SQUARE),
    "array": (np.array, SQUARE),
    "copy": (np.copy, SQUARE),
    "ascontiguousarray": (np.ascontiguousarray, SQUARE),
    "asfortranarray": (np.asfortranarray, SQUARE),
    "require": (lambda x: np.require(x, requirements="W"), SQUARE),
    "atleast_1d": (np.atleast_1d, LINE),
    "atleast_2d": (np.atleast_2d, LINE),
    "atleast_3d": (np.atleast_3d, LINE),
    "from_dlpack": (np.from_dlpack, LINE),
    "float": (lambda x: [float(v) for v in x], LINE),
    "np.sum": (np.sum, SQUARE),
    "np.mean": (np.mean, SQUARE),
    "np.dot": (lambda x: np.dot(x, x), SQUARE),
    "np.einsum": (lambda x: np.einsum("ij,jk", x, x), SQUARE),
    "np.linalg.solve": (lambda x: np.linalg.solve(x, x[0]), SQUARE),
    "np.linalg.eigh": (lambda x: np.linalg.eigh(x)[0], SQUARE),
    "np.linalg.svd": (lambda x: np.linalg.svd(x)[1], SQUARE),
    "np.fft.fft": (np.fft.fft, LINE),
    "np.histogram": (lambda x: np.histogram(x)[0], LINE),
    "np.sort": (np.sort, LINE),
    "np.unique": (np.unique, LINE),
    "np.interp": (lambda x: np.interp(0.5, x, x), LINE),
    "np.where": (lambda x: np.where(x > 1, x, 0), LINE),
    "np.concatenate": (lambda x: np.concatenate([x, x]), LINE),
    "np.stack": (lambda x: np.stack([x, x]), LINE),
    "np.percentile": (lambda x: np.percentile(x, 30), LINE),
    "np.cov": (np.cov, SQUARE),
    "np.polyfit": (lambda x: np.polyfit(x, x, 1), LINE),
    "np.gradient": (np.gradient, LINE),
    "np.trapezoid": (np.trapezoid, LINE),
    "np.convolve": (lambda x: np.convolve(x, x), LINE),
    "np.searchsorted": (lambda x: np.searchsorted(x, 0.7), LINE),
    "np.take": (lambda x: np.take(x, [0, 2]), LINE),
    "np.array2string": (lambda x: [len(np.array2string(x))], LINE),
    "np.allclose": (lambda x: [np.allclose(x, x)], LINE),
    "linalg.solve": (lambda x: scipy.linalg.solve(x, x[0]), SQUARE),
    "linalg.lu": (lambda x: scipy.linalg.lu(x)[2], SQUARE),
    "linalg.cholesky": (scipy.linalg.cholesky, SQUARE),
    "linalg.expm": (scipy.linalg.expm, SQUARE),
    "linalg.inv": (scipy.linalg.inv, SQUARE),
    "linalg.eigh": (lambda x: scipy.linalg.eigh(x)[0], SQUARE),
    "linalg.qr": (lambda x: scipy.linalg.qr(x)[1], SQUARE),
    "linalg.det": (lambda x: [scipy.linalg.det(x)], SQUARE),
    "linalg.solve_triangular": (lambda x: scipy.linalg.solve_triangular(x, x[0]), SQUARE),
    "fft.rfft": (scipy.fft.rfft, LINE),
    "fft.dct": (scipy.fft.dct, LINE),
    "special.gamma": (scipy.special.gamma, LINE),
    "special.logsumexp": (scipy.special.logsumexp, LINE),
    "special.erf": (scipy.special.erf, LINE),
    "stats.norm.pdf": (scipy.stats.norm.pdf, LINE),
    "stats.describe": (lambda x: scipy.stats.describe(x).mean, LINE),
    "stats.linregress": (lambda x: scipy.stats.linregress(x, x * x).slope, LINE),
    "stats.ttest_1samp": (lambda x: scipy.stats.ttest_1samp(x, 0.5).pvalue, LINE),
    "stats.gaussian_kde": (lambda x: scipy.stats.gaussian_kde(x)(0.5), LINE),
    "stats.zscore": (scipy.stats.zscore, LINE),
    "signal.convolve": (lambda x: scipy.signal.convolve(x, x), LINE),
    "signal.lfilter": (lambda x: scipy.signal.lfilter([1.0], [1.0, 0.5], x), LINE),
    "signal.welch": (lambda x: scipy.signal.welch(x, nperseg=8)[1], LINE),
    "signal.find_peaks": (lambda x: scipy.signal.find_peaks(np.sin(9 * x))[0], LINE),
    "ndimage.gaussian_filter": (lambda x: scipy.ndimage.gaussian_filter(x, 1.0), SQUARE),
    "ndimage.rotate": (lambda x: scipy.ndimage.rotate(x, 30.0), SQUARE),
    "ndimage.label": (lambda x: scipy.ndimage.label(x > 1)[0], SQUARE),
    "interp1d": (lambda x: scipy.interpolate.interp1d(x, x)(0.5), LINE),
    "CubicSpline": (lambda x: scipy.interpolate.CubicSpline(x, x)(0.5), LINE),
    "splrep": (lambda x: scipy.interpolate.splrep(x, x)[0], LINE),
    "simpson": (lambda x: scipy.integrate.simpson(x, x=x), LINE),
    "cumulative_trapezoid": (lambda x: scipy.integrate.cumulative_trapezoid(x, x), LINE),
    "csr_matrix": (lambda x: scipy.sparse.csr_matrix(x).toarray(), SQUARE),
    "sparse product": (lambda x: scipy.sparse.eye(3).tocsr() @ x, SQUARE),
    "spsolve": (lambda x: scipy.sparse.linalg.spsolve(scipy.sparse.eye(3).tocsc(), x[0]), SQUARE),
    "nnls": (lambda x: scipy.optimize.nnls(x, x[0])[0], SQUARE),
    "linprog": (lambda x: scipy.optimize.linprog(x[0], A_ub=-x, b_ub=-x[1]).x, SQUARE),
    "lsq_linear": (lambda x: scipy.optimize.lsq_linear(x, x[0]).x, SQUARE),
}


@pytest.mark.parametrize("name", TAKING)
def test_functions_take_an_array_for_an_ndarray(name):
    function, values = TAKING[name]
    np.testing.assert_allclose(
        np.asarray(function(Array(values))), np.asarray(function(values)), rtol=1e-12, atol=1e-12
    )


CONVERSIONS = [np.asarray, np.asanyarray, np.array, np.copy, np.ascontiguousarray, np.asfortranarray, np.require,
               np.atleast_1d, np.atleast_2d, np.atleast_3d]  # fmt: skip


@pytest.mark.parametrize("convert", CONVERSIONS)
def test_conversions_convert(convert):
    assert type(convert(Array(LINE))) is np.ndarray


def test_like_asks_for_an_array():
    for make in (np.asarray, np.array, np.asanyarray, np.require):
        assert type(make([1.0, 2.0], like=Array(LINE))) is Array


@pytest.mark.parametrize("convert", [np.array, np.copy, np.atleast_1d, np.atleast_2d])
def test_what_is_converted_by_a_copy_may_be_written_to(convert):
    held = Array(LINE)
    convert(held)[...] = 0.0
    assert held[0] == LINE[0]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_array_is_saved_by_any_name(save):
    file = io.BytesIO()
    save(file, out=Array(LINE), a=Array(SQUARE))
    file.seek(0)
    with np.load(file) as found:
        np.testing.assert_array_equal(found["out"], LINE)
        np.testing.assert_array_equal(found["a"], SQUARE)


def test_the_elements_are_a_read_only_buffer():
    x = Array(SQUARE)
    assert x.__array_interface__["data"] == (x._values.ctypes.data, True)
    for shown in (np.asarray(x), np.asarray(x, copy=False), np.from_dlpack(x)):
        assert np.shares_memory(shown, x._values) and not shown.flags.writeable
    if native_part.extension() is not None:
        view = memoryview(x)
        assert view.readonly and view.shape == (3, 3) and view[1, 1] == 3.0
        assert bytes(x) == SQUARE.tobytes()
        np.testing.assert_array_equal(np.frombuffer(x), SQUARE.ravel())
    for values in (np.float16(1.5), np.array([True, False]), np.array([1 + 2j], np.complex64), np.zeros((0, 3))):
        found = np.asarray(Array(values))
        assert found.dtype == np.asarray(values).dtype and found.shape == np.shape(values)


def test_methods_of_numpy_that_look():
    x = Array(LINE)
    assert list(x.flat) == list(LINE) and x.ptp() == np.ptp(LINE)
    assert x.view(np.int64).dtype == np.int64
    np.testing.assert_array_equal(np.asarray(Array(SQUARE).compress([True, False, True], axis=0)), SQUARE[[0, 2]])
    np.testing.assert_array_equal(np.asarray(Array(np.array([0, 1])).choose([[1.0, 2.0], [3.0, 4.0]])), [1.0, 4.0])
