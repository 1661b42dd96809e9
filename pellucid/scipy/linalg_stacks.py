"""Functions of `scipy.linalg` for each matrix of a stack, as SciPy's take them.

    solve(a, b)    ->    for f64[k, n, n] and f64[k, n, m] an array of the k solutions; stacks broadcast together

A right side of one dimension is a vector, and one of more a stack of matrices.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.derivatives import adjoint
from ..numpy.elementary import operand
from ..numpy.linear_algebra import complex_word
from ..numpy.stacks import in_floats, matrices, over_stacks
from . import linalg, matrix_functions


def solved(function, a, b):
    """Of one matrix and one right side, over stacks of both."""
    a, b = matrices(a), operand(b)
    own = 1 if static.rank(b) == 1 else 2
    word = static.of_functions(static.strict_common(a, b))
    return over_stacks(function, [(word, b.shape[-own:])], (a, 2), (b, own))


def solve(
    a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False
):
    return solved(
        lambda m, r: linalg.solve(m, r, lower, False, False, check_finite, assume_a, transposed), a, b,
    )  # fmt: skip


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    return solved(
        lambda m, r: linalg.solve_triangular(m, r, trans, lower, unit_diagonal, False, check_finite), a, b,
    )  # fmt: skip


def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    a = matrices(a)
    one = lambda m: linalg.inv(m, False, check_finite, assume_a=assume_a, lower=lower)  # noqa: E731
    return over_stacks(one, [(in_floats(a), a.shape[-2:])], (a, 2))


def det(a, overwrite_a=False, check_finite=True):
    a = matrices(a)
    return over_stacks(lambda m: linalg.det(m, False, check_finite), [(in_floats(a), ())], (a, 2))


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    a = matrices(a)
    one = lambda m: linalg.cholesky(m, lower, False, check_finite)  # noqa: E731
    return over_stacks(one, [(in_floats(a), a.shape[-2:])], (a, 2))


def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    a = matrices(a)
    results = [(in_floats(a), (a.shape[-1], a.shape[-2]))]
    one = lambda m: linalg.pinv(  # noqa: E731
        m, atol=atol, rtol=rtol, return_rank=return_rank, check_finite=check_finite,
    )  # fmt: skip
    return over_stacks(one, [*results, ("i64", ())] if return_rank else results, (a, 2))


def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
    """The pseudo-inverse of a matrix that is its own adjoint, by its eigenvalues."""
    a = matrices(a)

    def one(m):
        w, v = linalg.eigh(m, lower=lower, check_finite=check_finite)
        size = op.absolute(w)
        relative = w.shape[0] * static.limits(static.element(w)).eps if rtol is None else rtol
        counts = size > (0.0 if atol is None else atol) + relative * op.max(size)
        found = (v * op.where(counts, 1.0 / op.where(counts, w, 1.0), 0.0)) @ adjoint(v)
        return (found, op.sum(counts)) if return_rank else found

    results = [(in_floats(a), a.shape[-2:])]
    return over_stacks(one, [*results, ("i64", ())] if return_rank else results, (a, 2))


def svdvals(a, overwrite_a=False, check_finite=True):
    a = matrices(a)
    word = static.real_word(in_floats(a))
    return over_stacks(
        lambda m: linalg.svdvals(m, False, check_finite), [(word, (min(a.shape[-2], a.shape[-1]),))], (a, 2)
    )


def eigh(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):  # fmt: skip
    a = matrices(a)
    is_stack = static.rank(a) > 2 or (b is not None and static.rank(matrices(b)) > 2)
    if is_stack and subset_by_index is not None:
        static.refuse("U012", "scipy.linalg.eigh of stacks has no `subset_by_index=` here: take a part of the results")

    def one(m, other=None):
        return linalg.eigh(
            m, other, lower=lower, eigvals_only=eigvals_only, type=type, check_finite=check_finite,
            subset_by_index=subset_by_index, subset_by_value=subset_by_value,
        )  # fmt: skip

    word = in_floats(a) if b is None else static.of_functions(static.strict_common(a, operand(b)))
    values = (static.real_word(word), a.shape[-1:])
    results = [values] if eigvals_only else [values, (word, a.shape[-2:])]
    return over_stacks(one, results, (a, 2)) if b is None else over_stacks(one, results, (a, 2), (matrices(b), 2))


def eigvalsh(
    a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
    subset_by_value=None, driver=None,
):  # fmt: skip
    return eigh(
        a, b, lower=lower, eigvals_only=True, type=type, check_finite=check_finite, subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
    )  # fmt: skip


# --- factors and what is solved by them ------------------------------------------------------------------------------


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """(the triangles, `lower`): of a stack, too, one flag for all."""
    a = matrices(a)
    one = lambda m: linalg.cho_factor(m, lower, False, check_finite)[0]  # noqa: E731
    return over_stacks(one, [(in_floats(a), a.shape[-2:])], (a, 2)), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    return solved(lambda m, r: linalg.cho_solve((m, lower), r, False, check_finite), c, b)


def lu_factor(a, overwrite_a=False, check_finite=True):
    a = matrices(a)
    one = lambda m: linalg.lu_factor(m, False, check_finite)  # noqa: E731
    return over_stacks(one, [(in_floats(a), a.shape[-2:]), ("i32", a.shape[-1:])], (a, 2))


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factors, pivots = lu_and_piv
    factors, pivots, b = matrices(factors), operand(pivots), operand(b)
    own = 1 if static.rank(b) == 1 else 2
    word = static.of_functions(static.strict_common(factors, b))
    one = lambda m, order, r: linalg.lu_solve((m, order), r, trans, False, check_finite)  # noqa: E731
    return over_stacks(one, [(word, b.shape[-own:])], (factors, 2), (pivots, 1), (b, own))


def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    a = matrices(a)
    word, m, n = in_floats(a), a.shape[-2], a.shape[-1]
    k = min(m, n)
    results = [(word, (m, k)), (word, (k, n))]
    if not permute_l:
        results = [("i32", (m,)) if p_indices else (static.real_word(word), (m, m)), *results]
    return over_stacks(lambda one: linalg.lu(one, permute_l, False, check_finite, p_indices), results, (a, 2))


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """In the mode "r" of one matrix (r,), and of a stack the array of all r."""
    a = matrices(a)
    if static.rank(a) == 2:
        return linalg.qr(a, False, lwork, mode, pivoting, check_finite)
    word, m, n = in_floats(a), a.shape[-2], a.shape[-1]
    if mode == "r":
        return over_stacks(lambda one: linalg.qr(one, mode="r", check_finite=check_finite)[0], [(word, (m, n))], (a, 2))
    k = min(m, n) if mode == "economic" else m
    one = lambda part: linalg.qr(part, False, lwork, mode, pivoting, check_finite)  # noqa: E731
    return over_stacks(one, [(word, (m, k)), (word, (k, n))], (a, 2))


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    a = matrices(a)
    if not compute_uv:
        return svdvals(a, False, check_finite)
    word, m, n = in_floats(a), a.shape[-2], a.shape[-1]
    k = min(m, n)
    rows, columns = (m, n) if full_matrices else (k, k)
    results = [(word, (m, rows)), (static.real_word(word), (k,)), (word, (columns, n))]
    return over_stacks(lambda one: linalg.svd(one, full_matrices, True, False, check_finite), results, (a, 2))


def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    """As of one matrix; the sums of squares of a stack have an axis for the right sides, of a vector of length 1."""
    a, b = matrices(a), operand(b)
    own = 1 if static.rank(b) == 1 else 2
    if static.rank(a) == 2 and static.rank(b) <= 2:
        return linalg.lstsq(a, b, cond, False, False, check_finite, lapack_driver)
    word, m, n = static.of_functions(static.strict_common(a, b)), a.shape[-2], a.shape[-1]
    sides = () if own == 1 else (b.shape[-1],)
    left = (b.shape[-1] if own == 2 else 1) if m > n else 0
    real = static.real_word(word)

    def one(part, side):
        x, sums, rank, s = linalg.lstsq(part, side, cond, False, False, check_finite, lapack_driver)
        if sums.shape[0] != left:
            raise ValueError("the matrices of a stack have ranks that differ: take np.linalg.lstsq of each")
        return x, sums, op.cast(rank, dtype="i64"), s

    results = [(word, (n, *sides)), (real, (left,)), ("i64", ()), (real, (min(m, n),))]
    return over_stacks(one, results, (a, 2), (b, own))


def eig(
    a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True,
    homogeneous_eigvals=False,
):  # fmt: skip
    a = matrices(a)

    def one(m, other=None):
        return linalg.eig(m, other, left, right, check_finite=check_finite, homogeneous_eigvals=homogeneous_eigvals)

    word = complex_word(a)
    vectors = [(word, a.shape[-2:])]
    results = [(word, a.shape[-1:]), *(vectors if left else []), *(vectors if right else [])]
    return over_stacks(one, results, (a, 2)) if b is None else over_stacks(one, results, (a, 2), (matrices(b), 2))


# --- functions of matrices -------------------------------------------------------------------------------------------


def sqrtm(A, disp=None, blocksize=None):
    a = matrices(A)
    return over_stacks(matrix_functions.sqrtm, [(in_floats(a), a.shape[-2:])], (a, 2))


def logm(A, disp=None):
    a = matrices(A)
    return over_stacks(matrix_functions.logm, [(in_floats(a), a.shape[-2:])], (a, 2))
