"""`scipy.linalg.solve_discrete_are`: the cost of a linear system in discrete time that is controlled at best.

    x = a^H x (1 + g x)^-1 a + q   with g = b r^-1 b^H:   doubled steps, then Newton's, with c = (1 + g x)^-1 a
    x_dot - c^H x_dot c = a_dot^H x c + c^H x a_dot - c^H x g_dot x c + q_dot

Sources: E. Chu, H. Fan and W. Lin, A structure-preserving doubling algorithm for continuous-time algebraic Riccati
equations (2005), section 2; G. Hewer (1971) for Newton's steps.
"""

import numpy

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..custom import custom_jvp
from ..numpy.derivatives import adjoint
from ..numpy.elementary import in_dtype
from ..numpy.schur_forms import largest_column_sum
from .linalg import finite, square
from .matrix_functions import fixed_by


def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True):
    """The x with a^H x a - x - a^H x b (r + b^H x b)^-1 b^H x a + q = 0 for which the closed system is stable.

    a, q: (n, n)   b: (n, m)   r: (m, m)   ->   (n, n).  LinAlgError where the doubled steps do not come to an end.
    """
    if e is not None or s is not None:
        static.refuse("U012", "scipy.linalg.solve_discrete_are has no `e=` and no `s=` here: leave them out")
    a, b, q, r = square(a), finite(b), square(q), square(r)
    require_adjoint(q, "q")
    require_adjoint(r, "r")
    word = static.of_functions(static.strict_common(a, b, q, r))
    a, b, q, r = in_dtype(a, word), in_dtype(b, word), in_dtype(q, word), in_dtype(r, word)
    inner = b @ op.solve(r, adjoint(b))
    guess = doubled(op.stop_gradient(a), op.stop_gradient(inner), op.stop_gradient(q))
    return stable(a, inner, q, guess)


def require_adjoint(x, name):
    """SciPy's test of what has to be its own adjoint."""
    if largest_column_sum(x - adjoint(x)) > 100.0 * static.limits(static.element(x)).eps * largest_column_sum(x):
        raise ValueError(f"Matrix {name} should be symmetric/hermitian.")


def doubled(a, g, h):
    n = a.shape[0]
    one = op.eye(shape=(n, n), dtype=static.element(a))
    for _ in range(60):
        both = op.solve(one + g @ h, a)
        beside = op.solve(one + g @ h, g)
        step = adjoint(a) @ h @ both
        a, g, h = a @ both, g + a @ beside @ adjoint(a), h + step
        if not largest_column_sum(step) > 1e-15 * largest_column_sum(h):
            break
    if not op.all(op.isfinite(h)) or largest_column_sum(step) > 1e-9 * largest_column_sum(h):
        raise numpy.linalg.LinAlgError("Failed to find a finite solution.")
    return 0.5 * (h + adjoint(h))


def closed_by(a, inner, x):
    n = a.shape[0]
    return op.solve(op.eye(shape=(n, n), dtype=static.element(a)) + inner @ x, a)


@custom_jvp
def stable(a, inner, q, x):
    closed = closed_by(a, inner, x)
    return fixed_by(adjoint(closed), q + adjoint(closed) @ x @ inner @ x @ closed)


def stable_jvp(primals, tangents):
    a, inner, q, guess = primals
    a_dot, inner_dot, q_dot, _ = tangents
    x = stable(a, inner, q, guess)
    closed = closed_by(a, inner, x)
    moved = adjoint(a_dot) @ x @ closed + adjoint(closed) @ x @ a_dot + q_dot
    return x, fixed_by(adjoint(closed), moved - adjoint(closed) @ x @ inner_dot @ x @ closed)


stable.defjvp(stable_jvp)
