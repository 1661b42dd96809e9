"""Solutions of equations with the derivatives that the equation gives them, in both modes and of any order.

    f(x, p) = 0     ->     x_dot = -J^-1 (df/dp p_dot)   with J = df/dx at the solution

The way to the solution has no derivative.  `p` is what the function sees from outside, `args` among it.

Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 15.
"""

import numpy as np

from ..custom import custom_jvp
from ..forward_mode import jacfwd, jvp
from ..lax import stop_gradient
from ..runtime.parts import open_function


def root_of(f, x):
    """The root `x`, found before, of a function of one number or one vector."""
    opened, floats, rest = open_function(f)
    return root(opened, rest, stop_gradient(x), floats)


def roots_of(f, x):
    """The roots of a function that takes the elements of an array one by one."""
    opened, floats, rest = open_function(f)
    return roots(opened, rest, stop_gradient(x), floats)


def as_found(opened, rest, x, floats):
    return x


def elementwise_as_found(opened, rest, x, floats):
    return x


def root_tangent(opened, rest, primals, tangents):
    found, floats = primals
    x = root(opened, rest, found, floats)
    _, change = jvp(lambda p: opened(p, rest, x), (floats,), (tangents[1],))
    slope = jacfwd(lambda z: opened(floats, rest, z))(x)
    return x, -(np.linalg.solve(slope, change) if np.ndim(x) else change / slope)


def roots_tangent(opened, rest, primals, tangents):
    found, floats = primals
    x = roots(opened, rest, found, floats)
    _, change = jvp(lambda p: opened(p, rest, x), (floats,), (tangents[1],))
    _, slope = jvp(lambda z: opened(floats, rest, z), (x,), (np.ones_like(x),))
    return x, -change / slope


root = custom_jvp(as_found, nondiff_argnums=(0, 1))
root.defjvp(root_tangent)
roots = custom_jvp(elementwise_as_found, nondiff_argnums=(0, 1))
roots.defjvp(roots_tangent)
