"""`scipy.interpolate.interp1d`: values between points by lines, steps or splines.

    f = interp1d(x, y, kind="linear");  f(t)    y[i] + (t - x[i]) / (x[i + 1] - x[i]) (y[i + 1] - y[i])
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.interpolation import searchsorted
from ..numpy.manipulation import as_array, ravel
from ..numpy.sorting import argsort
from .piecewise import before, by_rows, points, shaped
from .special import of_floats
from .splines import make_interp_spline

DEGREES = {"slinear": 1, "quadratic": 2, "cubic": 3}
KINDS = ("linear", "nearest", "nearest-up", "previous", "next", "zero", *DEGREES)


@dataclass
class Interp1d:
    """Values at points, and what is taken outside of them."""

    x: np.ndarray
    y: np.ndarray
    around: tuple
    spline: object
    kind: str
    bounds: str
    below: object
    above: object

    def __call__(self, x):
        at = of_floats(x)
        flat = ravel(as_array(at))
        first, last = self.x[0], self.x[-1]
        if self.bounds == "error":
            if op.any(flat < first):
                raise ValueError("A value in x_new is below the interpolation range.")
            if op.any(flat > last):
                raise ValueError("A value in x_new is above the interpolation range.")
        found = self.inside(flat)
        if self.bounds == "fill":
            low, high = flat < first, flat > last
            if static.rank(self.y) == 2:
                low, high = low[:, None], high[:, None]
            found = op.where(low, self.below, op.where(high, self.above, found))
        return shaped(found, at, self.around)

    def inside(self, flat):
        x, y = self.x, self.y
        if self.spline is not None:
            return self.spline.of_columns(flat)
        if self.kind in ("previous", "zero"):
            return y[op.maximum(searchsorted(x, flat, "right") - 1, 0)]
        if self.kind == "next":
            return y[op.minimum(searchsorted(x, flat, "left"), x.shape[0] - 1)]
        i = before(x, flat)
        if self.kind in ("nearest", "nearest-up"):
            middle = 0.5 * (x[i] + x[i + 1])
            up = flat > middle if self.kind == "nearest" else flat >= middle
            return y[op.where(up, i + 1, i)]
        share = (flat - x[i]) / (x[i + 1] - x[i])
        return y[i] + by_rows(share, y) * (y[i + 1] - y[i])


def interp1d(
    x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=nan, assume_sorted=False,
):  # fmt: skip
    """`kind`: "linear nearest previous next quadratic cubic", or the degree of a spline; `fill_value`: a number, a pair
    of them, or "extrapolate"."""
    degree = DEGREES.get(kind) if static.is_text(kind) else kind
    if not static.is_static(degree) or (static.is_text(kind) and kind not in KINDS):
        raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
    x, y = of_floats(as_array(x)), as_array(y)
    if not assume_sorted:
        order = argsort(x, kind="mergesort")
        x, y = x[order], np.take(y, order, axis)
    x, rows, around = points(x, y, axis)
    extrapolates = static.is_text(fill_value)
    if extrapolates and fill_value != "extrapolate":
        raise ValueError("fill_value must be a number, a pair of numbers or 'extrapolate'")
    if extrapolates and bounds_error:
        raise ValueError("Cannot extrapolate and raise at the same time.")
    is_filled = bounds_error is False or not static.is_static(fill_value) or fill_value == fill_value
    bounds = "extrapolate" if extrapolates else "error" if bounds_error or not is_filled else "fill"
    below, above = (0.0, 0.0) if extrapolates else fill_value if static.is_sequence(fill_value) else (fill_value,) * 2
    if extrapolates and kind in ("previous", "next"):  # there is no point before the first one, and none after the last
        bounds = "fill"
        below, above = (nan, rows[-1]) if kind == "previous" else (rows[0], nan)
    has_spline = degree is not None and degree > 0
    spline = make_interp_spline(x, rows, degree) if has_spline else None
    word = "zero" if degree == 0 else "spline" if has_spline else kind
    return Interp1d(x, rows, around, spline, word, bounds, below, above)
