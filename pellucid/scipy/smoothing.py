"""Smoothing splines of `scipy.interpolate`: near to points, and not much bent.

    make_smoothing_spline(x, y, w, lam)    the natural cubic spline f of least  sum w (y - f(x))^2 + lam int f''^2

With q^T y the divided differences of second order, times the lengths they span, and r the matrix of the integral in
terms of f'' at the points: (r + lam q^T w^-1 q) f'' = q^T y, and f = y - lam w^-1 q f''.  Source: P. Green and
B. Silverman, Nonparametric Regression and Generalized Linear Models (1994), section 2.3.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, ravel
from .piecewise import by_rows, points
from .special import of_floats
from .splines import BSplines, make_interp_spline


def make_smoothing_spline(x, y, w=None, lam=None, *, axis=0):
    if lam is None:
        fault = "scipy.interpolate.make_smoothing_spline chooses no `lam=` by cross-validation here"
        static.refuse("U012", fault, "pass `lam=`: the larger, the smoother")
    if static.rank(lam) != 0:
        static.refuse("S002", "scipy.interpolate.make_smoothing_spline takes one `lam=` here")
    if lam < 0.0:
        raise ValueError("Regularization parameter should be non-negative")
    x, y, around = points(x, y, axis)
    n = x.shape[0]
    if n <= 4:
        raise ValueError("``x`` and ``y`` length must be at least 5")
    spread = op.ones(shape=(n,), dtype="f64") if w is None else 1.0 / ravel(of_floats(as_array(w)))
    if spread.shape[0] != n or op.any(spread <= 0.0):
        raise ValueError("Invalid vector of weights")
    steps = x[1:] - x[:-1]
    up, down = 1.0 / steps[:-1], 1.0 / steps[1:]  # q has the columns (up, middle, down)
    middle = -up - down
    band = op.zeros(shape=(7, n - 2), dtype="f64")
    near, far = spread[1:-1], spread[2:]
    first = steps[1:-1] / 6.0 + lam * (middle[:-1] * near[:-1] * up[1:] + down[:-1] * near[1:] * middle[1:])
    second = lam * down[:-2] * far[: n - 4] * up[2:]
    band[4] = (x[2:] - x[:-2]) / 3.0 + lam * (up * up * spread[:-2] + middle * middle * near + down * down * far)
    band[3, 1:], band[5, : n - 3] = first, first
    band[2, 2:], band[6, : n - 4] = second, second
    rise = (y[1:] - y[:-1]) / by_rows(steps, y)
    bends = op.solve_banded(op.zeros(shape=(2,), dtype="f64"), band, rise[1:] - rise[:-1])
    moved = op.zeros(shape=y.shape, dtype="f64")
    moved[:-2] = by_rows(up, y) * bends
    moved[1:-1] = moved[1:-1] + by_rows(middle, y) * bends
    moved[2:] = moved[2:] + by_rows(down, y) * bends
    smooth = y - lam * by_rows(spread, y) * moved
    spline = make_interp_spline(x, smooth, bc_type="natural")
    return BSplines(spline.t, spline.c, 3, True, around)
