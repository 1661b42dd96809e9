"""Products of a vector with the columns of a matrix, in a loop that does more, are one product, read by rows."""

import numpy as np
import pytest

import pellucid

from .harness.corpus import finite_difference_gradient
from .harness.stages import Stages, in_python

pytestmark = pytest.mark.drawn(5)

STAGES = ("core", "typed", "loops", "llvm")
RNG = np.random.default_rng(7)
TALL, SQUARE, VECTOR = RNG.random((7, 4)) + 0.1, RNG.random((5, 5)) + 3.0 * np.eye(5), RNG.random(5)


def orthogonal(a):
    a, q, r = a.copy(), np.zeros(a.shape), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = q[:, k] @ a[:, j]
            a[:, j] -= q[:, k] * r[k, j]
    return q + np.sum(r)


def upper_factor(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def rows_from_the_third(a):
    a = a.copy()
    for i in range(2, a.shape[0]):
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def other_lengths(a, b):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += b[: i + 1] @ a[1:, j] if i > 2 else 0.5
    return a


def columns_ahead(a, b):
    out = np.zeros((a.shape[0], a.shape[1]))
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1] - 1):
            out[i, j] = 2.0 * (b[:i] @ a[:i, j]) + b[i]
    return out


def what_is_stored(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] -= a[i, :3] @ a[:3, j - 1]
    return a


def other_ends(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
    return a


def solved(a, b):
    x = np.zeros(b.shape[0])
    for j in range(b.shape[0]):
        x[j] = (b[j] - x[:j] @ a[:j, j]) / a[j, j]
    return x


def solved_in_place(a, b):
    b = b.copy()
    for j in range(b.shape[0]):
        b[j] -= a[:j, j] @ b[:j]
        b[j] /= 2.0 + a[j, j]
    return b


def stored_further_on(a, b):
    x = b.copy()
    for j in range(1, b.shape[0]):
        x[j] = x[:j] @ a[:j, j]
        x[j - 1] = 2.0
    return x


def columns_that_change(a, b):
    a, x = a.copy(), b.copy()
    for j in range(b.shape[0]):
        x[j] = b[j] - x[:j] @ a[:j, j]
        a[0, j] = x[j]
        a[:, -1] += 1.0
    return x + a[0]


TAKEN = {orthogonal: (TALL,), upper_factor: (SQUARE,), columns_ahead: (SQUARE, VECTOR)}
ADDED = {other_ends: (SQUARE,), solved: (SQUARE, VECTOR), solved_in_place: (SQUARE, VECTOR)}
LEFT = {what_is_stored: (SQUARE,), stored_further_on: (SQUARE, VECTOR), columns_that_change: (SQUARE, VECTOR)}


@pytest.mark.parametrize("function", [*TAKEN, *ADDED, *LEFT], ids=lambda f: f.__name__)
def test_all_stages_agree(function):
    args = {**TAKEN, **ADDED, **LEFT}[function]
    want, runner = in_python(function, *args), Stages(function)
    for stage in STAGES:
        got = runner.run(stage, *args)
        assert got.error is None, f"{stage} raised {got.error!r}"
        np.testing.assert_allclose(got.value, want.value, rtol=1e-13, atol=1e-13)
    compiled = pellucid.compile(function)
    assert ("which BLAS computes" in compiled.explain(*args)) == (function in TAKEN)
    assert ("gemv(" in compiled.source("loops", *args)) == (function in TAKEN)
    assert ("adds to the sums after it" in compiled.explain(*args)) == (function in ADDED)


@pytest.mark.parametrize("function", [*TAKEN, *ADDED], ids=lambda f: f.__name__)
def test_derivatives_are_those_of_the_loops(function):
    args = {**TAKEN, **ADDED}[function]

    def squares(given):
        return np.sum(function(*given) ** 2)

    want = finite_difference_gradient(lambda *given: squares(given), list(args), 1e-6)
    got = pellucid.grad(squares)(args)
    weight = float(np.random.default_rng(0).standard_normal(()))  # the oracle weighs the result
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other / weight, rtol=2e-6, atol=2e-6)


def test_what_the_loop_does_beside_is_said_by_slices():
    lines = pellucid.compile(orthogonal).source("typed", TALL).splitlines()
    assert [line.strip() for line in lines if line.strip().startswith("for ")] == ["for k in range(m_1):"]


def test_what_is_too_short_is_told_ahead_of_the_loop():
    """No second version of the loop stays for an error that is known."""
    text = str(pellucid.compile(upper_factor).source("loops", SQUARE))
    assert "else:" not in text and "raise IndexError" in text and "dot(" not in text


SHAPES = {
    orthogonal: [(TALL[:, :1],), (TALL[:, :0],), (TALL[:1],), (TALL[:2, :2],)],
    upper_factor: [(SQUARE[:, :3],), (SQUARE[:3],), (SQUARE[:0],), (SQUARE[:, :0],), (SQUARE[:1],), (SQUARE[:, :1],)],
    rows_from_the_third: [(SQUARE[:, :4],), (SQUARE[:, :2],), (SQUARE[:, :0],), (SQUARE[:2, :1],), (SQUARE[:3, :3],)],
    other_lengths: [(SQUARE, VECTOR), (SQUARE[:4], VECTOR), (SQUARE[:2], VECTOR), (SQUARE[:, :0], VECTOR)],
    other_ends: [(SQUARE[:, :3],), (SQUARE[:3],), (SQUARE[:, :0],), (SQUARE[:2, :1],), (SQUARE[:1, :0],)],
    solved: [(SQUARE[:, :3], VECTOR), (SQUARE[:3], VECTOR), (SQUARE, VECTOR[:3]), (SQUARE, VECTOR[:0]),
             (SQUARE[:3, :4], VECTOR), (SQUARE[:4, :3], VECTOR), (SQUARE[:, :1], VECTOR)],
    columns_ahead: [(SQUARE, VECTOR[:3]), (SQUARE[:, :1], VECTOR), (SQUARE[:, :0], VECTOR), (SQUARE[:1], VECTOR[:0])],
}  # fmt: skip


@pytest.mark.parametrize("function", SHAPES, ids=lambda f: f.__name__)
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
                assert str(got.error) == str(want.error), f"{stage} at {shapes}"
