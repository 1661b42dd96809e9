"""Kernels of loops that store or add where data says: few places, more than shared memory holds, and repeated ones."""

import types

import numpy as np
import pytest

from pellucid.compiler.request import Gradient

from .harness.stages import Stages, assert_same, in_python
from .test_gradients import scalarised

SIZES = (33, 0, 32)


def added(x, p, k: int):
    out = np.ones(k)
    for i in range(x.shape[0]):
        out[p[i] % k] += x[i] * 2.0
    return out


def taken_away(x, p, k: int):
    out = np.zeros(k, np.float32)
    for i in range(3, x.shape[0]):
        out[-1 - p[i] % k] -= np.float32(x[i])
    return out


def added_where_positive(x, p, k: int):
    out = np.zeros(k)
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y = x[i] ** 2
            if y < 1.0:
                out[p[i] % k] += y
    return out


def weighted_counts(x, p, k: int):
    return np.bincount(p % k, x, k) if len(x) else np.zeros(k)


def counts(x, p, k: int):
    return np.bincount(p % k, minlength=k), np.bincount(p)


def added_at(x, p, k: int):
    out = np.zeros(k)
    np.add.at(out, p % k, x)
    return out


def of_two_axes(x, p, k: int):
    out = np.zeros((k // 8, 8))
    for i in range(x.shape[0]):
        for j in range(8):
            out[p[i] % (k // 8), (p[i] + j) % 8] += x[i] * j
    return out


def of_both_ends(x, p, k: int):
    y = np.zeros(k)
    for i in range(x.shape[0]):
        y[i % k] += x[i] * 0.5
        y[p[i] % k] += x[i] * 3.0
    return y


def ints_of_each(x, p, k: int):
    many, best, least = np.zeros(k, np.int32), np.zeros(k, np.int64), np.full(k, 9)
    for i in range(x.shape[0]):
        place = p[i] % k
        many[place] -= 1
        best[place] = np.maximum(best[place], i)
        if x[i] > 0.0:
            least[k - 1 - place] = np.minimum(least[k - 1 - place], p[i])
    return many, best, least


def ints_of_runs(x, p, k: int):
    out = np.zeros(k, np.int64)
    for i in range(p.shape[0]):
        for j in range(p[i] % 7):
            out[(p[i] + j * j) % k] += j + i
    return out


def too_far(x, p, k: int):
    out = np.zeros(k)
    for i in range(x.shape[0]):
        out[p[i] * 1000] += x[i]
    return out


def convolved(x, p, k: int):
    out = np.zeros(110)
    for i in range(x.shape[0]):
        for j in range(5):
            out[i + j] += x[i] * j
    return out


def stored(x, p, k: int):
    out = np.zeros(k)
    out[p % k] = x * 2.0
    out[-1 - p % 3] = x
    return out


def stored_by_hand(x, p, k: int):
    out, places = np.zeros(k), np.full((4, k), -7)
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            out[(p[i] + k // 2) % k] = x[i]
    for i in range(2, x.shape[0]):
        places[p[i] % 4, i % 5] = i
    return out, places


def stored_from_rows(x, p, k: int):
    out = np.zeros(k, np.float32)
    for i in range(x.shape[0]):
        for j in range(3):
            out[(p[i] + j) % k] = x[i] * j
    return out


def stored_too_far(x, p, k: int):
    out = np.zeros(8)
    for i in range(x.shape[0]):
        out[p[i] // 3 * 2] = x[i]
    return out


def complex_numbers_added(x, p, k: int):
    out = np.zeros(k, np.complex128)
    for i in range(x.shape[0]):
        out[p[i] % k] += x[i] * (1.0 + 2.0j)
    return out


def over_negative_lengths(x, p, k: int):
    out, y, n = np.zeros(k), np.zeros((9, 9, 8)), x.shape[0] - 40
    for i in range(n):
        for j in range(n):
            out[p[i] % k] += x[j]
    for i in range(n):
        for j in range(n):
            for l in range(8):
                y[i, j, l] = 1.0
    return out, y


def gathered(x, p, k: int):
    return x[p], np.sum(x[p % 3] * x)


ALL = (
    added, taken_away, added_where_positive, weighted_counts, counts, added_at, of_two_axes, of_both_ends, ints_of_each,
    ints_of_runs, too_far, convolved, gathered, stored, stored_by_hand, stored_from_rows, stored_too_far,
    over_negative_lengths, complex_numbers_added,
)  # fmt: skip
SMOOTH = (added, added_where_positive, weighted_counts, added_at, of_two_axes, of_both_ends, gathered, stored)


def arguments(size, places, seed=0):
    random = np.random.default_rng((size, seed))
    return random.uniform(-2.0, 2.0, size), random.integers(0, max(size, 1), size), places


@pytest.mark.parametrize("places", [16, 1600])
@pytest.mark.parametrize("function", ALL, ids=lambda function: function.__name__)
def test_scatters_give_what_python_gives(function, places):
    stages = Stages(function)
    for size in SIZES:
        given = arguments(size, places)
        assert_same(stages.run("kernels", *given), in_python(function, *given))
    assert "@host" not in stages.texts["kernels"]


@pytest.mark.parametrize("places", [16, 1600])
@pytest.mark.parametrize("function", SMOOTH, ids=lambda function: function.__name__)
def test_slopes_of_scatters_are_those_of_loops(function, places):
    for size in (33, 0) if function is not gathered else (9, 1100):
        problem = scalarised(types.SimpleNamespace(function=function), arguments(size, places))
        stages = Stages(problem.function, [Gradient(problem.argnums)])
        assert_same(stages.run("kernels", *problem.args), stages.run("loops", *problem.args))
    assert "@host" not in stages.texts["kernels"]


def test_what_no_turn_comes_to_stays_as_it_is_and_so_do_zeros_with_a_sign():
    def function(x, p, k: int):
        out = np.full(k, -0.0)
        for i in range(x.shape[0]):
            out[p[i]] += x[i]
        return out

    stages = Stages(function)
    for places in (8, 2000):
        got = stages.run("kernels", np.array([-0.0, -0.0, 0.0, 1.0]), np.array([2, 2, 3, 4]), places).value
        want = np.full(places, -0.0)
        want[3], want[4] = 0.0, 1.0
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def test_runs_of_several_blocks():
    """A place that thousands of turns come to, beside those that one comes to."""
    stages = Stages(added)
    random = np.random.default_rng(1)
    p = np.where(random.uniform(0.0, 1.0, 9000) < 0.4, 1500, random.integers(0, 70000, 9000))
    given = random.uniform(-1.0, 1.0, 9000), p, 70000
    assert_same(stages.run("kernels", *given), in_python(added, *given))
    assert "place_by_digits" in stages.texts["kernels"]


def test_weights_of_nothing_are_refused_since_numpy_gives_ints_there():
    def function(p, w):
        return np.bincount(p, w, 3)

    nothing = np.zeros(0, np.int64), np.zeros(0)
    assert function(*nothing).dtype == np.int64 and function(np.array([1]), np.ones(1)).dtype == np.float64
    stages = Stages(function)
    for stage in ("loops", "kernels"):
        error = stages.run(stage, *nothing).error
        assert isinstance(error, TypeError) and "gives int64 where there is nothing to count" in str(error)
    assert_same(stages.run("loops", np.array([1, 1]), np.ones(2)), in_python(function, np.array([1, 1]), np.ones(2)))
