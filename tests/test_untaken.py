"""What was not taken has no derivative: zeros under `where`, masks and extremes, and no nan of 0 times infinity.

Each row is an expression of a vector `x` (and `w`), the point, and the derivative that closed forms give; reverse mode,
forward mode, both orders of `vmap`, and second derivatives are held to the same.
"""

import numpy as np
import pytest

from pellucid import grad, hessian, jacfwd, jacrev, vmap
from tests.harness.stages import module_of

pytestmark = pytest.mark.drawn(5)

INF, NAN = np.inf, np.nan
X = [-1.0, 0.0, 4.0]

# body of f(x); x; the first and the second derivatives, element by element
TAKEN = {
    "where, a root": ("np.where(x > 0.0, np.sqrt(x), 0.0)", X, [0, 0, 0.25], [0, 0, -1 / 32]),
    "where, on the other side": ("np.where(x <= 0.0, 0.0, np.log(x))", X, [0, 0, 0.25], [0, 0, -1 / 16]),
    "a chain that ends in a singular slope": ("np.where(x > 0.0, 3.0 * np.sqrt(2.0 * x), 1.0)", [0.0, 2.0], [0, 1.5],
                                              [0, -0.375]),
    "a quotient": ("np.where(x != 0.0, np.sin(x) / x, 1.0)", [0.0, np.pi], [0, -1 / np.pi], [0, 2 / np.pi**2]),
    "an exponential that overflows": ("np.where(x < 1.0, np.exp(x), x)", [1000.0, 0.0], [1, 1], [0, 1]),
    "a power": ("np.where(x > 0.0, x ** 1.5, x)", X, [1, 1, 3], [0, 0, 0.375]),
    "an arc": ("np.where(np.abs(x) < 1.0, np.arcsin(x), 0.0)", [1.0, 2.0, 0.0], [0, 0, 1], [0, 0, 0]),
    "choices inside choices": ("np.where(x > 0.0, np.where(x < 3.0, np.log(x), x ** 1.5), 0.0)", X, [0, 0, 3],
                               [0, 0, 0.375]),
    "one value on two sides": ("np.where(x > 1.0, np.sqrt(x), np.where(x > 0.0, 2.0 * np.sqrt(x), 0.0))",
                               [-1.0, 0.25, 4.0], [0, 2, 0.25], [0, -4, -1 / 32]),
    "one that is used elsewhere as well": ("np.where(x > 0.0, np.sqrt(x * x), 0.0) + x * x", X, [-2, 0, 9], [2, 2, 2]),
    "select": ("np.select([x > 1.0, x > 0.0], [np.log(x), np.sqrt(x)], 0.0)", X, [0, 0, 0.25], [0, 0, -1 / 16]),
    "choose": ("np.choose((x > 0.0).astype(int), [np.zeros(3), np.sqrt(x)])", X, [0, 0, 0.25], [0, 0, -1 / 32]),
    "maximum": ("np.maximum(np.sqrt(x), 1.0)", [0.0, 4.0], [0, 0.25], [0, -1 / 32]),
    "minimum": ("np.minimum(1.0 / x, 2.0)", [0.0, 1.0], [0, -1], [0, 2]),
    "fmax, of nan": ("np.fmax(np.log(x), -1.0)", X, [0, 0, 0.25], [0, 0, -1 / 16]),
    "clip": ("np.clip(1.0 / x, 0.0, 2.0)", [0.0, 1.0], [0, -1], [0, 2]),
    "elements by a mask": ("np.sqrt(x)[x > 0.0]", X, [0, 0, 0.25], [0, 0, -1 / 32]),
    "nan_to_num": ("np.nan_to_num(np.log(x))", [-1.0, 4.0], [0, 0.25], [0, -1 / 16]),
    "nansum": ("np.nansum(np.sqrt(x))", [-1.0, 4.0], [0, 0.25], [0, -1 / 32]),
    "nanmean": ("2.0 * np.nanmean(np.log(x))", [-1.0, 1.0, 4.0], [0, 1, 0.25], [0, -1, -1 / 16]),
    "nanmax": ("np.nanmax(np.log(x))", [-1.0, 1.0, 4.0], [0, 0, 0.25], [0, 0, -1 / 16]),
    "the largest": ("np.max(np.sqrt(x))", [0.0, 4.0], [0, 0.25], [0, -1 / 32]),
    "the least": ("np.min(1.0 / x)", [0.0, 2.0], [0, -0.25], [0, 0.25]),
    "one condition for a sum": ("np.where(np.sum(x) > 9.0, np.sum(np.log(x)), np.sum(x * x))", [0.0, 4.0], [0, 8],
                                [2, 2]),
}  # fmt: skip


def function_of(expression, lines=""):
    return module_of(f"import numpy as np\n\n\ndef f(x):\n{lines}    return np.sum({expression})\n")["f"]


@pytest.mark.parametrize("name", TAKEN)
def test_slopes_of_what_was_not_taken(name):
    expression, x, first, second = TAKEN[name]
    f, x = function_of(expression), np.array(x)
    for transform in (grad, jacfwd):
        np.testing.assert_allclose(transform(f)(x), first, rtol=1e-12, atol=1e-12, err_msg=transform.__name__)
    for transform in (hessian, lambda f: jacrev(jacrev(f))):
        np.testing.assert_allclose(transform(f)(x), np.diag(second), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TAKEN)
def test_slopes_of_what_was_not_taken_by_examples(name):
    expression, x, first, _ = TAKEN[name]
    f, rows = function_of(expression), np.stack([np.array(x), np.array(x)])
    np.testing.assert_allclose(vmap(grad(f))(rows), [first, first], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(grad(lambda rows: np.sum(vmap(f)(rows)))(rows), [first, first], rtol=1e-12, atol=1e-12)


STORED = {
    "a mask with a number": "    y = np.sqrt(x)\n    y[x <= 0.0] = 0.0\n",
    "a mask with elements": "    y, m = np.zeros(3), x > 0.0\n    y[m] = np.sqrt(x[m])\n",
    "a mask on both sides": "    y, m = x.copy(), x > 0.0\n    y[~m] = 0.0\n    y[m] = np.sqrt(y[m])\n",
    "place by place": "    y = np.zeros(3)\n    for i in range(3):\n        if x[i] > 0.0:\n"
                      "            y[i] = np.sqrt(x[i])\n",
}


@pytest.mark.parametrize("name", STORED)
def test_slopes_of_what_was_overwritten(name):
    f, x = function_of("y", STORED[name]), np.array(X)
    for transform in (grad, jacfwd):
        np.testing.assert_allclose(transform(f)(x), [0, 0, 0.25], rtol=1e-12)
    np.testing.assert_allclose(hessian(f)(x), np.diag([0, 0, -1 / 32]), rtol=1e-12)


def test_missing_data_gives_nothing_to_weights():
    def loss(w, x, y):
        return np.nansum((w * x - y) ** 2) + np.sum(np.where(np.isnan(x), 0.0, w * x))

    x, y = np.array([NAN, 1.0, 2.0]), np.array([1.0, NAN, 1.0])
    assert grad(loss)(3.0, x, y) == 2.0 * (3.0 * 2.0 - 1.0) * 2.0 + 3.0
    assert jacfwd(loss)(3.0, x, y) == 2.0 * (3.0 * 2.0 - 1.0) * 2.0 + 3.0


def test_rows_that_are_not_taken():
    """The condition of a row is that of all elements that were added up to it."""
    def loss(x):
        return np.sum(np.where(x[:, 0] > 0.0, np.sqrt(np.sum(x * x, axis=1)) + np.sum(np.log(x), axis=1), 0.0))

    x = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(grad(loss)(x), [[0, 0], [0.6 + 1 / 3, 0.8 + 1 / 4]], rtol=1e-12)
    np.testing.assert_allclose(jacfwd(loss)(x), [[0, 0], [0.6 + 1 / 3, 0.8 + 1 / 4]], rtol=1e-12)


@pytest.mark.parametrize("expression, x, wanted", [
    ("np.where(x >= 0.0, np.sqrt(x), 0.0)", [0.0, 4.0], [INF, 0.25]),
    ("np.where(x >= 0.0, np.sqrt(x) ** 2, 0.0)", [0.0, 4.0], [NAN, 1.0]),
    ("np.maximum(np.sqrt(x), 0.0)", [0.0, 4.0], [INF, 0.25]),
    ("np.maximum(np.sqrt(x * x), -1.0)", [0.0], [NAN]),
    ("np.max(np.log(x))", [0.0, 0.0], [INF, INF]),
])  # fmt: skip
def test_what_was_taken_keeps_its_slope(expression, x, wanted):
    np.testing.assert_allclose(grad(function_of(expression))(np.array(x)), wanted)


def test_a_mask_stands_once_at_the_end_of_a_chain():
    f = function_of("np.where(x > 0.0, 3.0 * np.sqrt(np.exp(x) - 1.0), 0.0)")
    text = grad(f).source("reverse", np.array(X)).split("# backward")[1]
    assert text.count("np.where(t, ") == 2, text  # the cotangent of the choice, and what reaches `x`


@pytest.mark.parametrize("expression, count", [
    ("np.where(x > 0.0, 2.0 * x + 1.0, -x)", 2), ("np.maximum(x - 1.0, 0.0)", 2),
])  # fmt: skip
def test_even_slopes_have_no_masks(expression, count):
    text = grad(function_of(expression)).source("reverse", np.array(X))
    code = [line for line in text.splitlines() if not line.strip().startswith("#")]
    assert "logical" not in text and sum(line.count("np.where") for line in code) == count, text
