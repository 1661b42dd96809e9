"""Solvers that find no root say so, and the derivative of what they return is nan."""

import numpy as np
import pytest
from scipy import optimize

from pellucid import compile, jacfwd, jacrev, vmap


def system(p):
    return optimize.root(lambda x: np.array([x[0] ** 2 - p, x[1] - p]), np.array([1.0, 1.0])).x


def scalar(p):
    return optimize.root_scalar(lambda x: x**2 - p, x0=1.0, fprime=lambda x: 2.0 * x).root


def newton(p):
    return optimize.newton(lambda x: x**2 - p, 1.0, fprime=lambda x: 2.0 * x, disp=False)


def elements(p):
    return optimize.newton(lambda x: x**2 - np.array([p, 2.0]), np.ones(2), fprime=lambda x: 2.0 * x, disp=False)


SOLVERS = [pytest.param(system, marks=pytest.mark.long), scalar, newton, elements]


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", [jacfwd, jacrev])
def test_the_slope_is_nan_where_there_is_no_root(solver, mode):
    slope = np.atleast_1d(mode(solver)(2.0))
    assert slope[0] == pytest.approx(0.5 / np.sqrt(2.0), rel=1e-9)
    missed = np.atleast_1d(mode(solver)(-2.0))
    assert np.isnan(missed[0])
    assert np.all(np.isfinite(np.atleast_1d(compile(solver)(-2.0))))


def test_in_a_batch_the_others_keep_theirs():
    slopes = vmap(jacfwd(scalar))(np.array([-2.0, 2.0]))
    assert np.isnan(slopes[0]) and slopes[1] == pytest.approx(0.5 / np.sqrt(2.0), rel=1e-9)
