"""Polynomials between points, and the interpolators of `scipy.interpolate` that are such.

    s = CubicSpline(x, y)    four rows of coefficients, f64[n - 1] each
    s(t)                     a[i] d^3 + b[i] d^2 + c[i] d + e[i] with d = t - x[i], where x[i] <= t < x[i + 1]

Values of several functions are columns of `y`, and the axis is the first.  Sources: C. de Boor, A Practical Guide to
Splines (1978); F. Fritsch and R. Carlson, Monotone piecewise cubic interpolation (1980); H. Akima, A new method of
interpolation (1970).
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype, number
from ..numpy.interpolation import searchsorted
from ..numpy.manipulation import as_array, moveaxis, ravel, total, transpose
from .special import of_floats


def points(x, y, axis=0, is_finite=False):
    """(the points, the values with a column for each function, the lengths of the axes before and after the one of the
    points); in increasing order of the points."""
    x, y = of_floats(as_array(x)), as_array(y)
    y = y if static.is_complex(y) else of_floats(y)
    if static.rank(x) != 1:
        raise ValueError("`x` must be 1-dimensional.")
    y, lead, tail = columns(y, axis)
    if x.shape[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    if is_finite and not op.all(op.isfinite(x)):
        raise ValueError("`x` must contain only finite values.")
    if is_finite and not op.all(op.isfinite(y)):
        raise ValueError("`y` must contain only finite values.")
    if op.any(x[1:] <= x[:-1]):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, y, (lead, tail)


def columns(y, axis):
    """Values as a vector, or as a matrix whose first axis is that of the points."""
    if static.rank(y) == 1:
        return y, (), ()
    place = static.axis_of(axis, static.rank(y))
    lead, tail = tuple(y.shape[:place]), tuple(y.shape[place + 1 :])
    rows = moveaxis(y, place, 0)
    return op.reshape(rows, shape=(rows.shape[0], total((*lead, *tail)))), lead, tail


def by_rows(steps, y):
    """A vector beside the columns of a matrix."""
    return steps if static.rank(y) == 1 else steps[:, None]


def before(x, at):
    """The place of the last point before each, between the first and the last but one."""
    places = searchsorted(x, at, "right") - 1
    return op.minimum(op.maximum(places, 0), x.shape[0] - 2)


@dataclass
class Piecewise:
    """Coefficients of each power, the highest first, and points."""

    rows: tuple
    x: np.ndarray
    extrapolate: object  # True, False or "periodic"
    around: tuple = ((), ())  # the lengths of the axes before and after that of the points

    def __call__(self, x, nu=0, extrapolate=None):
        """The value, or the derivative of order `nu`, at points of any shape."""
        at = of_floats(x)
        flat = ravel(as_array(at))
        outside = self.extrapolate if extrapolate is None else extrapolate
        if is_circle(outside):
            flat = self.x[0] + op.remainder(flat - self.x[0], self.x[-1] - self.x[0])
        i = before(self.x, flat)
        rows = self.rows
        for _ in tuple(range(nu)):
            rows = slopes_of(rows)
        d = by_rows(flat - self.x[i], rows[0])
        found = rows[0][i]
        for row in rows[1:]:
            found = found * d + row[i]
        if not is_circle(outside) and not outside:
            inside = op.logical_and(flat >= self.x[0], flat <= self.x[-1])
            found = op.where(by_rows(inside, found), found, nan)
        return shaped(found, at, self.around)

    @property
    def c(self):
        found = np.stack(self.rows)
        lengths = (*self.around[0], *self.around[1])
        return found if static.rank(found) == 2 else op.reshape(found, shape=(*found.shape[:2], *lengths))

    def derivative(self, nu=1):
        rows = self.rows
        for _ in tuple(range(nu)):
            rows = slopes_of(rows)
        return Piecewise(rows, self.x, self.extrapolate, self.around)

    def antiderivative(self, nu=1):
        found = self
        for _ in tuple(range(nu)):
            rest = False if is_circle(found.extrapolate) else found.extrapolate
            found = Piecewise(sums_of(found.rows, found.x), found.x, rest, found.around)
        return found

    def integrate(self, a, b, extrapolate=None):
        outside = self.extrapolate if extrapolate is None else extrapolate
        whole = self.antiderivative()
        if not is_circle(outside):
            return whole(b, 0, outside) - whole(a, 0, outside)
        first, last = self.x[0], self.x[-1]
        turns_b, turns_a = op.floor((b - first) / (last - first)), op.floor((a - first) / (last - first))
        at_b, at_a = b - turns_b * (last - first), a - turns_a * (last - first)
        return (turns_b - turns_a) * whole(last) + whole(at_b, 0, True) - whole(at_a, 0, True)


def is_circle(extrapolate):
    """Whether the last point is the first one again."""
    return static.is_text(extrapolate) and extrapolate == "periodic"


def beyond(extrapolate, usual):
    """What is taken outside of the points: True, False or "periodic"."""
    if extrapolate is None:
        return usual
    if static.is_text(extrapolate) and extrapolate != "periodic":
        raise ValueError("`extrapolate` must be True, False, 'periodic' or None.")
    return extrapolate


def shaped(found, at, around=((), ())):
    """The results, with the axes of the points where that of the values was."""
    if static.rank(found) == 1:
        return number(op.reshape(found, shape=at.shape)) if static.rank(at) != 0 else found[0]
    lead, tail = around
    if static.rank(at) == 0:
        return op.reshape(found, shape=(*lead, *tail))
    found = op.reshape(found, shape=(*at.shape, *lead, *tail))
    first, count = static.rank(at), len(lead)
    if count == 0:
        return found
    order = tuple(range(first, first + count)) + tuple(range(first)) + tuple(range(first + count, static.rank(found)))
    return transpose(found, order)


def slopes_of(rows):
    """The coefficients of the derivative."""
    if len(rows) == 1:
        return (0.0 * rows[0],)
    return tuple([(len(rows) - 1 - k) * row for k, row in enumerate(rows[:-1])])


def sums_of(rows, x):
    """The coefficients of the integral from the first point on."""
    higher = tuple([row / (len(rows) - k) for k, row in enumerate(rows)])
    start = op.zeros(shape=rows[0].shape, dtype=static.element(rows[0]))
    for i in range(1, start.shape[0]):
        d = x[i] - x[i - 1]
        total = higher[0][i - 1]
        for row in higher[1:]:
            total = total * d + row[i - 1]
        start[i] = start[i - 1] + total * d
    return (*higher, start)


def of_slopes(x, y, slopes, extrapolate, around):
    """The cubics with these values and slopes (Hermite)."""
    h = by_rows(x[1:] - x[:-1], y)
    secants = (y[1:] - y[:-1]) / h
    t = (slopes[:-1] + slopes[1:] - 2.0 * secants) / h
    return Piecewise((t / h, (secants - slopes[:-1]) / h - t, slopes[:-1], y[:-1]), x, extrapolate, around)


# --- splines ---------------------------------------------------------------------------------------------------------

ENDS = ("not-a-knot", "natural", "clamped")


def CubicSpline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    """The cubics whose first and second derivatives are continuous; `bc_type` says what holds at the ends:
    "not-a-knot", "natural", "clamped", "periodic", or a pair of such words or of (order, value)."""
    x, y, around = points(x, y, axis, True)
    is_open = beyond(extrapolate, "periodic" if static.is_text(bc_type) and bc_type == "periodic" else True)
    if static.is_text(bc_type):
        if bc_type == "periodic":
            return of_slopes(x, y, periodic_slopes(x, y), is_open, around)
        if bc_type not in ENDS:
            raise ValueError(f"bc_type={bc_type} is not allowed.")
        return of_slopes(x, y, spline_slopes(x, y, bc_type, bc_type), is_open, around)
    first, last = bc_type
    return of_slopes(x, y, spline_slopes(x, y, first, last), is_open, around)


def spline_slopes(x, y, first, last):
    """The slopes at the points: the second derivatives from both sides are equal at inner points."""
    n = x.shape[0]
    h = x[1:] - x[:-1]
    secants = (y[1:] - y[:-1]) / by_rows(h, y)
    word = static.element(secants)
    upper, middle, lower = op.zeros(shape=(n,)), op.zeros(shape=(n,)), op.zeros(shape=(n,))
    right = op.zeros(shape=y.shape, dtype=word)
    middle[1 : n - 1] = 2.0 * (h[:-1] + h[1:])
    upper[1 : n - 1] = h[:-1]
    lower[1 : n - 1] = h[1:]
    right[1 : n - 1] = 3.0 * (by_rows(h[1:], y) * secants[:-1] + by_rows(h[:-1], y) * secants[1:])
    is_parabola = static.is_text(first) and static.is_text(last) and first == "not-a-knot" and last == "not-a-knot"
    if is_parabola and n == 3:
        d = x[2] - x[0]
        bend = (secants[1] - secants[0]) / d
        right[0] = secants[0] - bend * h[0]
        right[1] = secants[0] + bend * h[0]
        right[2] = secants[1] + bend * h[1]
        return right
    middle[0], upper[0], right[0] = of_end(first, n, h[0], h[min(1, n - 2)], secants[0], secants[min(1, n - 2)], 1.0)
    middle[n - 1], lower[n - 1], right[n - 1] = of_end(
        last, n, h[n - 2], h[max(n - 3, 0)], secants[n - 2], secants[max(n - 3, 0)], -1.0
    )
    return solve_tridiagonal(lower, middle, upper, right)


def of_end(kind, n, h, next_h, secant, next_secant, sign):
    """One row: of the slope at the end, of that beside it, and the right side; `sign` is -1 at the last point."""
    if static.is_text(kind):
        if kind not in ENDS:
            raise ValueError(f"bc_type={kind} is not allowed.")
        if kind == "clamped":
            return 1.0, 0.0, 0.0 * secant
        if kind == "natural":
            return 2.0 * h, h, 3.0 * h * secant
        if n == 2:
            return 1.0, 0.0, secant
        d = h + next_h
        return next_h, d, ((h + 2.0 * d) * next_h * secant + h * h * next_secant) / d
    order, value = kind
    if order == 1:
        return 1.0, 0.0, flat_value(value, secant) + 0.0 * secant
    if order != 2:
        raise ValueError("The specified derivative order must be 1 or 2.")
    return 2.0 * h, h, 3.0 * h * secant - sign * 0.5 * flat_value(value, secant) * h * h


def flat_value(value, secant):
    """A derivative at an end for each column."""
    return ravel(as_array(value)) if static.rank(secant) == 1 and static.rank(value) > 1 else value


def solve_tridiagonal(lower, middle, upper, right):
    """With lower[i] before the diagonal in row i, and upper[i] after it."""
    n = middle.shape[0]
    band = op.zeros(shape=(4, n), dtype=static.element(middle))
    band[1, 1:] = upper[:-1]
    band[2] = middle
    band[3, :-1] = lower[1:]
    room = op.zeros(shape=(1,), dtype=static.element(middle))
    if static.is_complex(right):
        return op.solve_banded(in_dtype(room, "c128"), in_dtype(band, "c128"), right)
    return op.solve_banded(room, band, right)


def periodic_slopes(x, y):
    """The same on a circle: two systems without the corner, joined (Sherman and Morrison)."""
    n = x.shape[0]
    if op.any(op.absolute(y[0] - y[n - 1]) > 1e-15 + 1e-15 * op.absolute(y[n - 1])):
        raise ValueError("The first and last `y` point along axis 0 must be identical when bc_type='periodic'.")
    h = x[1:] - x[:-1]
    secants = (y[1:] - y[:-1]) / by_rows(h, y)
    m = n - 1
    if m < 3:
        raise ValueError("a periodic CubicSpline takes four points or more here")
    matrix = op.zeros(shape=(m, m))
    right = op.zeros(shape=(m, *y.shape[1:]), dtype=static.element(secants))
    for i in range(m):
        left = h[i - 1] if i > 0 else h[m - 1]
        matrix[i, i] = 2.0 * (left + h[i])
        matrix[i, (i + 1) % m] += left
        matrix[i, (i - 1) % m] += h[i]
        right[i] = 3.0 * (h[i] * (secants[i - 1] if i > 0 else secants[m - 1]) + left * secants[i])
    found = op.solve(in_dtype(matrix, static.element(right)), right)
    out = op.empty(shape=y.shape, dtype=static.element(right))
    out[:m] = found
    out[m] = found[0]
    return out


# --- by slopes from the neighbours -----------------------------------------------------------------------------------


def PchipInterpolator(x, y, axis=0, extrapolate=None):
    """Monotone where the values are: slopes are weighted harmonic means of the secants' slopes, or zero."""
    x, y, around = points(x, y, axis, True)
    return of_slopes(x, y, monotone_slopes(x, y), beyond(extrapolate, True), around)


def monotone_slopes(x, y):
    h = by_rows(x[1:] - x[:-1], y)
    secants = (y[1:] - y[:-1]) / h
    n = x.shape[0]
    out = op.zeros(shape=y.shape, dtype=static.element(secants))
    if n == 2:
        out[0] = secants[0]
        out[1] = secants[0]
        return out
    before_, after = secants[:-1], secants[1:]
    same = before_ * after > 0.0
    left, right = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    whole = left + right
    inverse = left / op.where(same, before_, 1.0) + right / op.where(same, after, 1.0)
    out[1 : n - 1] = op.where(same, whole / inverse, 0.0)
    out[0] = end_slope(h[0], h[1], secants[0], secants[1])
    out[n - 1] = end_slope(h[n - 2], h[n - 3], secants[n - 2], secants[n - 3])
    return out


def end_slope(h, next_h, secant, next_secant):
    """By three points, kept from changing the sense."""
    slope = ((2.0 * h + next_h) * secant - h * next_secant) / (h + next_h)
    turns = op.sign(slope) != op.sign(secant)
    steep = op.logical_and(op.sign(secant) != op.sign(next_secant), op.absolute(slope) > 3.0 * op.absolute(secant))
    return op.where(turns, 0.0, op.where(steep, 3.0 * secant, slope))


def Akima1DInterpolator(x, y, axis=0, *, method="akima", extrapolate=None):
    """Slopes are means of the secants' slopes, weighted by how the other two differ; `method="makima"` adds to the
    weights the size of these."""
    if method not in ("akima", "makima"):
        raise NotImplementedError(f"`method`={method} is unsupported.")
    x, y, around = points(x, y, axis, True)
    n = x.shape[0]
    secants = (y[1:] - y[:-1]) / by_rows(x[1:] - x[:-1], y)
    if n == 2:
        out = op.zeros(shape=y.shape, dtype=static.element(secants))
        out[:] = secants[0]
        return of_slopes(x, y, out, beyond(extrapolate, False), around)
    m = op.empty(shape=(n + 3, *y.shape[1:]), dtype=static.element(secants))
    m[2 : n + 1] = secants
    m[1] = 2.0 * m[2] - m[3]
    m[0] = 2.0 * m[1] - m[2]
    m[n + 1] = 2.0 * m[n] - m[n - 1]
    m[n + 2] = 2.0 * m[n + 1] - m[n]
    change = op.absolute(m[1:] - m[:-1])
    if method == "makima":
        change = change + 0.5 * op.absolute(m[1:] + m[:-1])
    left, right = change[2:], change[:-2]
    both = left + right
    plain = both > 1e-9 * op.max(both)
    means = (left * m[1:-2] + right * m[2:-1]) / op.where(plain, both, 1.0)
    slopes = op.where(plain, means, 0.5 * (m[3:] + m[:-3]) if method == "akima" else 0.0)
    return of_slopes(x, y, slopes, beyond(extrapolate, False), around)
