"""Solutions of equations with the derivatives that the equation gives them, in both modes and of any order.

    f(x, p) = 0     ->     x_dot = -J^-1 (df/dp p_dot)   with J = df/dx at the solution

The way to the solution has no derivative.  `p` is what the function sees from outside, `args` among it.  What is no
solution, because the way to it ended early, has the derivative nan.

Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 15.
"""

import numpy as np

from ..custom import custom_jvp
from ..forward_mode import jacfwd, jvp
from ..lax import stop_gradient
from ..runtime.parts import open_function


def root_of(f, x, is_root=True):
    """The root `x`, found before, of a function of one number or one vector; whose slope is nan if it is none."""
    opened, floats, rest = open_function(f)
    return root(opened, rest, stop_gradient(x), is_root, floats)


def roots_of(f, x, are_roots=True):
    """The roots of a function that takes the elements of an array one by one; the slope of what is none is nan."""
    opened, floats, rest = open_function(f)
    return roots(opened, rest, stop_gradient(x), are_roots, floats)


def as_found(opened, rest, x, is_root, floats):
    return x


def elementwise_as_found(opened, rest, x, are_roots, floats):
    return x


def root_tangent(opened, rest, primals, tangents):
    found, is_root, floats = primals
    x = root(opened, rest, found, is_root, floats)
    _, change = jvp(lambda p: opened(p, rest, x), (floats,), (tangents[2],))
    slope = jacfwd(lambda z: opened(floats, rest, z))(x)
    if np.ndim(x) == 0:
        return x, -change / slope * factor(is_root)
    # where there is no root the equations may have no solution either
    return x, -np.linalg.solve(np.where(is_root, slope, np.eye(x.shape[0])), change) * factor(is_root)


def roots_tangent(opened, rest, primals, tangents):
    found, are_roots, floats = primals
    x = roots(opened, rest, found, are_roots, floats)
    _, change = jvp(lambda p: opened(p, rest, x), (floats,), (tangents[2],))
    _, slope = jvp(lambda z: opened(floats, rest, z), (x,), (np.ones_like(x),))
    return x, -change / slope * factor(are_roots)


def factor(is_root):
    """What a slope is multiplied by: with nan where there is none, in reverse mode too."""
    return np.where(is_root, 1.0, np.nan)


root = custom_jvp(as_found, nondiff_argnums=(0, 1))
root.defjvp(root_tangent)
roots = custom_jvp(elementwise_as_found, nondiff_argnums=(0, 1))
roots.defjvp(roots_tangent)
