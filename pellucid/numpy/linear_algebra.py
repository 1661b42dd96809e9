"""Factors, inverses and determinants of matrices, on top of what LAPACK computes."""

from typing import Any

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..compiler.ops.routines import gufunc
from .creation import arange, eye
from .derivatives import adjoint, eigenvectors
from .elementary import operand
from .manipulation import diagonal, ravel, total
from .stacks import in_floats, over_stacks, squares

# The named tuples that NumPy gives.
EighResult: Any = type(numpy.linalg.eigh(numpy.eye(1)))
EigResult: Any = type(numpy.linalg.eig(numpy.eye(1)))
SlogdetResult: Any = type(numpy.linalg.slogdet(numpy.eye(1)))
MISMATCH = (gufunc("solve1", "(m,m),(m)->(m)"), gufunc("solve", "(m,m),(m,n)->(m,n)"))


def solve(a, b):
    """The x of `a @ x == b`; `b` is one vector where it has one axis, else columns, or a stack of those."""
    a, b = squares(a), operand(b)
    own = 1 if static.rank(b) == 1 else 2
    if static.rank(b) == 0:
        static.refuse("S002", "np.linalg.solve takes a vector or columns on the right, not a number")
    word = static.of_functions(static.strict_common(a, b))
    if static.rank(a) + static.rank(b) > 4 and a.shape[-1] != b.shape[-own]:
        raise ValueError(MISMATCH[own - 1].format(operand=1, axis=0, found=b.shape[-own], known=a.shape[-1]))
    return over_stacks(op.solve, [(word, b.shape[-own:])], (a, 2), (b, own))


def cholesky(a, /, *, upper=False):
    a = squares(a)
    if upper:
        return adjoint(cholesky(adjoint(a)))
    return over_stacks(op.cholesky, [(in_floats(a), a.shape[-2:])], (a, 2))


def inv(a):
    a = squares(a)
    return over_stacks(inverse, [(in_floats(a), a.shape[-2:])], (a, 2))


def inverse(a):
    return op.solve(a, eye(a.shape[0], dtype=in_floats(a)))


def slogdet(a):
    """The sign of the determinant, of complex numbers its phase, and the logarithm of its size, by triangles."""
    a = squares(a)
    word = in_floats(a)
    return SlogdetResult(*over_stacks(sign_and_size, [(word, ()), (static.real_word(word), ())], (a, 2)))


def sign_and_size(a):
    if static.is_complex(a):
        return by_triangles(*op.lu_factor(a))
    sign, size = by_triangles(*op.lu_factor(op.stop_gradient(a)))
    return sign, op.log_determinant(size, a)


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
    return sign, size


def det(a):
    a = squares(a)
    return over_stacks(determinant, [(in_floats(a), ())], (a, 2))


def determinant(a):
    """By triangles; where a pivot is tiny these have no derivatives that could be used, and the cofactors are those."""
    pivots = op.absolute(diagonal(op.lu_factor(op.stop_gradient(a))[0]))
    if len(pivots) == 0 or op.min(pivots) > 1e-8 * op.max(pivots):
        return of_regular(a)
    return op.determinant(of_regular(op.stop_gradient(a)), a)


def of_regular(a):
    sign, size = sign_and_size(a)
    return sign * op.exp(size)


def finite(a):
    """The matrices, which LAPACK must not be given where they are not finite."""
    if not op.all(op.isfinite(a)):
        raise numpy.linalg.LinAlgError("Array must not contain infs or NaNs")
    return a


def eigvals(a):
    """Complex always: NumPy gives real numbers where a real matrix leaves no imaginary part."""
    a = finite(squares(a))
    return over_stacks(eigenvalues, [(complex_word(a), a.shape[-1:])], (a, 2))


def complex_word(a):
    return static.common(op.cast(0.0, dtype=in_floats(a)), 1j)


def eigenvalues(a):
    if static.is_complex(a):
        return op.eigvals_of_complex(a)
    x, y = op.parts_of_eigvals(a)
    return op.complex_of(x, y)


def eig(a):
    a = finite(squares(a))
    word = complex_word(a)
    return EigResult(*over_stacks(eigenpairs, [(word, a.shape[-1:]), (word, a.shape[-2:])], (a, 2)))


def eigenpairs(a):
    if static.is_complex(a):
        return op.eig_of_complex(a)
    x, y, packed = op.parts_of_eig(a)
    return op.complex_of(x, y), eigenvectors(y, packed)


def eigh(a, UPLO="L"):
    a, uplo = squares(a), side(UPLO)
    word = in_floats(a)
    made = [(static.real_word(word), a.shape[-1:]), (word, a.shape[-2:])]
    return EighResult(*over_stacks(lambda one: op.eigh(one, UPLO=uplo), made, (a, 2)))


def eigvalsh(a, UPLO="L"):
    a, uplo = squares(a), side(UPLO)
    made = [(static.real_word(in_floats(a)), a.shape[-1:])]
    return over_stacks(lambda one: op.eigvalsh(one, UPLO=uplo), made, (a, 2))


def side(UPLO):
    """The triangle that is read."""
    if UPLO not in ("L", "l", "U", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO.upper()


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
