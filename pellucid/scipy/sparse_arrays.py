"""Sparse arrays of SciPy: their elements, with the positions of these, and what is done with them row by row.

    A @ x     ->     y[i] = sum of data[k] * x[indices[k]] for k from indptr[i] up to indptr[i + 1]

`Csr` has rows, `Csc` is the transpose of one, `Coo` has a row and a column for each element.  Derivatives are those by
`data`.  Classes for SciPy's matrices differ in `*`, which is a product of matrices.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse

from ..compiler.ops import static
from ..numpy.manipulation import as_array
from ..runtime.foreign import made
from .sparse_indexing import part
from .sparse_patterns import compressed, pairs, rows_of
from .sparse_products import by_dense, by_elements

MISMATCH = "matmul: dimension mismatch with signature (n,k={0}),(k={1},{2})->(n,{2})"
SCALAR = "adding a nonzero scalar to a sparse array is not supported"


class Sparse:
    """What all have in common, by way of rows."""

    __array_ufunc__ = None
    ndim, is_matrix = 2, False

    @property
    def nnz(self):
        return self.data.shape[0]

    @property
    def dtype(self):
        return self.data.dtype

    @property
    def T(self):
        return self.transpose()

    def getnnz(self):
        return self.data.shape[0]

    def dot(self, other):
        return self @ other

    def __getitem__(self, key):
        found = part(self.tocsr(), key)
        return found.asformat(self.format) if is_sparse(found) else found

    def with_elements(self, data, row, col, rows, columns):
        return assembled(self, data, row, col, rows, columns)

    def asformat(self, format, copy=False):
        if format is None or format == self.format:
            return self
        return self.tocsc() if format == "csc" else self.tocoo() if format == "coo" else self.tocsr()

    def __matmul__(self, other):
        if is_sparse(other) and self.format == "csc":
            return sparse_product(other.transpose().tocsr(), self.transpose()).transpose()
        return times(self.tocsr(), other)

    def __rmatmul__(self, other):
        return transposed(times(self.transpose().tocsr(), transposed(as_array(other))))

    def __mul__(self, other):
        return scaled(self, other)

    def __rmul__(self, other):
        return scaled(self, other)

    def __truediv__(self, other):
        return self.with_data(self.data / require_number(other))

    def __neg__(self):
        return self.with_data(-self.data)

    def __abs__(self):
        return self.with_data(np.abs(self.data))

    def __add__(self, other):
        if is_sparse(other) and self.format == "csc":
            return added(self.transpose(), other.transpose()).transpose()
        return added(self.tocsr(), other)

    def __sub__(self, other):
        return self + -other

    def __radd__(self, other):
        return added(self.tocsr(), other)

    def __rsub__(self, other):
        return added((-self).tocsr(), other)

    def multiply(self, other):
        return scaled(self, other)

    def power(self, n):
        return self.with_data(self.data**n)

    def copy(self):
        return self.with_data(self.data.copy())

    def astype(self, dtype):
        return self.with_data(self.data.astype(dtype))

    def toarray(self):
        rows = self.tocsr()
        found = np.zeros(self.shape, rows.data.dtype)
        for i in range(rows.indptr.shape[0] - 1):
            for k in range(rows.indptr[i], rows.indptr[i + 1]):
                found[i, rows.indices[k]] += rows.data[k]
        return found

    def todense(self):
        refuse_matrix(self, "todense")
        return self.toarray()

    def diagonal(self):
        rows = self.tocsr()
        found = np.zeros(min(self.shape[0], self.shape[1]), rows.data.dtype)
        for i in range(found.shape[0]):
            for k in range(rows.indptr[i], rows.indptr[i + 1]):
                if rows.indices[k] == i:
                    found[i] += rows.data[k]
        return found

    def trace(self):
        return np.sum(self.diagonal())

    def sum(self, axis=None):
        if axis is None:
            return np.sum(self.data)
        refuse_matrix(self, "sum")
        word = self.data.dtype
        if axis in (1, -1):
            return self.tocsr() @ np.ones(self.shape[1], word)
        return self.transpose().tocsr() @ np.ones(self.shape[0], word)

    def mean(self, axis=None):
        if axis is None:
            return np.sum(self.data) / (self.shape[0] * self.shape[1])
        return self.sum(axis) / self.shape[1 if axis in (1, -1) else 0]


@dataclass(frozen=True)
class Csr(Sparse):
    """The elements of row i are those from `indptr[i]` up to `indptr[i + 1]`."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    columns: int

    python, shown, format = scipy.sparse.csr_array, ("data", "indices", "indptr", "shape"), "csr"

    @property
    def shape(self):
        return (self.indptr.shape[0] - 1, self.columns)

    @classmethod
    def of_python(cls, value):
        return cls(value.data, value.indices, value.indptr, int(value.shape[1]))

    def to_python(self):
        """SciPy's array; where positions are missing, as in the cotangents of a pullback, it stays what it is."""
        return self if self.indptr is None else made(self.python, (self.data, self.indices, self.indptr), self.shape)

    def with_data(self, data):
        return csr_like(self, data, self.indices, self.indptr, self.columns)

    def tocsr(self):
        return self

    def tocsc(self):
        row, col = rows_of(self.indptr, self.indices.shape[0]), self.indices
        return csc_like(self, assembled(self, self.data, col, row, self.columns, self.indptr.shape[0] - 1))

    def tocoo(self):
        row = rows_of(self.indptr, self.indices.shape[0])
        return coo_like(self, self.data, row, self.indices, self.indptr.shape[0] - 1, self.columns)

    def transpose(self):
        return csc_like(self, self)

    def sort_indices(self):
        return None

    sum_duplicates = sort_indices


@dataclass(frozen=True)
class Csc(Sparse):
    """The transpose of what has rows."""

    turned: Csr

    python, shown, format = scipy.sparse.csc_array, ("data", "indices", "indptr", "shape"), "csc"

    @property
    def data(self):
        return self.turned.data

    @property
    def indices(self):
        return self.turned.indices

    @property
    def indptr(self):
        return self.turned.indptr

    @property
    def shape(self):
        return (self.turned.columns, self.turned.indptr.shape[0] - 1)

    @classmethod
    def of_python(cls, value):
        rows = CsrMatrix if cls.is_matrix else Csr
        return cls(rows(value.data, value.indices, value.indptr, int(value.shape[0])))

    def to_python(self):
        """Of what has rows and is SciPy's already."""
        return self if isinstance(self.turned, Csr) else self.turned.T

    def with_data(self, data):
        return csc_like(self, self.turned.with_data(data))

    def tocsr(self):
        return self.turned.tocsc().turned

    def tocsc(self):
        return self

    def tocoo(self):
        return self.turned.tocoo().transpose()

    def transpose(self):
        return self.turned


@dataclass(frozen=True)
class Coo(Sparse):
    """A row and a column for each element; those of equal positions add up."""

    data: np.ndarray
    row: np.ndarray
    col: np.ndarray
    rows: int
    columns: int

    python, shown, format = scipy.sparse.coo_array, ("data", "row", "col", "shape"), "coo"

    @property
    def shape(self):
        return (self.rows, self.columns)

    @property
    def coords(self):
        return (self.row, self.col)

    @classmethod
    def of_python(cls, value):
        return cls(value.data, value.row, value.col, int(value.shape[0]), int(value.shape[1]))

    def to_python(self):
        return self if self.row is None else made(self.python, (self.data, self.row, self.col), self.shape)

    def with_data(self, data):
        return coo_like(self, data, self.row, self.col, self.rows, self.columns)

    def tocsr(self):
        return assembled(self, self.data, self.row, self.col, self.rows, self.columns)

    def tocsc(self):
        return csc_like(self, self.transpose().tocsr())

    def tocoo(self):
        return self

    def transpose(self):
        return coo_like(self, self.data, self.col, self.row, self.columns, self.rows)


class Matrices:
    """What SciPy's matrices do as `np.matrix` does."""

    is_matrix = True

    def __mul__(self, other):
        return self @ other if is_sparse(other) or static.rank(other) != 0 else scaled(self, other)

    def __rmul__(self, other):
        return other @ self if static.rank(other) != 0 else scaled(self, other)

    def multiply(self, other):
        return scaled(self, other)


@dataclass(frozen=True)
class CsrMatrix(Matrices, Csr):
    python = scipy.sparse.csr_matrix


@dataclass(frozen=True)
class CscMatrix(Matrices, Csc):
    python = scipy.sparse.csc_matrix


@dataclass(frozen=True)
class CooMatrix(Matrices, Coo):
    python = scipy.sparse.coo_matrix


def csr_like(like, data, indices, indptr, columns):
    """Rows of the family, arrays or matrices, that something is of."""
    return CsrMatrix(data, indices, indptr, columns) if like.is_matrix else Csr(data, indices, indptr, columns)


def csc_like(like, turned):
    return CscMatrix(turned) if like.is_matrix else Csc(turned)


def coo_like(like, data, row, col, rows, columns):
    return CooMatrix(data, row, col, rows, columns) if like.is_matrix else Coo(data, row, col, rows, columns)


def refuse_matrix(like, name):
    if like.is_matrix:
        static.refuse("U012", f"`{name}` of a sparse matrix gives an np.matrix, which is not supported",
                      "use sparse arrays, `csr_array(A)`, or `toarray`")  # fmt: skip


def assembled(like, data, row, col, rows, columns):
    """The rows of a matrix, from its elements in any order; those of equal positions are added up."""
    indptr, indices, slots = compressed(row, col, rows, columns)
    found = np.zeros(indices.shape[0], data.dtype)
    for k in range(data.shape[0]):
        found[slots[k]] += data[k]
    return csr_like(like, found, indices, indptr, columns)


def is_sparse(value):
    """Whether this is one of the sparse arrays, known when it is compiled."""
    return isinstance(value, (scipy.sparse.sparray, scipy.sparse.spmatrix))


def require_number(value):
    if is_sparse(value) or static.rank(value) != 0:
        static.refuse("U012", "sparse arrays are divided by numbers, and multiplied by numbers and dense arrays, here: "
                      "for others, work with `A.data`")  # fmt: skip
    return value


def scaled(matrix, factor):
    if not is_sparse(factor) and static.rank(as_array(factor)) > 0:
        return by_elements(matrix, as_array(factor))
    return matrix.with_data(matrix.data * require_number(factor))


def transposed(value):
    return value if is_sparse(value) or static.rank(value) == 1 else value.T


def times(matrix, other):
    """The product with a sparse array, a vector or a dense matrix."""
    if is_sparse(other):
        return sparse_product(matrix, other.tocsr())
    other = as_array(other)
    if static.rank(other) == 0:
        raise ValueError("Scalar operands are not allowed, use '*' instead")
    if other.shape[0] != matrix.columns:
        raise ValueError(MISMATCH.format(matrix.columns, other.shape[0], "1?" if static.rank(other) == 1 else "m"))
    return by_dense(matrix, other)


def sparse_product(matrix, other):
    """Row by row; an element is there where any product belongs, even if their sum is zero."""
    if matrix.columns != other.shape[0]:
        raise ValueError(MISMATCH.format(matrix.columns, other.shape[0], "m"))
    left, right, row, col = pairs(matrix.indptr, matrix.indices, other.indptr, other.indices)
    return assembled(matrix, matrix.data[left] * other.data[right], row, col, matrix.shape[0], other.columns)


def added(matrix, other):
    """The sum with another sparse array, or with a dense one; an element is there where either has one."""
    if not is_sparse(other):
        if static.rank(other) == 0:
            if other == 0:
                return matrix
            raise NotImplementedError(SCALAR)
        refuse_matrix(matrix, "+")
        return matrix.toarray() + other
    if matrix.shape != other.shape:
        raise ValueError("inconsistent shapes")
    first, second, data = matrix.tocoo(), other.tocoo(), np.concatenate((matrix.data, other.data))
    row, col = np.concatenate((first.row, second.row)), np.concatenate((first.col, second.col))
    return assembled(matrix, data, row, col, first.rows, first.columns)
