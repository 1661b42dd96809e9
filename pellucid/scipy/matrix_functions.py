"""Functions of matrices: exponentials, logarithms, roots, Sylvester's equation, and what Schur's form is used for.

    expm(a)                  Pade's approximant of a / 2^s, squared s times
    sqrtm(a), logm(a)        by the triangle t of a = u t u^H; with x x = a, x_dot solves x x_dot + x_dot x = a_dot
    solve_sylvester(a, b, q) by the triangles of both

Sources: N. Higham, Functions of Matrices (2008), chapters 6, 10 and 11; N. Higham, The scaling and squaring method for
the matrix exponential revisited (2005); R. Bartels and G. Stewart, Solution of the matrix equation AX + XB = C (1972).
"""

from math import ceil, log2

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..custom import custom_jvp
from ..numpy.derivatives import adjoint
from ..numpy.elementary import conjugated, in_dtype, operand
from ..numpy.joining import block
from ..numpy.linear_algebra import in_floats
from ..numpy.manipulation import diagonal, transposed
from ..numpy.schur_forms import largest_column_sum, logarithm, root_of_triangle
from ..numpy.stacks import over_stacks
from .linalg import finite, square

# Coefficients of Pade's approximants of exp of degrees 3, 5, 7 and 9, of even and of odd powers, and the norms up to
# which each is right to the last digit; then the same for degree 13 (Higham 2005).
EVEN = (
    (120.0, 12.0, 0.0, 0.0, 0.0), (30240.0, 3360.0, 30.0, 0.0, 0.0), (17297280.0, 1995840.0, 25200.0, 56.0, 0.0),
    (17643225600.0, 2075673600.0, 30270240.0, 110880.0, 90.0),
)  # fmt: skip
ODD = (
    (60.0, 1.0, 0.0, 0.0, 0.0), (15120.0, 420.0, 1.0, 0.0, 0.0), (8648640.0, 277200.0, 1512.0, 1.0, 0.0),
    (8821612800.0, 302702400.0, 2162160.0, 3960.0, 1.0),
)  # fmt: skip
NORMS = (1.495585217958292e-2, 2.539398330063230e-1, 9.504178996162932e-1, 2.097847961257068)
OF_DEGREE_13 = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
LARGEST = 5.371920351148152


def expm(A):
    """The matrix exponential: of a matrix, or of each matrix of a stack."""
    a = operand(A)
    if static.rank(a) < 2:
        raise numpy.linalg.LinAlgError("The input array must be at least two-dimensional")
    a = in_dtype(a, in_floats(a))
    if a.shape[-1] != a.shape[-2]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return over_stacks(exponential, [(static.element(a), a.shape[-2:])], (a, 2))


def exponential(a):
    """q(-a)^-1 q(a) for the polynomial q of least degree that is enough, by the powers of a^2."""
    norm = largest_column_sum(op.stop_gradient(a))
    halvings = 0
    if norm <= NORMS[-1]:
        even, odd = by_powers(a, sum([norm > limit for limit in NORMS[:-1]]))
    else:
        if norm > LARGEST and norm < numpy.inf:
            halvings = ceil(log2(norm / LARGEST))
        even, odd = of_degree_13(a * op.cast(2.0**-halvings, dtype=static.real_word(static.element(a))))
    found = op.solve(even - odd, even + odd)
    for _ in range(halvings):
        found = found @ found
    return found


def by_powers(a, which):
    """The even and the odd part of q, of degree 3 + 2 * which."""
    real = static.real_word(static.element(a))
    evens, odds = op.cast(numpy.array(EVEN), dtype=real)[which], op.cast(numpy.array(ODD), dtype=real)[which]
    one = op.eye(shape=a.shape, dtype=static.element(a))
    squared = a @ a
    power, even, odd = squared, evens[0] * one + evens[1] * squared, odds[0] * one + odds[1] * squared
    for k in range(2, which + 2):
        power = power @ squared
        even, odd = even + evens[k] * power, odd + odds[k] * power
    return even, a @ odd


def of_degree_13(a):
    """The same of degree 13, in six products."""
    b = OF_DEGREE_13
    one = op.eye(shape=a.shape, dtype=static.element(a))
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    return even, odd


def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    """(expm(a), its derivative in the direction e): a block of the exponential of [[a, e], [0, a]]."""
    a, e = square(A, check_finite), square(E, check_finite)
    if a.shape[0] != e.shape[0]:
        raise ValueError("expected A and E to be the same shape")
    n = a.shape[0]
    both = exponential(block([[a, e], [op.zeros(shape=(n, n), dtype=static.element(a)), a]]))
    return (both[:n, :n], both[:n, n:]) if compute_expm else both[:n, n:]


# --- Schur's form ----------------------------------------------------------------------------------------------------


def in_complex(a):
    return a if static.is_complex(a) else op.cast(a, dtype="c64" if static.element(a) == "f32" else "c128")


def schur(a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True):
    """(t, u) with u t u^H = a: t is a triangle, of a real matrix one with blocks unless `output` is "complex"."""
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    if sort is not None:
        static.refuse("U012", "scipy.linalg.schur(sort=) is not supported: leave it out")
    a = square(a, check_finite)
    is_real = output in ("real", "r") and not static.is_complex(a)
    t, u = op.schur(a) if is_real else op.schur_of_complex(in_complex(a))
    return t, u


# --- Sylvester's equation --------------------------------------------------------------------------------------------


def solve_sylvester(a, b, q):
    """The x with a x + x b = q: f64[m, m], f64[n, n], f64[m, n] -> f64[m, n]."""
    a, b, q = square(a), square(b), finite(q)
    if a.shape[0] != q.shape[0] or b.shape[0] != q.shape[1]:
        raise ValueError("The shapes of a, b and q do not go together")
    word = static.of_functions(static.strict_common(a, b, q))
    return sylvester(in_dtype(a, word), in_dtype(b, word), in_dtype(q, word))


def sylvester(a, b, q):
    x = op.sylvester(in_complex(a), in_complex(b), in_complex(q))
    return x if static.is_complex(q) else op.real(x)


def solve_continuous_lyapunov(a, q):
    """The x with a x + x a^H = q."""
    a = square(a)
    return solve_sylvester(a, adjoint(a), q)


def solve_discrete_lyapunov(a, q, method=None):
    """The x with a x a^H - x + q = 0: with b = (a + 1)^-1 (a - 1) it is b x + x b^H = -2 (a + 1)^-1 q (a^H + 1)^-1."""
    if method not in (None, "direct", "bilinear"):
        raise ValueError(f"Unknown solver {method}")
    a, q = square(a), square(q)
    if a.shape[0] != q.shape[0]:
        raise ValueError("The shapes of a and q do not go together")
    word = static.of_functions(static.strict_common(a, q))
    return fixed_by(in_dtype(a, word), in_dtype(q, word))


def fixed_by(a, q):
    """The same of matrices of one dtype, linear in q."""
    one = op.eye(shape=a.shape, dtype=static.element(a))
    b = op.solve(a + one, a - one)
    right = adjoint(op.solve(a + one, adjoint(op.solve(a + one, q))))
    return sylvester(b, adjoint(b), -2.0 * right)


def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True):
    """The x with a^H x + x a - x b r^-1 b^H x + q = 0 for which a - b r^-1 b^H x is stable, by Newton's steps (Kleinman
    1968) on what the sign of the Hamiltonian matrix begins with (Roberts 1980)."""
    if e is not None or s is not None:
        static.refuse("U012", "scipy.linalg.solve_continuous_are has no `e=` and no `s=` here: leave them out")
    a, b, q, r = square(a), finite(b), square(q), square(r)
    inner = b @ op.solve(r, adjoint(b))
    n = a.shape[0]
    sign = sign_of(op.stop_gradient(block([[a, -inner], [-q, -adjoint(a)]])))
    one = op.eye(shape=(n, n), dtype=static.element(a))
    above = block([[sign[:n, n:]], [sign[n:, n:] + one]])
    beside = block([[sign[:n, :n] + one], [sign[n:, :n]]])
    x = op.solve(adjoint(above) @ above, -adjoint(above) @ beside)
    return riccati(a, inner, q, 0.5 * (x + adjoint(x)))


@custom_jvp
def riccati(a, inner, q, x):
    for _ in range(2):
        closed = a - inner @ x
        x = sylvester(adjoint(closed), closed, -q - x @ inner @ x)
    return x


def riccati_jvp(primals, tangents):
    a, inner, q, guess = primals
    a_dot, inner_dot, q_dot, _ = tangents
    x = riccati(a, inner, q, guess)
    closed = a - inner @ x
    moved = adjoint(a_dot) @ x + x @ a_dot - x @ inner_dot @ x + q_dot
    return x, sylvester(adjoint(closed), closed, -moved)


riccati.defjvp(riccati_jvp)


def sign_of(z):
    """The sign of a matrix: +1 and -1 for the eigenvalues of either side (Newton's steps)."""
    for _ in range(60):
        n = z.shape[0]
        inverse = op.solve(z, op.eye(shape=(n, n), dtype=static.element(z)))
        scale = op.sqrt(op.sqrt(op.sum(op.absolute(inverse) ** 2) / op.sum(op.absolute(z) ** 2)))
        step = 0.5 * (scale * z + inverse / scale)
        change = largest_column_sum(step - z)
        z = step
        if change <= 1e-13 * largest_column_sum(z):
            break
    return z


# --- roots and logarithms --------------------------------------------------------------------------------------------


def sqrtm(A, disp=None, blocksize=None):
    """The x with x x = a whose eigenvalues have no negative real part; a real matrix with negative ones is refused."""
    a = square(A, False)
    if static.is_complex(a):
        return root(a)
    require_real(a, "sqrtm")
    return op.real(root(in_complex(a)))


def require_real(a, name):
    """Of a real matrix the result is real here: what would be complex has to be asked for."""
    t = op.schur_of_complex(in_complex(op.stop_gradient(a)))[0]
    w = diagonal(t)
    size = op.max(op.absolute(w)) if w.shape[0] > 0 else op.cast(0.0, dtype=static.real_word(static.element(w)))
    small = 1e3 * static.limits(static.element(a)).eps * size
    if op.any(op.logical_and(op.real(w) < -small, op.absolute(op.imag(w)) <= small)):
        raise ValueError(f"{name} of a real matrix with negative eigenvalues is complex: pass a.astype(complex)")


@custom_jvp
def root(a):
    t, u = op.schur_of_complex(a)
    return u @ root_of_triangle(t) @ adjoint(u)


def root_jvp(primals, tangents):
    x = root(primals[0])
    return x, op.sylvester(x, x, tangents[0])


root.defjvp(root_jvp)


def logm(A, disp=None):
    """The x with expm(x) = a and eigenvalues with imaginary parts within pi; of a real matrix the result is real."""
    a = square(A, False)
    if static.is_complex(a):
        return logarithm(a)
    require_real(a, "logm")
    return op.real(logarithm(in_complex(a)))


def cosm(A):
    a = square(A)
    if static.is_complex(a):
        return 0.5 * (exponential(1j * a) + exponential(-1j * a))
    return op.real(exponential(1j * a))


def sinm(A):
    a = square(A)
    if static.is_complex(a):
        return -0.5j * (exponential(1j * a) - exponential(-1j * a))
    return op.imag(exponential(1j * a))


def tanm(A):
    return op.solve(cosm(A), sinm(A))


def fractional_matrix_power(A, t):
    """a^t = expm(t logm(a))"""
    return expm(t * logm(A))


def orthogonal_procrustes(A, B, check_finite=True):
    """(r, scale): the orthogonal r that brings a r nearest to b, and the sum of the singular values of a^H b."""
    u, s, vt = op.svd(transposed(op.matmul(transposed(finite(B, check_finite)), conjugated(finite(A, check_finite)))))
    return u @ vt, op.sum(s)
