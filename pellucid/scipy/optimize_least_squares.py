"""`scipy.optimize`: least squares and the fit of curves.

    least_squares(r, x0)           ->     x = x + p,  |J p + r| least within a trust region;  J by forward mode
    curve_fit(f, t, y, p0)[0]      ->     the parameters with the least sum of (f(t, *p) - y)^2

Where no `jac=` is given the Jacobian is the exact one.  Derivatives of what is found follow from J^T r = 0, by the data
as by all that the residuals see; those of `cov` pass through the Jacobian.

Source: J. J. More, The Levenberg-Marquardt Algorithm (1978); M. A. Branch, T. F. Coleman and Y. Li (1999), SIAM Journal
on Scientific Computing 21.
"""

import numpy as np
from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class
from ..compiler.ops.static_functions import parameter_count
from ..forward_mode import jacfwd
from ..lax import stop_gradient
from ..transformations import grad
from .implicit import root_of
from .linalg import solve_triangular
from .optimize_boxes import active_mask, ends_of, within_box
from .optimize_losses import LOSSES, cost_of, weighted

EPS = 2.220446049250313e-16


def norm(x):
    return np.sqrt(x @ x)


def least_squares(
    fun, x0, jac=None, bounds=None, method="trf", ftol=1e-8, xtol=1e-8, gtol=1e-8, x_scale=None, loss="linear",
    f_scale=1.0, max_nfev=None, args=(), kwargs=None,
):  # fmt: skip
    """The x with the least sum of the squares of fun(x, *args) / 2, near `x0`.

    method    "trf", or "lm", where the variables are scaled by the columns of the Jacobian; with bounds "trf" and
              "dogbox" mean the same: the least of the linear model within the bounds and a box around x
    bounds    (low, high), numbers or arrays, or a `Bounds`
    loss      "linear", "soft_l1", "huber", "cauchy", "arctan", or a function of the squares, of residuals by `f_scale`
    jac       a function that gives the Jacobian, of shape (m, n); a name of differences means the exact one
    x_scale   the scales of the variables, or "jac"
    """
    if method not in ("trf", "lm", "dogbox"):
        raise ValueError("`method` must be one of 'trf', 'dogbox', 'lm'")
    if not callable(loss) and loss not in LOSSES:
        raise ValueError(f"`loss` must be one of {LOSSES} or a callable.")
    if method == "lm" and (callable(loss) or loss != "linear"):
        raise ValueError("method='lm' supports only 'linear' loss function.")
    if method == "lm" and bounds is not None:
        raise ValueError("Method 'lm' doesn't support bounds.")
    named = {} if kwargs is None else kwargs
    residuals = lambda x: np.atleast_1d(fun(x, *args, **named)) * 1.0  # noqa: E731
    both = with_jacobian(residuals, (lambda x: jac(x, *args, **named) * 1.0) if callable(jac) else None)
    start = np.atleast_1d(np.asarray(stop_gradient(x0), np.float64))
    by_columns = x_scale == "jac" if isinstance(x_scale, str) else x_scale is None and method == "lm"
    scale = np.ones(len(start)) if x_scale is None or by_columns else np.ones(len(start)) * x_scale
    most = 100 * len(start) if max_nfev is None else max_nfev
    costs = (loss, f_scale)
    if bounds is None:
        found, calls, jacobians, status = descended(
            residuals, both, start, scale, by_columns, ftol, xtol, gtol, most, 100.0 if method == "lm" else 1.0,
            costs=costs,
        )  # fmt: skip
        x = root_of(grad(lambda z: cost_of(loss, f_scale, residuals(z))), found)
        mask = np.zeros(len(start), np.int64 if method == "lm" else np.float64)
    else:
        low_given, high_given = ends_of(bounds, len(start))
        low, high = stop_gradient(low_given), stop_gradient(high_given)
        if np.any(low >= high):
            raise ValueError("Each lower bound must be strictly less than each upper bound.")
        if np.any(start < low) or np.any(start > high):
            raise ValueError("Initial guess is outside of provided bounds")
        found, calls, jacobians, status = descended(
            residuals, both, start, scale, by_columns, ftol, xtol, gtol, most, 1.0, low, high, costs
        )
        is_inside = np.logical_and(found > low, found < high)
        ends = np.where(is_inside, 0.0, np.where(found >= high, high_given, low_given))
        slope_of = grad(lambda z: cost_of(loss, f_scale, residuals(z)))
        x = root_of(lambda z: np.where(is_inside, slope_of(z), z - ends), found)
        mask = active_mask(found, low, high, is_inside)
    r, j = both(x)
    cost = cost_of(loss, f_scale, r)
    weighed, j = weighted(loss, f_scale, r, j)
    gradient = j.T @ weighed
    return dict_of_class(
        OptimizeResult, x=x, cost=cost, fun=r, jac=j, grad=gradient,
        optimality=np.max(np.abs(np.where(mask == 0, gradient, 0.0))), active_mask=mask, nfev=calls, njev=jacobians,
        status=status, message=message_of(status), success=status > 0,
    )  # fmt: skip


def with_jacobian(residuals, jacobian):
    """x -> (residuals, Jacobian): in one run where the Jacobian is the exact one."""
    if jacobian is not None:
        return lambda x: (residuals(x), jacobian(x))

    def twice(x):
        r = residuals(x)
        return r, r

    def both(x):
        j, r = jacfwd(twice, has_aux=True)(x)
        return r, j

    return both


def message_of(status):
    if status == 1:
        return "`gtol` termination condition is satisfied."
    if status == 2:
        return "`ftol` termination condition is satisfied."
    if status == 3:
        return "`xtol` termination condition is satisfied."
    if status == 4:
        return "Both `ftol` and `xtol` termination conditions are satisfied."
    return "The maximum number of function evaluations is exceeded."


def within_region(uf, s, vt, count, radius, alpha):
    """The step of the model that is no longer than the radius, and the parameter that makes it so."""
    is_full = s[-1] > EPS * count * s[0]
    suf = s * uf
    step = np.zeros(len(s))
    is_inside = False
    if is_full:
        step = -(vt.T @ (uf / s))
        is_inside = norm(step) <= radius
    if is_inside:
        alpha = 0.0
    else:
        upper, lower = norm(suf) / radius, 0.0
        if is_full:
            size = norm(uf / s)
            lower = (size - radius) / (np.sum(suf * suf / s**6) / size)
        if not is_full and alpha == 0.0 or alpha < 0.0:
            alpha = max(0.001 * upper, np.sqrt(lower * upper))
        tried = 0
        is_near = False
        while tried < 10 and not is_near:
            tried += 1
            if alpha < lower or alpha > upper:
                alpha = max(0.001 * upper, np.sqrt(lower * upper))
            scaled = s * s + alpha
            size = norm(suf / scaled)
            excess = size - radius
            rate = -np.sum(suf * suf / scaled**3) / size
            if excess < 0.0:
                upper = alpha
            ratio = excess / rate
            lower = max(lower, alpha - ratio)
            alpha = alpha - (excess + radius) * ratio / radius
            is_near = abs(excess) < 0.01 * radius
        step = -(vt.T @ (suf / (s * s + alpha)))
        step = step * (radius / norm(step))
    return step, alpha


def within_bounds(scaled, r, low, high, radius):
    """The step of the model within the bounds and a box; where a bound cuts it short, it ends there."""
    n = scaled.shape[1]
    lower, upper = np.maximum(low, -radius), np.minimum(high, radius)
    step, _, _, _ = within_box(scaled, -r, lower, upper, np.zeros(n), np.full(n, True), 10 * n)
    return np.where(step <= low, low, np.where(step >= high, high, step))


def descended(
    residuals, both, x, scale, by_columns, ftol, xtol, gtol, most, factor, low=None, high=None,
    costs=("linear", 1.0),
):  # fmt: skip
    """(the x found, calls, Jacobians, status); `both` gives residuals and Jacobian, `costs` a loss and its scale."""
    loss, f_scale = costs
    n, m = len(x), len(stop_gradient(residuals(x)))
    r, j, cost, radius = np.zeros(m), np.zeros((m, n)), 0.0, factor
    calls, jacobians, status, alpha = 1, 0, -1, -1.0
    is_asked = True
    while status == -1 or is_asked:
        if is_asked:
            is_asked = False
            r, j = stop_gradient(both(x))
            if jacobians == 0:
                cost = cost_of(loss, f_scale, r)
            r, j = weighted(loss, f_scale, r, j)
            jacobians += 1
            if by_columns:
                sizes = np.sqrt(np.sum(j * j, axis=0))
                sizes = np.where(sizes == 0.0, 1.0, sizes)
                scale = 1.0 / (sizes if jacobians == 1 else np.maximum(1.0 / scale, sizes))
            if jacobians == 1:
                radius = factor * (norm(x / scale) if low is None else np.max(np.abs(x / scale)))
                radius = factor if radius == 0.0 else radius
        gradient = j.T @ r
        slope = gradient
        if low is not None:
            inside = np.minimum(np.maximum(x - slope, low), high)
            slope = np.where(np.logical_or(x <= low, x >= high), x - inside, slope)
        if status != -1:
            pass
        elif np.max(np.abs(slope)) < gtol:
            status = 1
        elif calls >= most:
            status = 0
        else:
            scaled = j * scale
            if low is None:
                u, s, vt = np.linalg.svd(scaled, full_matrices=False)
                uf = u.T @ r
            drop = -1.0
            while drop <= 0.0 and calls < most and status == -1:
                if low is None:
                    step, alpha = within_region(uf, s, vt, len(r), radius, alpha)
                else:
                    step = within_bounds(scaled, r, (low - x) / scale, (high - x) / scale, radius)
                model = scaled @ step
                promised = -(0.5 * (model @ model) + (scale * gradient) @ step)
                x_new = x + scale * step
                if low is not None:
                    x_new = np.minimum(np.maximum(x_new, low), high)
                r_new = stop_gradient(residuals(x_new))
                calls += 1
                length = norm(step) if low is None else np.max(np.abs(step))
                cost_new = cost_of(loss, f_scale, r_new)
                if not cost_new < np.inf:
                    radius = 0.25 * length
                else:
                    drop = cost - cost_new
                    ratio = drop / promised if promised > 0.0 else (1.0 if promised == drop == 0.0 else 0.0)
                    radius_new = radius
                    if ratio < 0.25:
                        radius_new = 0.25 * length
                    elif ratio > 0.75 and length > 0.95 * radius:
                        radius_new = 2.0 * radius
                    is_flat = drop < ftol * cost and ratio > 0.25
                    is_short = norm(scale * step) < xtol * (xtol + norm(x))
                    if is_flat or is_short:
                        status = 4 if is_flat and is_short else 2 if is_flat else 3
                    else:
                        alpha = alpha * radius / radius_new
                        radius = radius_new
            if drop > 0.0:
                x, cost = x_new, cost_new
                is_asked = True
    return x, calls, jacobians, status


def curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None, bounds=None, method=None, jac=None,
    *, full_output=False, nan_policy=None, ftol=1.49012e-8, xtol=1.49012e-8, gtol=0.0, maxfev=None, max_nfev=None,
    loss="linear", f_scale=1.0, x_scale=None,
):  # fmt: skip
    """The parameters p with the least sum of ((f(xdata, *p) - ydata) / sigma)^2, and their covariance.

    p0      where to begin; how many parameters there are follows from it.  Without it all begin at 1, or between bounds
    bounds  (low, high), numbers or arrays, or a `Bounds`: then the method is "trf"
    sigma   standard deviations of `ydata`, or its covariance, of shape (m, m)
    """
    if full_output:
        raise ValueError("`curve_fit` gives no full output here: call `least_squares`")
    count = parameter_count(f) - 1 if p0 is None else len(p0)
    if count == 0:
        raise ValueError("Unable to determine number of fit parameters.")
    if method is None:
        method = "lm" if bounds is None else "trf"
    if method == "lm" and bounds is not None:
        raise ValueError("Method 'lm' only works for unconstrained problems. Use 'trf' instead.")
    y = np.asarray(ydata, np.float64)
    if isinstance(xdata, list | tuple | np.ndarray):
        xdata = np.asarray(xdata, np.float64)
    start = between(bounds, count) if p0 is None else np.atleast_1d(np.asarray(p0, np.float64))

    places = (0.0,) * count  # a function within a derivative knows the length of a tuple, and not a number
    apart = lambda p: [p[k] for k, _ in enumerate(places)]  # noqa: E731

    def whitened(r):
        if sigma is None:
            return r
        deviations = np.asarray(sigma, np.float64)
        if np.ndim(deviations) == 2:
            return np.linalg.solve(np.linalg.cholesky(deviations), r)
        return r / (deviations if r.ndim == 1 or deviations.ndim == 0 else deviations[:, None])

    residuals = lambda p: whitened(np.ravel(f(xdata, *apart(p)) - y))  # noqa: E731
    jacobian = None
    if callable(jac):
        jacobian = lambda p: whitened(np.asarray(jac(xdata, *apart(p)), np.float64))  # noqa: E731
    most = (200 * (count + 1) if method == "lm" else 100 * count) if maxfev is None else maxfev
    found = least_squares(
        residuals, start, jacobian, bounds, method, ftol, xtol, gtol, x_scale, loss, f_scale,
        most if max_nfev is None else max_nfev,
    )  # fmt: skip
    if not found.success:
        raise RuntimeError(f"Optimal parameters not found: {found.message}")
    inverse = solve_triangular(np.linalg.qr(found.jac)[1], np.eye(count))
    covariance = inverse @ inverse.T
    if not absolute_sigma:
        covariance = covariance * (2.0 * found.cost / (y.size - count) if y.size > count else np.inf)
    return found.x, covariance


def between(bounds, count):
    """Where a fit begins of which only the bounds are known."""
    if bounds is None:
        return np.ones(count)
    low, high = ends_of(bounds, count)
    is_low, is_high = np.isfinite(low), np.isfinite(high)
    above = np.where(is_low, low, 0.0) + 1.0
    below = np.where(is_high, high, 0.0) - 1.0
    middle = 0.5 * (np.where(is_low, low, 0.0) + np.where(is_high, high, 0.0))
    one_sided = np.where(is_low, above, np.where(is_high, below, 1.0))
    return np.where(np.logical_and(is_low, is_high), middle, one_sided)
