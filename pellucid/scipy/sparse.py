"""Constructors of `scipy.sparse`: from elements and their positions, rows, diagonals and dense matrices.

    coo_array((data, (i, j)), shape=(n, n)).tocsr()     ->     a `Csr` with the elements of equal positions added up

Source: SciPy's conventions; `eye_array`, `diags_array` and `kron` give rows at once.
"""

import numpy as np

from ..compiler.ops import static
from ..numpy.manipulation import as_array
from .sparse_arrays import Coo, Csc, Csr, assembled, is_sparse
from .sparse_patterns import require_positions

UNEQUAL = "all index and data arrays must have the same length"


def coo_array(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    """From (data, (i, j)), a pair of lengths, a dense matrix, or another sparse array."""
    found = elements(arg1, shape)
    return found if dtype is None else found.astype(dtype)


def csr_array(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    """From what `coo_array` takes, or (data, indices, indptr)."""
    if static.is_sequence(arg1) and len(arg1) == 3:
        found = of_rows(arg1, shape)
    else:
        found = elements(arg1, shape).tocsr() if not is_sparse(arg1) else arg1.tocsr()
    return found if dtype is None else found.astype(dtype)


def csc_array(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    if static.is_sequence(arg1) and len(arg1) == 3:
        found = Csc(of_rows(arg1, None if shape is None else (shape[1], shape[0])))
    else:
        found = elements(arg1, shape).tocsc() if not is_sparse(arg1) else arg1.tocsc()
    return found if dtype is None else found.astype(dtype)


def of_rows(arg1, shape):
    data, indices, indptr = as_array(arg1[0]), as_array(arg1[1]), as_array(arg1[2])
    rows = indptr.shape[0] - 1
    columns = (int(np.max(indices)) + 1 if indices.shape[0] else 0) if shape is None else shape[1]
    if shape is not None and rows != shape[0]:
        raise ValueError(f"index pointer size {rows + 1} should be {shape[0] + 1}")
    require_positions(indices, columns, 1)
    if indices.shape[0] != data.shape[0]:
        raise ValueError("indices and data should have the same size")
    if indptr[0] != 0:
        raise ValueError("index pointer should start with 0")
    if indptr[rows] > indices.shape[0]:
        raise ValueError("Last value of index pointer should be less than the size of index and data arrays")
    for i in range(rows):
        if indptr[i + 1] < indptr[i]:
            raise ValueError("indptr must be a non-decreasing sequence")
    return Csr(data, as_index(indices), as_index(indptr), columns)


def as_index(places):
    return places.astype(np.int32) if places.dtype != np.int32 else places


def elements(arg1, shape):
    """Anything as elements with positions."""
    if is_sparse(arg1):
        return arg1.tocoo()
    if not static.is_sequence(arg1) or len(arg1) != 2 or static.is_list(arg1):
        return of_dense(as_array(arg1))
    first, second = arg1
    if not static.is_sequence(second):
        empty = np.zeros(0, np.int32)
        return Coo(np.zeros(0), empty, empty, first, second)
    data, row, col = as_array(first), as_array(second[0]), as_array(second[1])
    if row.shape[0] != data.shape[0] or col.shape[0] != data.shape[0]:
        raise ValueError(UNEQUAL)
    if shape is None:
        if data.shape[0] == 0:
            raise ValueError("cannot infer dimensions from zero sized index arrays")
        rows, columns = int(np.max(row)) + 1, int(np.max(col)) + 1
    else:
        rows, columns = shape
    require_positions(row, rows, 0)
    require_positions(col, columns, 1)
    return Coo(data, as_index(row), as_index(col), rows, columns)


def of_dense(matrix):
    """The elements that are not zero."""
    if static.rank(matrix) != 2:
        static.refuse("U012", "sparse arrays have two dimensions here")
    row, col = np.nonzero(matrix)
    return Coo(matrix[row, col], as_index(row), as_index(col), matrix.shape[0], matrix.shape[1])


def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    """Ones on a diagonal, as rows."""
    columns = m if n is None else n
    return of_diagonals((np.ones(length_of_diagonal(m, columns, k), dtype),), (k,), m, columns)


def eye(m, n=None, k=0, dtype=float, format=None):
    return eye_array(m, n, k=k, dtype=dtype)


def identity(n, dtype=float, format=None):
    return eye_array(n, dtype=dtype)


def length_of_diagonal(rows, columns, k):
    return max(0, min(rows + min(k, 0), columns - max(k, 0)))


def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=None):
    """Diagonals at offsets, as rows; a diagonal of one element is repeated."""
    if static.is_sequence(offsets):
        given, at = diagonals, offsets
    elif static.is_sequence(diagonals) and static.is_sequence(diagonals[0]) or is_row_in_list(diagonals):
        given, at = (diagonals[0],), (offsets,)
    else:
        given, at = (diagonals,), (offsets,)
    if len(given) != len(at):
        raise ValueError(f"Different number of diagonals ({len(given)}) and offsets ({len(at)}).")
    parts = tuple([np.atleast_1d(as_array(part)) for part in given])
    if shape is None:
        rows = parts[0].shape[0] + abs(at[0])
        columns = rows
    else:
        rows, columns = shape
    found = of_diagonals(parts, at, rows, columns)
    return found if dtype is None else found.astype(dtype)


def is_row_in_list(diagonals):
    return static.is_sequence(diagonals) and static.rank(diagonals[0]) == 1


def diags(diagonals, offsets=0, shape=None, format=None, dtype=None):
    return diags_array(diagonals, offsets=offsets, shape=shape, dtype=dtype)


def of_diagonals(parts, offsets, rows, columns):
    data, row, col = (), (), ()
    for part, k in zip(parts, offsets, strict=True):
        count = length_of_diagonal(rows, columns, k)
        if part.shape[0] != count and part.shape[0] != 1:
            raise ValueError(f"Diagonal length (index 0: {part.shape[0]} at offset {k}) does not agree with array size "
                             f"({rows}, {columns}).")  # fmt: skip
        places = np.arange(count, dtype=np.int32)
        data = (*data, part + np.zeros(count, part.dtype))
        row, col = (*row, places + np.int32(max(0, -k))), (*col, places + np.int32(max(0, k)))
    return assembled(np.concatenate(data), np.concatenate(row), np.concatenate(col), rows, columns)


def kron(A, B, format=None):
    """The product of Kronecker: every element of A times B, in its place."""
    left, right = elements(A, None), elements(B, None)
    count = right.data.shape[0]
    data = (left.data[:, None] * right.data[None, :]).reshape(left.data.shape[0] * count)
    row = (left.row[:, None] * np.int32(right.rows) + right.row[None, :]).reshape(left.data.shape[0] * count)
    col = (left.col[:, None] * np.int32(right.columns) + right.col[None, :]).reshape(left.data.shape[0] * count)
    return assembled(data, row, col, left.rows * right.rows, left.columns * right.columns)


def issparse(x):
    return is_sparse(x)
