"""Filters of images of any number of dimensions: `scipy.ndimage`.

    gaussian_filter(x, s)     along each axis the weighted sum of shifted copies of the image, continued at its edges
    correlate(x, w)           the same for each element of w

`mode` says how an image goes on: "reflect" (d c b a | a b c d), "mirror" (d c b | a b c d), "nearest", "wrap",
"constant".  Source: R. Gonzalez and R. Woods, Digital Image Processing (2018).
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype
from ..numpy.manipulation import along as slice_along
from ..numpy.manipulation import as_array, flip
from .special import of_floats

MODES = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap",
    "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant",
}  # fmt: skip


def continued(x, axis, before, after, mode, cval):
    """The image with so many elements more on both sides of an axis."""
    if mode not in MODES:
        raise RuntimeError("boundary mode not supported")
    widths = [(before, after) if k == axis else (0, 0) for k in range(static.rank(x))]
    if MODES[mode] == "constant":
        return np.pad(x, widths, constant_values=cval)
    return np.pad(x, widths, mode=MODES[mode])


def weighted_along(x, weights, axis, mode, cval, origin, divisor=1.0):
    """Correlation along one axis with a vector, divided by a number."""
    size = weights.shape[0]
    before = size // 2 + origin
    if before < 0 or before >= size:
        raise ValueError("Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2")
    n = x.shape[axis]
    long = continued(in_dtype(x, "f64"), axis, before, size - 1 - before, mode, cval)
    out = 0.0 * in_dtype(x, "f64")
    for k in range(size):
        out = out + weights[k] * slice_along(long, axis, k, k + n)
    return in_dtype(out / divisor, static.element(x))


def image(input):
    """In its own dtype, which is that of the result: sums are formed of float64 and cast."""
    return as_array(input)


def whole(x, output):
    """The image in the dtype of the result: `output=float` for the means of ints."""
    if output is None:
        return x
    if static.is_array(output):
        static.refuse("U012", "filters of scipy.ndimage fill no array `output=` here: use the result")
    word = static.dtype_name(output)
    if not static.is_float_word(word):
        static.refuse("U012", "`output=` of a filter of scipy.ndimage is a dtype of floats here: use `.astype`")
    return in_dtype(x, word)


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    x, weights = whole(image(input), output), in_dtype(as_array(weights), "f64")
    return weighted_along(x, weights, static.axis_of(axis, static.rank(x)), mode, cval, origin)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    weights = as_array(weights)[::-1]
    shift = -origin - 1 if static.is_static(weights.shape[0]) and weights.shape[0] % 2 == 0 else -origin
    if not static.is_static(weights.shape[0]) and weights.shape[0] % 2 == 0:
        shift = -origin - 1
    return correlate1d(input, weights, axis, output, mode, cval, shift)


def gaussian_weights(sigma, order, radius):
    """The bell curve at the places from -radius to radius, or one of its derivatives."""
    x = op.arange(-radius, radius + 1, 1, shape=(2 * radius + 1,), dtype="f64")
    bell = op.exp(-0.5 * (x / sigma) ** 2)
    bell = bell / op.sum(bell)
    if order == 0:
        return bell
    q = [1.0] + [0.0] * order
    for _ in tuple(range(order)):  # with f = q(x) bell: f' = (q' - q x / sigma^2) bell
        slope = [(k + 1) * q[k + 1] for k in range(order)] + [0.0]
        product = [0.0] + [-q[k] / (sigma * sigma) for k in range(order)]
        q = [a + b for a, b in zip(slope, product)]
    found = 0.0 * x
    for coefficient in q[::-1]:
        found = found * x + coefficient
    return (found * bell)[::-1]


def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    if not static.is_static(order):
        static.refuse("R001", "the order of a derivative must be known when the function is compiled")
    size = int(truncate * float(sigma) + 0.5) if radius is None else radius
    return correlate1d(input, gaussian_weights(sigma, order, size), axis, output, mode, cval)


def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    """`sigma` is a number, or has one for each axis."""
    if axes is not None or radius is not None:
        static.refuse("U012", "scipy.ndimage.gaussian_filter has no `axes=` and no `radius=` here: leave them out")
    x = whole(image(input), output)
    sigmas = sigma if static.is_sequence(sigma) else (sigma,) * static.rank(x)
    orders = order if static.is_sequence(order) else (order,) * static.rank(x)
    for axis in range(static.rank(x)):
        if not static.is_static(sigmas[axis]) or sigmas[axis] > 1e-15:
            x = gaussian_filter1d(x, sigmas[axis], axis, orders[axis], None, mode, cval, truncate)
    return x


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    if size < 1:
        raise RuntimeError("incorrect filter size")
    x = whole(image(input), output)
    ones = op.ones(shape=(size,), dtype="f64")
    return weighted_along(x, ones, static.axis_of(axis, static.rank(x)), mode, cval, origin, size)


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    x = whole(image(input), output)
    sizes = size if static.is_sequence(size) else (size,) * static.rank(x)
    for axis in range(static.rank(x)):
        x = uniform_filter1d(x, sizes[axis], axis, None, mode, cval, origin)
    return x


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The sum over a neighbourhood, weighted; `weights` is known where the image has more than two dimensions."""
    x, weights = whole(image(input), output), in_dtype(as_array(weights), "f64")
    if static.rank(x) != static.rank(weights) or not static.is_static(origin) or origin != 0 or axes is not None:
        raise RuntimeError("filter weights array has incorrect shape.")
    long = x
    for axis in range(static.rank(x)):
        size = weights.shape[axis]
        long = continued(long, axis, size // 2, size - 1 - size // 2, mode, cval)
    long = in_dtype(long, "f64")
    out = 0.0 * in_dtype(x, "f64")
    if static.rank(x) == 1:
        for i in range(weights.shape[0]):
            out = out + weights[i] * long[i : i + x.shape[0]]
        return in_dtype(out, static.element(x))
    if static.rank(x) != 2:
        static.refuse("U012", "scipy.ndimage.correlate takes one or two dimensions here: filter along each axis")
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out = out + weights[i, j] * long[i : i + x.shape[0], j : j + x.shape[1]]
    return in_dtype(out, static.element(x))


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    weights = as_array(weights)
    for axis in range(static.rank(weights)):
        if weights.shape[axis] % 2 == 0:
            raise NotImplementedError("scipy.ndimage.convolve takes weights of odd lengths here")
    return correlate(input, flip(weights), output, mode, cval, origin, axes=axes)


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return slope_across(input, axis, output, mode, cval, (1.0, 2.0, 1.0))


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return slope_across(input, axis, output, mode, cval, (1.0, 1.0, 1.0))


def slope_across(input, axis, output, mode, cval, across):
    x = whole(image(input), output)
    place = static.axis_of(axis, static.rank(x))
    x = correlate1d(x, np.array([-1.0, 0.0, 1.0]), place, None, mode, cval)
    for other in range(static.rank(x)):
        if other != place:
            x = correlate1d(x, np.array(across), other, None, mode, cval)
    return x


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    x = whole(image(input), output)
    out = np.zeros_like(x)
    for axis in range(static.rank(x)):
        out = out + correlate1d(x, np.array([1.0, -2.0, 1.0]), axis, None, mode, cval)
    return out


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None):
    x = whole(image(input), output)
    out = np.zeros_like(x)
    for axis in tuple(range(static.rank(x))):
        orders = tuple([2 if k == axis else 0 for k in range(static.rank(x))])
        out = out + gaussian_filter(x, sigma, orders, None, mode, cval)
    return out


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None):
    x = whole(image(input), output)
    out = np.zeros_like(x)
    for axis in tuple(range(static.rank(x))):
        orders = tuple([1 if k == axis else 0 for k in range(static.rank(x))])
        out = out + gaussian_filter(x, sigma, orders, None, mode, cval) ** 2
    return in_dtype(op.sqrt(of_floats(out)), static.element(x))
