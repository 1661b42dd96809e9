"""Lists of numbers that are read and changed at places known only at run time, and lists that leave a loop early."""

import numpy as np
import pytest

import pellucid
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

X = np.array([0.3, 1.2, -2.5, 0.7, 1.9, 5.5, -1.0])


def histogram(x):
    counts = [0] * 5
    for v in x:
        counts[int(v) % 5] += 1
    return counts


def weighted_histogram(x):
    sums = [0, 0, 0]
    for i in range(len(x)):
        sums[i % 3] += x[i]
    return sums


def breadth_first(x):
    queue = [0]
    head = 0
    seen = np.zeros(len(x), dtype=bool)
    while head < len(queue):
        k = queue[head]
        head += 1
        if seen[k]:
            continue
        seen[k] = True
        queue.append((k * 2 + 1) % len(x))
        queue.append((k * 3 + 2) % len(x))
    return seen, queue


def union(x):
    parent = [0, 1, 2, 3, 4]

    def find(p, i):
        while p[i] != i:
            i = p[i]
        return i

    for k in range(len(x) - 1):
        a, b = find(parent, k % 5), find(parent, (k * 2) % 5)
        if a != b:
            parent[a] = b
    return parent


def sieve(x):
    n = len(x) + 3
    prime = [True] * 10
    for i in range(2, n):
        if prime[i]:
            j = i * i
            while j < n:
                prime[j] = False
                j += i
    return prime


def two_names(x):
    a = [1.0, 2.0, 3.0]
    b = a
    for i in range(len(x)):
        b[i % 3] = x[i]
    return a is b, a, b


def new_in_each_turn(x):
    total = 0.0
    for i in range(len(x)):
        pair = [1.0, 2.0]
        pair[i % 2] += x[i]
        total += pair[0] * pair[1]
    return total


def out_of_range(x):
    return [1, 2, 3][len(x)]


def left_early(x):
    found = []
    for v in x:
        if v > 1.5:
            return len(found), found
        found.append(v)
    return 0, found


def rows_left_early(x):
    kept = []
    for row in np.outer(x, x[:3]):
        if len(kept) > 3:
            return kept
        kept.append(row)
    return kept


def primes(x):
    found = []
    k = 2
    while True:
        ok = True
        for p in found:
            if k % p == 0:
                ok = False
                break
        if ok:
            found.append(k)
            if len(found) == len(x):
                return found
        k += 1


PROGRAMS = [
    histogram, weighted_histogram, breadth_first, union, sieve, two_names, new_in_each_turn, out_of_range, left_early,
    rows_left_early, primes,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_it_is_in_python(program):
    stages, want = Stages(program), in_python(program, X)
    for stage in STAGES:
        assert_same(stages.run(stage, X), want)


def sorted_by_insertion(numbers):
    numbers = list(numbers)
    for i in range(len(numbers)):
        j = i
        while j > 0 and numbers[j - 1] > numbers[j]:
            numbers[j - 1], numbers[j] = numbers[j], numbers[j - 1]
            j -= 1
    return numbers


def one_of(numbers, i):
    return numbers[i]


@pytest.mark.parametrize("length", [3, 8, 9, 12])
@pytest.mark.parametrize("kind", [int, float])
def test_a_list_argument_of_any_length_is_indexed(length, kind):
    numbers = [kind((7 * k) % 5) for k in range(length)]
    sort, item = pellucid.compile(sorted_by_insertion), pellucid.compile(one_of)
    assert sort(numbers) == sorted(numbers) and all(type(v) is kind for v in sort(numbers))
    assert [item(numbers, i) for i in range(-length, length)] == numbers * 2
    with pytest.raises(IndexError):
        item(numbers, length)


def test_no_digits_are_lost_in_a_list():
    def put(n):
        numbers = [0.5]
        for i in range(2):
            numbers.append(n + i)
        return numbers

    compiled = pellucid.compile(put)
    assert compiled(3) == put(3)
    with pytest.raises(OverflowError):
        compiled(2**53 + 1)


def test_slopes_go_through_a_list_that_is_changed_in_turn():
    def f(x):
        w = [0.0, 0.0, 0.0]
        for i in range(len(x)):
            w[i % 3] += x[i] * x[i]
        return w[0] * w[1] + w[2]

    slope = np.asarray(pellucid.grad(f)(X))
    steps = 1e-6 * np.eye(len(X))
    assert np.allclose(slope, [(f(X + h) - f(X - h)) / 2e-6 for h in steps], rtol=1e-6)


def test_items_without_dimensions_stay_arrays():
    result = pellucid.compile(lambda numbers: numbers[0])([np.array(1.5)] * 9)
    assert np.asarray(result).shape == () and isinstance(result, pellucid.Array)


@pytest.mark.parametrize("program", [lambda xs, ys: [a + b for a, b in zip(xs, ys)], lambda xs, ys: [x for x in xs]])
def test_a_comprehension_over_a_length_of_the_run_is_a_list_that_grows(program):
    for n in (9, 12):
        args = [1] * n, [1.5] * n
        assert pellucid.compile(program)(*args) == program(*args)


def heap_sums(x):
    sums = []
    for i in range(len(x)):
        above = sums[(i - 1) // 2] if i > 0 else 0.0
        sums.append(above + x[i])
    return np.array(sums)


def earlier_items(x):
    found = []
    k = 0
    while k < len(x):
        best = 0.0
        if k > 1:
            found[k - 2] += 0.25
            for j in range(k):
                best = max(best, found[j])
        found.append(x[k] - 0.5 * best)
        k += 1
    return np.array(found)


def read_too_early(x):
    found = []
    for i in range(len(x)):
        last = found[i // 2]
        found.append(last + x[i])
    return np.array(found)


@pytest.mark.parametrize("function", [heap_sums, earlier_items, read_too_early])
def test_a_list_that_is_empty_at_first_is_read_at_computed_places(function):
    stages = Stages(function)
    for x in (X, X[:2], X[:0]):
        want = in_python(function, x)
        for stage in STAGES:
            assert_same(stages.run(stage, x), want)
