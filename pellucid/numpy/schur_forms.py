"""Square roots and logarithms of matrices by way of the triangle t of a = u t u^H.

    root_of_triangle(t)       x with x x = t, a column at a time
    principal_logarithm(a)    roots until t is near one, then Pade's approximant of log(1 + x), then doublings

Sources: A. Bjorck and S. Hammarling, A Schur method for the square root of a matrix (1983); N. Higham, Functions of
Matrices (2008), chapters 6 and 11.
"""

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from .derivatives import adjoint
from .manipulation import diagonal, triu

# Nodes and weights of Gauss and Legendre on (0, 1): the approximant of degree 7 of log(1 + x) is their sum of
# w x / (1 + p x).
POINTS = (
    0.0254460438286207, 0.12923440720030277, 0.2970774243113014, 0.5, 0.7029225756886985, 0.8707655927996972,
    0.9745539561713793,
)  # fmt: skip
WEIGHTS = (
    0.06474248308443487, 0.13985269574463843, 0.19091502525255935, 0.20897959183673465, 0.19091502525255935,
    0.13985269574463843, 0.06474248308443487,
)  # fmt: skip


def largest_column_sum(a):
    return op.max(op.sum(op.absolute(a), axis=0)) if a.shape[0] > 0 else 0.0


def root_of_triangle(t):
    n = t.shape[0]
    x = op.zeros(shape=(n, n), dtype=static.element(t))
    for j in range(n):
        x[j, j] = op.sqrt(t[j, j])
        for i in range(j - 1, -1, -1):
            above = t[i, j] - op.sum(x[i, i + 1 : j] * x[i + 1 : j, j])
            below = x[i, i] + x[j, j]
            x[i, j] = above if below == 0.0 and above == 0.0 else above / below
    return x


def principal_logarithm(a):
    """Of a complex matrix."""
    t, u = op.schur_of_complex(a)
    n = t.shape[0]
    one = op.eye(shape=(n, n), dtype=static.element(t))
    exact = op.log(diagonal(t))
    doublings = 0
    while largest_column_sum(t - one) > 0.25 and doublings < 100:
        t = root_of_triangle(t)
        doublings += 1
    near = t - one
    found = op.zeros(shape=(n, n), dtype=static.element(t))
    for point, weight in zip(POINTS, WEIGHTS):
        found = found + weight * op.solve_triangular(one + point * near, near, lower=False)
    found = triu(found * 2.0**doublings, 1) + op.where(op.real(one) == 1.0, exact, 0.0)
    return op.matmul(op.matmul(u, found), adjoint(u))


def logarithm(a):
    """Of a complex matrix, with its derivatives."""
    return op.matrix_logarithm(principal_logarithm(op.stop_gradient(a)), a)
