"""Lists of any length as arguments: one compilation serves all lengths, and they are lists as in CPython."""

from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from pellucid.flatten import MOST_APART
from tests.harness.corpus import map_leaves
from tests.harness.stages import STAGES, Outcome, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)


class Point(NamedTuple):
    x: float
    y: float


def of_numbers(items):
    total = 0.0
    for i, v in enumerate(items):
        total += i * v
    return total, len(items), items[0], items[-1], sum(items), max(items), min(items), items[1] in items


def as_arrays(items):
    return np.array(items) * 2.0, np.mean(np.asarray(items)), items


def copies_and_slices(items):
    rest, all_ = items[1:], list(items)
    rest.append(7.0)
    all_[0] = 3.0
    return rest, all_, items[2:4], items.copy()


def of_pairs(pairs):
    total = 0.0
    for x, y in pairs:
        total += x * y
    return total, pairs[3], pairs[-1][0], np.array(pairs)


def of_points(points):
    total = 0.0
    for p in points:
        total += p.x - p.y
    return total, points[2]


def of_arrays(rows):
    total = 0.0
    for row in rows:
        total += row.sum()
    return total, rows[1], np.array(rows)


def walked_together(items):
    total = 0.0
    for a, b in zip(items, items[1:]):
        total += a * b
    return total


def as_it_is(items):
    return items


def indexed_out_of_range(items):
    return items[len(items)]


def unpacked(items):
    a, b, c = items
    return a + b + c


def numbers(n):
    return [0.5 * k - 1.0 for k in range(n)]


def pairs(n):
    return [(0.5 * k, 1.0 - k) for k in range(n)]


def plain(leaf):
    return np.asarray(leaf) if isinstance(leaf, pellucid.Array) else leaf


LENGTHS = (MOST_APART + 1, 20, 57)
PROGRAMS = [
    (of_numbers, numbers), (of_numbers, lambda n: list(range(n))), (of_numbers, lambda n: list(np.linspace(0, 1, n))),
    (as_arrays, numbers), (copies_and_slices, numbers), (of_pairs, pairs), (walked_together, numbers),
    (of_points, lambda n: [Point(*p) for p in pairs(n)]), (of_arrays, lambda n: [np.full((2, 3), k) for k in range(n)]),
    (as_it_is, lambda n: [True] * n), (as_it_is, lambda n: [(1, (2.0, np.float32(k))) for k in range(n)]),
    (as_it_is, lambda n: [np.arange(3.0) * k for k in range(n)]), (indexed_out_of_range, numbers), (unpacked, numbers),
]  # fmt: skip


@pytest.mark.parametrize("program, make", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_a_long_list_is_what_it_is_in_python(program, make):
    stages, compiled = Stages(program), pellucid.compile(program)
    for length in LENGTHS:
        want = in_python(program, make(length))
        for stage in STAGES:
            assert_same(stages.run(stage, make(length)), want)
        for _ in range(3 if want.error is None else 0):
            assert_same(Outcome(map_leaves(plain, compiled(make(length)))), want)
    assert len(stages._derived) == 1


@pytest.mark.parametrize("length", [MOST_APART, MOST_APART + 1, 300])
def test_slopes_come_back_in_the_list(length):
    def loss(items, points, rows):
        total = 0.0
        for v in items:
            total += v * v
        for x, y in points:
            total += x * x * y
        for row in rows:
            total += np.sum(row * row)
        return total

    items, points = numbers(length), pairs(length)
    rows = [np.arange(2.0) + k for k in range(length)]
    slopes = pellucid.grad(loss, argnums=(0, 1, 2))(items, points, rows)
    np.testing.assert_allclose(slopes[0], [2.0 * v for v in items])
    np.testing.assert_allclose(slopes[1], [(2.0 * x * y, x * x) for x, y in points])
    np.testing.assert_allclose(slopes[2], [2.0 * row for row in rows])
    assert type(slopes[0]) is list and type(slopes[0][0]) is float and type(slopes[1][0]) is tuple


def test_other_lists_are_taken_apart():
    @pellucid.compile
    def mixed(items):
        return len(items), items[-1], items[0]

    long = [1.0] * 20
    assert mixed([*long, "a"]) == (21, "a", 1.0)
    assert mixed([*long, 2]) == (21, 2, 1.0)
    assert mixed([*long, (1.0,)]) == (21, (1.0,), 1.0)


def test_a_list_that_the_caller_sees_is_not_changed():
    @pellucid.compile
    def grown(items):
        held = (items, 1.0)
        first = held[0]
        first.append(1.0)
        return first

    with pytest.raises(CompileError) as refused:
        grown(numbers(30))
    assert refused.value.diagnostics[0].code == "P014"
