"""Products of sparse arrays with dense ones: of matrices, and element by element.

A @ x             ->     y[i] = sum of data[k] * x[indices[k]] for k from indptr[i] up to indptr[i + 1]
A.multiply(D)     ->     data[k] * D[row[k], col[k]], where A has elements
"""

import numpy as np

from ..compiler.ops import static


def by_dense(matrix, other):
    """The product of a matrix that has rows with a vector or a dense matrix."""
    rows = matrix.indptr.shape[0] - 1
    data, indices, indptr = matrix.data, matrix.indices, matrix.indptr
    word = np.result_type(data.dtype, other.dtype)
    found = np.zeros((rows, *other.shape[1:]), word)
    if static.rank(other) == 1:
        for i in range(rows):
            total = found[i]
            for k in range(indptr[i], indptr[i + 1]):
                total = total + data[k] * other[indices[k]]
            found[i] = total
        return found
    for i in range(rows):
        for k in range(indptr[i], indptr[i + 1]):
            found[i] += data[k] * other[indices[k]]
    return found


def by_elements(matrix, other):
    """A sparse array times a dense one that is broadcast to its shape, as elements."""
    found = matrix.tocoo()
    if static.rank(other) > 2:
        raise ValueError("inconsistent shapes")
    factors = np.broadcast_to(other, found.shape)
    return found.with_data(found.data * factors[found.row, found.col])
