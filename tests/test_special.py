"""`scipy.special` written in the language: SciPy's values, and slopes by differences."""

import numpy as np
import pytest
import scipy.special

from pellucid import compile, grad
from pellucid.compiler.ops.scipy_names import SCIPY_FUNCTIONS
from pellucid.compiler.request import Gradient

from .harness.answers import function_of
from .harness.stages import Stages

INF, NAN = np.inf, np.nan
X = np.array([
    -800.0, -40.0, -20.5, -19.5, -5.0, -1.5, -1.0, -0.3, -1e-20, 0.0, 1e-9, 0.2, 0.31, 0.5, 0.64, 0.7, 0.99, 1.0, 3.0,
    30.0, 800.0, INF, -INF, NAN,
])  # fmt: skip
Y = np.array([0.0, 0.5, 1.0, 2.0, -1.0, INF, NAN, 3.3])
A = np.random.default_rng(0).normal(size=(3, 4))
HOLES = np.where(A > 1.0, -INF, A)
PAIRS = (Y[:, None], Y[None, :])
ROWS = [(A, {}), (A, {"axis": 1}), (HOLES, {"axis": 0}), (np.array([[1, 2], [3, 1]]), {"axis": -1})]
CALLS = [
    *((name, (X,), {}) for name in "expit log_expit logit ndtr log_ndtr exprel".split()),
    *((name, (np.array([1, 2]),), {}) for name in ("expit", "log_ndtr", "exprel")),
    *((name, (x,), {}) for name in ("expit", "logit") for x in (0.25, np.float32(0.25), X.astype(np.float32))),
    *((name, PAIRS, {}) for name in "xlogy xlog1py rel_entr kl_div".split()),
    *((name, (a,), options) for name in "logsumexp softmax log_softmax".split() for a, options in ROWS),
    ("logsumexp", (A,), {"axis": 1, "b": np.abs(A), "keepdims": True}),
    ("logsumexp", (np.full(3, -INF),), {}),
    ("polygamma", (np.array([0, 1, 2, 3]), np.array([0.5, 1.5, 2.0, 10.0])), {}),
    ("multigammaln", (np.array(3.5), 3), {}),
]
SMOOTH = """
scipy.special.expit(3.0 * x); scipy.special.log_expit(x); scipy.special.logit(0.4 + 0.1 * x); scipy.special.ndtr(x)
scipy.special.log_ndtr(9.0 * x - 8.0); scipy.special.exprel(x); scipy.special.xlogy(x, x * x + 0.1)
scipy.special.xlog1py(x, x * x); scipy.special.rel_entr(x * x, 2.0 + x); scipy.special.kl_div(2.0 + x, x * x)
scipy.special.logsumexp(x, axis=1); scipy.special.logsumexp(x, b=x * x); scipy.special.softmax(x, axis=0)
scipy.special.log_softmax(x, axis=1); scipy.special.polygamma(2, x * x + 1.0)
scipy.special.multigammaln(x[0, 0] + 4.0, 2)
""".replace("\n", ";").split(";")


@pytest.mark.parametrize("name", sorted({name for name, *_ in CALLS}))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_are_scipys(name):
    function = getattr(scipy.special, name)
    for called, arguments, options in CALLS:
        if called != name:
            continue
        found, wanted = compile(function)(*arguments, **options), function(*arguments, **options)
        assert np.shape(found) == np.shape(wanted)
        assert np.asarray(found).dtype == np.asarray(wanted).dtype, arguments
        single = np.asarray(wanted).dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-6 if single else 5e-14)


def test_all_of_them_are_called():
    assert {name for name, *_ in CALLS} == set(SCIPY_FUNCTIONS["scipy.special"]["special"].split())


@pytest.mark.parametrize("text", [t.strip() for t in SMOOTH if t.strip()])
def test_gradients_are_slopes(text):
    total = function_of(f"y = np.ravel({text})\nnp.sum(y * (1.0 + 0.3 * np.arange(y.size)))", "x")
    total.__globals__["scipy"] = scipy
    (found,) = Stages(total, [Gradient((0,))]).run("typed", A).value
    direction, h = np.cos(A), 1e-4
    at = [total(A + k * h * direction) for k in (-2, -1, 1, 2)]
    slope = (at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * h)
    np.testing.assert_allclose(np.sum(found * direction), slope, rtol=1e-7, atol=1e-9)


def information(p, q):
    return np.sum(scipy.special.xlogy(p, q))


def test_slopes_where_a_factor_is_zero():
    p, q = np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.0, 2.0])
    p_bar, q_bar = grad(information, (0, 1))(p, q)
    np.testing.assert_allclose(p_bar, [np.log(0.5), 0.0, np.log(2.0)])
    np.testing.assert_allclose(q_bar, [0.0, 0.0, 0.5])


def test_the_entropy_of_a_quotient_that_no_float_holds():
    x, y = np.array([1.0, 1e300, 1e-310, 0.999999999]), np.array([1e-310, 1e-300, 1e300, 1.0])
    function = function_of("scipy.special.rel_entr(x, y)", "x, y")
    function.__globals__["scipy"] = scipy
    np.testing.assert_allclose(compile(function)(x, y), scipy.special.rel_entr(x, y), rtol=1e-14)


def test_numbers_of_bernoulli_are_the_fractions():
    known = (1.0, -1 / 2, 1 / 6, 0.0, -1 / 30, 0.0, 1 / 42, 0.0, -1 / 30, 0.0, 5 / 66, 0.0, -691 / 2730)
    found = compile(lambda n: scipy.special.bernoulli(n))(12)
    np.testing.assert_allclose(found, known, rtol=1e-14, atol=0.0)
