"""Parts of images: `scipy.ndimage.label`, sums and means of labelled parts, distances from them.

    label(x)                          numbers for the connected parts of what is not zero, and how many there are
    mean(x, labels, index=[1, 2])     the means of the elements with these labels
    distance_transform_edt(x)         of each element that is not zero the distance from the nearest zero

Sources: C. Fiorio and J. Gustedt, Two linear time union-find strategies (1996); P. Felzenszwalb and D. Huttenlocher,
Distance transforms of sampled functions (2012).
"""

from math import inf

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, from_rows, in_rows, ravel
from .special import of_floats


def center_of_mass(input, labels=None, index=None):
    """A number for each axis; with a vector `index` a tuple of them for each label."""
    x = of_floats(as_array(input))
    if labels is not None:
        if index is None or static.rank(index) != 0:
            static.refuse("U012", "scipy.ndimage.center_of_mass takes one label as `index=` here: call it for each")
        x = op.where(as_array(labels) == index, x, 0.0)
    elif index is not None:
        static.refuse("U012", "scipy.ndimage.center_of_mass takes an `index=` with `labels=`")
    total = op.sum(x)
    found = []
    for axis in range(static.rank(x)):
        n = x.shape[axis]
        places = op.arange(0, n, 1, shape=(n,), dtype="f64")
        others = tuple([k for k in range(static.rank(x)) if k != axis])
        sums = op.sum(x, axis=others, keepdims=False) if len(others) > 0 else x
        found.append(op.sum(places * sums) / total)
    return tuple(found)


# --- of labels -------------------------------------------------------------------------------------------------------


def places_of(x, labels, index):
    """(labels of all elements from 0 on, how many labels there are, which of them are asked for), of flat arrays."""
    flat = ravel(as_array(labels)) + 0
    if flat.shape[0] != x.shape[0]:
        raise ValueError("input and labels must have the same shape")
    if op.any(flat < 0):
        raise ValueError("labels of parts are 0 or more here")
    if index is None:
        return op.where(flat > 0, 1, 0), 2, 1
    wanted = as_array(index)
    return flat, max(op.max(flat), op.max(wanted)) + 1, wanted


def of_labels(input, labels, index, values_of):
    """What `values_of` gives for groups of flat numbers: an array of one for each."""
    x = ravel(as_array(input))
    if labels is None:
        if index is not None:
            static.refuse("U012", "functions of parts of scipy.ndimage take an `index=` with `labels=`")
        return values_of(x, op.zeros(shape=(x.shape[0],), dtype="i64"), 1)[0]
    flat, count, wanted = places_of(x, labels, index)
    return values_of(x, flat, count)[wanted]


def sums_of(x, flat, count):
    return np.bincount(flat, weights=of_floats(x), minlength=count)


def means_of(x, flat, count):
    return sums_of(x, flat, count) / np.bincount(flat, minlength=count)


def variances_of(x, flat, count):
    x = of_floats(x)
    apart = x - means_of(x, flat, count)[flat]
    return means_of(apart * apart, flat, count)


def sum_labels(input, labels=None, index=None):
    return of_labels(input, labels, index, sums_of)


def mean(input, labels=None, index=None):
    return of_labels(input, labels, index, means_of)


def variance(input, labels=None, index=None):
    return of_labels(input, labels, index, variances_of)


def standard_deviation(input, labels=None, index=None):
    return of_labels(input, labels, index, lambda x, flat, count: op.sqrt(variances_of(x, flat, count)))


def greatest_of(x, flat, count):
    """Of groups without elements 0, as SciPy's."""
    found = op.zeros(shape=(count,), dtype=static.element(x))
    has_some = op.zeros(shape=(count,), dtype="bool")
    for i in range(x.shape[0]):
        if not has_some[flat[i]] or x[i] > found[flat[i]]:
            found[flat[i]] = x[i]
            has_some[flat[i]] = True
    return found


def maximum(input, labels=None, index=None):
    return of_labels(input, labels, index, greatest_of)


def minimum(input, labels=None, index=None):
    return -of_labels(-as_array(input), labels, index, greatest_of)


def label(input, structure=None, output=None):
    """(the image with a number for each connected part of what is not zero, how many there are): of one or two
    dimensions, by joining sets of neighbours; `structure`, 3 by 3, says which are."""
    if output is not None:
        static.refuse("U012", "scipy.ndimage.label has no `output=` here: use the result")
    x = as_array(input)
    if static.rank(x) == 1:
        if structure is not None:
            static.refuse("U012", "scipy.ndimage.label of a vector joins its neighbours here: leave `structure=` out")
        found, count = labelled(x[None, :], np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]))
        return found[0], count
    if static.rank(x) != 2:
        static.refuse("S002", "scipy.ndimage.label takes one or two dimensions here")
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]) if structure is None else as_array(structure) + 0
    if cross.shape[0] != 3 or cross.shape[1] != 3:
        raise ValueError("structure dimensions must be equal to 3")
    if op.any(cross != cross[::-1, ::-1]):
        raise ValueError("Input structure is not symmetric")
    return labelled(x, cross)


def labelled(x, cross):
    m, n = x.shape
    parents = op.arange(0, m * n, 1, shape=(m * n,), dtype="i64")
    for i in range(m):
        for j in range(n):
            if x[i, j] != 0:
                here = i * n + j
                if j > 0 and cross[1, 0] != 0 and x[i, j - 1] != 0:
                    join(parents, here, here - 1)
                for step in range(-1, 2):
                    column = j + step
                    if i > 0 and column >= 0 and column < n and cross[0, 1 + step] != 0 and x[i - 1, column] != 0:
                        join(parents, here, here - n + step)
    out = op.zeros(shape=(m, n), dtype="i32")
    numbers = op.zeros(shape=(m * n,), dtype="i64")
    count = 0
    for i in range(m):
        for j in range(n):
            if x[i, j] != 0:
                top = root_of(parents, i * n + j)
                if numbers[top] == 0:
                    count += 1
                    numbers[top] = count
                out[i, j] = numbers[top]
    return out, count


def root_of(parents, k):
    while parents[k] != k:
        k = parents[k]
    return k


def join(parents, a, b):
    """The lower number is the root."""
    a, b = root_of(parents, a), root_of(parents, b)
    if a < b:
        parents[b] = a
    else:
        parents[a] = b


# --- distances -------------------------------------------------------------------------------------------------------


def distance_transform_edt(
    input, sampling=None, return_distances=True, return_indices=False, distances=None, indices=None
):
    """Exact distances from the nearest zero, along one axis after the other; `sampling`: the steps along the axes."""
    if return_indices or not return_distances or distances is not None or indices is not None:
        static.refuse("U012", "scipy.ndimage.distance_transform_edt gives distances alone here")
    x = as_array(input) != 0
    if op.all(x):
        raise ValueError("the distance from zeros of an image that has none")
    found = op.where(x, inf, 0.0)
    steps = sampling if static.is_sequence(sampling) else (1.0 if sampling is None else sampling,) * static.rank(x)
    for axis in range(static.rank(x)):
        rows, shape = in_rows(found, axis)
        out = op.empty(shape=rows.shape, dtype="f64")
        for k in range(rows.shape[0]):
            lowest(rows[k], steps[axis] * 1.0, out, k)
        found = from_rows(out, shape, axis)
    return op.sqrt(found)


def lowest(heights, step, out, row):
    """The least of heights[j] + step^2 (i - j)^2 over j, by the lower envelope of these parabolas."""
    n = heights.shape[0]
    centers, starts = op.zeros(shape=(n,), dtype="i64"), op.zeros(shape=(n + 1,), dtype="f64")
    count, square = 0, step * step
    for j in range(n):
        if heights[j] < inf:
            start = -inf
            is_over = False
            while count > 0 and not is_over:
                k = centers[count - 1]
                start = (heights[j] - heights[k] + square * (j * j - k * k)) / (2.0 * square * (j - k))
                is_over = start > starts[count - 1]
                if not is_over:
                    count -= 1
                    start = -inf
            centers[count], starts[count] = j, start
            count += 1
    k = 0
    for i in range(n):
        while k + 1 < count and starts[k + 1] <= i:
            k += 1
        out[row, i] = inf if count == 0 else heights[centers[k]] + square * (i - centers[k]) * (i - centers[k])
