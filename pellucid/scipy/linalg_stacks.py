"""Functions of `scipy.linalg` for each matrix of a stack, as SciPy's take them.

    solve(a, b)    ->    for f64[k, n, n] and f64[k, n, m] an array of the k solutions; stacks broadcast together

A right side of one dimension is a vector, and one of more a stack of matrices.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.derivatives import adjoint
from ..numpy.elementary import operand
from ..numpy.stacks import in_floats, matrices, over_stacks
from . import linalg


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
