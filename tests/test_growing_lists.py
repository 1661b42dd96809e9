"""Lists that grow: of tuples, records, lists and dicts, their methods, what sorts and searches them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import assert_same_at_all_stages

X = np.array([0.3, 1.2, -2.5, 0.7, 1.9, 5.5, -1.0])


class Peak(NamedTuple):
    at: int
    height: float


@dataclass(frozen=True)
class Step:
    time: float
    state: np.ndarray


def tuples(x):
    found = []
    for i, v in enumerate(x):
        if v > 0.0:
            found.append((i, v * 2.0))
    total = 0.0
    for i, v in found:
        total += i * v
    return found, total, len(found), found[-1], found[0][1]


def records(x):
    peaks = []
    for i in range(1, len(x) - 1):
        if x[i] > x[i - 1] and x[i] > x[i + 1]:
            peaks.append(Peak(i, x[i]))
    return peaks, [p.height for p in peaks], sum(p.at for p in peaks)


def with_arrays(x):
    steps = [Step(0.0, x.copy())]
    while len(steps) < 4:
        last = steps[-1]
        steps.append(Step(last.time + 0.5, last.state * 0.5))
    return steps, np.array([s.state for s in steps]), np.array([s.time for s in steps])


def dicts(x):
    log = []
    for i in range(len(x)):
        log.append({"at": i, "value": float(x[i])})
    return log, log[1]["value"]


def lists_of_one_length(x):
    rows = [[0.0, 1.0]]
    for v in x:
        rows.append([v, v * v])
    return rows, np.array(rows), rows[2][1], [row[0] for row in rows]


def lists_of_any_length(x):
    groups, current = [], []
    for v in x:
        if v < 0.0:
            groups.append(current)
            current = []
        current.append(v)
    groups.append(current)
    return groups, [len(g) for g in groups], [sum(g) for g in groups], groups[0]


def nested_structures(x):
    found = []
    for i in range(len(x)):
        found.append(((i, x[i]), {"w": [x[i], 1.0]}))
    return found, found[1][1]["w"][0]


def array_of_tuples(x):
    pairs = [(v, 2.0 * v) for v in x if v > 0.0]
    return np.array(pairs), pairs, np.array([(i, i * i) for i in range(len(x))])


def of_pairs_from_zip(x):
    pairs = list(zip(x, x[::-1]))
    return pairs, [a - b for a, b in pairs], list(enumerate(x))


def sorted_numbers(x):
    return sorted(x), sorted(x, reverse=True), sorted([v * v for v in x]), sorted(int(v) for v in x)


def sorted_by_key(x):
    pairs = [(int(v) % 3, v) for v in x]
    return sorted(pairs), sorted(pairs, key=lambda p: p[0]), sorted(pairs, key=lambda p: -p[1], reverse=True)


def sorted_in_place(x):
    found = []
    for i, v in enumerate(x):
        found.append(Peak(i, abs(v)))
    found.sort(key=lambda p: p.height, reverse=True)
    places = [p.at for p in found]
    places.sort()
    return found, places


def sorted_few(x):
    a, b, c = sorted((x[0], x[1], x[2]))
    return a, b, c, sorted([3, 1, 2]), sorted((2.0, x[3]), key=lambda v: -v)


def best_of_all(x):
    pairs = [(v, i) for i, v in enumerate(x)]
    low, high = min(pairs), max(pairs)
    nearest = min(range(len(x)), key=lambda i: abs(x[i] - 1.0))
    return low, high, nearest, max(pairs, key=lambda p: p[1] % 4), min(x, key=lambda v: v * v)


def with_a_default(x):
    negative = [v for v in x if v < 0.0]
    none = [v for v in x if v > 100.0]
    return max(negative, default=0.0), max(none, default=-1.0), min((v * v for v in x if v > 100.0), default=2.5)


def nothing_to_choose(x):
    return max([v for v in x if v > 100.0])


def moved(x):
    xs = [v for v in x]
    xs.insert(1, 10.0)
    xs.insert(-1, 20.0)
    xs.insert(100, 30.0)
    first = xs.pop(0)
    middle = xs.pop(len(xs) // 2)
    xs.reverse()
    xs.remove(20.0)
    return xs, first, middle, xs.index(10.0), xs.count(10.0), 10.0 in xs, 11.0 in xs


def queue(x):
    waiting = [(0, 1.0)]
    order = []
    while waiting:
        k, w = waiting.pop(0)
        order.append((k, w))
        for child in (2 * k + 1, 2 * k + 2):
            if child < len(x):
                waiting.append((child, w * x[child]))
    return order


def stack(x):
    stack_ = [(0, len(x))]
    parts = []
    while stack_:
        low, high = stack_.pop()
        if high - low <= 2:
            parts.append((low, high))
            continue
        middle = (low + high) // 2
        stack_.append((low, middle))
        stack_.append((middle, high))
    return parts


def sliced(x):
    xs = [v for v in x]
    n = len(xs)
    return xs[1:], xs[:2], xs[::-1], xs[-2:], xs[n // 2 :: 2], xs[5:100], [(i, v) for i, v in enumerate(x)][1:3]


def joined(x):
    xs, ys = [v for v in x], [v * 2.0 for v in x if v > 0.0]
    ys += [1.0, 2.0]
    zs = xs + ys
    zs.extend(x[:2])
    zs.clear()
    zs.append(4.0)
    return xs + ys, ys, zs, xs == ys, xs == [v for v in x], [1.0] + xs


def popped_from_nothing(x):
    xs = [v for v in x if v > 100.0]
    return xs.pop(0)


def not_there(x):
    xs = [v for v in x]
    xs.remove(77.0)
    return xs


def compared(x):
    a, b = (x[0], x[1]), (x[0], x[2])
    return a < b, a <= b, a > b, a >= a, (1, x[0]) < (2, x[1]), (x[0],) < a, a == b


def items_read_again(x):
    rows = []
    for i in range(len(x)):
        rows.append((i, x[i]))
    for k in range(len(rows)):
        i, v = rows[k]
        rows[k] = (i + 1, v * 2.0)
    return rows


def int_and_float(x):
    pairs = [(0, 0)]
    for v in x:
        pairs.append((1, v))
    return pairs[1:]


def in_numpys_functions(x):
    kept, pairs = [], []
    for v in x:
        if v > 0.5:
            kept.append(v * 2.0)
            pairs.append((v, 1))
    means = np.mean(kept), np.std(kept), np.sum(pairs, axis=0), np.linalg.norm(kept), np.dot(kept, kept)
    return means, np.cumsum(kept), np.sin(kept), np.diff(pairs, axis=0), np.where(np.array(kept) > 2.5, kept, 0.0)


def of_nothing_but_empty_lists(x):
    k = int(x[3] + 1.0)
    rows, words = [[], []], ["a", "a"]
    place = rows.index([])
    rows.insert(k, [])
    words.pop(k)
    return place, len(rows), rows, words, [[], []].count([x[0]])


PROGRAMS = [
    tuples, records, with_arrays, dicts, lists_of_one_length, lists_of_any_length, nested_structures, array_of_tuples,
    of_pairs_from_zip, sorted_numbers, sorted_by_key, sorted_in_place, sorted_few, best_of_all, with_a_default,
    nothing_to_choose, moved, queue, stack, sliced, joined, popped_from_nothing, not_there, compared, items_read_again,
    int_and_float, in_numpys_functions, of_nothing_but_empty_lists,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_it_is_in_python(program):
    assert_same_at_all_stages(program, (X, X[:4]))


@pytest.mark.parametrize("program", [
    lambda x: sum(v * w for v, w in [(v, v * v) for v in x]),
    lambda x: np.sum(np.array([(v, v * v) for v in x if v > 0.0])),
    lambda x: max([(v * v, v) for v in x])[1] ** 3,
    lambda x: sorted(x)[2] * sorted([v * v for v in x], reverse=True)[1],
    lambda x: sum([Peak(i, v * i) for i, v in enumerate(x)][k].height for k in (1, 3)),
    lambda x: sum([[v, v * v] for v in x][2]),
])  # fmt: skip
def test_slopes_go_through_lists_of_tuples(program):
    slope = np.asarray(pellucid.grad(program)(X))
    steps = 1e-6 * np.eye(len(X))
    assert np.allclose(slope, [(program(X + h) - program(X - h)) / 2e-6 for h in steps], rtol=1e-5, atol=1e-7)


def changed_after_it_was_put_in(x):
    rows, row = [], [0.0, 0.0]
    for v in x:
        rows.append(row)
    row[0] = 1.0
    return rows


def changed_in_the_turn_after(x):
    rows, row = [], [0.0, 0.0]
    for v in x:
        row[0] += v
        rows.append(row)
    return rows


def same_object(x):
    rows = [[v, v] for v in x]
    return rows[0] is rows[1]


def changed_on_one_path(x):
    rows, row = [], [0.0, 0.0]
    for v in x:
        row = [v, 0.0]
        if v > 0.0:
            rows.append(row)
        row[1] = 1.0
    return rows


REFUSED = [
    (changed_after_it_was_put_in, "R003"), (changed_in_the_turn_after, "R003"), (same_object, "R001"),
    (changed_on_one_path, "R003"),
]  # fmt: skip


@pytest.mark.parametrize("program, code", REFUSED, ids=lambda f: getattr(f, "__name__", f))
def test_what_would_show_that_items_are_taken_apart_is_refused(program, code):
    with pytest.raises(CompileError) as refused:
        pellucid.compile(program)(X)
    assert [d.code for d in refused.value.diagnostics] == [code]


def new_row_on_the_path(x):
    groups, row = [], []
    for v in x:
        if v < 0.0:
            groups.append(row)
            row = []
        row.append(v)
    return groups, row


def test_a_list_may_be_changed_where_it_is_another_one():
    want = new_row_on_the_path(X)
    assert pellucid.compile(new_row_on_the_path)(X) == want


def test_the_order_of_nan_is_not_made_up():
    with pytest.raises(ValueError, match="nan"):
        pellucid.compile(sorted_numbers)(np.array([1.0, np.nan, 0.5, 2.0]))


def kept_rows(x, k):
    total = 0.5
    for i in range(k):
        rows = [x * total, np.sin(x)]
        for j in range(i):
            rows.append(x * x * j)
        last = rows.pop()
        total = total + np.sum(rows[0] * last)
    return total


def test_arrays_of_one_shape_that_a_turn_leaves_in_its_list():
    x, step = np.array([0.1, 0.3, 0.2]), 1e-6
    sides = [[kept_rows(x + sign * step * e, 3) for sign in (1.0, -1.0)] for e in np.eye(3)]
    np.testing.assert_allclose(pellucid.grad(kept_rows)(x, 3), [(a - b) / (2.0 * step) for a, b in sides], rtol=1e-7)
