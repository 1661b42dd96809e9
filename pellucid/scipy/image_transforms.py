"""Moved, turned and scaled images: `scipy.ndimage.shift zoom rotate affine_transform`, and `spline_filter`.

    shift(x, s)                      the image at the places i - s, by splines
    affine_transform(x, M, offset)   the image at the places M i + offset
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array
from .image_coordinates import map_coordinates, spline_coefficients
from .image_filters import whole
from .special import of_floats


def by_axis(value, rank):
    """One number for each axis."""
    if static.is_sequence(value) or static.rank(value) == 1:
        return [of_floats(value[k]) for k in range(rank)]
    return [of_floats(value)] * rank


def lengths_of(x):
    return tuple(x.shape)


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    x = as_array(input)
    steps = by_axis(shift, static.rank(x))
    places = np.indices(lengths_of(x))
    return map_coordinates(
        x, np.stack([places[k] - steps[k] for k in range(static.rank(x))]), output, order, mode, cval, prefilter,
    )  # fmt: skip


def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    """Lengths are those of the image times `zoom`, rounded; the first and last elements stay where they are."""
    if grid_mode:
        static.refuse("U012", "scipy.ndimage.zoom has no `grid_mode=` here: leave it out")
    x = as_array(input)
    factors = by_axis(zoom, static.rank(x))
    lengths = tuple([int(np.round(n * factor)) for n, factor in zip(x.shape, factors)])
    places, parts = np.indices(lengths), []
    for axis, n in enumerate(x.shape):
        scale = (n - 1.0) / max(lengths[axis] - 1.0, 1.0) if lengths[axis] > 1 else 1.0
        parts.append(places[axis] * scale)
    return map_coordinates(x, np.stack(parts), output, order, mode, cval, prefilter)


def affine_transform(
    input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode="constant", cval=0.0, prefilter=True,
):  # fmt: skip
    """`matrix`: n by n, its diagonal, or with the offset beside it n by n + 1 or n + 1 by n + 1."""
    x, matrix = as_array(input), of_floats(as_array(matrix))
    rank = static.rank(x)
    lengths = lengths_of(x) if output_shape is None else tuple(output_shape)
    places = np.indices(lengths)
    if static.rank(matrix) == 1:
        if matrix.shape[0] != rank:
            raise RuntimeError("no proper affine matrix provided")
        moves = by_axis(offset, rank)
        parts = [places[k] * matrix[k] + moves[k] for k in range(rank)]
        return map_coordinates(x, np.stack(parts), output, order, mode, cval, prefilter)
    moves = by_axis(offset, rank)
    if matrix.shape[1] == rank + 1:
        moves = [matrix[k, rank] for k in range(rank)]
    elif matrix.shape[0] != rank or matrix.shape[1] != rank:
        raise RuntimeError("affine matrix has wrong number of rows")
    parts = []
    for i in tuple(range(rank)):
        found = matrix[i, 0] * places[0] + moves[i]
        for j in tuple(range(1, rank)):
            found = found + matrix[i, j] * places[j]
        parts.append(found)
    return map_coordinates(x, np.stack(parts), output, order, mode, cval, prefilter)


def rotate(
    input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0, prefilter=True,
):  # fmt: skip
    """By an angle in degrees in the plane of two axes; `reshape`: the result holds all of the image."""
    x = as_array(input)
    rank = static.rank(x)
    if rank < 2:
        raise ValueError("input array should be at least 2D")
    low, high = sorted([static.axis_of(axis, rank) for axis in axes])
    c, s = op.cosdg(of_floats(angle)), op.sindg(of_floats(angle))
    m, n = x.shape[low], x.shape[high]
    if reshape:
        height = int(np.floor(op.absolute(c) * m + op.absolute(s) * n + 0.5))
        width = int(np.floor(op.absolute(s) * m + op.absolute(c) * n + 0.5))
    else:
        height, width = m, n
    lengths = tuple([height if k == low else width if k == high else x.shape[k] for k in range(rank)])
    places = np.indices(lengths)
    up, right = places[low] - (height - 1) / 2.0, places[high] - (width - 1) / 2.0
    parts = []
    for k in range(rank):
        if k == low:
            parts.append(c * up + s * right + (m - 1) / 2.0)
        elif k == high:
            parts.append(c * right - s * up + (n - 1) / 2.0)
        else:
            parts.append(places[k] * 1.0)
    return map_coordinates(x, np.stack(parts), output, order, mode, cval, prefilter)


def spline_filter(input, order=3, output=float, mode="mirror"):
    """The coefficients of the spline through the elements."""
    if order not in (2, 3) or mode not in ("mirror", "constant", "reflect", "grid-mirror"):
        static.refuse("U012", "scipy.ndimage.spline_filter has the orders 2 and 3, by 'mirror' and 'reflect' here")
    return spline_coefficients(whole(as_array(input), output), mode, order)
