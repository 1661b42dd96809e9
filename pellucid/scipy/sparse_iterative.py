"""`scipy.sparse.linalg.cg`, `gmres` and `bicgstab`: solutions by products with the matrix alone.

    x, info = cg(A, b)     ->     directions that A makes orthogonal, until |b - A x| <= max(rtol |b|, atol)

Derivatives are those of A x = b: the same method solves for them, with the transpose of A in reverse mode, and to the
same tolerance.  The first guess has none.

Source: M. R. Hestenes and E. Stiefel (1952); Y. Saad and M. H. Schultz (1986); H. A. van der Vorst (1992).
"""

import numpy as np

from ..compiler.ops import static
from ..lax import stop_gradient
from ..numpy.implicit import custom_linear_solve
from ..numpy.manipulation import as_array
from .sparse_arrays import is_sparse
from .special import of_floats

RESTART = 20


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """(x, info) for a symmetric positive definite matrix, sparse or dense; `info` is 0 where it converged.

    M       an approximation to the inverse of A, sparse or dense
    """
    right = right_side(A, b, callback)
    most = 10 * right.shape[0] if maxiter is None else maxiter
    guess, near = first_guess(x0, right), constant(M)
    solve = lambda f, r: conjugate_gradients(f, r, guess, rtol, atol, most, near)  # noqa: E731
    return custom_linear_solve(lambda x: A @ x, right, solve, symmetric=True, has_aux=True)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """(x, info) for any square matrix."""
    right = right_side(A, b, callback)
    most = 10 * right.shape[0] if maxiter is None else maxiter
    guess, near = first_guess(x0, right), constant(M)
    solve = lambda f, r: stabilised(f, r, guess, rtol, atol, most, near)  # noqa: E731
    across = lambda f, r: stabilised(f, r, guess, rtol, atol, most, turned(near))  # noqa: E731
    return custom_linear_solve(lambda x: A @ x, right, solve, across, has_aux=True)


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None, callback_type=None):
    """(x, info) for any square matrix; `maxiter` counts restarts, each after `restart` steps."""
    right = right_side(A, b, callback)
    most = 10 * right.shape[0] if maxiter is None else maxiter
    steps = min(RESTART if restart is None else restart, right.shape[0])
    guess, near = first_guess(x0, right), constant(M)
    solve = lambda f, r: minimal_residuals(f, r, guess, rtol, atol, steps, most, near)  # noqa: E731
    across = lambda f, r: minimal_residuals(f, r, guess, rtol, atol, steps, most, turned(near))  # noqa: E731
    return custom_linear_solve(lambda x: A @ x, right, solve, across, has_aux=True)


def right_side(A, b, callback):
    if callback is not None:
        static.refuse("U012", "`callback=` of an iterative solver is not supported: `info` says whether it converged")
    if not is_sparse(A) and static.rank(A) != 2:
        static.refuse("U012", "the matrix of an iterative solver is a sparse array or a dense matrix here")
    right = of_floats(as_array(b))
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={A.shape}")
    if static.rank(right) != 1 or right.shape[0] != A.shape[0]:
        raise ValueError("A and b have incompatible dimensions")
    return right


def first_guess(x0, right):
    return np.zeros_like(right) if x0 is None else stop_gradient(of_floats(as_array(x0))) + np.zeros_like(right)


def constant(M):
    """It changes the way to the solution, and so has no derivative."""
    return None if M is None else stop_gradient(M)


def turned(M):
    return None if M is None else M.T


def improved(M, r):
    """The residual, times the approximate inverse."""
    return r if M is None else M @ r


def size(x):
    return np.sqrt(np.sum(x * x))


def conjugate_gradients(f, b, guess, rtol, atol, most, M):
    limit = max(atol, rtol * size(b))
    x = guess
    r = b - f(x)
    p, rho, count = np.zeros_like(b), 1.0, 0
    if size(b) == 0.0:
        return b * 1.0, 0
    while count < most and size(r) >= limit:
        z = improved(M, r)
        former, rho = rho, np.sum(r * z)
        p = z + (rho / former if count > 0 else 0.0) * p
        q = f(p)
        alpha = rho / np.sum(p * q)
        x = x + alpha * p
        r = r - alpha * q
        count += 1
    return x, 0 if size(r) < limit else count


def stabilised(f, b, guess, rtol, atol, most, M):
    limit = max(atol, rtol * size(b))
    x = guess
    r = b - f(x)
    shadow = r
    rho, omega, alpha, count = 1.0, 1.0, 1.0, 0
    p, v = np.zeros_like(b), np.zeros_like(b)
    is_broken = False
    if size(b) == 0.0:
        return b * 1.0, 0
    while count < most and size(r) >= limit and not is_broken:
        former, rho = rho, np.sum(shadow * r)
        if abs(rho) < 2.3e-16**2:
            is_broken = True
        else:
            p = r + (rho / former * alpha / omega if count > 0 else 0.0) * (p - omega * v)
            near = improved(M, p)
            v = f(near)
            alpha = rho / np.sum(shadow * v)
            s = r - alpha * v
            x = x + alpha * near
            r = s
            if size(s) >= limit:
                other = improved(M, s)
                t = f(other)
                omega = np.sum(t * s) / np.sum(t * t)
                x = x + omega * other
                r = s - omega * t
            count += 1
    if is_broken:
        return x, -10
    return x, 0 if size(r) < limit else count


def minimal_residuals(f, b, guess, rtol, atol, steps, most, M):
    """Right preconditioning, so that the residual that is measured is the true one; rotations make a triangle."""
    limit = max(atol, rtol * size(b))
    n = b.shape[0]
    x, count = guess, 0
    r = b - f(x)
    if size(b) == 0.0:
        return b * 1.0, 0
    while count < most and size(r) >= limit:
        basis = np.zeros((steps + 1, n), b.dtype)
        h = np.zeros((steps + 1, steps), b.dtype)
        cosines, sines, g = np.zeros(steps), np.zeros(steps), np.zeros(steps + 1)
        g[0] = size(r)
        basis[0] = r / g[0]
        used = 0
        for j in range(steps):
            if abs(g[j]) < limit:
                break
            w = f(improved(M, basis[j]))
            for i in range(j + 1):
                h[i, j] = np.sum(w * basis[i])
                w = w - h[i, j] * basis[i]
            length = size(w)
            h[j + 1, j] = length
            for i in range(j):
                upper, lower = h[i, j], h[i + 1, j]
                h[i, j] = cosines[i] * upper + sines[i] * lower
                h[i + 1, j] = cosines[i] * lower - sines[i] * upper
            whole = np.hypot(h[j, j], h[j + 1, j])
            cosines[j] = h[j, j] / whole
            sines[j] = h[j + 1, j] / whole
            h[j, j] = whole
            h[j + 1, j] = 0.0
            g[j + 1] = -sines[j] * g[j]
            g[j] = cosines[j] * g[j]
            used = j + 1
            if length <= 1e-14 * whole:
                break
            basis[j + 1] = w / length
        change = np.zeros(n, b.dtype)
        for back in range(used):
            k = used - 1 - back
            for j in range(k + 1, used):
                g[k] -= h[k, j] * g[j]
            g[k] /= h[k, k]
            change = change + g[k] * basis[k]
        x = x + improved(M, change)
        r = b - f(x)
        count += 1
    return x, 0 if size(r) < limit else count
