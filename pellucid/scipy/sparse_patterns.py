"""Which elements a sparse array has: positions alone, which have no derivative.

    rows [1, 0, 1], columns [2, 0, 2]     ->     indptr [0, 1, 2], indices [0, 2], slots [1, 0, 1]

Elements stand row after row, in the order of their columns; a position that occurs twice has one slot.
"""

import numpy as np


def require_positions(places, length, axis):
    """The errors of SciPy for positions that no matrix of this length has."""
    largest, least = -1, 0
    for k in range(places.shape[0]):
        largest, least = max(largest, int(places[k])), min(least, int(places[k]))
    if largest >= length:
        raise ValueError(f"axis {axis} index {largest} exceeds matrix dimension {length}")
    if least < 0:
        raise ValueError(f"negative axis {axis} index: {least}")


def counted(places, length):
    """Where those at each position start when they are in order: counts, added up."""
    starts = np.zeros(length + 1, np.int32)
    for k in range(places.shape[0]):
        starts[places[k] + 1] += 1
    for i in range(length):
        starts[i + 1] += starts[i]
    return starts


def compressed(row, col, rows, columns):
    """`indptr` and `indices` of the matrix with these elements, and the slot of each."""
    count = row.shape[0]
    free = counted(col, columns)
    by_column = np.empty(count, np.int32)
    for k in range(count):
        by_column[free[col[k]]] = k
        free[col[k]] += 1
    free = counted(row, rows)
    order = np.empty(count, np.int32)
    for at in range(count):
        k = by_column[at]
        order[free[row[k]]] = k
        free[row[k]] += 1
    word = np.result_type(row.dtype, col.dtype)
    slots, found = np.empty(count, np.int32), np.empty(count, word)
    indptr = np.zeros(rows + 1, word)
    last_row, last_column, used = -1, -1, 0
    for at in range(count):
        k = order[at]
        i, j = int(row[k]), int(col[k])
        if i != last_row or j != last_column:
            found[used] = j
            indptr[i + 1] += 1
            used += 1
            last_row, last_column = i, j
        slots[k] = used - 1
    for i in range(rows):
        indptr[i + 1] += indptr[i]
    return indptr, found[:used].copy(), slots


def rows_of(indptr, count):
    """The row of each element."""
    found = np.empty(count, indptr.dtype)
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            found[k] = i
    return found


def pairs(indptr, indices, other_indptr, other_indices):
    """The terms of a product of two matrices: which elements are multiplied, and where the products belong."""
    total = 0
    for k in range(indices.shape[0]):
        total += int(other_indptr[indices[k] + 1]) - int(other_indptr[indices[k]])
    left, right = np.empty(total, np.int32), np.empty(total, np.int32)
    row, col = np.empty(total, indptr.dtype), np.empty(total, other_indices.dtype)
    at = 0
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            for p in range(other_indptr[j], other_indptr[j + 1]):
                left[at] = k
                right[at] = p
                row[at] = i
                col[at] = other_indices[p]
                at += 1
    return left, right, row, col
