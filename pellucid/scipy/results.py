"""The results of solvers: instances of SciPy's classes, whose items are attributes.

    OptimizeResult(x=x, fun=f)     ->     a dict of that class:  r.x, r["fun"]
"""

from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class
from ..transformations import grad
from .implicit import root_of


def optimize_result(**items):
    return dict_of_class(OptimizeResult, **items)


def message_of(status):
    if status == 0:
        return "Optimization terminated successfully."
    if status == 1:
        return "Maximum number of iterations has been exceeded."
    return "Desired error not necessarily achieved due to precision loss."


def result(f, found, gradient, steps, calls, status, inverse):
    x = root_of(grad(f), found)
    if inverse is None:
        return dict_of_class(
            OptimizeResult, fun=f(x), jac=gradient, nfev=calls, njev=calls, status=status, success=status == 0,
            message=message_of(status), x=x, nit=steps,
        )  # fmt: skip
    return dict_of_class(
        OptimizeResult, fun=f(x), jac=gradient, hess_inv=inverse, nfev=calls, njev=calls, status=status,
        success=status == 0, message=message_of(status), x=x, nit=steps,
    )  # fmt: skip
