"""Every pair of transformations on functions of one vector, held against differences of the functions themselves.

    found, wanted = compared(function, outer, inner)

A transformation is two things: `make(f)`, a function of one vector that uses it on f, and what that function is.  What
a function is, is told without differentiating: by its contractions `along(c)`, x -> sum(c * f(x)), so that a gradient
contracted with u is the derivative of sum(f) along u.  Derivatives along a direction are differences of the eighth
order with wide steps, which nest: the error of two derivatives of second order each is about 1e-7.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import pellucid
from pellucid import grad, hessian, hvp, jacfwd, jacrev, jet, jvp, linearize, value_and_grad, vjp, vmap
from pellucid import linear_transpose as transpose_of

STEP = 2e-2
WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}  # central differences, B. Fornberg (1988), table 1


def direction(x):
    return np.cos(np.arange(len(x)) + 1.0)


class Told(NamedTuple):
    """What a function of a vector is: `along(c)(x)` is sum(c * f(x)); `ones(x)` is an array like the result."""

    along: Callable
    ones: Callable


def plain(function):
    def along(c):
        return lambda x: float(np.sum(c * function(x)))

    return Told(along, lambda x: np.ones(np.shape(function(x))))


def slope(value, d):
    """x -> the derivative of a number along d"""

    def at(x):
        return sum(w * (value(x + k * STEP * d) - value(x - k * STEP * d)) for k, w in WEIGHTS.items()) / STEP

    return at


def summed(told):
    return lambda x: told.along(told.ones(x))(x)


def like_argument(x):
    return np.ones(len(x))


# --- the transformations ---------------------------------------------------------------------------------------------


def compiled(f):
    return pellucid.compile(f)


def same(told):
    return told


def checkpointed(f):
    return pellucid.checkpoint(f)


def gradient(f):
    def total(x):
        return np.sum(f(x))

    return grad(total)


def gradient_told(told):
    return Told(lambda u: slope(summed(told), u), like_argument)


def value_times_gradient(f):
    def total(x):
        return np.sum(f(x))

    def both(x):
        value, slopes = value_and_grad(total)(x)
        return value * slopes

    return both


def value_times_gradient_told(told):
    total = summed(told)
    return Told(lambda u: lambda x: total(x) * slope(total, u)(x), like_argument)


def tangent(f):
    def push(x):
        return jvp(f, (x,), (direction(x),))[1]

    return push


def tangent_told(told):
    return Told(lambda c: lambda x: slope(told.along(c), direction(x))(x), told.ones)


def cotangent(f):
    def pull(x):
        out, back = vjp(f, x)
        return back(0.0 * out + 0.5)[0]

    return pull


def cotangent_told(told):
    return Told(lambda u: lambda x: 0.5 * slope(summed(told), u)(x), like_argument)


def jacobian_forward(f):
    def times(x):
        return jacfwd(f)(x) @ direction(x)

    return times


def jacobian_reverse(f):
    def times(x):
        return jacrev(f)(x) @ direction(x)

    return times


def linearised(f):
    def push(x):
        _, along = linearize(f, x)
        return along(direction(x))

    return push


def transposed(f):
    def pull(x):
        def along(t):
            return jvp(f, (x,), (t,))[1]

        return transpose_of(along, x)(0.0 * f(x) + 0.5)[0]

    return pull


def curvature(f):
    def total(x):
        return np.sum(f(x))

    def times(x):
        return hessian(total)(x) @ direction(x)

    return times


def curvature_along(f):
    def total(x):
        return np.sum(f(x))

    def times(x):
        return hvp(total, (x,), (direction(x),))

    return times


def curvature_told(told):
    total = summed(told)
    return Told(lambda u: lambda x: slope(slope(total, u), direction(x))(x), like_argument)


def along_line(f):
    def bend(x):
        return jet(f, (x,), ((direction(x), 0.0 * x),))[1][1]

    return bend


def along_line_told(told):
    return Told(lambda c: lambda x: slope(slope(told.along(c), direction(x)), direction(x))(x), told.ones)


def batched(f):
    def both(x):
        return vmap(f)(np.stack((x, 0.9 * x)))

    return both


def batched_told(told):
    def along(c):
        return lambda x: told.along(c[0])(x) + told.along(c[1])(0.9 * x)

    return Told(along, lambda x: np.stack((told.ones(x), told.ones(x))))


TRANSFORMATIONS = {
    "compile": (compiled, same),
    "checkpoint": (checkpointed, same),
    "grad": (gradient, gradient_told),
    "value_and_grad": (value_times_gradient, value_times_gradient_told),
    "jvp": (tangent, tangent_told),
    "vjp": (cotangent, cotangent_told),
    "jacfwd": (jacobian_forward, tangent_told),
    "jacrev": (jacobian_reverse, tangent_told),
    "linearize": (linearised, tangent_told),
    "linear_transpose": (transposed, cotangent_told),
    "hessian": (curvature, curvature_told),
    "hvp": (curvature_along, curvature_told),
    "vmap": (batched, batched_told),
    "jet": (along_line, along_line_told),
}
PAIRS = [(outer, inner) for outer in TRANSFORMATIONS for inner in TRANSFORMATIONS]


def compared(function, outer, inner):
    """A contraction of outer(inner(function)) at one vector, as it is compiled and by differences; and its shape."""
    x = np.linspace(0.45, 0.95, 3)
    (make, tell), (make_inner, tell_inner) = TRANSFORMATIONS[outer], TRANSFORMATIONS[inner]
    found = pellucid.compile(make(make_inner(function)))(x)
    told = tell(tell_inner(plain(function)))
    assert np.shape(found) == told.ones(x).shape
    c = np.sin(np.arange(np.size(found)) + 0.5).reshape(np.shape(found))
    return float(np.sum(c * found)), told.along(c)(x)
