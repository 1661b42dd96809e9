"""B-splines of `scipy.interpolate`: evaluation, derivatives and integrals, and splines through points.

    BSpline(t, c, k)(x)              the sum of c[i] times the i-th B-spline of degree k on the knots t
    splev(x, splrep(points, y))      the cubic spline through the points

Source: C. de Boor, A Practical Guide to Splines (1978).
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype
from ..numpy.interpolation import searchsorted
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array, ravel
from ..numpy.reductions import cumsum
from .piecewise import by_rows, columns, is_circle, points, shaped
from .special import of_floats


@dataclass
class BSplines:
    """The sum of c[i] times the i-th B-spline of degree k on the knots t."""

    t: np.ndarray
    c: np.ndarray
    k: int
    extrapolate: object  # True, False or "periodic"
    around: tuple = ((), ())

    def __call__(self, x, nu=0, extrapolate=None):
        at = of_floats(x)
        outside = self.extrapolate if extrapolate is None else extrapolate
        found = self.slopes(nu).of_columns(ravel(as_array(at)), outside)
        return shaped(found, at, self.around)

    def of_columns(self, flat, extrapolate=True):
        """The values at a vector of points, by de Boor's recurrence: a column for each function."""
        n, k = self.c.shape[0], self.k
        if is_circle(extrapolate):
            flat = self.t[k] + op.remainder(flat - self.t[k], self.t[n] - self.t[k])
        i = op.minimum(op.maximum(searchsorted(self.t, flat, "right") - 1, k), n - 1)
        parts = [self.c[i - k + j] for j in range(k + 1)]
        for r in range(1, k + 1):
            for j in range(k, r - 1, -1):
                low = self.t[i - k + j]
                share = (flat - low) / (self.t[i + 1 + j - r] - low)
                share = share if static.rank(self.c) == 1 else share[:, None]
                parts[j] = (1.0 - share) * parts[j - 1] + share * parts[j]
        found = parts[k]
        if not is_circle(extrapolate) and not extrapolate:
            inside = op.logical_and(flat >= self.t[k], flat <= self.t[n])
            found = op.where(inside if static.rank(self.c) == 1 else inside[:, None], found, nan)
        return found

    def derivative(self, nu=1):
        return self.slopes(nu)

    def slopes(self, nu):
        found = self
        for _ in tuple(range(nu)):
            k, n = found.k, found.c.shape[0]
            if k == 0:
                return BSplines(found.t, 0.0 * found.c, 0, found.extrapolate, found.around)
            gaps = found.t[k + 1 : n + k] - found.t[1:n]
            steps = k * (found.c[1:] - found.c[:-1]) / by_rows(op.where(gaps > 0.0, gaps, 1.0), found.c)
            found = BSplines(found.t[1:-1], steps, k - 1, found.extrapolate, found.around)
        return found

    def antiderivative(self, nu=1):
        found = self
        for _ in tuple(range(nu)):
            k, n = found.k, found.c.shape[0]
            parts = found.c * by_rows(found.t[k + 1 : n + k + 1] - found.t[:n], found.c) / (k + 1.0)
            first = op.zeros(shape=(1, *parts.shape[1:]), dtype=static.element(parts))
            sums = cumsum(concatenate((first, parts)), 0)
            t = concatenate((found.t[:1], found.t[: n + k + 1], found.t[n + k : n + k + 1]))
            rest = False if is_circle(found.extrapolate) else found.extrapolate
            found = BSplines(t, sums, k + 1, rest, found.around)
        return found

    def integrate(self, a, b, extrapolate=None):
        """From a to b; outside the base interval 0 where the spline does not go on."""
        outside = self.extrapolate if extrapolate is None else extrapolate
        if is_circle(outside):
            static.refuse("U012", "integrals of periodic BSplines are not supported: use a periodic CubicSpline")
        whole = self.antiderivative()
        if not outside:
            low, high = self.t[self.k], self.t[self.c.shape[0]]
            a, b = op.minimum(op.maximum(of_floats(a), low), high), op.minimum(op.maximum(of_floats(b), low), high)
        return whole(b, 0, True) - whole(a, 0, True)


def BSpline(t, c, k, extrapolate=True, axis=0):
    t, c = of_floats(as_array(t)), as_array(c)
    c = c if static.is_complex(c) else of_floats(c)
    if not static.is_static(k):
        static.refuse("R001", "the degree of a B-spline must be known when the function is compiled")
    c, lead, tail = columns(c, axis)
    n = t.shape[0] - k - 1
    if n < k + 1:
        raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
    if op.any(t[1:] < t[:-1]):
        raise ValueError("Knots must be in a non-decreasing order.")
    if c.shape[0] < n:
        raise ValueError("Knots, coefficients and degree are inconsistent.")
    return BSplines(t, c[:n], k, extrapolate, (lead, tail))


def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """The spline through points whose knots are the points, or those between them for even degrees, but for some near
    the ends; or `t`.

    `bc_type`: a pair of what holds at the ends, each None, "natural", "clamped" or a list of (order, derivative), or
    one of these words for both; then all points are knots.
    """
    if not static.is_static(k):
        static.refuse("R001", "the degree of a spline must be known when the function is compiled")
    first, last = conditions(bc_type)
    x, y, around = points(x, y, axis, check_finite)
    n, count = x.shape[0], len(first) + len(last)
    if k < 2 and count > 0:
        raise ValueError(f"Too much info for k={k}: bc_type can only be None.")
    if n + count <= k:
        raise ValueError(f"Need at least {k + 1} points for a spline of degree {k}")
    if t is not None:
        knots = of_floats(as_array(t))
    elif count == 0:
        knots = usual_knots(x, k)
    else:
        knots = concatenate((op.full(x[0], shape=(k,), dtype="f64"), x, op.full(x[n - 1], shape=(k,), dtype="f64")))
    if knots.shape[0] - k - 1 - n != count:
        expected = knots.shape[0] - k - 1 - n
        raise ValueError(f"The number of derivatives at boundaries does not match: expected {expected}, got {count}")
    return BSplines(knots, coefficients(x, y, knots, k, first, last), k, True, around)


def conditions(bc_type):
    """(the orders and values of derivatives at the first point, those at the last)"""
    if bc_type is None or (static.is_text(bc_type) and bc_type == "not-a-knot"):
        return (), ()
    if static.is_text(bc_type):
        return condition(bc_type), condition(bc_type)
    first, last = bc_type
    return condition(first), condition(last)


def condition(given):
    if given is None:
        return ()
    if not static.is_text(given):
        return tuple([(order, value) for order, value in given])
    if given == "periodic":
        fault = "scipy.interpolate.make_interp_spline(bc_type='periodic') is not supported"
        static.refuse("U012", fault, "take `CubicSpline(x, y, bc_type='periodic')`")
    if given not in ("clamped", "natural"):
        raise ValueError(f"Unknown boundary condition : {given}")
    return ((1, None),) if given == "clamped" else ((2, None),)


def usual_knots(x, k):
    n = x.shape[0]
    knots = op.empty(shape=(n + k + 1,), dtype="f64")
    knots[: k + 1] = x[0]
    if k == 0:
        knots[1:n] = x[1:]
    elif k % 2 == 1:
        half = (k - 1) // 2
        knots[k + 1 : n] = x[half + 1 : n - half - 1]
    else:
        half = k // 2
        knots[k + 1 : n] = 0.5 * (x[half : n - 1 - half] + x[half + 1 : n - half])
    knots[n:] = x[n - 1]
    return knots


def coefficients(x, y, knots, k, first=(), last=()):
    """Of the spline through points, by a banded system, which derivatives at the ends begin and finish."""
    if k == 0:
        return y
    n, count = x.shape[0], x.shape[0] + len(first) + len(last)
    word = static.element(y)
    band = op.zeros(shape=(3 * k + 1, count), dtype="f64")
    right = op.zeros(shape=(count, *y.shape[1:]), dtype=word)
    right[len(first) : len(first) + n] = y
    for r in range(n):
        row = r + len(first)
        i = min(max(int(searchsorted(knots, x[r], "right")) - 1, k), count - 1)
        for j, value in enumerate(basis(knots, i, k, x[r])):
            column = i - k + j
            band[2 * k + row - column, column] = value
    for row, (order, found) in enumerate(first):
        right[row] = value_at_end(found, y)
        for column, value in enumerate(slopes_of_basis(knots, k, k, order, x[0])):
            band[2 * k + row - column, column] = value
    for r, (order, found) in enumerate(last):
        row = count - len(last) + r
        right[row] = value_at_end(found, y)
        for j, value in enumerate(slopes_of_basis(knots, count - 1, k, order, x[n - 1])):
            column = count - 1 - k + j
            band[2 * k + row - column, column] = value
    return op.solve_banded(op.zeros(shape=(k,), dtype=word), in_dtype(band, word), right)


def value_at_end(given, y):
    """A derivative of each function; those that a word stands for are zero."""
    if given is None:
        return 0.0
    given = of_floats(np.array(given) if static.is_sequence(given) else given)
    if static.rank(given) == 0 and static.rank(y) == 2:
        raise ValueError("derivatives at the ends of several functions are as many values as there are functions")
    return ravel(given) if static.rank(given) > 1 else given


def slopes_of_basis(t, i, k, order, x):
    """The derivatives of an order of the same splines as of `basis`."""
    if not static.is_static(order) or order < 0 or order > k:
        static.refuse("R001", f"the orders of derivatives at the ends of a spline must be known, 0 to {k}")
    found = basis(t, i, k - order, x)
    for d in tuple(range(k - order + 1, k + 1)):
        shares = [d * found[m] / (t[i + m + 1] - t[i + m + 1 - d]) for m in range(d)]
        found = [-shares[0], *[shares[m - 1] - shares[m] for m in range(1, d)], shares[d - 1]]
    return found


def basis(t, i, k, x):
    """The values of the k + 1 B-splines that are not zero between t[i] and t[i + 1] (de Boor)."""
    found = [1.0]
    for d in tuple(range(1, k + 1)):
        new = [0.0 * x for _ in range(d + 1)]
        for j in range(d):
            low, high = t[i + 1 + j - d], t[i + 1 + j]
            part = found[j] / (high - low)
            new[j] = new[j] + part * (high - x)
            new[j + 1] = new[j + 1] + part * (x - low)
        found = new
    return found


# --- FITPACK's names -------------------------------------------------------------------------------------------------


def require_interpolation(w, s, task, t, name):
    if w is not None or task != 0 or t is not None or not static.is_static(s) or s not in (None, 0):
        fault = f"scipy.interpolate.{name} fits no smoothing splines here: it takes no `w=`, `t=` or `task=`, and s=0"
        static.refuse("U012", fault, "take the spline through all points, or fit coefficients with `np.linalg.lstsq`")


def splrep(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    """(knots, coefficients with zeros after them, degree) of the spline through points."""
    require_interpolation(w, s, task, t, "splrep")
    if xb is not None or xe is not None or per != 0 or full_output != 0:
        static.refuse("U012", "scipy.interpolate.splrep has no `xb=`, `xe=`, `per=` and `full_output=` here")
    spline = make_interp_spline(x, y, k)
    return spline.t, concatenate((spline.c, op.zeros(shape=(k + 1,), dtype="f64"))), k


def spline_of(tck):
    if static.is_sequence(tck):
        t, c, k = tck
        return BSpline(t, c, k)
    return tck


def splev(x, tck, der=0, ext=0):
    """`ext`, outside of the points: 0 the spline as it goes on, 1 zero, 2 an error, 3 the value at the end."""
    spline, at = spline_of(tck), of_floats(x)
    if static.is_sequence(x):
        at = of_floats(as_array(x))
    if ext not in (0, 1, 2, 3):
        raise ValueError(f"ext = {ext} not in (0, 1, 2, 3)")
    low, high = spline.t[spline.k], spline.t[spline.c.shape[0]]
    inside = op.logical_and(at >= low, at <= high)
    if ext == 2 and not op.all(inside):
        raise ValueError("Invalid input data")
    found = spline(op.minimum(op.maximum(at, low), high) if ext == 3 else at, der)
    return op.where(inside, found, 0.0) if ext == 1 else found


def splint(a, b, tck, full_output=0):
    """The integral from a to b, outside of the points of 0."""
    return spline_of(tck).integrate(a, b, False)


def splder(tck, n=1):
    spline = spline_of(tck).derivative(n)
    if static.is_sequence(tck):
        return spline.t, concatenate((spline.c, op.zeros(shape=(spline.k + 1,), dtype="f64"))), spline.k
    return spline


@dataclass
class SplineThrough:
    """FITPACK's object: `ext` as of `splev`."""

    spline: BSplines
    ext: object

    def __call__(self, x, nu=0, ext=None):
        word = self.ext if ext is None else ext
        return splev(x, self.spline, nu, EXTENSIONS.get(word) if static.is_text(word) else word)

    def derivative(self, n=1):
        return SplineThrough(self.spline.derivative(n), self.ext)

    def antiderivative(self, n=1):
        return SplineThrough(self.spline.antiderivative(n), self.ext)

    def integral(self, a, b):
        return self.spline.integrate(a, b, False)

    def get_coeffs(self):
        return self.spline.c


EXTENSIONS = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}


def InterpolatedUnivariateSpline(x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
    require_interpolation(w, 0, 0, None, "InterpolatedUnivariateSpline")
    if bbox[0] is not None or bbox[1] is not None:
        static.refuse("U012", "splines of scipy.interpolate have no `bbox=` here: leave it out")
    return SplineThrough(make_interp_spline(x, y, k), ext)


def UnivariateSpline(x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False):
    """With s=0, through all points, whatever their weights."""
    if s is None:
        require_interpolation(w, 1, 0, None, "UnivariateSpline")
    require_interpolation(None, s, 0, None, "UnivariateSpline")
    return InterpolatedUnivariateSpline(x, y, None, bbox, k, ext)
