"""Jacobians in reverse mode: against complex steps, against gradients of elements, in containers, of each other."""

from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid import GradientError, compile, grad, jacobian, jacrev, value_and_grad, value_and_jacobian, vjp
from pellucid.compiler.request import ReverseJacobian
from tests.harness.stages import Stages

X = np.array([0.3, -1.2, 2.0])
A = np.array([[0.1, 0.7, -0.4], [1.1, -0.3, 0.2]])


def complex_jacobian(f, x):
    """d f(x)[...] / d x[...] by complex steps, the axes of the result first."""
    columns = []
    for place in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[place] += 1e-30j
        columns.append(np.asarray(f(moved)).imag / 1e-30)
    return np.stack(columns, axis=-1).reshape(*np.shape(columns[0]), *x.shape)


def analytic(x):
    y = np.sin(x) * x[0]
    for i in range(1, len(x)):
        y[i] = y[i] * y[i - 1] + x[i]
    return y[:, None] * x


def test_against_complex_steps():
    np.testing.assert_allclose(jacrev(analytic)(X), complex_jacobian(analytic, X), rtol=1e-13)


@pytest.mark.parametrize("stage", ["typed", "loops"])
def test_at_every_stage(stage):
    got = Stages(analytic, [ReverseJacobian(0)]).run(stage, X)
    np.testing.assert_allclose(np.asarray(got.value), complex_jacobian(analytic, X), rtol=1e-13)


def test_rows_are_gradients_of_elements():
    found = jacrev(lambda x: np.cumsum(x * x))(X)
    for k in range(3):
        np.testing.assert_allclose(found[k], grad(lambda x, k: np.cumsum(x * x)[k])(X, k))


def nested(p, x):
    y = np.tanh(p["A"] @ x)
    return {"y": y, "rest": (np.sum(y) * p["b"], np.outer(y, x))}


def test_containers_on_both_sides():
    p = {"A": A, "b": 2.0}
    value, found = value_and_jacobian(nested, argnums=(0, "x"))(p, X)
    np.testing.assert_allclose(value["y"], np.tanh(A @ X))
    parts = {
        "y": lambda A, b, x: np.tanh(A @ x),
        0: lambda A, b, x: np.sum(np.tanh(A @ x)) * b,
        1: lambda A, b, x: np.outer(np.tanh(A @ x), x),
    }
    for key, of in parts.items():
        by_p, by_x = found["y"] if key == "y" else found["rest"][key]
        np.testing.assert_allclose(by_p["A"], complex_jacobian(lambda M: of(M, 2.0, X), A), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(by_x, complex_jacobian(lambda v: of(A, 2.0, v), X), rtol=1e-12, atol=1e-15)
        want = complex_jacobian(lambda v: of(A, v[0], X), np.array([2.0]))[..., 0]
        np.testing.assert_allclose(by_p["b"], want, atol=1e-15)


def test_has_aux_and_scalars():
    found, auxiliary = jacrev(lambda x, n: (x**n, n), has_aux=True)(3.0, 2)
    assert found == 6.0 and type(found) is float and auxiliary == 2
    value, found = value_and_jacobian(lambda x: (x * X_[0], x), has_aux=True)(2.0)
    assert (value, found) == ((6.0, 2.0), 3.0)
    by_number = jacobian(lambda x: np.ones(2) * x)(2.0)
    np.testing.assert_array_equal(by_number, [1.0, 1.0])


X_ = (3.0, 4.0)


def test_single_precision():
    found = jacrev(lambda x: np.sin(x))(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.diag(np.cos(X)), rtol=1e-6)


def test_of_each_other_and_inside():
    second = jacrev(jacrev(lambda x: x**3))(X)
    want = np.zeros((3, 3, 3))
    want[range(3), range(3), range(3)] = 6.0 * X
    np.testing.assert_allclose(second, want)
    hessian = jacrev(grad(lambda x: np.sum(x**3) * x[0]))(X)
    np.testing.assert_allclose(hessian, hessian.T)
    inside = compile(lambda x, k: jacrev(lambda y: y * y * k)(x))
    np.testing.assert_allclose(inside(X, 2.0), np.diag(4.0 * X))
    np.testing.assert_allclose(vjp(jacrev(np_squares), X)[1](np.ones((3, 3)))[0], np.full(3, 2.0))


def np_squares(x):
    return x**2


def test_its_source():
    text = jacrev(np_squares).source("reverse", X)
    assert "for i in range(n" in text and "out_bar[i] = 1.0" in text and "raise" not in text
    assert "one backward sweep for every element" in jacrev(np_squares).explain(X)


def test_what_is_refused():
    with pytest.raises(GradientError, match="returns floats, and this one returns int"):
        jacrev(lambda x, n: (x, n))(X, 3)
    with pytest.raises(GradientError, match="a list of any length"):
        jacrev(lambda xs: xs[0] * np.ones(3))([1.0] * 20)


# --- options of all derivatives ------------------------------------------------------------------------------------


def loss(w, x, *, b=1.0):
    return np.sum(w["a"] * x) * b


W = {"a": np.array([1.0, 2.0, 3.0]), "n": 3}


def test_arguments_by_name():
    np.testing.assert_allclose(grad(loss, "x")(W, X, b=2.0), 2.0 * W["a"])
    by_b, by_x = grad(loss, ("b", 1))(W, X, b=2.0)
    assert by_b == pytest.approx(np.sum(W["a"] * X))
    np.testing.assert_allclose(by_x, 2.0 * W["a"])
    assert value_and_grad(lambda x, y: x * y, argnums="y")(2.0, 3.0) == (6.0, 2.0)
    np.testing.assert_allclose(compile(lambda x: grad(loss, "x")({"a": x}, x))(X), X)
    with pytest.raises(ValueError, match="argnums names `z`, and the parameters are w, x, b"):
        grad(loss, "z")
    with pytest.raises(GradientError, match=r"argnums=5 names no argument: there are `w`, `x`"):
        grad(loss, 5)(W, X)


class Line(NamedTuple):
    slope: float

    def at(self, t):
        return self.slope * t


def test_methods_by_name():
    assert grad(Line(3.0).at, "t")(2.0) == 3.0


def test_ints_have_none():
    for found in (grad(loss)(W, X), grad(loss, allow_int=True)(W, X)):
        np.testing.assert_array_equal(found["a"], X)
        assert found["n"] is None
    for arguments in ((2.0, 3), ({"k": 3}, 3)):
        with pytest.raises(GradientError, match="G001"):
            grad(lambda x, k: 2.0 * k, (0, 1))(*arguments)
    assert grad(lambda x, k: x * k, (0, 1), allow_int=True)(2.0, 3) == (3.0, None)
    assert jacrev(lambda k, x: x * k, (0, 1), allow_int=True)(3, 2.0) == (None, 3.0)


def test_none_has_none():
    assert grad(lambda p: p["x"] ** 2)({"x": 3.0, "y": None}) == {"x": 6.0, "y": None}


@pytest.mark.parametrize("transform", [grad, pellucid.value_and_grad, jacrev, pellucid.jacfwd, pellucid.hessian])
def test_real_arguments_are_not_complex(transform):
    with pytest.raises(pellucid.GradientError, match="by a complex argument, and `x` is float"):
        transform(lambda x: x, holomorphic=True)(1.0)


def exchanged(x):
    a, b = x[:2], x
    for _ in range(3):
        a, b = b[:2] * 1.1, np.concatenate((a, b[-1:])) * x[0]
    return np.sum(a**2) + np.sum(b**3)


def test_lengths_of_equal_slices_are_equal_where_one_is_hoisted():
    x, near = np.array([1.0, 2.0, 3.0]), 1e-6
    slope = pellucid.grad(exchanged)
    columns = [(slope(x + near * e) - slope(x - near * e)) / (2.0 * near) for e in np.eye(3)]
    np.testing.assert_allclose(pellucid.hessian(exchanged)(x), np.stack(columns), rtol=1e-6, atol=1e-5)
