"""Factors, inverses and determinants of matrices, on top of what LAPACK computes."""

from typing import Any

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .creation import arange, eye
from .derivatives import adjoint, eigenvectors
from .elementary import operand
from .manipulation import diagonal, ravel, total

# The named tuples that NumPy gives.
EighResult: Any = type(numpy.linalg.eigh(numpy.eye(1)))
QRResult: Any = type(numpy.linalg.qr(numpy.eye(1)))
SVDResult: Any = type(numpy.linalg.svd(numpy.eye(1)))
EigResult: Any = type(numpy.linalg.eig(numpy.eye(1)))
SlogdetResult: Any = type(numpy.linalg.slogdet(numpy.eye(1)))


def cholesky(a, /, *, upper=False):
    a = operand(a)
    if upper:
        return adjoint(op.cholesky(adjoint(a)))
    return op.cholesky(a)


def inv(a):
    a = operand(a)
    return op.solve(a, eye(a.shape[0], dtype=in_floats(a)))


def in_floats(a):
    word = static.element(a)
    return word if word in ("f32", "c64", "c128") else "f64"


def slogdet(a):
    """The sign of the determinant, of complex numbers its phase, and the logarithm of its size, by triangles."""
    return by_triangles(*op.lu_factor(one_matrix(a)))


def one_matrix(a):
    a = operand(a)
    if static.rank(a) != 2:
        fault = f"np.linalg.det and np.linalg.slogdet take one matrix here, not an array of {static.rank(a)} dimensions"
        static.refuse("S002", fault, "take the matrices of a stack in a loop")
    return a


def by_triangles(lu, pivots):
    on_diagonal = diagonal(lu)
    turns = op.sum(pivots != arange(len(pivots)))
    if not static.is_complex(lu):
        turns = turns + op.sum(on_diagonal < 0.0)
    is_singular = op.any(on_diagonal == 0.0)
    sign = op.cast(op.where(is_singular, 0.0, op.where(turns % 2 == 0, 1.0, -1.0)), dtype=static.element(lu))
    size = op.cast(0.0, dtype=static.real_word(static.element(lu)))
    for i in range(len(on_diagonal)):
        part = op.absolute(on_diagonal[i])
        size = size + op.log(part)
        if static.is_complex(lu) and part != 0.0:
            sign = sign * op.complex_of(op.real(on_diagonal[i]) / part, op.imag(on_diagonal[i]) / part)
    return SlogdetResult(sign, size)


def det(a):
    """By triangles; where a pivot is tiny these have no derivatives that could be used, and the cofactors are those."""
    a = one_matrix(a)
    pivots = op.absolute(diagonal(op.lu_factor(op.stop_gradient(a))[0]))
    if len(pivots) == 0 or op.min(pivots) > 1e-8 * op.max(pivots):
        return of_regular(a)
    return op.determinant(of_regular(op.stop_gradient(a)), a)


def of_regular(a):
    sign, size = slogdet(a)
    return sign * op.exp(size)


def qr(a, mode="reduced"):
    if mode != "reduced":
        static.refuse("U012", f"np.linalg.qr in the mode {mode!r} is not supported", "use 'reduced'")
    q, r = op.qr(operand(a))
    return QRResult(q, r)


def finite(a):
    """The matrix, which LAPACK must not be given where it is not finite."""
    if not op.all(op.isfinite(a)):
        raise numpy.linalg.LinAlgError("Array must not contain infs or NaNs")
    return a


def eigvals(a):
    """Complex always: NumPy gives real numbers where a real matrix leaves no imaginary part."""
    a = operand(a)
    if static.is_complex(a):
        return op.eigvals_of_complex(finite(a))
    x, y = op.parts_of_eigvals(finite(a))
    return op.complex_of(x, y)


def eig(a):
    a = operand(a)
    if static.is_complex(a):
        w, v = op.eig_of_complex(finite(a))
        return EigResult(w, v)
    x, y, packed = op.parts_of_eig(finite(a))
    return EigResult(op.complex_of(x, y), eigenvectors(y, packed))


def eigh(a, UPLO="L"):
    a = operand(a)
    w, v = op.eigh(a, UPLO=side(UPLO))
    return EighResult(w, v)


def eigvalsh(a, UPLO="L"):
    a = operand(a)
    return op.eigvalsh(a, UPLO=side(UPLO))


def side(UPLO):
    """The triangle that is read."""
    if UPLO not in ("L", "l", "U", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO.upper()


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        static.refuse("U012", "np.linalg.svd(hermitian=True) is not supported", "use np.linalg.eigh")
    if compute_uv and full_matrices:
        static.refuse("U012", "np.linalg.svd gives no full matrices here", "pass full_matrices=False")
    if not compute_uv:
        return op.svdvals(operand(a))
    u, s, vt = op.svd(operand(a))
    return SVDResult(u, s, vt)


def svdvals(x, /):
    return svd(x, compute_uv=False)


def tensorinv(a, ind=2):
    """The inverse of the matrix that an array is when its first `ind` axes are rows."""
    a = operand(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    rows, columns = a.shape[:ind], a.shape[ind:]
    inverse = inv(op.reshape(a, shape=(total(columns), total(a.shape) // total(columns))))
    return op.reshape(inverse, shape=(*columns, *rows))


def tensorsolve(a, b, axes=None):
    """The x for which a x = b, the sum taken over all axes of x."""
    a, b = operand(a), operand(b)
    if axes is not None:
        places = tuple([static.axis_of(k, static.rank(a)) for k in axes])
        kept = tuple([k for k in range(static.rank(a)) if k not in places])
        a = op.transpose(a, axes=(*kept, *places))
    columns = a.shape[static.rank(b) :]
    if total(columns) ** 2 != total(a.shape):
        raise numpy.linalg.LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    flat = op.reshape(a, shape=(total(columns), total(columns)))
    return op.reshape(op.solve(flat, ravel(b)), shape=columns)
