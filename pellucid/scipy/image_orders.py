"""Filters of images by the order of the elements around each: `scipy.ndimage`.

    maximum_filter(x, size=3)    the greatest of the 3 by 3 elements around each
    median_filter(x, footprint=np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]))    the middle one of the five

Source: R. Gonzalez and R. Woods, Digital Image Processing (2018).
"""

import itertools

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import in_dtype
from ..numpy.manipulation import along as slice_along
from ..numpy.manipulation import as_array
from .image_filters import continued, whole


def lengths_of(size, footprint, rank):
    """The lengths of the window, which are known."""
    if footprint is not None:
        sizes = as_array(footprint).shape
    elif size is None:
        raise RuntimeError("no footprint or filter size provided")
    else:
        sizes = size if static.is_sequence(size) else (size,) * rank
    if len(sizes) != rank:
        raise RuntimeError("sequence argument must have length equal to input rank")
    for count in sizes:
        if not static.is_static(count):
            fault = "the size of the window must be known when the function is compiled"
            static.refuse("R001", fault, "write the footprint where it is used, as in `footprint=np.ones((3, 3))`")
    return tuple(sizes)


def windows(x, sizes, mode, cval, origin):
    """The neighbours of each element, one array for each place in the window."""
    origins = origin if static.is_sequence(origin) else (origin,) * static.rank(x)
    long = x
    for axis, count in enumerate(sizes):
        before = count // 2 + origins[axis]
        if before < 0 or before >= count:
            raise ValueError("invalid origin")
        long = continued(long, axis, before, count - 1 - before, mode, cval)
    parts = []
    for places in itertools.product(*[range(count) for count in sizes]):
        found = long
        for axis, k in enumerate(places):
            found = slice_along(found, axis, k, k + x.shape[axis])
        parts.append(found)
    return parts


def end_of(x, is_upper):
    """A number of the dtype that no element is beyond."""
    word = static.element(x)
    if static.is_float_word(word):
        return float("inf") if is_upper else -float("inf")
    if static.kind(x) == "bool":
        return is_upper
    return static.limits(word).max if is_upper else static.limits(word).min


def elements_of(footprint):
    flat = as_array(footprint) != 0
    return [flat[place] for place in itertools.product(*[range(count) for count in flat.shape])]


def require_plain(axes, structure=None):
    if axes is not None or structure is not None:
        static.refuse("U012", "filters by order of scipy.ndimage have no `axes=` and no `structure=` here")


def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    require_plain(axes)
    return of_extremes(input, size, footprint, output, mode, cval, origin, True)


def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    require_plain(axes)
    return of_extremes(input, size, footprint, output, mode, cval, origin, False)


def of_extremes(input, size, footprint, output, mode, cval, origin, is_maximum):
    x = whole(as_array(input), output)
    parts = windows(x, lengths_of(size, footprint, static.rank(x)), mode, cval, origin)
    if footprint is not None:
        end = end_of(x, not is_maximum)
        word = static.element(x)
        parts = [in_dtype(op.where(holds, part, end), word) for holds, part in zip(elements_of(footprint), parts)]
    found, *others = parts
    for other in others:
        found = op.maximum(found, other) if is_maximum else op.minimum(found, other)
    return found


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return along_one(input, size, axis, output, mode, cval, origin, True)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return along_one(input, size, axis, output, mode, cval, origin, False)


def along_one(input, size, axis, output, mode, cval, origin, is_maximum):
    x = as_array(input)
    place = static.axis_of(axis, static.rank(x))
    sizes = tuple([size if k == place else 1 for k in range(static.rank(x))])
    origins = tuple([origin if k == place else 0 for k in range(static.rank(x))])
    return of_extremes(x, sizes, None, output, mode, cval, origins, is_maximum)


def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    require_plain(axes)
    return of_rank(input, size, footprint, output, mode, cval, origin, lambda count: count // 2)


def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The element of that rank from the least on; a negative one counts from the greatest."""
    require_plain(axes)
    return of_rank(
        input, size, footprint, output, mode, cval, origin, lambda count: rank + count if rank < 0 else rank,
    )  # fmt: skip


def percentile_filter(
    input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None,
):  # fmt: skip
    require_plain(axes)
    share = percentile + 100.0 if percentile < 0.0 else percentile
    if share < 0.0 or share > 100.0:
        raise RuntimeError("invalid percentile")

    def place(count):
        return count - 1 if share == 100.0 else int(count * share / 100.0)

    return of_rank(input, size, footprint, output, mode, cval, origin, place)


def of_rank(input, size, footprint, output, mode, cval, origin, place):
    x = whole(as_array(input), output)
    parts = windows(x, lengths_of(size, footprint, static.rank(x)), mode, cval, origin)
    count = len(parts)
    if footprint is not None:
        end, word, count = end_of(x, True), static.element(x), op.sum(as_array(footprint) != 0)
        parts = [in_dtype(op.where(holds, part, end), word) for holds, part in zip(elements_of(footprint), parts)]
    k = place(count)
    if k < 0 or k >= count:
        raise RuntimeError("rank not within filter footprint size")
    return np.sort(np.stack(parts, -1), axis=-1)[..., k]


# --- of shapes -------------------------------------------------------------------------------------------------------


def grey_erosion(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None,
):  # fmt: skip
    require_plain(axes, structure)
    return of_extremes(input, size, footprint, output, mode, cval, origin, False)


def grey_dilation(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None,
):  # fmt: skip
    """By the mirrored window."""
    require_plain(axes, structure)
    rank = static.rank(as_array(input))
    sizes = lengths_of(size, footprint, rank)
    given = origin if static.is_sequence(origin) else (origin,) * rank
    origins = tuple([-own if count % 2 == 1 else -own - 1 for own, count in zip(given, sizes)])
    mirrored = None if footprint is None else np.flip(as_array(footprint))
    return of_extremes(input, size, mirrored, output, mode, cval, origins, True)


def grey_opening(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None,
):  # fmt: skip
    found = grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return grey_dilation(found, size, footprint, structure, None, mode, cval, origin, axes=axes)


def grey_closing(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None,
):  # fmt: skip
    found = grey_dilation(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return grey_erosion(found, size, footprint, structure, None, mode, cval, origin, axes=axes)


def morphological_gradient(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None,
):  # fmt: skip
    found = grey_dilation(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return found - grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes=axes)


def generate_binary_structure(rank, connectivity):
    """Which elements of the 3 by 3 (by 3 ...) ones are at most so many steps along axes away."""
    steps = op.sum(op.absolute(np.indices((3,) * rank) - 1), axis=0, keepdims=False)
    return steps <= max(connectivity, 1)


def binary_erosion(
    input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *,
    axes=None,
):  # fmt: skip
    return eroded(input, structure, iterations, mask, output, border_value, origin, axes, True)


def binary_dilation(
    input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *,
    axes=None,
):  # fmt: skip
    return eroded(input, structure, iterations, mask, output, border_value, origin, axes, False)


def binary_opening(
    input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *,
    axes=None,
):  # fmt: skip
    found = binary_erosion(input, structure, iterations, mask, None, border_value, origin, axes=axes)
    return binary_dilation(found, structure, iterations, mask, output, border_value, origin, axes=axes)


def binary_closing(
    input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *,
    axes=None,
):  # fmt: skip
    found = binary_dilation(input, structure, iterations, mask, None, border_value, origin, axes=axes)
    return binary_erosion(found, structure, iterations, mask, output, border_value, origin, axes=axes)


def eroded(input, structure, iterations, mask, output, border_value, origin, axes, is_erosion):
    """By the elements of the structure, or the neighbours along the axes."""
    if axes is not None or output is not None or not static.is_static(origin) or origin != 0:
        static.refuse("U012", "erosion and dilation of scipy.ndimage have no `axes=`, `output=` and `origin=` here")
    x = as_array(input) != 0
    if iterations < 1:
        static.refuse("U012", "erosion and dilation of scipy.ndimage take a positive number of iterations here")
    cross = generate_binary_structure(static.rank(x), 1) if structure is None else as_array(structure) != 0
    sizes = lengths_of(None, cross, static.rank(x))
    shape = cross if is_erosion else np.flip(cross)
    shifts = tuple([0 if is_erosion or count % 2 == 1 else -1 for count in sizes])
    for _ in range(iterations):
        found = x == x if is_erosion else x != x
        parts = windows(x, sizes, "constant", border_value != 0, shifts)
        for holds, part in zip(elements_of(shape), parts):
            if is_erosion:
                found = op.logical_and(found, op.logical_or(part, op.logical_not(holds)))
            else:
                found = op.logical_or(found, op.logical_and(part, holds))
        x = found if mask is None else op.where(as_array(mask) != 0, found, x)
    return x


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """What cannot be reached from outside through zeros."""
    x = as_array(input) != 0
    outside = x != x
    if op.any(op.logical_not(x)):
        is_over = False
        while not is_over:
            more = eroded(outside, structure, 1, op.logical_not(x), output, 1, origin, axes, False)
            is_over = op.all(more == outside)
            outside = more
    return op.logical_not(outside)
