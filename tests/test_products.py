"""Loops that multiply matrices become products, and nothing else does."""

import numpy as np
import pytest

import pellucid

from .harness.corpus import finite_difference_gradient
from .harness.stages import Stages, in_python

pytestmark = pytest.mark.drawn(5)

STAGES = ("core", "typed", "loops", "llvm")
RNG = np.random.default_rng(5)
A, B, C = RNG.random((9, 8)), RNG.random((8, 7)), RNG.random((9, 7))
SQUARE, VECTOR = RNG.random((8, 8)), RNG.random(8)


def gemm(alpha, a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            s = 0.0
            for p in range(k):
                s += a[i, p] * b[p, j]
            c[i, j] = alpha * s
    return c


def rows_of_gemm(alpha, beta, c, a, b):
    c = c.copy()
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= beta
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] += alpha * a[i, k] * b[k, j]
    return c


def factor_ahead(a, b, w):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for p in range(k):
            scaled = w[i] * a[i, p]
            for j in range(m):
                c[i, j] -= scaled * b[p, j]
    return c


def outermost_adds(a, b):
    c = np.ones((a.shape[0], b.shape[1]))
    for p in range(a.shape[1]):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                c[i, j] = a[i, p] * b[p, j] + c[i, j]
    return c


def triangle(c, a):
    c = c.copy()
    for i in range(c.shape[0]):
        for j in range(i + 1):
            c[i, j] *= 0.5
        for k in range(a.shape[1]):
            for j in range(i + 1):
                c[i, j] += 2.0 * a[i, k] * a[j, k]
    return c


def covariance(data):
    n, m = data.shape
    mean = np.zeros(m)
    for j in range(m):
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
    centered = data - mean
    cov = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            for k in range(n):
                cov[i, j] += centered[k, i] * centered[k, j]
            cov[i, j] /= n - 1.0
            cov[j, i] = cov[i, j]
    return cov


def parts(a, b):
    n, m, k = a.shape[0] - 1, b.shape[1] - 2, b.shape[0]
    c = np.ones((n, m))
    for i in range(n):
        for j in range(1, m):
            s = 1.5
            for p in range(1, k - 1):
                s -= a[i + 1, p - 1] * b[p, j + 2]
            c[i, j] = s / (1.0 + i)
    return c


def vectors(a, x, y):
    n = a.shape[0]
    x, y = x.copy(), y.copy()
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + a[i, j] * y[j]
    for i in range(n):
        for j in range(n):
            y[i] += a[j, i] * x[j]
    return x + 2.0 * y


def stack(t, a):
    c = np.zeros((t.shape[0], t.shape[1], a.shape[1]))
    for r in range(t.shape[0]):
        for q in range(t.shape[1]):
            for p in range(a.shape[1]):
                for s in range(a.shape[0]):
                    c[r, q, p] += t[r, q, s] * a[s, p]
    return c


def in_time(a, steps):
    a = a.copy()
    n = a.shape[0]
    for _ in range(steps):
        b = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    b[i, j] += a[i, k] * a[k, j]
        a = b / n
    return a


def triangular_sum(low, b):
    c = np.zeros((low.shape[0], b.shape[1]))
    for i in range(low.shape[0]):
        for j in range(b.shape[1]):
            for p in range(i + 1):
                c[i, j] += low[i, p] * b[p, j]
    return c


def weighted(a, b, w):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * w[k] * b[k, j]
    return c


def trmm(a, b):
    b = b.copy()
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            for k in range(i + 1, b.shape[0]):
                b[i, j] += a[k, i] * b[k, j]
            b[i, j] = 1.5 * b[i, j]
    return b


def symm(a, b, c):
    c = c.copy()
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            t = 0.0
            for k in range(i):
                c[k, j] += b[i, j] * a[i, k]
                t += b[k, j] * a[i, k]
            c[i, j] = 1.2 * c[i, j] + b[i, j] * a[i, i] + t
    return c


def above_the_diagonal(a, b):
    n = a.shape[0]
    c = np.zeros((n, b.shape[1]))
    for p in range(n):
        for q in range(p + 1, n):
            for j in range(b.shape[1]):
                c[q, j] += a[p, q] * b[p, j]
    return c


TAKEN = {
    gemm: (1.5, A, B),
    rows_of_gemm: (1.5, 0.5, C, A, B),
    factor_ahead: (A, B, RNG.random(9)),
    outermost_adds: (A, B),
    triangle: (RNG.random((9, 9)), A),
    covariance: (A,),
    parts: (A, B),
    vectors: (SQUARE, VECTOR, VECTOR + 1.0),
    stack: (RNG.random((3, 2, 9)), A),
    in_time: (SQUARE, 3),
    triangular_sum: (SQUARE, B),
    weighted: (A, B, VECTOR),
    trmm: (SQUARE, B),
    symm: (SQUARE, B, B + 1.0),
    above_the_diagonal: (SQUARE, B),
}


def elimination(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def into_an_operand(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            for k in range(a.shape[0]):
                a[i, j] += 0.01 * a[i, k] * a[k, j]
    return a


def largest_so_far(a, b):
    best = 0.0
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
                best = max(best, s)
            c[i, j] = s
    return c + best


def of_ints(a, b):
    c = np.zeros((a.shape[0], b.shape[1]), dtype=np.int64)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def tiny(a):
    b = np.zeros((3, 3))
    c = np.ones((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                b[i, j] += c[i, k] * c[k, j]
    return b + a


LEFT = {
    elimination: (SQUARE + 8.0 * np.eye(8),),
    into_an_operand: (SQUARE,),
    largest_so_far: (A, B),
    of_ints: (np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)),
    tiny: (1.5,),
}


def is_told(function, args):
    return "which BLAS computes" in pellucid.compile(function).explain(*args)


@pytest.mark.parametrize("function", [*TAKEN, *LEFT], ids=lambda f: f.__name__)
def test_all_stages_agree(function):
    args = {**TAKEN, **LEFT}[function]
    want, runner = in_python(function, *args), Stages(function)
    for stage in STAGES:
        got = runner.run(stage, *args)
        assert got.error is None, f"{stage} raised {got.error!r}"
        assert np.asarray(got.value).dtype == want.value.dtype
        np.testing.assert_allclose(got.value, want.value, rtol=1e-13, atol=1e-13)
    assert is_told(function, args) == (function in TAKEN)


@pytest.mark.parametrize("function", TAKEN, ids=lambda f: f.__name__)
def test_derivatives_are_those_of_the_loops(function):
    args = TAKEN[function]
    floats, rest = [x for x in args if not isinstance(x, int)], [x for x in args if isinstance(x, int)]

    def squares(given, rest):
        return np.sum(function(*given, *rest) ** 2)

    want = finite_difference_gradient(lambda *given: squares(given, rest), floats, 1e-6)
    got = pellucid.grad(squares)(tuple(floats), tuple(rest))
    weight = float(np.random.default_rng(0).standard_normal(()))  # the oracle weighs the result
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other / weight, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("function", TAKEN, ids=lambda f: f.__name__)
def test_loops_stay_where_they_are_asked_to(function):
    args = TAKEN[function]
    kept = pellucid.compile(function, rewrite=False)
    assert " @ " not in kept.source("typed", *args)
    assert "BLAS" not in kept.explain(*args)
    np.testing.assert_array_equal(kept(*args), function(*args))


SHAPES = {
    gemm: [
        (1.5, A, B[:5]), (1.5, A[:, :5], B), (1.5, A[:0], B[:3]), (1.5, A, B[:3, :0]), (1.5, A[:, :0], B[:0]),
        (1.5, A[:1], B[:, :1]),
    ],
    rows_of_gemm: [
        (1.5, 0.5, C, A[:4], B), (1.5, 0.5, C, A, B[:, :3]), (1.5, 0.5, C, A[:4], B[:3, :2]),
        (1.5, 0.5, C, A[:4], B[:3]), (1.5, 0.5, C[:0], A, B[:2]), (1.5, 0.5, C[:, :0], A[:2], B[:2]),
        (1.5, 0.5, C[:3, :2], A, B),
    ],
    triangle: [(A[:, :8], A[:4]), (A[:4, :8], A), (A[:0, :8], A), (A[:8, :3], A)],
    parts: [(A, B[:, :3]), (A[:, :3], B), (A[:1], B), (A[:0], B), (A, B[:1]), (A, B[:0]), (A, B[:, :1])],
    vectors: [(SQUARE, VECTOR[:3], VECTOR), (SQUARE[:3], VECTOR, VECTOR), (SQUARE, VECTOR, VECTOR[:2])],
    triangular_sum: [(SQUARE[:, :5], B), (SQUARE, B[:5]), (SQUARE[:1], B[:1]), (SQUARE[:0], B), (SQUARE, B[:, :0])],
    weighted: [(A, B, VECTOR[:4]), (A, B[:4], VECTOR), (A[:0], B, VECTOR[:1]), (A[:, :0], B[:0], VECTOR[:0])],
    trmm: [(SQUARE[:5], B), (SQUARE[:, :5], B), (SQUARE, B[:1]), (SQUARE[:0, :0], B[:0]), (SQUARE[:, :7], B)],
    symm: [(SQUARE[:5], B, B), (SQUARE[:, :5], B, B), (SQUARE, B[:5], B), (SQUARE, B[:, :2], B), (SQUARE, B, B[:1]),
           (SQUARE[:, :7], B, B), (SQUARE, B, B[:0])],
    above_the_diagonal: [(SQUARE[:5], B), (SQUARE[:, :5], B), (SQUARE, B[:4]), (SQUARE[:7], B[:7]), (SQUARE[:0], B)],
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


def sums_to_places(a, b, c):
    c = c.copy()
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= 1.2
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def sums_apart(a, b, c):
    c = c.copy()
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total
    return c


def sums_with_a_factor(a, b, c):
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            total += b[i, 0] * a[i, k] * c[k, 0]
    return np.array([total])


def sums_to_slices(a, b, c):
    c = c.copy()
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            c[i, : i + 2] += a[i, k] * b[: i + 2, k]
    return c


WITHOUT_TURNS = sums_to_places, sums_apart, sums_with_a_factor, sums_to_slices


@pytest.mark.parametrize("function", WITHOUT_TURNS, ids=lambda f: f.__name__)
def test_loops_without_turns_see_no_array_that_is_too_short(function):
    rng = np.random.default_rng(3)
    compiled = pellucid.compile(function)
    for _ in range(150):
        arguments = [np.ones(rng.choice((0, 2, 3), 2)) for _ in range(3)]
        want = in_python(function, *arguments)
        if want.error is None:
            np.testing.assert_array_equal(compiled(*arguments), want.value)
        else:
            with pytest.raises(type(want.error)):
                compiled(*arguments)


@pytest.mark.parametrize("shapes", [((0, 1), (0, 0), (0, 1)), ((1, 1), (0, 1), (1, 1)), ((0, 1), (2, 0), (0, 1))])
def test_axes_of_length_one_that_are_not_there(shapes):
    arguments = [np.ones(shape) for shape in shapes]
    want = in_python(sums_apart, *arguments)
    stages = Stages(sums_apart)
    for stage in ("typed", "loops", "llvm"):
        got = stages.run(stage, *arguments)
        assert type(got.error) is type(want.error)


def test_gradients_of_products_are_products():
    def loss(a, b):
        c = gemm(1.0, a, b)
        return np.sum(c * c)

    text = pellucid.grad(loss, (0, 1)).source("reverse", A, B)
    assert text.count(" @ ") == 3


def test_the_option_is_part_of_what_is_compiled():
    rewritten, kept = pellucid.compile(gemm), pellucid.compile(gemm, rewrite=False)
    assert pellucid.compile(rewritten, rewrite=False).__pellucid__.rewrite is False
    assert " @ " in rewritten.source("typed", 1.5, A, B)
    assert " @ " not in kept.source("typed", 1.5, A, B)
