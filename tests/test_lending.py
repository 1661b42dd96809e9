"""Recursive functions that change objects of their callers: CPython's answer, or refused."""

import numpy as np
import pytest

import pellucid
from pellucid.compiler.request import Gradient
from tests.harness.stages import STAGES, Stages, assert_same, in_python


class Forest:
    def __init__(self, n):
        self.parent = list(range(n))
        self.asked = 0

    def find(self, i):
        self.asked += 1
        if self.parent[i] != i:
            self.parent[i] = self.find(self.parent[i])
        return self.parent[i]


def joined_sets(n):
    forest = Forest(n)
    for i in range(n - 1):
        a, b = forest.find(i), forest.find(i + 1)
        forest.parent[b] = a if i % 3 else b
    return forest.parent, forest.asked


def sums_of_subsets(x):
    found = [0.0]

    def choose(k, taken):
        if k == len(x):
            found.append(sum(taken) * 1.0)
            return
        choose(k + 1, taken)
        taken.append(x[k])
        choose(k + 1, taken)
        taken.pop()

    choose(0, [])
    return np.array(found)


def reached(links, start):
    seen, order = {start}, []

    def visit(u):
        order.append(u)
        for v in np.flatnonzero(links[u]):
            v = int(v)
            if v not in seen:
                seen.add(v)
                visit(v)

    visit(start)
    return sorted(seen), order


def fibonacci(n):
    known = {}

    def of(k):
        if k < 2:
            return k
        if k not in known:
            known[k] = of(k - 1) + of(k - 2)
        return known[k]

    return of(n), len(known)


def two_names(n):
    counts = [0, 0]
    same = counts

    def count(k, items):
        items[0] += k
        if k > 0:
            count(k - 1, items)
        return items

    back = count(n, same)
    back[1] = 7
    return counts, counts is back


def permutations(n):
    found = []

    def extend(first, rest):
        if not rest:
            found.append(first[0] * 100 + first[1] * 10 + first[2])
        for i in range(len(rest)):
            extend(first + [rest[i]], rest[:i] + rest[i + 1 :])

    extend([], list(range(n)))
    return found


class Search:
    def __init__(self, weights):
        self.weights = weights
        self.best, self.chosen = 0.0, []

    def run(self, k, room, value, taken):
        if value > self.best:
            self.best, self.chosen = value, list(taken)
        if k == len(self.weights):
            return
        if self.weights[k] <= room:
            taken.append(k)
            self.run(k + 1, room - self.weights[k], value + self.weights[k], taken)
            taken.pop()
        self.run(k + 1, room, value, taken)


def packed(weights, room):
    search = Search(weights)
    search.run(0, room, 0.0, [])
    return search.best, search.chosen


def an_array_and_a_list(x, n):
    sums, order = np.zeros(3), []

    def visit(k, sums, order):
        if k == 0:
            return
        sums[k % 3] += x[k % len(x)]
        order.append(sums[0])
        visit(k - 1, sums, order)

    visit(n, sums, order)
    return sums, order


def a_set_of_known_items(n):
    def left(k, items):
        if k == 0:
            return len(items)
        items.discard(k)
        return left(k - 1, items)

    return left(n, {1, 2, 9})


LINKS = np.eye(5, k=2) + np.eye(5, k=-3)
PROGRAMS = {
    "an attribute and a list in it": (joined_sets, [(4,), (9,)]),
    "a list passed empty": (sums_of_subsets, [(np.array([1.0, 2.0]),), (np.array([0.5]),)]),
    "a set and a list around": (reached, [(LINKS, 0), (LINKS, 1)]),
    "a dynamic dict": (fibonacci, [(10,), (1,)]),
    "two names, and the result": (two_names, [(3,), (0,)]),
    "lists that are longer each time": (permutations, [(3,)]),
    "an array and a list": (an_array_and_a_list, [(np.array([1.0, 2.0]), 4)]),
    "a set that is known": (a_set_of_known_items, [(3,), (0,)]),
    "an instance whose attribute is bound anew": (packed, [(np.array([3.0, 5.0, 4.0]), 8.5)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_recursive_function_changes_is_changed(name):
    function, calls = PROGRAMS[name]
    stages = Stages(function)
    for args in calls:
        for stage in STAGES if args is calls[0] else STAGES[-1:]:
            assert_same(stages.run(stage, *args), in_python(function, *args))


class Energy:
    def __init__(self):
        self.total = 0.0
        self.steps = [0.0, 1.0]

    def add(self, x, k):
        self.total += self.steps[1] * x[k] ** 2
        self.steps[0], self.steps[1] = self.steps[1], np.sin(x[k])
        if k > 0:
            self.add(x, k - 1)


def energy(x):
    found = Energy()
    found.add(x, len(x) - 1)
    return found.total + found.steps[1]


def test_derivatives_go_through_what_is_lent():
    x, step = np.array([1.0, 0.5, 2.0]), 1e-6
    wanted = [(energy(x + step * e) - energy(x - step * e)) / (2 * step) for e in np.eye(3)]
    for stage in STAGES[2:]:
        np.testing.assert_allclose(Stages(energy, [Gradient(0)]).run(stage, x).value, wanted, rtol=1e-6)


def fill(items, k):
    items[0] = k
    if k > 0:
        fill(items, k - 1)


def changes_its_argument(items, n):
    fill(items, n)
    return items[0]


def one_of_two(n, swap):
    a, b = [0.0], [1.0]
    one = a if swap else b

    def fill(k, first, second):
        first[0] += second[0]
        if k > 0:
            fill(k - 1, first, second)

    fill(n, one, a)
    return a[0], b[0]


def put_into_a_list(n):
    row, rows = [0.0], []

    def collect(k):
        rows.append(row)
        row[0] = k
        if k > 0:
            collect(k - 1)

    collect(n)
    return rows[0][0]


def unlike_items(n):
    items = [1.0]

    def more(k):
        items.append(1.0 if k > 1 else np.ones(k))
        if k > 0:
            more(k - 1)

    more(n)
    return len(items)


REFUSED = {
    "the caller's own list": (changes_its_argument, ([1, 2], 3), "P014"),
    "one object on some paths": (one_of_two, (3, True), "R003"),
    "an item of a list": (put_into_a_list, (3,), "R003"),
    "items that are not alike": (unlike_items, (3,), "U018"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_show_elsewhere_is_refused(name):
    function, args, code = REFUSED[name]
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*args)
    assert caught.value.diagnostics[0].code == code
