"""Values of images between their elements: `scipy.ndimage.map_coordinates`.

    map_coordinates(x, at, order=1)    at each point the weighted sum of the elements around it
    map_coordinates(x, at)             the same of the coefficients of the cubic B-spline through the elements

Source: M. Unser, Splines: a perfect fit for signal and image processing (1999).
"""

import itertools

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype
from ..numpy.manipulation import as_array, moveaxis
from .image_filters import whole
from .piecewise import solve_tridiagonal
from .special import of_floats

MODES = ("constant", "grid-constant", "nearest", "mirror", "reflect", "grid-mirror", "wrap", "grid-wrap")
OF_CUBICS = ("constant", "nearest", "mirror", "reflect", "grid-mirror")
MARGIN = 12  # SciPy continues an image by so many elements before it fits cubics that go on by the last element


def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The values at `coordinates` f64[rank, ...], in the dtype of the image."""
    if not static.is_static(order) or order not in (0, 1, 2, 3):
        static.refuse("U012", "scipy.ndimage.map_coordinates has the orders 0 to 3 here")
    if mode not in MODES:
        raise RuntimeError("boundary mode not supported")
    given = whole(as_array(input), output)
    x = in_dtype(given, "f64")
    places = of_floats(coordinates if not static.is_sequence(coordinates) else np.stack(coordinates))
    if places.shape[0] != static.rank(x):
        raise RuntimeError("invalid shape for coordinate array")
    if order > 1:
        if mode not in OF_CUBICS:
            static.refuse("U012", f"cubics of scipy.ndimage.map_coordinates do not go on by {mode!r} here: {OF_CUBICS}")
        if mode == "nearest":
            x = np.pad(x, MARGIN, mode="edge")
            places = places + MARGIN
        if prefilter:
            x = spline_coefficients(x, mode, order)
    inside, found = places[0] == places[0], 0.0 * places[0]
    weights, cells = [], []
    for axis in range(static.rank(x)):
        at, n = places[axis], x.shape[axis]
        inside = op.logical_and(inside, op.logical_and(at >= 0.0, at <= n - 1.0))
        at = op.where(at == at, at, 0.0)
        if mode == "nearest":
            at = op.minimum(op.maximum(at, 0.0), n - 1.0)
        elif mode == "wrap":
            at = op.where(op.logical_and(at >= 0.0, at <= n - 1.0), at, op.remainder(at, max(n - 1.0, 1.0)))
        low = op.floor(at + 0.5) if order % 2 == 0 else op.floor(at)
        cells.append(in_dtype(low, "i64"))
        weights.append(shares(at - low, order))
    for corner in itertools.product(range(len(weights[0])), repeat=static.rank(x)):
        weight, place, exists = 1.0, [], True
        for axis, k in enumerate(corner):
            weight = weight * weights[axis][k]
            at, n = cells[axis] + (k - 1 if order > 1 else k), x.shape[axis]
            exists = op.logical_and(exists, op.logical_and(at >= 0, at < n))
            place.append(folded(at, n, mode))
        value = x[tuple(place)]
        found = found + weight * (op.where(exists, value, cval) if mode == "grid-constant" else value)
    if mode == "constant":
        found = op.where(inside, found, cval)
    return cast_back(found, static.element(given))


def shares(d, order):
    """The weights of the elements around a point at the distance d after one of them."""
    if order == 0:
        return (1.0,)
    if order == 1:
        return (1.0 - d, d)
    if order == 2:
        return (0.5 * (0.5 - d) ** 2, 0.75 - d * d, 0.5 * (0.5 + d) ** 2)
    e = 1.0 - d
    return (
        e * e * e / 6.0,
        (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0,
        (4.0 - 6.0 * e * e + 3.0 * e * e * e) / 6.0,
        d * d * d / 6.0,
    )


def folded(i, n, mode):
    """The element that stands for one at the place i, which may lie outside."""
    if mode in ("nearest", "grid-constant"):
        return op.minimum(op.maximum(i, 0), n - 1)
    if mode in ("wrap", "grid-wrap"):
        return op.remainder(i, n)
    if mode in ("reflect", "grid-mirror"):
        j = op.remainder(i, 2 * n)
        return op.minimum(j, 2 * n - 1 - j)
    period = max(2 * (n - 1), 1)
    j = op.remainder(i, period)
    return op.minimum(op.minimum(j, period - j), n - 1)


def spline_coefficients(x, mode, order):
    """c with (c[i - 1] + 4 c[i] + c[i + 1]) / 6 = x[i] along each axis, continued as `mode` says; of the order 2 with
    (c[i - 1] + 6 c[i] + c[i + 1]) / 8."""
    is_mirror, side = mode in ("constant", "mirror"), 1.0 / 6.0 if order == 3 else 1.0 / 8.0
    for axis in range(static.rank(x)):
        moved = moveaxis(x, axis, 0)
        n = moved.shape[0]
        if n > 1:
            lower, middle, upper = np.full(n, side), np.full(n, 1.0 - 2.0 * side), np.full(n, side)
            if is_mirror:
                upper[0] = 2.0 * side
                lower[n - 1] = 2.0 * side
            else:
                middle[0] = 1.0 - side
                middle[n - 1] = 1.0 - side
            columns = op.reshape(moved, shape=(n, moved.size // n))
            moved = op.reshape(solve_tridiagonal(lower, middle, upper, columns), shape=moved.shape)
        x = moveaxis(moved, 0, axis)
    return x


def cast_back(found, word):
    """In the dtype of the image: ints by rounding, and within their limits."""
    if static.is_float_word(word):
        return in_dtype(found, word)
    rounded = op.where(found > 0.0, op.floor(found + 0.5), op.ceil(found - 0.5))
    limits = static.limits(word)
    return in_dtype(op.minimum(op.maximum(rounded, float(limits.min)), float(limits.max)), word)
