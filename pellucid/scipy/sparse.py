"""Constructors of `scipy.sparse`: from elements and their positions, rows, diagonals and dense matrices.

    coo_array((data, (i, j)), shape=(n, n)).tocsr()     ->     rows, with the elements of equal positions added up

Source: SciPy's conventions; `eye_array`, `diags_array` and `kron` give rows at once.
"""

import numpy as np

from ..compiler.ops import static
from ..numpy.manipulation import as_array
from .sparse_arrays import Matrices, Sparse, assembled, coo_like, csc_like, csr_like, is_sparse
from .sparse_patterns import require_positions

UNEQUAL = "all index and data arrays must have the same length"


def coo_array(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    """From (data, (i, j)), a pair of lengths, a dense matrix, or another sparse array."""
    return in_dtype(elements(Sparse, arg1, shape), dtype)


def csr_array(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    """From what `coo_array` takes, or (data, indices, indptr)."""
    return in_dtype(by_rows(Sparse, arg1, shape), dtype)


def csc_array(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    return in_dtype(by_columns(Sparse, arg1, shape), dtype)


def coo_matrix(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    """The same, with `*` for the product of matrices."""
    return in_dtype(elements(Matrices, arg1, shape), dtype)


def csr_matrix(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    return in_dtype(by_rows(Matrices, arg1, shape), dtype)


def csc_matrix(arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
    return in_dtype(by_columns(Matrices, arg1, shape), dtype)


def in_dtype(found, dtype):
    return found if dtype is None else found.astype(dtype)


def by_rows(like, arg1, shape):
    if static.is_sequence(arg1) and len(arg1) == 3:
        return of_rows(like, arg1, shape)
    if is_sparse(arg1) and arg1.format == "csr":
        return csr_like(like, arg1.data, arg1.indices, arg1.indptr, arg1.columns)
    return elements(like, arg1, shape).tocsr()


def by_columns(like, arg1, shape):
    if static.is_sequence(arg1) and len(arg1) == 3:
        return csc_like(like, of_rows(like, arg1, None if shape is None else (shape[1], shape[0])))
    if is_sparse(arg1) and arg1.format == "csc":
        return csc_like(like, by_rows(like, arg1.turned, None))
    return elements(like, arg1, shape).tocsc()


def of_rows(like, arg1, shape):
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
    indices, indptr = as_positions(like, indices, indptr)
    return csr_like(like, data, indices, indptr, columns)


def as_positions(like, first, second):
    """Positions in 64 bits where one of the two has them so, and 32 bits else; of matrices always 32."""
    if not like.is_matrix and (is_wide(first) or is_wide(second)):
        return first.astype(np.int64), second.astype(np.int64)
    return first.astype(np.int32), second.astype(np.int32)


def is_wide(places):
    return static.element(places) in ("i64", "u64", "u32")


def elements(like, arg1, shape):
    """Anything as elements with positions."""
    if is_sparse(arg1):
        found = arg1.tocoo()
        return coo_like(like, found.data, found.row, found.col, found.rows, found.columns)
    if not static.is_sequence(arg1) or len(arg1) != 2 or static.is_list(arg1):
        return of_dense(like, as_array(arg1))
    first, second = arg1
    if not static.is_sequence(second):
        empty = np.zeros(0, np.int32)
        return coo_like(like, np.zeros(0), empty, empty, first, second)
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
    row, col = as_positions(like, row, col)
    return coo_like(like, data, row, col, rows, columns)


def of_dense(like, matrix):
    """The elements that are not zero."""
    if static.rank(matrix) != 2:
        static.refuse("U012", "sparse arrays have two dimensions here")
    row, col = np.nonzero(matrix)
    values, (rows, columns) = matrix[row, col], matrix.shape
    return coo_like(like, values, row.astype(np.int32), col.astype(np.int32), rows, columns)


def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    """Ones on a diagonal, as rows."""
    return ones_on(Sparse, m, m if n is None else n, k, dtype)


def eye(m, n=None, k=0, dtype=float, format=None):
    return ones_on(Matrices, m, m if n is None else n, k, dtype)


def identity(n, dtype=float, format=None):
    return ones_on(Matrices, n, n, 0, dtype)


def ones_on(like, rows, columns, k, dtype):
    return of_diagonals(like, (np.ones(length_of_diagonal(rows, columns, k), dtype),), (k,), rows, columns)


def length_of_diagonal(rows, columns, k):
    return max(0, min(rows + min(k, 0), columns - max(k, 0)))


def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=None):
    """Diagonals at offsets, as rows; a diagonal of one element is repeated."""
    return by_diagonals(Sparse, diagonals, offsets, shape, dtype)


def diags(diagonals, offsets=0, shape=None, format=None, dtype=None):
    return by_diagonals(Matrices, diagonals, offsets, shape, dtype)


def by_diagonals(like, diagonals, offsets, shape, dtype):
    if static.is_sequence(offsets):
        given, at = diagonals, offsets
    elif static.is_sequence(diagonals) and (static.is_sequence(diagonals[0]) or static.rank(diagonals[0]) == 1):
        raise ValueError("Different number of diagonals and offsets.")
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
    return in_dtype(of_diagonals(like, parts, at, rows, columns), dtype)


def of_diagonals(like, parts, offsets, rows, columns):
    data, row, col = (), (), ()
    for part, k in zip(parts, offsets, strict=True):
        count = length_of_diagonal(rows, columns, k)
        if part.shape[0] != count and part.shape[0] != 1:
            raise ValueError(f"Diagonal length (index 0: {part.shape[0]} at offset {k}) does not agree with array size "
                             f"({rows}, {columns}).")  # fmt: skip
        places = np.arange(count, dtype=np.int32)
        data = (*data, part + np.zeros(count, part.dtype))
        row, col = (*row, places + np.int32(max(0, -k))), (*col, places + np.int32(max(0, k)))
    return assembled(like, np.concatenate(data), np.concatenate(row), np.concatenate(col), rows, columns)


def kron(A, B, format=None):
    """The product of Kronecker: every element of A times B, in its place."""
    like = A if is_sparse(A) and not A.is_matrix else B if is_sparse(B) and not B.is_matrix else Matrices
    left, right = elements(like, A, None), elements(like, B, None)
    count = right.data.shape[0]
    data = (left.data[:, None] * right.data[None, :]).reshape(left.data.shape[0] * count)
    row = (left.row[:, None] * np.int32(right.rows) + right.row[None, :]).reshape(left.data.shape[0] * count)
    col = (left.col[:, None] * np.int32(right.columns) + right.col[None, :]).reshape(left.data.shape[0] * count)
    return assembled(like, data, row, col, left.rows * right.rows, left.columns * right.columns)


def issparse(x):
    return is_sparse(x)
