"""SciPy's `Bounds`, `LinearConstraint` and `NonlinearConstraint` that were made outside are arguments."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, minimize

from pellucid import compile, jacfwd

GOAL = np.array([0.5, 3.0])
BOX = Bounds([0.0, 0.0], [1.0, 2.0])


def nearest_in_box(goal, box):
    return minimize(lambda x: np.sum((x - goal) ** 2), np.zeros(2), method="L-BFGS-B", bounds=box).x


def nearest(goal, box, constraints):
    square = lambda x: np.sum((x - goal) ** 2)  # noqa: E731
    return minimize(square, np.zeros(2), method="SLSQP", bounds=box, constraints=constraints).x


def circle(x):
    return x[0] ** 2 + x[1]


@pytest.mark.parametrize(
    "constraints",
    [LinearConstraint([[1.0, 1.0]], -np.inf, 1.0), LinearConstraint(sparse.csr_array([[1.0, 2.0]]), 1.0, 1.0),
     [NonlinearConstraint(circle, -np.inf, 0.9), LinearConstraint(np.array([[1.0, -1.0]]), -0.5, np.inf)]],
    ids=["rows", "sparse", "several"],
)  # fmt: skip
def test_constraints_are_scipys(constraints):
    want = nearest(GOAL, BOX, constraints)
    np.testing.assert_allclose(np.asarray(compile(nearest)(GOAL, BOX, constraints)), want, atol=1e-6)


def test_bounds_are_read_at_each_call():
    compiled = compile(nearest_in_box)
    for high in (1.0, 2.0, 2.5):
        box = Bounds([0.0, 0.0], [1.0, high])
        np.testing.assert_allclose(np.asarray(compiled(GOAL, box)), nearest_in_box(GOAL, box), atol=1e-6)
        np.testing.assert_allclose(np.asarray(compiled(GOAL, Bounds(0.0, high))), [0.5, high], atol=1e-6)


def test_derivatives_by_the_goal():
    slopes = jacfwd(nearest_in_box)(GOAL, BOX)
    np.testing.assert_allclose(np.asarray(slopes), [[1.0, 0.0], [0.0, 0.0]], atol=1e-6)


def test_what_is_to_stay_feasible_is_refused():
    rows = LinearConstraint([[1.0, 1.0]], 0.0, 1.0, keep_feasible=True)
    with pytest.raises(ValueError, match="leave out `keep_feasible=`"):
        compile(nearest)(GOAL, BOX, rows)
