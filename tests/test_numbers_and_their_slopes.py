"""Numbers of Python, of NumPy and arrays without axes as primals, and any of them as tangents and cotangents.

What comes out is of the primal's kind, or of the result's, whichever kind the slope that goes in has.
"""

import itertools

import numpy as np
import pytest

import pellucid
from pellucid import compile, jvp, linearize, vjp

KINDS = {"float": float, "np.float64": np.float64, "array": lambda x: np.array(x)}


def cube(x):
    return x * x * x + 1.0


def tangent(p, t):
    return jvp(cube, (p,), (t,))


def linear(p, t):
    value, push = linearize(cube, p)
    return value, push(t)


def cotangent(p, t):
    value, pull = vjp(cube, p)
    return value, pull(t)[0]


def twice(p, t):
    return jvp(lambda x, v: jvp(cube, (x,), (v,))[1], (p, t), (t, None))


def both_ways(p, t):
    return jvp(pellucid.grad(cube), (p,), (t,))


WANTED = {
    tangent: (9.0, 12.0),
    linear: (9.0, 12.0),
    cotangent: (9.0, 12.0),
    twice: (12.0, 12.0),
    both_ways: (12.0, 12.0),
}
PAIRS = list(itertools.product(KINDS, KINDS))


@pytest.mark.parametrize("call", WANTED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("primal, slope", PAIRS, ids=map("-".join, PAIRS))
def test_a_slope_may_be_any_number(call, primal, slope):
    given = KINDS[primal](2.0), KINDS[slope](1.0)
    for found in (call(*given), compile(call)(*given)):
        assert tuple(map(float, found)) == WANTED[call]
        if primal == "float" and slope == "float" and call is not cotangent:
            assert all(type(one) is float for one in found)
