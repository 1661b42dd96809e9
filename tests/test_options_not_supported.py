"""Options that SciPy's solvers have and ours lack are refused when the function is compiled, at the user's line."""

import numpy as np
import pytest
from scipy import integrate, optimize

from pellucid import CompileError, compile

X = np.ones(2)


def rosenbrock(x):
    return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2


def minimize_callback(x):
    return optimize.minimize(rosenbrock, x, callback=lambda z: None).x


def minimize_hessian(x):
    return optimize.minimize(rosenbrock, x, method="Newton-CG", hess=lambda x: np.eye(2)).x


def root_by_krylov(x):
    return optimize.root(lambda z: z - x, x, method="krylov").x


def fsolve_with_output(x):
    return optimize.fsolve(lambda z: z - x, x, full_output=True)[0]


def newton_of_arrays(x):
    return optimize.newton(lambda z: z**2 - x, x)


def quad_with_output(x):
    return integrate.quad(lambda t: t * x[0], 0.0, 1.0, full_output=1)[0]


def vectorized(x):
    return integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), x, vectorized=True).y


CALLS = [
    minimize_callback, minimize_hessian, root_by_krylov, fsolve_with_output, newton_of_arrays, quad_with_output,
    vectorized,
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda f: f.__name__)
def test_an_option_is_refused_at_the_line(call):
    with pytest.raises(CompileError, match="U012") as refused:
        compile(call)(X)
    (found,) = refused.value.diagnostics
    assert found.span.file == __file__ and found.span.line == call.__code__.co_firstlineno + 1


def test_what_scipy_does_not_know_is_its_own_error():
    with pytest.raises(ValueError, match="Unknown solver none"):
        compile(lambda x: optimize.root(lambda z: z - x, x, method="none").x)(X)
