"""Bands of matrices that are their own adjoints: Cholesky's factor within the band, eigenvalues of the whole.

    cholesky_banded(ab)[u + i - j, j]   the upper factor, u rows above the diagonal      cho_solve_banded((c, False), b)
    eigh_tridiagonal(d, e), eig_banded(ab)    by the dense matrix that they say

Source: G. Golub and C. Van Loan, Matrix Computations (2013), sections 4.3 and 8.3.
"""

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.elementary import conjugated, in_dtype
from ..numpy.linear_algebra import in_floats
from .linalg import eigh, finite, matrix


def lower_band(ab, lower):
    """The diagonal and those below it, each from its first element on."""
    if lower:
        return ab
    count, n = ab.shape
    found = op.zeros(shape=ab.shape, dtype=static.element(ab))
    for k in range(count):
        found[k, : n - k] = conjugated(ab[count - 1 - k, k:])
    return found


def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True):
    """The factor in the form of `ab`: u with u^H u = a, or the `lower` l with l l^H = a."""
    ab = matrix(ab, check_finite)
    band = op.copy(lower_band(ab, lower))
    count, n = band.shape
    for j in range(n):
        if not op.real(band[0, j]) > 0:
            raise numpy.linalg.LinAlgError(f"{j + 1}-th leading minor not positive definite")
        root = op.sqrt(op.real(band[0, j]))
        reach = min(count, n - j)
        band[0, j] = root
        for k in range(1, reach):
            band[k, j] = band[k, j] / root
        for k in range(1, reach):
            for m in range(k, reach):
                band[m - k, j + k] -= band[m, j] * conjugated(band[k, j])
    if lower:
        return band
    found = op.copy(ab)
    for k in range(count):
        found[count - 1 - k, k:] = conjugated(band[k, : n - k])
    return found


def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True):
    """The x with a x = b by the factor of a within its band."""
    factor, lower = cb_and_lower
    factor, b = matrix(factor, check_finite), finite(b, check_finite)
    if factor.shape[1] != b.shape[0]:
        raise ValueError("shapes of cb and b are not compatible.")
    band = lower_band(factor, lower)
    count, n = band.shape
    x = op.copy(in_dtype(b, static.of_functions(static.strict_common(factor, b))))
    for j in range(n):
        x[j] = x[j] / band[0, j]
        for k in range(1, min(count, n - j)):
            x[j + k] -= band[k, j] * x[j]
    for j in range(n - 1, -1, -1):
        for k in range(1, min(count, n - j)):
            x[j] -= conjugated(band[k, j]) * x[j + k]
        x[j] = x[j] / band[0, j]
    return x


def of_band(ab, lower):
    """The lower triangle of the matrix that a band says."""
    band = lower_band(ab, lower)
    count, n = band.shape
    found = op.zeros(shape=(n, n), dtype=static.element(band))
    for k in range(count):
        for j in range(n - k):
            found[j + k, j] = band[k, j]
    return found


def chosen(select, select_range, w):
    """The first and the last eigenvalue that are asked for: all, by number, or of numbers in (low, high]."""
    if select in ("a", "all", 0):
        return 0, w.shape[0]
    low, high = select_range
    if select in ("i", "index", 2):
        return low, high + 1
    if select in ("v", "value", 1):
        return int(op.sum(w <= low)), int(op.sum(w <= high))
    raise ValueError("invalid argument for select")


def eig_banded(
    a_band, lower=False, eigvals_only=False, overwrite_a_band=False, select="a", select_range=None, max_ev=0,
    check_finite=True,
):  # fmt: skip
    """(eigenvalues, vectors) of a band; of `select` "i" those by number, of "v" those between two numbers."""
    dense = of_band(matrix(a_band, check_finite), lower)
    if eigvals_only:
        w = eigh(dense, eigvals_only=True)
        first, last = chosen(select, select_range, w)
        return w[first:last]
    w, v = eigh(dense)
    first, last = chosen(select, select_range, w)
    return w[first:last], v[:, first:last]


def eigvals_banded(a_band, lower=False, overwrite_a_band=False, select="a", select_range=None, check_finite=True):
    return eig_banded(a_band, lower, True, False, select, select_range, 0, check_finite)


def eigh_tridiagonal(
    d, e, eigvals_only=False, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"
):
    """Of the real symmetric matrix with `d` on its diagonal and `e` beside it."""
    d, e = in_dtype(finite(d, check_finite), in_floats(d)), in_dtype(finite(e, check_finite), in_floats(e))
    if d.shape[0] != e.shape[0] + 1:
        raise ValueError("d (%s) must have one more element than e (%s)" % (d.shape[0], e.shape[0]))  # noqa: UP031
    band = op.zeros(shape=(2, d.shape[0]), dtype=static.strict_common(d, e))
    band[0] = d
    band[1, : e.shape[0]] = e
    return eig_banded(band, True, eigvals_only, False, select, select_range, 0, check_finite)


def eigvalsh_tridiagonal(d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"):
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite)
