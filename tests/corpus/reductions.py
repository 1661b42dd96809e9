"""Sums, products, extremes and counts along axes."""

import numpy as np


def sums_along_axes(tensor):
    """No axis, one axis, the last axis, two axes."""
    return tensor.sum(), np.sum(tensor, axis=0), tensor.sum(axis=-1), np.sum(tensor, axis=(0, 2)), tensor.sum(axis=1)


def kept_dimensions(A):
    """Reductions that broadcast back."""
    centred = A - A.mean(axis=0, keepdims=True) - A.mean(axis=1, keepdims=True) + A.mean()
    return centred / np.max(np.abs(A), axis=1, keepdims=True)


def means_and_products(p, P):
    """Means and products of positive numbers."""
    return np.mean(P, axis=1) * np.prod(p), P.prod(axis=0), np.mean(p) - P.mean()


def extremes(A, x):
    """Largest and smallest, of everything and by axis."""
    return A.max() - x.min(), np.max(A, axis=0) * np.min(A, axis=1), np.minimum(A, x).max(axis=1)


def spread_by_axis(M):
    """Variances and standard deviations."""
    return np.var(M, axis=0), np.std(M) + np.var(M), np.std(M, axis=1, keepdims=True) * M


def running_totals(x, M):
    """Cumulative sums, flat and along axes."""
    return np.cumsum(x), np.cumsum(M, axis=0), np.cumsum(M, axis=1)[:, -1]


def counts_and_truth(A, mask):
    """any, all and sums of booleans."""
    positive = A > 0.0
    return np.any(positive, axis=0), positive.all(axis=1), np.sum(positive, axis=1), mask.any(), np.all(mask)


def places_of_extremes(A, x):
    """Integers, by axis and of the flattened matrix."""
    return np.argmax(A, axis=0), np.argmin(A, axis=1), x.argmax(), np.argmin(A)


def value_at_the_largest(x, y):
    """The place is an integer, what is read there has a gradient."""
    return y[np.argmax(x)] * x[x.argmin()]


def softmax_by_rows(A):
    e = np.exp(A - A.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_sum_exp(x):
    """Stable for large and for small numbers."""
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def norms(A, x):
    """One, two and infinity; by rows for the matrix."""
    return np.sum(np.abs(x)), np.sqrt(np.sum(x**2)), np.max(np.abs(x)), np.sqrt((A * A).sum(axis=1))


def reduce_by_loops(A):
    """A sum, a product and a maximum as plain loops over rows and columns."""
    n, m = A.shape
    total, product, largest = 0.0, np.ones(m), np.full(n, -np.inf)
    for i in range(n):
        for j in range(m):
            total += A[i, j]
            product[j] *= 1.0 + 0.1 * A[i, j]
            largest[i] = max(largest[i], A[i, j])
    return total, product, largest


def compensated_sum(x):
    """Kahan's sum of values and their squares."""
    total, lost = 0.0, 0.0
    for value in x:
        corrected = value + value * value - lost
        following = total + corrected
        lost = (following - total) - corrected
        total = following
    return total


def conditional_means(x, y):
    """Means over what a condition picks out, without a mask read."""
    chosen = np.asarray(x > 0.0, dtype=np.float64)
    count = np.sum(chosen) + 1.0
    return np.sum(chosen * y) / count, np.sum(np.where(x > 0.0, 0.0, y)) / count


def nested_reductions(tensor):
    """A reduction of a reduction."""
    return np.max(np.sum(tensor**2, axis=2), axis=1), np.sum(np.max(tensor, axis=0), axis=0).mean()


def blocks(M, count):
    """Means over blocks of a flattened table, its tail cut off."""
    flat = M.ravel()
    n_blocks = len(flat) // count
    return np.mean(flat[: n_blocks * count].reshape(n_blocks, count), axis=1)


def trace_and_off_diagonal(A):
    diagonal = np.sum(A * np.eye(len(A)))
    return diagonal, np.sum(A) - diagonal


def scaled_norm(x):
    """The norm without overflow: one pass that rescales when a larger value comes."""
    scale, total = 1.0, 0.0
    for value in x:
        size = abs(value)
        if size > scale:
            total = 1.0 + total * (scale / size) ** 2
            scale = size
        else:
            total += (size / scale) ** 2
    return scale * np.sqrt(total)


MIN_SIZE = {"spread_by_axis": 2, "blocks": 3}

NO_GRADIENT = {"counts_and_truth": "booleans", "places_of_extremes": "integers"}
