"""Values at scattered points: `scipy.interpolate.RBFInterpolator NearestNDInterpolator griddata`.

    f = RBFInterpolator(points, values);  f(at)    the sum of w[i] phi(|at - points[i]|) and of a polynomial
    griddata(points, values, at, "nearest")        the value of the nearest point, by comparing all

Source: G. Fasshauer, Meshfree Approximation Methods with MATLAB (2007).
"""

from dataclasses import dataclass
from math import nan

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.joining import concatenate
from ..numpy.manipulation import as_array, total, transposed
from .interpolation import interp1d
from .special import of_floats

DEGREES = {"thin_plate_spline": 1, "cubic": 1, "quintic": 2, "linear": 0, "multiquadric": 0}  # the least that are sure
KERNELS = (*DEGREES, "inverse_multiquadric", "inverse_quadratic", "gaussian")


def kernel_of(square, word):
    """A kernel of the distance, by its square."""
    if word == "gaussian":
        return op.exp(-square)
    if word == "inverse_quadratic":
        return 1.0 / (1.0 + square)
    if word == "inverse_multiquadric":
        return 1.0 / op.sqrt(1.0 + square)
    if word == "multiquadric":
        return -op.sqrt(1.0 + square)
    is_some = square > 0.0
    some = op.where(is_some, square, 1.0)
    if word == "thin_plate_spline":
        return op.where(is_some, 0.5 * some * op.log(some), 0.0)
    r = op.where(is_some, op.sqrt(some), 0.0)
    return -r if word == "linear" else square * r if word == "cubic" else -square * square * r


def squares_between(a, b):
    apart = a[:, None, :] - b[None, :, :]
    return op.sum(apart * apart, axis=2, keepdims=False)


def monomials(x, degree):
    """Columns of the products of at most `degree` coordinates."""
    n, d = x.shape
    found = op.ones(shape=(n, 1), dtype="f64")
    if degree > 0:
        found = concatenate((found, x), axis=1)
    if degree > 1:
        pairs, column = op.empty(shape=(n, d * (d + 1) // 2), dtype="f64"), 0
        for i in range(d):
            for j in range(i + 1):
                pairs[:, column] = x[:, i] * x[:, j]
                column += 1
        found = concatenate((found, pairs), axis=1)
    return found


@dataclass
class RadialSum:
    """Weights of the kernels at the points, and of a polynomial of moved and scaled coordinates."""

    y: np.ndarray
    weights: np.ndarray
    kernel: str
    epsilon: object
    degree: int
    shift: np.ndarray
    scale: np.ndarray
    is_vector: bool
    tail: tuple

    def __call__(self, x):
        x = of_floats(as_array(x))
        if static.rank(x) != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        if x.shape[1] != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        found = kernel_of(self.epsilon**2 * squares_between(x, self.y), self.kernel)
        if self.degree >= 0:
            extra = monomials((x - self.shift) / self.scale, self.degree)
            found = concatenate((found, extra), axis=1)
        found = op.matmul(found, self.weights)
        return found[:, 0] if self.is_vector else op.reshape(found, shape=(x.shape[0], *self.tail))


def RBFInterpolator(y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None):
    """Of points f64[n, d] and values f64[n, ...]; all points count for all."""
    if neighbors is not None:
        static.refuse("U012", "RBFInterpolator has no `neighbors=` here: leave it out, all points count")
    if kernel not in KERNELS:
        raise ValueError(f"`kernel` must be one of {KERNELS}.")
    y, d = of_floats(as_array(y)), of_floats(as_array(d))
    if static.rank(y) != 2:
        raise ValueError("`y` must be a 2-dimensional array.")
    n = y.shape[0]
    if d.shape[0] != n:
        raise ValueError(f"Expected the first axis of `d` to have length {n}.")
    if epsilon is None:
        if kernel not in ("linear", "thin_plate_spline", "cubic", "quintic"):
            raise ValueError(f"`epsilon` must be specified if `kernel` depends on scale, as {kernel} does.")
        epsilon = 1.0
    least = DEGREES.get(kernel, -1)
    degree = max(least, 0) if degree is None else degree
    if not static.is_static(degree) or degree > 2:
        static.refuse("U012", "RBFInterpolator takes a `degree=` from -1 to 2 here, known when it is compiled")
    high, low = op.max(y, axis=0, keepdims=False), op.min(y, axis=0, keepdims=False)
    shift = 0.5 * (high + low)
    scale = op.where(high > low, 0.5 * (high - low), 1.0)
    matrix = kernel_of(epsilon**2 * squares_between(y, y), kernel) + np.eye(n) * smoothing
    rows = op.reshape(d, shape=(n, total(d.shape[1:]))) if static.rank(d) > 1 else d[:, None]
    if degree >= 0:
        extra = monomials((y - shift) / scale, degree)
        count = extra.shape[1]
        if n < count:
            raise ValueError(f"At least {count} data points are required when `degree` is {degree}")
        lower = concatenate((transposed(extra), op.zeros(shape=(count, count), dtype="f64")), axis=1)
        matrix = concatenate((concatenate((matrix, extra), axis=1), lower), axis=0)
        rows = concatenate((rows, op.zeros(shape=(count, rows.shape[1]), dtype="f64")), axis=0)
    weights = op.solve(matrix, rows)
    return RadialSum(
        y, weights, kernel, epsilon, degree, shift, scale, static.rank(d) == 1, tuple(d.shape[1:]),
    )  # fmt: skip


# --- nearest ---------------------------------------------------------------------------------------------------------


@dataclass
class Nearest:
    points: np.ndarray
    values: np.ndarray

    def __call__(self, *args):
        x = coordinates(args[0] if len(args) == 1 else args)
        flat = op.reshape(x, shape=(total(x.shape[:-1]), x.shape[-1]))
        if flat.shape[1] != self.points.shape[1]:
            raise ValueError("number of dimensions in xi does not match x")
        places = op.empty(shape=(flat.shape[0],), dtype="i64")
        for k in range(flat.shape[0]):
            apart = self.points - flat[k]
            places[k] = np.argmin(op.sum(apart * apart, axis=1))
        found = self.values[places]
        return op.reshape(found, shape=(*x.shape[:-1], *self.values.shape[1:]))


def coordinates(x):
    """Points along the last axis, of an array or of a tuple of arrays that broadcast."""
    if not static.is_sequence(x):
        x = of_floats(as_array(x))
        return x if static.rank(x) > 1 else x[:, None]
    shape = np.broadcast_shapes(*[np.shape(part) for part in x])
    return np.stack([np.broadcast_to(of_floats(part), shape) for part in x], -1)


def NearestNDInterpolator(x, y, rescale=False, tree_options=None):
    if rescale or tree_options is not None:
        static.refuse("U012", "NearestNDInterpolator has no `rescale=` and no `tree_options=` here")
    return Nearest(coordinates(x), as_array(y))


def griddata(points, values, xi, method="linear", fill_value=nan, rescale=False):
    """By the nearest point; on a line by lines as well."""
    is_line = not static.is_sequence(points) and static.rank(points) == 1
    if method == "nearest" and not is_line:
        return NearestNDInterpolator(points, values, rescale)(xi)
    if not is_line:
        fault = f"scipy.interpolate.griddata(method={method!r}) needs triangles of the points, which are not made here"
        static.refuse("U012", fault, "take `RBFInterpolator`, method='nearest', or `RegularGridInterpolator` for grids")
    if method not in ("nearest", "linear", "cubic"):
        raise ValueError(f"Unknown interpolation method {method!r} for 1 dimensional data")
    fill = "extrapolate" if method == "nearest" else fill_value
    return interp1d(points, values, method, 0, True, False, fill)(xi)
