"""Derivatives at kinks, at ties and at the ends of domains: the conventions, each pinned.

Where a row says nothing else JAX 0.10 gives the same; where it does, `docs/limits.md` gives the reason.
"""

import numpy as np
import pytest

from pellucid import grad, jacfwd, jvp
from pellucid.compiler.request import Gradient
from tests.harness.stages import Stages, module_of

INF, NAN = np.inf, np.nan

# expression of vectors x and y; x; y; the derivatives by x and by y
SAME = {
    "max shares ties": ("np.max(x)", [1, 1, 0.5], [0], [0.5, 0.5, 0], [0]),
    "min shares ties": ("np.min(x)", [1, 1, 2], [0], [0.5, 0.5, 0], [0]),
    "max along an axis": ("np.sum(np.max(x.reshape(2, 2), axis=0))", [1, 2, 1, 3], [0], [0.5, 0, 0.5, 1], [0]),
    "max of nan": ("np.max(x)", [NAN, 1], [0], [NAN, NAN], [0]),
    "min of nan along an axis": ("np.sum(np.min(x.reshape(2, 2), axis=1))", [NAN, 1, 2, 3], [0], [NAN, NAN, 1, 0], [0]),
    "max of inf": ("np.max(x)", [INF, 1], [0], [1, 0], [0]),
    "maximum": ("np.sum(np.maximum(x, y))", [1, 0], [1, 1], [0.5, 0], [0.5, 1]),
    "minimum": ("np.sum(np.minimum(x, y))", [1, 0], [1, 1], [0.5, 1], [0.5, 0]),
    "maximum with a number": ("np.sum(np.maximum(x, 0.0))", [0, 1], [0], [0.5, 1], [0]),
    "maximum of nan": ("np.sum(np.maximum(x, y))", [NAN], [1], [0], [0]),
    "where takes the side it takes": ("np.sum(np.where(x > 0.0, x, 0.0))", [0, 1], [0], [0, 1], [0]),
    "sqrt": ("np.sum(np.sqrt(x))", [0, 1], [0], [INF, 0.5], [0]),
    "cbrt": ("np.sum(np.cbrt(x))", [0], [0], [INF], [0]),
    "sqrt of a square": ("np.sum(np.sqrt(x * x))", [0], [0], [NAN], [0]),
    "norm": ("np.linalg.norm(x)", [0, 0], [0], [NAN, NAN], [0]),
    "largest norm": ("np.linalg.norm(x, np.inf)", [1, -1], [0], [0.5, -0.5], [0]),
    "standard deviation": ("np.std(x)", [1, 1], [0], [NAN, NAN], [0]),
    "variance": ("np.var(x)", [1, 1], [0], [0, 0], [0]),
    "clip": ("np.sum(np.clip(x, 0.0, 1.0))", [0, 1, 0.5], [0], [0.5, 0.5, 1], [0]),
    "sign": ("np.sum(np.sign(x))", [0, 1], [0], [0, 0], [0]),
    "floor": ("np.sum(np.floor(x))", [1, 0.5], [0], [0, 0], [0]),
    "rint": ("np.sum(np.rint(x))", [0.5], [0], [0], [0]),
    "heaviside": ("np.sum(np.heaviside(x, 0.5))", [0], [0], [0], [0]),
    "mod": ("np.sum(np.mod(x, y))", [2, -1], [1, 1], [1, 1], [-2, 1]),
    "fmod": ("np.sum(np.fmod(x, y))", [2, -1], [1, 1], [1, 1], [-2, 1]),
    "floor_divide": ("np.sum(np.floor_divide(x, y))", [2], [1], [0], [0]),
    "power: a square": ("np.sum(x ** 2)", [0], [0], [0], [0]),
    "power: a root": ("np.sum(x ** 0.5)", [0], [0], [INF], [0]),
    "power: of zero": ("np.sum(x ** y)", [0, 0, 0], [2, 1, 0.5], [0, 1, INF], [0, 0, 0]),
    "power: of a negative number": ("np.sum(x ** y)", [-2], [3], [12], [NAN]),
    "log": ("np.sum(np.log(x))", [0], [0], [INF], [0]),
    "log1p": ("np.sum(np.log1p(x))", [-1], [0], [INF], [0]),
    "x log x": ("np.sum(x * np.log(x))", [0], [0], [NAN], [0]),
    "reciprocal": ("np.sum(1.0 / x)", [0], [0], [-INF], [0]),
    "arctan2": ("np.sum(np.arctan2(x, y))", [0], [0], [NAN], [NAN]),
    "arcsin": ("np.sum(np.arcsin(x))", [1], [0], [INF], [0]),
    "arccosh": ("np.sum(np.arccosh(x))", [1], [0], [INF], [0]),
    "logaddexp of equals": ("np.sum(np.logaddexp(x, y))", [0], [0], [0.5], [0.5]),
    "logaddexp of minus infinity": ("np.sum(np.logaddexp(x, y))", [-INF, -INF], [-INF, 0], [NAN, 0], [NAN, 1]),
    "product with a zero": ("np.prod(x)", [0, 2, 3], [0], [6, 0, 0], [0]),
    "product with two zeros": ("np.prod(x)", [0, 0, 3], [0], [0, 0, 0], [0]),
    "running product with a zero": ("np.sum(np.cumprod(x))", [2, 0, 3], [0], [1, 8, 0], [0]),
    "peak to peak of equals": ("np.ptp(x)", [1, 1], [0], [0, 0], [0]),
    "interp at a point": ("np.sum(np.interp(x, np.array([0.0, 1, 2]), np.array([0.0, 1, 4])))", [0, 1, 2], [0],
                          [1, 3, 3], [0]),
    "exp past the largest number": ("np.sum(np.exp(x))", [800], [0], [INF], [0]),
    "arctan far out": ("np.sum(np.arctan(x))", [INF], [0], [0], [0]),
    "nan_to_num": ("np.sum(np.nan_to_num(x))", [NAN], [0], [0], [0]),
}  # fmt: skip

# JAX differs: what is not taken has nan there, |x| has slope 1 at 0, fmax gives all to y, 0 ** 0 has nan,
# hypot 0.5 by x, logaddexp exp(y) by y
OWN = {
    "where does not differentiate what it does not take": ("np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))", [0, 1], [0],
                                                           [0, 0.5], [0]),
    "abs": ("np.sum(np.abs(x))", [0, -0.0, 1], [0], [0, 0, 1], [0]),
    "fabs": ("np.sum(np.fabs(x))", [0], [0], [0], [0]),
    "copysign": ("np.sum(np.copysign(x, y))", [0, 1], [1, 1], [0, 1], [0, 0]),
    "sum of absolute values": ("np.linalg.norm(x, 1)", [0, 1], [0], [0, 1], [0]),
    "fmax": ("np.sum(np.fmax(x, y))", [1], [1], [0.5], [0.5]),
    "fmin": ("np.sum(np.fmin(x, y))", [1], [1], [0.5], [0.5]),
    "zero to the power of zero": ("np.sum(x ** y)", [0], [0], [0], [0]),
    "hypot": ("np.sum(np.hypot(x, y))", [0], [0], [0], [0]),
    "logaddexp of infinity": ("np.sum(np.logaddexp(x, y))", [INF], [2], [1], [0]),
    "logaddexp2 of infinity": ("np.sum(np.logaddexp2(x, y))", [INF], [2], [1], [0]),
}


@pytest.mark.parametrize("name", [*SAME, *OWN])
def test_derivative_at_a_kink(name):
    expression, x, y, by_x, by_y = {**SAME, **OWN}[name]
    function = module_of(f"import numpy as np\n\n\ndef f(x, y):\n    return {expression}\n")["f"]
    gradient = Stages(function, [Gradient((0, 1))])
    for stage in ("typed", "loops"):
        outcome = gradient.run(stage, np.array(x, float), np.array(y, float))
        assert outcome.error is None
        for got, want in zip(outcome.value, (by_x, by_y), strict=True):
            np.testing.assert_allclose(got, np.array(want, float), err_msg=stage)


@pytest.mark.parametrize("body", [
    "return np.sqrt(x) if x > 0.0 else x * 0.0",
    "return 0.0 if x == 0.0 else x / np.sqrt(x)",
    "y = 0.0\n    if x > 0.0:\n        y = np.sqrt(x)\n    return y",
    "return (x > 0.0 and np.sqrt(x)) + 0.0",
])  # fmt: skip
def test_the_side_that_does_not_run_has_no_part_in_the_slope(body):
    function = module_of(f"import numpy as np\n\n\ndef f(x):\n    {body}\n")["f"]
    gradient = Stages(function, [Gradient((0,))])
    for x, want in ((np.float64(0.0), 0.0), (np.float64(0.25), 1.0)):
        for stage in ("typed", "loops"):
            outcome = gradient.run(stage, x)
            assert outcome.error is None and outcome.value[0] == want, (stage, x, outcome)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_second_slopes_where_the_exponential_overflows(name):
    """p * (1 - p), of the share p that the operand has."""
    base = 1.0 if name == "logaddexp" else np.log(2.0)
    function = {"logaddexp": lambda x: np.logaddexp(x, 0.0), "logaddexp2": lambda x: np.logaddexp2(x, 0.0)}[name]
    for x in (2000.0, -2000.0, 20.0, -20.0, 1.5, 0.0):
        share = 1.0 / (1.0 + np.exp(-base * x)) if x >= 0 else np.exp(base * x) / (1.0 + np.exp(base * x))
        other = 1.0 / (1.0 + np.exp(base * x)) if x < 0 else np.exp(-base * x) / (1.0 + np.exp(-base * x))
        np.testing.assert_allclose(grad(function)(x), share, rtol=1e-13)
        np.testing.assert_allclose(grad(grad(function))(x), base * share * other, rtol=1e-12)


def test_a_root_of_a_python_float_has_the_slope_of_arrays():
    forward = jvp(lambda x: x**0.5, (0.0,), (1.0,))[1]
    assert forward == grad(lambda x: x**0.5)(0.0) == grad(lambda x, y: x**y)(0.0, 0.5) == INF
    assert type(grad(lambda x: x**0.5)(4.0)) is float and grad(lambda x: x**0.5)(4.0) == 0.25


def test_an_eigenvector_beside_equal_eigenvalues():
    """Of the lone one: v_j <- sum of v_k (v_k^T a_dot v_j) / (w_j - w_k).  Between equal ones nothing is known."""
    a = np.diag([1.0, 2.0, 2.0])

    def lone(a):
        return np.linalg.eigh(a)[1][:, 0] @ np.array([1.0, 2.0, 3.0]) * np.linalg.eigh(a)[1][0, 0]

    for transform in (grad, jacfwd):
        np.testing.assert_allclose(transform(lone)(a), [[0, 0, 0], [-2, 0, 0], [-3, 0, 0]], atol=1e-12)
        assert not np.isfinite(transform(lambda a: np.linalg.eigh(a)[1][2, 1])(a)).all()


def test_a_singular_vector_beside_equal_singular_values():
    a = np.diag([2.0, 2.0, 1.0])

    def lone(a):
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return np.sum(u[:, 2] * u[0, 2]) + vt[2, 0] * vt[2, 2]

    h = 1e-6
    moved = np.array([[(lone(a + h * e) - lone(a - h * e)) / (2 * h) for e in row]
                      for row in np.eye(9).reshape(3, 3, 3, 3)])  # fmt: skip
    for transform in (grad, jacfwd):
        np.testing.assert_allclose(transform(lone)(a), moved, atol=1e-8)
