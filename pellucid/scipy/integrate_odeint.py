"""`scipy.integrate.odeint`: the solution at given times, a row for each.

    odeint(f, y0, t)     ->     solve_ivp(lambda t, y: f(y, t), (t[0], t[-1]), y0, method="LSODA", t_eval=t).y.T
"""

import numpy as np

from .integrate import integrated
from .integrate_implicit import jacobian_of

TOLERANCE = 1.49012e-8


def odeint(
    func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None, rtol=None, atol=None, tcrit=None,
    h0=0.0, hmax=0.0, hmin=0.0, ixpr=0, mxstep=0, mxhnil=0, mxordn=12, mxords=5, printmessg=0, tfirst=False,
):  # fmt: skip
    """The states of y' = func(y, t, *args) at the times `t`, of shape (m, n), from y0 at t[0].

    tfirst       whether the function is func(t, y, *args)
    Dfun         its Jacobian, with the same arguments; without it, the exact one is made.  `col_deriv`: it is
                 transposed
    rtol, atol   1.49012e-8 without them

    Raises RuntimeError where the steps become too small, where SciPy warns.
    """
    if full_output:
        raise ValueError("`odeint` gives no full_output here: call `solve_ivp`, whose result says `nfev` and `status`")
    if ml is not None or mu is not None or tcrit is not None:
        raise ValueError("`odeint` takes neither `ml=` and `mu=` nor `tcrit=` here: leave them out")
    further = args if isinstance(args, tuple) else (args,)
    times = np.asarray(t, np.float64)
    if times.ndim != 1:
        raise ValueError("Output times t must be 1-dimensional.")
    if not (np.all(times[1:] >= times[:-1]) or np.all(times[1:] <= times[:-1])):
        raise ValueError(
            "The values in t must be monotonically increasing or monotonically decreasing; repeated values are allowed."
        )
    y = np.atleast_1d(np.asarray(y0, np.float64))
    if y.ndim != 1:
        raise ValueError("Initial condition y0 must be one-dimensional.")
    if tfirst:
        f = lambda t, y: np.atleast_1d(np.asarray(func(t, y, *further), np.float64))  # noqa: E731
    else:
        f = lambda t, y: np.atleast_1d(np.asarray(func(y, t, *further), np.float64))  # noqa: E731
    jac = None
    if Dfun is not None:
        given = (lambda t, y: Dfun(t, y, *further)) if tfirst else (lambda t, y: Dfun(y, t, *further))
        jac = lambda t, y: np.asarray(given(t, y)).T if col_deriv else given(t, y)  # noqa: E731
    near = np.maximum(TOLERANCE if rtol is None else rtol, 100.0 * np.finfo(np.float64).eps)
    level = np.asarray(TOLERANCE if atol is None else atol, np.float64)
    problem = (f, jacobian_of(f, jac, (), len(y)), False, near, level, np.float64(hmax) if hmax > 0.0 else np.inf)
    first = None if h0 == 0.0 else h0
    found = integrated(problem, times[0], times[-1], y, "LSODA", times, False, [], [], first)
    if found.status < 0:
        raise RuntimeError("odeint: the steps became too small; `solve_ivp` says so in `status`")
    return found.y.T
