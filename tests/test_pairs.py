"""Transformations of transformed functions: `python -m tests.fuzz.pairs` runs every pair on every program."""

import numpy as np
import pytest

from pellucid import checkpoint, compile, custom_vjp, grad
from tests.fuzz.pairs import CASES, held

FOUND = [  # what once was wrong
    ("through_a_view", "vjp", "grad"),
    ("scattered", "vjp", "jvp"),
    ("summed_generator", "jacrev", "value_and_grad"),
    ("added_in_place", "linear_transpose", "jacfwd"),
    ("halved", "vmap", "grad"),
    ("rows_of_matrix", "vjp", "jacfwd"),
    ("rows_of_matrix", "linearize", "vmap"),
    ("recursive", "linear_transpose", "linear_transpose"),
    ("halved", "linear_transpose", "value_and_grad"),
    ("scattered", "linear_transpose", "jacfwd"),
    ("rows_of_matrix", "linear_transpose", "jvp"),
]
NAMES = [(program.__name__, outer, inner) for program, outer, inner in CASES]


@pytest.mark.drawn(5)
@pytest.mark.parametrize("number", [*range(5, len(CASES), 601), *map(NAMES.index, FOUND)])
def test_a_pair_on_a_program(number):
    assert (fault := held(number)) is None, fault


def cubes(x):
    return np.sum(x**3)


@custom_vjp
def of_its_own(x):
    return np.sum(x**2)


of_its_own.defvjp(lambda x: (of_its_own(x), x), lambda r, bar: (100.0 * bar * r,))

X = np.array([0.5, 1.0, 2.0])


def test_what_is_made_of_a_function_stays_when_it_is_checkpointed():
    slopes = checkpoint(grad(cubes))
    np.testing.assert_allclose(slopes(X), 3.0 * X**2)
    np.testing.assert_allclose(compile(slopes)(X), 3.0 * X**2)

    def total(x):
        return np.sum(slopes(x)) + np.sum(checkpoint(grad(cubes))(x))

    np.testing.assert_allclose(grad(total)(X), 12.0 * X)


def test_a_rule_of_a_function_stays_when_it_is_checkpointed():
    def inside(x):
        return checkpoint(of_its_own)(x)

    np.testing.assert_allclose(grad(checkpoint(of_its_own))(X), 100.0 * X)
    np.testing.assert_allclose(grad(inside)(X), 100.0 * X)
    np.testing.assert_allclose(grad(grad_of_half)(X), 50.0 * X)


def grad_of_half(x):
    return checkpoint(halved)(x, 0.5)


@compile
def halved(x, scale=2.0):
    return of_its_own(x) * scale
