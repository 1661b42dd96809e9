"""Interpolators of `scipy.interpolate` besides piecewise cubics: `interp1d`, B-splines, grids.

    f = interp1d(x, y, kind="linear");  f(t)
    g = RegularGridInterpolator((x, y), values);  g(points)    the weighted sum of the corners of the cell around each
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype
from ..numpy.interpolation import searchsorted
from ..numpy.manipulation import as_array, moveaxis, ravel, total
from ..numpy.sorting import argsort
from .piecewise import CubicSpline, Piecewise, before, by_rows, points, shaped
from .special import of_floats

KINDS = ("linear", "nearest", "nearest-up", "previous", "next", "zero", "cubic", "slinear")


@dataclass
class Interp1d:
    """Values at points, and what is taken outside of them."""

    x: np.ndarray
    y: np.ndarray
    rows: tuple
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
        return shaped(found, at)

    def inside(self, flat):
        x, y = self.x, self.y
        if self.kind == "cubic":
            return Piecewise(self.rows, x, True)(flat)
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
    """`kind`: "linear nearest previous next cubic"; `fill_value`: a number, a pair of them, or "extrapolate"."""
    if not static.is_text(kind) or kind not in KINDS:
        static.refuse("U012", f"scipy.interpolate.interp1d(kind={kind!r}) is not supported: 'linear' and 'cubic' are")
    x, y = of_floats(as_array(x)), as_array(y)
    rows = moveaxis(y, axis, 0)
    if not assume_sorted:
        order = argsort(x, kind="mergesort")
        x, rows = x[order], rows[order]
    x, rows = points(x, rows)
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
    cubics = CubicSpline(x, rows).rows if kind == "cubic" else ()
    return Interp1d(x, rows, cubics, "linear" if kind == "slinear" else kind, bounds, below, above)


# --- B-splines -------------------------------------------------------------------------------------------------------


@dataclass
class BSplines:
    """The sum of c[i] times the i-th B-spline of degree k on the knots t."""

    t: np.ndarray
    c: np.ndarray
    k: int
    extrapolate: bool

    def __call__(self, x, nu=0, extrapolate=None):
        if nu != 0:
            return self.derivative(nu)(x, 0, extrapolate)
        at = of_floats(x)
        flat = ravel(as_array(at))
        n, k = self.c.shape[0], self.k
        i = op.minimum(op.maximum(searchsorted(self.t, flat, "right") - 1, k), n - 1)
        parts = [self.c[i - k + j] for j in range(k + 1)]
        for r in range(1, k + 1):
            for j in range(k, r - 1, -1):
                low = self.t[i - k + j]
                share = (flat - low) / (self.t[i + 1 + j - r] - low)
                share = share if static.rank(self.c) == 1 else share[:, None]
                parts[j] = (1.0 - share) * parts[j - 1] + share * parts[j]
        found = parts[k]
        if not (self.extrapolate if extrapolate is None else extrapolate):
            inside = op.logical_and(flat >= self.t[k], flat <= self.t[n])
            found = op.where(inside if static.rank(self.c) == 1 else inside[:, None], found, nan)
        return shaped(found, at)

    def derivative(self, nu=1):
        found = self
        for _ in tuple(range(nu)):
            k, n = found.k, found.c.shape[0]
            gaps = found.t[k + 1 : n + k] - found.t[1:n]
            steps = k * (found.c[1:] - found.c[:-1]) / by_rows(op.where(gaps > 0.0, gaps, 1.0), found.c)
            found = BSplines(found.t[1:-1], steps, k - 1, found.extrapolate)
        return found


def BSpline(t, c, k, extrapolate=True, axis=0):
    return BSplines(of_floats(t), of_floats(c), k, extrapolate)


def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """The spline of odd degree through points, whose knots are the points but for some near the ends."""
    if t is not None or bc_type is not None or not static.is_static(k) or k % 2 == 0:
        fault = "scipy.interpolate.make_interp_spline takes an odd `k` that is known, no `t=` and no `bc_type=`"
        static.refuse("U012", fault, "take `k=3`, or `CubicSpline`, which has `bc_type=`")
    x, y = points(x, y, axis)
    n, half = x.shape[0], (k - 1) // 2
    if n <= k:
        raise ValueError(f"Need at least {k + 1} points for a spline of degree {k}")
    knots = op.empty(shape=(n + k + 1,), dtype="f64")
    knots[: k + 1] = x[0]
    knots[k + 1 : n] = x[half + 1 : n - half - 1]
    knots[n:] = x[n - 1]
    band = op.zeros(shape=(3 * k + 1, n), dtype="f64")
    for row in range(n):
        i = min(max(int(searchsorted(knots, x[row], "right")) - 1, k), n - 1)
        for j, value in enumerate(basis(knots, i, k, x[row])):
            column = i - k + j
            band[2 * k + row - column, column] = value
    word = static.element(y)
    c = op.solve_banded(op.zeros(shape=(k,), dtype=word), in_dtype(band, word), y)
    return BSplines(knots, c, k, True)


def basis(t, i, k, x):
    """The values of the k + 1 B-splines that are not zero between t[i] and t[i + 1] (de Boor)."""
    found = [1.0]
    for d in range(1, k + 1):
        new = [0.0 * x for _ in range(d + 1)]
        for j in range(d):
            low, high = t[i + 1 + j - d], t[i + 1 + j]
            part = found[j] / (high - low)
            new[j] = new[j] + part * (high - x)
            new[j + 1] = new[j + 1] + part * (x - low)
        found = new
    return found


# --- grids -----------------------------------------------------------------------------------------------------------


@dataclass
class GridInterpolator:
    """Values on the grid of points along each axis."""

    grid: tuple
    values: np.ndarray
    method: str
    bounds_error: bool
    fill_value: object

    def __call__(self, xi, method=None):
        word = self.method if method is None else method
        count = len(self.grid)
        if static.is_sequence(xi) and static.is_sequence(xi[0]):
            xi = np.stack([np.stack([of_floats(part) for part in point]) for point in xi])
        if static.is_sequence(xi):
            shape = np.broadcast_shapes(*[np.shape(part) for part in xi])
            xi = np.stack([np.broadcast_to(of_floats(part), shape) for part in xi], -1)
        at = of_floats(as_array(xi))
        flat = op.reshape(at, shape=(total(at.shape[:-1]), at.shape[-1])) if static.rank(at) > 1 else at[None, :]
        if flat.shape[1] != count:
            raise ValueError(
                f"The requested sample points xi have dimension {flat.shape[1]}, but this RegularGridInterpolator has "
                f"dimension {count}"
            )
        inside = flat[:, 0] == flat[:, 0]
        cells, shares = [], []
        for axis, line in enumerate(self.grid):
            x = flat[:, axis]
            inside = op.logical_and(inside, op.logical_and(x >= line[0], x <= line[-1]))
            i = before(line, x)
            cells.append(i)
            shares.append((x - line[i]) / (line[i + 1] - line[i]))
        if self.bounds_error and not op.all(inside):
            raise ValueError("One of the requested xi is out of bounds")
        found = self.nearest(cells, shares) if word == "nearest" else self.linear(cells, shares)
        if not self.bounds_error and self.fill_value is not None:
            found = op.where(inside, found, self.fill_value)
        return op.reshape(found, shape=at.shape[:-1]) if static.rank(at) > 1 else found

    def linear(self, cells, shares):
        """Over all corners."""
        found = 0.0
        for corner in tuple(range(2 ** len(self.grid))):
            weight, place = 1.0, []
            for axis in range(len(self.grid)):
                is_upper = corner // 2**axis % 2
                weight = weight * (shares[axis] if is_upper else 1.0 - shares[axis])
                place.append(cells[axis] + is_upper)
            found = found + weight * self.values[tuple(place)]
        return found

    def nearest(self, cells, shares):
        return self.values[tuple([i + op.cast(share > 0.5, dtype="i64") for i, share in zip(cells, shares)])]


def RegularGridInterpolator(points, values, method="linear", bounds_error=True, fill_value=nan):
    """`points`: a tuple of the increasing points along each axis; values outside raise unless `bounds_error=False`."""
    if method not in ("linear", "nearest"):
        static.refuse("U012", f"RegularGridInterpolator takes the methods 'linear' and 'nearest', not {method!r}")
    values = of_floats(as_array(values))
    if len(points) > static.rank(values):
        raise ValueError(f"There are {len(points)} point arrays, but values has {static.rank(values)} dimensions")
    if len(points) < static.rank(values):
        static.refuse("U012", "RegularGridInterpolator takes one number at each point of the grid here")
    grid = tuple([of_floats(as_array(line)) for line in points])
    for axis, line in enumerate(grid):
        if op.any(line[1:] <= line[:-1]):
            raise ValueError(f"The points in dimension {axis} must be strictly ascending or descending")
        if line.shape[0] != values.shape[axis]:
            raise ValueError(f"There are {line.shape[0]} points and {values.shape[axis]} values along dimension {axis}")
    return GridInterpolator(grid, values, method, bounds_error, fill_value)


def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=nan):
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
