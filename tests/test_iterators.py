"""Iterators are used up: `zip`, `enumerate`, `reversed`, `map`, `filter`, `iter`, `next`, at every stage."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

X, Y = np.array([0.3, 0.6, 2.0, 0.5, 1.5]), np.array([1.0, 2.0, -1.0, 4.0, 0.5])


def gone_over_twice(x, y):
    z, known = zip(x, y), zip((1, 2, 3), (x[0], x[1], x[2]))
    return len(list(z)), len(list(z)), list(known), list(known), sum(a * b for a, b in z)


def gone_over_in_loops(x, y):
    z, total = zip(x, y), 0.0
    for i in range(3):
        for a, b in z:
            total += a * b + i
    return total


def header_first(x, y):
    it, total = iter(x), 0.0
    first = next(it)
    for v in it:
        total += v * first
    return total, list(it)


def headers_first(x, y):
    it, known = enumerate(zip(x, y)), iter((1.0, x[0], 2.0))
    first, _ = next(it), next(it)
    scale, total = next(known), 0.0
    for i, (a, b) in it:
        total += i * a * b
    return first, total, list(it), scale, list(known), next(known, -1.0), next(iter(y), 0.0)


def left_by_a_break(x, y):
    it, total, after = iter(x), 0.0, 0.0
    for v in it:
        total += v
        if total > 1.0:
            break
    for v in it:
        after += v
    return total, after


def left_again_and_again(x, y):
    it, total = iter(x), 0.0
    for i in range(3):
        for v in it:
            total += v + i
            if v > 1.0:
                break
    return total, next(it, -9.0)


def unrolled_and_left(x, y):
    it, total, after = iter((x[0], x[1], x[2])), 0.0, 0.0
    for v in it:
        total += v
        if v > 0.5:
            break
    for v in it:
        after += v
    return total, after


def pairs_of_neighbours(x, y):
    it, total = iter(x), 0.0
    for v in it:
        total += v * next(it, 1.0)
    return total


def until_a_default(x, y):
    it, total = iter(x), 0.0
    while True:
        v = next(it, -100.0)
        if v == -100.0:
            break
        total += v
    return total


def too_many_times(x, y):
    it = iter(x[:2])
    return next(it), next(it), next(it)


def first_that_fits(x, y):
    it = iter(x)
    found = next(v for v in it if v > 1.0)
    return found, list(it)


def passed_on(x, y):
    def total(it):
        result = 0.0
        for v in it:
            result += v
        return result

    it = iter(x)
    next(it)
    return total(it), total(it), total(x)


def on_one_path(x, y):
    z = zip(x, y)
    if x[0] > 0.0:
        next(z)
    return list(z)


def mapped(x, y):
    squares = map(lambda v: v * v, x)
    return list(map(lambda a, b: a * b, x, y)), sum(squares), sum(squares), max(map(abs, y)), list(map(int, y))


def mapped_late(x, y):
    total = 0.0
    for i, v in enumerate(map(lambda v: 1.0 / (v - 0.5), (x[0], x[1], x[3]))):
        total += i * v
        if total > 2.0:
            break
    return total


def filtered(x, y):
    kept = [v for v in filter(None, (None, x[0], 0, x[1]))]
    return list(filter(lambda v: v > 0.5, x)), list(filter(None, x)), kept, sum(filter(lambda v: v < 1.0, x))


def filtered_late(x, y):
    total = 0.0
    for v in filter(lambda v: 1.0 / (v - 0.5) > 0.0, (x[0], x[1], x[2], float(x[3]))):
        total += v
        if total > 2.0:
            break
    return total


def first_that_is_kept(x, y):
    return next(filter(lambda v: v > 0.5, x)), next(map(abs, filter(lambda v: v > 9.0, x)), -1.0)


def filtered_among_others(x, y):
    twice = [v for v in map(lambda v: 2.0 * v, filter(lambda v: v > 0.5, x))]
    total = 0.0
    for k, v in enumerate(filter(lambda v: v > 0.4, x), 3):
        for a, b in zip(filter(None, y), x):
            total += k * v * a - b
            if total > 20.0:
                break
    both = list(filter(lambda v: v < 0.9, filter(lambda v: v > 0.4, x)))
    return twice, total, both, sum(map(lambda a, b: a * b, filter(None, x), y)), {v for v in filter(None, (1, 0, 3))}


def until_the_test_fails(x, y):
    total = 0.0
    for v in map(lambda v: v, filter(lambda v: 1.0 / (v - 0.5) > 0.0, (float(x[0]), float(x[1]), 0.75, 0.5))):
        total += v
        if total > 100.0:
            break
    return total


def next_of_nothing(x, y):
    return next(zip([], [1.0]), 2.0), next(map(lambda a, b: a + b, [x[0]], (1.0, 2.0))), next(zip([], []))


def next_beside_an_array(x, y):
    both = zip([1.0, 2.0], x)
    return next(both), next(both), next(both, (0.0, 9.0)), next(map(lambda a, b: a, [], x), 3.0), next(both)


def of_its_class(x, y):
    kept = filter(None, x)
    return isinstance(kept, filter), isinstance(zip(x, y), zip | map), isinstance(reversed((1, 2)), enumerate)


def reversed_before_it_grows(x, y):
    xs = [v for v in x if v > 0.4]
    back = reversed(xs)
    xs.append(3.0)
    return list(back), list(reversed(xs)), [i for i in reversed(range(len(x)))]


def reversed_before_it_shrinks(x, y):
    xs, known = [v for v in x if v > 0.4], [1, 2, 3]
    back, behind = reversed(xs), reversed(known)
    xs.pop()
    known.pop()
    return list(back), list(behind)


def counted_from_elsewhere(x, y):
    numbered = enumerate(x, 3)
    i, v = next(numbered)
    return i, v, list(numbered), bool(numbered)


def of_one_length(x, y):
    return [a * b for a, b in zip(x, y, strict=True)]


def not_of_one_length(x, y):
    return [a * b for a, b in zip(x, y[1:], strict=True)]


def put_into_a_list(x, y):
    xs, it = [1.0], iter(x)
    xs.append(next(it))
    xs.extend(it)
    xs += it
    return xs


def into_dicts_and_slices(x, y):
    d, xs = {"a": 0.0}, [1.0, 2.0, 3.0]
    d.update(zip(("a", "b"), (x[0], y[0])))
    xs[1:2] = map(lambda v: v * 2.0, (x[0], x[1]))
    return d, dict(enumerate((x[0], y[1]))), xs, [*zip((1, 2), (x[0], x[1]))], max(*map(abs, (x[0], y[2])))


PROGRAMS = [
    into_dicts_and_slices,
    gone_over_twice, header_first, headers_first, too_many_times, passed_on, mapped, mapped_late,
    filtered, filtered_late, first_that_is_kept, filtered_among_others, until_the_test_fails, of_its_class,
    next_of_nothing, next_beside_an_array, reversed_before_it_grows, reversed_before_it_shrinks, counted_from_elsewhere,
    of_one_length, not_of_one_length, put_into_a_list,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_it_is_in_python(program):
    stages = Stages(program)
    for arguments in ((X, Y), (X[:4], Y[:4])):
        want = in_python(program, *arguments)
        for stage in STAGES:
            assert_same(stages.run(stage, *arguments), want)


@pytest.mark.parametrize("program", [
    lambda x: sum(map(lambda v: v * v, x)),
    lambda x: sum(filter(lambda v: v > 0.55, x)) ** 2,
    lambda x: sum(a * b for a, b in zip(x, reversed(x))),
    lambda x: header_first(x, x)[0] * x[0],
])  # fmt: skip
def test_slopes_go_through_iterators(program):
    slope = np.asarray(pellucid.grad(program)(X))
    steps = 1e-6 * np.eye(len(X))
    assert np.allclose(slope, [(program(X + h) - program(X - h)) / 2e-6 for h in steps], rtol=1e-5, atol=1e-7)


def asked_while_another_has_it(x, y):
    it = iter(x)
    z = zip(it, y)
    return next(it), list(z)


def asked_whether_it_is_in(x, y):
    it = iter(x)
    return 2.0 in it, list(it)


def asked_whether_any_is(x, y):
    it = map(lambda v: v > 1.0, x)
    return any(it), list(it)


def more_than_the_first(x, y):
    kept = filter(None, x)
    for v in kept:
        if v > 0.5:
            break
    return list(kept)


REFUSED = [
    (asked_whether_any_is, "R003"),
    (asked_while_another_has_it, "R003"), (asked_whether_it_is_in, "R003"), (lambda x, y: len(zip(x, y)), "T001"),
    (lambda x, y: zip(x, y)[0], "T001"), (lambda x, y: zip(x, y), "T003"), (lambda x, y: np.array(map(abs, x)), "T001"),
    (lambda x, y: np.sum(zip(x, y)), "T001"), (lambda x, y: next(x), "T001"), (lambda x, y: reversed(iter(x)), "T001"),
    *((program, "R003") for program in (
        more_than_the_first, gone_over_in_loops, left_by_a_break, left_again_and_again, unrolled_and_left,
        pairs_of_neighbours, until_a_default, first_that_fits, on_one_path,
    )),
]  # fmt: skip


@pytest.mark.parametrize("program, code", REFUSED)
def test_what_is_not_known_of_an_iterator_is_refused(program, code):
    with pytest.raises(CompileError) as refused:
        pellucid.compile(program)(X, Y)
    assert [d.code for d in refused.value.diagnostics] == [code]
    assert any(word in str(refused.value) for word in ("list(...)", "iter(...)", "next(v for"))
