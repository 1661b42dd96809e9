"""Comprehensions and generator expressions over what is known only at run time, and what takes generators apart."""

import numpy as np
import pytest

import pellucid
from tests.harness.stages import assert_same_at_all_stages

pytestmark = pytest.mark.drawn(5)

X = np.array([0.3, 1.2, -2.5, 0.7, 1.9, 5.5, -1.0])


def unpacked(x):
    a, b, c = (v * 2.0 for v in (x[0], x[1], x[2]))
    return a + b * c


def chosen(x):
    return [v * v for v in x if v > 0.0 if v < 2.0]


def an_array_of_them(x):
    return np.array([v * v for v in x]), np.array([np.array([v, 2.0 * v]) for v in x])


def added(x):
    return sum(v * v for v in x if v > 0), sum((v for v in x), 1.5), sum(float(v) for v in x)


def quantified(x):
    return any(v > 5 for v in x), all(v > -10 for v in x), any(v > 9 for v in x), all(v > 0 for v in x)


def not_looked_at(x):
    """The items after the first that decides would fail."""
    n = len(x)
    first = next(x[i] for i in range(n + 5))
    return any(x[i + 1] > x[i] for i in range(n)), all([1, 2][i] > 5 for i in range(n)), first


def extremes(x):
    return max(v * v for v in x), min(abs(v) for v in x)


def first_found(x):
    n = len(x)
    return next(i for i in range(n) if x[i] < 0), next((i for i, v in enumerate(x) if v > 100), -1)


def none_found(x):
    return next(v for v in x if v > 100.0)


def nested(x):
    n = len(x)
    return [x[i] * x[j] for i in range(n) for j in range(i) if x[j] > 0.0]


def names_of_its_own(x):
    v = 3.0
    found = [v for v in x if v > 1]
    return v, len(found), found


def of_lists_that_grow(x):
    xs = []
    for v in x:
        if v > 0:
            xs.append(v)
    ys = [2 * v for v in xs]
    zs = [a + b for a, b in zip(xs, ys)]
    return ys, zs, sum(y for y in ys)


def within_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += sum(x[j] for j in range(i))
        if any(x[j] > 5 for j in range(i)):
            total += 1.0
    return total


def of_other_types(x):
    return [float(v) for v in x], [i * 2 for i in range(len(x))], [v > 0 for v in x], [v > 0.0 and v < 1.0 for v in x]


def of_what_is_known(x):
    pair = x[0], x[1]
    return any(v > 0.5 for v in pair), next((v for v in pair if v > 1.0), 7.0), [k for k in (1, 2) if k > 1]


def with_conditions_of_the_run(x):
    return [v for v in (x[0], x[1], x[2]) if v > 0.0]


def an_assignment_inside(x):
    last = 0.0
    running = [last := last + v for v in x]
    return running, last


PROGRAMS = [
    unpacked, chosen, an_array_of_them, added, quantified, not_looked_at, extremes, first_found, none_found, nested,
    names_of_its_own, of_lists_that_grow, within_a_loop, of_other_types, of_what_is_known, with_conditions_of_the_run,
    an_assignment_inside,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_it_is_in_python(program):
    assert_same_at_all_stages(program, (X, X[:4]))


@pytest.mark.parametrize("program", [
    lambda x: sum(v * v for v in x if v > 0),
    lambda x: sum([a * b for a, b in zip(x, x[::-1])]),
    lambda x: np.prod(np.array([np.sin(v) for v in x])),
    lambda x: max(v * v for v in x),
])  # fmt: skip
def test_slopes_go_through_it(program):
    slope = np.asarray(pellucid.grad(program)(X))
    steps = 1e-6 * np.eye(len(X))
    assert np.allclose(slope, [(program(X + h) - program(X - h)) / 2e-6 for h in steps], rtol=1e-5, atol=1e-8)


def kept_generator(x):
    values = (v * v for v in x)
    return sum(values)


def looped_generator(x):
    total = 0.0
    for v in (v * v for v in x):
        total += v
    return total


@pytest.mark.parametrize("program", [kept_generator, looped_generator], ids=lambda f: f.__name__)
def test_a_generator_that_has_a_name_or_a_loop_gives_its_items(program):
    assert pellucid.compile(program)(X) == program(X)


def test_of_a_condition_only_the_truth_is_wanted():
    def peaks(x, gap):
        found, pairs = [], []
        for i in range(1, len(x) - 1):
            if found and i - found[-1] < gap or not x[i] > x[i - 1]:
                continue
            if not (found and pairs and pairs[-1][1] > x[i]) and x[i]:
                pairs.append((i, x[i]))
            found.append(i)
        while pairs and len(found) > 1 and pairs[-1][1] > 0.5:
            pairs.pop()
            found.pop()
        return found, pairs, [1 if found and v else 0 for v in x]

    for x in (np.array([0.1, 0.5, 0.2, 0.9, 1.0, 0.3, 0.4, 0.0, 2.0, 1.0]), np.array([1.0, 0.5, 0.6])):
        assert repr(pellucid.compile(peaks)(x, 2)) == repr(peaks(x, 2))


def test_a_list_has_the_name_that_it_is_given():
    def f(x):
        kept = [v * v for v in x if v > 0.0]
        return sum([v for v in kept if v < 9.0])

    text = pellucid.compile(f).source("typed", "f64[n]")
    assert "kept = []" in text and "items = []" in text
