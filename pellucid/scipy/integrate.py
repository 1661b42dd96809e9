"""`scipy.integrate.solve_ivp`: initial value problems of ordinary differential equations.

    solve_ivp(f, (0.0, 5.0), y0, rtol=1e-8)     ->     t = 0.0; y = y0; h = first_size(...)
                                                       while t < 5.0: a step of size h;  h = h * factor(its error)

The steps are SciPy's own.  Derivatives follow the steps that were taken, whose sizes count as constants: those of the
numbers returned, as near to the derivatives of the solution as the numbers are to it (first discretise, then
differentiate, as diffrax does by default; JAX's `odeint` solves an adjoint equation instead).  The time at which an
event takes place has the derivative that its equation gives it.
"""

import numpy as np
from scipy.integrate._ivp.ivp import OdeResult

from ..compiler.ops import static
from ..compiler.ops.containers import dict_of_class
from .integrate_dense import Solution, between
from .integrate_events import happened, limits_of, times_of
from .integrate_implicit import jacobian_of
from .integrate_methods import EXPLICIT, IMPLICIT, at_rest, attempt, dense, start, work_of

METHODS = (*EXPLICIT, *IMPLICIT)


def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None, *,
    first_step=None, max_step=np.inf, rtol=1e-3, atol=1e-6, jac=None,
):  # fmt: skip
    """The solution of y' = fun(t, y, *args) with y(t0) = y0, from t0 to tf.

    fun           gives a number for each of the n components of y, which is a vector
    t_span        (t0, tf), of which tf may be before t0
    method        "RK45", "RK23" or "DOP853", and for stiff problems "Radau" or "BDF", known when compiled;
                  "LSODA" begins as "RK45" and goes on as "BDF" while the problem is stiff
    jac           for these, the Jacobian of `fun` by y: a function jac(t, y, *args), or a matrix if it is constant;
                  without it, the exact one is made
    t_eval        the times to return, in their order; without it, the ends of the steps.  Only these states are kept
    dense_output  whether `sol.sol(t)` gives the state at any time
    events        a function g(t, y, *args), or several: where they are 0 their times and states are kept.  The
                  attributes `terminal` and `direction` are read of functions of a module
    rtol, atol    the error of a step is kept below atol + rtol |y|; `atol` also by component

    `sol.t`, of shape (m,), and `sol.y`, of shape (n, m), are the solution; `sol.t_events` and `sol.y_events` hold an
    array for each event.  `sol.status` is 0 at the end, 1 at a terminal event, and -1 if the steps became too small;
    `sol.success` says whether it is not -1.
    """
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {METHODS}")
    if vectorized:
        static.refuse("U012", "`vectorized=True` has no meaning for these methods: leave it out")
    if jac is not None and method in EXPLICIT:
        raise ValueError(f"`jac=` has no meaning for {method}: leave it out")
    start_at, t_end = np.float64(t_span[0]), np.float64(t_span[1])
    y = np.asarray(y0, np.float64)
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if not np.all(np.isfinite(y)):
        raise ValueError("All components of the initial state `y0` must be finite.")
    if max_step <= 0:
        raise ValueError("`max_step` must be positive.")
    if first_step is not None and (first_step <= 0 or first_step > abs(t_end - start_at)):
        raise ValueError("`first_step` must be positive and no longer than the interval.")
    rtol = np.maximum(rtol, 100.0 * np.finfo(np.float64).eps)
    atol = np.asarray(atol, np.float64)
    further = () if args is None else args
    f = lambda t, y: np.asarray(fun(t, y, *further), np.float64)  # noqa: E731
    several = () if events is None else events if isinstance(events, tuple | list) else (events,)
    found = [lambda t, y, event=event: event(t, y, *further) for event in several]
    limits = [limits_of(event) for event in several]
    is_fixed = jac is not None and not callable(jac)
    problem = (f, jacobian_of(f, jac, further, len(y)), is_fixed, rtol, atol, max_step)
    times = None if t_eval is None else times_to_return(t_eval, start_at, t_end)
    return integrated(problem, start_at, t_end, y, method, times, dense_output, found, limits, first_step)


def times_to_return(t_eval, t, t_end):
    """The times asked for.  Raises ValueError where they are not within the interval, or not in its order."""
    times = np.asarray(t_eval, np.float64)
    if times.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(times < min(t, t_end)) or np.any(times > max(t, t_end)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    if np.any((1.0 if t_end >= t else -1.0) * (times[1:] - times[:-1]) <= 0):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return times


def integrated(problem, t, t_end, y, method, times, dense_output, events, limits, first_step):
    direction = 1.0 if t_end >= t else -1.0
    state, nfev = start(problem, method, t, y, t_end, direction, first_step)
    states = None if times is None else np.zeros((len(times), len(y)))
    done = 0
    keeps_steps = times is None or dense_output
    ts, ys, sizes, polynomials = [t], [y], [], []
    values = [np.float64(event(t, y)) for event in events]
    counts = [0 for _ in events]
    t_events, y_events = [[] for _ in events], [[] for _ in events]
    status = 2
    if t == t_end:
        status = 0
        if keeps_steps:
            ts.append(t)
            ys.append(y)
        if dense_output:
            sizes.append(1.0)
            polynomials.append(at_rest(method, y))
        if times is not None:
            for k in range(len(times)):
                states[k] = y
            done = len(times)
    while status == 2:
        outcome, t_new, y_new, state, stages, calls = attempt(problem, method, state, t, y, t_end, direction)
        nfev += calls
        if outcome == -1:
            status = -1
        elif outcome == 1:
            if direction * (t_new - t_end) >= 0.0:
                status = 0
            h = t_new - t
            values_new = [np.float64(event(t_new, y_new)) for event in events]
            active = [happened(a, b, limit[1]) for a, b, limit in zip(values, values_new, limits)]
            is_needed = dense_output
            for is_active in active:
                is_needed = is_needed or is_active
            if times is not None:
                is_needed = is_needed or (done < len(times) and direction * (times[done] - t_new) <= 0.0)
            if is_needed:
                polynomial, calls = dense(problem, method, t, y, h, stages, y_new)
                nfev += calls
            else:
                polynomial = at_rest(method, y)
            if dense_output:
                sizes.append(h)
                polynomials.append(polynomial)
            if events:
                roots, is_last, t_stop = times_of(
                    events, limits, counts, active, (method, t, h, y, polynomial), t_new, direction
                )
                for k in range(len(events)):
                    if active[k] and direction * (roots[k] - t_stop) <= 0.0:
                        t_events[k].append(roots[k])
                        y_events[k].append(between(method, t, h, y, polynomial, roots[k]))
                if is_last:
                    status = 1
                    t_new, y_new = t_stop, between(method, t, h, y, polynomial, t_stop)
            if times is not None:
                while done < len(times) and direction * (times[done] - t_new) <= 0.0:
                    states[done] = between(method, t, h, y, polynomial, times[done])
                    done += 1
            t, y = t_new, y_new
            for k in range(len(events)):
                values[k] = values_new[k]
            if keeps_steps:
                ts.append(t)
                ys.append(y)
    jacobians, factorings = work_of(method, state)
    return dict_of_class(
        OdeResult,
        t=np.array(ts) if times is None else times[:done],
        y=np.array(ys).T if times is None else states[:done].T,
        sol=Solution(method, *map(np.array, (ts, sizes, ys, polynomials))) if dense_output else None,
        t_events=[np.array(found) for found in t_events] if events else None,
        y_events=[np.array(found) for found in y_events] if events else None,
        nfev=nfev,
        njev=jacobians,
        nlu=factorings,
        status=status,
        message=message_of(status, any(limit[0] is not None for limit in limits)),
        success=status >= 0,
    )


def message_of(status, may_stop):
    if may_stop and status == 1:
        return "A termination event occurred."
    if status == 0:
        return "The solver successfully reached the end of the integration interval."
    return "Required step size is less than spacing between numbers."
