"""`scipy.sparse.linalg.spsolve` and `splu`: solutions by triangular factors, with the derivatives of the equation.

    A x = b     ->     x_dot = A^-1 (b_dot - A_dot x);     A^T s = x_bar,  b_bar = s,  data_bar[k] = -s[i] x[j]

The factors are made once and serve for all of these: a derivative costs two triangular solutions more.
"""

from dataclasses import dataclass

import numpy as np

from ..compiler.ops import static
from ..custom import custom_vjp
from ..lax import stop_gradient
from ..numpy.manipulation import as_array
from .sparse_arrays import Csr, is_sparse, times
from .sparse_factors import Factors, factors_of, solved
from .special import of_floats


def by_factors(is_transposed, data, indices, indptr, factors, b):
    """The solution with the matrix of these rows, or with its transpose."""
    return solved(factors, b, not is_transposed)


def forward(is_transposed, data, indices, indptr, factors, b):
    x = solution(is_transposed, data, indices, indptr, factors, b)
    return x, (data, indices, indptr, factors, x)


def backward(is_transposed, saved, x_bar):
    data, indices, indptr, factors, x = saved
    adjoint = solution(not is_transposed, data, indices, indptr, factors, x_bar)
    left, right = (x, adjoint) if is_transposed else (adjoint, x)
    return -outer_at(left, right, indices, indptr), None, None, None, adjoint


def tangent(is_transposed, primals, tangents):
    data, indices, indptr, factors, b = primals
    x = solution(is_transposed, data, indices, indptr, factors, b)
    change = applied(is_transposed, tangents[0], indices, indptr, x)
    return x, solution(is_transposed, data, indices, indptr, factors, tangents[4] - change)


solution = custom_vjp(by_factors, nondiff_argnums=(0,))
solution.defvjp(forward, backward)
solution.defjvp(tangent)


def applied(is_transposed, data, indices, indptr, x):
    """The product of a square matrix, or its transpose, with a vector or a dense matrix."""
    if not is_transposed:
        return times(Csr(data, indices, indptr, indptr.shape[0] - 1), x)
    found = np.zeros_like(x)
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            found[indices[k]] += data[k] * x[i]
    return found


def outer_at(left, right, indices, indptr):
    """The elements of left @ right.T where a matrix has elements."""
    found = np.zeros(indices.shape[0], left.dtype)
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            found[k] = np.sum(left[i] * right[indices[k]])
    return found


def spsolve(A, b, permc_spec=None, use_umfpack=True):
    """The x with A x = b, for a vector or the columns of a dense matrix; nan where A is singular."""
    if is_sparse(b):
        static.refuse("U012", "`spsolve` takes a dense right side here: `b.toarray()`")
    return splu(A).solved_as_scipy(of_floats(as_array(b)))


@dataclass(frozen=True)
class SuperLU:
    """A matrix with its factors; `is_turned`: these rows are the columns of the matrix."""

    rows: Csr
    factors: Factors
    is_turned: bool

    @property
    def shape(self):
        return self.rows.shape

    def solve(self, rhs, trans="N"):
        """With the matrix, or with its transpose where `trans` is "T"."""
        if self.factors.is_singular:
            raise RuntimeError("Factor is exactly singular")
        return self.either(of_floats(as_array(rhs)), trans != "N")

    def either(self, b, is_transposed):
        n = self.rows.indptr.shape[0] - 1
        if b.shape[0] != n:
            raise ValueError(f"matrix - rhs dimension mismatch (({n}, {n}) - {b.shape[0]})")
        word = np.result_type(self.rows.data.dtype, b.dtype)
        data = self.rows.data
        turned = self.is_turned != is_transposed
        return solution(turned, data, self.rows.indices, self.rows.indptr, self.factors, b.astype(word))

    def solved_as_scipy(self, b):
        """A matrix of one column gives a vector."""
        if static.rank(b) == 1:
            return self.either(b, False)
        if static.is_static(b.shape[1]) and b.shape[1] == 1:
            return self.either(b[:, 0], False)
        if b.shape[1] == 1:
            raise ValueError("spsolve gives a vector for a matrix of one column: pass the column, `b[:, 0]`")
        return self.either(b, False)


def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None):
    """The factors of a matrix, for solutions: `splu(A).solve(b)`."""
    turned = A.format == "csc"
    rows = A.turned if turned else A.tocsr()
    n = rows.indptr.shape[0] - 1
    if n != rows.columns:
        raise ValueError(f"matrix must be square (has shape {A.shape})")
    data = of_floats(rows.data)
    factors = factors_of(stop_gradient(data), rows.indices, rows.indptr)
    return SuperLU(Csr(data, rows.indices, rows.indptr, n), factors, turned)


def factorized(A):
    """The function that solves with A."""
    return splu(A).solve
