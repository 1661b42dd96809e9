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

EPS = 2.220446049250313e-16


def norm(x):
    return np.sqrt(x @ x)


def least_squares(
    fun, x0, jac=None, bounds=None, method="trf", ftol=1e-8, xtol=1e-8, gtol=1e-8, x_scale=None, loss="linear",
    f_scale=1.0, max_nfev=None, args=(), kwargs=None,
):  # fmt: skip
    """The x with the least sum of the squares of fun(x, *args) / 2, near `x0`.

    method    "trf", or "lm", where the variables are scaled by the columns of the Jacobian
    jac       a function that gives the Jacobian, of shape (m, n); a name of differences means the exact one
    x_scale   the scales of the variables, or "jac"
    """
    if bounds is not None:
        raise ValueError("`least_squares` takes no `bounds=` here: minimize the sum of squares by L-BFGS-B")
    if loss != "linear":
        raise ValueError(f"`least_squares` takes loss={loss!r} no more than others but \"linear\" here")
    if method not in ("trf", "lm", "dogbox"):
        raise ValueError("`method` must be one of 'trf', 'dogbox', 'lm'")
    named = {} if kwargs is None else kwargs
    residuals = lambda x: np.atleast_1d(fun(x, *args, **named)) * 1.0  # noqa: E731
    both = with_jacobian(residuals, (lambda x: jac(x, *args, **named) * 1.0) if callable(jac) else None)
    start = np.atleast_1d(np.asarray(stop_gradient(x0), np.float64))
    by_columns = x_scale == "jac" if isinstance(x_scale, str) else x_scale is None and method == "lm"
    scale = np.ones(len(start)) if x_scale is None or by_columns else np.ones(len(start)) * x_scale
    most = 100 * len(start) if max_nfev is None else max_nfev
    found, calls, jacobians, status = descended(
        residuals, both, start, scale, by_columns, ftol, xtol, gtol, most, 100.0 if method == "lm" else 1.0
    )
    x = root_of(grad(lambda z: 0.5 * np.sum(residuals(z) ** 2)), found)
    r, j = both(x)
    gradient = j.T @ r
    return dict_of_class(
        OptimizeResult, x=x, cost=0.5 * np.sum(r * r), fun=r, jac=j, grad=gradient,
        optimality=np.max(np.abs(gradient)), active_mask=np.zeros(len(start), np.int64), nfev=calls, njev=jacobians,
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


def descended(residuals, both, x, scale, by_columns, ftol, xtol, gtol, most, factor):
    """(the x found, calls, Jacobians, status); `both` gives residuals and Jacobian."""
    n, m = len(x), len(stop_gradient(residuals(x)))
    r, j, cost, radius = np.zeros(m), np.zeros((m, n)), 0.0, factor
    calls, jacobians, status, alpha = 1, 0, -1, -1.0
    is_asked = True
    while status == -1 or is_asked:
        if is_asked:
            is_asked = False
            r, j = stop_gradient(both(x))
            jacobians += 1
            if by_columns:
                sizes = np.sqrt(np.sum(j * j, axis=0))
                sizes = np.where(sizes == 0.0, 1.0, sizes)
                scale = 1.0 / (sizes if jacobians == 1 else np.maximum(1.0 / scale, sizes))
            if jacobians == 1:
                cost = 0.5 * (r @ r)
                radius = factor * norm(x / scale)
                radius = factor if radius == 0.0 else radius
        gradient = j.T @ r
        if status != -1:
            pass
        elif np.max(np.abs(gradient)) < gtol:
            status = 1
        elif calls >= most:
            status = 0
        else:
            scaled = j * scale
            u, s, vt = np.linalg.svd(scaled, full_matrices=False)
            uf = u.T @ r
            drop = -1.0
            while drop <= 0.0 and calls < most and status == -1:
                step, alpha = within_region(uf, s, vt, len(r), radius, alpha)
                model = scaled @ step
                promised = -(0.5 * (model @ model) + (scale * gradient) @ step)
                x_new = x + scale * step
                r_new = stop_gradient(residuals(x_new))
                calls += 1
                length = norm(step)
                cost_new = 0.5 * (r_new @ r_new)
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
    *, full_output=False, nan_policy=None, ftol=1.49012e-8, xtol=1.49012e-8, gtol=0.0, maxfev=None,
):  # fmt: skip
    """The parameters p with the least sum of ((f(xdata, *p) - ydata) / sigma)^2, and their covariance.

    p0      where to begin; how many parameters there are follows from it.  Without it all begin at 1
    sigma   standard deviations of `ydata`, or its covariance, of shape (m, m)
    """
    if p0 is None:
        p0 = (1.0,) * (parameter_count(f) - 1)
        if len(p0) == 0:
            raise ValueError("Unable to determine number of fit parameters.")
    if bounds is not None or full_output:
        raise ValueError("`curve_fit` takes neither `bounds=` nor `full_output=` here")
    y = np.asarray(ydata, np.float64)
    start = np.atleast_1d(np.asarray(p0, np.float64))
    n = len(p0)

    def residuals(p):
        difference = np.ravel(f(xdata, *p) - y)
        if sigma is None:
            return difference
        if np.ndim(sigma) == 2:
            return np.linalg.solve(np.linalg.cholesky(np.asarray(sigma, np.float64)), difference)
        return difference / np.asarray(sigma, np.float64)

    jacobian = None
    if callable(jac):
        jacobian = lambda p: jac(xdata, *p)  # noqa: E731
    most = 200 * (n + 1) if maxfev is None else maxfev
    found = least_squares(
        residuals, start, jacobian, None, "lm" if method is None else method, ftol, xtol, gtol, max_nfev=most
    )
    if not found.success:
        raise RuntimeError(f"Optimal parameters not found: {found.message}")
    covariance = np.linalg.inv(found.jac.T @ found.jac)
    if not absolute_sigma:
        covariance = covariance * (2.0 * found.cost / (y.size - n))
    return found.x, covariance
