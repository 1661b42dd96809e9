"""Solutions of equations, whose derivatives follow from the equation and not from the way to the solution.

    f(x, p) = 0    with a cotangent x_bar of x     ->     J^T s = x_bar,   p_bar = -s^T df/dp   with J = df/dx there
    A x = b        with a cotangent x_bar of x     ->     A^T s = x_bar,   b_bar = s,   A_bar = -s x^T
                   with tangents                   ->     x_dot = A^-1 (b_dot - A_dot x)

Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 15.
"""

import numpy as np

from ..custom import custom_vjp
from ..forward_mode import jvp
from ..runtime.parts import map_parts, open_function, refuse
from ..transformations import grad


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    """Where `f` is zero, with derivatives by the implicit function theorem, as `jax.lax.custom_root`.

    f              a function of one number, array or container that gives one like it; derivatives are taken by the
                   variables that it sees
    initial_guess  where `solve` begins; it has no derivative
    solve          `solve(f, initial_guess)` gives the solution; no derivative is taken of it
    tangent_solve  `tangent_solve(g, y)` gives the t with g(t) = y, for any linear function g that it is given: in
                   reverse mode that is the transpose of the slope of f
    has_aux        `solve` gives (solution, auxiliary), and so does this
    """
    opened, floats, rest = open_function(f)
    return root(opened, solve, tangent_solve, has_aux, initial_guess, floats, rest)


def equation_root(opened, solve, tangent_solve, has_aux, guess, floats, rest):
    return solve(lambda x: opened(floats, rest, x), guess)


def root_forward(opened, solve, tangent_solve, has_aux, guess, floats, rest):
    solution = root(opened, solve, tangent_solve, has_aux, guess, floats, rest)
    return solution, (solution[0] if has_aux else solution, floats, rest)


def root_backward(opened, solve, tangent_solve, has_aux, saved, solution_bar):
    x, floats, rest = saved
    x_bar = solution_bar[0] if has_aux else solution_bar
    adjoint = tangent_solve(lambda v: grad(lambda z: inner_product(v, opened(floats, rest, z)))(x), x_bar)
    return None, grad(lambda p: -inner_product(adjoint, opened(p, rest, x)))(floats), None


root = custom_vjp(equation_root, nondiff_argnums=(0, 1, 2, 3))
root.defvjp(root_forward, root_backward)


def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    """The x with matvec(x) = b, with derivatives by another solution, as `jax.lax.custom_linear_solve`.

    matvec           a linear function of one number, array or container; derivatives are taken by what it sees, too
    b                the right side
    solve            `solve(matvec, b)` gives the solution; no derivative is taken of it
    transpose_solve  `transpose_solve(vecmat, b)` solves with the transpose, which reverse mode needs
    symmetric        the transpose is the function itself, and `solve` serves for both
    has_aux          `solve` gives (solution, auxiliary), and so does this
    """
    opened, floats, rest = open_function(matvec)
    transposed = solve if symmetric else transpose_solve
    return linear_solution(opened, solve, transposed, has_aux, b, floats, rest)


def linear_solution_of(opened, solve, transposed, has_aux, b, floats, rest):
    return solve(lambda x: opened(floats, rest, x), b)


def solution_forward(opened, solve, transposed, has_aux, b, floats, rest):
    solution = linear_solution(opened, solve, transposed, has_aux, b, floats, rest)
    return solution, (solution[0] if has_aux else solution, floats, rest)


def solution_backward(opened, solve, transposed, has_aux, saved, solution_bar):
    if transposed is None:
        refuse("reverse mode through `custom_linear_solve` needs `transpose_solve=` or `symmetric=True`")
    x, floats, rest = saved
    x_bar = solution_bar[0] if has_aux else solution_bar
    pulled = lambda v: grad(lambda z: inner_product(v, opened(floats, rest, z)))(x)  # noqa: E731
    adjoint = transposed(pulled, x_bar)
    adjoint = adjoint[0] if has_aux else adjoint
    return adjoint, grad(lambda p: -inner_product(adjoint, opened(p, rest, x)))(floats), None


def solution_tangent(opened, solve, transposed, has_aux, primals, tangents):
    b, floats, rest = primals
    solution = linear_solution(opened, solve, transposed, has_aux, b, floats, rest)
    x = solution[0] if has_aux else solution
    _, change = jvp(lambda p: opened(p, rest, x), (floats,), (tangents[1],))
    right = map_parts(lambda one, other: one - other, tangents[0], change)
    slope = linear_solution(opened, solve, transposed, has_aux, right, floats, rest)
    return solution, (slope[0], None) if has_aux else slope


linear_solution = custom_vjp(linear_solution_of, nondiff_argnums=(0, 1, 2, 3))
linear_solution.defvjp(solution_forward, solution_backward)
linear_solution.defjvp(solution_tangent)


def inner_product(left, right):
    """The sum of the products of what stands in the same places."""
    products = []
    map_parts(lambda a, b: products.append(np.sum(a * b)), left, right)
    return sum(products)
