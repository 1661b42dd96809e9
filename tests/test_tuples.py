"""Tuples whose length is known only at run time: made, joined, compared, carried, kept, looked up and returned."""

import heapq
from collections import deque
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.compiler.diagnostics import CompileError
from tests.harness.stages import STAGES, Stages, assert_same, in_python

pytestmark = pytest.mark.drawn(5)

X = np.array([0.5, -1.0, 2.0, 0.25, 3.0])


class Cut(NamedTuple):
    value: float
    nodes: tuple


def of_a_list(n):
    found = []
    for i in range(n):
        if i % 3:
            found.append(i * i)
    nodes = tuple(found)
    found.append(7)
    return nodes, Cut(0.5, nodes), {"nodes": nodes}, [nodes, nodes], found


def of_other_things(n):
    x = 0.5 * np.arange(n) - 0.5
    return tuple(x), tuple(v * v for v in x if v > 0), tuple(range(n)), tuple(zip(range(n), x)), tuple(enumerate(x)), (
        tuple(sorted(x)), tuple(reversed(x)), tuple("ab"[i % 2] for i in range(n)))  # fmt: skip


def longer_and_longer(n):
    path = (0,)
    for i in range(n):
        path = path + (i,)
    path += (9, 9)
    return path, (*path, 1), (1, *path[1:], 2), 2 * path, path * (n % 3), more_of_them(n)


def more_of_them(n):
    return (np.nan,) * n, n * (1.0, 2.5), ((1, 0.5),) * (n - 2)


def asked(n):
    t = tuple(i * i % 5 for i in range(n))
    parts = t[1:], t[::2], t[::-1], sorted(t), list(t), set(t), np.array((*t, 1))
    numbers = len(t), sum(t), max(t, default=-1), min(t, default=-1), t.count(1)
    return parts, numbers, 4 in t, bool(t), any(t), all(t), isinstance(t, tuple), isinstance(t, list)


def gone_over(n):
    t, total = tuple(0.5 * i for i in range(n)), 0.0
    for v in t:
        total += v
    for i, v in enumerate(t):
        total += i * v
    for u, v in zip(t, t[1:]):
        total += u * v
    return total, [v for v in t if v > 0.5]


def compared(n):
    t = tuple(i % 3 for i in range(n))
    u = tuple(range(n))
    others = t == (), () == t, t < (0, 2), (t, u) < (u, t), [t] == [u], t == 1
    return t == u, t != u, t < u, t <= u, t > u, t >= u, others


def on_paths(n):
    best = None
    for i in range(n):
        t = tuple(range(i, n))
        if best is None or sum(t) < sum(best):
            best = t
    short = () if n > 4 else (n,)
    return best, short, (n, n + 1) if n > 2 else (n,)


def in_lists(n):
    found = [()]
    for i in range(n):
        found.append(found[-1] + (i,))
    found.sort(reverse=True)
    return found, [t for t in found if len(t) > 1], found.index((0,)) if n else -1, (0, 1) in found, max(found)


def nothing_but_empty(n):
    found = []
    for i in range(n):
        found.append(())
        found.append((i,))
    return found


def searched(n):
    open_, done, best = deque([((0,), 0.5)]), [], None
    while open_:
        path, cost = open_.popleft()
        if len(path) > n % 4:
            done.append(path)
            if best is None or cost < best[1]:
                best = (path, cost)
            continue
        for j in range(2):
            open_.append((path + (j,), cost * (j + 0.3)))
    return done, best


def merged_by_a_heap(n):
    heap = [(1.5 * (i % 3), i, (i,)) for i in range(n + 1)]
    heapq.heapify(heap)
    ticket = len(heap)
    while len(heap) > 1:
        f, _, s = heapq.heappop(heap)
        g, _, t = heapq.heappop(heap)
        heapq.heappush(heap, (f + g, ticket, s + t))
        ticket += 1
    return heap[0]


def keys(n):
    count, t = {}, ()
    for i in range(n):
        key = tuple(sorted([i % 3, i % 2] * (i % 2 + 1)))
        count[key] = count.get(key, 0) + 1
        t += (i,)
        count[t] = i
    seen = {tuple(range(i % 3)) for i in range(n)}
    return count, (0, 0) in count, count.get((0, 1, 2), -1), len(seen), (0, 1) in seen, sorted(seen)


def missing(n):
    table = {tuple(range(i)): i for i in range(n)}
    return table[tuple(range(2))]


def out_of_range(n):
    return tuple(range(n))[3]


def not_in_it(n):
    return tuple(range(n)).index(4)


def unpacked(n):
    a, b, *rest = tuple(range(n))
    return a, b, rest


def unpacked_exactly(n):
    a, b, c, d = tuple(range(n))
    return a + b + c + d


def shown(n):
    raise ValueError(f"bad {tuple(range(n))}")


def caught(n):
    try:
        return tuple(range(n))[3]
    except IndexError:
        return -1


def recursive(n):
    def down(path, k):
        return path if k == 0 else down(path + (k,), k - 1)

    return down((0,), n), down((), 2)


def in_a_closure(n):
    t = tuple(range(n))

    def at(k):
        return t[k] if k < len(t) else -1

    return at(0), at(3)


def columns(n):
    rows = [(i, 0.5 * i) for i in range(n + 1)]
    a, b = zip(*rows)
    return a, b[1:], a + a, max(b)


EVERYWHERE = [
    of_a_list, of_other_things, longer_and_longer, asked, gone_over, compared, on_paths, in_lists, nothing_but_empty,
    searched, merged_by_a_heap, keys, missing, out_of_range, not_in_it, unpacked, unpacked_exactly, shown, caught,
    recursive, in_a_closure, columns,
]  # fmt: skip


@pytest.mark.parametrize("function", EVERYWHERE, ids=lambda f: f.__name__)
def test_a_tuple_of_the_run_is_pythons(function):
    stages = Stages(function)
    for n in (0, 1, 4, 5):
        assert_same(stages.run("typed", n), in_python(function, n))


@pytest.mark.parametrize("function", [of_a_list, longer_and_longer, compared, in_lists], ids=lambda f: f.__name__)
def test_a_tuple_of_the_run_is_pythons_at_every_stage(function):
    stages = Stages(function)
    for stage in STAGES:
        assert_same(stages.run(stage, 4), in_python(function, 4))


@pytest.mark.parametrize("function", [out_of_range, not_in_it, shown, unpacked_exactly], ids=lambda f: f.__name__)
def test_an_error_is_pythons(function):
    for n in (1, 3):
        wanted = in_python(function, n).error
        with pytest.raises(type(wanted)) as caught:
            pellucid.compile(function)(n)
        assert str(caught.value) == str(wanted)


def test_a_tuple_comes_back_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PELLUCID_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        compiled = pellucid.compile(of_a_list)
        assert [compiled(n) for n in (0, 5)] == [of_a_list(n) for n in (0, 5)]


# --- derivatives -----------------------------------------------------------------------------------------------------


def collected(x):
    t = ()
    for v in x:
        if v > 0:
            t = t + (v * v,)
    return sum(v * (i + 1) for i, v in enumerate(t))


def of_squares(x):
    t = tuple(v * v for v in x)
    return sum(t) + t[1] * t[-1]


def in_rows(x):
    rows = [(i, tuple(v * v * j for j in range(i))) for i, v in enumerate(x)]
    return sum(sum(t) * i for i, t in rows)


def kept(x):
    best = (0.0,)
    for v in x:
        longer = best + (v,)
        if sum(longer) > sum(best):
            best = longer
    return best[-1] * best[1]


@pytest.mark.parametrize("function", [collected, of_squares, in_rows, kept], ids=lambda f: f.__name__)
def test_tuples_are_differentiated(function):
    step = 1e-6
    slopes = [(function(X + h) - function(X - h)) / (2 * step) for h in step * np.eye(len(X))]
    np.testing.assert_allclose(pellucid.grad(function)(X), slopes, atol=1e-6)
    np.testing.assert_allclose(pellucid.jvp(function, (X,), (X,))[1], X @ slopes, atol=1e-5)
    np.testing.assert_allclose(pellucid.vmap(function)(np.stack([X, 2 * X])), [function(X), function(2 * X)])


def positive(x):
    t = ()
    for v in x:
        if v > 0:
            t += (v * v,)
    return t


def test_a_tuple_has_a_tangent_and_a_cotangent():
    value, slope = pellucid.jvp(positive, (X,), (np.ones(5),))
    assert type(value) is type(slope) is tuple
    np.testing.assert_allclose(value, positive(X))
    np.testing.assert_allclose(slope, 2 * X[X > 0])
    value, pullback = pellucid.vjp(positive, X)
    (cotangent,) = pullback(tuple(3.0 for _ in value))
    np.testing.assert_allclose(cotangent, np.where(X > 0, 6 * X, 0.0))
    with pytest.raises(CompileError) as caught:
        pellucid.vmap(positive)(np.stack([X, -X]))
    assert caught.value.diagnostics[0].code == "B002"


# --- what is refused ---------------------------------------------------------------------------------------------


def of_two_types(n):
    t = (1.0,)
    for i in range(n):
        t += (i,)
    return t


def joined_with_another_type(n):
    return tuple(range(n)) + (0.5,)


def of_lists(n):
    return tuple([i] * i for i in range(n))


def of_pairs_in_lists(n):
    rows = [[i, i + 1] for i in range(n)]
    kept = tuple(rows)
    rows[0][0] = 9
    return kept[0][0]


def stored_into(n):
    t = tuple(range(n))
    t[0] = 1
    return t


def appended_to(n):
    t = tuple(range(n))
    t.append(1)
    return t


def with_a_list(n):
    return tuple(range(n)) + [1]


def lent_in_a_list(n):
    found = []

    def visit(path, k):
        if k == n:
            found.append(path)
            return
        visit(path + (k,), k + 1)
        visit(path, k + 1)

    visit((), 0)
    return found


@pytest.mark.parametrize(
    "function, code",
    [(of_two_types, "T002"), (joined_with_another_type, "T002"), (of_lists, "U018"),
     (of_pairs_in_lists, "U018"), (stored_into, "T001"),
     (appended_to, "U013"), (with_a_list, "T001"), (lent_in_a_list, "U018")],
)  # fmt: skip
def test_what_is_not_in_the_language_is_refused(function, code):
    with pytest.raises(CompileError) as caught:
        pellucid.compile(function)(3)
    assert caught.value.diagnostics[0].code == code


DAYS, WORDS, PAIRS = (31, 28, 31, 30), ("a", "bb", "ccc"), ((1, 2.0), (3, 4.0))


def cut_by_the_run(k):
    last = 0
    for i in range(k):
        for day in DAYS[i + 1 :]:
            last = 10 * last + day
    return sum(DAYS[:k]), DAYS[k:], len(DAYS[1:k]), WORDS[:k], PAIRS[-k:], sorted(DAYS[::k]), [1, 2, 3][:k], last


@pytest.mark.parametrize("k", [1, 2, 5, -1])
def test_known_tuples_and_lists_are_cut_where_the_run_says(k):
    stages = Stages(cut_by_the_run)
    for stage in STAGES:
        assert_same(stages.run(stage, k), in_python(cut_by_the_run, k))


def test_slopes_go_through_a_part_of_a_tuple():
    def total(x, k):
        return sum((x, 2.0 * x, 3.0 * x)[:k])

    assert [pellucid.grad(total)(2.0, k) for k in range(4)] == [0.0, 1.0, 3.0, 6.0]


def test_what_is_not_alike_is_not_cut_by_the_run():
    with pytest.raises(CompileError) as caught:
        pellucid.compile(lambda k: (1, "a", 2.0)[:k])(2)
    assert caught.value.diagnostics[0].code == "R001"
