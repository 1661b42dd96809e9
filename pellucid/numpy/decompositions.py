"""Orthogonal factors and singular values of matrices, in all the forms that NumPy gives them in.

    np.linalg.svd(a)                    ->    svd_full(a): squares u and vt
    np.linalg.qr(a, mode="complete")    ->    qr_complete(a): a square q
"""

from typing import Any

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .derivatives import adjoint
from .sorting import argsort
from .stacks import in_floats, matrices, over_stacks, squares

# The named tuples that NumPy gives.
QRResult: Any = type(numpy.linalg.qr(numpy.eye(1)))
SVDResult: Any = type(numpy.linalg.svd(numpy.eye(1)))


def qr(a, mode="reduced"):
    """Orthonormal columns and an upper triangle; in the mode "r" the triangle alone, in "raw" what LAPACK makes."""
    a = matrices(a)
    word, m, n = in_floats(a), a.shape[-2], a.shape[-1]
    k = min(m, n)
    if mode == "reduced":
        return QRResult(*over_stacks(op.qr, [(word, (m, k)), (word, (k, n))], (a, 2)))
    if mode == "complete":
        return QRResult(*over_stacks(op.qr_complete, [(word, (m, m)), (word, (m, n))], (a, 2)))
    if mode == "r":
        return over_stacks(triangle, [(word, (k, n))], (a, 2))
    if mode != "raw":
        raise ValueError(f"Unrecognized mode '{mode}'")
    return over_stacks(reflectors, [(word, (n, m)), (word, (k,))], (a, 2))


def triangle(a):
    return op.qr(a)[1]


def reflectors(a):
    h, tau = op.qr_raw(a)
    return op.transpose(h, axes=(1, 0)), tau


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """u, s and vt with u @ diag(s) @ vt == a, s descending; u and vt are squares with `full_matrices`."""
    if not compute_uv:
        return sizes_of_eigenvalues(a) if hermitian else svdvals(a)
    a = squares(a) if hermitian else matrices(a)
    word, m, n = in_floats(a), a.shape[-2], a.shape[-1]
    k = min(m, n)
    sizes = (static.real_word(word), (k,))
    if hermitian:
        return SVDResult(*over_stacks(by_eigenvectors, [(word, (m, m)), sizes, (word, (n, n))], (a, 2)))
    if full_matrices:
        return SVDResult(*over_stacks(op.svd_full, [(word, (m, m)), sizes, (word, (n, n))], (a, 2)))
    return SVDResult(*over_stacks(op.svd, [(word, (m, k)), sizes, (word, (k, n))], (a, 2)))


def svdvals(x, /):
    a = matrices(x)
    made = [(static.real_word(in_floats(a)), (min(a.shape[-2], a.shape[-1]),))]
    return over_stacks(op.svdvals, made, (a, 2))


def by_eigenvectors(a):
    """The singular values of a matrix that is its own adjoint: the sizes of its eigenvalues."""
    w, v = op.eigh(a, UPLO="L")
    order = argsort(op.absolute(w))[::-1]
    u, signs = v[:, order], op.where(w[order] < 0.0, -1.0, op.where(w[order] > 0.0, 1.0, 0.0))
    return u, op.absolute(w)[order], adjoint(u * op.cast(signs, dtype=static.element(w))[None, :])


def sizes_of_eigenvalues(a):
    """The singular values of matrices that are their own adjoints."""
    a = squares(a)
    made = [(static.real_word(in_floats(a)), a.shape[-1:])]
    return over_stacks(sizes_of_one, made, (a, 2))


def sizes_of_one(a):
    sizes = op.absolute(op.eigvalsh(a, UPLO="L"))
    return sizes[argsort(sizes)][::-1]
