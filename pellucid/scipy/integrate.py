"""`scipy.integrate.solve_ivp`: initial value problems of ordinary differential equations.

    solve_ivp(f, (0.0, 5.0), y0, rtol=1e-8)     ->     t = 0.0; y = y0; h = first_size(...)
                                                       while t < 5.0: a step of size h;  h = h * factor(its error)

The steps are SciPy's own.  Derivatives follow the steps that were taken, whose sizes count as constants: the exact
derivative of the numbers returned at these times, and as near to that of the solution as the numbers are (discretise,
then optimise, as JAX's `odeint` does not and diffrax does by default).  The time at which an event takes place has the
derivative that its equation gives it.
"""

import numpy as np
from scipy.integrate._ivp.ivp import OdeResult

from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient
from ..runtime.parts import refuse
from .integrate_explicit import (
    FASTEST, ORDERS, SAFETY, SLOWEST, TOO_SMALL, between, dense, error_norm, first_size, stages_of,
)  # fmt: skip

METHODS = ("RK23", "RK45", "DOP853")
FINISHED = "The solver successfully reached the end of the integration interval."
STOPPED = "A termination event occurred."


def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None, *,
    rtol=1e-3, atol=1e-6, max_step=np.inf, first_step=None, jac=None,
):  # fmt: skip
    """The solution of y' = fun(t, y, *args) with y(t0) = y0 from t0 to tf."""
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {METHODS}")
    t_end = t_span[1] * 1.0
    t = t_span[0] * 1.0
    y = np.asarray(y0, np.float64)
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    further = () if args is None else args
    f = lambda t, y: np.asarray(fun(t, y, *further), np.float64)  # noqa: E731
    return explicit(f, t, t_end, y, method, t_eval, dense_output, rtol, atol, max_step, first_step)


def explicit(f, t, t_end, y, method, t_eval, dense_output, rtol, atol, most, first_step):
    direction = 1.0 if t_end >= t else -1.0
    slope = f(t, y)
    if first_step is None:
        size = stop_gradient(first_size(f, t, y, slope, t_end, direction, ORDERS[method], rtol, atol, most))
        nfev = 2
    else:
        size = first_step
        nfev = 1
    exponent = -1.0 / (ORDERS[method] + 1)
    ts, ys = [t], [y]
    is_retry = False
    status = 0 if t == t_end else 1
    while status == 1:
        least = 10.0 * abs(np.nextafter(t, direction * np.inf) - t)
        if not is_retry:
            size = max(least, min(size, most))
        if size < least:
            status = -1
        else:
            t_new = t + stop_gradient(size) * direction
            if direction * (t_new - t_end) > 0.0:
                t_new = t_end
            h = t_new - t
            size = abs(h)
            stages, y_new = stages_of(f, method, t, y, slope, h)
            scale = atol + np.maximum(np.abs(y), np.abs(y_new)) * rtol
            error = stop_gradient(error_norm(method, stages, h, scale))
            nfev += len(stages) - 1
            if error < 1.0:
                factor = FASTEST if error == 0.0 else min(FASTEST, SAFETY * error**exponent)
                size = size * (min(1.0, factor) if is_retry else factor)
                t, y, slope = t_new, y_new, stages[-1]
                ts.append(t)
                ys.append(y)
                is_retry = False
                if direction * (t - t_end) >= 0.0:
                    status = 0
            else:
                size = size * max(SLOWEST, SAFETY * error**exponent)
                is_retry = True
    return dict_of_class(OdeResult, t=np.array(ts), y=np.array(ys).T, sol=None, nfev=nfev, njev=0, nlu=0,
        status=status, success=status >= 0)
