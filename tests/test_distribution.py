"""Products beside other statements of a nest are taken out of it, where no turn needs what another has made of them."""

import numpy as np
import pytest

import pellucid

from .harness.corpus import finite_difference_gradient
from .harness.stages import Stages, in_python

pytestmark = pytest.mark.drawn(5)

STAGES = ("core", "typed", "loops", "llvm")
RNG = np.random.default_rng(6)
A, B, SQUARE, C = RNG.random((9, 8)), RNG.random((9, 7)), RNG.random((9, 9)), RNG.random((9, 7))
LONG, SHORT = RNG.random(9), RNG.random(8)


def two_vectors(a, p, r):
    s, q = np.zeros(a.shape[1]), np.ones(a.shape[0])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s[j] += r[i] * a[i, j]
            q[i] -= 2.0 * a[i, j] * p[j]
    return np.concatenate((s, q))


def beside_a_map(a, p):
    q, c = np.zeros(a.shape[0]), np.zeros(a.shape)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            c[i, j] = np.sin(a[i, j]) * p[j]
            q[i] += a[i, j] * p[j]
    return c + q[:, None]


def symmetric(a, b, c):
    c = c.copy()
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += 1.5 * b[i, j] * a[i, :i]
            c[i, j] = 1.2 * c[i, j] + 1.5 * b[i, j] * a[i, i] + 1.5 * np.dot(b[:i, j], a[i, :i])
    return c


def down_to_the_diagonal(a, b, c):
    c, d = c.T.copy(), np.zeros(c.shape)
    for j in range(c.shape[0]):
        for i in range(c.shape[1]):
            c[j, : i + 1] -= a[i, : i + 1] * b[i, j]
            d[i, j] = 0.5 * b[i, j]
    return c.T + d


TAKEN = {
    two_vectors: (A, SHORT, LONG),
    beside_a_map: (A, SHORT),
    symmetric: (SQUARE, B, C),
    down_to_the_diagonal: (SQUARE, B, C),
}


def the_sum_so_far(a, p, r):
    s, q = np.zeros(a.shape[1]), np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s[j] += r[i] * a[i, j]
            q[i] += s[j] * p[j]
    return np.concatenate((s, q))


def the_first_row_so_far(a, b, c):
    c = c.copy()
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += b[i, j] * a[i, :i]
            c[i, j] = 1.2 * c[i, j] + c[0, j]
    return c


def a_value_from_turn_to_turn(a, p, r):
    s, q, last = np.zeros(a.shape[1]), np.zeros(a.shape[0]), 1.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s[j] += r[i] * a[i, j] * last
            last = p[j]
            q[i] += a[i, j]
    return np.concatenate((s, q))


LEFT = {
    the_sum_so_far: (A, SHORT, LONG),
    the_first_row_so_far: (SQUARE, B, C),
    a_value_from_turn_to_turn: (A, SHORT, LONG),
}
SHAPES = {
    two_vectors: [
        (A, SHORT[:3], LONG), (A, SHORT, LONG[:3]), (A, SHORT[:3], LONG[:3]), (A[:0], SHORT[:2], LONG[:0]),
        (A[:, :0], SHORT[:0], LONG[:2]), (A[:1, :1], SHORT, LONG), (A[::2, ::-1], SHORT, LONG[::-1]),
    ],
    beside_a_map: [(A, SHORT[:7]), (A[:0], SHORT[:3]), (A[:1], SHORT), (A[:, :0], SHORT[:0])],
    symmetric: [
        (SQUARE[:5], B, C), (SQUARE[:, :5], B, C), (SQUARE, B[:5], C), (SQUARE, B[:, :5], C), (SQUARE, B, C[:0]),
        (SQUARE, B, C[:1]), (SQUARE, B, C[:, :0]), (SQUARE, B, C[:4, :3]), (SQUARE.T, B[::-1], C[::-1]),
    ],
    down_to_the_diagonal: [(SQUARE[:, :4], B, C), (SQUARE, B, C[:5]), (SQUARE[:3], B, C), (SQUARE, B, C[:1])],
}  # fmt: skip


def is_told(function, args):
    return "which BLAS computes" in pellucid.compile(function).explain(*args)


@pytest.mark.parametrize("function", [*TAKEN, *LEFT], ids=lambda f: f.__name__)
def test_all_stages_agree(function):
    args = {**TAKEN, **LEFT}[function]
    want, runner = in_python(function, *args), Stages(function)
    for stage in STAGES:
        got = runner.run(stage, *args)
        assert got.error is None, f"{stage} raised {got.error!r}"
        np.testing.assert_allclose(got.value, want.value, rtol=1e-13, atol=1e-13)
    assert is_told(function, args) == (function in TAKEN)
    kept = pellucid.compile(function, rewrite=False)
    assert "BLAS" not in kept.explain(*args)
    np.testing.assert_allclose(kept(*args), want.value, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("function", TAKEN, ids=lambda f: f.__name__)
def test_other_lengths_give_what_python_gives(function):
    runner = Stages(function)
    for args in SHAPES[function]:
        want = in_python(function, *args)
        for stage in STAGES:
            got = runner.run(stage, *args)
            shapes = [np.shape(one) for one in args]
            assert type(got.error) is type(want.error), f"{stage} at {shapes}: {got.error!r}, not {want.error!r}"
            if want.error is None:
                np.testing.assert_allclose(got.value, want.value, rtol=1e-13, atol=1e-13)
            else:
                # NumPy tells the shape of what is added to in place as well
                assert str(want.error).startswith(str(got.error).rstrip()), f"{stage} at {shapes}"


@pytest.mark.parametrize("function", TAKEN, ids=lambda f: f.__name__)
def test_derivatives_are_those_of_the_loops(function):
    def squares(given):
        return np.sum(function(*given) ** 2)

    taken = pellucid.grad(squares)
    for args in (TAKEN[function], *(s for s in SHAPES[function] if in_python(function, *s).error is None)):
        args = [np.ascontiguousarray(one) for one in args]
        want = finite_difference_gradient(lambda *given: squares(given), args, 1e-6)
        weight = float(np.random.default_rng(0).standard_normal(()))  # the oracle weighs the result
        for one, other in zip(taken(tuple(args)), want, strict=True):
            np.testing.assert_allclose(one, other / weight, rtol=2e-6, atol=2e-6)
