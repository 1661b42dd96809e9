"""`scipy.optimize.root` and `fsolve`: roots of as many equations as there are unknowns.

    fsolve(f, x0)     ->     x = x + p, with J p = -f as far as a trust region allows;  J by forward mode

The Jacobian is the exact one; the steps are those of `least_squares(method="lm")`, and the last one is Newton's.
Derivatives of the root follow from f(x, p) = 0.

Source: M. J. D. Powell, A Hybrid Method for Nonlinear Equations (1970); J. J. More (1978).
"""

import numpy as np
from scipy.optimize import OptimizeResult

from ..compiler.ops import static
from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient
from .implicit import root_of
from .optimize_least_squares import descended, with_jacobian

# The methods of SciPy's that are not here.
OTHERS = (
    "broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden", "excitingmixing", "krylov", "df-sane"
)  # fmt: skip


def solved(fun, x0, args, jac, near, most):
    further = args if isinstance(args, tuple) else (args,)
    f = lambda x: np.asarray(fun(x, *further), np.float64)  # noqa: E731
    both = with_jacobian(f, (lambda x: np.asarray(jac(x, *further), np.float64)) if callable(jac) else None)
    start = np.atleast_1d(np.asarray(stop_gradient(x0), np.float64))
    calls_allowed = 100 * (len(start) + 1) if most is None else most
    x, calls, jacobians, _ = descended(
        f, both, start, np.ones(len(start)), True, 1e-30, near, 0.0, calls_allowed, 100.0
    )
    size = np.max(np.abs(stop_gradient(f(start)))) + np.max(np.abs(x))
    value, slope = stop_gradient(both(x))
    is_root = np.max(np.abs(value)) <= 1e-6 * max(1.0, size)
    if is_root:
        x = x - np.linalg.solve(slope, value)
    return root_of(f, x, is_root), f, calls, jacobians, is_root


def root(fun, x0, args=(), method="hybr", jac=None, tol=None, options=None):
    """A root of fun(x, *args), which gives as many numbers as `x` has: `res.x`, `res.fun`, `res.success`.

    Where there is no success, the derivative of `res.x` is nan.

    method   "hybr" or "lm", which mean the same here
    """
    if method in OTHERS:
        static.refuse("U012", f"`root` has no {method!r} here: there are 'hybr' and 'lm'")
    if method not in ("hybr", "lm"):
        raise ValueError(f"Unknown solver {method}")
    x, f, calls, jacobians, is_root = solved(fun, x0, args, jac, 1.49012e-8 if tol is None else tol, None)
    message = "The solution converged." if is_root else "The iteration is not making good progress."
    return dict_of_class(
        OptimizeResult, x=x, fun=f(x), success=is_root, status=1 if is_root else 5, message=message, nfev=calls,
        njev=jacobians, method=method,
    )  # fmt: skip


def fsolve(func, x0, args=(), fprime=None, full_output=0, xtol=1.49012e-8, maxfev=0):
    """The root alone.  Raises RuntimeError where none is found: SciPy warns, and returns what is none."""
    if full_output:
        static.refuse("U012", "`fsolve` does not give full_output here: call `root`")
    x, _, _, _, is_root = solved(func, x0, args, fprime, xtol, maxfev if maxfev > 0 else None)
    if not is_root:
        raise RuntimeError("fsolve: the iteration is not making good progress; `root` says so in `success`")
    return x
