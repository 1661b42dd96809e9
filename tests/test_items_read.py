"""What is read from a list that grows and then changed: objects in loops and under names, arrays where they stand."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import assert_same_at_all_stages

pytestmark = pytest.mark.drawn(5)

X = np.array([3.0, 1.0, 2.0])


class Body:
    def __init__(self, place, mass):
        self.place = place
        self.mass = mass
        self.is_light = True
        self.seen = []

    def kick(self, by):
        self.place += by
        self.mass *= 0.5

    def meet(self, other):
        self.mass += other.mass


class Cell(NamedTuple):
    values: np.ndarray
    weight: float


def bodies(n):
    return [Body(np.zeros(3), 1.0 * i) for i in range(n)]


# --- objects ---------------------------------------------------------------------------------------------------------


def gone_over(x, n):
    found = bodies(n)
    for i in range(n):
        found[i].mass += 1.0
        found[i].mass = found[i].mass * 2.0
        found[i].kick(x)
    for b in found:
        if b.mass > 1.0:
            b.mass -= 0.25
        for _ in range(n):
            b.kick(x)
        b.place[0] = 1.0
    return [b.mass for b in found], [b.place for b in found]


def pairs(x, n):
    found = bodies(n)
    for i in range(n):
        for j in range(i, n):
            a = found[i]
            b = found[j]
            d = b.mass - a.mass + x[0]
            a.mass += d
            b.mass -= d
            b.meet(a)
    return [b.mass for b in found]


def all_with_all(x, n):
    found = bodies(n)
    for b in found:
        for other in found:
            b.mass += 0.5 * other.mass
        b.meet(found[0])
    return [b.mass for b in found]


def under_a_name(x, n):
    found = bodies(n)
    b, c = found[1], found[n - 3]
    old = b.mass
    b.mass = 5.0
    if x[0] > 0.0:
        b.mass = old
    else:
        b.mass = 3.0
    for k in range(n):
        b.mass = b.mass * 2.0 + k
        if k > 2:
            old = b.mass
    return [b.mass for b in found], old, b.mass, c.mass


def lists_inside(x, n):
    found, rows = bodies(n), [[v] * n for v in x]
    for b in found:
        b.seen.append(b.mass)
        b.is_light = b.mass < 2.0
    for i in range(n):
        found[i].seen.append(2.0)
    for row in rows:
        for j in range(n):
            row[j] += j
        row[0], row[1] = row[1], row[0]
    return [sum(b.seen) for b in found], [b.is_light for b in found], rows


def dicts_inside(x, n):
    found = [{"sum": 0.0, "parts": [0.0, 0.0]} for _ in range(n)]
    for k, d in enumerate(found):
        d["sum"] += x[k % 3]
        d["parts"][1] = 2.0 * d["sum"]
    return [d["sum"] + d["parts"][1] for d in found]


def after_an_exception(x, n):
    rows = [[v, v] for v in x]
    row = rows[0]
    for i in range(n):
        try:
            row[i] = 7.0
        except IndexError:
            row[0] += 1.0
    return rows


def made(x):
    for k, v in enumerate(x):
        yield Body(np.zeros(2), v + k)


def listed_and_gone_over(x, n):
    found = list(made(x))
    for b in found:
        if b.mass > 2.5:
            b.is_light = False
    kept = [b for b in found if b.is_light]
    return [b.mass for b in kept], [b.is_light for b in found]


# --- arrays ----------------------------------------------------------------------------------------------------------


def arrays(x, n):
    layers = [np.zeros((2, 3)) for i in range(n)]
    for i in range(n):
        layers[i][1, 2] = 2.0 * i
        layers[i][0] += x
        layers[i][0][1] += 1.0
        layers[i][:, 0] -= 1.0
        layers[n - 1 - i] *= 2.0
    return np.array(layers)


def arrays_of_a_known_list(x, n):
    rows = [np.zeros(3), np.ones(3), x * 2.0]
    rows[n % 3][1] = 5.0
    rows[n % 3] += 1.0
    return rows[0] + rows[1] * rows[2]


def arrays_in_items(x, n):
    pairs, dicts = [(np.zeros(3), 1.0) for _ in range(n)], [{"w": np.zeros(3), "b": 1.0} for _ in range(n)]
    cells = [Cell(np.zeros(3), 1.0) for _ in range(n)]
    for i in range(n):
        pairs[i][0][1] = 2.0 * i
        pairs[i][0][:1] += pairs[i][1]
        dicts[i]["w"][1] = 2.0 * i
        dicts[i]["w"] -= x * 0.5
        dicts[i]["b"] += 1.0
        cells[i].values[0] = i
        cells[i].values[:] += x
    return [p[0] for p in pairs], [d["w"] * d["b"] for d in dicts], [c.values for c in cells]


def arrays_by_key(x, n):
    sums, counts = {}, defaultdict(lambda: np.zeros(3))
    for i in range(n):
        sums[int(x[i % 3])] = np.zeros(3)
    for i in range(n):
        sums[int(x[i % 3])][i % 3] += 1.0
        sums[int(x[i % 3])] *= 2.0
        counts[int(x[i % 3])][i % 3] += 1.0
    return sums, dict(counts)


def arrays_in_a_try(x, n):
    rows = [np.zeros(3) for _ in range(n)]
    try:
        rows[n - 1][n - 1] = 1.0
    except IndexError:
        rows[0][0] = 7.0
    return rows


# --- objects in several places, which are kept in pools ---------------------------------------------------------------


def best_of_them(x, n):
    found = bodies(n)
    best = found[0]
    for b in found:
        if b.mass > best.mass:
            best = b
    best.mass = -1.0
    return [b.mass for b in found]


def after_the_list_has_changed(x, n):
    found = bodies(n)
    b = found[1]
    found.pop(0)
    b.mass = 7.0
    return [b.mass for b in found]


def after_one_path_has_changed_it(x, n):
    found = bodies(n)
    b = found[1]
    if x[0] > 0.0:
        found.pop(0)
    else:
        b.mass = 2.0
    b.mass = 7.0
    return [b.mass for b in found]


def item_of_two_lists(x, n):
    found = bodies(n)
    others = list(found)
    for b in found:
        b.mass = 7.0
    return [b.mass for b in others]


def some_of_them(x, n):
    found = bodies(n)
    kept = [b for b in found if b.mass > 1.0]
    for b in kept:
        b.mass = 7.0
    return [b.mass for b in found]


def put_in_and_changed(x, n):
    found = []
    for i in range(n):
        b = Body(x * i, 1.0)
        found.append(b)
        b.mass = 3.0
    return [b.mass for b in found]


PROGRAMS = [
    gone_over, pairs, all_with_all, under_a_name, lists_inside, dicts_inside, after_an_exception, arrays,
    listed_and_gone_over,
    arrays_of_a_known_list, arrays_in_items, arrays_by_key, arrays_in_a_try,
    best_of_them, after_the_list_has_changed, after_one_path_has_changed_it, item_of_two_lists, some_of_them,
    put_in_and_changed,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_it_is_in_python(program):
    assert_same_at_all_stages(lambda x: program(x, len(x) + 1), (X, X + 0.5))


@pytest.mark.parametrize("program", [
    lambda x: sum(gone_over(x, len(x))[0]) * x[0] + np.sum(gone_over(x, len(x))[1][2] ** 2),
    lambda x: np.sum(arrays(x, len(x)) ** 2),
    lambda x: np.sum(arrays_in_items(x, len(x))[1][1] * x),
])  # fmt: skip
def test_slopes_go_through_what_is_changed(program):
    slope = np.asarray(pellucid.grad(program)(X))
    steps = 1e-6 * np.eye(len(X))
    assert np.allclose(slope, [(program(X + h) - program(X - h)) / 2e-6 for h in steps], rtol=1e-5, atol=1e-7)


# --- what is refused -------------------------------------------------------------------------------------------------


def one_array_twice(x, n):
    row, rows = np.zeros(3), []
    for _ in range(n):
        rows.append(row)
    rows[0][0] = 1.0
    return rows[1]


def one_array_repeated(x, n):
    rows = [np.zeros(3)] * n
    rows[0][0] = 1.0
    return rows[1]


def swapped(x, n):
    rows = [np.zeros(3) for _ in range(n)]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0][0] = 1.0
    return rows


def array_put_in(x, n):
    rows = []
    for _ in range(n):
        row = np.zeros(3)
        rows.append(row)
    rows[n - 1][0] = 1.0
    return row


def array_read(x, n):
    rows = [np.zeros(3) for _ in range(n)]
    row = rows[1]
    rows[1][0] = 1.0
    return row


def array_of_another_list(x, n):
    rows = [np.zeros(3) for _ in range(n)]
    others = rows[:]
    rows[0][0] = 1.0
    return others


def array_of_an_object(x, n):
    found = bodies(n)
    for b in found:
        place = b.place
        b.place += x
        b.mass = place[0]
    return [b.mass for b in found]


@pytest.mark.parametrize("program, message", [
    (one_array_twice, "which the list may have twice"), (one_array_repeated, "which the list may have twice"),
    (swapped, "which the list may have twice"), (array_put_in, "while `row`, which may be that item"),
    (array_read, "while `row`, which may be that item"), (array_of_another_list, "may have too, while it"),
    (array_of_an_object, "while `place`, which may be that item"),
], ids=lambda v: getattr(v, "__name__", ""))  # fmt: skip
def test_a_change_that_others_would_see_is_refused(program, message):
    with pytest.raises(CompileError) as refused:
        pellucid.compile(program)(X, 4)
    assert {d.code for d in refused.value.diagnostics} == {"R003"}
    assert message in str(refused.value)


@pytest.mark.parametrize("program", [
    lambda p: np.diagonal(p[0]), lambda p: np.diag(p[0]), lambda p: np.broadcast_to(p[0], (2, 3, 3)),
])  # fmt: skip
def test_what_a_function_shows_is_known_under_the_name_that_the_user_gives(program):
    def f(x):
        pair = (x * 2.0, 1.0)
        shown = program(pair)
        w = pair[0]
        w[0, 0] = 100.0
        return shown, w

    assert_same_at_all_stages(f, (np.outer(X, X),))


def named_in_a_loop(x):
    found = [[v] for v in x]
    for row in found:
        if row[0] > 1.0:
            break
    row.append(2.0)
    return [len(row) for row in found]


def read_after_a_loop(x):
    found = [[v] for v in x]
    for k in range(len(x)):
        row = found[k]
    found[-1][0] = 5.0
    return row[0]


@pytest.mark.parametrize("function", [named_in_a_loop, read_after_a_loop])
def test_a_loop_loses_the_place_of_an_item(function):
    """What is read in a loop and changed, or looked at, behind it: it may be any item."""
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(np.array([0.5, 2.0, 0.25]))
    assert {fault.code for fault in caught.value.diagnostics} == {"R003"}
