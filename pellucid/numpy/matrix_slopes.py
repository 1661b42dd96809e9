"""Derivatives of Sylvester's equation, of systems by bands or kept factors, logarithms of matrices, determinants.

    a x = b          a_bar = -(a^-T x_bar) x^T,  b_bar = a^-T x_bar
    log|det a|       a_bar = a^-T times the cotangent
    a x + x b = q    a^T y + y b^T = x_bar with a cotangent x_bar of x:  q_bar = y,  a_bar = -y x^T,  b_bar = -x^T y
    log(a)           in the direction a_dot what stands above in the logarithm of [[a, a_dot], [0, a]]

Source: N. Higham, Functions of Matrices (2008), sections 3.2 and 11.8.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .joining import block
from .manipulation import transposed
from .schur_forms import logarithm

# --- Sylvester's equation --------------------------------------------------------------------------------------------


def sylvester_whole(a, b, q, out, out_bar):
    return op.sylvester(transposed(a), transposed(b), out_bar)


def sylvester_left(a, b, q, out, out_bar):
    return -op.matmul(op.sylvester(transposed(a), transposed(b), out_bar), transposed(out))


def sylvester_right(a, b, q, out, out_bar):
    return -op.matmul(transposed(out), op.sylvester(transposed(a), transposed(b), out_bar))


# --- logarithms of determinants --------------------------------------------------------------------------------------


def log_determinant(value, a, out, out_bar):
    """The inverse, turned."""
    return out_bar * transposed(op.solve(a, op.eye(shape=a.shape, dtype=static.element(a))))


# --- solving by factors that are kept --------------------------------------------------------------------------------


def factors_of(a, f, pivots, f_bar, pivots_bar):
    """The slope of what stands for a matrix is that of the matrix."""
    return f_bar


def solve_by_factors(f, pivots, b, out, out_bar, transposed):
    """With x = a^-1 b: a_bar = -(a^-T x_bar) x^T; with x = a^-T b its transpose."""
    adjoint = op.solve_by_factors(f, pivots, out_bar, transposed=not transposed)
    left, right = (out, adjoint) if transposed else (adjoint, out)
    if static.rank(b) == 1:
        a_bar = -left[:, None] * right
    else:
        a_bar = -op.matmul(left, op.transpose(right, axes=(1, 0)))
    return a_bar


def right_side_by_factors(f, pivots, b, out, out_bar, transposed):
    return op.solve_by_factors(f, pivots, out_bar, transposed=not transposed)


# --- logarithms ------------------------------------------------------------------------------------------------------


def matrix_logarithm(value, a, out, out_bar):
    return derivative_of_logarithm(transposed(a), out_bar)


def derivative_of_logarithm(a, direction):
    """In a direction."""
    n = a.shape[0]
    both = logarithm(block([[a, direction], [op.zeros(shape=(n, n), dtype=static.element(a)), a]]))
    return both[:n, n:]


# --- bands -----------------------------------------------------------------------------------------------------------
# As `gbsv` takes them: a[i, j] is ab[l + u + i - j, j], l the length of `below`.


def band_right_side(below, ab, b, out, out_bar):
    above, turned = turned_band(below, ab)
    return op.solve_banded(above, turned, out_bar)


def band(below, ab, b, out, out_bar):
    """With a^T y = x_bar: a_bar = -y x^T, within the band."""
    y = band_right_side(below, ab, b, out, out_bar)
    rows, inside = places(below, ab)
    found = y[rows] * out if static.rank(b) == 1 else op.sum(y[rows] * out, axis=2)
    return op.where(inside, -found, 0.0)


def places(below, ab):
    """The row of the matrix that each place is of, and whether there is one."""
    r, n = ab.shape
    k, j = op.arange(0, r, 1, shape=(r,), dtype="i64")[:, None], op.arange(0, n, 1, shape=(n,), dtype="i64")
    lower = below.shape[0]
    rows = j + k - (r - 1 - lower)
    inside = op.logical_and(op.logical_and(rows >= 0, rows < n), k >= lower)
    return op.where(inside, rows, 0), inside


def turned_band(below, ab):
    """The transpose: a vector as long as it has diagonals below, and its band."""
    word, n = static.element(ab), ab.shape[1]
    count = ab.shape[0] - 1 - below.shape[0]  # of all diagonals but the middle one
    above = op.zeros(shape=(count - below.shape[0],), dtype=word)
    out = op.empty(shape=(count + above.shape[0] + 1, n), dtype=word)
    columns, inside = places(above, out)
    k = op.arange(0, out.shape[0], 1, shape=(out.shape[0],), dtype="i64")[:, None]
    return above, op.where(inside, ab[op.where(inside, 2 * count - k, 0), columns], op.cast(0.0, dtype=word))


def product_of_band(below, ab, x):
    above, turned = turned_band(below, ab)
    columns, _ = places(above, turned)
    return op.sum((turned if static.rank(x) == 1 else turned[:, :, None]) * x[columns], axis=0)
