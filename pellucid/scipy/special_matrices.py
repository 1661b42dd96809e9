"""Matrices that few numbers say: Toeplitz, Hankel, circulant, blocks, bands; and systems with them.

    toeplitz(c, r)[i, j]       c[i - j] on and below the diagonal, r[j - i] above it
    solve_banded((1, 1), ab, b)    with a[i, j] = ab[1 + i - j, j], by factors within the band

Source: G. Golub and C. Van Loan, Matrix Computations (2013), chapter 4.
"""

from math import pi

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.bits import bitwise_count
from ..numpy.creation import eye
from ..numpy.elementary import cast, clip, conjugated, in_dtype, operand
from ..numpy.fourier import fft, ifft
from ..numpy.joining import concatenate
from ..numpy.linear_algebra import in_floats
from ..numpy.manipulation import ravel
from .linalg import finite, matrix


def places(m, n):
    """The rows and the columns of the elements of a matrix."""
    rows = op.arange(0, m, 1, shape=(m,), dtype="i64")
    columns = op.arange(0, n, 1, shape=(n,), dtype="i64")
    return rows[:, None], columns[None, :]


def toeplitz(c, r=None):
    """c is the first column, r the first row but for its first element; conj(c) where r is missing."""
    c = ravel(operand(c))
    if r is None:
        r = op.conjugate(c) if static.is_complex(c) else c
    r = ravel(operand(r))
    word = static.strict_common(c, r)
    c, r = in_dtype(c, word), in_dtype(r, word)
    rows, columns = places(c.shape[0], r.shape[0])
    below, above = op.maximum(rows - columns, 0), op.maximum(columns - rows, 0)
    return op.where(rows >= columns, c[below], r[above])


def hankel(c, r=None):
    """c is the first column, r the last row but for its first element; zeros where it is missing."""
    c = ravel(operand(c))
    r = op.zeros(shape=c.shape, dtype=static.element(c)) if r is None else ravel(operand(r))
    word = static.strict_common(c, r)
    c, r = in_dtype(c, word), in_dtype(r, word)
    rows, columns = places(c.shape[0], r.shape[0])
    place = rows + columns
    last = c.shape[0] - 1
    return op.where(place <= last, c[op.minimum(place, last)], r[op.maximum(place - last, 0)])


def circulant(c):
    """Each column is the one before, moved down by one place."""
    c = ravel(operand(c))
    rows, columns = places(c.shape[0], c.shape[0])
    return c[(rows - columns) % max(c.shape[0], 1)]


def companion(a):
    """The matrix with the characteristic polynomial a[0] x^n + ... + a[n]."""
    a = operand(a)
    n = a.shape[0] - 1
    if n < 1:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if a[0] == 0:
        raise ValueError("The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero.")
    a = in_dtype(a, in_floats(a))
    out = eye(n, k=-1, dtype=static.element(a))
    out[0] = -a[1:] / a[0]
    return out


def leslie(f, s):
    """Births in the first row, those who live on below the diagonal."""
    f, s = operand(f), operand(s)
    if f.shape[0] != s.shape[0] + 1:
        raise ValueError("Incorrect lengths for f and s; the length of `s` must be one less than that of `f`.")
    word = static.strict_common(f, s)
    n = f.shape[0]
    out = op.zeros(shape=(n, n), dtype=word)
    out[0] = f
    for k in range(n - 1):
        out[k + 1, k] = s[k]
    return out


def block_diag(*arrs):
    """The matrices along the diagonal; a vector is a row."""
    parts = [in_rows(operand(a)) for a in arrs]
    rows = columns = 0
    for part in parts:
        rows, columns = rows + part.shape[0], columns + part.shape[1]
    out = op.zeros(shape=(rows, columns), dtype=static.strict_common(*parts))
    i = j = 0
    for part in parts:
        m, n = part.shape
        out[i : i + m, j : j + n] = part
        i, j = i + m, j + n
    return out


def in_rows(a):
    if static.rank(a) > 2:
        raise ValueError("arguments in the following positions have dimension greater than 2")
    return op.reshape(a, shape=(1, 1)) if static.rank(a) == 0 else a[None, :] if static.rank(a) == 1 else a


def hilbert(n):
    rows, columns = places(n, n)
    return 1.0 / (rows + columns + 1)


def dft(n, scale=None):
    """The matrix of the discrete Fourier transform; `scale` is None, "sqrtn" or "n"."""
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    rows, columns = places(n, n)
    angle = (-2.0 * pi / n) * (rows * columns % n)
    out = op.complex_of(op.cos(angle), op.sin(angle))
    return out if scale is None else out / (numpy.sqrt(n) if scale == "sqrtn" else n)


def khatri_rao(a, b):
    """Kronecker products of the columns."""
    a, b = operand(a), operand(b)
    if static.rank(a) != 2 or static.rank(b) != 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    return op.reshape(a[:, None, :] * b[None, :, :], shape=(a.shape[0] * b.shape[0], a.shape[1]))


def convolution_matrix(a, n, mode="full"):
    """The matrix with which a vector of n elements is convolved with `a`."""
    a = operand(a)
    m = a.shape[0]
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    if mode not in ("full", "same", "valid"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    rows, columns = places(m + n - 1, n)
    place = rows - columns
    inside = op.logical_and(place >= 0, place < m)
    whole = op.where(inside, a[clip(place, 0, m - 1)], op.cast(0, dtype=static.element(a)))
    if mode == "full":
        return whole
    first = (min(n, m) - 1) // 2 if mode == "same" else min(n, m) - 1
    last = first + max(n, m) if mode == "same" else max(n, m)
    return whole[first:last]


def hadamard(n, dtype=int):
    """Of ones and minus ones, with orthogonal rows; n is a power of 2."""
    if n < 1 or n & (n - 1):
        raise ValueError("n must be an positive integer, and n must be a power of 2")
    rows, columns = places(n, n)
    odd = op.cast(bitwise_count(rows & columns), dtype="i64") & 1
    return cast(1 - 2 * odd, dtype)


def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0):
    """The x with circulant(c) x = b, by transforms."""
    if singular != "raise" or caxis != -1 or baxis != 0 or outaxis != 0:
        static.refuse("U012", "scipy.linalg.solve_circulant takes `c` and `b` here, and no other arguments")
    c, b = operand(c), operand(b)
    if static.rank(c) != 1:
        static.refuse("S002", "scipy.linalg.solve_circulant takes one vector `c` here")
    if c.shape[0] != b.shape[0]:
        raise ValueError(f"Shapes of c ({c.shape[0]},) and b {b.shape} are incompatible")
    factors = fft(c)
    size = op.absolute(factors)
    near = op.max(size) * c.shape[0] * static.limits(static.element(size)).eps if tol is None else tol
    if op.any(size <= near):
        raise numpy.linalg.LinAlgError("near singular circulant matrix.")
    found = fft(b, axis=0)
    x = ifft(found / factors if static.rank(b) == 1 else found / factors[:, None], axis=0)
    return x if static.is_complex(c) or static.is_complex(b) else op.real(x)


def solve_toeplitz(c_or_cr, b, check_finite=True):
    """The x with toeplitz(c, r) x = b."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    a = toeplitz(finite(c, check_finite), r)
    b = finite(b, check_finite)
    word = static.of_functions(static.strict_common(a, b))
    return op.solve(in_dtype(a, word), in_dtype(b, word))


# --- bands -----------------------------------------------------------------------------------------------------------


def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """The x with a x = b, where a[i, j] = ab[u + i - j, j] within the l diagonals below and the u above."""
    below, above = l_and_u
    ab, b = matrix(ab, check_finite), finite(b, check_finite)
    if ab.shape[1] != b.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    if below + above + 1 != ab.shape[0]:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({below + above + 1}) does not equal "
            f"ab.shape[0] ({ab.shape[0]})"
        )
    word = static.of_functions(static.strict_common(ab, b))
    ab, b = in_dtype(ab, word), in_dtype(b, word)
    return banded(below, above, ab, b)


def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    """The x with a x = b of a matrix that is its own adjoint: `ab` has one of its sides, the diagonal in its last row,
    or where it is the `lower` one in its first."""
    ab, b = matrix(ab, check_finite), finite(b, check_finite)
    if ab.shape[1] != b.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    word = static.of_functions(static.strict_common(ab, b))
    ab, b = in_dtype(ab, word), in_dtype(b, word)
    count, n = ab.shape
    whole = op.zeros(shape=(2 * count - 1, n), dtype=word)
    for k in range(count):
        if lower:
            whole[count - 1 + k, : n - k] = ab[k, : n - k]
            whole[count - 1 - k, k:] = conjugated(ab[k, : n - k])
        else:
            whole[count - 1 - k, k:] = ab[count - 1 - k, k:]
            whole[count - 1 + k, : n - k] = conjugated(ab[count - 1 - k, k:])
    return banded(count - 1, count - 1, whole, b)


def banded(below, above, ab, b):
    """The diagonals as LAPACK takes them: with memory above them for what exchanges of rows bring."""
    word = static.element(ab)
    room = op.zeros(shape=(below, ab.shape[1]), dtype=word)
    return op.solve_banded(op.zeros(shape=(below,), dtype=word), concatenate((room, ab), axis=0), b)
