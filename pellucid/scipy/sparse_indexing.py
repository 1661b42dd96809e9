"""Parts of sparse arrays: rows, columns and elements by number, slice, index array or mask.

    A[free][:, free]     ->     the elements whose row and column are among `free`, at their new positions

Rows are taken as a product with the matrix that has a one in each row, of which only positions are made, and columns as
one from the right.  Values are gathered, so that their cotangents are scattered back.
"""

import numpy as np

from ..compiler.ops import static
from .sparse_patterns import compressed, pairs

WAY_OUT = "keep both axes, as in `A[[i]]` and `A[:, [j]]`, or take a part of `A.toarray()`"


def part(matrix, key):
    """What `key` says of a matrix that has rows: a matrix of its family, an element, or elements of SciPy's arrays."""
    first, second = key if isinstance(key, tuple) else (key, slice(None))
    rows, columns = np.arange(matrix.shape[0])[first], np.arange(matrix.shape[1])[second]
    ranks = (static.rank(rows), static.rank(columns))
    has_slice = isinstance(first, slice) or isinstance(second, slice)
    if ranks == (0, 0):
        return element(matrix, int(rows), int(columns))
    if ranks == (2, 2):  # from np.ix_
        return of_columns(of_rows(matrix, rows.ravel()), columns.ravel())
    if has_slice and ranks == (1, 1) or has_slice and matrix.is_matrix and max(ranks) == 1:
        left = matrix if is_whole(first) else of_rows(matrix, np.atleast_1d(rows))
        return left if is_whole(second) else of_columns(left, np.atleast_1d(columns))
    if ranks != (1, 1) or matrix.is_matrix:
        static.refuse("U012", "a sparse array of one axis, or an np.matrix of elements, is not supported", WAY_OUT)
    if rows.shape != columns.shape:
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together")
    found = np.zeros(rows.shape[0], matrix.data.dtype)
    for k in range(rows.shape[0]):
        found[k] = element(matrix, int(rows[k]), int(columns[k]))
    return found


def is_whole(key):
    return isinstance(key, slice) and key.start is None and key.stop is None and key.step is None


def element(matrix, i, j):
    """What stands at a position, added up."""
    total = np.zeros(1, matrix.data.dtype)[0]
    for k in range(matrix.indptr[i], matrix.indptr[i + 1]):
        if matrix.indices[k] == j:
            total = total + matrix.data[k]
    return total


def of_rows(matrix, rows):
    starts = np.arange(rows.shape[0] + 1).astype(matrix.indptr.dtype)
    _, chosen, row, col = pairs(starts, rows, matrix.indptr, matrix.indices)
    return matrix.with_elements(matrix.data[chosen], row, col, rows.shape[0], matrix.columns)


def of_columns(matrix, columns):
    new = np.arange(columns.shape[0]).astype(matrix.indices.dtype)
    indptr, places, _ = compressed(columns.astype(matrix.indices.dtype), new, matrix.columns, columns.shape[0])
    chosen, _, row, col = pairs(matrix.indptr, matrix.indices, indptr, places)
    rows = matrix.indptr.shape[0] - 1
    return matrix.with_elements(matrix.data[chosen], row, col, rows, columns.shape[0])
