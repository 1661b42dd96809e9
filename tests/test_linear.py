"""`linearize` and `linear_transpose`: against `jvp`, `vjp` and matrices."""

import pickle

import numpy as np
import pytest

from pellucid import GradientError, compile, grad, jvp, linear_transpose, linearize, vjp

pytestmark = pytest.mark.drawn(5)

X = np.array([0.3, -1.2, 2.0])


def f(x, w):
    y = np.sin(x) * w
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1] + x[i]
    return {"y": y, "n": 3}, y @ y


def test_against_jvp():
    out, push = linearize(f, X, 2.0)
    np.testing.assert_allclose(out[1], f(X, 2.0)[1])
    for x_dot, w_dot in ((np.ones(3), 0.5), (np.array([0.0, 1.0, -1.0]), 0.0)):
        got, want = push(x_dot, w_dot), jvp(f, (X, 2.0), (x_dot, w_dot))[1]
        np.testing.assert_allclose(got[0]["y"], want[0]["y"], rtol=1e-13)
        np.testing.assert_allclose(got[1], want[1], rtol=1e-13)
        assert got[0]["n"] is None


def test_a_product_from_both_sides():
    """<vjp u, v> = <u, jvp v>, and linearize is the transpose of vjp."""
    draw = np.random.default_rng(3)
    u, v = (draw.standard_normal(3), draw.standard_normal()), (draw.standard_normal(3), draw.standard_normal())
    pulled = vjp(f, X, 2.0)[1](({"y": u[0], "n": None}, u[1]))
    pushed = linearize(f, X, 2.0)[1](*v)
    left = pulled[0] @ v[0] + pulled[1] * v[1]
    assert left == pytest.approx(u[0] @ np.asarray(pushed[0]["y"]) + u[1] * pushed[1], rel=1e-12)


def test_has_aux_and_pickles():
    out, push, auxiliary = linearize(lambda x: (x**3, "text"), 2.0, has_aux=True)
    assert (out, push(1.0), auxiliary) == (8.0, 12.0, "text")
    assert pickle.loads(pickle.dumps(push))(2.0) == 24.0


def cube(x):
    return x**3 * x[0]


def test_inside_and_passed_in():
    want = jvp(cube, (X,), (np.ones(3),))[1]
    inside = compile(lambda x, v: linearize(cube, x)[1](v))
    np.testing.assert_allclose(inside(X, np.ones(3)), want)
    taken = compile(lambda push, v: push(v) * 2.0)
    np.testing.assert_allclose(taken(linearize(cube, X)[1], np.ones(3)), 2.0 * want)
    slope = grad(lambda x, v: np.sum(linearize(cube, x)[1](v)))(X, np.ones(3))
    np.testing.assert_allclose(slope, grad(lambda x, v: np.sum(jvp(cube, (x,), (v,))[1]))(X, np.ones(3)))


def test_its_source_is_linear():
    push = linearize(cube, X)[1]
    text = push.source("reverse")
    statements = "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))
    assert "def cube_pullback_pullback(" in text and "**" not in statements  # what is not linear was computed before
    assert repr(push) == "<linear part of cube>"


def test_tangents_that_do_not_fit():
    push = linearize(f, X, 2.0)[1]
    with pytest.raises(ValueError, match=r"the tangent of `primals\[0\]` has length 2 along axis 0"):
        push(np.ones(2), 1.0)
    with pytest.raises(GradientError, match=r"`primals\[1\]` is float, and its tangent is None"):
        push(X, None)
    with pytest.raises(GradientError, match="`primals` is a tuple of 2, and its tangent is not one that is made alike"):
        push(X)


def differences(x, y):
    z = np.zeros(len(x))
    for i in range(1, len(x)):
        z[i] = x[i] - 2.0 * x[i - 1] + y[i]
    return z


def test_transpose():
    matrix = np.array([differences(e, np.zeros(4)) for e in np.eye(4)]).T
    transpose = linear_transpose(differences, np.zeros(4), np.empty(4))
    for v in np.eye(4):
        by_x, by_y = transpose(v)
        np.testing.assert_allclose(by_x, matrix.T @ v)
        np.testing.assert_allclose(by_y, [0.0, *v[1:]])


class Shape:
    shape, dtype = (3, 2), np.dtype("float32")


def test_transpose_from_shapes():
    (got,) = linear_transpose(lambda a: a.T[::-1], Shape)(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(got, np.arange(6.0).reshape(2, 3)[::-1].T)
    assert linear_transpose(lambda x, y: 2.0 * x - y, 1.0, 1.0)(3.0) == (6.0, -3.0)


def product_of_items(x):
    items = []
    for i in range(len(x)):
        items.append(x[i])
    return items[0] * items[-1]


def product_by_recursion(x):
    return _power(x, 2)


def _power(x, k):
    return x[0] if k == 0 else _power(x, k - 1) * _power(x, k - 1)


@pytest.mark.parametrize("function", [
    lambda x: x * x, lambda x: np.sin(x), lambda x: np.abs(x), lambda x: x * x[0],
    product_of_items, product_by_recursion,
])  # fmt: skip
def test_what_is_not_linear_is_refused(function):
    with pytest.raises(GradientError, match="is not linear: its derivative depends on"):
        linear_transpose(function, X)


def test_what_is_affine_is_refused():
    with pytest.raises(ValueError, match="is not zero where its arguments are zero"):
        linear_transpose(lambda x: x + 1.0, X)
