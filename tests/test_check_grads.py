"""`check_grads`: silent where derivatives are right, and naming the number where they are not."""

import numpy as np
import pytest

from pellucid import check_grads, compile


def loss(p, x, n):
    y = np.tanh(x @ p["w"]) + p["b"]
    return np.sum(y**n), {"y": y, "n": n}


P = {"w": np.array([[0.3, -0.7], [0.2, 1.1]]), "b": 0.5}
X = np.array([[1.0, -0.4], [0.3, 0.8], [-1.2, 0.1]])


def test_right_derivatives():
    check_grads(loss, (P, X, 2), order=1)
    check_grads(compile(lambda x: x**3 / (1.0 + x)), (1.3,), order=2)
    check_grads(lambda x: np.sin(x) * x, (X[0].astype(np.float32),), order=1, modes="fwd")


def corner(p):
    """At zero the derivative is that of one side, and a difference is half of it."""
    return np.sum(np.where(p["x"] > 0.0, 2.0 * p["x"], 0.0))


AT_CORNER = ({"x": np.array([[1.0, -1.0], [3.0, 0.0]])},)


def test_wrong_ones_are_named():
    wrong = r"corner \(rev\): the derivative by args\[0\]\['x'\]\[1, 1\] is 0, and differences give"
    with pytest.raises(AssertionError, match=wrong):
        check_grads(corner, AT_CORNER, order=1, modes=("rev",))
    with pytest.raises(AssertionError, match=r"corner \(fwd\): the tangent of the result is"):
        check_grads(corner, AT_CORNER, order=1, modes=("fwd",))
    check_grads(corner, AT_CORNER, order=1, atol=10.0)


def test_elements_of_results_are_named():
    with pytest.raises(AssertionError, match=r"the tangent of the result\[1\]\[0\] is"):
        check_grads(lambda x: (np.sum(x), np.where(x > 0.0, x, 0.0)), (np.array([0.0, 1.0]),), order=1, modes="fwd")


def bent(x):
    """At zero its derivative is continuous, and the derivative of that is not."""
    return np.where(x > 0.0, x * x, 0.0)


def test_higher_derivatives_are_checked():
    check_grads(bent, (0.0,), order=1, modes="rev")
    with pytest.raises(AssertionError, match=r"the derivative \(rev\) of bent \(rev\): .* by args\[0\] is -?0, and"):
        check_grads(bent, (0.0,), order=2, modes="rev")


def test_options():
    with pytest.raises(ValueError, match="modes are"):
        check_grads(bent, (1.0,), modes="forward")
    with pytest.raises(ValueError, match="order is 1 or more"):
        check_grads(bent, (1.0,), order=0)
